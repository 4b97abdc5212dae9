//! Erasing, so that no reference is left to freed memory.
//!
//! melior's references to operations are `Copy`: code that erases an operation cannot know whether another
//! reference to it is left. Therefore an erased operation moves out of the program into a block of dead
//! operations, its grave, and its memory is freed when no such reference can exist anymore.
//!
//! Input: an operation in a block. Output: the program without it. Invariants: every reference into a module borrows
//! the module, and [`release`], which frees the dead operations of a module, takes its only borrow. A dead operation is
//! not connected to the program: its operands from there are replaced by values of the same type in the grave, and its
//! successors by the grave itself. It has as many operands and successors as before, so that it can still be read and
//! printed as any other operation. MLIR's own passes and patterns free erased operations at once, and so they, too,
//! take the only borrow.

use super::has_uses;
use super::identity::id;
use crate::memo;
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef};
use melior::ir::{Location, Module, Type, Value, ValueLike};
use mlir_sys::{MlirBlock, MlirOperation, MlirValue};
use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The dead operations of a context, by the outermost operation that they were in. The context's session
/// owns it.
#[derive(Default)]
struct Graveyard(RefCell<HashMap<usize, Grave>>);

/// The dead operations of one module.
struct Grave {
    block: MlirBlock,
    /// Values for dead operations to use, by their types.
    stand_ins: HashMap<usize, MlirValue>,
}

impl Drop for Grave {
    fn drop(&mut self) {
        if self.is_closed() {
            // SAFETY: the block is ours, and so are its contents. They use nothing else, and nothing else uses them.
            // The context is alive: sessions drop their memos first.
            unsafe { mlir_sys::mlirBlockDestroy(self.block) }
        }
    }
}

/// Removes an operation from the program. References to it can still read everything, but
/// it is no longer in a function.
///
/// Its results, and the values of the regions inside, must have no uses left outside. That
/// is checked here, because Debian's MLIR has no assertions; an operation that is still
/// used is not removed. Neither is one that is not in a block: it has another owner.
pub fn erase(operation: OperationRef) {
    let nested = Nested::of(operation.to_raw());
    let is_inside = |user| is_in(user, operation.to_raw());
    let is_unused = !operation.results().any(|result| has_uses(result.into()))
        && nested.values().all(|value| users(value).all(is_inside));
    debug_assert!(is_unused, "erasing an operation that is still used");
    let is_owned = operation.block().is_none();
    debug_assert!(!is_owned, "erasing an operation that is not in a block");
    if !is_unused || is_owned {
        return;
    }
    let Some(graveyard) = memo::of::<Graveyard>(operation.context()) else {
        return Grave::new().forever(operation, &nested);
    };
    let mut graves = graveyard.0.borrow_mut();
    let (key, outermost) = outermost(operation);
    // An operation inside a dead one is in a grave already.
    let is_known = |grave: &Grave| grave.block.ptr == outermost;
    let known = graves.iter().find(|(_, grave)| is_known(grave)).map(|(key, _)| *key);
    match graves.entry(known.unwrap_or(key)) {
        Entry::Occupied(grave) => grave.into_mut().bury(operation, &nested),
        Entry::Vacant(place) => place.insert(Grave::new()).bury(operation, &nested),
    }
}

/// Erases an operation if nothing uses its results.
pub fn erase_if_unused(operation: OperationRef) {
    if operation.results().all(|result| !has_uses(result.into())) {
        erase(operation);
    }
}

/// Frees the memory of operations erased from a module. [`Pass::run`](crate::Pass::run) does it after each pass.
pub fn release(module: &mut Module) {
    let operation = module.as_operation();
    if let Some(graveyard) = memo::of::<Graveyard>(operation.context()) {
        let grave = graveyard.0.borrow_mut().remove(&id(operation));
        debug_assert!(grave.is_none_or(|grave| grave.is_closed()), "an erased value is used again");
    }
}

