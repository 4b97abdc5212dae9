//! The page of `--report`: its contents, the origin of each line, and its behavior in a browser.
//!
//! Input: the examples, and programs made to break the page. Output: the page, as data and in [`browser`]; [`large`] has
//! large programs, [`uses`] the option beside others.
//! Invariants of toyc tested here: the page shows exactly this compilation, is self-contained and safe to
//! open whatever the program contains; with the page and without, the output is the same.

mod browser;
mod large;
mod uses;

use crate::command_line::{toyc_in, workspace};
use crate::markup;
use crate::tools::{Outcome, Tests, fail, files, root, scratch, stem, toyc, trial, ways};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

pub fn trials() -> Vec<Trial> {
    let tests: Tests = vec![
        ("texts_are_what_emit_prints", texts_are_what_emit_prints),
        ("lines_show_their_origin", lines_show_their_origin),
        ("every_example_has_a_report", every_example_has_a_report),
        ("a_report_changes_no_output", uses::a_report_changes_no_output),
        ("every_call_shows_its_specialization", every_call_shows_its_specialization),
        ("every_pass_shows_what_it_changed", every_pass_shows_what_it_changed),
        ("rewrites_lead_from_one_text_to_the_next", rewrites_lead_from_one_text_to_the_next),
        ("all_text_is_escaped", all_text_is_escaped),
        ("mlir_input_has_a_report", uses::mlir_input_has_a_report),
        ("invalid_uses_are_diagnosed", uses::invalid_uses_are_diagnosed),
        ("pages_of_large_programs_are_small", large::pages_of_large_programs_are_small),
        ("large_texts_are_cut_by_function", large::large_texts_are_cut_by_function),
        ("pages_differ_only_in_times", uses::pages_differ_only_in_times),
        ("browser", browser::test),
    ];
    tests.into_iter().map(|(name, test)| trial(format!("report/{name}"), test)).collect()
}

/// A page, and its script's data.
struct Page {
    html: String,
    data: Value,
}

/// The page about a program of a directory.
fn page(directory: &Path, arguments: &str) -> Result<Page, Failed> {
    let file = directory.join("page.html");
    let run = toyc_in(directory, &format!("{arguments} --report=page.html"))?;
    run.exits(0)?;
    let html = std::fs::read_to_string(&file)?;
    std::fs::remove_file(file)?;
    read_page(html)
}

fn read_page(html: String) -> Result<Page, Failed> {
    check_page(&html)?;
    let packed = html.split("id=\"report\">").nth(1).and_then(|rest| rest.split('<').next());
    let packed = STANDARD.decode(packed.ok_or("there is no report")?)?;
    let data = serde_json::from_reader(GzDecoder::new(packed.as_slice()))?;
    Ok(Page { html, data })
}

/// A page of an example; the name is as if one stood in the root.
fn page_of_example(name: &str, options: &str) -> Result<Page, Failed> {
    // Several tests ask for the same page at the same time.
    static PAGES: AtomicUsize = AtomicUsize::new(0);
    let number = PAGES.fetch_add(1, Ordering::Relaxed);
    let directory = scratch(&format!("report/{number}-{name}{options}"));
    std::fs::copy(root().join("examples").join(name), directory.join(name))?;
    page(&directory, &format!("{name} {options} -o program"))
}

/// A page loads nothing, and its elements are closed.
fn check_page(page: &str) -> Outcome {
    for loading in ["http://", "https://", "src=", "@import", "url(", "//cdn"] {
        let found = page.replace("'http://www.w3.org/2000/svg'", "");
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
    markup::closed(&text, &["meta", "link", "input", "!DOCTYPE"])?;
    let mut ids: Vec<_> = text.split(" id=\"").skip(1).map(|rest| rest.split('"').next()).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    if ids.len() == count { Ok(()) } else { fail("two elements have one id") }
}

/// A line of a stage.
struct Line {
    /// Its source lines.
    origin: String,
    text: String,
}

/// A stage of a page; `llvm-optimized` is the second of that name.
fn stage<'p>(page: &'p Page, view: &str) -> Result<&'p Value, Failed> {
    let (name, at) = match view.strip_suffix("-optimized") {
        Some(name) => (name, 1),
        None => (view, 0),
    };
    let mut stages = page.data["stages"].as_array().into_iter().flatten();
    let found = stages.by_ref().filter(|stage| stage["name"] == name).nth(at);
    found.ok_or_else(|| format!("no view {view}").into())
}

