//! The raw calls: small functions over MLIR's C API that melior 0.27 has no safe form of.
//!
//! Invariant of every function here: the handles passed in belong to live operations of one
//! context. Operations are erased through [`erase`] only, and a handle to an erased operation
//! is never used again (melior's references are `Copy` and cannot enforce that).

use melior::ir::attribute::AttributeLike;
use melior::ir::operation::OperationPrintingFlags;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef, OperationRefMut};
use melior::ir::operation::{WalkOrder, WalkResult};
use melior::ir::{Attribute, Block, BlockLike, BlockRef, Location, Operation, Region, RegionLike};
use melior::ir::{Type, TypeLike, Value, ValueLike};
use mlir_sys::MlirStringRef;
use std::collections::HashSet;
use std::ffi::c_void;

/// The text behind a string reference of MLIR's; invalid UTF-8 becomes replacement characters.
pub fn string(raw: MlirStringRef) -> String {
    if raw.data.is_null() || raw.length == 0 {
        return String::new();
    }
    // SAFETY: MLIR hands out a pointer to `length` readable bytes.
    let bytes = unsafe { std::slice::from_raw_parts(raw.data.cast::<u8>(), raw.length) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// The text of a string attribute; None for another kind. (melior's accessor panics on "".)
pub fn string_value(attribute: Attribute) -> Option<String> {
    // SAFETY: the attribute is live; its kind is checked before its value is read.
    unsafe {
        let raw = attribute.to_raw();
        mlir_sys::mlirAttributeIsAString(raw).then(|| string(mlir_sys::mlirStringAttrGetValue(raw)))
    }
}

/// The name in a flat symbol reference; None for another kind.
pub fn symbol_value(attribute: Attribute) -> Option<String> {
    // SAFETY: as above.
    unsafe {
        let raw = attribute.to_raw();
        mlir_sys::mlirAttributeIsAFlatSymbolRef(raw)
            .then(|| string(mlir_sys::mlirFlatSymbolRefAttrGetValue(raw)))
    }
}

/// `toy.add` and so on. Names are interned in the context, so they live as long as it does.
pub fn name<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> &'c str {
    // SAFETY: the identifier's text is owned by the context, which outlives 'c; registered
    // operation names are ASCII.
    unsafe {
        let raw = mlir_sys::mlirIdentifierStr(mlir_sys::mlirOperationGetName(operation.to_raw()));
        std::str::from_utf8(std::slice::from_raw_parts(raw.data.cast(), raw.length)).unwrap_or("")
    }
}

/// All operations inside `root` (itself excluded) in program order, outer ones before inner ones.
/// Collected first, so that the caller may change the program while going through them.
pub fn operations<'c: 'a, 'a>(root: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let mut all = Vec::new();
    root.walk(WalkOrder::PreOrder, |operation| {
        if operation.to_raw().ptr != root.to_raw().ptr {
            all.push(operation.to_raw());
        }
        WalkResult::Advance
    });
    // SAFETY: the operations live inside `root`, which lives for 'a.
    all.into_iter().map(|raw| unsafe { OperationRef::from_raw(raw) }).collect()
}

/// All operations inside a function, so that each comes after those that define its operands: blocks
/// may stand in another order than that of execution. Blocks that are never reached come last, those
/// of regions inside stand as they are in the text.
pub fn operations_as_executed<'c: 'a, 'a>(
    function: OperationRef<'c, 'a>,
) -> Vec<OperationRef<'c, 'a>> {
    let blocks = blocks(function);
    if blocks.len() < 2 {
        return operations(function);
    }
    let mut seen = HashSet::new();
    let mut finished = Vec::new();
    let mut stack = vec![(blocks[0], 0)];
    seen.insert(blocks[0].to_raw().ptr as usize);
    while let Some((block, next)) = stack.pop() {
        if next == block.successor_count() {
            finished.push(block);
            continue;
        }
        stack.push((block, next + 1));
        if let Ok(successor) = block.successor(next)
            && seen.insert(successor.to_raw().ptr as usize)
        {
            // SAFETY: the block is in the function, which lives for 'a.
            stack.push((unsafe { BlockRef::from_raw(successor.to_raw()) }, 0));
        }
    }
    finished.reverse();
    finished.extend(blocks.into_iter().filter(|block| seen.insert(block.to_raw().ptr as usize)));
    finished
        .into_iter()
        .flat_map(block_operations)
        .flat_map(|operation| [vec![operation], operations(operation)].concat())
        .collect()
}

