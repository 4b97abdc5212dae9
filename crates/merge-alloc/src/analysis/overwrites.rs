//! Operations that overwrite a buffer completely, and read nothing of it.

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::MemRefType;
use melior::ir::{ShapedTypeLike, ValueLike};
use mlir_support::ir;
use mlir_support::linalg::Generic;

/// True if an operation writes each element of the buffer in its operand number `index`, which has elements, and reads
/// none of it through this operand. (It may read through another one.)
pub fn overwrites(operation: OperationRef, index: usize) -> bool {
    let is_last = index + 1 == operation.operand_count();
    match ir::name(&operation) {
        "memref.copy" | "linalg.fill" | "linalg.copy" | "linalg.transpose" | "linalg.broadcast" => {
            is_last
        }
        // A buffer of a single element.
        "memref.store" => index == 1 && operation.operand(1).is_ok_and(|to| is_scalar(to.r#type())),
        "linalg.generic" => {
            // Every iteration writes its own element, and there are as many iterations as elements.
            Generic::of(operation).is_some_and(|generic| generic.overwrites(index))
        }
        _ => false,
    }
}

fn is_scalar(ty: melior::ir::Type) -> bool {
    MemRefType::try_from(ty).is_ok_and(|ty| ty.rank() == 0)
}
