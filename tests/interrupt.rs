//! Signals during a compilation: no file or process is left, and the process ends by the signal.
//!
//! Input: compilations that take long, because the linker is slow, the program is large, or it runs
//! forever. Output: after a signal, the status that a shell expects, no process of the group, and
//! unchanged folders.

use crate::tools::{Outcome, TOYC, Tests, fail, scratch, trial};
use libtest_mimic::{Failed, Trial};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const SIGNALS: [(&str, i32); 5] = [("HUP", 1), ("INT", 2), ("TERM", 15), ("QUIT", 3), ("XCPU", 24)];

const PROGRAM: &str = "def main() { print([[1, 2], [3, 4]] + [[1, 2], [3, 4]]); }\n";

/// Linkers in various states. `$3` is the output file.
const LINKERS: [(&str, &str); 4] = [
    ("waits", "sleep 60"),
    ("writes", "echo half > \"$3\"; sleep 60"),
    // The driver is a shell, which ends; its children go on.
    ("has_children", "(sleep 0.4; echo half > \"$3\"; sleep 60) & wait"),
    (
        "does_not_listen",
        "trap '' INT TERM HUP QUIT XCPU; echo half > \"$3\"; while :; do sleep 0.1; done",
    ),
];

pub fn trials() -> Vec<Trial> {
    let tests: Tests = vec![
        ("interrupted_linking_leaves_no_file", interrupted_linking_leaves_no_file),
        ("interrupted_linking_of_mlir_leaves_no_file", interrupted_linking_of_mlir_leaves_no_file),
        ("ctrl_c_reaches_the_whole_process_group", ctrl_c_reaches_the_whole_process_group),
        ("saved_stages_are_whole", saved_stages_are_whole),
        ("a_long_compilation_can_be_interrupted", a_long_compilation_can_be_interrupted),
        ("a_signal_ends_a_running_program", a_signal_ends_a_running_program),
        ("an_ignored_signal_stays_ignored", an_ignored_signal_stays_ignored),
        ("children_end_with_a_killed_parent", children_end_with_a_killed_parent),
        ("the_next_start_removes_what_a_kill_left", the_next_start_removes_what_a_kill_left),
    ];
    tests.into_iter().map(|(name, test)| trial(format!("interrupt/{name}"), test)).collect()
}

/// A directory with programs, a linker, and a directory for temporary files.
struct Workspace {
    directory: PathBuf,
    started: PathBuf,
}

impl Workspace {
    fn new(test: &str, linker: &str) -> Result<Self, Failed> {
        let directory = scratch(&format!("interrupt/{test}"));
        std::fs::create_dir(directory.join("tmp"))?;
        std::fs::create_dir(directory.join("bin"))?;
        std::fs::create_dir(directory.join("out"))?;
        std::fs::write(directory.join("program.toy"), PROGRAM)?;
        let mlir = Command::new(TOYC)
            .args(["program.toy", "-emit=linalg", "-o", "program.mlir"])
            .current_dir(&directory)
            .status()?;
        if !mlir.success() {
            return fail("no program.mlir");
        }
        let started = directory.join("bin/started");
        let cc = directory.join("bin/cc");
        let script = format!("#!/bin/sh\ntouch '{}'\n{linker}\n", started.display());
        std::fs::write(&cc, script)?;
        std::fs::set_permissions(&cc, std::fs::Permissions::from_mode(0o755))?;
        Ok(Self { directory, started })
    }