/// The blocks of an operation's first region, in order.
pub fn blocks<'c, 'a>(operation: OperationRef<'c, 'a>) -> Vec<BlockRef<'c, 'a>> {
    blocks_of(operation, 0)
}

/// The blocks of one of an operation's regions, in order.
pub fn blocks_of<'c, 'a>(operation: OperationRef<'c, 'a>, region: usize) -> Vec<BlockRef<'c, 'a>> {
    let mut blocks = Vec::new();
    if region >= operation.region_count() {
        return blocks;
    }
    // SAFETY: the region and its blocks belong to the operation, which lives for 'a.
    unsafe {
        let region = mlir_sys::mlirOperationGetRegion(operation.to_raw(), region as isize);
        let mut block = mlir_sys::mlirRegionGetFirstBlock(region);
        while !block.ptr.is_null() {
            blocks.push(BlockRef::from_raw(block));
            block = mlir_sys::mlirBlockGetNextInRegion(block);
        }
    }
    blocks
}

/// The types of the block arguments in all regions of an operation; without those of the first block
/// of each region, if that is asked for.
pub fn block_argument_types<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    skip_entry: bool,
) -> Vec<Type<'c>> {
    let mut types = Vec::new();
    for region in 0..operation.region_count() {
        // SAFETY: the region, its blocks and their arguments belong to the operation.
        unsafe {
            let region = mlir_sys::mlirOperationGetRegion(operation.to_raw(), region as isize);
            let mut block = mlir_sys::mlirRegionGetFirstBlock(region);
            if skip_entry && !block.ptr.is_null() {
                block = mlir_sys::mlirBlockGetNextInRegion(block);
            }
            while !block.ptr.is_null() {
                for index in 0..mlir_sys::mlirBlockGetNumArguments(block) {
                    let argument = mlir_sys::mlirBlockGetArgument(block, index);
                    types.push(Type::from_raw(mlir_sys::mlirValueGetType(argument)));
                }
                block = mlir_sys::mlirBlockGetNextInRegion(block);
            }
        }
    }
    types
}

/// The operations of a block, in order, without what is nested in them.
pub fn block_operations<'c, 'a>(block: BlockRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let mut operations = Vec::new();
    // SAFETY: the operations belong to the block, which lives for 'a.
    unsafe {
        let mut operation = mlir_sys::mlirBlockGetFirstOperation(block.to_raw());
        while !operation.ptr.is_null() {
            operations.push(OperationRef::from_raw(operation));
            operation = mlir_sys::mlirOperationGetNextInBlock(operation);
        }
    }
    operations
}

/// A block that is not in a region yet, as a reference.
pub fn block_ref<'c, 'a>(block: &'a Block<'c>) -> BlockRef<'c, 'a> {
    // SAFETY: the reference lives no longer than the block.
    unsafe { BlockRef::from_raw(block.to_raw()) }
}

/// Whether any operation inside `root` (itself included) satisfies a condition.
pub fn any<'c: 'a, 'a>(
    root: OperationRef<'c, 'a>,
    mut condition: impl for<'x, 'y> FnMut(OperationRef<'x, 'y>) -> bool,
) -> bool {
    let mut found = false;
    root.walk(WalkOrder::PreOrder, |operation| {
        found = condition(operation);
        if found { WalkResult::Interrupt } else { WalkResult::Advance }
    });
    found
}

