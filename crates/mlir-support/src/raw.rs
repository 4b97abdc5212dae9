//! The unsafe floor: calls of MLIR's C API with a precondition that no type can express.
//!
//! Each function says what its caller must guarantee. Everything else that walks, asks or changes a program is safe and
//! is in [`ir`](crate::ir).

use crate::ir::has_uses;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, Operation, Region, RegionLike, RegionRef, Type};
use mlir_sys::MlirStringRef;

/// Removes an argument of a block. One that is still used stays.
///
/// # Safety
///
/// No [`Value`](melior::ir::Value) for the argument may be used afterwards: unlike an operation's, its memory is freed at once.
pub unsafe fn erase_argument(block: BlockRef, index: usize) {
    let unused = index < block.argument_count()
        && block.argument(index).is_ok_and(|argument| !has_uses(argument.into()));
    debug_assert!(unused, "erasing an argument that is still used");
    if unused {
        // SAFETY: the block is live and has the argument, which nothing uses; the caller guarantees that there are no
        // references to it.
        unsafe { block.erase_argument(index) }
    }
}

/// The regions of an operation with their contents; the operation keeps empty ones.
///
/// # Safety
///
/// The regions must become part of the same program again, or nothing that refers into them may be used
/// after they are dropped.
pub unsafe fn take_regions<'c>(operation: OperationRef<'c, '_>) -> Vec<Region<'c>> {
    let take = |old: RegionRef<'c, '_>| {
        let region = Region::new();
        // SAFETY: both regions are live; the blocks move from one to the other.
        unsafe { mlir_sys::mlirRegionTakeBody(region.to_raw(), old.to_raw()) }
        region
    };
    operation.regions().map(take).collect()
}

/// Takes an operation out of its block; the caller owns it now. (`move_before` and `move_after` of
/// [`mutable`](crate::ir::mutable) do without.)
///
/// # Safety
///
/// The operation must be in a block, and it must become part of the same program again, or nothing that
/// refers to it or into it may be used after it is dropped.
pub unsafe fn detach<'c>(operation: OperationRef<'c, '_>) -> Operation<'c> {
    // SAFETY: after the removal nothing else owns the operation.
    unsafe {
        mlir_sys::mlirOperationRemoveFromParent(operation.to_raw());
        Operation::from_raw(operation.to_raw())
    }
}

/// A handle read from a type of the same context, as a type.
///
/// # Safety
///
/// The handle must belong to a type of the same context.
pub unsafe fn type_like<'c>(raw: mlir_sys::MlirType, _like: Type<'c>) -> Type<'c> {
    // SAFETY: types are uniqued in their context and live as long as it does.
    unsafe { Type::from_raw(raw) }
}

/// The text of an MLIR string reference; invalid UTF-8 becomes replacement characters.
///
/// # Safety
///
/// The reference must have a null pointer, or a pointer to as many readable bytes as its length.
pub unsafe fn string(raw: MlirStringRef) -> String {
    if raw.data.is_null() || raw.length == 0 {
        return String::new();
    }
    // SAFETY: the caller guarantees a pointer to `length` readable bytes.
    let bytes = unsafe { std::slice::from_raw_parts(raw.data.cast::<u8>(), raw.length) };
    String::from_utf8_lossy(bytes).into_owned()
}
