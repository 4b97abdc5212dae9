//! Changing the program. [`super::graveyard`] erases operations.

use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef, OperationRefMut};
use melior::ir::{Attribute, Operation, Value, ValueLike};

/// Replaces all uses of one value by another one.
pub fn replace_all_uses<'c, 'a>(of: Value<'c, 'a>, with: Value<'c, 'a>) {
    // SAFETY: both values are live and of one context. That the new one lives as long as its uses is up to the program,
    // as with melior's `set_operand`.
    unsafe { mlir_sys::mlirValueReplaceAllUsesOfWith(of.to_raw(), with.to_raw()) }
}

/// Replaces a value by another one in the uses that [`uses`](super::uses) has returned for it, and not in uses that
/// were added since.
pub fn set_uses<'c, 'a>(uses: &[(OperationRef<'c, 'a>, usize)], with: Value<'c, 'a>) {
    for (user, place) in uses {
        mutable(*user).set_operand(*place, with);
    }
}

/// A copy of an operation and everything in it, not in a block yet.
pub fn clone<'c>(operation: OperationRef<'c, '_>) -> Operation<'c> {
    // SAFETY: the clone is a new operation that nothing else owns.
    unsafe { Operation::from_raw(mlir_sys::mlirOperationClone(operation.to_raw())) }
}

/// The same operation, for changing its attributes and operands.
///
/// Not as melior's `OperationRefMut`, which can be swapped for another operation by `std::mem::swap`.
pub fn mutable<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) -> impl OperationMutLike<'c, 'a> {
    // SAFETY: the operation lives for 'a. MLIR keeps no Rust references, and the objects of a context stay on one
    // thread; melior, too, gives mutable references out of shared ones (`BlockLike::first_operation_mut`).
    unsafe { OperationRefMut::from_raw(operation.to_raw()) }
}

/// Sets an attribute of an operation.
pub fn set_attribute<'c>(operation: OperationRef<'c, '_>, name: &str, value: Attribute<'c>) {
    mutable(operation).set_attribute(name, value);
}

/// Removes an attribute of an operation of the program.
pub fn remove_attribute(operation: OperationRef, name: &str) {
    // A missing attribute is removed already.
    let _ = mutable(operation).remove_attribute(name);
}

/// Appends an operand to an operation.
pub fn append_operand<'c, 'a>(operation: OperationRef<'c, 'a>, value: Value<'c, 'a>) {
    let operands: Vec<_> = operation.operands().chain([value]).collect();
    set_operands(operation, &operands);
}

/// Replaces the operands of an operation.
pub fn set_operands<'c, 'a>(operation: OperationRef<'c, 'a>, operands: &[Value<'c, 'a>]) {
    mutable(operation).set_operands(operands);
}
