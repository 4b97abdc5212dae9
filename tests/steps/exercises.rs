//! The exercises of a chapter.
//!
//! Input: `tests/exercises.rs` of a step, which tests the code that the reader has to write, and the solutions
//! `solutions/*.patch`, which apply to the crate together, in the order of their names. Invariant: each of the tests
//! fails with the compiler of the step, and passes with the solutions; the crate's own programs stay as they are.
//!
//! The solved crate is a copy; its program is removed after use, because it holds all of LLVM.

use super::build::{self, Built, Results};
use super::shown;
use crate::tools::{Job, Outcome, fail, scratch};
use libtest_mimic::Failed;
use std::path::{Path, PathBuf};
use tutorial::steps::Step;

pub fn check(step: &Step) -> Outcome {
    let folder = step.folder();
    if !folder.join("tests/exercises.rs").is_file() {
        return fail(format!("{} has no tests/exercises.rs", shown(&folder)));
    }
    let scratch = scratch(&format!("steps/{}/exercises", step.slug));
    let built = scratch.join("built");
    let result = compared(step, &solved(step, &scratch)?, &built);
    let _ = std::fs::remove_dir_all(built);
    result
}

fn compared(step: &Step, solved: &Path, built: &Path) -> Outcome {
    let built = Built::new(solved, built, &["exercises"])?;
    let results = |compiler: &Path| -> Result<Results, Failed> {
        let run = built.tested(compiler, solved)?;
        let results = build::results(&run.out());
        if results.is_empty() { run.complain("there is no exercise") } else { Ok(results) }
    };
    judged(&results(&build::compiler(step)?)?, &results(&built.compiler)?)?;
    // Solutions break nothing.
    let programs = solved.join("programs");
    for entry in std::fs::read_dir(&programs).into_iter().flatten() {
        let source = entry?.path();
        let Ok(expected) = std::fs::read(source.with_extension("out")) else { continue };
        if source.extension().is_some_and(|extension| extension == "toy") {
            // The path that messages show.
            let source = source.strip_prefix(solved).unwrap_or(&source);
            let run = Job::new(&built.compiler, [source]).current_dir(solved).run()?;
            let printed = run.out() + &run.stderr;
            if printed.as_bytes() != expected {
                return run.complain("the solutions change what this program prints");
            }
        }
    }
    Ok(())
}

/// Tests fail without the solutions and pass with them.
pub fn judged(before: &Results, after: &Results) -> Outcome {
    let named = |(name, _): &&(String, bool)| name.clone();
    let passes: Vec<_> = before.iter().filter(|(_, passes)| *passes).collect();
    if let Some((name, _)) = passes.first() {
        return fail(format!("the exercise `{name}` passes before it is solved"));
    }
    let fails: Vec<_> = after.iter().filter(|(_, passes)| !passes).collect();
    if !fails.is_empty() {
        let fails: Vec<_> = fails.iter().map(named).collect();
        return fail(format!("with the solutions, these exercises fail: {}", fails.join(", ")));
    }
    if before.len() != after.len() || !(2..=4).contains(&after.len()) {
        return fail(format!("{} exercises; a chapter has two or three", after.len()));
    }
    Ok(())
}

/// A copy of the crate with all solutions.
fn solved(step: &Step, scratch: &Path) -> Result<PathBuf, Failed> {
    let from = build::crate_of(step)?.display().to_string();
    Job::new("cp", ["-a", &from, "."]).current_dir(scratch).run()?.exits(0)?;
    let folder = scratch.join(&step.slug);
    for patch in solutions(step)? {
        // Outside of any repository, as a reader may be.
        Job::new(
            "git",
            ["apply", &step.folder().join("solutions").join(patch).display().to_string()],
        )
        .current_dir(&folder)
        .env("GIT_CEILING_DIRECTORIES", scratch)
        .run()?
        .exits(0)?;
    }
    // Steps are built with lints; solutions need not follow them.
    let main = folder.join("src/main.rs");
    let text = std::fs::read_to_string(&main)?;
    std::fs::write(main, format!("#![allow(warnings)] {text}"))?;
    Ok(folder)
}

/// The names of the patches that solve the step's exercises, in order.
pub fn solutions(step: &Step) -> Result<Vec<String>, Failed> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(step.folder().join("solutions"))? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}
