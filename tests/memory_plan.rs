//! The memory plan: as text, as a picture and as JSON.
//!
//! Input: `memory_plan/*`, examples, generated programs and generated plans. Invariants of toyc tested here: the text
//! matches the snapshots; pictures are well-formed whatever the names, and their rectangles do not overlap; the numbers
//! of the JSON are a plan that the planner's verifier accepts; texts of large plans stay short; files are complete, and
//! are written along with the requested stage.

use crate::command_line::{OUTPUT, toyc_in, workspace};
use crate::markup;
use crate::tools::{
    Job, Outcome, Tests, compare_with_file, fail, files, root, scratch, toyc, trial,
};
use libtest_mimic::{Failed, Trial};
use memory_planner::random::SplitMix64;
use memory_planner::{Limits, Planner, verify};
use serde_json::Value;
use std::time::{Duration, Instant};
use toy_compiler::memory_plan::{Arena, MemoryPlan, PlannedBuffer, SourcePlace, UseSite, svg};

const TOY_OPT: &str = env!("CARGO_BIN_EXE_toy-opt");

/// Programs, options, expected texts.
const TEXTS: &[(&str, &str, &str)] = &[
    ("tests/filecheck/merge_alloc/mlp.mlir", "-O1", "mlp"),
    ("tests/memory_plan/layers.toy", "-O0", "layers_O0"),
    ("tests/memory_plan/layers.toy", "-O2", "layers_O2"),
    ("tests/memory_plan/scopes.mlir", "-O1 --merge-alloc=memory-spaces=1", "scopes"),
    ("examples/structs.toy", "-O1", "structs"),
    ("examples/hello.toy", "-O1", "hello"),
];

pub fn trials() -> Vec<Trial> {
    let tests: Tests = vec![
        ("the_documents_example_has_its_plan", the_documents_example_has_its_plan),
        ("the_perceptron_is_planned_to_its_bound", the_perceptron_is_planned_to_its_bound),
        ("tapes_have_a_name_and_a_color", tapes_have_a_name_and_a_color),
        ("two_branches_take_the_memory_of_one", two_branches_take_the_memory_of_one),
        ("no_program_needs_more_merged", no_program_needs_more_merged),
        (
            "without_optimization_the_plan_is_that_of_o1",
            without_optimization_the_plan_is_that_of_o1,
        ),
        ("json_is_a_plan", json_is_a_plan),
        ("pictures_show_what_the_text_says", pictures_show_what_the_text_says),
        ("any_plan_can_be_drawn", any_plan_can_be_drawn),
        ("ten_thousand_buffers_are_fast", ten_thousand_buffers_are_fast),
        ("a_plan_changes_no_output", a_plan_changes_no_output),
        ("invalid_uses_are_diagnosed", invalid_uses_are_diagnosed),
        ("toy_opt_runs_the_planner", toy_opt_runs_the_planner),
    ];
    let tests = tests.into_iter().map(|(name, test)| trial(format!("memory_plan/{name}"), test));
    let texts = TEXTS.iter().map(|(program, options, expected)| {
        trial(format!("memory_plan/text/{expected}"), || text(program, options, expected))
    });
    tests.chain(texts).collect()
}

/// `-emit=memory-plan` prints the expected text, and `--memory-plan` writes the same.
fn text(program: &str, options: &str, expected: &str) -> Outcome {
    let file = scratch(&format!("memory_plan/{expected}")).join("plan.txt");
    let arguments =
        format!("{program} {options} -emit=memory-plan --memory-plan={}", file.display());
    let run = toyc(arguments.split(' ')).current_dir(root()).run()?.exits(0)?.silent()?;
    if std::fs::read(&file)? != run.stdout {
        return run.complain("the file has another text");
    }
    if let Some(line) = run.out().lines().find(|line| line.chars().count() > 100) {
        return run.complain(format!("a long line: {line}"));
    }
    let expected = format!("tests/memory_plan/{expected}.txt");
    compare_with_file(&run.stdout, &root().join(expected))
}

