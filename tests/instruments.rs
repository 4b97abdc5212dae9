//! The options that show the compiler's work: stages, passes, times, the linker.
//!
//! Input: the program of [`crate::command_line`]. Invariants of toyc tested here: the shown data are true (a saved
//! stage equals the output of `-emit`, and can be compiled again), go to standard error or to files, and do not change
//! the result. Also: the same input gives the same bytes.

use crate::command_line::{OUTPUT, STAGES, toyc_in, workspace};
use crate::tools::{Job, Outcome, Tests, fail, trial};
use libtest_mimic::Trial;

pub fn trials() -> Vec<Trial> {
    let tests: Tests = vec![
        ("saved_stages_are_what_emit_prints", saved_stages_are_what_emit_prints),
        ("time_passes_times_every_step", time_passes_times_every_step),
        ("print_ir_after_shows_each_pass", print_ir_after_shows_each_pass),
        ("print_ir_after_change_shows_what_changes", print_ir_after_change),
        ("print_ir_before_shows_the_program_before", print_ir_before),
        ("dumped_pipelines_run", dumped_pipelines_run),
        ("time_passes_writes_a_trace", trace),
        ("print_locations_adds_locations", print_locations_adds_locations),
        ("verbose_shows_the_linker", verbose_shows_the_linker),
        ("the_same_input_gives_the_same_bytes", the_same_input_gives_the_same_bytes),
        ("observers_change_nothing", observers_change_nothing),
    ];
    tests.into_iter().map(|(name, test)| trial(format!("instruments/{name}"), test)).collect()
}

fn saved_stages_are_what_emit_prints() -> Outcome {
    let directory = workspace("save_temps")?;
    std::fs::create_dir(directory.join("out"))?;
    toyc_in(&directory, "program.toy --save-temps -o out/p -O2")?.exits(0)?.prints("")?;
    let expected = [
        "p",
        "p.dealloc.mlir",
        "p.linalg.mlir",
        "p.ll",
        "p.loops.mlir",
        "p.memref.mlir",
        "p.merged.mlir",
        "p.mlir-llvm.mlir",
        "p.o",
        "p.s",
        "p.shapes.mlir",
        "p.toy.mlir",
    ];
    let mut found: Vec<_> = std::fs::read_dir(directory.join("out"))?
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    found.sort();
    if found != expected {
        return fail(format!("the files are {found:?}"));
    }
    // Each of them equals the output of -emit, and toyc goes on from it.
    for stage in ["toy", "shapes", "linalg", "memref", "merged", "dealloc", "loops", "mlir-llvm"] {
        let saved = std::fs::read(directory.join(format!("out/p.{stage}.mlir")))?;
        toyc_in(&directory, &format!("program.toy -O2 -emit={stage}"))?.prints(saved)?;
        toyc_in(&directory, &format!("out/p.{stage}.mlir -emit=jit"))?.exits(0)?.prints(OUTPUT)?;
    }
    toyc_in(&directory, "program.toy -O2 -emit=obj -o alone.o")?.exits(0)?;
    if std::fs::read(directory.join("alone.o"))? != std::fs::read(directory.join("out/p.o"))? {
        return fail("the object is another one");
    }
    let run = Job::new("cc", ["out/p.o", "-o", "linked", "-lm"]).current_dir(&directory).run()?;
    run.exits(0)?;
    Job::new(directory.join("linked"), [""; 0]).run()?.exits(0)?.prints(OUTPUT)?;
    Ok(())
}

fn time_passes_times_every_step() -> Outcome {
    let directory = workspace("time_passes")?;
    let run =
        toyc_in(&directory, "program.toy --time-passes -emit=jit")?.exits(0)?.prints(OUTPUT)?;
    for step in ["parse", "toy-specialize", "one-shot-bufferize", "translate", "total"] {
        if !run.stderr.contains(step) {
            return run.complain(format!("no time for {step}"));
        }
    }
    // Also where the compilation fails.
    std::fs::write(directory.join("wrong.toy"), "def main() { print([1, 2, 3] + [1, 2]); }")?;
    toyc_in(&directory, "wrong.toy --time-passes")?.diagnosed("E0301")?.says("total")?;
    Ok(())
}

