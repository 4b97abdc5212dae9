//! Debug information, as gdb sees it.
//!
//! Input: a program compiled with `-g`. Output: what gdb prints in batch mode. Invariants of toyc
//! tested here: gdb stops at a line of the `.toy` file inside a function, shows that line of the
//! source, and its backtrace goes through the Toy functions with their lines.

use crate::tools::{Job, Outcome, Run, Tests, fail, find, scratch, toyc, trial};
use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};

const PROGRAM: &str = "\
# Line 1 is a comment.
def inner(x, y) {
  var sum = x + y;
  return sum * transpose(sum);
}

def outer(x) {
  var result = inner(x, x);
  print(result);
  return result;
}

def main() {
  var a = [[1, 2], [3, 4]];
  print(outer(a));
}
";

pub fn trials() -> Vec<Trial> {
    let tests: Tests = vec![
        ("stops_in_a_callee", stops_in_a_callee),
        ("steps_through_lines", steps_through_lines),
        ("runs_from_another_directory", runs_from_another_directory),
        ("nothing_without_g", nothing_without_g),
        ("optimized", optimized),
    ];
    tests.into_iter().map(|(name, test)| trial(format!("debugger/{name}"), test)).collect()
}

fn build(test: &str, options: &[&str]) -> Result<PathBuf, Failed> {
    let directory = scratch(&format!("debugger/{test}"));
    std::fs::write(directory.join("program.toy"), PROGRAM)?;
    let arguments = ["program.toy"].iter().chain(options);
    toyc(arguments).current_dir(&directory).run()?.exits(0)?.silent()?;
    Ok(directory)
}

/// Runs gdb's commands on the program.
fn gdb(directory: &Path, program: &Path, commands: &[&str]) -> Result<Run, Failed> {
    if find("gdb").is_none() {
        return fail("gdb is missing: run ./setup");
    }
    let mut arguments = vec!["-nx", "-batch", "-iex", "set debuginfod enabled off"];
    // In a container, gdb may not switch off address randomization; nobody needs it to.
    arguments.extend(["-ex", "set disable-randomization off", "-ex", "set breakpoint pending on"]);
    for command in commands {
        arguments.extend(["-ex", command]);
    }
    let program = program.to_string_lossy();
    arguments.push(&program);
    Job::new("gdb", arguments).current_dir(directory).run()
}

/// Fails unless the parts are in the output in this order.
fn shows(run: Run, parts: &[&str]) -> Outcome {
    let text = run.out();
    let mut rest = text.as_str();
    for part in parts {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return run.complain(format!("`{part}` is not there (or not in this order)")),
        }
    }
    Ok(())
}

fn stops_in_a_callee() -> Outcome {
    let directory = build("stops_in_a_callee", &["-g"])?;
    let run = gdb(&directory, Path::new("program"), &["break program.toy:3", "run", "backtrace"])?;
    shows(
        run,
        &[
            "Breakpoint 1, ",
            "inner",
            "program.toy:3",
            "var sum = x + y;",
            "#0",
            "inner",
            "program.toy:3",
            "#1",
            "outer",
            "program.toy:8",
            "#2",
            "main",
            "program.toy:15",
        ],
    )
}

fn steps_through_lines() -> Outcome {
    let directory = build("steps_through_lines", &["-g"])?;
    let commands = ["break program.toy:4", "run", "info source", "finish", "continue"];
    let run = gdb(&directory, Path::new("program"), &commands)?;
    shows(
        run,
        &[
            "return sum * transpose(sum);",
            "Current source file is",
            "program.toy",
            "outer",
            "exited normally",
        ],
    )
}

/// The debugger finds the source wherever it is started.
fn runs_from_another_directory() -> Outcome {
    let directory = build("runs_from_another_directory", &["-g", "-o", "renamed"])?;
    let program = directory.join("renamed");
    let run = gdb(Path::new("/"), &program, &["break program.toy:9", "run"])?;
    shows(run, &["Breakpoint 1, ", "program.toy:9", "print(result);"])
}

fn nothing_without_g() -> Outcome {
    let directory = build("nothing_without_g", &[])?;
    let run = gdb(&directory, Path::new("program"), &["info line main", "break program.toy:3"])?;
    if run.out().contains("program.toy\"") || run.out().contains("Breakpoint 1 at") {
        return run.complain("debug information without -g");
    }
    Ok(())
}

/// Where functions are inlined, lines remain.
fn optimized() -> Outcome {
    let directory = build("optimized", &["-g", "-O2"])?;
    let run = gdb(&directory, Path::new("program"), &["break program.toy:9", "run", "backtrace"])?;
    shows(run, &["program.toy:9", "print(result);", "#0", "outer", "program.toy:9", "main"])
}
