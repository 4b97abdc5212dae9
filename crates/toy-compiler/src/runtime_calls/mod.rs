//! Calls of the runtime, which compiled programs find outside.
//!
//! Input and output: the lowering to linalg makes these calls; the passes here turn them into the LLVM dialect. [`runtime`]
//! has their names. [`texts`] carries the texts of a program and its messages, and [`markers`] the variables that
//! debuggers show.

pub mod markers;
pub mod runtime;
pub mod texts;

use mlir_support::pass::PassDefinition;

/// The passes that are written here.
pub const DEFINED: &[PassDefinition] = &[texts::PASS, markers::DROP_VARIABLES];
