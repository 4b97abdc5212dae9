//! Calls of functions outside of compiled programs: the runtime, and the C library.
//!
//! Input and output: the lowering to linalg makes these calls; the passes here turn them into the LLVM dialect. [`runtime`]
//! has their names. [`texts`] carries the texts of a program and its messages, [`markers`] the variables that debuggers
//! show, and [`math_calls`] calls the C library.

pub mod markers;
pub mod math_calls;
pub mod runtime;
pub mod texts;

use mlir_support::pass::PassDefinition;

/// The passes that are written here.
pub const DEFINED: &[PassDefinition] = &[math_calls::PASS, texts::PASS, markers::DROP_VARIABLES];
