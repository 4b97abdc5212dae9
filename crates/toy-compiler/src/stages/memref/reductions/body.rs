//! Computes the body of a reduction, for one element or for the elements of a vector.
//!
//! Input: the values of the operands' elements and of the result so far. Output: the next result. The operations are the
//! body's, in its order, on vectors: each element has the bits that it has alone.

use crate::dialect::enums::is_mathematics;
use crate::dialect::ops;
use crate::stages::linalg::toy_to_linalg::reductions::PARTIAL_RESULTS;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{BlockRef, Value, ValueLike};
use mlir_support::builder::{Builder, vector_type};
use mlir_support::constants::is_constant;
use mlir_support::ir;
use std::collections::HashMap;

/// The name of the operation that gives the index of an iteration along a dimension.
const INDEX: &str = "linalg.index";

/// True if every operation of a body computes one result from numbers.
pub fn is_plain(body: BlockRef) -> bool {
    ir::block_operations(body).iter().all(|operation| {
        let name = ir::name(operation);
        let is_known =
            name.starts_with("arith.") || name.starts_with("math.") || is_mathematics(name);
        let is_single = operation.result_count() == 1 && operation.region_count() == 0;
        name == "linalg.yield" || (is_single && (is_known || name == INDEX))
    })
}

/// The dimensions of the operation whose indices its body uses.
pub fn indexed_dimensions(body: BlockRef) -> Vec<usize> {
    ir::block_operations(body).into_iter().filter_map(indexed_dimension).collect()
}

fn indexed_dimension(operation: OperationRef) -> Option<usize> {
    let dim = ops::attribute(&operation, "dim").filter(|_| ir::name(&operation) == INDEX)?;
    usize::try_from(IntegerAttribute::try_from(dim).ok()?.value()).ok()
}

/// The value `wanted` of a body for `length` elements. `known` has the values of the body's arguments, and `index` gives
/// the indices along a dimension.
pub fn compute<'c, 'a>(
    code: Builder<'c, 'a>,
    (body, wanted): (BlockRef<'c, 'a>, Value<'c, 'a>),
    mut known: HashMap<usize, Value<'c, 'a>>,
    length: u64,
    index: impl Fn(usize) -> Value<'c, 'a>,
) -> Value<'c, 'a> {
    for operation in ir::block_operations(body) {
        let Some(result) = operation.results().next().map(Value::from) else { continue };
        let value = if let Some(dimension) = indexed_dimension(operation) {
            index(dimension)
        } else if is_constant(operation) {
            code.splat(ops::result(code.like(operation, &[], &[result.r#type()])), length)
        } else {
            let operands: Vec<_> = operation
                .operands()
                .map(|operand| match known.get(&ir::id(operand)) {
                    Some(vector) => *vector,
                    None => code.splat(operand, length),
                })
                .collect();
            let copy = code.like(operation, &operands, &[vector_type(result.r#type(), length)]);
            let _ = ir::mutable(copy).remove_attribute(PARTIAL_RESULTS);
            ops::result(copy)
        };
        known.insert(ir::id(result), value);
    }
    known[&ir::id(wanted)]
}
