//! Loops that are fast: a transposed operand is read in tiles.
//!
//! In: `linalg.generic` on buffers. Out: loops over tiles instead of some. Row by row
//! in the result is column by column in a transposed operand. For each number, the cache
//! loads a line of eight, and has dropped it when the next row wants another of the eight.
//! Tile by tile, all eight are used at once.

use crate::dialect::{all_operations, mutable, name};
use crate::passes;
use melior::ir::attribute::ArrayAttribute;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::r#type::{DimSize, MemRefType};
use melior::ir::{Attribute, BlockLike, Module, ShapedTypeLike, ValueLike};
use melior::{Context, IrRewriter};
use std::collections::BTreeSet;

/// What happens to the operations with the attribute `tile = SIZE`, in the language of
/// MLIR's transform dialect. The large tiles are for the cache and the small ones for the
/// registers: eight times a line of the cache.
const TILE: &str = "
    %markedSIZE = transform.structured.match attributes{tile = SIZE} in %program
        : (!transform.any_op) -> !transform.any_op
    %largeSIZE, %loopsSIZE:2 = transform.structured.tile_using_for %markedSIZE
        tile_sizes [SIZE, SIZE]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %smallSIZE, %innerSIZE:2 = transform.structured.tile_using_for %largeSIZE
        tile_sizes [8, 8]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.structured.vectorize %smallSIZE : !transform.any_op";

/// The rest of the script: a transposed vector becomes exchanges between registers.
const SCRIPT: &str = "module attributes {transform.with_named_sequence} {
transform.named_sequence @__transform_main(%program: !transform.any_op) {TILES
    %functions = transform.structured.match ops{[\"func.func\"]} in %program
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %functions {
        transform.apply_patterns.vector.transfer_permutation_patterns
        transform.apply_patterns.vector.lower_transpose
            lowering_strategy = \"shuffle_16x16\"
    } : !transform.any_op
    transform.yield
}}";

pub fn tile<'c>(context: &'c Context, module: &mut Module<'c>) -> Result<(), String> {
    let mut sizes = BTreeSet::new();
    for operation in all_operations(module) {
        let Some(size) = tile_size(operation) else { continue };
        let attribute = Attribute::parse(context, &size.to_string());
        mutable(operation).set_attribute("tile", attribute.expect("it is a number"));
        sizes.insert(size);
    }
    if sizes.is_empty() {
        return Ok(());
    }
    let tiles = sizes.iter().map(|size| TILE.replace("SIZE", &size.to_string()));
    let script = SCRIPT.replace("TILES", &String::from_iter(tiles));
    // The interpreter looks for the script in the program.
    let script = Module::parse(context, &script).expect("the script is valid");
    let script = script.body().first_operation().expect("it has one");
    module.body().insert_operation(0, (*script).clone());
    let mark = Attribute::unit(context);
    module.as_operation_mut().set_attribute("transform.with_named_sequence", mark);
    passes::run(context, module, "transform-interpreter")?;
    let script = module.body().first_operation().expect("the script is still there");
    IrRewriter::from_op(script).as_rewriter_base().erase_op(script);
    passes::run(context, module, "canonicalize, cse")
}

/// The size of the tiles, if the operation is one that reads a matrix in another order
/// than it writes its result, and if the result can be cut into tiles.
fn tile_size(generic: OperationRef) -> Option<u64> {
    let maps =
        generic.attribute("indexing_maps").and_then(ArrayAttribute::try_from).ok()?;
    let transposes =
        |index| Some(maps.element(index).ok()?.to_string().ends_with("-> (d1, d0)>"));
    let result = MemRefType::try_from(generic.operands().last()?.r#type()).ok()?;
    let is_one = name(generic) == "linalg.generic" && result.rank() == 2;
    if !is_one || !(0..maps.len()).any(|index| transposes(index) == Some(true)) {
        return None;
    }
    let divides = |size: u64| {
        let is_multiple = |index| {
            let side = result.dim_size(index);
            matches!(side, Ok(DimSize::Static(side)) if side % size == 0)
        };
        is_multiple(0) && is_multiple(1)
    };
    [40, 32, 24, 16, 8].into_iter().find(|size| divides(*size))
}
