//! Values: their definitions and their uses.

use super::{blocks_of, name};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, Value, ValueLike};

/// The operation that defines a value, unless it is a block argument.
pub fn defining_operation<'c, 'a>(value: Value<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    // SAFETY: a result lives inside its owner, which therefore lives for 'a as the value does. Its
    // kind is checked first. (melior's conversion prints the value into its error.)
    unsafe {
        mlir_sys::mlirValueIsAOpResult(value.to_raw())
            .then(|| OperationRef::from_raw(mlir_sys::mlirOpResultGetOwner(value.to_raw())))
    }
}

/// The operation of this name that defines a value.
pub fn defined_by<'c, 'a>(value: Value<'c, 'a>, operation: &str) -> Option<OperationRef<'c, 'a>> {
    defining_operation(value).filter(|definition| name(definition) == operation)
}

/// The block of a value that is a block argument.
pub fn argument_block<'c, 'a>(argument: Value<'c, 'a>) -> BlockRef<'c, 'a> {
    assert!(argument.is_block_argument());
    // SAFETY: a block argument lives inside its block.
    unsafe { BlockRef::from_raw(mlir_sys::mlirBlockArgumentGetOwner(argument.to_raw())) }
}

/// The place of a block argument: the operation with the block, the region and the block by number, the blocks of the
/// region, and the number of the argument. None for a result.
pub fn home<'c, 'a>(value: Value<'c, 'a>) -> Option<Home<'c, 'a>> {
    // SAFETY: a live argument has a block, the block of a program a region in an operation, and all of
    // them live as long as the value does. Its kind is checked first.
    unsafe {
        if !mlir_sys::mlirValueIsABlockArgument(value.to_raw()) {
            return None;
        }
        let block = mlir_sys::mlirBlockArgumentGetOwner(value.to_raw());
        let argument = mlir_sys::mlirBlockArgumentGetArgNumber(value.to_raw()) as usize;
        let parent = mlir_sys::mlirBlockGetParentOperation(block);
        if parent.ptr.is_null() {
            return None;
        }
        let parent = OperationRef::from_raw(parent);
        (0..parent.region_count()).find_map(|region| {
            let blocks = blocks_of(parent, region);
            let at = blocks.iter().position(|other| other.to_raw().ptr == block.ptr)?;
            Some(Home { parent, region, block: at, blocks, argument })
        })
    }
}

/// The result of [`home`].
pub struct Home<'c, 'a> {
    pub parent: OperationRef<'c, 'a>,
    pub region: usize,
    pub block: usize,
    pub blocks: Vec<BlockRef<'c, 'a>>,
    pub argument: usize,
}

/// The operations that use a value, once per use.
pub fn users<'c, 'a>(value: Value<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    uses(value).into_iter().map(|(user, _)| user).collect()
}

/// The uses of a value: the operation, and the number of the operand.
pub fn uses<'c, 'a>(value: Value<'c, 'a>) -> Vec<(OperationRef<'c, 'a>, usize)> {
    let mut uses = Vec::new();
    // SAFETY: the use list of a live value is a linked list that does not change meanwhile.
    unsafe {
        let mut operand = mlir_sys::mlirValueGetFirstUse(value.to_raw());
        while !mlir_sys::mlirOpOperandIsNull(operand) {
            let user = OperationRef::from_raw(mlir_sys::mlirOpOperandGetOwner(operand));
            uses.push((user, mlir_sys::mlirOpOperandGetOperandNumber(operand) as usize));
            operand = mlir_sys::mlirOpOperandGetNextUse(operand);
        }
    }
    uses
}

/// The address of each operand of an operation: numbers to subtract, not to read from.
pub fn operand_addresses<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> Vec<usize> {
    let address = |(index, value): (usize, Value)| {
        // SAFETY: as above. An operand is in the use list of its value.
        unsafe {
            let mut operand = mlir_sys::mlirValueGetFirstUse(value.to_raw());
            while !mlir_sys::mlirOpOperandIsNull(operand) {
                let owner = mlir_sys::mlirOpOperandGetOwner(operand);
                let number = mlir_sys::mlirOpOperandGetOperandNumber(operand) as usize;
                if owner.ptr == operation.to_raw().ptr && number == index {
                    break;
                }
                operand = mlir_sys::mlirOpOperandGetNextUse(operand);
            }
            operand.ptr as usize
        }
    };
    operation.operands().enumerate().map(address).collect()
}

pub fn has_uses(value: Value) -> bool {
    // SAFETY: reads the head of a live value's use list.
    unsafe { !mlir_sys::mlirOpOperandIsNull(mlir_sys::mlirValueGetFirstUse(value.to_raw())) }
}

/// An operand of an operation, if it exists.
///
/// For callers that do not know the number of operands: melior's `operand` prints the operation into its error, and for
/// the names in that text MLIR verifies and numbers the whole module.
pub fn operand_if_any<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    index: usize,
) -> Option<Value<'c, 'a>> {
    (index < operation.operand_count()).then(|| operand(operation, index))
}

/// An argument of a block, if it exists. The remark on [`operand_if_any`] holds for melior's `argument`, too.
pub fn argument_if_any<'c: 'a, 'a>(block: BlockRef<'c, 'a>, index: usize) -> Option<Value<'c, 'a>> {
    if index >= block.argument_count() {
        return None;
    }
    block.argument(index).ok().map(Value::from)
}

/// The arguments of a block.
pub fn arguments<'c, 'a>(block: BlockRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    (0..block.argument_count()).flat_map(|index| block.argument(index)).map(Value::from).collect()
}

/// An operand of an operation, which must exist.
pub fn operand<'c: 'a, 'a>(operation: OperationRef<'c, 'a>, index: usize) -> Value<'c, 'a> {
    assert!(index < operation.operand_count());
    // SAFETY: the operation has the operand, which lives as long as its user.
    unsafe {
        Value::from_raw(mlir_sys::mlirOperationGetOperand(operation.to_raw(), index as isize))
    }
}
