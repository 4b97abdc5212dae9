//! Which operations overwrite a buffer completely, and read nothing of it.

use melior::ir::attribute::{ArrayAttribute, DenseI32ArrayAttribute};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::MemRefType;
use melior::ir::{BlockLike, ShapedTypeLike, ValueLike};
use mlir_support::func::attribute;
use mlir_support::raw;

/// Whether an operation writes each element of the buffer in its operand number `index`, which has elements, and
/// reads none of it through this operand. (It may through another one.)
pub fn overwrites(operation: OperationRef, index: usize) -> bool {
    let is_last = index + 1 == operation.operand_count();
    match raw::name(&operation) {
        "memref.copy" | "linalg.fill" | "linalg.copy" | "linalg.transpose" | "linalg.broadcast" => {
            is_last
        }
        // Of a single element.
        "memref.store" => index == 1 && operation.operand(1).is_ok_and(|to| is_scalar(to.r#type())),
        "linalg.generic" => overwrites_in_generic(operation, index).unwrap_or(false),
        _ => false,
    }
}

fn is_scalar(ty: melior::ir::Type) -> bool {
    MemRefType::try_from(ty).is_ok_and(|ty| ty.rank() == 0)
}

/// Every iteration writes an element of its own, and as many as there are elements.
fn overwrites_in_generic(operation: OperationRef, index: usize) -> Option<bool> {
    let segments = attribute(&operation, "operandSegmentSizes")?;
    let segments = DenseI32ArrayAttribute::try_from(segments).ok()?;
    let inputs = usize::try_from(segments.element(0).ok()?).ok()?;
    let maps = ArrayAttribute::try_from(attribute(&operation, "indexing_maps")?).ok()?;
    let iterators = ArrayAttribute::try_from(attribute(&operation, "iterator_types")?).ok()?;
    let is_parallel = (0..iterators.len()).all(|at| {
        let iterator = iterators.element(at);
        iterator.is_ok_and(|it| raw::is_written(it, "#linalg.iterator_type<parallel>"))
    });
    let (mut used, all) = raw::dimensions_of_map(maps.element(index).ok()?)?;
    used.sort_unstable();
    let old = raw::blocks(operation).first()?.argument(index).ok()?;
    Some(
        index >= inputs
            && is_parallel
            && used.iter().copied().eq(0..all)
            && !raw::has_uses(old.into()),
    )
}
