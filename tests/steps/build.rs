//! The crates of the steps, built with the profile of the tests and in their target folder.
//!
//! Input: the files of the steps. Output: their crates, in a folder for each; their compilers, and the programs of their
//! tests. Crates are built as a reader builds them: one after the other in the same folder, so that rustc compiles again
//! only what one of them changes. The programs are kept elsewhere. Invariants: crates unchanged since the last run of the
//! suite are not built again, and no library is built for the steps alone; the compiler that builds a step is clippy's,
//! so that lints cost no second pass; one cargo works at a time.

use super::{files, folder as tutorial, shown};
use crate::editors::copy;
use crate::pages::console::write_script;
use crate::tools::{Job, Outcome, Run, TOYC, fail, find, root, target};
use libtest_mimic::Failed;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, OnceLock};
use tutorial::listings::Files;
use tutorial::steps::{Step, all};

/// A step is built together with this package, with the features that libraries have in the whole workspace. Alone, a
/// step would get others, and all its libraries would be rebuilt.
pub const WITH_ALL_FEATURES: &str = "toyc";

/// All crates are built in one folder, in turn.
static FOLDER: Mutex<()> = Mutex::new(());

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
    let run = built.tested(&built.compiler, &crate_of(step)?)?;
    run.exits(0).map(|_| ()).map_err(|error| in_chapter(step, &error))
}

/// The compiler of a step.
pub fn compiler(step: &Step) -> Result<PathBuf, Failed> {
    Ok(built(step)?.compiler)
}

/// The compiler and the test of a step's crate, built once.
pub fn built(step: &Step) -> Result<Built, Failed> {
    static BUILT: [OnceLock<Result<Built, String>>; 100] = [const { OnceLock::new() }; 100];
    let build = || match built_or_kept(step) {
        Ok(built) => Ok(built),
        Err(error) => Err(in_chapter(step, &error).message().unwrap_or_default().to_owned()),
    };
    BUILT[step.number].get_or_init(build).clone().map_err(Failed::from)
}

fn built_or_kept(step: &Step) -> Result<Built, Failed> {
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("steps/built").join(&step.slug);
    let mut recorded = format!("{:#?}", with_exercises(step, files(step)?));
    for settings in ["Cargo.lock", "Cargo.toml", "rust-toolchain.toml"] {
        recorded += &std::fs::read_to_string(root().join(settings))?;
    }
    let record = kept.join("record");
    if std::fs::read_to_string(&record).is_ok_and(|old| old == recorded) {
        return Ok(Built::kept(&kept));
    }
    let _ = std::fs::remove_file(&record);
    let built = Built::new(&crate_of(step)?, &kept, &["programs", "exercises"])?;
    std::fs::write(record, recorded)?;
    Ok(built)
}

fn in_chapter(step: &Step, error: &Failed) -> Failed {
    let chapter = shown(&step.chapter());
    format!("the crate of {chapter}:\n{}", error.message().unwrap_or_default()).into()
}

impl Built {
    /// The programs that a folder keeps.
    fn kept(folder: &Path) -> Self {
        Self { compiler: folder.join("toy"), tests: folder.join("tests") }
    }

    /// Builds a crate with tests, of which the first are to be run, and keeps the programs in another folder. Without
    /// tests, the compiler alone is built.
    pub fn new(crate_folder: &Path, kept: &Path, tests: &[&str]) -> Result<Self, Failed> {
        let workspace = workspace()?;
        let _one = FOLDER.lock();
        let folder = workspace.join("toy");
        copy(crate_folder, &folder)?;
        remove_others(crate_folder, &folder)?;
        let mut arguments = match tests {
            [] => vec!["build", "--bin", "toy"],
            _ => vec!["test", "--no-run"],
        };
        arguments.extend(tests.iter().flat_map(|test| ["--test", test]));
        arguments.extend(["-q", "--message-format=json-render-diagnostics"]);
        arguments.extend(["-p", WITH_ALL_FEATURES, "-p", "toy"]);
        let run = cargo(&arguments, &folder, Some(&workspace.join(RUSTC)))?;
        if run.status != Some(0) {
            return fail(run.stderr);
        }
        let built = Self::kept(kept);
        std::fs::create_dir_all(kept)?;
        keep(&self::folder().join("toy"), &built.compiler)?;
        let messages = run.out();
        let messages = messages.lines().filter_map(|line| serde_json::from_str(line).ok());
        let executable = |message: serde_json::Value| {
            let is_test = tests.first().is_some_and(|test| message["target"]["name"] == *test);
            is_test.then(|| message["executable"].as_str().map(PathBuf::from)).flatten()
        };
        match messages.filter_map(executable).next() {
            Some(program) => keep(&program, &built.tests)?,
            None if tests.is_empty() => {}
            None => return fail("cargo does not say where the tests are"),
        }
        Ok(built)
    }

