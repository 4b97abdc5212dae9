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
        "memref.store" if index == 1 => {
            let to =
                operation.operand(1).ok().and_then(|to| MemRefType::try_from(to.r#type()).ok());
            to.is_some_and(|ty| ty.rank() == 0)
        }
        "linalg.generic" => {
            // Every iteration writes its own element, and there are as many iterations as elements.
            Generic::of(operation).is_some_and(|generic| generic.overwrites(index))
        }
        _ => false,
    }
}
