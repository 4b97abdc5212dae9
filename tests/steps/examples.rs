//! The examples, compiled by the compiler of each step.
//!
//! Input: a step's compiler and the programs of `examples/`, with the outputs that the suite's interpreter agrees to.
//! Output: `tests/steps/examples/NN.txt`, a line for each program: `runs`, or the message that refuses it. Invariants:
//! a compiler prints the program's output, or exits with 1 and a message; the next step can do whatever a step can.

use super::build;
use crate::programs::{self, Program};
use crate::tools::{Job, Outcome, Run, compare_with_file, fail, root};
use libtest_mimic::Failed;
use std::path::{Path, PathBuf};
use tutorial::steps::{Step, all};

/// The record of a program that runs.
const RUNS: &str = "runs";

pub fn check(step: &Step) -> Outcome {
    let compiler = build::compiler(step)?;
    let mut lines = String::new();
    for program in examples() {
        let what = judged(&compiler, &program)?;
        lines.push_str(&format!("{}: {what}\n", program.name));
    }
    compare_with_file(lines.as_bytes(), &record(step))
}

/// A program that a step runs, the steps after it run as well.
pub fn stay(tutorial: &Path) -> Outcome {
    for step in all(tutorial)? {
        let Some(before) = step.before()? else { continue };
        let (old, new) = (recorded(&before)?, recorded(&step)?);
        let lost =
            old.lines().find(|line| line.ends_with(": runs") && !new.lines().any(|l| l == *line));
        if let Some(lost) = lost {
            return fail(format!("{lost} in {}, and no more in {}", before.slug, step.slug));
        }
    }
    Ok(())
}

fn examples() -> Vec<Program> {
    programs::all().into_iter().filter(|program| program.name.starts_with("examples/")).collect()
}

fn record(step: &Step) -> PathBuf {
    root().join(format!("tests/steps/examples/{:02}.txt", step.number))
}

fn recorded(step: &Step) -> Result<String, Failed> {
    std::fs::read_to_string(record(step))
        .map_err(|error| format!("{}: {error}", record(step).display()).into())
}

/// Runs a program with a step's compiler: `runs`, or the first line of the message.
pub fn judged(compiler: &Path, program: &Program) -> Result<String, Failed> {
    let source = program.source.strip_prefix(root()).unwrap_or(&program.source);
    let run = Job::new(compiler, [source]).current_dir(root()).run()?;
    let expected = std::fs::read(&program.expected)?;
    match run.status {
        Some(0) => {
            run.prints(expected)?.silent()?;
            Ok(RUNS.to_owned())
        }
        Some(1) => message(&run),
        _ => run.complain("a program runs, or is refused with exit status 1"),
    }
}

/// The first line of standard error.
fn message(run: &Run) -> Result<String, Failed> {
    let first = run.stderr.lines().map(str::trim).find(|line| !line.is_empty());
    match first {
        Some(first) if first.contains("panicked at") => run.complain("it panics"),
        Some(first) => Ok(first.to_owned()),
        None => run.complain("exit status 1, and no message"),
    }
}