/// The plan of a program in this form; the form is the file's extension.
fn plan_file(test: &str, program: &str, options: &str, extension: &str) -> Result<String, Failed> {
    let file = scratch(&format!("memory_plan/{test}")).join(format!("plan.{extension}"));
    let arguments = format!("{program} {options} -emit=merged --memory-plan={}", file.display());
    toyc(arguments.split(' ')).current_dir(root()).run()?.exits(0)?;
    Ok(std::fs::read_to_string(file)?)
}

fn json_of(test: &str, program: &str, options: &str) -> Result<Value, Failed> {
    Ok(serde_json::from_str(&plan_file(test, program, options, "json")?)?)
}

fn list<'v>(value: &'v Value, field: &str) -> &'v [Value] {
    value[field].as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value, field: &str) -> Result<u64, Failed> {
    match value[field].as_u64() {
        Some(number) => Ok(number),
        None => fail(format!("`{field}` is no number: {value}")),
    }
}

/// The example of the document that merge-alloc follows.
fn the_documents_example_has_its_plan() -> Outcome {
    let plan = json_of("document", "tests/filecheck/merge_alloc/mlp.mlir", "-O1")?;
    let arena = &plan["arenas"][0];
    let buffers = list(arena, "buffers");
    let offsets: Vec<_> = buffers.iter().map(|buffer| buffer["offset"].as_u64()).collect();
    let names: Vec<_> = buffers.iter().map(|buffer| buffer["name"].as_str()).collect();
    let numbers =
        [number(arena, "before")?, number(arena, "after")?, number(arena, "lower_bound")?];
    let is_right = offsets == [Some(0), Some(65536), Some(0)]
        && names == [Some("%a0"), Some("%b0"), Some("%c0")]
        && numbers == [196_608, 131_072, 131_072]
        && plan["merged"] == true
        && plan["untouched"][0]["name"] == "%d0";
    if is_right { Ok(()) } else { fail(plan.to_string()) }
}

/// The document's example as a Toy program, which also learns: every function takes the least that any plan takes.
fn the_perceptron_is_planned_to_its_bound() -> Outcome {
    for level in ["-O1", "-O2"] {
        let plan = json_of("perceptron", "examples/mlp.toy", level)?;
        let arenas = list(&plan, "arenas");
        for arena in arenas {
            if number(arena, "after")? != number(arena, "lower_bound")? {
                return fail(format!("{level}: {arena}"));
            }
        }
        if arenas.len() < 3 || list(&plan, "untouched") != [] as [Value; 0] {
            return fail(format!("{level}: {plan}"));
        }
    }
    Ok(())
}

/// A loop of a hundred iterations keeps three numbers of each for its gradient.
fn tapes_have_a_name_and_a_color() -> Outcome {
    let program = "tutorial/programs/decay.toy";
    let plan = json_of("tape", program, "-O1")?;
    let buffers = list(&plan, "arenas").iter().flat_map(|arena| list(arena, "buffers"));
    let tapes: Vec<_> = buffers.filter(|buffer| buffer["tape"] == true).collect();
    let [tape] = tapes[..] else { return fail(format!("not one tape: {tapes:#?}")) };
    if tape["name"] != "tape of y" || tape["size"] != 2400 {
        return fail(format!("another tape: {tape:#}"));
    }
    let with = plan_file("tape", program, "-O1", "svg")?;
    let without = plan_file("tape", "examples/mlp.toy", "-O1", "svg")?;
    match [with, without].map(|picture| picture.contains("memory-plan-tape")) {
        [true, false] => Ok(()),
        found => fail(format!("pictures with and without a tape: {found:?}")),
    }
}

