//! The arguments of a program, as its runtime reads them (`runtime/data.c`).
//!
//! Input: a number or the name of a file. Output: its type. Invariant: a program that this thread runs afterwards gets
//! what was read here.

use crate::interface::{Element, Shape, TensorType};
use std::ffi::{CStr, c_char, c_int};
use std::slice;
use toy_diagnostics::{Diagnostic, codes};

/// The runtime's error: the number of a code, and the message.
#[repr(C)]
struct Error {
    code: c_int,
    text: [c_char; 2 * 4096],
}

unsafe extern "C" {
    fn toy_data_shape(
        text: *const c_char,
        sizes: *mut *const i64,
        bytes: *mut i64,
        error: *mut Error,
    ) -> i64;
}

/// The type of an argument. One without floating-point numbers of a size is of the default element.
///
/// # Errors
///
/// The argument is neither a number nor a file that can be read.
pub fn ty(argument: &CStr) -> Result<TensorType, Diagnostic> {
    let (mut sizes, mut bytes) = (std::ptr::null(), 0);
    let mut error = Box::new(Error { code: 0, text: [0; 2 * 4096] });
    // SAFETY: the text ends with a 0; all places are there for the time of the call.
    let rank = unsafe {
        toy_data_shape(argument.as_ptr(), &raw mut sizes, &raw mut bytes, &raw mut *error)
    };
    let Ok(rank) = usize::try_from(rank) else {
        // SAFETY: the runtime has written a text that ends with a 0.
        let text = unsafe { CStr::from_ptr(error.text.as_ptr()) };
        let code = match error.code {
            541 => codes::BAD_ARGUMENTS,
            _ => codes::BAD_DATA,
        };
        return Err(Diagnostic::error(code, text.to_string_lossy()));
    };
    // SAFETY: there are so many sizes, which the runtime keeps.
    let sizes = unsafe { slice::from_raw_parts(sizes, rank) };
    let shape = Shape(sizes.iter().map(|size| size.unsigned_abs()).collect());
    let element = Element::ALL.into_iter().find(|it| it.bytes() == bytes.unsigned_abs());
    Ok(TensorType { element: element.unwrap_or_default(), shape })
}
