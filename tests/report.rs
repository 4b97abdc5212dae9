//! The page of `--report`: what is on it, what it says of each line, and what it does in a browser.
//!
//! Input: the examples, and programs made to break the page. Output: the page, as text and in [`browser`].
//! Invariants of toyc tested here: the page shows exactly this compilation, is self-contained and safe to
//! open whatever the program contains; with the page and without, the output is the same.

mod browser;

use crate::command_line::{OUTPUT, toyc_in, workspace};
use crate::markup;
use crate::tools::{Job, Outcome, Tests, fail, files, root, scratch, stem, toyc, trial};
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

pub fn trials() -> Vec<Trial> {
    let tests: Tests = vec![
        ("texts_are_what_emit_prints", texts_are_what_emit_prints),
        ("lines_show_their_origin", lines_show_their_origin),
        ("every_example_has_a_report", every_example_has_a_report),
        ("a_report_changes_no_output", a_report_changes_no_output),
        ("every_call_shows_its_specialization", every_call_shows_its_specialization),
        ("unchanged_stages_are_folded", unchanged_stages_are_folded),
        ("all_text_is_escaped", all_text_is_escaped),
        ("mlir_input_has_a_report", mlir_input_has_a_report),
        ("invalid_uses_are_diagnosed", invalid_uses_are_diagnosed),
        ("pages_of_large_programs_are_small", pages_of_large_programs_are_small),
        ("pages_differ_only_in_times", pages_differ_only_in_times),
        ("browser", browser::test),
    ];
    tests.into_iter().map(|(name, test)| trial(format!("report/{name}"), test)).collect()
}

/// The page about a program of a directory.
fn page(directory: &Path, arguments: &str) -> Result<String, Failed> {
    let file = directory.join("page.html");
    let run = toyc_in(directory, &format!("{arguments} --report=page.html"))?;
    run.exits(0)?;
    let page = std::fs::read_to_string(&file)?;
    std::fs::remove_file(file)?;
    check_page(&page)?;
    Ok(page)
}

/// A page of an example; the name is as if one stood in the root.
fn page_of_example(name: &str, options: &str) -> Result<String, Failed> {
    let directory = scratch(&format!("report/{name}{options}"));
    std::fs::copy(root().join("examples").join(name), directory.join(name))?;
    page(&directory, &format!("{name} {options} -o program"))
}

/// A page loads nothing, and its elements are closed.
fn check_page(page: &str) -> Outcome {
    for loading in ["http://", "https://", "src=", "@import", "url(", "//cdn"] {
        let found = page.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
        if let Some(at) = found.find(loading) {
            let end = (at + 80).min(found.len());
            return fail(format!("the page loads something: {:?}", found.get(at..end)));
        }
    }
    if !page.contains("default-src 'none'") {
        return fail("the page may load anything");
    }
    // Scripts and styles are not HTML.
    let mut text = page.to_owned();
    for element in ["script", "style"] {
        while let Some((before, after)) = text.split_once(&format!("<{element}>")) {
            let Some((_, after)) = after.split_once(&format!("</{element}>")) else {
                return fail(format!("<{element}> has no end"));
            };
            text = format!("{before}{after}");
        }
    }
    markup::closed(&text, &["meta", "link", "!DOCTYPE"])?;
    let mut ids: Vec<_> = text.split(" id=\"").skip(1).map(|rest| rest.split('"').next()).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    if ids.len() == count { Ok(()) } else { fail("two elements have one id") }
}

/// A line of a stage on the page.
struct Line {
    class: String,
    /// Its source lines.
    origin: String,
    text: String,
}

/// The lines of a view of the page.
fn lines(page: &str, view: &str) -> Result<Vec<Line>, Failed> {
    let start = format!("<section class=\"view\" id=\"{view}\">");
    let section = page.split(&start).nth(1).and_then(|rest| rest.split("</section>").next());
    let Some(section) = section else { return fail(format!("no view {view}")) };
    let lines = section.split("<div class=\"l").skip(1).map(|line| {
        let (tag, content) = line.split_once('>').unwrap_or_default();
        let content = content.split("</div>").next().unwrap_or("");
        let attribute = |name: &str| {
            let value = tag.split(&format!(" {name}=\"")).nth(1);
            value.and_then(|value| value.split('"').next()).unwrap_or("").to_owned()
        };
        Line {
            class: tag.split('"').next().unwrap_or("").trim().to_owned(),
            origin: attribute("data-l"),
            text: text_of(content),
        }
    });
    Ok(lines.collect())
}

