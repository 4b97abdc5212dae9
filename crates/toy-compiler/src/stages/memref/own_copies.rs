//! toy-own-copies: a part of a buffer is not copied to itself.
//!
//! Input: functions on buffers, right after bufferization. Output: the same without a `memref.copy` whose two operands
//! are the same part of the same buffer. One-Shot Bufferize computes values in place that are inserted into a tensor,
//! and leaves the insertion as a copy between two subviews that are equal, but not one value:
//!
//! ```mlir
//! %a = memref.subview %x[4] [4] [1]
//! linalg.generic ins(%y) outs(%a)
//! %b = memref.subview %x[4] [4] [1]
//! memref.copy %a, %b
//! ```

use crate::dialect::ops::attribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Module, Value, ValueLike};
use mlir_support::ir;
use mlir_support::pass::{PassContext, PassDefinition};
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition =
    PassDefinition::new("toy-own-copies", "Removes copies of parts of buffers to themselves", run);

/// The pass.
pub fn run<'c>(_: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    for operation in ir::operations(module.as_operation()) {
        if ir::name(&operation) == "memref.copy"
            && is_same_part(ir::operand(operation, 0), ir::operand(operation, 1))
        {
            ir::erase(operation);
        }
    }
    Ok(())
}

/// True if two values are views of one buffer at the same place: made of the same values in the same way.
fn is_same_part<'c: 'a, 'a>(mut one: Value<'c, 'a>, mut other: Value<'c, 'a>) -> bool {
    while one.to_raw().ptr != other.to_raw().ptr {
        let (Some(first), Some(second)) =
            (ir::defining_operation(one), ir::defining_operation(other))
        else {
            return false;
        };
        if !is_same_view(first, second) {
            return false;
        }
        (one, other) = (ir::operand(first, 0), ir::operand(second, 0));
    }
    true
}

/// True if two operations view the same part of their operands.
fn is_same_view(one: OperationRef, other: OperationRef) -> bool {
    const VIEWS: [&str; 5] = [
        "memref.cast",
        "memref.subview",
        "memref.expand_shape",
        "memref.collapse_shape",
        "memref.transpose",
    ];
    const PLACE: [&str; 6] = [
        "static_offsets",
        "static_sizes",
        "static_strides",
        "reassociation",
        "static_output_shape",
        "permutation",
    ];
    let places = |operation: OperationRef| -> Vec<usize> {
        operation.operands().skip(1).map(ir::id).collect()
    };
    VIEWS.contains(&ir::name(&one))
        && ir::name(&one) == ir::name(&other)
        && places(one) == places(other)
        && PLACE.iter().all(|name| attribute(&one, name) == attribute(&other, name))
}