    fn command(&self, arguments: &[&str]) -> Command {
        // The tests may run where a signal is ignored, under nohup for instance, and where SIGQUIT leaves a
        // picture of the process's memory.
        let mut command = Command::new("sh");
        let path = std::env::var("PATH").unwrap_or_default();
        let start = "ulimit -c 0; exec env --default-signal=HUP,INT,TERM,QUIT,XCPU \"$@\"";
        command
            .args(["-c", start, "sh", TOYC])
            .args(arguments)
            .current_dir(self.directory.join("out"))
            .env("TMPDIR", self.directory.join("tmp"))
            .env("PATH", format!("{}:{path}", self.directory.join("bin").display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0);
        command
    }

    /// Starts toyc and waits until its linker works.
    fn start_linking(&self, arguments: &[&str]) -> Result<Child, Failed> {
        let _ = std::fs::remove_file(&self.started);
        let child = self.command(arguments).spawn()?;
        until("the linker was never started", || self.started.exists())?;
        Ok(child)
    }

    /// Fails unless these are the only files.
    fn is_clean(&self, expected: &[&str]) -> Outcome {
        for (directory, expected) in [("tmp", &[][..]), ("out", expected)] {
            let found = names(&self.directory.join(directory))?;
            if found != expected {
                return fail(format!("in {directory}: {found:?} instead of {expected:?}"));
            }
        }
        Ok(())
    }
}

fn names(directory: &Path) -> Result<Vec<String>, Failed> {
    let entries = std::fs::read_dir(directory)?;
    let mut names: Vec<_> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

fn until(what: &str, mut condition: impl FnMut() -> bool) -> Outcome {
    let start = Instant::now();
    while !condition() {
        if start.elapsed() > Duration::from_secs(60) {
            return fail(what);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

fn kill(signal: &str, target: &str) -> bool {
    let mut kill = Command::new("kill");
    kill.args(["-s", signal, "--", target]).stderr(Stdio::null());
    kill.status().is_ok_and(|status| status.success())
}

/// Sends a signal to a process, or to its group, and sees how it ends.
fn ends_by(mut child: Child, (name, number): (&str, i32), whole_group: bool) -> Outcome {
    let group = format!("-{}", child.id());
    let target = if whole_group { group.clone() } else { child.id().to_string() };
    if !kill(name, &target) {
        return fail("it was over already");
    }
    let ended = until("it does not end", || matches!(child.try_wait(), Ok(Some(_))));
    if ended.is_err() {
        kill("KILL", &group);
    }
    let output = child.wait_with_output()?;
    ended?;
    // It is the process of that number whose group this is: a worker or so may take a moment.
    until("a process is left", || !kill("0", &group))?;
    let text = String::from_utf8_lossy(&output.stderr);
    if output.status.signal() != Some(number) || !text.is_empty() {
        return fail(format!("SIG{name}: {} {text}", output.status));
    }
    Ok(())
}

/// Runs a test with all linkers in parallel: it waits for a process that ignores signals or that was left.
fn with_each_linker(test: impl Fn(&str, &str) -> Outcome + Sync) -> Outcome {
    let test = &test;
    std::thread::scope(|scope| {
        let running = LINKERS.map(|(linker, script)| scope.spawn(move || test(linker, script)));
        running.into_iter().try_for_each(|it| it.join().unwrap_or_else(|_| fail("a panic")))
    })
}

fn interrupted_linking_leaves_no_file() -> Outcome {
    with_each_linker(|linker, script| {
        let workspace = Workspace::new(&format!("while_linking/{linker}"), script)?;
        std::fs::write(workspace.directory.join("out/program"), "old")?;
        for signal in SIGNALS {
            let child = workspace.start_linking(&["../program.toy"])?;
            ends_by(child, signal, false)?;
            if linker == "has_children" {
                // Longer than the child would have waited.
                std::thread::sleep(Duration::from_millis(600));
            }
            workspace.is_clean(&["program"])?;
            if std::fs::read(workspace.directory.join("out/program"))? != b"old" {
                return fail("the output has changed");
            }
        }
        Ok(())
    })
}

/// The linker is a child of a child.
fn interrupted_linking_of_mlir_leaves_no_file() -> Outcome {
    with_each_linker(|linker, script| {
        let workspace = Workspace::new(&format!("while_linking_mlir/{linker}"), script)?;
        for signal in SIGNALS {
            let child = workspace.start_linking(&["../program.mlir", "-O2"])?;
            ends_by(child, signal, false)?;
            workspace.is_clean(&[])?;
        }
        Ok(())
    })
}

fn ctrl_c_reaches_the_whole_process_group() -> Outcome {
    let workspace = Workspace::new("a_terminal_asks_the_whole_group", LINKERS[1].1)?;
    for program in ["../program.toy", "../program.mlir"] {
        for signal in SIGNALS {
            let child = workspace.start_linking(&[program])?;
            ends_by(child, signal, true)?;
            workspace.is_clean(&[])?;
        }
    }
    Ok(())
}

fn saved_stages_are_whole() -> Outcome {
    let workspace = Workspace::new("saved_stages_are_whole", LINKERS[1].1)?;
    let child = workspace.start_linking(&["../program.toy", "--save-temps", "-o", "x"])?;
    ends_by(child, SIGNALS[2], false)?;
    let saved = names(&workspace.directory.join("out"))?;
    let saved: Vec<_> = saved.iter().map(String::as_str).collect();
    if !saved.contains(&"x.o") || saved.iter().any(|name| !name.starts_with("x.")) {
        return fail(format!("{saved:?}"));
    }
    workspace.is_clean(&saved)
}

/// Signals come at any time: while reading, in MLIR, in LLVM.
fn a_long_compilation_can_be_interrupted() -> Outcome {
    let workspace = Workspace::new("in_a_long_compilation", "exec /usr/bin/cc \"$@\"")?;
    let mut text = String::from("def main() {\n  var a = [[1, 2], [3, 4]];\n");
    for index in 0..3_000 {
        text += &format!("  var v{index} = a * transpose(a) + {index};\n  print(v{index});\n");
    }
    std::fs::write(workspace.directory.join("large.toy"), text + "}\n")?;
    let to_mlir =
        workspace.command(&["../large.toy", "-emit=linalg", "-o", "../large.mlir"]).status()?;
    if !to_mlir.success() {
        return fail("no large.mlir");
    }
    for program in ["../large.toy", "../large.mlir"] {
        for (number, emit) in ["-emit=obj", "-emit=exe", "-emit=llvm"].into_iter().enumerate() {
            for wait in [30, 250, 900] {
                let arguments = [program, emit, "-O1", "-o", "result"];
                let child = workspace.command(&arguments).spawn()?;
                std::thread::sleep(Duration::from_millis(wait));
                ends_by(child, SIGNALS[number], false)?;
                workspace.is_clean(&[])?;
            }
        }
    }
    Ok(())
}

fn a_signal_ends_a_running_program() -> Outcome {
    let workspace = Workspace::new("a_program_that_runs", "")?;
    std::fs::write(
        workspace.directory.join("loop.mlir"),
        "func.func @main() {
           %0 = arith.constant 0 : index
           %1 = arith.constant 1 : index
           %n = arith.constant 1000000000000 : index
           %a = \"toy.constant\"() {value = dense<1.0> : tensor<2xf64>} : () -> tensor<2xf64>
           scf.for %i = %0 to %n step %1 {
             \"toy.print\"(%a) : (tensor<2xf64>) -> ()
           }
           return
         }",
    )?;
    for signal in SIGNALS {
        for whole_group in [false, true] {
            let mut command = workspace.command(&["../loop.mlir", "-emit=jit"]);
            let mut child = command.stdout(Stdio::piped()).spawn()?;
            // The pipe stays open, and the program waits when it is full.
            child.stdout.as_mut().ok_or("no output")?.read_exact(&mut [0])?;
            ends_by(child, signal, whole_group)?;
            workspace.is_clean(&[])?;
        }
    }
    Ok(())
}

/// `nohup toyc ... &` goes on when the terminal is closed.
fn an_ignored_signal_stays_ignored() -> Outcome {
    let workspace = Workspace::new("what_was_ignored_stays_ignored", LINKERS[0].1)?;
    let environment = workspace.command(&[]);
    let command = format!("trap '' HUP; exec {TOYC} ../program.toy");
    let mut nohup = Command::new("sh");
    nohup.args(["-c", &command]).process_group(0).current_dir(workspace.directory.join("out"));
    nohup.envs(environment.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut child = nohup.stdin(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    until("the linker was never started", || workspace.started.exists())?;
    kill("HUP", &child.id().to_string());
    std::thread::sleep(Duration::from_millis(200));
    if child.try_wait()?.is_some() {
        return fail("the ignored signal ended it");
    }
    ends_by(child, SIGNALS[2], false)?;
    workspace.is_clean(&[])
}

/// SIGKILL cannot be handled: the worker notices it.
fn children_end_with_a_killed_parent() -> Outcome {
    let workspace = Workspace::new("children_of_a_killed_parent", LINKERS[1].1)?;
    let mut child = workspace.start_linking(&["../program.mlir"])?;
    let group = format!("-{}", child.id());
    kill("KILL", &child.id().to_string());
    child.wait()?;
    let ended = until("a process is left", || !kill("0", &group));
    kill("KILL", &group);
    ended?;
    workspace.is_clean(&[])
}

fn the_next_start_removes_what_a_kill_left() -> Outcome {
    let workspace = Workspace::new("after_a_kill", LINKERS[1].1)?;
    let mut child = workspace.start_linking(&["../program.toy"])?;
    kill("KILL", &child.id().to_string());
    child.wait()?;
    if workspace.is_clean(&[]).is_ok() {
        return fail("there was nothing to remove");
    }
    // Another process's files stay as long as it runs.
    let mut other = workspace.start_linking(&["../program.toy", "-o", "other"])?;
    let count = |directory: &str| names(&workspace.directory.join(directory)).map(|it| it.len());
    if (count("tmp")?, count("out")?) != (1, 1) {
        return fail("not only the files of the process that runs");
    }
    std::fs::remove_file(&workspace.started)?;
    let second = workspace.start_linking(&["../program.toy", "-o", "second"])?;
    if (count("tmp")?, count("out")?) != (2, 2) {
        return fail("the files of a process that runs are gone");
    }
    ends_by(second, SIGNALS[2], false)?;
    kill("TERM", &other.id().to_string());
    other.wait()?;
    workspace.is_clean(&[])
}
