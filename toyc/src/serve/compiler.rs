//! Compilations as processes of their own, with limits of time and memory.
//!
//! Input: a program and options. Output: its report, or an error. Invariants: a process is killed with all its child
//! processes if it takes longer than the limit, if the same client sends a newer program, or if the client stops it or
//! closes the connection; at most [`MAX_OUTPUT`] bytes of its output are kept; its files are gone afterwards; the
//! process and its files end with this process ([`interrupt`]).

use crate::capture::{self, Copied};
use crate::interrupt;
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process_group, prlimit};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The most bytes of memory and of files.
const MEMORY: u64 = 4 << 30;
const FILES: u64 = 256 << 20;

/// The most bytes of a program's output.
const MAX_OUTPUT: usize = 64 << 10;

/// The most processes at a time: if more pages ask, the oldest process is killed.
const MOST: usize = 4;

/// A program to compile.
#[derive(Deserialize)]
pub struct Task {
    pub program: String,
    pub level: u8,
    /// True if it is to be run, too.
    #[serde(rename = "run")]
    pub runs: bool,
    /// The page that asks.
    pub client: String,
}

/// The result of a compilation.
#[derive(Default)]
pub struct Answer {
    /// The report as JSON.
    pub report: Option<String>,
    pub diagnostics: Vec<Value>,
    /// The reason why there is neither, or less than requested.
    pub message: Option<String>,
    /// The program's output before it was killed.
    pub run: Option<Run>,
    /// Its standard error.
    pub errors: String,
    pub is_canceled: bool,
    pub time: Duration,
}

/// A run that did not end by itself.
#[derive(Serialize)]
pub struct Run {
    pub output: String,
    pub note: String,
    pub left_out: u64,
    pub status: i32,
    pub ms: f64,
}

/// The processes that run.
pub struct Compiler {
    limit: Duration,
    /// The functions of a library, as `--export` takes them; then nothing runs.
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
    /// A compiler with the longest time that a compilation and the run of its program may take.
    pub fn new(limit: Duration, exports: Vec<String>) -> Self {
        Self { limit, exports, running: Mutex::default() }
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
    let mut command = Command::new(std::env::current_exe()?);
    command.current_dir(&input).arg(name).arg(format!("-O{}", task.level));
    if name.ends_with(".mlir") {
        command.args(["-x", "mlir"]);
    }
    command.args(["--error-format=json", "--report"]).arg(&report);
    command.args(exports.iter().map(|export| format!("--export={export}")));
    match task.runs && exports.is_empty() {
        true => command.arg("-emit=jit"),
        false => command.args(["-emit=asm", "-o", "/dev/null"]),
    };
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let start = Instant::now();
    let (mut child, _registered) = interrupt::start(&mut command, interrupt::Kind::Program)?;
    set_limits(&child, limit);
    let output = kept(child.stdout.take());
    let errors = kept(child.stderr.take());
    let (status, end) = wait(&mut child, limit, why)?;
    let output = output.join().unwrap_or_default();
    let errors = errors.join().unwrap_or_default();
    let mut answer = Answer { report: std::fs::read_to_string(report).ok(), ..Answer::default() };
    for line in String::from_utf8_lossy(&errors.start).lines() {
        match serde_json::from_str(line) {
            Ok(diagnostic @ Value::Object(_)) => answer.diagnostics.push(diagnostic),
            _ => answer.errors += &format!("{line}\n"),
        }
    }
    if let Some(note) = note(status, end, limit) {
        if answer.report.is_some() {
            // It was written before the program ran.
            answer.run = Some(Run {
                left_out: output.length - output.start.len() as u64,
                output: String::from_utf8_lossy(&output.start).into_owned(),
                note: note.clone(),
                status: status.signal().map_or(1, |signal| 128 + signal),
                ms: start.elapsed().as_secs_f64() * 1e3,
            });
        }
        answer.message = Some(note);
    } else if answer.report.is_none() && answer.diagnostics.is_empty() {
        answer.message =
            Some(format!("The compiler has ended without a result: {}", answer.errors.trim()));
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
        let copied = stream.map(|stream| capture::copy(stream, io::sink(), MAX_OUTPUT));
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