/// The dialects of all operations inside `root`.
pub fn dialects<'c: 'a, 'a>(root: OperationRef<'c, 'a>) -> HashSet<String> {
    let mut dialects = HashSet::new();
    any(root, |operation| {
        let dialect = name(&operation).split('.').next().unwrap_or_default();
        if !dialects.contains(dialect) {
            dialects.insert(dialect.to_owned());
        }
        false
    });
    dialects
}

/// The operation that defines a value, unless it is a block argument.
pub fn defining_operation<'c, 'a>(value: Value<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    // SAFETY: a result lives inside its owner, which therefore lives for 'a as the value does. Its
    // kind is asked for first. (melior's conversion prints the value into its error.)
    unsafe {
        mlir_sys::mlirValueIsAOpResult(value.to_raw())
            .then(|| OperationRef::from_raw(mlir_sys::mlirOpResultGetOwner(value.to_raw())))
    }
}

/// The block of a value that is a block argument.
pub fn argument_block<'c, 'a>(argument: Value<'c, 'a>) -> BlockRef<'c, 'a> {
    // SAFETY: the caller has a live block argument, which lives inside its block.
    unsafe { BlockRef::from_raw(mlir_sys::mlirBlockArgumentGetOwner(argument.to_raw())) }
}

/// The block that an operation is in.
pub fn block_of<'c, 'a>(operation: OperationRef<'c, 'a>) -> Option<BlockRef<'c, 'a>> {
    // SAFETY: the block has the operation, which lives for 'a, and so does its block.
    unsafe { BlockRef::from_option_raw(mlir_sys::mlirOperationGetBlock(operation.to_raw())) }
}

/// The operation around another one.
pub fn parent<'c, 'a>(operation: OperationRef<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    // SAFETY: as above.
    unsafe {
        let parent = mlir_sys::mlirOperationGetParentOperation(operation.to_raw());
        (!parent.ptr.is_null()).then(|| OperationRef::from_raw(parent))
    }
}

/// Where a block argument belongs: the operation with the block, the region and the block by number, the
/// blocks of the region, and the number of the argument. None for a result.
pub fn home<'c, 'a>(value: Value<'c, 'a>) -> Option<Home<'c, 'a>> {
    // SAFETY: a live argument has a block, the block of a program a region in an operation, and all of
    // them live as long as the value does. Its kind is asked for first.
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

/// What [`home`] finds.
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

/// The uses of a value: the operation, and which of its operands it is.
pub fn uses<'c, 'a>(value: Value<'c, 'a>) -> Vec<(OperationRef<'c, 'a>, usize)> {
    let mut uses = Vec::new();
    // SAFETY: the use list of a live value is a linked list that nobody changes meanwhile.
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

/// Where each operand of an operation is stored: numbers to subtract, not to read from.
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

pub fn replace_all_uses(of: Value, with: Value) {
    // SAFETY: both values are live and of one context.
    unsafe { mlir_sys::mlirValueReplaceAllUsesOfWith(of.to_raw(), with.to_raw()) }
}

/// An operand of an operation, which has so many.
pub fn operand<'c: 'a, 'a>(operation: OperationRef<'c, 'a>, index: usize) -> Value<'c, 'a> {
    assert!(index < operation.operand_count());
    // SAFETY: the operation has the operand, which lives as long as its user.
    unsafe {
        Value::from_raw(mlir_sys::mlirOperationGetOperand(operation.to_raw(), index as isize))
    }
}

/// Changes the type of a value; its uses must fit the new one.
pub fn set_type<'c>(value: Value<'c, '_>, ty: Type<'c>) {
    // SAFETY: both are live and of one context.
    unsafe { mlir_sys::mlirValueSetType(value.to_raw(), ty.to_raw()) }
}

