//! The process around the work: a large stack, and crashes as diagnostics.
//!
//! Input: the work of a command, `toyc` or `toy-opt`. Output: the exit code. Invariant: if the work does
//! not return (because of a panic, a fatal error of LLVM, or a signal in a worker), a diagnostic is shown
//! and the exit code is not 0.

use super::instruments;
use super::reporter::Reporter;
use super::supervise::{self, Outcome};
use crate::{capture, interrupt};
use std::process::ExitCode;
use std::sync::Arc;
use toy_compiler::codegen::fatal;
use toy_compiler::with_large_stack;
use toy_diagnostics::Diagnostic;

/// Does the work, in this process.
pub fn run(reporter: &Arc<Reporter>, work: impl Fn() -> ExitCode + Send + Copy) -> ExitCode {
    report_crashes(reporter);
    // The hook has reported the panic.
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| with_large_stack(work)))
        .unwrap_or(ExitCode::from(1))
}

/// Does the work in a worker process. None: this process is the worker, or a worker cannot be started, and
/// the caller does the work.
pub fn delegate(reporter: &Reporter) -> Option<ExitCode> {
    if supervise::progress_file().is_some() {
        return None;
    }
    let (code, diagnostic) = match supervise::supervise()? {
        Outcome::Exited(code) => return Some(ExitCode::from(code)),
        Outcome::ProgramCrashed(code, diagnostic) => (code, diagnostic),
        Outcome::CompilerCrashed(diagnostic) => (1, diagnostic),
    };
    reporter.show(&[diagnostic], None);
    Some(ExitCode::from(code))
}

/// Shows panics and fatal errors of LLVM as diagnostics.
fn report_crashes(reporter: &Arc<Reporter>) {
    let of_ours = Arc::clone(reporter);
    std::panic::set_hook(Box::new(move |panic| {
        capture::end();
        let diagnostic = Diagnostic::internal(format!("toyc {panic}"));
        of_ours.show(&[instruments::with_step(diagnostic)], None);
    }));
    let of_llvm = Arc::clone(reporter);
    fatal::install(move |diagnostic| {
        // Standard error is captured while toy-opt parses the options of passes, which come from the command line.
        let status = if capture::end() { 2 } else { 1 };
        of_llvm.show(&[instruments::with_step(diagnostic)], None);
        interrupt::remove_files();
        std::process::exit(status)
    });
}
