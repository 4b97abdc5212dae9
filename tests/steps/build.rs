//! The programs of the steps, built with the profile of the tests and in their target folder.
//!
//! Input: a step. Output: its compiler; and what the tests of a crate say. Invariants: `cargo test --workspace` has
//! built the compilers, and then nothing is built here; one cargo works at a time.

use super::Step;
use crate::tools::{Job, Run, TOYC, fail, find, root};
use libtest_mimic::Failed;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

/// Together with this package, the tests of a step are built with the features that libraries have in the whole
/// workspace. By itself, a step would get others, and all that it uses would be built again.
pub const WITH_ALL_FEATURES: &str = "toyc";

/// Cargo locks the target folder itself, but says so on standard error.
static CARGO: Mutex<()> = Mutex::new(());

/// The compiler of a step.
pub fn binary(step: &Step) -> Result<PathBuf, Failed> {
    let binary = folder().join(step.package());
    let _one = CARGO.lock();
    if changed(&binary).is_none_or(|built| newest(&step.folder()) >= Some(built)) {
        cargo(&["build", "-q", "-p", &step.package()], &root())?.exits(0)?;
    }
    Ok(binary)
}

/// A test with its name, and whether it passes.
pub type Results = Vec<(String, bool)>;

/// What libtest says about each test.
pub fn results(output: &str) -> Results {
    let line = |line: &str| {
        let (name, result) = line.strip_prefix("test ")?.split_once(" ... ")?;
        Some((name.to_owned(), result == "ok"))
    };
    output.lines().filter_map(line).collect()
}

/// Builds a crate that is not part of the repository's workspace, `exercises` among its tests, and returns its compiler
/// and the program of these tests. The libraries come from the repository's target folder.
pub fn with_exercises(crate_folder: &Path, package: &str) -> Result<[PathBuf; 2], Failed> {
    let _one = CARGO.lock();
    let arguments = ["test", "-q", "--no-run", "--message-format=json", "--test", "exercises"];
    let packages = ["-p", WITH_ALL_FEATURES, "-p", package];
    let run = cargo(&[&arguments[..], &packages].concat(), crate_folder)?.exits(0)?;
    let messages = run.out();
    let messages = messages.lines().filter_map(|line| serde_json::from_str(line).ok());
    let executable = |message: serde_json::Value| {
        let is_test = message["target"]["name"] == "exercises";
        is_test.then(|| message["executable"].as_str().map(PathBuf::from)).flatten()
    };
    match messages.filter_map(executable).next() {
        Some(tests) => Ok([folder().join(package), tests]),
        None => fail("cargo does not say where the tests are"),
    }
}

/// Removes what [`with_exercises`] has built: each program holds all of MLIR.
pub fn remove(package: &str) -> Result<(), Failed> {
    let _ = std::fs::remove_file(folder().join(package));
    for entry in std::fs::read_dir(folder().join("deps"))? {
        let path = entry?.path();
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        if name.strip_prefix(package).is_some_and(|rest| rest.starts_with('-')) {
            std::fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Where cargo puts the programs.
fn folder() -> PathBuf {
    Path::new(TOYC).parent().unwrap_or(Path::new(".")).to_owned()
}

fn cargo(arguments: &[&str], folder_of_manifest: &Path) -> Result<Run, Failed> {
    let folder = folder();
    let profile = folder.file_name().filter(|name| *name == "release").map(|_| "--release");
    let arguments = arguments.iter().copied().chain(profile).chain(["--offline"]);
    Job::new(find("cargo").unwrap_or_default(), arguments)
        .current_dir(folder_of_manifest)
        .env("CARGO_TARGET_DIR", folder.parent().unwrap_or(&folder))
        .limit(1800)
        .run()
}

fn changed(file: &Path) -> Option<SystemTime> {
    file.metadata().ok()?.modified().ok()
}

/// When the sources of a crate changed last.
fn newest(folder: &Path) -> Option<SystemTime> {
    let entries = std::fs::read_dir(folder.join("src")).into_iter().flatten().flatten();
    let files = entries
        .map(|entry| entry.path())
        .chain(["Cargo.toml", "build.rs"].map(|name| folder.join(name)));
    files.filter_map(|file| changed(&file)).max()
}