/// Inserts an operation right after the definition of a value: behind the operation whose result it is,
/// or at the head of the block whose argument it is.
pub fn insert_after_definition<'c, 'a>(
    value: Value<'c, 'a>,
    operation: Operation<'c>,
) -> OperationRef<'c, 'a> {
    // SAFETY: the value's definition is in a block, which owns the operation from now on and lives as
    // long as the value.
    unsafe {
        let operation = operation.into_raw();
        if mlir_sys::mlirValueIsAOpResult(value.to_raw()) {
            let definition = mlir_sys::mlirOpResultGetOwner(value.to_raw());
            let block = mlir_sys::mlirOperationGetBlock(definition);
            mlir_sys::mlirBlockInsertOwnedOperationAfter(block, definition, operation);
        } else {
            let block = mlir_sys::mlirBlockArgumentGetOwner(value.to_raw());
            mlir_sys::mlirBlockInsertOwnedOperation(block, 0, operation);
        }
        OperationRef::from_raw(operation)
    }
}

/// Removes an operation and destroys it. Its results must have no uses left: Debian's MLIR has no
/// assertions, so this is checked here, and a violation keeps the operation.
pub fn erase(operation: OperationRef) {
    if operation.results().any(|result| has_uses(result.into())) {
        debug_assert!(false, "erasing an operation that is still used");
        return;
    }
    // SAFETY: the operation is live, unused, and owned by its block; ownership passes to us.
    unsafe {
        mlir_sys::mlirOperationRemoveFromParent(operation.to_raw());
        mlir_sys::mlirOperationDestroy(operation.to_raw());
    }
}

/// Removes an argument of a block. As above, one that is still used stays.
pub fn erase_argument(block: BlockRef, index: usize) {
    let unused = block.argument(index).is_ok_and(|argument| !has_uses(argument.into()));
    debug_assert!(unused, "erasing an argument that is still used");
    if unused {
        // SAFETY: the block is live and has the argument, which nobody uses.
        unsafe { mlir_sys::mlirBlockEraseArgument(block.to_raw(), index as u32) }
    }
}

/// A copy of an operation and everything in it, in no block yet.
pub fn clone<'c>(operation: OperationRef<'c, '_>) -> Operation<'c> {
    // SAFETY: the clone is a new operation that nobody owns.
    unsafe { Operation::from_raw(mlir_sys::mlirOperationClone(operation.to_raw())) }
}

/// The regions of an operation with everything in them, which leaves it with empty ones.
pub fn take_regions<'c>(operation: OperationRef<'c, '_>) -> Vec<Region<'c>> {
    let take = |index| {
        let region = Region::new();
        // SAFETY: both regions are live; the blocks move from one to the other.
        unsafe {
            let old = mlir_sys::mlirOperationGetRegion(operation.to_raw(), index as isize);
            mlir_sys::mlirRegionTakeBody(region.to_raw(), old);
        }
        region
    };
    (0..operation.region_count()).map(take).collect()
}

/// Takes an operation out of its block; the caller owns it now.
pub fn detach<'c>(operation: OperationRef<'c, '_>) -> Operation<'c> {
    // SAFETY: after the removal nobody else owns the operation.
    unsafe {
        mlir_sys::mlirOperationRemoveFromParent(operation.to_raw());
        Operation::from_raw(operation.to_raw())
    }
}

/// The same operation, for changing its attributes and operands.
pub fn mutable<'c, 'a>(operation: OperationRef<'c, 'a>) -> OperationRefMut<'c, 'a> {
    // SAFETY: MLIR has no notion of shared and exclusive references, and toyc is single-threaded.
    unsafe { OperationRefMut::from_raw(operation.to_raw()) }
}

/// Sets an attribute of an operation.
pub fn set_attribute<'c>(
    operation: OperationRef<'c, '_>,
    name: &str,
    value: melior::ir::Attribute<'c>,
) {
    mutable(operation).set_attribute(name, value);
}