/// The text that a browser shows.
fn text_of(html: &str) -> String {
    let text: String = html
        .split('<')
        .enumerate()
        .map(|(index, part)| match index {
            0 => part,
            _ => part.split_once('>').map_or("", |(_, text)| text),
        })
        .collect();
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    entities.iter().fold(text, |text, (entity, character)| text.replace(entity, character))
}

/// The text of a stage without what the stage before had.
fn shown(page: &str, view: &str) -> Result<String, Failed> {
    let lines = lines(page, view)?;
    Ok(lines.into_iter().filter(|l| l.class != "old").map(|line| line.text + "\n").collect())
}

const STAGES: [&str; 11] = [
    "tokens",
    "ast",
    "toy",
    "shapes",
    "linalg",
    "memref",
    "merged",
    "dealloc",
    "loops",
    "mlir-llvm",
    "llvm",
];

/// Every text on the page is what `-emit` prints with the same options.
fn texts_are_what_emit_prints() -> Outcome {
    let directory = workspace("report")?;
    let other = if cfg!(target_arch = "x86_64") { "aarch64" } else { "x86_64" };
    for options in ["-O0", "-O1", "-O2 -g", &format!("-O2 -emit=obj --target {other}-linux-gnu")] {
        let page = page(&directory, &format!("program.toy {options}"))?;
        for stage in STAGES {
            let view = match stage {
                "llvm" if !options.contains("-O0") => "llvm-optimized",
                _ => stage,
            };
            let options = options.replace("-emit=obj", "");
            let run = toyc_in(&directory, &format!("program.toy {options} -emit={stage}"))?;
            let run = run.exits(0)?;
            let shown = shown(&page, view)?;
            // A tab is shown as one, other controls as pictures.
            if shown != run.out() {
                return run.complain(format!("{options}: {view} on the page is\n{shown}"));
            }
        }
        if !page.contains("Memory plan of program.toy") || !page.contains("</b> object file") {
            return fail("no memory plan, or no sizes");
        }
        let assembly = shown(&page, "asm")?;
        let options = options.replace("-emit=obj", "");
        let run =
            toyc_in(&directory, &format!("program.toy {options} -emit=asm -o -"))?.exits(0)?;
        let whole = run.out();
        let mut rest = whole.lines();
        if let Some(line) = assembly.lines().find(|line| !rest.any(|other| other == *line)) {
            return run.complain(format!("`{line}` is not there (or not in this order)"));
        }
        if assembly.lines().count() * 2 > whole.lines().count()
            || !page.contains("runtime library are left out")
        {
            return fail("the runtime is on the page");
        }
    }
    Ok(())
}

/// Of every stage, the lines that come from some line of the source.
fn lines_show_their_origin() -> Outcome {
    // Line 7 is `return transpose(a) * transpose(b);`, 15 to 17 call it, 18 to 20 print.
    for options in ["-O0", "-O2", "-O0 -g", "-O2 -g"] {
        let page = page_of_example("transpose.toy", options)?;
        let check = |view: &str, text: &str, origin: &str| -> Outcome {
            let lines = lines(&page, view)?;
            let mut found = lines.iter().filter(|line| line.text.contains(text)).peekable();
            if found.peek().is_none() {
                return fail(format!("{options}: no line of {view} has `{text}`"));
            }
            match found.find(|line| line.origin != origin) {
                None => Ok(()),
                Some(Line { text, origin, .. }) => {
                    fail(format!("{options}: in {view}, `{text}` comes from `{origin}`"))
                }
            }
        };
        check("tokens", "Star ", "7")?;
        check("ast", "@transpose.toy:7:", "7")?;
        check("ast", "Proto 'multiply_transpose'", "6")?;
        for view in ["toy", "shapes"] {
            check(view, "\"toy.transpose\"", "7")?;
            check(view, "func.func @main", "10")?;
        }
        check("shapes", "call @multiply_transpose$3x2", "17")?;
        // Where two constants have become one, it comes from the first.
        check("linalg", "arith.constant dense<[[1", "12")?;
        for view in ["memref", "merged", "dealloc"] {
            let compute =
                if options.contains("-O0") { "linalg.transpose" } else { "linalg.generic" };
            check(view, compute, "7")?;
            check(view, "func.func private @multiply_transpose", "6")?;
        }
        check("loops", "arith.mulf", "7")?;
        // With -O2, loops over so few elements are unrolled.
        check("loops", if options.contains("-O0") { "scf.for" } else { "vector.load" }, "7")?;
        check("mlir-llvm", "llvm.fmul", "7")?;
        check("llvm", "fmul", "7")?;
        check("llvm", "define i32 @main", "10")?;
        check("llvm", "define internal void @toy_print", "")?;
        check("llvm", "declare", "")?;
        check("mlir-llvm", "llvm.func @_mlir_ciface_toy_print", "")?;
        // Stores and multiplications of the inlined function are on line 7, prints on 18 to 20.
        let assembly = lines(&page, "asm")?;
        let calls = assembly.iter().filter(|line| line.text.contains("_mlir_ciface_toy_print"));
        let calls: Vec<_> =
            calls.filter(|line| line.text.contains("call") || line.text.contains("bl\t")).collect();
        let origins: Vec<&str> = calls.iter().map(|line| line.origin.as_str()).collect();
        if options.contains("-O2") && origins != ["18", "19", "20"] {
            return fail(format!("{options}: the printing calls come from {origins:?}"));
        }
        if !assembly.iter().any(|line| line.origin == "7") {
            return fail(format!("{options}: no instruction comes from line 7"));
        }
    }
    Ok(())
}

