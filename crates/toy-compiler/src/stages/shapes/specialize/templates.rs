//! Templates: the functions that exist to be cloned, once per specialization.

use crate::dialect::ops::{self, Kind};
use crate::dialect::structs::is_open;
use crate::interface::record;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::ir;

/// True if a function is only there to be cloned: it has unranked types in its signature, or it is
/// a private function of Toy operations.
pub fn is_template(function: OperationRef) -> bool {
    // An exported function is called from outside, for the shapes that its parameters have.
    if ops::entry_block(function).is_none() || function.has_attribute(record::ATTRIBUTE) {
        return false;
    }
    is_open_function(function)
        || (ops::is_private(&function) && (contains_toy(function) || is_all_toy(function)))
}

/// True if a function has unranked types in its signature.
pub fn is_open_function(function: OperationRef) -> bool {
    let Some(ty) = ops::function_type(&function) else { return false };
    ops::inputs(ty).into_iter().chain(ops::results(ty)).any(is_open)
}

/// True if a function does nothing but call and return, as an empty Toy function does: it gets a
/// name of ours, too, so that `def malloc() { }` is not the C library's.
fn is_all_toy(function: OperationRef) -> bool {
    let is_toy = |operation: &OperationRef| {
        Kind::of(operation).is_some() || ["func.call", "func.return"].contains(&ir::name(operation))
    };
    ir::operations(function).iter().all(is_toy)
}

pub fn contains_toy(function: OperationRef) -> bool {
    ir::operations(function).iter().any(|operation| Kind::of(operation).is_some())
}
