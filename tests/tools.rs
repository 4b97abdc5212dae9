//! Code that all tests share: paths, running programs with a time limit, comparing.
//!
//! Input: a command line. Output: a [`Run`], everything the process did. Invariants: no process
//! outlives its time limit, nor do its children; every scratch directory belongs to one test.

use libtest_mimic::{Failed, Trial};
use similar::TextDiff;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{OnceLock, mpsc};
use std::time::{Duration, Instant};

pub type Outcome = Result<(), Failed>;

/// Names and tests.
pub type Tests = Vec<(&'static str, fn() -> Outcome)>;

/// The compiler under test.
pub const TOYC: &str = env!("CARGO_BIN_EXE_toyc");

/// valgrind starts faster without the lines of inlined functions, and with shorter blocks of code.
const VALGRIND: &str = "--read-inline-info=no --vex-guest-chase=no";

/// The compiler with clippy's lints.
pub const LINTER: &str = "clippy-driver";

/// The time limit, for a busy machine; a test that takes longer hangs.
const TIME_LIMIT: Duration = Duration::from_secs(120);

/// The repository.
pub fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    root.canonicalize().unwrap_or(root)
}

/// Cargo's folder of the build under test. The small workspaces are built there, too: libraries that they have in common
/// with the compiler, or with each other, are built once.
pub fn target() -> &'static Path {
    Path::new(TOYC).ancestors().nth(2).unwrap_or(Path::new("."))
}

/// The files of a directory of the repository with one of the extensions, sorted.
pub fn files(directory: &str, extensions: &[&str]) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(directory)).into_iter().flatten().flatten();
    let wanted = |path: &PathBuf| {
        let extension = path.extension().and_then(OsStr::to_str);
        extension.is_some_and(|extension| extensions.contains(&extension))
    };
    let mut files: Vec<_> = entries.map(|entry| entry.path()).filter(wanted).collect();
    files.sort();
    files
}

/// An empty directory for the test of this name.
pub fn scratch(test: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("a scratch directory under target/");
    directory
}

/// LLVM's tools: FileCheck, not, mlir-opt.
pub fn llvm_bin() -> PathBuf {
    // A thousand RUN lines ask for it.
    static BIN: OnceLock<PathBuf> = OnceLock::new();
    let ask = || {
        let config = root().join("tools/llvm-22/bin/llvm-config");
        let output = Command::new(config).arg("--bindir").output();
        let output = output.expect("llvm-config; run ./setup");
        PathBuf::from(String::from_utf8_lossy(&output.stdout).trim())
    };
    BIN.get_or_init(ask).clone()
}

/// The path of a program, as in the shell.
pub fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|directory| directory.join(program)).find(|p| p.is_file())
}

/// TOYC_TEST_TIME_FACTOR=N multiplies the time limits, for machines that are emulated.
fn time_factor() -> u32 {
    let factor = std::env::var("TOYC_TEST_TIME_FACTOR").ok();
    factor.and_then(|factor| factor.parse().ok()).unwrap_or(1)
}

/// True if everything is tested in every way; otherwise, programs take turns at ways that seldom differ.
pub fn is_exhaustive() -> bool {
    std::env::var_os("TOYC_TEST_ALL").is_some_and(|value| value == "1")
}

/// It, as the reason why a test is ignored.
pub const EXHAUSTIVE: &str = "TOYC_TEST_ALL=1";

/// True if the program of this number is tested in one of several ways: each is in one of them, or in all.
pub fn has_turn(number: usize, way: usize, count: usize) -> bool {
    is_exhaustive() || number % count == way
}

/// The ways in which the program of this number is tested.
pub fn ways<T: Copy>(all: &[T], number: usize) -> impl Iterator<Item = T> + '_ {
    let is_taken = move |way: &usize| has_turn(number, *way, all.len());
    (0..all.len()).filter(is_taken).map(|way| all[way])
}

/// True if expectations are rewritten.
pub fn is_update() -> bool {
    std::env::var_os("TOYC_UPDATE").is_some_and(|value| value == "1")
}

thread_local! {
    /// The name of the test that runs on this thread.
    static NAME: RefCell<String> = const { RefCell::new(String::new()) };
}

/// A test; with TOYC_TEST_TIMES=FILE, it adds its time to the file: seconds, seconds of the processors, and its name.
pub fn trial(name: impl Into<String>, test: impl FnOnce() -> Outcome + Send + 'static) -> Trial {
    let name = name.into();
    let times = std::env::var_os("TOYC_TEST_TIMES");
    Trial::test(name.clone(), move || {
        NAME.with_borrow_mut(|running| running.clone_from(&name));
        let (start, before) = (Instant::now(), processor_seconds());
        let outcome = test();
        let Some(times) = times else { return outcome };
        let processor = processor_seconds() - before;
        let line = format!("{:9.3} {processor:9.2} {name}\n", start.elapsed().as_secs_f64());
        // One write: tests run in parallel.
        OpenOptions::new().create(true).append(true).open(&times)?.write_all(line.as_bytes())?;
        outcome
    })
}

