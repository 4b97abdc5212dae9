//! LLVM's fatal errors (an instruction it cannot select, say) as diagnostics: LLVM calls a handler, which
//! ends the process with exit code 1.

use crate::diagnostic::{Diagnostic, codes, render};
use std::ffi::{CStr, c_char};
use std::io::Write;

/// Has fatal errors of this process shown as diagnostics.
pub fn install() {
    // SAFETY: the handler is a static function of the type LLVM wants; it does not unwind.
    unsafe { inkwell::support::error_handling::install_fatal_error_handler(show) }
}

extern "C" fn show(reason: *const c_char) {
    // SAFETY: LLVM passes a zero-terminated string that lives during the call.
    let reason = unsafe { CStr::from_ptr(reason) }.to_string_lossy();
    let diagnostic = Diagnostic::error(codes::MLIR_REJECTED, format!("LLVM gives up: {reason}"));
    let text = render::render(&[diagnostic], None, false);
    let _ = std::io::stderr().write_all(text.as_bytes());
    // LLVM would call abort() for some errors, which is one message more.
    std::process::exit(1)
}
