//! The crates of the steps, built with the profile of the tests and in their target folder.
//!
//! Input: the files of the steps. Output: a workspace with their crates; their compilers, and the programs of their
//! tests. Invariants: crates unchanged since the last run of the suite are not rebuilt, and no library is built for the
//! steps alone; the compiler that builds a step is clippy's, so that lints cost no second pass; one cargo works at a
//! time.

use super::{files, folder as tutorial, package, shown};
use crate::tools::{Job, Outcome, Run, TOYC, fail, find, root, target};
use libtest_mimic::Failed;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, OnceLock};
use tutorial::listings::Files;
use tutorial::steps::{Step, all};

/// A step is built together with this package, with the features that libraries have in the whole workspace. Alone, a
/// step would get others, and all its libraries would be rebuilt.
pub const WITH_ALL_FEATURES: &str = "toyc";

/// Cargo locks the target folder itself, but says so on standard error.
static CARGO: Mutex<()> = Mutex::new(());

/// The programs of a crate.
#[derive(Clone)]
pub struct Built {
    pub compiler: PathBuf,
    /// The program of the requested tests.
    pub tests: PathBuf,
}

/// The crate passes its own tests.
pub fn check(step: &Step) -> Outcome {
    // Readers' tests save an output that is missing.
    let files = files(step)?;
    let is_missing = |path: &&String| {
        path.strip_suffix(".toy").is_some_and(|name| !files.contains_key(&format!("{name}.out")))
    };
    if let Some(program) = files.keys().find(is_missing) {
        return fail(format!("{} has no output of {program}", shown(&step.folder())));
    }
    let built = built(step)?;
    let run = built.tested(&built.compiler, &package(step), &crate_of(step)?)?;
    run.exits(0).map(|_| ()).map_err(|error| in_chapter(step, &error))
}

/// The compiler of a step.
pub fn compiler(step: &Step) -> Result<PathBuf, Failed> {
    Ok(built(step)?.compiler)
}

/// The compiler and the test of a step's crate, built once.
pub fn built(step: &Step) -> Result<Built, Failed> {
    static BUILT: [OnceLock<Result<Built, String>>; 100] = [const { OnceLock::new() }; 100];
    let crate_folder = crate_of(step)?;
    let build = || match Built::new(&crate_folder, &package(step), &["programs", "exercises"], true)
    {
        Ok(built) => Ok(built),
        Err(error) => Err(in_chapter(step, &error).message().unwrap_or_default().to_owned()),
    };
    BUILT[step.number].get_or_init(build).clone().map_err(Failed::from)
}

fn in_chapter(step: &Step, error: &Failed) -> Failed {
    let chapter = shown(&step.chapter());
    format!("the crate of {chapter}:\n{}", error.message().unwrap_or_default()).into()
}

impl Built {
    /// Builds a crate with tests, of which the first are to be run.
    pub fn new(
        crate_folder: &Path,
        package: &str,
        tests: &[&str],
        is_linted: bool,
    ) -> Result<Self, Failed> {
        let arguments = ["test", "-q", "--no-run", "--message-format=json-render-diagnostics"];
        let selected = ["-p", WITH_ALL_FEATURES, "-p", package].into_iter();
        let selected = selected.chain(tests.iter().flat_map(|test| ["--test", test]));
        let arguments: Vec<_> = arguments.into_iter().chain(selected).collect();
        let run = cargo(&arguments, crate_folder, is_linted)?;
        if run.status != Some(0) {
            return fail(run.stderr);
        }
        let messages = run.out();
        let messages = messages.lines().filter_map(|line| serde_json::from_str(line).ok());
        let executable = |message: serde_json::Value| {
            let is_test = message["target"]["name"] == tests[0];
            is_test.then(|| message["executable"].as_str().map(PathBuf::from)).flatten()
        };
        match messages.filter_map(executable).next() {
            Some(tests) => Ok(Self { compiler: folder().join(package), tests }),
            None => fail("cargo does not say where the tests are"),
        }
    }

    /// Runs the tests in the folder of the crate, with this compiler or another one.
    pub fn tested(
        &self,
        compiler: &Path,
        package: &str,
        crate_folder: &Path,
    ) -> Result<Run, Failed> {
        Job::new(&self.tests, ["--test-threads=2"])
            .current_dir(crate_folder)
            .env(&format!("CARGO_BIN_EXE_{package}"), compiler)
            .run()
    }
}

/// A test with its name, and whether it passes.
pub type Results = Vec<(String, bool)>;

/// The results in the output of libtest.
pub fn results(output: &str) -> Results {
    let line = |line: &str| {
        let (name, result) = line.strip_prefix("test ")?.split_once(" ... ")?;
        Some((name.to_owned(), result == "ok"))
    };
    output.lines().filter_map(line).collect()
}

