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
pub mod own_memory;
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
    own_memory::PASS,
];

/// The passes from the stage `linalg` to this one.
pub fn passes(options: &PipelineOptions) -> Vec<Pass> {
    [
        when(options.level > 1, &[of_rows(&fuse_rows::PASS, options)]),
        // After fusion, which makes new bodies and new destinations.
        vec![of_rows(&reductions::PASS, options)],
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
        when(has_threads(options), &[Own(&own_memory::PASS)]),
    ]
    .concat()
}

fn has_threads(this: &PipelineOptions) -> bool {
    this.level > 1 && this.threads > 1
}

/// A pass whose loops over rows are independent of each other.
fn of_rows(pass: &'static PassDefinition, this: &PipelineOptions) -> Pass {
    let options = if has_threads(this) { "parallel=true" } else { "" };
    Pass::Configured(pass, options.to_owned())
}

/// True if an operation copies a tensor to a part of another one.
fn is_insertion(name: &str) -> bool {
    ["tensor.insert_slice", "tensor.parallel_insert_slice"].contains(&name)
}