/// Programs with large buffers, whose starts are staggered where that costs nothing, and random ones: no allocation is
/// larger than its buffers one after another, or than malloc's memory for the buffers in use at one time.
fn no_program_needs_more_merged() -> Outcome {
    const LARGE: [(&str, &str); 4] = [
        (
            "def f(a, b) { a[0] = b[1]; b[2] = a[3]; return sum(a @ b); }
             def main() { var x<128, 128> = range(16384); print(f(x, x)); }",
            "f(128x128, 128x128)",
        ),
        (
            "def f(a) { var b = a * 2; b[5] = 1; var c = b - a; c[3] = 2; return sum(b) + sum(c * b); }
             def main() { print(f(range(16384))); }",
            "f(16384)",
        ),
        (
            "def f(a) { var b = transpose(a); var c = transpose(b @ a); var d = c @ b; return transpose(d) - c; }
             def main() { var x<128, 128> = range(16384); print(sum(f(x))); }",
            "f(128x128)",
        ),
        (
            "def g(a) { var b = transpose(a); return b @ b; }
             def f(a) { var b = g(a); b[0] = a[1]; for i in 0..3 { b = g(b) / 100; b[i] = a[i]; } return b; }
             def main() { var x<128, 128> = range(16384); print(sum(f(x))); }",
            "f(128x128)",
        ),
    ];
    let directory = scratch("memory_plan/no_more");
    let plan = |program: &str, name: &str, options: &[&str]| -> Outcome {
        let (source, json) = (directory.join(format!("{name}.toy")), directory.join("plan.json"));
        std::fs::write(&source, program)?;
        let file = format!("--memory-plan={}", json.display());
        let source = source.display().to_string();
        let arguments = [&[source.as_str(), "-emit=merged", &file], options].concat();
        toyc(arguments).current_dir(root()).run()?.exits(0)?;
        let plan: Value = serde_json::from_str(&std::fs::read_to_string(&json)?)?;
        for arena in list(&plan, "arenas") {
            let after = number(arena, "after")?;
            let before = number(arena, "before")?;
            let given = most_given(arena)?;
            // At -O0 buffers live as long as their function, for a debugger.
            let is_larger = after > given && !options.contains(&"-O0");
            if after > before || is_larger {
                return fail(format!(
                    "{name} {options:?}: {after} bytes merged, {before} in turn, {given} from malloc"
                ));
            }
        }
        Ok(())
    };
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        for (at, (program, export)) in LARGE.iter().enumerate() {
            plan(program, &format!("large{at}"), &[level])?;
            plan(program, &format!("large{at}"), &[level, "--export", export])?;
        }
    }
    for seed in 0..10 {
        let program = crate::generator::program(seed, crate::generator::CONTROL_FLOW);
        plan(&program, &format!("random{seed}"), &[["-O1", "-O2"][seed as usize % 2]])?;
    }
    Ok(())
}

/// The most bytes that malloc gives at one time to the buffers of an allocation.
fn most_given(arena: &Value) -> Result<u64, Failed> {
    let buffers: Result<Vec<_>, Failed> = list(arena, "buffers")
        .iter()
        .map(|buffer| {
            let size = number(buffer, "size")?;
            let ticks = [number(&buffer["first"], "tick")?, number(&buffer["last"], "tick")?];
            Ok((size.next_multiple_of(16), ticks))
        })
        .collect();
    let buffers = buffers?;
    let at = |tick: u64| {
        let live = buffers.iter().filter(|(_, [first, last])| (*first..=*last).contains(&tick));
        live.map(|(size, _)| size).sum()
    };
    Ok(buffers.iter().map(|(_, [first, _])| at(*first)).max().unwrap_or(0))
}

/// The examples have the same plans at -O0 as at -O1, and say so.
fn without_optimization_the_plan_is_that_of_o1() -> Outcome {
    for file in files("examples", &["toy"]).into_iter().chain(files("tests/programs", &["toy"])) {
        let plan = |level| -> Result<(String, Option<i32>), Failed> {
            let path = file.display().to_string();
            let run = toyc([path.as_str(), level, "-emit=memory-plan"]).run()?;
            Ok((run.out(), run.status))
        };
        let (plain, merged) = (plan("-O0")?, plan("-O1")?);
        let note = "(-O0 merges nothing: this is the plan of -O1)\n";
        if (plain.0.replacen(note, "", 1), plain.1) != merged {
            return fail(format!("{}: {}\n{}", file.display(), plain.0, merged.0));
        }
        if merged.1 == Some(0) && !plain.0.contains(note) {
            return fail(format!("{}: no note", file.display()));
        }
    }
    Ok(())
}