/// The number of operations that wait for their memory to be freed.
#[cfg(test)]
pub(super) fn waiting(context: melior::ContextRef) -> usize {
    let Some(graveyard) = memo::of::<Graveyard>(context) else { return 0 };
    let graves = graveyard.0.borrow();
    let count = |grave: &Grave| {
        // SAFETY: the block lives as long as the grave.
        let all = super::block_operations(unsafe { melior::ir::BlockRef::from_raw(grave.block) });
        all.len() - grave.stand_ins.len()
    };
    graves.values().map(count).sum()
}

impl Grave {
    fn new() -> Self {
        // SAFETY: makes a block that is ours, without arguments.
        let block = unsafe { mlir_sys::mlirBlockCreate(0, std::ptr::null(), std::ptr::null()) };
        Self { block, stand_ins: HashMap::new() }
    }

    /// For a context without a session: its end cannot be observed.
    fn forever(mut self, operation: OperationRef, nested: &Nested) {
        self.bury(operation, nested);
        std::mem::forget(self);
    }

    fn bury(&mut self, operation: OperationRef, nested: &Nested) {
        let location = operation.location();
        let raw = operation.to_raw();
        // SAFETY: the operation is live and in a block, and becomes part of ours. The indices are below
        // the numbers of its operands and successors.
        unsafe {
            for index in 0..mlir_sys::mlirOperationGetNumSuccessors(raw) {
                mlir_sys::mlirOperationSetSuccessor(raw, index, self.block);
            }
            self.replace_operands(raw, location, |_| false);
            for inner in &nested.operations {
                self.replace_operands(*inner, location, |value| is_defined_in(value, raw));
            }
            mlir_sys::mlirOperationRemoveFromParent(raw);
            mlir_sys::mlirBlockAppendOwnedOperation(self.block, raw);
        }
    }

    /// Gives an operation other operands of the same types, except for those that it may keep.
    fn replace_operands(
        &mut self,
        operation: MlirOperation,
        location: Location,
        keeps: impl Fn(MlirValue) -> bool,
    ) {
        // SAFETY: the operation is live, and the index below the number of its operands.
        unsafe {
            for index in 0..mlir_sys::mlirOperationGetNumOperands(operation) {
                let value = mlir_sys::mlirOperationGetOperand(operation, index);
                if !keeps(value) {
                    let stand_in = self.stand_in(Value::from_raw(value).r#type(), location);
                    mlir_sys::mlirOperationSetOperand(operation, index, stand_in);
                }
            }
        }
    }

    /// True if nothing outside uses a value of a dead operation: if such a use was nevertheless made after the
    /// operation was erased, the memory is not freed.
    fn is_closed(&self) -> bool {
        let is_inside = |user: MlirOperation| {
            // SAFETY: the user of a live value is live.
            outermost(unsafe { OperationRef::from_raw(user) }).1 == self.block.ptr
        };
        Nested::in_block(self.block).values().all(|value| users(value).all(is_inside))
    }

    /// A value of a type that belongs to the grave.
    fn stand_in(&mut self, ty: Type, location: Location) -> MlirValue {
        *self.stand_ins.entry(id(ty)).or_insert_with(|| {
            // This operation of the builtin dialect, which is always loaded, gives values of any type.
            let definition = OperationBuilder::new("builtin.unrealized_conversion_cast", location)
                .add_results(&[ty])
                .build()
                .expect("a well-formed unrealized_conversion_cast");
            // SAFETY: the operation has one result, and the block owns it from now on.
            unsafe {
                let definition = definition.into_raw();
                mlir_sys::mlirBlockAppendOwnedOperation(self.block, definition);
                mlir_sys::mlirOperationGetResult(definition, 0)
            }
        })
    }
}

/// The address of the block around the outermost operation that contains an operation, or of that operation if it is
/// not in a block. The second result is the address of the block alone, or null.
fn outermost(operation: OperationRef) -> (usize, *mut std::ffi::c_void) {
    let mut outermost = operation;
    while let Some(around) = outermost.parent_operation() {
        outermost = around;
    }
    // SAFETY: asks a live operation for the block that it may be in.
    let block = unsafe { mlir_sys::mlirOperationGetBlock(outermost.to_raw()) }.ptr;
    let key = if block.is_null() { outermost.to_raw().ptr } else { block };
    (key as usize, block)
}

/// The contents of an operation or a block.
#[derive(Default)]
struct Nested {
    operations: Vec<MlirOperation>,
    blocks: Vec<MlirBlock>,
}

impl Nested {
    /// The contents of an operation, without the operation itself.
    fn of(operation: MlirOperation) -> Self {
        let mut nested = Self::default();
        nested.add_regions_of(operation);
        nested.complete()
    }

