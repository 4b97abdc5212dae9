//! The command that writes the crate of a step, and the one that says how far a reader's crate is.
//!
//! Input: command lines of the program `tutorial`. Output: an error for one that writes files other than the step's,
//! that overwrites a reader's changes, that takes a wrong crate for a right one or the other way round, or that fails
//! without saying why.

use super::{build, files, folder};
use crate::pages::console;
use crate::tools::{Job, Outcome, Run, fail, root, scratch};
use libtest_mimic::Failed;
use std::fs::read_to_string;
use std::path::Path;
use tutorial::steps::all;

pub fn check() -> Outcome {
    build::cargo(&["build", "-q", "-p", "tutorial"], &root(), None)?.exits(0)?;
    let program = build::folder().join("tutorial");
    let command =
        |arguments: &[&str]| -> Result<Run, Failed> { Job::new(&program, arguments).run() };
    let steps = all(&folder())?;
    let Some(step) = steps.iter().find(|step| step.number == 9) else {
        return fail("the tutorial has no step 9");
    };
    let crate_folder = scratch("steps/command").join("nine");
    let into = crate_folder.display().to_string();
    let arguments = ["step", "9", "--into", &into];
    // The second time, everything is there already, and the same.
    for _ in 0..2 {
        command(&arguments)?.exits(0)?.prints(format!("{into}\n"))?.silent()?;
    }
    for (path, text) in files(step)? {
        if read_to_string(crate_folder.join(path)).ok().as_ref() != Some(text) {
            return fail(format!("{path} is not that of the step"));
        }
    }
    // Cargo finds LLVM from there.
    let llvm_config = crate_folder.join("tools/llvm-22/bin/llvm-config");
    Job::new(llvm_config, ["--version"]).run()?.exits(0)?;

    std::fs::write(crate_folder.join("src/main.rs"), "mine")?;
    std::fs::remove_file(crate_folder.join("Cargo.toml"))?;
    command(&arguments)?.exits(1)?.says("nothing is written")?.says("step 9: src/main.rs\n")?;
    if read_to_string(crate_folder.join("src/main.rs"))? != "mine"
        || crate_folder.join("Cargo.toml").exists()
    {
        return fail("something is written");
    }

    let mut unknown = command(&["step", "77"])?.exits(1)?.says("there is no step 77")?;
    for step in &steps {
        unknown = unknown.says(&step.slug)?;
    }
    command(&["step"])?.exits(1)?.says("usage: tutorial step NUMBER")?;
    Ok(())
}

/// The crate of step 2 passes as step 2 and fails as step 4; one that does not compile fails as any.
pub fn progress() -> Outcome {
    build::cargo(&["build", "-q", "-p", "tutorial"], &root(), None)?.exits(0)?;
    let scratch = scratch("steps/progress");
    let (crate_folder, bin) = (scratch.join("toy"), scratch.join("bin"));
    let steps = all(&folder())?;
    let Some(second) = steps.get(1) else { return fail("the tutorial has no step 2") };
    for (path, text) in files(second)? {
        build::write(&crate_folder.join(path), text)?;
    }
    std::fs::create_dir_all(&bin)?;
    let path = console::path_with(std::slice::from_ref(&bin))?;
    // A `cargo` that builds nothing.
    let cargo = |build: &str| {
        let tests = "echo 'test larger ... ok'; echo 'test tokens ... FAILED'; exit 101";
        let script = format!("#!/bin/bash\nif [ $1 = test ]; then {tests}; fi\n{build}\n");
        console::write_script(&bin.join("cargo"), &script)
    };
    let check = |number: &str, folder: &Path| -> Result<Run, Failed> {
        let program = build::folder().join("tutorial");
        let job = Job::new(program, ["check", number]).current_dir(folder);
        job.env("PATH", &path).run()
    };
    let compiler = build::compiler(second)?;
    cargo(&format!("echo '{{\"executable\":\"{}\"}}'", compiler.display()))?;
    let passed = "passed  programs/dimensions.toy\npassed  programs/numbers.toy\n\
                  passed  programs/scale.toy\npassed  programs/squares.toy\n\
                  everything of step 2 passes\n";
    check("2", &crate_folder)?.exits(0)?.prints(passed)?.silent()?;
    let later = check("4", &crate_folder)?.exits(1)?;
    for part in [
        "FAILED  programs/shapes.toy",
        "passed  programs/squares.toy",
        "look at tutorial/build/04-",
    ] {
        if !later.out().contains(part) {
            return later.complain(part);
        }
    }
    build::write(&crate_folder.join("tests/exercises.rs"), "")?;
    let exercises = check("2", &crate_folder)?.exits(1)?;
    let expected = "passed  exercise `larger`\nFAILED  exercise `tokens`\n";
    if !exercises.out().contains(expected) || !exercises.out().contains("\"Exercises\"") {
        return exercises.complain("the exercises");
    }
    cargo("exit 101")?;
    let lexer = crate_folder.join("src/lexer.rs");
    std::fs::write(&lexer, read_to_string(&lexer)?.replace("depth += 1", "depth += 2"))?;
    let broken = check("2", &crate_folder)?.exits(1)?;
    let place = "\"Text to tokens\": `src/lexer.rs` has no line\n    ";
    if !broken.out().contains("does not compile") || !broken.out().contains(place) {
        return broken.complain("the line that is wrong");
    }
    check("2", &scratch)?.exits(1)?.says("has no Cargo.toml")?;
    Ok(())
}
