//! Compilations as processes of their own, with limits of time and memory.
//!
//! Input: a program and options. Output: its report, or its module of WebAssembly, which the page runs; or an error.
//! Invariants: no program runs on this side; a process is killed with all its child processes if it takes longer than the
//! limit, if the same client sends a newer program, or if the client stops it or closes the connection; at most
//! [`MAX_ERRORS`] bytes of its messages are kept; its files are gone afterwards; the process and its files end with this
//! process ([`interrupt`]).

use crate::capture::{self, Copied};
use crate::interrupt;
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process_group, prlimit};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use toy_compiler::codegen::architecture::WASM;

/// The most bytes of memory and of files.
const MEMORY: u64 = 4 << 30;
const FILES: u64 = 256 << 20;

/// The most bytes of the messages about a program.
const MAX_ERRORS: usize = 64 << 10;

/// The most processes at a time: if more pages ask, the oldest process is killed. A page has up to three: for the stages,
/// for another level beside them, and for the module.
const MOST: usize = 9;

/// The file of a module, and its host's.
const MODULE: &str = "program.wasm";
const HOST: &str = "program.mjs";

/// A program to compile.
#[derive(Deserialize)]
pub struct Task {
    pub program: String,
    pub level: u8,
    pub goal: Goal,
    /// The page that asks, and for what.
    pub client: String,
}

/// The product that a page asks for.
#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Goal {
    Report,
    Module,
}

/// The result of a compilation.
#[derive(Default)]
pub struct Answer {
    /// The report as JSON.
    pub report: Option<String>,
    /// The module, and the text of its host.
    pub module: Option<(Vec<u8>, String)>,
    pub diagnostics: Vec<Value>,
    /// The reason why there is none of them.
    pub message: Option<String>,
    pub is_canceled: bool,
    pub time: Duration,
}

/// The processes that run.
pub struct Compiler {
    limit: Duration,
    /// The functions of a library, as `--export` takes them.
    exports: Vec<String>,
    running: Mutex<HashMap<String, Running>>,
}

struct Running {
    start: Instant,
    end: Arc<OnceLock<End>>,
}

/// The reason why a process is killed before its limit.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// Its answer is not needed anymore.
    Canceled,
    /// The client requests it, and the output so far.
    Stopped,
}

impl Compiler {
    /// A compiler with the longest time that a compilation may take.
    pub fn new(limit: Duration, exports: Vec<String>) -> Self {
        Self { limit, exports, running: Mutex::default() }
    }

    /// The longest time that a compilation may take.
    pub fn limit(&self) -> Duration {
        self.limit
    }

    /// True unless files are libraries, of which nothing runs.
    pub fn has_programs(&self) -> bool {
        self.exports.is_empty()
    }

    /// Compiles a program under the name of a file, unless it is abandoned.
    pub fn compile(&self, name: &str, task: &Task, is_abandoned: impl Fn() -> bool) -> Answer {
        let start = Instant::now();
        let end = self.enter(&task.client, start);
        let why = || {
            let is_canceled = end.get().is_none() && is_abandoned();
            end.get().copied().or(is_canceled.then_some(End::Canceled))
        };
        let mut answer =
            compile(name, task, &self.exports, self.limit, why).unwrap_or_else(|error| Answer {
                message: Some(format!("The compiler cannot be started: {error}")),
                ..Answer::default()
            });
        self.leave(&task.client, &end);
        answer.is_canceled = end.get() == Some(&End::Canceled);
        answer.time = start.elapsed();
        answer
    }

