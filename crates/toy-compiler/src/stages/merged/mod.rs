//! `-emit=merged`: buffers share one allocation.
//!
//! Input: linalg on buffers. Output: from `-O1` on, and for exported functions, the buffers of a tree of calls are parts
//! of one planned allocation.

mod callees;
pub mod copies;
pub mod in_place;
pub mod merge_alloc;
pub mod rotate;
pub mod workspace;

use super::{PipelineOptions, when};
use ::merge_alloc::Reuse;
use mlir_support::Pass::{self, Own};
use mlir_support::pass::PassDefinition;

/// Passes written here; the passes of the crate `merge-alloc` are in [`merge_alloc::DEFINED`].
pub const DEFINED: &[PassDefinition] =
    &[rotate::PASS, in_place::PASS, copies::PASS, workspace::PASS];

/// The passes from the stage `memref` to this one.
pub fn passes(options: &PipelineOptions) -> Vec<Pass> {
    [
        when(options.optimizes() || options.exports, &[Own(&rotate::PASS)]),
        when(options.optimizes(), &[Own(&in_place::PASS)]),
        when(options.remarks.of_copies(), &[Own(&copies::PASS)]),
        when(options.merges(), &[merging(options)]),
        when(options.exports, &[Own(&workspace::PASS)]),
    ]
    .concat()
}

fn merging(options: &PipelineOptions) -> Pass {
    let mut merging = options.merge_alloc.clone();
    // A debugger can look at every variable as long as its function runs.
    if options.level == 0 {
        merging.reuse = Reuse::None;
    }
    // For the loops of `toy-loop-nests`; without them it makes no difference.
    if options.level >= 2 {
        merging.stagger.get_or_insert(true);
    }
    Pass::Configured(&merge_alloc::PASS, merging.to_string())
}