fn print_ir_after_shows_each_pass() -> Outcome {
    let directory = workspace("print_ir_after")?;
    let shapes = toyc_in(&directory, "program.toy -emit=shapes")?.exits(0)?;
    let run = toyc_in(&directory, "program.toy -emit=jit --print-ir-after=toy-specialize")?;
    let run = run.exits(0)?.prints(OUTPUT)?;
    let (header, ir) = run.stderr.split_once('\n').unwrap_or_default();
    if !header.contains("toy-specialize") || ir != shapes.out() {
        return run.complain("not the program after toy-specialize");
    }
    let two = "--print-ir-after=cse --print-ir-after=convert-scf-to-cf";
    let run = toyc_in(&directory, &format!("program.toy -emit=llvm {two}"))?.exits(0)?;
    if run.stderr.matches("-----//").count() != 2 {
        return run.complain("two passes were asked for");
    }
    let run = toyc_in(&directory, "program.toy -emit=llvm --print-ir-after-all")?.exits(0)?;
    for pass in
        ["toy-specialize", "one-shot-bufferize", "convert-linalg-to-loops", "toy-main-status"]
    {
        if !run.stderr.contains(&format!("IR after {pass} ")) {
            return run.complain(format!("nothing after {pass}"));
        }
    }
    Ok(())
}

fn print_ir_before() -> Outcome {
    let directory = workspace("print_ir_before")?;
    let before = toyc_in(&directory, "program.toy -emit=toy")?.exits(0)?;
    for function in ["", " --function=main"] {
        let options = format!("program.toy -emit=jit --print-ir-before=toy-specialize{function}");
        let run = toyc_in(&directory, &options)?.exits(0)?.prints(OUTPUT)?;
        let (header, ir) = run.stderr.split_once('\n').unwrap_or_default();
        let expected = if function.is_empty() { ir == before.out() } else { ir.contains("@main") };
        if !header.contains("IR before toy-specialize") || !expected {
            return run.complain("not the program before toy-specialize");
        }
    }
    toyc_in(&directory, "program.toy -emit=toy --print-ir-before merge-alloc -w")?.silent()?;
    toyc_in(&directory, "program.toy -emit=toy --print-ir-before merge-alloc")?
        .says("`--print-ir-before merge-alloc` has no effect")?;
    Ok(())
}

/// `toy-opt` runs the pipeline that toyc shows, with the same result.
fn dumped_pipelines_run() -> Outcome {
    let directory = workspace("dumped_pipelines")?;
    toyc_in(&directory, "program.toy -emit=toy -o toy.mlir")?.exits(0)?.silent()?;
    for options in ["-O0", "-O1", "-O2", "-O2 --cpu x86-64-v3", "-O3 --threads 2"] {
        for stage in ["shapes", "merged", "loops"] {
            let options = format!("program.toy {options} -emit={stage} --dump-pass-pipeline");
            let run = toyc_in(&directory, &options)?.exits(0)?;
            let pipeline = format!("--pass-pipeline={}", run.stderr.trim_end());
            let same = Job::new(env!("CARGO_BIN_EXE_toy-opt"), ["toy.mlir", &pipeline]);
            same.current_dir(&directory).run()?.exits(0)?.silent()?.prints(run.stdout)?;
        }
    }
    Ok(())
}

fn print_ir_after_change() -> Outcome {
    let directory = workspace("print_ir_after_change")?;
    let shown = |options: &str| -> Result<Vec<String>, libtest_mimic::Failed> {
        let run =
            toyc_in(&directory, &format!("program.toy -O2 -emit=llvm {options}"))?.exits(0)?;
        let heads = run.stderr.split("// -----// ").skip(1);
        Ok(heads.map(str::to_owned).collect())
    };
    let (all, changed) = (shown("--print-ir-after-all")?, shown("--print-ir-after-change")?);
    let program = |text: &String| text.split_once('\n').unwrap_or_default().1.to_owned();
    if changed.len() < 5 || changed.len() >= all.len() {
        return fail(format!("{} of {} passes change the program", changed.len(), all.len()));
    }
    // The remaining passes are those whose program differs from the one before.
    let before = std::iter::once(String::new()).chain(all.iter().map(program));
    let expected: Vec<&String> = all
        .iter()
        .zip(before)
        .skip(1)
        .filter(|(text, before)| program(text) != *before)
        .map(|(text, _)| text)
        .collect();
    if !changed.iter().rev().zip(expected.iter().rev()).all(|(left, right)| left == *right) {
        return fail("not the passes that changed the program");
    }
    Ok(())
}