    /// Kills the client's process; the client gets the answer so far.
    pub fn stop(&self, client: &str) {
        if let Some(running) = self.lock().get(client) {
            let _ = running.end.set(End::Stopped);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Kills the client's earlier process, and if there are too many the oldest one.
    fn enter(&self, client: &str, start: Instant) -> Arc<OnceLock<End>> {
        let mut running = self.lock();
        let before = running.remove(client);
        let oldest = || running.iter().min_by_key(|(_, other)| other.start);
        let oldest = (running.len() >= MOST).then(|| oldest().map(|(name, _)| name.clone()));
        let oldest = oldest.flatten().and_then(|oldest| running.remove(&oldest));
        for canceled in before.into_iter().chain(oldest) {
            let _ = canceled.end.set(End::Canceled);
        }
        let end = Arc::new(OnceLock::new());
        running.insert(client.to_owned(), Running { start, end: Arc::clone(&end) });
        end
    }

    fn leave(&self, client: &str, end: &Arc<OnceLock<End>>) {
        let mut running = self.lock();
        if running.get(client).is_some_and(|entry| Arc::ptr_eq(&entry.end, end)) {
            running.remove(client);
        }
    }
}

/// Compiles a program in a process that ends within the limit.
fn compile(
    name: &str,
    task: &Task,
    exports: &[String],
    limit: Duration,
    why: impl Fn() -> Option<End>,
) -> io::Result<Answer> {
    let directory = interrupt::temporary_directory()?;
    // Whatever the file is called, the name is neither an option nor the report.
    let input = directory.join("program");
    std::fs::create_dir(&input)?;
    let name = if name.starts_with('-') { "program.toy" } else { name };
    std::fs::write(input.join(name), &task.program)?;
    let report = directory.join("report.json");
    let module = directory.join(MODULE);
    let mut command = Command::new(std::env::current_exe()?);
    command.current_dir(&input).arg(name).arg(format!("-O{}", task.level));
    if name.ends_with(".mlir") {
        command.args(["-x", "mlir"]);
    }
    command.arg("--error-format=json");
    command.args(exports.iter().map(|export| format!("--export={export}")));
    match task.goal {
        Goal::Report => command.args(["-emit=asm", "-o", "/dev/null", "--report"]).arg(&report),
        Goal::Module => command.args(["--target", WASM, "--watch-loops", "-o"]).arg(&module),
    };
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let (mut child, _registered) = interrupt::start(&mut command, interrupt::Kind::Program)?;
    set_limits(&child, limit);
    let errors = kept(child.stderr.take());
    let (status, end) = wait(&mut child, limit, why)?;
    let errors = errors.join().unwrap_or_default();
    let text = |file: &Path| std::fs::read_to_string(file).ok();
    let module = std::fs::read(module).ok().zip(text(&directory.join(HOST)));
    let mut answer = Answer { report: text(&report), module, ..Answer::default() };
    let mut rest = String::new();
    for line in String::from_utf8_lossy(&errors.start).lines() {
        match serde_json::from_str(line) {
            Ok(diagnostic @ Value::Object(_)) => answer.diagnostics.push(diagnostic),
            _ => rest += &format!("{line}\n"),
        }
    }
    answer.message = note(status, end, limit);
    if answer.message.is_none()
        && answer.report.is_none()
        && answer.module.is_none()
        && answer.diagnostics.is_empty()
    {
        let rest = rest.trim();
        answer.message = Some(format!("The compiler has ended without a result: {rest}"));
    }
    Ok(answer)
}

/// Sets the limits of a process that has just been started. Without them it still ends in time.
fn set_limits(child: &Child, limit: Duration) {
    let pid = Pid::from_child(child);
    for (resource, most) in [
        // The time of all processors together; usually the clock ends it sooner.
        (Resource::Cpu, limit.as_secs() + 1),
        (Resource::Data, MEMORY),
        (Resource::Fsize, FILES),
        (Resource::Core, 0),
    ] {
        let _ = prlimit(Some(pid), resource, Rlimit { current: Some(most), maximum: Some(most) });
    }
}

/// Waits for a process and kills it at the limit, or for a reason. The result has the reason.
fn wait(
    child: &mut Child,
    limit: Duration,
    why: impl Fn() -> Option<End>,
) -> io::Result<(ExitStatus, Option<End>)> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            end(child);
            return Ok((status, None));
        }
        let reason = why();
        if start.elapsed() > limit || reason.is_some() {
            end(child);
            return Ok((child.wait()?, reason));
        }
        let pause = if start.elapsed() < Duration::from_millis(200) { 2 } else { 10 };
        thread::sleep(Duration::from_millis(pause));
    }
}

/// Kills a process and all its child processes.
fn end(child: &Child) {
    // Usually nothing is left of it.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

/// Reads a stream to its end, in a thread.
fn kept(stream: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Copied> {
    thread::spawn(move || {
        let copied = stream.map(|stream| capture::copy(stream, io::sink(), MAX_ERRORS));
        copied.unwrap_or_default()
    })
}

/// The message about a process that was killed or crashed.
fn note(status: ExitStatus, end: Option<End>, limit: Duration) -> Option<String> {
    let seconds = limit.as_secs();
    Some(match status.signal()? {
        9 if end == Some(End::Stopped) => "Stopped.".to_owned(),
        9 | 24 => {
            format!("Ended, because it took longer than {seconds} seconds or too much memory.")
        }
        6 => format!(
            "Ended by an abort: it needed more than {} GB of memory, perhaps.",
            MEMORY >> 30
        ),
        signal => format!("Ended by signal {signal}."),
    })
}
