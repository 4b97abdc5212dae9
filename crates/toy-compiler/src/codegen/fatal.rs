//! LLVM's own errors as diagnostics.
//!
//! There are two kinds. After a fatal error (an instruction that it cannot select, say), LLVM calls a
//! handler that must not return: a command installs one that shows a diagnostic and ends the process. After
//! an error of a context (invalid inline assembly, say), LLVM continues and generates garbage: these errors
//! are collected.

use inkwell::context::AsContextRef;
use inkwell::llvm_sys::LLVMDiagnosticSeverity;
use inkwell::llvm_sys::core::{
    LLVMContextSetDiagnosticHandler, LLVMDisposeMessage, LLVMGetDiagInfoDescription,
    LLVMGetDiagInfoSeverity,
};
use inkwell::llvm_sys::prelude::{LLVMContextRef, LLVMDiagnosticInfoRef};
use inkwell::module::Module;
use std::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

type End = Box<dyn Fn(Diagnostic) + Send + Sync>;

/// The handler of a command, which ends the process: LLVM has one handler for all compilations of a process.
static END: OnceLock<End> = OnceLock::new();

/// Installs the handler of a command for fatal errors: `end` gets a diagnostic. Without it, LLVM prints a message
/// and ends the process.
pub fn install(end: impl Fn(Diagnostic) + Send + Sync + 'static) {
    // The first handler stays: there is one process.
    let _ = END.set(Box::new(end));
    // SAFETY: the handler is a static function of the type LLVM wants; it does not unwind.
    unsafe { inkwell::support::error_handling::install_fatal_error_handler(give_up) }
}

extern "C" fn give_up(reason: *const c_char) {
    // SAFETY: LLVM passes a zero-terminated string that lives during the call.
    let reason = unsafe { CStr::from_ptr(reason) }.to_string_lossy();
    if let Some(end) = END.get() {
        // If this returned, LLVM would call abort() for some errors, which prints another message.
        end(rejected(&format!("LLVM gives up: {reason}")))
    }
}

/// Runs work on a module and returns the errors that LLVM reports meanwhile.
pub fn watched<T>(module: &Module, work: impl FnOnce() -> T) -> Diagnosed<T> {
    let mut errors: Vec<String> = Vec::new();
    let guard = Guard { context: module.get_context().as_ctx_ref() };
    let place: *mut Vec<String> = &raw mut errors;
    // SAFETY: the context lives as long as the module, and so does the vector as the guard: when that is
    // dropped, at the latest by a panic, the context forgets both. Nothing touches the vector in
    // between but the handler.
    unsafe { LLVMContextSetDiagnosticHandler(guard.context, Some(collect), place.cast()) };
    let result = work();
    drop(guard);
    if errors.is_empty() {
        return Ok(result);
    }
    Err(errors.iter().map(|error| rejected(error)).collect())
}

struct Guard {
    context: LLVMContextRef,
}

impl Drop for Guard {
    fn drop(&mut self) {
        // SAFETY: see `watched`; without a handler, LLVM uses its own.
        unsafe { LLVMContextSetDiagnosticHandler(self.context, None, std::ptr::null_mut()) };
    }
}

extern "C" fn collect(info: LLVMDiagnosticInfoRef, errors: *mut c_void) {
    // SAFETY: LLVM passes a diagnostic that lives during the call, and the pointer that `watched` gave it;
    // the description is a zero-terminated string of ours to free.
    unsafe {
        if !matches!(LLVMGetDiagInfoSeverity(info), LLVMDiagnosticSeverity::LLVMDSError) {
            // Remarks, and warnings that do not apply to Toy programs.
            return;
        }
        let description = LLVMGetDiagInfoDescription(info);
        let text = CStr::from_ptr(description).to_string_lossy().into_owned();
        LLVMDisposeMessage(description);
        (*errors.cast::<Vec<String>>()).push(text);
    }
}

/// The first line is the message; for inline assembly, the place in it follows.
fn rejected(message: &str) -> Diagnostic {
    let message = message.trim_end();
    let (first, rest) = message.split_once('\n').unwrap_or((message, ""));
    let diagnostic = Diagnostic::error(codes::CODEGEN_REJECTED, first);
    if rest.is_empty() { diagnostic } else { diagnostic.note(rest) }
}