fn trace() -> Outcome {
    let directory = workspace("trace")?;
    toyc_in(&directory, "program.toy -O2 -o program --time-passes=trace.json")?
        .exits(0)?
        .silent()?;
    let text = std::fs::read_to_string(directory.join("trace.json"))?;
    let trace: serde_json::Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    let events = trace["traceEvents"].as_array().ok_or("no events")?;
    let mut last = 0.0;
    for event in events {
        let (start, time) = (event["ts"].as_f64(), event["dur"].as_f64());
        let (Some(start), Some(time)) = (start, time) else { return fail("an event without time") };
        if start + time < last || start < 0.0 {
            return fail("the events are not in the order of their ends");
        }
        last = start + time;
    }
    for step in ["parse", "one-shot-bufferize", "optimize", "link"] {
        if !events.iter().any(|event| event["name"] == step) {
            return fail(format!("no step `{step}`"));
        }
    }
    toyc_in(&directory, "program.toy --time-passes=missing/trace.json")?.diagnosed("E0002")?;
    // A failed compilation has a trace, too.
    std::fs::write(directory.join("wrong.toy"), "def main() { print([1, 2, 3] + [1, 2]); }")?;
    toyc_in(&directory, "wrong.toy --time-passes=wrong.json")?.diagnosed("E0301")?;
    if !std::fs::read_to_string(directory.join("wrong.json"))?.contains("lower") {
        return fail("the trace has no steps");
    }
    Ok(())
}

fn print_locations_adds_locations() -> Outcome {
    let directory = workspace("print_locations")?;
    let run = toyc_in(&directory, "program.toy -emit=toy --print-locations")?.exits(0)?;
    if !run.out().contains("\"program.toy\":2:10") {
        return run.complain("the transpose is at 2:10");
    }
    let mlir = run.stdout;
    std::fs::write(directory.join("located.mlir"), mlir)?;
    toyc_in(&directory, "located.mlir -emit=jit")?.exits(0)?.prints(OUTPUT)?;
    Ok(())
}

fn verbose_shows_the_linker() -> Outcome {
    let directory = workspace("verbose_shows_the_linker")?;
    let run = toyc_in(&directory, "program.toy -v -o program")?.exits(0)?.prints("")?;
    let line = run.stderr.lines().next().unwrap_or_default();
    if !line.starts_with("cc ") || !line.contains(" -o ") || !line.contains(".o ") {
        return run.complain("no linker command");
    }
    toyc_in(&directory, "program.toy -o program")?.exits(0)?.silent()?;
    Ok(())
}

fn the_same_input_gives_the_same_bytes() -> Outcome {
    let directory = workspace("same_input_same_bytes")?;
    for stage in STAGES {
        for level in ["-O0", "-O2"] {
            let arguments = format!("program.toy -emit={stage} {level} -o -");
            let first = toyc_in(&directory, &arguments)?.exits(0)?.stdout;
            for _ in 0..3 {
                toyc_in(&directory, &arguments)?.exits(0)?.prints(&first)?;
            }
        }
    }
    Ok(())
}

/// All observers at once: the program that is compiled is the same.
fn observers_change_nothing() -> Outcome {
    let directory = workspace("observers")?;
    let observed = "--report=r.html --memory-plan=p.svg --time-passes=t.json --print-ir-after-all";
    for level in ["-O0", "-O2"] {
        let arguments = format!("program.toy {level} -emit=obj -o");
        toyc_in(&directory, &format!("{arguments} alone.o"))?.exits(0)?.silent()?;
        toyc_in(&directory, &format!("{arguments} observed.o --save-temps {observed}"))?
            .exits(0)?;
        if std::fs::read(directory.join("alone.o"))? != std::fs::read(directory.join("observed.o"))?
        {
            return fail(format!("the object at {level} is another one"));
        }
    }
    Ok(())
}
