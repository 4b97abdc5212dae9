//! Ctrl-C and other signals that end the process: temporary files and child processes are removed first.
//!
//! Input: temporary files and child processes, all of which are created here. Output: on SIGINT, SIGQUIT, SIGTERM,
//! SIGHUP and SIGXCPU children get the signal and are waited for, files are removed, and the process ends
//! by the same signal, as a shell expects. A program that runs in this process is ended by SIGPIPE, too. If this
//! process is killed, children that are toyc end by themselves, and files are removed by the next process that makes
//! one in the same directory.
//! Invariants: every temporary file that exists is in the register,
//! which is locked while that changes, so that a signal always finds it consistent; until the first
//! temporary file, signals keep their default action; a signal that was ignored when the process started
//! (`nohup`) stays ignored.

use rustix::io::Errno;
use rustix::process::{Pid, Signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGXCPU};
use signal_hook::iterator::Signals;
use std::fs::{File, Permissions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Deref;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Output, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, Once};
use std::time::{Duration, Instant};
use std::{io, thread};
use tempfile::{TempDir, TempPath};

/// The signals by which users and systems end a process.
const SIGNALS: [i32; 5] = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGXCPU];

/// A temporary file or directory, which is removed when this is dropped. None after it has been removed or renamed.
pub struct Temporary<P: AsRef<Path>>(Option<P>);

/// Makes a temporary file whose name ends with `suffix`.
pub fn temporary(
    directory: &Path,
    suffix: &str,
    mode: u32,
) -> io::Result<(File, Temporary<TempPath>)> {
    let prefix = swept(directory);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(suffix).permissions(Permissions::from_mode(mode));
    let mut register = watched_register();
    let (file, path) = builder.tempfile_in(directory)?.into_parts();
    register.paths.push(path.to_path_buf());
    Ok((file, Temporary(Some(path))))
}

/// Makes a temporary directory among the system's temporary files; it is removed with its contents.
pub fn temporary_directory() -> io::Result<Temporary<TempDir>> {
    let parent = std::env::temp_dir();
    let prefix = swept(&parent);
    let mut register = watched_register();
    let directory = tempfile::Builder::new().prefix(&prefix).tempdir_in(parent)?;
    register.paths.push(directory.path().to_owned());
    Ok(Temporary(Some(directory)))
}

impl Temporary<TempPath> {
    /// Gives the file its name, and replaces a file of this name.
    pub fn persist(mut self, place: &Path) -> io::Result<()> {
        let mut register = register();
        let Some(path) = self.0.take() else { return Ok(()) };
        register.forget(&path);
        path.persist(place).map_err(|error| error.error)
    }
}

impl<P: AsRef<Path>> Deref for Temporary<P> {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.as_ref().map_or(Path::new(""), AsRef::as_ref)
    }
}

impl<P: AsRef<Path>> Drop for Temporary<P> {
    fn drop(&mut self) {
        if let Some(temporary) = self.0.take() {
            // Without the lock: a directory may take longer, and nothing is lost if a signal comes meanwhile.
            let path = temporary.as_ref().to_owned();
            drop(temporary);
            register().forget(&path);
        }
    }
}

/// Removes the files that killed processes have left in a directory. Each file's name contains its process.
pub fn sweep(directory: &Path) {
    let scope = scope();
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let maker = name.to_str().and_then(|name| name.strip_prefix(&scope)?.split('-').next());
        let maker = maker.and_then(|maker| Pid::from_raw(maker.parse().ok()?));
        if maker.is_some_and(|maker| rustix::process::test_kill_process(maker) == Err(Errno::SRCH))
        {
            remove(&entry.path());
        }
    }
}

/// Sweeps a directory. Returns the start of the names of temporary files that this process makes there.
fn swept(directory: &Path) -> String {
    sweep(directory);
    format!("{}{}-", scope(), std::process::id())
}

/// The start of the names of all temporary files from processes whose numbers have the same meaning here: a directory
/// may be shared by containers and machines.
fn scope() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok();
    let names = std::fs::read_link("/proc/self/ns/pid").ok();
    let mut hasher = DefaultHasher::new();
    (boot, names).hash(&mut hasher);
    format!(".toyc-{:016x}-", hasher.finish())
}

fn remove(path: &Path) {
    // Files that are gone already need not be removed.
    if std::fs::remove_file(path).is_err() {
        let _ = std::fs::remove_dir_all(path);
    }
}