/// The parts that a stage or a pass refers to.
fn parts<'p>(page: &'p Page, indices: &'p Value) -> impl Iterator<Item = &'p Value> {
    let indices = indices.as_array().into_iter().flatten();
    indices.map(|index| &page.data["parts"][index.as_u64().unwrap_or(0) as usize])
}

fn lines_of(page: &Page, indices: &Value) -> Vec<Line> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut lines = Vec::new();
    for part in parts(page, indices).filter(|part| part["text"] != "" || part["left_out"] == 0) {
        let (texts, origins) = (text(&part["text"]), text(&part["origins"]));
        let both = texts.split('\n').zip(origins.split(';'));
        lines.extend(
            both.map(|(text, origin)| Line { origin: origin.to_owned(), text: text.to_owned() }),
        );
    }
    lines
}

/// The lines of a stage.
fn lines(page: &Page, view: &str) -> Result<Vec<Line>, Failed> {
    Ok(lines_of(page, &stage(page, view)?["parts"]))
}

/// The text of a stage.
fn shown(page: &Page, view: &str) -> Result<String, Failed> {
    Ok(lines(page, view)?.into_iter().map(|line| line.text + "\n").collect())
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

/// Every text on the page equals the output of `-emit` with the same options.
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
        if page.data["plan"]["arenas"] == json!([]) || page.data["made"][0][0] != "object file" {
            return fail("no memory plan, or no sizes");
        }
        let assembly = shown(&page, "asm")?;
        let options = options.replace("-emit=obj", "");
        let run =
            toyc_in(&directory, &format!("program.toy {options} -emit=asm -o -"))?.exits(0)?;
        let whole = run.out();
        if assembly != whole {
            return run.complain(format!("on the page is\n{assembly}"));
        }
    }
    Ok(())
}