/// Removes the outputs of a package: each program holds all of MLIR.
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

/// All crates have the layout of rustfmt, and no warning of clippy, with which they are built; the tests of their
/// exercises, too.
pub fn lints() -> Outcome {
    let steps: Vec<_> = all(&tutorial())?.into_iter().filter(|step| files(step).is_ok()).collect();
    let packages = steps.iter().flat_map(|step| ["-p".to_owned(), package(step)]);
    let format = ["fmt", "--check"].map(str::to_owned).into_iter().chain(packages);
    Job::new(find("cargo").unwrap_or_default(), format)
        .current_dir(workspace()?)
        .run()?
        .exits(0)?;
    steps.iter().try_for_each(|step| built(step).map(|_| ()))
}

/// The folder of a step's crate in the workspace of all.
pub fn crate_of(step: &Step) -> Result<PathBuf, Failed> {
    files(step)?;
    Ok(workspace()?.join(&step.slug))
}

/// A workspace with the crates of all steps whose listings apply.
pub fn workspace() -> Result<PathBuf, Failed> {
    static MADE: LazyLock<Result<PathBuf, String>> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("steps/workspace");
        let made = all(&tutorial()).map_err(Failed::from).and_then(|steps| {
            let mut members = Vec::new();
            for step in &steps {
                if let Ok(files) = files(step) {
                    write_crate(
                        &package(step),
                        &with_exercises(step, files),
                        &folder.join(&step.slug),
                    )?;
                    members.push(step.slug.as_str());
                }
            }
            std::fs::copy(tutorial().join("steps/rustfmt.toml"), folder.join("rustfmt.toml"))?;
            write_workspace(&folder, &members)
        });
        made.map(|()| folder).map_err(|error| error.message().unwrap_or_default().to_owned())
    });
    MADE.clone().map_err(Failed::from)
}

fn with_exercises(step: &Step, files: &Files) -> Files {
    let mut files = files.clone();
    if let Ok(exercises) = std::fs::read_to_string(step.folder().join("tests/exercises.rs")) {
        files.insert("tests/exercises.rs".to_owned(), exercises);
    }
    files
}

/// Writes a crate under another name, unless it is there already: cargo asks when files have changed.
pub fn write_crate(package: &str, files: &Files, folder: &Path) -> Outcome {
    let mut files = files.clone();
    if let Some(manifest) = files.get_mut("Cargo.toml") {
        *manifest = manifest.replace("name = \"toy\"", &format!("name = \"{package}\""));
    }
    let record = folder.with_extension("files");
    let contents = format!("{files:#?}");
    if std::fs::read_to_string(&record).is_ok_and(|recorded| recorded == contents) {
        return Ok(());
    }
    let _ = std::fs::remove_dir_all(folder);
    for (path, text) in &files {
        write(&folder.join(path), text)?;
    }
    write(&record, &contents)
}

/// Writes a file, and the folders that it is in.
pub fn write(file: &Path, text: &str) -> Outcome {
    std::fs::create_dir_all(file.parent().unwrap_or(file))?;
    Ok(std::fs::write(file, text)?)
}

/// Makes a folder a workspace of the repository's crates, through links, and of others in it: libraries get the features
/// and profiles that they have in the repository, so that none is built again.
pub fn write_workspace(folder: &Path, members: &[&str]) -> Outcome {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml"))?;
    let more: String = members.iter().map(|member| format!("\"{member}\", ")).collect();
    write(
        &folder.join("Cargo.toml"),
        &manifest.replace("members = [", &format!("members = [{more}")),
    )?;
    std::fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock"))?;
    for linked in ["toyc", "crates", "tests", "examples", "tutorial"] {
        let link = folder.join(linked);
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(root().join(linked), link)?;
    }
    Ok(())
}

/// Cargo's folder for the programs.
pub fn folder() -> PathBuf {
    Path::new(TOYC).parent().unwrap_or(Path::new(".")).to_owned()
}

pub fn cargo(arguments: &[&str], manifest: &Path, is_linted: bool) -> Result<Run, Failed> {
    let folder = folder();
    let profile = folder.file_name().filter(|name| *name == "release").map(|_| "--release");
    let arguments = arguments.iter().copied().chain(profile).chain(["--offline"]);
    let _one = CARGO.lock();
    let job = Job::new(find("cargo").unwrap_or_default(), arguments)
        .current_dir(manifest)
        .env("CARGO_TARGET_DIR", target())
        .limit(1800);
    if is_linted { job.linted() } else { job }.run()
}
