//! Operations that may write their results over operands.
//!
//! Input: an operation on buffers. Output: pairs of operand numbers, one that is read and one that is
//! written, which may be the same memory: each element is read before the element at the same index is
//! written, and never after.

use crate::dialect::ops::{callee, same_type};
use melior::ir::ValueLike;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::ir;
use mlir_support::linalg::Generic;
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

/// The pairs of an operation, given the pairs of functions by name.
pub fn pairs(operation: OperationRef, functions: &HashMap<String, Pairs>) -> Pairs {
    match ir::name(&operation) {
        "func.call" => {
            let of_callee = callee(&operation).and_then(|callee| functions.get(&callee));
            of_callee.cloned().unwrap_or_default()
        }
        "linalg.generic" => of_generic(operation).unwrap_or_default(),
        name if NAMED.contains(&name) && operation.result_count() == 0 => {
            let Some(last) = operation.operand_count().checked_sub(1) else { return Pairs::new() };
            let inputs = (0..last).filter(|index| has_same_type(operation, *index, last));
            inputs.map(|index| (index, last)).collect()
        }
        _ => Pairs::new(),
    }
}

/// True if an operation overwrites an operand completely without reading it, given its pairs.
pub fn overwrites(operation: OperationRef, operand: usize, pairs: &Pairs) -> bool {
    match ir::name(&operation) {
        "linalg.fill" | "linalg.transpose" | "linalg.broadcast" => {
            operand + 1 == operation.operand_count()
        }
        _ => pairs.iter().any(|(_, written)| *written == operand),
    }
}

/// True if an operation is a no-op if its two operands are the same memory.
pub fn is_copy(operation: OperationRef) -> bool {
    ["memref.copy", "linalg.copy"].contains(&ir::name(&operation))
}

fn has_same_type(operation: OperationRef, a: usize, b: usize) -> bool {
    match (operation.operand(a), operation.operand(b)) {
        (Ok(a), Ok(b)) => same_type(a.r#type(), b.r#type()),
        _ => false,
    }
}

fn of_generic(operation: OperationRef) -> Option<Pairs> {
    let generic = Generic::of(operation).filter(|_| operation.result_count() == 0)?;
    let mut pairs = Pairs::new();
    for output in generic.destinations() {
        let inputs = generic.element_wise(output).unwrap_or_default().into_iter();
        let inputs = inputs.filter(|input| has_same_type(operation, *input, output));
        pairs.extend(inputs.map(|input| (input, output)));
    }
    Some(pairs)
}
