//! `-emit=linalg`: tensors are computed by linalg.
//!
//! Input: the Toy dialect, every shape known. Output: linalg on tensors, without structs; from `-O1` on, fused.

pub mod flatten;
pub mod fusion_fences;
pub mod inline;
pub mod outline;
pub mod scalars;
mod schedule;
pub mod split_literals;
pub mod toy_to_linalg;

use super::shapes::dead_arguments;
use super::{PipelineOptions, when};
use crate::dialect::enums::is_mathematics;
use mlir_support::Pass::{self, IfAny, Own, Upstream};
use mlir_support::pass::PassDefinition;

/// The passes that are written here.
pub const DEFINED: &[PassDefinition] = &[
    flatten::PASS,
    inline::PASS,
    split_literals::PASS,
    outline::PASS,
    toy_to_linalg::PASS,
    scalars::PASS,
    fusion_fences::ADD,
    fusion_fences::REMOVE,
];

/// The passes from the stage `shapes` to this one.
pub fn passes(options: &PipelineOptions) -> Vec<Pass> {
    [
        vec![Own(&flatten::PASS)],
        // Tensors of structs of which others are read.
        when(options.optimizes(), &[Own(&dead_arguments::PASS)]),
        when(options.level > 1, &[Own(&inline::PASS)]),
        vec![
            // Operations of .mlir input on tensors. After the next passes there are some on numbers as well.
            IfAny(is_arithmetic, "convert-elementwise-to-linalg"),
            Own(&split_literals::PASS),
            Own(&outline::PASS),
            Own(&toy_to_linalg::PASS),
        ],
        // A debugger shows variables in memory.
        when(!options.shows_variables(), &[Own(&scalars::PASS)]),
        when(
            options.optimizes(),
            &[
                IfAny(is_linalg, "func.func(linalg-generalize-named-ops)"),
                Own(&fusion_fences::ADD),
                IfAny(is_linalg_or_tensor, "linalg-fuse-elementwise-ops"),
                Own(&fusion_fences::REMOVE),
                Upstream(CANONICALIZE_TENSORS),
            ],
        ),
    ]
    .concat()
}

/// Canonicalization of tensors without the patterns of LLVM 22 that are wrong. The first gives a value that a loop
/// carries the type that it has before the loop, although its size may change in the loop. The others, which fold
/// constant offsets into slices, guess which dimensions of size 1 the slice drops: `[1, 3, 1]` to `1x3` becomes
/// `[1, 1, 3]` (llvm/llvm-project pull requests 178118 and 217361). Subviews of buffers fold them instead.
const CANONICALIZE_TENSORS: &str = concat!(
    "canonicalize{disable-patterns={",
    "'(anonymous namespace)::ForOpTensorCastFolder',",
    "'mlir::OpWithOffsetSizesAndStridesConstantArgumentFolder<mlir::tensor::ExtractSliceOp, ",
    "SliceReturnTypeCanonicalizer, SliceCanonicalizer>',",
    "'(anonymous namespace)::InsertSliceOpConstantArgumentFolder<mlir::tensor::InsertSliceOp>'}}",
);

fn is_linalg(name: &str) -> bool {
    name.starts_with("linalg.")
}

/// The fusion of operations also moves reshapes.
fn is_linalg_or_tensor(name: &str) -> bool {
    is_linalg(name) || name.starts_with("tensor.")
}

/// True if an operation computes, with numbers or with tensors.
fn is_arithmetic(name: &str) -> bool {
    let of = |dialect| name.strip_prefix(dialect).is_some_and(|name| name != "constant");
    of("arith.") || of("math.") || is_mathematics(name)
}
