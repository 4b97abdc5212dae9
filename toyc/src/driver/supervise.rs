//! A second process for `.mlir` input, so that a crash of MLIR or LLVM becomes a diagnostic.
//!
//! Toy programs reach MLIR only through our own lowering. `.mlir` text reaches every pass unchanged, and
//! LLVM 22 crashes on some unusual IR that our checks cannot foresee. So the compiler runs once more as a
//! worker that inherits the standard streams, and this process waits for it. The worker writes the name of
//! each step to a file in memory that it inherits; if a signal ends the worker, the diagnostic names that step.

use crate::interrupt;
use rustix::fs::{MemfdFlags, memfd_create};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Command;
use toy_compiler::compilation::RUN;
use toy_diagnostics::{Diagnostic, codes};

/// The environment variable that makes a process a worker: the descriptor of the file for the names of its steps.
const WORKER: &str = "TOYC_WORKER";

/// The name of the file, which exists in memory only.
const STEPS: &str = "toyc-steps";

/// The end of a supervised compilation.
pub enum Outcome {
    Exited(u8),
    /// The program crashed while the JIT ran it; the status is the one that a shell would show.
    ProgramCrashed(u8, Diagnostic),
    CompilerCrashed(Diagnostic),
}

/// The file to which a worker writes its current step; None if this process is not a worker. Whatever the variable
/// contains, a file that has a name is not written.
pub fn progress_file() -> Option<PathBuf> {
    let descriptor: u32 = std::env::var(WORKER).ok()?.parse().ok()?;
    let path = PathBuf::from(format!("/proc/self/fd/{descriptor}"));
    let target = std::fs::read_link(&path).ok()?;
    (target.to_str()? == format!("/memfd:{STEPS} (deleted)")).then_some(path)
}

/// Writes the step that begins.
pub fn note_step(file: &PathBuf, step: &str) {
    let _ = File::create(file).and_then(|mut file| file.write_all(step.as_bytes()));
}

/// Runs the same command line in a worker. None: no second process can be started.
pub fn supervise() -> Option<Outcome> {
    // The worker inherits it.
    let mut progress = File::from(memfd_create(STEPS, MemfdFlags::empty()).ok()?);
    let mut worker = Command::new(std::env::current_exe().ok()?);
    worker.args(std::env::args_os().skip(1)).env(WORKER, progress.as_raw_fd().to_string());
    let (mut worker, registered) = interrupt::start(&mut worker, interrupt::Kind::Worker).ok()?;
    let status = worker.wait().ok()?;
    drop(registered);
    if let Some(code) = status.code() {
        return Some(Outcome::Exited(code as u8));
    }
    let signal = status.signal().unwrap_or(0);
    if interrupt::is_request(signal) {
        // A user or the system ended it: this process's parent must see the same signal.
        interrupt::end_by(signal);
    }
    let mut step = String::new();
    // The step only adds detail to the message.
    let _ = progress.seek(SeekFrom::Start(0)).and_then(|_| progress.read_to_string(&mut step));
    if step == RUN {
        let message = format!("the program was ended by {}", name(signal));
        let diagnostic = Diagnostic::error(codes::CRASHED, message);
        return Some(Outcome::ProgramCrashed(128 + signal as u8, diagnostic));
    }
    let message = format!("MLIR or LLVM crashed on this input ({})", name(signal));
    let mut diagnostic = Diagnostic::error(codes::INTERNAL, message);
    if !step.is_empty() {
        diagnostic = diagnostic.note(format!("in the step `{step}`"));
    }
    let help = "the IR is most likely invalid in a way that nothing checks; if it is valid, this is \
                a bug in LLVM or toyc: please report it with the IR, the command line, and what \
                `toyc --version` prints";
    Some(Outcome::CompilerCrashed(diagnostic.help(help)))
}

fn name(signal: i32) -> String {
    match signal {
        4 => "an illegal instruction".to_owned(),
        // LLVM's `trap` on AArch64; on x86-64 it is an illegal instruction.
        5 => "a trap".to_owned(),
        6 => "an abort".to_owned(),
        7 | 11 => "an invalid memory access".to_owned(),
        8 => "an arithmetic error".to_owned(),
        9 => "a kill, perhaps because memory ran out".to_owned(),
        _ => format!("signal {signal}"),
    }
}
