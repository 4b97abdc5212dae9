//! Ctrl-C and other signals that end the process: temporary files and child processes are removed first.
//!
//! Input: temporary files and child processes, all of which are created here. Output: on SIGINT, SIGQUIT,
//! SIGTERM and SIGHUP children get the signal and are waited for, files are removed, and the process ends
//! by the same signal, as a shell expects. A program that runs in this process is ended by SIGPIPE, too.
//! Invariants: every temporary file that exists is in the register,
//! which is locked while that changes, so that a signal always finds it consistent; until the first
//! temporary file, signals keep their default action; a signal that was ignored when the process started
//! (`nohup`) stays ignored.

use rustix::process::{Pid, Signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, Once};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::{NamedTempFile, TempPath};

/// The signals by which users and systems end a process.
const SIGNALS: [i32; 4] = [SIGINT, SIGQUIT, SIGTERM, SIGHUP];

/// How long a linker may take to end after a signal, and a worker, which may have to wait for a linker.
const LINKER_LIMIT: Duration = Duration::from_secs(2);
const WORKER_LIMIT: Duration = Duration::from_secs(6);

/// A temporary file, which is removed when this is dropped.
pub struct Temporary {
    /// None after it has been removed or renamed.
    path: Option<TempPath>,
}

/// Makes a temporary file.
pub fn temporary(
    make: impl FnOnce() -> io::Result<NamedTempFile>,
) -> io::Result<(File, Temporary)> {
    let mut register = watched_register();
    let (file, path) = make()?.into_parts();
    register.files.push(path.to_path_buf());
    Ok((file, Temporary { path: Some(path) }))
}

impl Temporary {
    /// Gives the file its name, in place of what is there.
    pub fn persist(mut self, place: &Path) -> io::Result<()> {
        let mut register = register();
        let Some(path) = self.path.take() else { return Ok(()) };
        register.forget(&path);
        path.persist(place).map_err(|error| error.error)
    }
}

impl Deref for Temporary {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.path.as_deref().unwrap_or(Path::new(""))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = self.path.take() {
            let mut register = register();
            register.forget(&path);
            drop(path);
        }
    }
}

/// Runs a program that makes files, in a process group of its own, so that none of its processes is left
/// to make another one. The result has what it writes to its streams.
pub fn run(command: &mut Command) -> io::Result<Output> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut register = watched_register();
    let child = command.spawn()?;
    register.child = Some(Child { pid: child.id(), is_group: true });
    drop(register);
    let output = child.wait_with_output();
    self::register().child = None;
    output
}

/// Runs a process that does the work of this one, and handles signals itself.
pub fn run_worker(command: &mut Command) -> io::Result<ExitStatus> {
    let mut register = watched_register();
    let mut child = command.spawn()?;
    register.child = Some(Child { pid: child.id(), is_group: false });
    drop(register);
    let status = child.wait();
    self::register().child = None;
    status
}

/// Runs a program in this process that ends, as other programs do, when nothing reads its output anymore. (The
/// compiler itself continues: it has temporary files to remove.)
pub fn ended_by_closed_pipes<T>(work: impl FnOnce() -> T) -> T {
    let condition = Arc::new(AtomicBool::new(true));
    // Without it, the program gets an error and reports that.
    let registered = signal_hook::flag::register_conditional_default(SIGPIPE, condition);
    let result = work();
    if let Ok(id) = registered {
        signal_hook::low_level::unregister(id);
    }
    result
}

/// Whether this signal ends a process without anything to report: users and systems send it, or the reader of
/// its output is gone.
pub fn is_request(signal: i32) -> bool {
    SIGNALS.contains(&signal) || signal == SIGPIPE
}

/// Ends the process by a signal, after cleaning up.
pub fn end_by(signal: i32) -> ! {
    let mut register = register();
    register.clean_up(signal);
    // The register stays locked: nothing temporary is made any more, and no thread reports a linker
    // that was ended.
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    std::process::exit(128 + signal)
}

/// Removes all temporary files, for a process that ends without unwinding.
pub fn remove_files() {
    register().remove_files();
}

struct Child {
    pid: u32,
    /// Whether it leads a process group.
    is_group: bool,
}

/// The temporary files and the child process to clean up.
struct Register {
    files: Vec<PathBuf>,
    child: Option<Child>,
}

static REGISTER: Mutex<Register> = Mutex::new(Register { files: Vec::new(), child: None });

fn register() -> MutexGuard<'static, Register> {
    REGISTER.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// The register, and from here on signals are watched.
fn watched_register() -> MutexGuard<'static, Register> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let ignored = ignored_signals();
        let watched = SIGNALS.into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
        // Without a thread for them, signals keep their default.
        let Ok(mut signals) = Signals::new(watched) else { return };
        let handle = signals.handle();
        let watch = move || signals.forever().next().map(end_by);
        if thread::Builder::new().name("signals".to_owned()).spawn(watch).is_err() {
            handle.close();
        }
    });
    register()
}

/// The signals that this process ignores, as bits; as far as the system tells.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

impl Register {
    fn forget(&mut self, path: &Path) {
        self.files.retain(|file| file != path);
    }

    fn clean_up(&mut self, signal: i32) {
        // The child first: it may be writing one of the files.
        if let Some(child) = self.child.take() {
            child.end(signal);
        }
        self.remove_files();
    }

    fn remove_files(&mut self) {
        for file in self.files.drain(..) {
            // One that is not there any more need not be removed.
            let _ = std::fs::remove_file(file);
        }
    }
}

impl Child {
    /// Passes a signal on and waits for the end; what takes too long is killed.
    fn end(&self, signal: i32) {
        let signal = Signal::from_named_raw(signal).unwrap_or(Signal::TERM);
        let limit = if self.is_group { LINKER_LIMIT } else { WORKER_LIMIT };
        for signal in [signal, Signal::KILL] {
            self.send(signal);
            let start = Instant::now();
            while start.elapsed() < limit {
                if !self.exists() {
                    return;
                }
                thread::sleep(Duration::from_millis(2));
            }
        }
    }

    fn pid(&self) -> Option<Pid> {
        Pid::from_raw(i32::try_from(self.pid).ok()?)
    }

    fn send(&self, signal: Signal) {
        let Some(pid) = self.pid() else { return };
        // It may be over already.
        let _ = match self.is_group {
            true => rustix::process::kill_process_group(pid, signal),
            false => rustix::process::kill_process(pid, signal),
        };
    }

    /// Until the thread that waits for it knows its status, it exists.
    fn exists(&self) -> bool {
        self.pid().is_some_and(|pid| match self.is_group {
            true => rustix::process::test_kill_process_group(pid).is_ok(),
            false => rustix::process::test_kill_process(pid).is_ok(),
        })
    }
}
