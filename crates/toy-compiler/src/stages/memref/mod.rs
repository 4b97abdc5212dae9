//! `-emit=memref`: tensors become buffers, by upstream's One-Shot Bufferize.
//!
//! Input: linalg on tensors. Output: linalg on buffers; a function writes its results to buffers of its caller.

pub mod bufferize;
pub mod deallocate;
pub mod destinations;
pub mod distinct_yields;
pub mod exported_results;
pub mod freeze_poison;
pub mod fuse_rows;
pub mod own_arguments;
pub mod own_copies;
pub mod own_outs;
pub mod reductions;
pub mod results;
pub mod unreachable;
pub mod updates;

use super::{PipelineOptions, when};
use mlir_support::Pass::{self, IfAny, IfUsed, Own, Upstream};
use mlir_support::pass::PassDefinition;

/// The passes that are written here.
pub const DEFINED: &[PassDefinition] = &[
    fuse_rows::PASS,
    reductions::PASS,
    own_outs::PASS,
    unreachable::PASS,
    freeze_poison::TENSORS,
    freeze_poison::BUFFERS,
    own_arguments::PASS,
    destinations::PASS,
    distinct_yields::PASS,
    deallocate::DISTINCT_TENSORS,
    updates::PASS,
    bufferize::PASS,
    own_copies::PASS,
    deallocate::DROP_EQUIVALENT_RESULTS,
    deallocate::DISTINCT_BUFFERS,
    deallocate::RESULTS_TO_OUT_PARAMS,
    exported_results::PASS,
];

/// The passes from the stage `linalg` to this one.
pub fn passes(options: &PipelineOptions) -> Vec<Pass> {
    [
        // Threads divide the rows of each operation.
        when(options.level > 1 && options.threads < 2, &[Own(&fuse_rows::PASS)]),
        // After fusion, which makes new bodies and new destinations.
        vec![reductions_of(options)],
        when(!options.shows_variables(), &[Own(&own_outs::PASS)]),
        vec![
            // Bufferization and deallocation need structured control flow.
            Own(&unreachable::PASS),
            IfUsed(&["cf"], "lift-cf-to-scf"),
            // Replaces the poison that lifting inserts.
            Own(&freeze_poison::TENSORS),
        ],
        // The caller gives an exported function its memory: its loops do not allocate.
        when(options.exports, &[Own(&own_arguments::PASS)]),
        vec![
            Own(&destinations::PASS),
            Own(&distinct_yields::PASS),
            // Values that are inserted into a tensor are computed there.
            IfAny(is_insertion, "eliminate-empty-tensors"),
            Own(&deallocate::DISTINCT_TENSORS),
        ],
        when(options.remarks.of_copies(), &[Own(&updates::PASS)]),
        vec![
            Own(&bufferize::PASS),
            // Before the next one, which does not look through reshapes.
            Upstream("canonicalize"),
            Own(&own_copies::PASS),
            Own(&deallocate::DROP_EQUIVALENT_RESULTS),
            Own(&deallocate::DISTINCT_BUFFERS),
            Own(&deallocate::RESULTS_TO_OUT_PARAMS),
        ],
        when(options.exports, &[Own(&exported_results::PASS)]),
    ]
    .concat()
}

fn reductions_of(this: &PipelineOptions) -> Pass {
    let parallel = this.level > 1 && this.threads > 1;
    let options = if parallel { "parallel=true" } else { "" };
    Pass::Configured(&reductions::PASS, options.to_owned())
}

/// True if an operation copies a tensor to a part of another one.
fn is_insertion(name: &str) -> bool {
    ["tensor.insert_slice", "tensor.parallel_insert_slice"].contains(&name)
}