/// Branches of a megabyte each, one of them with branches of its own; their results are used after them.
fn two_branches_take_the_memory_of_one() -> Outcome {
    let program = "def main() {
          var x = range(131072);
          var n = sum(x[0:3]);
          var y = x;
          if (n > 1) {
            if (n > 2) { y = x * 2; } else { y = x * n; }
          } else {
            y = x - n;
          }
          print(sum(y), y[n]);
          if (n < 2) { var a = x / 2; a[3] = n; print(sum(a)); } else { var b = x / 4; b[2] = n; print(sum(b)); }
        }";
    let file = scratch("memory_plan/branches_input").join("branches.toy");
    std::fs::write(&file, program)?;
    for level in ["-O1", "-O2"] {
        let plan = json_of("branches", &file.display().to_string(), level)?;
        let after = number(&list(&plan, "arenas")[0], "after")?;
        // The result of a sum and the distance of starts.
        if !(1 << 20..(1 << 20) + 4096).contains(&after) {
            return fail(format!("{level}: {after} bytes"));
        }
    }
    Ok(())
}

fn json_is_a_plan() -> Outcome {
    for (program, options, _) in TEXTS {
        let plan = json_of("json_is_a_plan", program, options)?;
        for arena in list(&plan, "arenas") {
            let (mut buffers, mut offsets) = (Vec::new(), Vec::new());
            for buffer in list(arena, "buffers") {
                let first = number(&buffer["first"], "tick")?;
                let last = number(&buffer["last"], "tick")?;
                let planned = memory_planner::Buffer::new(number(buffer, "size")?, first, last + 1);
                buffers.push(planned.with_align(number(buffer, "alignment")?));
                offsets.push(number(buffer, "offset")?);
            }
            let peak = verify(&buffers, &offsets).map_err(|fault| fault.to_string())?;
            let most = list(arena, "live").iter().filter_map(|at| at[1].as_u64()).max();
            let (after, bound) = (number(arena, "after")?, number(arena, "lower_bound")?);
            if peak != after || bound > after || most.is_none_or(|most| most > after) {
                return fail(format!("{program}: {arena}"));
            }
        }
    }
    Ok(())
}

/// The pictures of programs: well-formed, with the same information as the text.
fn pictures_show_what_the_text_says() -> Outcome {
    for (program, options, _) in TEXTS {
        let picture = plan_file("pictures", program, options, "svg")?;
        let plan = json_of("pictures", program, options)?;
        check_picture(&picture)?;
        let buffers = list(&plan, "arenas").iter().map(|arena| list(arena, "buffers").len());
        let rectangles = picture.matches("<rect class=\"memory-plan-buffer").count();
        if rectangles != 2 * buffers.sum::<usize>() {
            return fail(format!("{program}: {rectangles} rectangles"));
        }
    }
    Ok(())
}