/// The way in which a child process ends with this one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// It makes files, in a process group of its own, so that none of its processes is left to make another one. It
    /// gets the signal.
    Linker,
    /// It does the work of this process, and handles signals itself.
    Worker,
    /// It compiles and runs a program, in a process group of its own, which is killed.
    Program,
}

/// A child process in the register, until this is dropped.
pub struct Registered(Pid);

impl Drop for Registered {
    fn drop(&mut self) {
        register().children.retain(|child| child.pid != self.0);
    }
}

/// Starts a process that ends with this one.
pub fn start(command: &mut Command, kind: Kind) -> io::Result<(process::Child, Registered)> {
    if kind != Kind::Worker {
        command.process_group(0);
    }
    if kind == Kind::Linker {
        command.env_remove(PARENT);
    } else {
        command.env(PARENT, std::process::id().to_string());
    }
    let mut register = watched_register();
    let child = command.spawn()?;
    let pid = Pid::from_child(&child);
    register.children.push(Child { pid, kind });
    Ok((child, Registered(pid)))
}

/// Runs a program that makes files. Returns its output.
pub fn run(command: &mut Command) -> io::Result<Output> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let (child, _registered) = start(command, Kind::Linker)?;
    child.wait_with_output()
}

/// The environment variable with the number of the process that has started this one and waits for it.
const PARENT: &str = "TOYC_PARENT";

/// Lets this process end with its parent, even if that is killed, if the parent is a toyc that waits for it.
pub fn follow_parent() {
    let parent = std::env::var(PARENT).ok().and_then(|parent| Pid::from_raw(parent.parse().ok()?));
    let Some(parent) = parent else { return };
    let is_parent = || rustix::process::getppid() == Some(parent);
    if is_parent() {
        let _ = rustix::process::set_parent_process_death_signal(Some(Signal::TERM));
    }
    // It may have ended before.
    if !is_parent() && rustix::process::test_kill_process(parent) == Err(Errno::SRCH) {
        std::process::exit(1);
    }
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

/// True if this signal ends a process without anything to report: users and systems send it, or the reader of its
/// output is gone.
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
    pid: Pid,
    kind: Kind,
}

/// The temporary files, directories and child processes to clean up.
struct Register {
    paths: Vec<PathBuf>,
    children: Vec<Child>,
}

static REGISTER: Mutex<Register> = Mutex::new(Register { paths: Vec::new(), children: Vec::new() });

fn register() -> MutexGuard<'static, Register> {
    REGISTER.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// The register; from here on signals are watched.
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
        self.paths.retain(|other| other != path);
    }

    fn clean_up(&mut self, signal: i32) {
        // The children first: they may be writing one of the files.
        let signal = Signal::from_named_raw(signal).unwrap_or(Signal::TERM);
        for child in &self.children {
            child.send(if child.kind == Kind::Program { Signal::KILL } else { signal });
        }
        let start = Instant::now();
        for child in self.children.drain(..) {
            if !child.ends_before(start + child.limit()) {
                child.send(Signal::KILL);
                child.ends_before(Instant::now() + child.limit());
            }
        }
        self.remove_files();
    }

    fn remove_files(&mut self) {
        self.paths.drain(..).for_each(|path| remove(&path));
    }
}

impl Child {
    /// The time it may take to end after a signal.
    fn limit(&self) -> Duration {
        match self.kind {
            Kind::Linker => Duration::from_secs(2),
            // It may have to wait for a linker.
            Kind::Worker => Duration::from_secs(6),
            Kind::Program => Duration::from_millis(300),
        }
    }

    fn send(&self, signal: Signal) {
        // It may be over already.
        let _ = match self.kind {
            Kind::Worker => rustix::process::kill_process(self.pid, signal),
            Kind::Linker | Kind::Program => rustix::process::kill_process_group(self.pid, signal),
        };
    }

    fn ends_before(&self, deadline: Instant) -> bool {
        while self.exists() {
            if Instant::now() > deadline {
                return false;
            }
            thread::sleep(Duration::from_millis(2));
        }
        true
    }

    /// True until the thread that waits for it knows its status.
    fn exists(&self) -> bool {
        let found = match self.kind {
            Kind::Worker => rustix::process::test_kill_process(self.pid),
            Kind::Linker | Kind::Program => rustix::process::test_kill_process_group(self.pid),
        };
        found.is_ok()
    }
}
