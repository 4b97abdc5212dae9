//! The change that the tutorial's last chapter makes, executed.
//!
//! Input: `tutorial/19-how-to-add-an-operator.md`. Its blocks `console changed` are executed in a copy of the
//! repository, and their outputs are compared. Its blocks `sh` are commands that take minutes: of the last one, all the
//! tests, only the tests about the change are run. Invariant: the instructions lead, through the errors that the page
//! shows, to a compiler that has the operator and whose tests pass. The path is the reader's: first the compiler of
//! chapter 0, then whatever the page puts before it.
//!
//! Libraries are not built again: they come from the build under test, which has the same versions and
//! settings. If cargo disagrees it builds them, and the test takes minutes.

use crate::pages::console;
use crate::tools::scratch;
use crate::tools::{Job, Outcome, TOYC, difference_of_test, fail, is_update, long_trial, root};
use libtest_mimic::{Failed, Trial};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use tutorial::markdown::rewritten;

const PAGE: &str = "tutorial/19-how-to-add-an-operator.md";

/// The copy is not for a debugger. Libraries have no lines in any case, so they are not built again.
const WITHOUT_LINES: (&str, &str) = ("CARGO_PROFILE_DEV_DEBUG", "false");

/// The copy is built after each change, whatever is done elsewhere.
const INCREMENTAL: (&str, &str) = ("CARGO_INCREMENTAL", "1");

/// Between two changes there are warnings, and a reader builds without the lints of CI.
const WITHOUT_LINTS: (&str, &str) = ("RUSTC_WORKSPACE_WRAPPER", "");

pub fn trials() -> Vec<Trial> {
    vec![long_trial("tutorial/19-applied", applied)]
}

fn applied() -> Outcome {
    let folder = scratch("tutorial_19_applied");
    copy_repository(&folder)?;
    do_not_optimize(&folder)?;
    take_over_libraries(&folder)?;
    run(&folder, "git", &["init", "-q"])?;
    let file = root().join(PAGE);
    let page = std::fs::read_to_string(&file)?;
    let mut path = path_of_chapter_0()?;
    let actual = rewritten(&page, |block| {
        match block.info {
            "console changed" => {
                let actual = executed(block.text, &folder, &path)?;
                if actual != block.text && !is_update() {
                    return fail(difference_of_test(block.text, &actual, &file));
                }
                return Ok(actual);
            }
            "sh" => {
                for line in block.text.lines() {
                    match line.starts_with("export ") {
                        true => path = exported(line, &folder, &path)?,
                        false => by_hand(line, &folder)?,
                    }
                }
            }
            _ => {}
        }
        Ok(block.text.to_owned())
    })?;
    if actual != page {
        std::fs::write(file, actual)?;
    }
    // Gigabytes that are no longer needed.
    Ok(std::fs::remove_dir_all(&folder)?)
}

/// The compiler without the change comes first.
fn path_of_chapter_0() -> Result<OsString, Failed> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let built = Path::new(TOYC).parent().unwrap_or(Path::new(".")).to_owned();
    Ok(std::env::join_paths(std::iter::once(built).chain(std::env::split_paths(&path)))?)
}

/// The path after an `export` of the page.
fn exported(line: &str, folder: &Path, path: &OsStr) -> Result<OsString, Failed> {
    let command = format!("{line}; printf %s \"$PATH\"");
    let run = Job::new("bash", ["-c", &command]).current_dir(folder).env("PATH", path).run()?;
    Ok(run.exits(0)?.out().into())
}

/// Runs commands of the page in the copy.
fn executed(commands: &str, folder: &Path, path: &OsStr) -> Result<String, Failed> {
    let target = folder.join("target");
    let environment = [
        ("PATH", path),
        ("CARGO_TARGET_DIR", target.as_os_str()),
        (WITHOUT_LINES.0, WITHOUT_LINES.1.as_ref()),
        (INCREMENTAL.0, INCREMENTAL.1.as_ref()),
        (WITHOUT_LINTS.0, WITHOUT_LINTS.1.as_ref()),
        ("TOYC_UPDATE", "".as_ref()),
    ];
    console::executed_with(commands, folder, &environment)
}