/// Appends what tells the attributes of an operation from those of others: names and values are unique in
/// their context, and in the order of the names.
pub fn describe_attributes<'c: 'a, 'a>(
    operation: &impl OperationLike<'c, 'a>,
    to: &mut Vec<usize>,
) {
    // SAFETY: the operation is live, and the index below the number of its attributes.
    unsafe {
        let count = mlir_sys::mlirOperationGetNumAttributes(operation.to_raw());
        to.push(count as usize);
        for index in 0..count {
            let attribute = mlir_sys::mlirOperationGetAttribute(operation.to_raw(), index);
            to.extend([attribute.name.ptr as usize, attribute.attribute.ptr as usize]);
        }
    }
}

/// Removes an attribute of an operation of the program.
pub fn remove_attribute(operation: OperationRef, name: &str) {
    // An attribute that is not there is removed already.
    let _ = mutable(operation).remove_attribute(name);
}

/// Gives an operation one more operand, the last one.
pub fn append_operand(operation: OperationRef, value: Value) {
    let operands: Vec<_> = operation.operands().chain([value]).collect();
    set_operands(operation, &operands);
}

/// Gives an operation other operands.
pub fn set_operands(operation: OperationRef, operands: &[Value]) {
    let operands: Vec<_> = operands.iter().map(|operand| operand.to_raw()).collect();
    // SAFETY: the operation and the values are live and of one context; the values are copied.
    unsafe {
        let count = operands.len() as isize;
        mlir_sys::mlirOperationSetOperands(operation.to_raw(), count, operands.as_ptr());
    }
}

/// Gives a block one more argument, the last one.
pub fn append_argument<'c, 'a>(
    block: BlockRef<'c, 'a>,
    r#type: Type<'c>,
    location: Location<'c>,
) -> Value<'c, 'a> {
    // SAFETY: all are live and of one context; the argument lives as long as its block.
    unsafe {
        Value::from_raw(mlir_sys::mlirBlockAddArgument(
            block.to_raw(),
            r#type.to_raw(),
            location.to_raw(),
        ))
    }
}

/// The symbols that an attribute refers to, in arrays and dictionaries, too. Of kinds that may refer
/// to symbols in ways that only they know, the texts with an `@` are the result.
pub fn symbols(attribute: Attribute, names: &mut HashSet<String>, texts: &mut Vec<String>) {
    let mut pending = vec![attribute.to_raw()];
    while let Some(raw) = pending.pop() {
        // SAFETY: the attribute is live, and so are its parts; its kind is checked before they are
        // read.
        unsafe {
            if mlir_sys::mlirAttributeIsASymbolRef(raw) {
                names.insert(string(mlir_sys::mlirSymbolRefAttrGetRootReference(raw)));
                for index in 0..mlir_sys::mlirSymbolRefAttrGetNumNestedReferences(raw) {
                    pending.push(mlir_sys::mlirSymbolRefAttrGetNestedReference(raw, index));
                }
            } else if mlir_sys::mlirAttributeIsAArray(raw) {
                let parts = 0..mlir_sys::mlirArrayAttrGetNumElements(raw);
                pending.extend(parts.map(|at| mlir_sys::mlirArrayAttrGetElement(raw, at)));
            } else if mlir_sys::mlirAttributeIsADictionary(raw) {
                let parts = 0..mlir_sys::mlirDictionaryAttrGetNumElements(raw);
                let part = |at| mlir_sys::mlirDictionaryAttrGetElement(raw, at).attribute;
                pending.extend(parts.map(part));
            } else if !(mlir_sys::mlirAttributeIsAString(raw)
                || mlir_sys::mlirAttributeIsAInteger(raw)
                || mlir_sys::mlirAttributeIsAFloat(raw)
                || mlir_sys::mlirAttributeIsAUnit(raw)
                || mlir_sys::mlirAttributeIsAAffineMap(raw)
                || mlir_sys::mlirAttributeIsADenseElements(raw)
                || mlir_sys::mlirAttributeIsADenseResourceElements(raw))
            {
                let text = Attribute::from_raw(raw).to_string();
                if text.contains('@') {
                    texts.push(text);
                }
            }
        }
    }
}

