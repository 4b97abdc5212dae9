//! `-emit=shapes`: every shape is known.
//!
//! Input: the Toy dialect with functions without shapes. Output: one function for each function and types of arguments
//! that it is called with, in which every tensor has a shape.

pub mod dead_arguments;
pub mod differentiate;
pub mod specialize;

use super::toy::{canonicalize, cse};
use super::{PipelineOptions, when};
use mlir_support::Pass::{self, Configured, Own};
use mlir_support::pass::PassDefinition;

/// The passes that are written here.
pub const DEFINED: &[PassDefinition] =
    &[specialize::PASS, differentiate::PASS, dead_arguments::PASS];

/// The passes from the stage `toy` to this one.
pub fn passes(options: &PipelineOptions) -> Vec<Pass> {
    let memory = options.tape_memory.map(|bytes| format!("tape-memory={bytes}"));
    [
        vec![Own(&specialize::PASS), Configured(&differentiate::PASS, memory.unwrap_or_default())],
        when(
            options.optimizes(),
            &[Own(&canonicalize::PASS), Own(&dead_arguments::PASS), Own(&cse::PASS)],
        ),
    ]
    .concat()
}