fn every_example_has_a_report() -> Outcome {
    for program in files("examples", &["toy"]) {
        let name = format!("{}.toy", stem(&program));
        if name == "mistake.toy" {
            continue;
        }
        for options in ["-O0", "-O2"] {
            let page = page_of_example(&name, options)?;
            if page.contains("come from is not known") {
                return fail(format!("{name} {options}: lines without places"));
            }
            for stage in STAGES {
                if lines(&page, stage)?.iter().all(|line| line.origin.is_empty()) {
                    return fail(format!("{name} {options}: {stage} has no places"));
                }
            }
        }
    }
    Ok(())
}

/// The page is written along with any output, and does not change it.
fn a_report_changes_no_output() -> Outcome {
    let directory = workspace("report_beside")?;
    for level in ["-O0", "-O2"] {
        let mut stages = STAGES.to_vec();
        stages.extend(["toy-source", "memory-plan", "asm", "obj"]);
        for stage in stages {
            let arguments = format!("program.toy {level} -emit={stage} -o -");
            let expected = toyc_in(&directory, &arguments)?.exits(0)?.stdout;
            let run = toyc_in(&directory, &format!("{arguments} --report=x.html"))?;
            run.exits(0)?.silent()?.prints(expected)?;
            check_page(&std::fs::read_to_string(directory.join("x.html"))?)?;
            std::fs::remove_file(directory.join("x.html"))?;
        }
        let run = toyc_in(&directory, &format!("program.toy {level} -emit=jit --report x.html"))?;
        run.exits(0)?.silent()?.prints(OUTPUT)?;
        if !shown(&std::fs::read_to_string(directory.join("x.html"))?, "asm")?.contains("main:") {
            return fail("no assembly");
        }
        let both = format!("program.toy {level} --report x.html --memory-plan=x.json -emit=toy");
        toyc_in(&directory, &both)?.exits(0)?.silent()?;
        std::fs::remove_file(directory.join("x.json"))?;
        let run = toyc_in(&directory, &format!("program.toy {level} --report=-"))?;
        let run = run.exits(0)?.silent()?;
        check_page(&run.out())?;
        Job::new(directory.join("program"), [""; 0]).run()?.exits(0)?.prints(OUTPUT)?;
    }
    Ok(())
}

fn every_call_shows_its_specialization() -> Outcome {
    let page = page_of_example("transpose.toy", "-O0")?;
    let rows = page.split("<tr class=\"l\"").skip(1);
    let rows: Vec<String> = rows
        .filter_map(|row| row.split_once('>')?.1.split("</tr>").next())
        .map(|row| text_of(&row.replace("</td>", "|")))
        .collect();
    let expected = [
        "15|multiply_transpose(a, b)|multiply_transpose(2x3, 2x3)|3x2|main|",
        "16|multiply_transpose(b, a)|multiply_transpose(2x3, 2x3)|3x2|main|",
        "17|multiply_transpose(c, d)|multiply_transpose(3x2, 3x2)|2x3|main|",
    ];
    if rows == expected { Ok(()) } else { fail(format!("{rows:#?}")) }
}