/// Gives a named linalg operation (`linalg.add`, ...) the body that its name implies.
pub fn fill_named_region(operation: &Operation) {
    // SAFETY: the operation is a linalg named op with one empty region (checked by its builders), and
    // the reference to it lives as long as this call.
    let operation = unsafe {
        mlir_sys::mlirLinalgFillBuiltinNamedOpRegion(operation.to_raw());
        OperationRef::from_raw(operation.to_raw())
    };
    // MLIR gives the body the location of the first operand.
    for inner in operations(operation) {
        mutable(inner).set_location(operation.location());
    }
}

/// The f64 elements of a dense attribute in row-major order; a splat gives its one element.
/// `count` is the number of elements of its type.
pub fn dense_f64(attribute: melior::ir::Attribute, count: usize) -> Vec<f64> {
    let raw = attribute.to_raw();
    // SAFETY: the caller has checked that this is a dense elements attribute of f64; its raw data
    // are `count` doubles, or one if it is a splat.
    unsafe {
        if mlir_sys::mlirDenseElementsAttrIsSplat(raw) {
            return vec![mlir_sys::mlirDenseElementsAttrGetDoubleSplatValue(raw)];
        }
        let data = mlir_sys::mlirDenseElementsAttrGetRawData(raw).cast::<u8>();
        let bytes = std::slice::from_raw_parts(data, count * 8);
        bytes.chunks_exact(8).map(|b| f64::from_ne_bytes(b.try_into().unwrap())).collect()
    }
}

/// Prints an operation into any writer in pieces, without a copy of the whole text in memory.
pub fn print(
    operation: OperationRef,
    flags: OperationPrintingFlags,
    sink: &mut dyn std::io::Write,
) -> std::io::Result<()> {
    struct State<'s> {
        sink: &'s mut dyn std::io::Write,
        result: std::io::Result<()>,
    }
    unsafe extern "C" fn write(text: MlirStringRef, data: *mut c_void) {
        // SAFETY: `data` is the `State` below, which outlives the print call.
        let state = unsafe { &mut *data.cast::<State>() };
        if state.result.is_ok() && text.length > 0 {
            // SAFETY: MLIR passes `length` readable bytes.
            let bytes = unsafe { std::slice::from_raw_parts(text.data.cast::<u8>(), text.length) };
            state.result = state.sink.write_all(bytes);
        }
    }
    let mut state = State { sink, result: Ok(()) };
    // SAFETY: the callback matches the declared type and does not unwind (writers return errors).
    unsafe {
        mlir_sys::mlirOperationPrintWithFlags(
            operation.to_raw(),
            flags.to_raw(),
            Some(write),
            (&raw mut state).cast(),
        );
    }
    state.result
}

/// Parses an attribute in the context of a type.
pub fn parse_attribute<'c>(text: &str, of: Type<'c>) -> Option<Attribute<'c>> {
    // SAFETY: MLIR copies the text; the attribute lives as long as the context, as the type does.
    unsafe {
        let context = mlir_sys::mlirTypeGetContext(of.to_raw());
        let raw = mlir_sys::mlirAttributeParseGet(context, melior::StringRef::new(text).to_raw());
        (!raw.ptr.is_null()).then(|| Attribute::from_raw(raw))
    }
}

/// A handle read out of a type of the same context, as a type.
pub fn type_like<'c>(raw: mlir_sys::MlirType, _like: Type<'c>) -> Type<'c> {
    // SAFETY: types are uniqued in their context and live as long as it does.
    unsafe { Type::from_raw(raw) }
}

/// The namespace of the dialect that a type is of.
pub fn type_dialect<'c>(r#type: Type<'c>) -> &'c str {
    // SAFETY: the dialect and its name are owned by the context, which outlives 'c; the names of
    // dialects are ASCII.
    unsafe {
        let dialect = mlir_sys::mlirTypeGetDialect(r#type.to_raw());
        let raw = mlir_sys::mlirDialectGetNamespace(dialect);
        std::str::from_utf8(std::slice::from_raw_parts(raw.data.cast(), raw.length)).unwrap_or("")
    }
}

