//! `-emit=toy`: the syntax tree becomes the Toy dialect.
//!
//! Input: a checked tree ([`ast_to_toy`]; [`exports`] makes the entry functions of a library), or `.mlir`. Output: the
//! Toy dialect, in which functions have no shapes yet; from `-O1` on, simplified.

pub mod ast_to_toy;
pub mod canonicalize;
pub mod cse;
pub mod exports;
mod literal;
pub mod unsupported;

use super::{PipelineOptions, when};
use mlir_support::Pass::{self, Own};
use mlir_support::pass::PassDefinition;

/// The passes that are written here.
pub const DEFINED: &[PassDefinition] = &[unsupported::PASS, canonicalize::PASS, cse::PASS];

/// The passes after the lowering of the tree.
pub fn passes(options: &PipelineOptions) -> Vec<Pass> {
    [
        vec![Own(&unsupported::PASS)],
        when(options.optimizes(), &[Own(&canonicalize::PASS), Own(&cse::PASS)]),
    ]
    .concat()
}