/// The processor seconds of this process and its children so far, for all tests that run.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program may have blanks, and is in parentheses; the times are in hundredths.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(4).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// A test that is ignored, instead of passing, if something that it needs is missing on this machine.
pub fn trial_unless(
    missing: Option<&str>,
    name: impl Into<String>,
    test: impl FnOnce() -> Outcome + Send + 'static,
) -> Trial {
    let name = name.into();
    match missing {
        None => trial(name, test),
        Some(what) => trial(format!("{name} (no {what} here)"), test).with_ignored_flag(true),
    }
}

/// A test that takes minutes, and says little about toyc: it is ignored without TOYC_TEST_ALL=1.
pub fn long_trial(
    name: impl Into<String>,
    test: impl FnOnce() -> Outcome + Send + 'static,
) -> Trial {
    trial_unless((!is_exhaustive()).then_some(EXHAUSTIVE), name, test)
}

pub fn fail<T>(message: impl Into<String>) -> Result<T, Failed> {
    Err(Failed::from(message.into()))
}

/// A process that is about to run.
pub struct Job {
    command: Command,
    shown: String,
    stdin: Vec<u8>,
    limit: Duration,
}

/// The result of a process.
#[derive(Debug)]
pub struct Run {
    /// The exit status; None for a process that a signal ended.
    pub status: Option<i32>,
    pub signal: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
    shown: String,
}

/// TOYC_UNDER_TEST=FILE is another compiler, which `tests/aarch64-host` has built for AArch64 and runs in an emulator.
const UNDER_TEST: &str = "TOYC_UNDER_TEST";

pub fn is_emulated() -> bool {
    std::env::var_os(UNDER_TEST).is_some()
}

/// The compiler with arguments.
pub fn toyc<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Job {
    Job::new(std::env::var_os(UNDER_TEST).unwrap_or_else(|| TOYC.into()), arguments)
}

impl Job {
    pub fn new<S: AsRef<OsStr>>(
        program: impl AsRef<OsStr>,
        arguments: impl IntoIterator<Item = S>,
    ) -> Self {
        let arguments: Vec<OsString> = arguments.into_iter().map(|a| a.as_ref().into()).collect();
        let mut command = Command::new(program.as_ref());
        command.args(&arguments).process_group(0);
        // Whatever the developer's terminal says, messages are compared without colors.
        command.env("NO_COLOR", "1").env("LC_ALL", "C").env_remove("CLICOLOR_FORCE");
        command.env("VALGRIND_OPTS", VALGRIND);
        let words: Vec<_> = std::iter::once(program.as_ref())
            .chain(arguments.iter().map(OsString::as_os_str))
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        Self { command, shown: words.join(" "), stdin: Vec::new(), limit: TIME_LIMIT }
    }

    pub fn stdin(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.stdin = text.into();
        self
    }

    pub fn current_dir(mut self, directory: impl AsRef<Path>) -> Self {
        self.command.current_dir(directory);
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Has cargo build with clippy's compiler, where it is here: lints cost no second build, and warnings are errors.
    pub fn linted(self) -> Self {
        match find(LINTER) {
            // As `cargo clippy -- -D warnings` does.
            Some(_) => self
                .env("RUSTC_WORKSPACE_WRAPPER", LINTER)
                .env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__"),
            None => self,
        }
    }

    pub fn env_remove(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    pub fn limit(mut self, seconds: u64) -> Self {
        self.limit = Duration::from_secs(seconds);
        self
    }

    /// Runs to the end, or fails when the time is up.
    pub fn run(mut self) -> Result<Run, Failed> {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let limit = self.limit * time_factor();
        let mut child = match self.command.spawn() {
            Ok(child) => child,
            Err(error) => return fail(format!("cannot run `{}`: {error}", self.shown)),
        };
        let stdin = child.stdin.take();
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let text = std::mem::take(&mut self.stdin);
        std::thread::scope(|scope| {
            // A process that does not read its input is not our problem.
            scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(&text)));
            let stdout = scope.spawn(move || read_all(stdout));
            let stderr = scope.spawn(move || read_all(stderr));
            // Most processes end within milliseconds: a look at the clock now and then would come late.
            let (group, (sender, ended)) = (child.id(), mpsc::channel());
            scope.spawn(move || sender.send(child.wait()));
            let status = ended.recv_timeout(limit).ok().and_then(Result::ok);
            if status.is_none() {
                kill_group(group);
            }
            let stdout = stdout.join().unwrap_or_default();
            let stderr = String::from_utf8_lossy(&stderr.join().unwrap_or_default()).into_owned();
            let Some(status) = status else {
                return fail(format!("`{}` ran longer than {:?}\n{stderr}", self.shown, limit));
            };
            Ok(Run {
                status: status.code(),
                signal: status.signal(),
                stdout,
                stderr,
                shown: self.shown,
            })
        })
    }
}