/// The namespace of the dialect that an attribute is of.
pub fn attribute_dialect<'c>(attribute: melior::ir::Attribute<'c>) -> &'c str {
    // SAFETY: as above.
    unsafe {
        let dialect = mlir_sys::mlirAttributeGetDialect(attribute.to_raw());
        let raw = mlir_sys::mlirDialectGetNamespace(dialect);
        std::str::from_utf8(std::slice::from_raw_parts(raw.data.cast(), raw.length)).unwrap_or("")
    }
}

/// An operation just inserted into the program of another one, with that one's lifetime.
pub fn same_lifetime<'c, 'a>(
    operation: OperationRef<'c, '_>,
    _neighbour: OperationRef<'c, 'a>,
) -> OperationRef<'c, 'a> {
    // SAFETY: both are in one program, which owns them.
    unsafe { OperationRef::from_raw(operation.to_raw()) }
}

/// A value under another borrow of the same program.
pub fn value_of<'c, 'a>(value: Value<'c, '_>) -> Value<'c, 'a> {
    // SAFETY: the caller keeps the value's operation in the program it is used in.
    unsafe { Value::from_raw(value.to_raw()) }
}

/// Whether the layout of a memref type is the identity map itself, as `memref.view` makes it.
pub fn has_identity_layout(r#type: melior::ir::r#type::MemRefType) -> bool {
    let layout = r#type.layout().to_raw();
    // SAFETY: the layout is a live attribute, and its kind is checked before its map is read.
    unsafe {
        mlir_sys::mlirAttributeIsAAffineMap(layout)
            && mlir_sys::mlirAffineMapIsIdentity(mlir_sys::mlirAffineMapAttrGetValue(layout))
    }
}

