//! Operations that may write their results over operands.
//!
//! Input: an operation on buffers. Output: pairs of operand numbers, one that is read and one that is
//! written, which may be the same memory: each element is read before the element at the same index is
//! written, and never after.

use crate::dialect::ops::{callee, same_type};
use melior::ir::ValueLike;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::ir;
use mlir_support::linalg::{Generic, input_count};
use std::collections::{BTreeSet, HashMap};

/// Operand numbers: (read, written).
pub type Pairs = BTreeSet<(usize, usize)>;

/// Named operations of linalg of this kind, whose operands all have the shape of the result.
pub const NAMED: [&str; 24] = [
    "linalg.abs",
    "linalg.add",
    "linalg.ceil",
    "linalg.div",
    "linalg.div_unsigned",
    "linalg.erf",
    "linalg.exp",
    "linalg.floor",
    "linalg.log",
    "linalg.max",
    "linalg.min",
    "linalg.mul",
    "linalg.negf",
    "linalg.powf",
    "linalg.reciprocal",
    "linalg.round",
    "linalg.rsqrt",
    "linalg.select",
    "linalg.sqrt",
    "linalg.square",
    "linalg.sub",
    "linalg.tanh",
    "linalg.copy",
    "memref.copy",
];

/// The operands that an operation reads only at the index at which it writes a destination; None if it also reads the
/// destination, or writes it in another order.
pub fn read_in_place(operation: OperationRef, destination: usize) -> Option<Vec<usize>> {
    match ir::name(&operation) {
        "linalg.generic" => Generic::of(operation)?.element_wise(destination),
        name if NAMED.contains(&name) && destination + 1 == operation.operand_count() => {
            Some((0..destination).collect())
        }
        _ => None,
    }
}

/// The pairs of an operation on buffers, given the pairs of functions by name.
pub fn pairs(operation: OperationRef, functions: &HashMap<String, Pairs>) -> Pairs {
    if ir::name(&operation) == "func.call" {
        let of_callee = callee(&operation).and_then(|callee| functions.get(&callee));
        return of_callee.cloned().unwrap_or_default();
    }
    let ty = |operand| ir::operand(operation, operand).r#type();
    let first = input_count(operation).unwrap_or(usize::from(is_copy(operation)));
    let destinations = (first..operation.operand_count()).filter(|_| operation.result_count() == 0);
    destinations
        .flat_map(|written| {
            let read = read_in_place(operation, written).unwrap_or_default().into_iter();
            read.filter(move |read| same_type(ty(*read), ty(written)))
                .map(move |read| (read, written))
        })
        .collect()
}

/// True if an operation is a no-op if its two operands are the same memory.
pub fn is_copy(operation: OperationRef) -> bool {
    ["memref.copy", "linalg.copy"].contains(&ir::name(&operation))
}
