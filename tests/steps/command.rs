//! The command that writes the crate of a step.
//!
//! Input: command lines of the program `tutorial`. Output: an error for one that writes files other than the step's,
//! that overwrites a reader's changes, or that fails without saying why.

use super::{build, files, folder};
use crate::tools::{Job, Outcome, Run, fail, root, scratch};
use libtest_mimic::Failed;
use std::fs::read_to_string;
use tutorial::steps::all;

pub fn check() -> Outcome {
    build::cargo(&["build", "-q", "-p", "tutorial"], &root(), false)?.exits(0)?;
    let program = build::folder().join("tutorial");
    let command =
        |arguments: &[&str]| -> Result<Run, Failed> { Job::new(&program, arguments).run() };
    let steps = all(&folder())?;
    let Some(step) = steps.iter().find(|step| step.number == 9) else {
        return fail("there is no step 9");
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
