//! `-emit=dealloc`: every buffer is freed, by upstream's ownership-based deallocation.
//!
//! Input: linalg on buffers. Output: each buffer has exactly one owner at every point, which frees it.

pub mod allocated;
pub mod free_early;
pub mod never_owned;
pub mod ownership;

use super::memref::freeze_poison;
use super::{PipelineOptions, when};
use mlir_support::Pass::{self, IfUsed, Own, Upstream};
use mlir_support::pass::PassDefinition;

/// The passes that are written here.
pub const DEFINED: &[PassDefinition] = &[
    ownership::MAKE_PRIVATE,
    ownership::EXPAND_RESHAPES,
    ownership::PREPARE,
    ownership::SETTLE,
    never_owned::PASS,
    ownership::REPORT,
    allocated::LOWER_DEALLOCATIONS,
    allocated::READ_POINTERS,
    free_early::PASS,
];

/// The passes from the stage `merged` to this one.
pub fn passes(options: &PipelineOptions) -> Vec<Pass> {
    [
        when(!options.is_linked, &[Own(&ownership::MAKE_PRIVATE)]),
        vec![
            Own(&freeze_poison::BUFFERS),
            Own(&ownership::EXPAND_RESHAPES),
            Own(&ownership::PREPARE),
            Upstream("expand-realloc{emit-deallocs=false}"),
            Upstream(
                "ownership-based-buffer-deallocation{private-function-dynamic-ownership=true}",
            ),
            Own(&ownership::SETTLE),
            Own(&never_owned::PASS),
            Upstream("canonicalize"),
            Upstream("buffer-deallocation-simplification"),
            // Loops carry with each buffer whether it is to be freed: never, for those
            // that take turns in a merged one. Where that is known, no code finds it out.
            IfUsed(&["scf"], "sccp"),
            IfUsed(&["scf"], "canonicalize"),
        ],
        when(options.remarks.decided_late, &[Own(&ownership::REPORT)]),
        vec![
            Own(&allocated::LOWER_DEALLOCATIONS),
            Upstream("convert-bufferization-to-memref"),
            Upstream("cse"),
            Upstream("canonicalize"),
            Own(&free_early::PASS),
        ],
    ]
    .concat()
}
