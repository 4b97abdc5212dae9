//! The change of the tutorial's last chapter, made and run.
//!
//! Input: `tutorial/15-how-to-add-an-operator.md`. A copy of the repository is changed with the page's own
//! command, built, and its tests of the new operator and of the grammar are run. Invariant: what
//! the reader is told to do leads to a compiler that has the operator and whose tests pass.
//!
//! Libraries are not built again: they are taken over from the build under test, which has the same
//! versions and settings. If cargo thinks otherwise it builds them, and the test takes minutes.

use crate::markdown::blocks;
use crate::tools::{Job, Outcome, TOYC, fail, root, scratch, trial};
use libtest_mimic::Trial;
use std::path::Path;

pub fn trials() -> Vec<Trial> {
    vec![trial("tutorial/15-applied", applied)]
}

fn applied() -> Outcome {
    let folder = scratch("tutorial_15_applied");
    copy_repository(&folder)?;
    take_over_libraries(&folder)?;
    let page = std::fs::read_to_string(root().join("tutorial/15-how-to-add-an-operator.md"))?;
    let Some(commands) = blocks(&page)?.into_iter().find(|block| block.info == "sh") else {
        return fail("the page has no commands that make the change");
    };
    let Some(apply) = commands.text.lines().find(|line| line.ends_with("git apply")) else {
        return fail("the page has no command that ends with `git apply`");
    };
    run(&folder, "git", &["init", "-q"])?;
    run(&folder, "bash", &["-o", "pipefail", "-c", apply])?;
    // The page says which expected messages change, and how they are rewritten.
    let update = "TOYC_UPDATE=1 cargo test --test suite -- diagnostics";
    if !page.contains(update) {
        return fail(format!("the page does not say `{update}`"));
    }
    run(&folder, "bash", &["-c", update])?;
    for filter in ["matmul", "language/"] {
        run(&folder, "cargo", &["test", "--test", "suite", "--", filter])?;
    }
    let toyc = folder.join("target/debug/toyc").display().to_string();
    let expected = std::fs::read(folder.join("tests/programs/matmul.out"))?;
    if expected.is_empty() {
        return fail("the program of the page prints nothing");
    }
    Job::new(toyc, ["tests/programs/matmul.toy", "-emit=jit"])
        .current_dir(&folder)
        .run()?
        .exits(0)?
        .prints(expected)?;
    // Gigabytes that nobody needs any more.
    Ok(std::fs::remove_dir_all(&folder)?)
}

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Outcome {
    let target = folder.join("target");
    Job::new(program, arguments.iter().copied())
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target)
        .env_remove("TOYC_UPDATE")
        .limit(3600)
        .run()?
        .exits(0)?;
    Ok(())
}

fn copy_repository(folder: &Path) -> Outcome {
    for entry in std::fs::read_dir(root())? {
        let entry = entry?;
        if entry.file_name() == "target" || entry.file_name() == ".git" {
            continue;
        }
        let from = entry.path().display().to_string();
        run(folder, "cp", &["-a", &from, "."])?;
    }
    Ok(())
}

/// Copies what cargo has built, but for what is ours: that is built from the changed copy.
fn take_over_libraries(folder: &Path) -> Outcome {
    let built = Path::new(TOYC).parent().unwrap_or(Path::new("."));
    if built.file_name().is_none_or(|profile| profile != "debug") {
        return Ok(());
    }
    let ours = ["toyc", "libtoyc", "toy_opt", "toy-opt", "suite", "memory_planner"];
    let ours = |name: &str| {
        let name = name.strip_prefix("lib").unwrap_or(name);
        ours.iter().any(|ours| name.starts_with(ours)) || name.starts_with("memory-planner")
    };
    for part in ["deps", "build", ".fingerprint"] {
        let to = folder.join("target/debug").join(part);
        std::fs::create_dir_all(&to)?;
        for entry in std::fs::read_dir(built.join(part))? {
            let entry = entry?;
            if ours(&entry.file_name().to_string_lossy()) {
                continue;
            }
            let (from, to) = (entry.path(), to.join(entry.file_name()));
            // Files of `deps` are replaced, never changed: a link is as good as a copy.
            if part == "deps" && std::fs::hard_link(&from, &to).is_ok() {
                continue;
            }
            let (from, to) = (from.display().to_string(), to.display().to_string());
            run(folder, "cp", &["-a", &from, &to])?;
        }
    }
    Ok(())
}