/// The lines of every stage that come from some line of the source.
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
    for (number, program) in files("examples", &["toy"]).into_iter().enumerate() {
        let name = format!("{}.toy", stem(&program));
        if name == "mistake.toy" {
            continue;
        }
        for options in ways(&["-O0", "-O2"], number) {
            let page = page_of_example(&name, options)?;
            for stage in page.data["stages"].as_array().into_iter().flatten() {
                // Optimized code may be another one with line tables: then its lines are not known.
                let is_optimized =
                    stage["title"].to_string().contains("-O") || stage["name"] == "asm";
                if stage["note"] != Value::Null && !(is_optimized && options == "-O2") {
                    return fail(format!("{name} {options}: {}", stage["note"]));
                }
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

fn every_call_shows_its_specialization() -> Outcome {
    let page = page_of_example("transpose.toy", "-O0")?;
    let calls = page.data["calls"].as_array().into_iter().flatten().map(|call| {
        let field = |name: &str| call[name].as_str().unwrap_or_default().to_owned();
        let [text, instance, results, caller] =
            ["text", "instance", "results", "caller"].map(field);
        format!("{}|{text}|{instance}|{results}|{caller}", call["line"])
    });
    let expected = [
        "15|multiply_transpose(a, b)|multiply_transpose(2x3, 2x3)|3x2|main",
        "16|multiply_transpose(b, a)|multiply_transpose(2x3, 2x3)|3x2|main",
        "17|multiply_transpose(c, d)|multiply_transpose(3x2, 3x2)|2x3|main",
    ];
    let calls: Vec<_> = calls.collect();
    if calls == expected { Ok(()) } else { fail(format!("{calls:#?}")) }
}

/// The rewrites of canonicalization, one after the other, do what the pass does as a whole.
fn rewrites_lead_from_one_text_to_the_next() -> Outcome {
    let mut rules = Vec::new();
    for (example, options) in [("mlp.toy", "-O2"), ("transpose.toy", "-O1"), ("structs.toy", "-O2")]
    {
        let page = page_of_example(example, options)?;
        let text = |indices: &Value| -> Vec<String> {
            lines_of(&page, indices).into_iter().map(|line| line.text).collect()
        };
        let stages = page.data["stages"].as_array().into_iter().flatten();
        for step in stages.flat_map(|stage| stage["steps"].as_array().into_iter().flatten()) {
            let rewrites = step["rewrites"].as_array().map_or(&[][..], Vec::as_slice);
            let mut last = text(&step["before"]);
            for rewrite in rewrites {
                if text(&rewrite["before"]) != last || text(&rewrite["after"]) == last {
                    return fail(format!("{example}: {rewrite} begins with {last:#?}"));
                }
                last = text(&rewrite["after"]);
                rules.push(rewrite["rule"].as_str().unwrap_or_default().to_owned());
            }
            if !rewrites.is_empty() && last != text(&step["after"]) {
                return fail(format!("{example}: {} ends with {last:#?}", step["name"]));
            }
        }
    }
    let expected = "reshape(constant) → constant";
    if rules.iter().any(|rule| rule == expected) { Ok(()) } else { fail(format!("{rules:#?}")) }
}

/// Each pass has its changes: from the program before the first one, all changes together make the last stage, and a
/// pass that changed nothing says so.
fn every_pass_shows_what_it_changed() -> Outcome {
    let text = |page: &Page, indices: &Value| -> Vec<String> {
        lines_of(page, indices).into_iter().map(|line| line.text).collect()
    };
    for options in ["-O0", "-O2"] {
        let page = page_of_example("conjugate_gradient.toy", options)?;
        let mut last: Option<Vec<String>> = None;
        let mut changed = Vec::new();
        for stage in page.data["stages"].as_array().into_iter().flatten() {
            for step in stage["steps"].as_array().into_iter().flatten() {
                if step["left_out"] != 0 {
                    return fail(format!("{options}: a small program is not followed: {step}"));
                }
                if step["changed"] != true {
                    continue;
                }
                let (before, after) = (text(&page, &step["before"]), text(&page, &step["after"]));
                if before == after || last.is_some_and(|last| last != before) {
                    return fail(format!("{options}: {} begins with {before:#?}", step["name"]));
                }
                changed.push(step["name"].clone());
                last = Some(after);
            }
        }
        // The last one has the same functions as the stage.
        let last = last.unwrap_or_default();
        // Without the functions of the language, which are not followed.
        let body = |lines: &[String]| -> Vec<String> {
            let mut is_followed = true;
            let mut body = lines.to_vec();
            body.retain(|line| {
                if line.contains("llvm.func") {
                    is_followed = !(line.contains("@toy.") || line.contains("@\"toy."));
                }
                is_followed && line.contains("llvm.fmul")
            });
            body
        };
        let stage: Vec<_> = lines(&page, "mlir-llvm")?.into_iter().map(|line| line.text).collect();
        if body(&stage) != body(&last) || body(&last).is_empty() {
            return fail(format!("{options}: the last pass does not end with the stage"));
        }
        let names = json!(changed).to_string();
        for (pass, is_there) in [
            ("toy-specialize", true),
            ("one-shot-bufferize", true),
            ("merge-alloc", options == "-O2"),
            ("toy-freeze-tensors", false),
        ] {
            if names.contains(pass) != is_there {
                return fail(format!("{options}: {pass} is not where it belongs: {names}"));
            }
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
    let page = read_page(std::fs::read_to_string(directory.join("page.html"))?)?;
    if !page.html.contains("<h1>a&lt;b&gt;&amp;'&quot;c.toy</h1>") || page.html.contains("alert") {
        return fail("the name is not there, or the comment is");
    }
    let all = page.data.to_string();
    for hidden in ['\u{202e}', '\u{1b}', '\u{7f}', '\u{ffff}'] {
        if page.html.contains(hidden) || all.contains(hidden) || all.contains("\\u001b") {
            return fail(format!("{hidden:?} is on the page"));
        }
    }
    // The locations have the name, too.
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