/// Plans for random buffers with hostile names can be drawn.
fn any_plan_can_be_drawn() -> Outcome {
    let names = ["a < b && \"c\"", "]]>", "<title>", "é'\u{ffff}\u{fffe}", "", "&amp;"];
    for seed in 0..20 {
        let mut random = SplitMix64(seed);
        let mut below = |limit: u64| random.below(limit);
        let count = 1 + below(40);
        let mut buffers: Vec<memory_planner::Buffer> = Vec::new();
        for _ in 0..count {
            let start = below(60);
            let (size, align) = (1 + below(1000), 1 << below(8));
            let end = start + 1 + below(20);
            buffers.push(memory_planner::Buffer::new(size, start, end).with_align(align));
        }
        let planned = Planner::Portfolio.plan(&buffers, &Limits::new().with_work(10_000));
        let planned = planned.map_err(|error| error.to_string())?;
        let usage = |tick| UseSite { tick, operation: "<&>".to_owned(), line: Some(3) };
        let mut before = 0;
        let mut arena = Arena {
            function: "<f>".to_owned(),
            scope: (seed % 2 == 0).then(|| "scf.forall in line 2".to_owned()),
            space: (seed % 3 == 0).then(|| "\"a & b\"".to_owned()),
            before: 0,
            after: planned.peak,
            lower_bound: planned.lower_bound,
            staggered: 0,
            is_workspace: seed % 5 == 0,
            on_stack: seed % 5 == 1,
            buffers: Vec::new(),
            loops: vec![],
            order: 0,
        };
        for (index, buffer) in buffers.iter().enumerate() {
            let offset_before = u64::next_multiple_of(before, buffer.align);
            before = offset_before + buffer.size;
            arena.buffers.push(PlannedBuffer {
                tape: false,
                name: format!("{}{index}", names[index % names.len()]),
                ty: "memref<?xf64>".to_owned(),
                size: buffer.size,
                alignment: buffer.align,
                offset: planned.offsets[index],
                offset_before,
                first: usage(buffer.start),
                last: usage(buffer.end - 1),
                source: Some(SourcePlace { line: 1, column: 1, text: "<&\">".to_owned() }),
                in_place: if index == 0 { vec![usage(buffer.start)] } else { vec![] },
                workspace_of: None,
            });
        }
        arena.before = before;
        let plan =
            MemoryPlan { input: "<&>".to_owned(), arenas: vec![arena], ..Default::default() };
        check_picture(&svg(&plan))?;
    }
    Ok(())
}

/// A picture is well-formed, has no ids, stays on its paper, and its rectangles lie apart.
fn check_picture(picture: &str) -> Outcome {
    well_formed(picture)?;
    if picture.contains(" id=") || picture.contains("NaN") || picture.contains("inf") {
        return fail("the picture has an id, or a number that is not a number");
    }
    let paper = &picture[picture.find("<rect class=\"memory-plan-paper\"").unwrap_or(0)..];
    let (width, height) = (attribute(paper, "width")?, attribute(paper, "height")?);
    // A panel begins with its frame.
    for panel in picture.split("<rect class=\"memory-plan-frame\"").skip(1) {
        let rectangles: Vec<_> = panel
            .split("<rect class=\"memory-plan-buffer")
            .skip(1)
            .map(|rectangle| {
                let of = |name: &str| attribute(rectangle, name);
                Ok((of("x")?, of("y")?, of("width")?, of("height")?))
            })
            .collect::<Result<_, Failed>>()?;
        for (index, one) in rectangles.iter().enumerate() {
            if one.0 < 0.0 || one.1 < 0.0 || one.0 + one.2 > width || one.1 + one.3 > height {
                return fail(format!("{one:?} is not on the paper"));
            }
            for other in &rectangles[..index] {
                // Numbers have two digits, and a visible rectangle has at least two pixels.
                let slack = |size: f64| if size > 2.0 { 0.03 } else { 2.03 };
                let (x, y) = (slack(one.2.min(other.2)), slack(one.3.min(other.3)));
                let apart = one.0 + one.2 <= other.0 + x
                    || other.0 + other.2 <= one.0 + x
                    || one.1 + one.3 <= other.1 + y
                    || other.1 + other.3 <= one.1 + y;
                if !apart {
                    return fail(format!("{one:?} and {other:?} overlap"));
                }
            }
        }
    }
    Ok(())
}

/// A number among the attributes that follow.
fn attribute(text: &str, name: &str) -> Result<f64, Failed> {
    let tag = text.split('>').next().unwrap_or("");
    let value = tag.split(&format!(" {name}=\"")).nth(1).and_then(|rest| rest.split('"').next());
    match value.and_then(|value| value.parse().ok()) {
        Some(number) => Ok(number),
        None => fail(format!("no {name}: {tag}")),
    }
}

