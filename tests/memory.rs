//! Memory: every program frees what it allocates, once, and touches nothing else.
//!
//! Input: the programs of [`crate::programs`]. Each is compiled to an executable at -O0 and -O2 and
//! run by valgrind. Invariant: no error, no leak, and the same output as without valgrind.

use crate::programs::{self, Program, build};
use crate::tools::{Job, Outcome, Run, fail, find, scratch, trial};
use libtest_mimic::{Failed, Trial};
use std::path::Path;

/// What valgrind exits with when it has found something; no Toy program does.
const FOUND: i32 = 99;

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![trial("memory/valgrind_finds_a_leak", valgrind_finds_a_leak)];
    for program in programs::all() {
        for level in ["-O0", "-O2"] {
            let program = program.clone();
            let name = format!("memory/valgrind{level}/{}", program.name);
            trials.push(trial(name, move || check(&program, level)));
        }
    }
    trials
}

fn check(program: &Program, level: &str) -> Outcome {
    let executable = scratch(&format!("memory/{level}/{}", program.name)).join("program");
    build(&program.source, &executable, level, None)?;
    let expected = std::fs::read(&program.expected)?;
    valgrind(&executable)?.exits(0)?.prints(expected)?;
    Ok(())
}

/// Runs an executable under valgrind; exit status 0 means that nothing was found.
pub fn valgrind(executable: &Path) -> Result<Run, Failed> {
    if find("valgrind").is_none() {
        return fail("valgrind is missing: run ./setup");
    }
    let exit = format!("--error-exitcode={FOUND}");
    let all = "--show-leak-kinds=all";
    let errors = "--errors-for-leak-kinds=all";
    let arguments = ["-q", "--leak-check=full", all, errors, &exit].map(Into::into);
    Job::new("valgrind", arguments.into_iter().chain([executable.as_os_str().to_owned()])).run()
}

/// The check can fail: a program of the LLVM dialect that allocates and does not free, and one
/// that reads what it has freed.
fn valgrind_finds_a_leak() -> Outcome {
    let directory = scratch("memory/valgrind_finds_a_leak");
    let bodies = [
        "%0 = llvm.call @malloc(%n) : (i64) -> !llvm.ptr\n llvm.store %n, %0 : i64, !llvm.ptr",
        "%0 = llvm.call @malloc(%n) : (i64) -> !llvm.ptr\n llvm.call @free(%0) : (!llvm.ptr) -> ()
         llvm.store volatile %n, %0 : i64, !llvm.ptr",
    ];
    for (index, body) in bodies.iter().enumerate() {
        let source = directory.join(format!("{index}.mlir"));
        let program = format!(
            "llvm.func @malloc(i64) -> !llvm.ptr\nllvm.func @free(!llvm.ptr)\n
             llvm.func @main() -> i32 {{\n %n = llvm.mlir.constant(64 : i64) : i64\n {body}\n
             %z = llvm.mlir.constant(0 : i32) : i32\n llvm.return %z : i32\n}}\n"
        );
        std::fs::write(&source, program)?;
        let executable = directory.join(format!("{index}"));
        build(&source, &executable, "-O0", None)?;
        valgrind(&executable)?.exits(FOUND)?;
    }
    Ok(())
}