/// A command that takes minutes. Tests that fail before the change is complete are not run; of all tests, only the
/// suite's tests about the change run, and the unit tests without those on long and random texts.
fn by_hand(line: &str, folder: &Path) -> Outcome {
    const LIBRARY: &str = "cargo test --lib -p toy-syntax -p toy-compiler";
    const SUITE: &str = "cargo test --test suite --";
    // Libraries have the features that the suite builds them with; otherwise, MLIR's bindings are built twice.
    const WITH_ALL_FEATURES: &str = "-p toyc";
    // Without optimization, these are most of their time.
    const SHORT: &str = "-- --skip tests::limits --skip tests::panics";
    if line.starts_with("git apply") || line.starts_with("TOYC_UPDATE=1 ") {
        return run(folder, "bash", &["-c", line]);
    }
    if line == format!("{SUITE} --skip tutorial/ --skip editors/") {
        run(folder, "bash", &["-c", &format!("{LIBRARY} {WITH_ALL_FEATURES} {SHORT}")])?;
        let filters =
            ["concat", "language/", "diagnostics/", "explain/E0301", "filecheck/canonicalize"];
        for filter in filters {
            run(folder, "bash", &["-c", &format!("{SUITE} {filter}")])?;
        }
        return Ok(());
    }
    match line.starts_with(LIBRARY) || line.starts_with(SUITE) {
        true => Ok(()),
        false => fail(format!("what is `{line}`?")),
    }
}

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Outcome {
    let target = folder.join("target");
    Job::new(program, arguments.iter().copied())
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target)
        .env(WITHOUT_LINES.0, WITHOUT_LINES.1)
        .env(INCREMENTAL.0, INCREMENTAL.1)
        .env(WITHOUT_LINTS.0, WITHOUT_LINTS.1)
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

/// Our crates are built several times here, and run for seconds.
fn do_not_optimize(folder: &Path) -> Outcome {
    let file = folder.join("Cargo.toml");
    let mut text = std::fs::read_to_string(&file)?;
    for ours in ["memory-planner", "merge-alloc", "mlir-support", "toy-compiler", "toy-syntax"] {
        let section = format!("[profile.dev.package.{ours}]\nopt-level = ");
        let Some((before, after)) = text.split_once(&section) else {
            return fail(format!("Cargo.toml does not say how much {ours} is optimized"));
        };
        text =
            format!("{before}{section}0{}", after.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    Ok(std::fs::write(file, text)?)
}

/// Copies cargo's files except for our own crates, which are built from the changed copy.
fn take_over_libraries(folder: &Path) -> Outcome {
    let built = Path::new(TOYC).parent().unwrap_or(Path::new("."));
    if built.file_name().is_none_or(|profile| profile != "debug") {
        return Ok(());
    }
    let ours = |name: &str| {
        let name = name.strip_prefix("lib").unwrap_or(name).replace('-', "_");
        ["toy", "suite", "memory_planner", "merge_alloc"].iter().any(|ours| name.starts_with(ours))
    };
    for part in ["deps", "build", ".fingerprint"] {
        let to = folder.join("target/debug").join(part);
        std::fs::create_dir_all(&to)?;
        let mut copied = vec![OsString::from("-a")];
        for entry in std::fs::read_dir(built.join(part))? {
            let entry = entry?;
            if ours(&entry.file_name().to_string_lossy()) {
                continue;
            }
            // Files of `deps` are replaced, never changed: a link is as good as a copy. Its folders, and files that are
            // no longer there, are of a compiler that runs at the same time.
            match part {
                "deps" => drop(std::fs::hard_link(entry.path(), to.join(entry.file_name()))),
                _ => copied.push(entry.path().into()),
            }
        }
        if part != "deps" {
            copied.push(to.into());
            Job::new("cp", copied).run()?.exits(0)?;
        }
    }
    Ok(())
}