fn unchanged_stages_are_folded() -> Outcome {
    let changes = |page: &str| -> BTreeMap<&str, bool> {
        let entries = page.split("<li><a href=\"#").skip(1).filter_map(|entry| {
            let (id, rest) = entry.split_once('"')?;
            let stage = STAGES.iter().find(|stage| **stage == id)?;
            Some((*stage, rest.split_once('>')?.0.contains("class=\"same\"")))
        });
        entries.collect()
    };
    // -O0 merges nothing.
    let page_0 = page_of_example("transpose.toy", "-O0")?;
    let page_2 = page_of_example("transpose.toy", "-O2")?;
    if !changes(&page_0)["merged"] || changes(&page_2)["merged"] || changes(&page_0)["toy"] {
        return fail(format!("{:?}, {:?}", changes(&page_0), changes(&page_2)));
    }
    if !page_0.contains("<details class=\"folded\">")
        || page_2.contains("<details class=\"folded\">")
    {
        return fail("what did not change is folded, and nothing else");
    }
    // What is marked in a stage, and the rest, make the stage before.
    for stage in ["shapes", "linalg", "memref", "merged", "dealloc", "loops", "mlir-llvm"] {
        let index = STAGES.iter().position(|other| *other == stage).unwrap_or(0);
        let expected = shown(&page_2, STAGES[index - 1])?;
        let before: String = lines(&page_2, stage)?
            .into_iter()
            .filter(|line| line.class != "new")
            .map(|line| line.text + "\n")
            .collect();
        if before != expected {
            return fail(format!("the stage before {stage} is not\n{before}"));
        }
    }
    Ok(())
}

/// Names of files, comments and attributes that HTML would interpret.
fn all_text_is_escaped() -> Outcome {
    let directory = scratch("report/escaped");
    let text = "# </script><script>alert(1)</script> & \"x\" '\u{202e}\u{1b}[31m\u{7f}\u{ffff}é\n\
                def main() {\n\tvar a = [1, 2]; # <b>\n\tprint(a);\n}\n";
    let name = "a<b>&'\"c.toy";
    std::fs::write(directory.join(name), text)?;
    let run = toyc([name, "-o", "x", "--report=page.html"]).current_dir(&directory).run()?;
    run.exits(0)?.silent()?;
    let page = std::fs::read_to_string(directory.join("page.html"))?;
    check_page(&page)?;
    let safe = "# &lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;x&quot; '";
    if !page.contains(safe) || !page.contains("<h1>a&lt;b&gt;&amp;'&quot;c.toy</h1>") {
        return fail("the comment or the name is not there");
    }
    for hidden in ['\u{202e}', '\u{1b}', '\u{7f}', '\u{ffff}'] {
        if page.contains(hidden) {
            return fail(format!("{hidden:?} is on the page"));
        }
    }
    // The name is that of the locations, too.
    if lines(&page, "toy")?.iter().all(|line| line.origin != "3") {
        return fail("no line comes from line 3");
    }
    let mlir = "func.func @main() attributes {a = \"</div><script>&\"} { return }\n";
    std::fs::write(directory.join("x.mlir"), mlir)?;
    page_of_file(&directory, "x.mlir")
}

fn page_of_file(directory: &Path, name: &str) -> Outcome {
    page(directory, &format!("{name} -emit=asm -o x.s")).map(|_| ())
}

/// MLIR of any stage: the source is that text, and what only Toy has is not there.
fn mlir_input_has_a_report() -> Outcome {
    let directory = workspace("report_mlir")?;
    for stage in ["toy", "linalg", "memref", "mlir-llvm"] {
        let mlir = toyc_in(&directory, &format!("program.toy -emit={stage}"))?.exits(0)?.stdout;
        std::fs::write(directory.join("in.mlir"), &mlir)?;
        let page = page(&directory, "in.mlir -O1")?;
        if lines(&page, "tokens").is_ok() || lines(&page, "ast").is_ok() {
            return fail("MLIR has neither tokens nor a tree");
        }
        let source = String::from_utf8_lossy(&mlir).into_owned();
        let at = source.lines().position(|line| line.contains("@main()")).unwrap_or(0) + 1;
        for view in ["toy", "linalg", "loops", "llvm"] {
            let lines = lines(&page, view)?;
            let main = lines.iter().find(|line| line.text.contains("@main()"));
            if main.is_none_or(|line| line.origin != at.to_string()) {
                return fail(format!("{stage}: main is not from line {at} in {view}"));
            }
        }
    }
    // Places in other files are no lines of this one.
    let elsewhere = "func.func @main() {\n  return loc(\"other.toy\":1:3)\n}\n";
    std::fs::write(directory.join("in.mlir"), elsewhere)?;
    for options in ["-O1", "-O0 -g"] {
        let page = page(&directory, &format!("in.mlir {options}"))?;
        for (view, text) in [("loops", "return"), ("llvm", "ret i32"), ("asm", "ret")] {
            let lines = lines(&page, view)?;
            let mut found = lines.iter().filter(|line| line.text.trim().starts_with(text));
            if found.next().is_none_or(|line| !line.origin.is_empty()) {
                return fail(format!("{options}: {view} has a line of another file"));
            }
        }
    }
    Ok(())
}

