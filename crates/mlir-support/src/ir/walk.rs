//! Walks over a program: operations, blocks and their order.
//!
//! Input: an operation or a block of the program. Output: its contents or surroundings, collected first, so that the
//! caller may change the program during the walk.

use super::identity::id;
use melior::ir::operation::{OperationLike, OperationRef, WalkOrder, WalkResult};
use melior::ir::{Block, BlockLike, BlockRef, RegionLike, RegionRef, Type, ValueLike};
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

/// The name of an operation: `toy.add` and so on. Names are interned in the context, so they live as long as it does.
pub fn name<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> &'c str {
    // SAFETY: the identifier's text is owned by the context, which outlives 'c; registered
    // operation names are ASCII.
    unsafe {
        let raw = mlir_sys::mlirIdentifierStr(mlir_sys::mlirOperationGetName(operation.to_raw()));
        std::str::from_utf8(std::slice::from_raw_parts(raw.data.cast(), raw.length)).unwrap_or("")
    }
}

/// All operations inside `root` (itself excluded) in program order, outer ones before inner ones. Collected first, so
/// that the caller may change the program during the walk.
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

/// The same, with the number of operations of each name. They are counted during the walk: later, the operations of a
/// large program are not in the processor's cache any more.
pub fn operations_and_counts<'c: 'a, 'a>(
    root: OperationRef<'c, 'a>,
) -> (Vec<OperationRef<'c, 'a>>, HashMap<&'c str, usize>) {
    let mut all = Vec::new();
    // The key is the identifier; the value has an operation with this name, and the count.
    let mut counts: HashMap<usize, (mlir_sys::MlirOperation, usize)> = HashMap::new();
    root.walk(WalkOrder::PreOrder, |operation| {
        let raw = operation.to_raw();
        if raw.ptr != root.to_raw().ptr {
            all.push(raw);
            // SAFETY: the operation is alive.
            let identifier = unsafe { mlir_sys::mlirOperationGetName(raw) };
            counts.entry(identifier.ptr as usize).or_insert((raw, 0)).1 += 1;
        }
        WalkResult::Advance
    });
    // SAFETY: the operations live inside `root`, which lives for 'a.
    let reference = |raw| unsafe { OperationRef::from_raw(raw) };
    let counts = counts.into_values().map(|(raw, count)| (name(&reference(raw)), count)).collect();
    (all.into_iter().map(reference).collect(), counts)
}

/// True if there are more than `limit` operations inside `root`.
pub fn has_more_operations(root: OperationRef, limit: usize) -> bool {
    let mut count = 0;
    root.walk(WalkOrder::PreOrder, |_| {
        count += 1;
        // `root` is one of them.
        if count > limit + 1 { WalkResult::Interrupt } else { WalkResult::Advance }
    });
    count > limit + 1
}

/// A hash of an operation with these operations inside it, which are all in program order: any earlier state of it with
/// the same hash prints the same text with local scope, and has the same locations. Names, attributes and types are
/// compared by identity, values and blocks by their addresses.
pub fn fingerprint<'c: 'a, 'a>(root: OperationRef<'c, 'a>, inside: &[OperationRef<'c, 'a>]) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    for operation in std::iter::once(&root).chain(inside) {
        let raw = operation.to_raw();
        // SAFETY: the operation is alive, and each index is less than its count.
        unsafe {
            mlir_sys::mlirOperationHashValue(raw).hash(&mut hasher);
            // That hash has no order for the operands of commutative operations.
            for index in 0..mlir_sys::mlirOperationGetNumOperands(raw) {
                (mlir_sys::mlirOperationGetOperand(raw, index).ptr as usize).hash(&mut hasher);
            }
            (mlir_sys::mlirOperationGetBlock(raw).ptr as usize).hash(&mut hasher);
            for index in 0..mlir_sys::mlirOperationGetNumSuccessors(raw) {
                let successor = mlir_sys::mlirOperationGetSuccessor(raw, index);
                (successor.ptr as usize).hash(&mut hasher);
            }
        }
        for region in 0..operation.region_count() {
            for block in blocks_of(*operation, region) {
                id(block).hash(&mut hasher);
                for argument in (0..block.argument_count()).flat_map(|at| block.argument(at)) {
                    id(argument.r#type()).hash(&mut hasher);
                }
            }
        }
    }
    hasher.finish()
}

/// All operations inside a function, so that each comes after the definitions of its operands: blocks may be written in
/// another order than they are executed. Blocks that are never reached come last; blocks of regions inside stay in the
/// order of the text.
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
    seen.insert(id(blocks[0]));
    while let Some((block, next)) = stack.pop() {
        if next == block.successor_count() {
            finished.push(block);
            continue;
        }
        stack.push((block, next + 1));
        if let Ok(successor) = block.successor(next)
            && seen.insert(id(successor))
        {
            // SAFETY: the block is in the function, which lives for 'a.
            stack.push((unsafe { BlockRef::from_raw(successor.to_raw()) }, 0));
        }
    }
    finished.reverse();
    finished.extend(blocks.into_iter().filter(|block| seen.insert(id(block))));
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
    // The number first: melior prints the operation into its error.
    if region >= operation.region_count() {
        return Vec::new();
    }
    let region: Option<RegionRef<'c, 'a>> = operation.region(region).ok();
    let first = region.and_then(|region| region.first_block());
    std::iter::successors(first, |block| block.next_in_region()).collect()
}

/// The types of the block arguments in all regions of an operation; on request without the first block of each region.
pub fn block_argument_types<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    skip_entry: bool,
) -> Vec<Type<'c>> {
    let mut types = Vec::new();
    for region in 0..operation.region_count() {
        for block in blocks_of(operation, region).into_iter().skip(usize::from(skip_entry)) {
            let arguments = (0..block.argument_count()).flat_map(|index| block.argument(index));
            types.extend(arguments.map(|argument| argument.r#type()));
        }
    }
    types
}

/// The operations of a block, in order, without nested ones.
pub fn block_operations<'c, 'a>(block: BlockRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    std::iter::successors(block.first_operation(), |operation| operation.next_in_block()).collect()
}

/// A block that is not in a region yet, as a reference.
pub fn block_ref<'c, 'a>(block: &'a Block<'c>) -> BlockRef<'c, 'a> {
    // SAFETY: the reference lives no longer than the block.
    unsafe { BlockRef::from_raw(block.to_raw()) }
}

/// True if any operation inside `root` (itself included) satisfies a condition.
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