/// Whether a memref type names a memory space.
pub fn has_memory_space(r#type: melior::ir::r#type::MemRefType) -> bool {
    // SAFETY: the type is a live memref type.
    unsafe { !mlir_sys::mlirMemRefTypeGetMemorySpace(r#type.to_raw()).ptr.is_null() }
}

/// The sizes of a memref type; None if it does not know them all.
pub fn static_sizes(r#type: melior::ir::r#type::MemRefType) -> Option<Vec<u64>> {
    let raw = r#type.to_raw();
    // SAFETY: the type is a live memref type, which has a rank; only its dimensions are asked for.
    unsafe {
        if !mlir_sys::mlirShapedTypeHasStaticShape(raw) {
            return None;
        }
        let dims = 0..mlir_sys::mlirShapedTypeGetRank(raw) as isize;
        dims.map(|dim| u64::try_from(mlir_sys::mlirShapedTypeGetDimSize(raw, dim)).ok()).collect()
    }
}

/// The width in bits of an integer type without a sign of its own.
pub fn signless_width(r#type: Type) -> Option<u32> {
    let ty = melior::ir::r#type::IntegerType::try_from(r#type).ok()?;
    ty.is_signless().then(|| ty.width())
}

/// Whether an attribute has the elements of a tensor in it.
pub fn is_dense(attribute: Attribute) -> bool {
    // SAFETY: the attribute is live.
    unsafe { mlir_sys::mlirAttributeIsADenseElements(attribute.to_raw()) }
}

/// The width in bits of a floating-point type.
pub fn float_width(r#type: Type) -> Option<u32> {
    // SAFETY: the type is live, and its kind is checked.
    unsafe {
        mlir_sys::mlirTypeIsAFloat(r#type.to_raw())
            .then(|| mlir_sys::mlirFloatTypeGetWidth(r#type.to_raw()))
    }
}

/// Whether an attribute is an affine map that maps each index to itself.
pub fn is_identity_map(attribute: Attribute) -> bool {
    // SAFETY: the attribute is live, and its kind is checked before its value is read.
    unsafe {
        mlir_sys::mlirAttributeIsAAffineMap(attribute.to_raw())
            && mlir_sys::mlirAffineMapIsIdentity(mlir_sys::mlirAffineMapAttrGetValue(
                attribute.to_raw(),
            ))
    }
}

/// The element type of a complex type.
pub fn complex_element<'c>(r#type: Type<'c>) -> Option<Type<'c>> {
    // SAFETY: the type is live, its kind is checked, and types live as long as their context.
    unsafe {
        mlir_sys::mlirTypeIsAComplex(r#type.to_raw())
            .then(|| Type::from_raw(mlir_sys::mlirComplexTypeGetElementType(r#type.to_raw())))
    }
}

/// The element type and the sizes of a vector type; None for one with scalable sizes, too.
pub fn fixed_vector<'c>(r#type: Type<'c>) -> Option<(Type<'c>, Vec<u64>)> {
    // SAFETY: the type is live, its kind is checked, and types live as long as their context.
    unsafe {
        let raw = r#type.to_raw();
        if !mlir_sys::mlirTypeIsAVector(raw) || mlir_sys::mlirVectorTypeIsScalable(raw) {
            return None;
        }
        let rank = mlir_sys::mlirShapedTypeGetRank(raw);
        let sizes = (0..rank).map(|dim| {
            u64::try_from(mlir_sys::mlirShapedTypeGetDimSize(raw, dim as isize)).unwrap_or(0)
        });
        Some((Type::from_raw(mlir_sys::mlirShapedTypeGetElementType(raw)), sizes.collect()))
    }
}

/// What a memref type says about its elements and where they are; None: not known before run time.
pub struct Strided<'c> {
    pub element: Type<'c>,
    pub space: Option<Attribute<'c>>,
    /// No sizes and strides for a type without rank.
    pub sizes: Vec<Option<i64>>,
    pub strides: Vec<Option<i64>>,
    pub offset: Option<i64>,
}

/// A memref type, ranked or not, taken apart; None for other types and for layouts without strides.
pub fn strided<'c>(r#type: Type<'c>) -> Option<Strided<'c>> {
    let raw = r#type.to_raw();
    // SAFETY: the type is live, and its kind is checked before anything is read that only this kind
    // has; the vector of strides has room for as many as the type has dimensions. What types contain
    // lives as long as their context.
    unsafe {
        let is_ranked = mlir_sys::mlirTypeIsAMemRef(raw);
        if !is_ranked && !mlir_sys::mlirTypeIsAUnrankedMemRef(raw) {
            return None;
        }
        let known =
            |value: i64| (!mlir_sys::mlirShapedTypeIsDynamicStrideOrOffset(value)).then_some(value);
        let (mut sizes, mut strides, mut offset) = (Vec::new(), Vec::new(), 0);
        if is_ranked {
            let dims = 0..mlir_sys::mlirShapedTypeGetRank(raw) as isize;
            let size = |dim| {
                let is_dynamic = mlir_sys::mlirShapedTypeIsDynamicDim(raw, dim);
                (!is_dynamic).then(|| mlir_sys::mlirShapedTypeGetDimSize(raw, dim))
            };
            sizes = dims.map(size).collect();
            strides = vec![0; sizes.len()];
            let found =
                mlir_sys::mlirMemRefTypeGetStridesAndOffset(raw, strides.as_mut_ptr(), &mut offset);
            if found.value == 0 {
                return None;
            }
        }
        let space = if is_ranked {
            mlir_sys::mlirMemRefTypeGetMemorySpace(raw)
        } else {
            mlir_sys::mlirUnrankedMemrefGetMemorySpace(raw)
        };
        Some(Strided {
            element: Type::from_raw(mlir_sys::mlirShapedTypeGetElementType(raw)),
            space: (!space.ptr.is_null()).then(|| Attribute::from_raw(space)),
            sizes,
            strides: strides.into_iter().map(known).collect(),
            offset: known(offset),
        })
    }
}