/// Checks as much of XML as pictures need: tags match, quotes are closed, entities and characters exist.
fn well_formed(text: &str) -> Outcome {
    let is_allowed =
        |c: char| !matches!(c, '\u{0}'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}');
    if !text.chars().all(is_allowed) {
        return fail("a character that XML does not have");
    }
    for entity in text.split('&').skip(1) {
        let name = entity.split(';').next().unwrap_or("");
        if !["amp", "lt", "gt", "quot"].contains(&name) {
            return fail(format!("no entity: &{name}"));
        }
    }
    markup::closed(text, &[])
}

/// Ten thousand buffers: every form is made quickly, and the text stays readable.
fn ten_thousand_buffers_are_fast() -> Outcome {
    let directory = scratch("memory_plan/ten_thousand");
    let mut text = "func.func private @use(memref<8x64xf32>)\nfunc.func @main() {\n".to_owned();
    for index in 0..10_000 {
        text += &format!("%a{index} = memref.alloc() : memref<8x64xf32>\n");
        for used in [index, (index * 7) % (index + 1)] {
            text += &format!("func.call @use(%a{used}) : (memref<8x64xf32>) -> ()\n");
        }
    }
    std::fs::write(directory.join("main.mlir"), text + "return\n}\n")?;
    let time = |arguments: &str| {
        let start = Instant::now();
        let run = toyc_in(&directory, arguments)?.exits(0)?;
        Ok::<_, Failed>((start.elapsed(), run))
    };
    let (alone, _) = time("main.mlir -O1 -emit=merged")?;
    for extension in ["txt", "svg", "json"] {
        let (both, run) =
            time(&format!("main.mlir -O1 -emit=memory-plan --memory-plan=plan.{extension}"))?;
        if both > 5 * alone + Duration::from_secs(5) {
            return fail(format!("{extension} takes {both:?}, merging alone {alone:?}"));
        }
        let lines = run.out().lines().count();
        if lines > 80 {
            return run.complain(format!("{lines} lines"));
        }
    }
    let picture = std::fs::read_to_string(directory.join("plan.svg"))?;
    if picture.len() > 20_000_000 {
        return fail(format!("the picture has {} bytes", picture.len()));
    }
    well_formed(&picture)
}

/// The file is written along with any output, and does not change it.
fn a_plan_changes_no_output() -> Outcome {
    let directory = workspace("memory_plan")?;
    for level in ["-O0", "-O2"] {
        for stage in ["merged", "memory-plan", "dealloc", "llvm", "asm", "obj"] {
            let arguments = format!("program.toy {level} -emit={stage} -o -");
            let expected = toyc_in(&directory, &arguments)?.exits(0)?.stdout;
            let run = toyc_in(&directory, &format!("{arguments} --memory-plan=x.json"))?;
            run.exits(0)?.silent()?.prints(expected)?;
            std::fs::remove_file(directory.join("x.json"))?;
        }
        let run =
            toyc_in(&directory, &format!("program.toy {level} -emit=jit --memory-plan X.SVG"))?;
        run.exits(0)?.silent()?.prints(OUTPUT)?;
        toyc_in(&directory, &format!("program.toy {level} --memory-plan x.txt"))?.exits(0)?;
        Job::new(directory.join("program"), [""; 0]).run()?.exits(0)?.prints(OUTPUT)?;
        for file in ["X.SVG", "x.txt", "program"] {
            std::fs::remove_file(directory.join(file))?;
        }
    }
    // MLIR of any stage has a plan, if only an empty one.
    let late = toyc_in(&directory, "program.toy -emit=mlir-llvm -o late.mlir")?.exits(0)?;
    late.silent()?;
    let run = toyc_in(&directory, "late.mlir -O1 -emit=memory-plan")?.exits(0)?.silent()?;
    match run.out().contains("no buffers to merge") {
        true => Ok(()),
        false => run.complain("there are no buffers"),
    }
}