    fn in_block(block: MlirBlock) -> Self {
        Self { operations: Vec::new(), blocks: vec![block] }.complete()
    }

    /// Adds the operations of the blocks, the blocks of these operations, and so on.
    fn complete(mut self) -> Self {
        let mut next = 0;
        while let Some(block) = self.blocks.get(next) {
            next += 1;
            // SAFETY: the operations belong to the live block.
            unsafe {
                let mut operation = mlir_sys::mlirBlockGetFirstOperation(*block);
                while !operation.ptr.is_null() {
                    self.operations.push(operation);
                    self.add_regions_of(operation);
                    operation = mlir_sys::mlirOperationGetNextInBlock(operation);
                }
            }
        }
        self
    }

    fn add_regions_of(&mut self, operation: MlirOperation) {
        // SAFETY: regions and blocks belong to the live operation.
        unsafe {
            for index in 0..mlir_sys::mlirOperationGetNumRegions(operation) {
                let region = mlir_sys::mlirOperationGetRegion(operation, index);
                let mut block = mlir_sys::mlirRegionGetFirstBlock(region);
                while !block.ptr.is_null() {
                    self.blocks.push(block);
                    block = mlir_sys::mlirBlockGetNextInRegion(block);
                }
            }
        }
    }

    /// The values that are defined inside.
    fn values(&self) -> impl Iterator<Item = MlirValue> {
        // SAFETY: operations and blocks are live, and the indices below the numbers of their results.
        let results = self.operations.iter().flat_map(|operation| unsafe {
            (0..mlir_sys::mlirOperationGetNumResults(*operation))
                .map(|index| mlir_sys::mlirOperationGetResult(*operation, index))
        });
        // SAFETY: as above.
        let arguments = self.blocks.iter().flat_map(|block| unsafe {
            (0..mlir_sys::mlirBlockGetNumArguments(*block))
                .map(|index| mlir_sys::mlirBlockGetArgument(*block, index))
        });
        results.chain(arguments)
    }
}

/// The operations that use a value, once per use.
fn users(value: MlirValue) -> impl Iterator<Item = MlirOperation> {
    // SAFETY: the use list of a live value is a linked list that does not change meanwhile.
    unsafe {
        let uses = std::iter::successors(Some(mlir_sys::mlirValueGetFirstUse(value)), |operand| {
            Some(mlir_sys::mlirOpOperandGetNextUse(*operand))
        });
        uses.take_while(|operand| !mlir_sys::mlirOpOperandIsNull(*operand))
            .map(|operand| mlir_sys::mlirOpOperandGetOwner(operand))
    }
}

/// True if a value is defined inside an operation.
fn is_defined_in(value: MlirValue, outer: MlirOperation) -> bool {
    // SAFETY: a live value has an owner, which is read according to its kind.
    let definition = unsafe {
        if mlir_sys::mlirValueIsAOpResult(value) {
            mlir_sys::mlirOpResultGetOwner(value)
        } else {
            mlir_sys::mlirBlockGetParentOperation(mlir_sys::mlirBlockArgumentGetOwner(value))
        }
    };
    is_in(definition, outer)
}

/// True if an operation, which may be null, is `outer` or in it.
fn is_in(mut operation: MlirOperation, outer: MlirOperation) -> bool {
    while !operation.ptr.is_null() {
        if operation.ptr == outer.ptr {
            return true;
        }
        // SAFETY: asks a live operation for its parent.
        operation = unsafe { mlir_sys::mlirOperationGetParentOperation(operation) };
    }
    false
}