fn invalid_uses_are_diagnosed() -> Outcome {
    let directory = workspace("report_mistakes")?;
    for output in ["-emit=jit", "-emit=toy", "-emit=obj -o x.o", "-o x"] {
        let run = toyc_in(&directory, &format!("program.toy --report=no/x.html {output}"))?;
        run.diagnosed("E0002")?.says("no/x.html")?;
    }
    std::fs::write(directory.join("wrong.toy"), "def main() { print([1] + [1, 2]); }")?;
    for stage in ["tokens", "ast", "toy", "exe", "jit"] {
        let run = toyc_in(&directory, &format!("wrong.toy --report=x.html -emit={stage}"))?;
        run.diagnosed("E0301")?;
    }
    toyc_in(&directory, "program.toy --report=program.toy")?
        .diagnosed("E0004")?
        .says("the input")?;
    toyc_in(&directory, "program.toy -o x --report=x")?.diagnosed("E0004")?.says("the output")?;
    toyc_in(&directory, "program.toy --memory-plan=x.svg --report=x.svg")?
        .diagnosed("E0004")?
        .says("the memory plan")?;
    for stage in ["toy", "jit", "asm -o -"] {
        let run = toyc_in(&directory, &format!("program.toy --report=- -emit={stage}"))?;
        run.diagnosed("E0004")?.says("standard output")?;
    }
    toyc_in(&directory, "program.toy --report")?.exits(2)?;
    let count = std::fs::read_dir(&directory)?.count();
    if count == 2 { Ok(()) } else { fail(format!("{count} files")) }
}

/// Ten thousand lines a stage, one line of a megabyte, and a tree of quadratic size.
fn pages_of_large_programs_are_small() -> Outcome {
    let directory = scratch("report/large");
    let mut long = "def main() {\n  var a0 = [[1, 2], [3, 4]];\n".to_owned();
    for index in 1..3_000 {
        long += &format!("  var a{index} = a{} * transpose(a{});\n", index - 1, index / 2);
    }
    std::fs::write(directory.join("long.toy"), long + "  print(a2999);\n}\n")?;
    let wide = vec!["1.5"; 100_000].join(", ");
    std::fs::write(directory.join("wide.toy"), format!("def main() {{ print([{wide}]); }}\n"))?;
    let chain = vec!["a"; 1_500].join(" + ");
    let text = format!("def main() {{ var a = [1, 2]; print({chain}); }}\n");
    std::fs::write(directory.join("chain.toy"), text)?;
    for name in ["long", "wide", "chain"] {
        let time = |arguments: &str| {
            let start = Instant::now();
            toyc_in(&directory, arguments)?.exits(0)?;
            Ok::<_, Failed>(start.elapsed())
        };
        let alone = time(&format!("{name}.toy -emit=obj -o x.o"))?;
        let both = time(&format!("{name}.toy -emit=obj -o x.o --report={name}.html"))?;
        // Without optimization, Rust is slow at text; what is quadratic takes minutes.
        if both > 10 * alone + Duration::from_secs(20) {
            return fail(format!("{name}: with a page {both:?}, without {alone:?}"));
        }
        let page = std::fs::read_to_string(directory.join(format!("{name}.html")))?;
        check_page(&page)?;
        if page.len() > 16_000_000 {
            return fail(format!("{name}: the page has {} bytes", page.len()));
        }
        if name != "wide" && !page.contains("more lines, left out of this page") {
            return fail(format!("{name}: nothing is left out"));
        }
        if name == "wide" && !page.contains("more characters)") {
            return fail("the long line is there");
        }
    }
    Ok(())
}

/// Two pages differ only in durations and in the size of what the linker makes.
fn pages_differ_only_in_times() -> Outcome {
    let directory = workspace("report_same")?;
    let without_times = |page: String| -> String {
        let mut parts = page.split("<span class=\"t\">");
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |text, part| {
            text + part.split_once("</span>").map_or("", |(_, rest)| rest)
        })
    };
    for options in ["-O0", "-O2 -g"] {
        let arguments = format!("program.toy {options} -emit=jit");
        let first = without_times(page(&directory, &arguments)?);
        for _ in 0..2 {
            if without_times(page(&directory, &arguments)?) != first {
                return fail(format!("{options}: the page differs"));
            }
        }
    }
    Ok(())
}