fn read_all(stream: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut stream) = stream {
        let _ = stream.read_to_end(&mut bytes);
    }
    bytes
}

/// Ends a process and all it has started: each job is a process group of its own.
fn kill_group(leader: u32) {
    let _ = Command::new("kill").args(["-KILL", "--", &format!("-{leader}")]).status();
}

impl Run {
    pub fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Fails with everything there is to know about the run.
    pub fn complain<T>(&self, what: impl AsRef<str>) -> Result<T, Failed> {
        let status = match (self.status, self.signal) {
            (Some(status), _) => format!("exit status {status}"),
            (None, signal) => format!("ended by signal {}", signal.unwrap_or(0)),
        };
        fail(format!(
            "{}\ncommand: {}\n{status}\n--- stdout ---\n{}\n--- stderr ---\n{}",
            what.as_ref(),
            self.shown,
            excerpt(&self.out()),
            excerpt(&self.stderr),
        ))
    }

    pub fn exits(self, status: i32) -> Result<Run, Failed> {
        if self.status == Some(status) {
            return Ok(self);
        }
        self.complain(format!("expected exit status {status}"))
    }

    pub fn prints(self, expected: impl AsRef<[u8]>) -> Result<Run, Failed> {
        if self.stdout == expected.as_ref() {
            return Ok(self);
        }
        let expected = String::from_utf8_lossy(expected.as_ref()).into_owned();
        let diff = unified(&expected, &self.out(), "expected", "standard output");
        self.complain(format!("another output is expected:\n{}", excerpt(&diff)))
    }

    pub fn says(self, part: &str) -> Result<Run, Failed> {
        if self.stderr.contains(part) {
            return Ok(self);
        }
        self.complain(format!("expected `{part}` on stderr"))
    }

    pub fn silent(self) -> Result<Run, Failed> {
        if self.stderr.is_empty() {
            return Ok(self);
        }
        self.complain("expected nothing on stderr")
    }

    /// The codes of the messages of a run with `--error-format=json`.
    pub fn codes(&self) -> Result<BTreeSet<String>, Failed> {
        let code = |line: &str| match serde_json::from_str::<serde_json::Value>(line) {
            Ok(object) => Ok(object["code"].as_str().unwrap_or_default().to_owned()),
            Err(error) => self.complain(format!("no JSON on stderr: {error}")),
        };
        self.stderr.lines().map(code).collect()
    }

    /// Expects a diagnosed error: exit 1, a code, nothing on standard output.
    pub fn diagnosed(self, code: &str) -> Result<Run, Failed> {
        self.exits(1)?.prints("")?.says(code)
    }
}

/// The start of a text that may be huge.
fn excerpt(text: &str) -> &str {
    let end = (0..=text.len().min(4000)).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

/// Compares a text with a file of expectations, or rewrites the file.
pub fn compare_with_file(actual: &[u8], file: &Path) -> Outcome {
    if is_update() {
        return match std::fs::write(file, actual) {
            Ok(()) => Ok(()),
            Err(error) => fail(format!("cannot write {}: {error}", file.display())),
        };
    }
    let Ok(expected) = std::fs::read(file) else {
        return fail(format!("{} is missing; TOYC_UPDATE=1 writes it", file.display()));
    };
    if expected == actual {
        return Ok(());
    }
    let (expected, actual) = (String::from_utf8_lossy(&expected), String::from_utf8_lossy(actual));
    fail(difference_of_test(&expected, &actual, file))
}

/// The difference between a file, or a part of it, and what the running test made, with the command that accepts it.
pub fn difference_of_test(expected: &str, actual: &str, file: &Path) -> String {
    difference(expected, actual, file, &NAME.with_borrow(Clone::clone))
}

/// The lines of two texts that differ, and the command that accepts the second one.
pub fn difference(expected: &str, actual: &str, file: &Path, test: &str) -> String {
    let file = file.strip_prefix(root()).unwrap_or(file).display().to_string();
    format!(
        "{}to accept it: TOYC_UPDATE=1 cargo test --test suite -- --exact '{test}'",
        unified(expected, actual, &file, "what the test made"),
    )
}

/// The lines of two texts that differ.
fn unified(old: &str, new: &str, old_name: &str, new_name: &str) -> String {
    TextDiff::from_lines(old, new).unified_diff().header(old_name, new_name).to_string()
}

/// The name of a test on a file: the file without directory and extension.
pub fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}