fn invalid_uses_are_diagnosed() -> Outcome {
    let directory = workspace("memory_plan_mistakes")?;
    for file in ["plan", "plan.png", "-", "svg", "plan.svg.gz", ""] {
        let run = toyc_in(&directory, &format!("program.toy --memory-plan={file}"))?;
        let run = run.exits(2)?.prints("")?;
        if !file.is_empty() {
            run.says(".svg, .json or .txt")?;
        }
    }
    toyc_in(&directory, "program.toy -emit=shapes --memory-plan=x.svg")?
        .diagnosed("E0004")?
        .says("`shapes` comes before the memory plan")?;
    std::fs::copy(directory.join("program.toy"), directory.join("program.txt"))?;
    toyc_in(&directory, "-x toy program.txt --memory-plan=program.txt")?
        .diagnosed("E0004")?
        .says("overwrite the input")?;
    toyc_in(&directory, "program.toy -emit=merged -o x.txt --memory-plan=x.txt")?
        .diagnosed("E0004")?
        .says("overwrite the output")?;
    for arguments in ["-emit=jit", "-emit=merged", "-emit=obj -o x.o", "-o x"] {
        let run = toyc_in(&directory, &format!("program.toy --memory-plan=no/x.svg {arguments}"))?;
        run.diagnosed("E0002")?.says("no/x.svg")?;
    }
    // After an error there is no plan.
    std::fs::write(directory.join("wrong.toy"), "def main() { print([1, 2, 3] + [1, 2]); }")?;
    toyc_in(&directory, "wrong.toy --memory-plan=x.svg")?.diagnosed("E0301")?;
    std::fs::write(directory.join("no_main.mlir"), "func.func @f() { return }")?;
    toyc_in(&directory, "no_main.mlir --memory-plan=x.svg")?.exits(1)?;
    let count = std::fs::read_dir(&directory)?.count();
    if count == 4 { Ok(()) } else { fail(format!("{count} files")) }
}

/// `toy-opt --plan` is the planner's own command.
fn toy_opt_runs_the_planner() -> Outcome {
    let directory = scratch("memory_plan/planner_command");
    std::fs::write(
        directory.join("good.csv"),
        "id,lower,upper,size\na,0,2,10\nb,1,3,20\nc,2,4,10\n",
    )?;
    std::fs::write(directory.join("bad.csv"), "id,lower,upper,size\na,0,2,10\nb,1,x,20\n")?;
    let plan =
        |arguments: &str| Job::new(TOY_OPT, arguments.split(' ')).current_dir(&directory).run();
    for arguments in [
        "--plan good.csv",
        "-plan good.csv",
        "--plan=good.csv",
        "--plan --capacity 30 --time 2 --planner exact good.csv",
    ] {
        let run = plan(arguments)?.exits(0)?.says("peak 30, lower bound 30, optimal")?;
        if run.out().lines().count() != 4 || !run.out().starts_with("id,lower,upper,size,offset\n")
        {
            return run.complain("that is no plan");
        }
    }
    plan("--plan bad.csv")?
        .exits(1)?
        .prints("")?
        .says("bad.csv:3: upper is \"x\", not a whole number")?;
    plan("--plan none.csv")?.exits(1)?.prints("")?.says("cannot read none.csv")?;
    plan("--plan --capacity 29 good.csv")?.exits(1)?.prints("")?.says("no plan fits")?;
    plan("--plan --capacity")?.exits(2)?.prints("")?.says("--capacity needs a value")?;
    plan("--plan")?.exits(2)?.prints("")?.says("a file is needed")?;
    plan("--cse --plan good.csv")?.exits(2)?.says("--plan must be the first option")?;
    let help = plan("--help")?.exits(0)?;
    if help.out().contains("--plan") { Ok(()) } else { help.complain("no --plan") }
}