    /// Runs the tests in the folder of the crate, with this compiler or another one.
    pub fn tested(&self, compiler: &Path, crate_folder: &Path) -> Result<Run, Failed> {
        Job::new(&self.tests, ["--test-threads=2"])
            .current_dir(crate_folder)
            .env(COMPILER, compiler)
            .run()
    }
}

/// Tells the tests of a crate where its compiler is.
pub const COMPILER: &str = "CARGO_BIN_EXE_toy";

/// Keeps a program that cargo has made; the next one is another file.
fn keep(program: &Path, kept: &Path) -> Outcome {
    let _ = std::fs::remove_file(kept);
    Ok(std::fs::hard_link(program, kept)?)
}

/// Removes what is not in the other folder.
fn remove_others(from: &Path, folder: &Path) -> Outcome {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let original = from.join(path.file_name().unwrap_or_default());
        match (path.is_dir(), original.exists()) {
            (true, true) => remove_others(&original, &path)?,
            (true, false) => std::fs::remove_dir_all(path)?,
            (false, true) => {}
            (false, false) => std::fs::remove_file(path)?,
        }
    }
    Ok(())
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

/// All crates have the layout of rustfmt, and no warning of clippy, with which they are built; the tests of their
/// exercises, too.
pub fn lints() -> Outcome {
    let steps: Vec<_> = all(&tutorial())?.into_iter().filter(|step| files(step).is_ok()).collect();
    let mut sources = Vec::new();
    for step in &steps {
        let folder = crate_of(step)?;
        sources.extend(
            ["src/main.rs", "tests/programs.rs", "tests/exercises.rs"]
                .map(|file| folder.join(file)),
        );
    }
    let options = ["--check", "--edition=2024", "--config-path"].map(PathBuf::from);
    let options = options.into_iter().chain([tutorial().join("steps/rustfmt.toml")]);
    Job::new(find("rustfmt").unwrap_or_default(), options.chain(sources)).run()?.exits(0)?;
    steps.iter().try_for_each(|step| built(step).map(|_| ()))
}

/// The folder of a step's crate.
pub fn crate_of(step: &Step) -> Result<PathBuf, Failed> {
    static WRITTEN: LazyLock<Result<PathBuf, String>> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("steps/crates");
        let written = all(&tutorial()).map_err(Failed::from).and_then(|steps| {
            steps.iter().try_for_each(|step| match files(step) {
                Ok(files) => write_crate(&with_exercises(step, files), &folder.join(&step.slug)),
                Err(_) => Ok(()),
            })
        });
        written.map(|()| folder).map_err(|error| error.message().unwrap_or_default().to_owned())
    });
    files(step)?;
    Ok(WRITTEN.clone()?.join(&step.slug))
}

/// The compiler of the workspace: cargo's, which compiles a crate `toy` as a change to the one before.
const RUSTC: &str = "rustc";

/// A workspace with the repository's crates and one called `toy`.
fn workspace() -> Result<PathBuf, Failed> {
    static MADE: LazyLock<Result<PathBuf, String>> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("steps/workspace");
        let incremental = folder.join("incremental");
        let script = format!(
            "#!/bin/bash\ncase \" $* \" in *' --crate-name toy '*) set -- \"$@\" -C incremental={} ;; esac\nexec \"$@\"\n",
            incremental.display()
        );
        let made =
            write_workspace(&folder).and_then(|()| write_script(&folder.join(RUSTC), &script));
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

/// Writes a crate.
pub fn write_crate(files: &Files, folder: &Path) -> Outcome {
    let _ = std::fs::remove_dir_all(folder);
    files.iter().try_for_each(|(path, text)| write(&folder.join(path), text))
}

/// Writes a file, and the folders that it is in.
pub fn write(file: &Path, text: &str) -> Outcome {
    std::fs::create_dir_all(file.parent().unwrap_or(file))?;
    Ok(std::fs::write(file, text)?)
}

/// Makes a folder a workspace of the repository's crates, through links, and of another one in it: libraries get the
/// features and profiles that they have in the repository, so that none is built again.
fn write_workspace(folder: &Path) -> Outcome {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml"))?;
    write(&folder.join("Cargo.toml"), &manifest.replace("members = [", "members = [\"toy\", "))?;
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

/// Runs cargo; with another rustc, it lints as well.
pub fn cargo(arguments: &[&str], folder: &Path, rustc: Option<&Path>) -> Result<Run, Failed> {
    let profile = self::folder().file_name().filter(|it| *it == "release").map(|_| "--release");
    let arguments = arguments.iter().copied().chain(profile).chain(["--offline"]);
    let _one = CARGO.lock();
    let job = Job::new(find("cargo").unwrap_or_default(), arguments)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target())
        .limit(1800);
    match rustc {
        Some(rustc) => job.linted().env("RUSTC_WRAPPER", rustc),
        None => job,
    }
    .run()
}
