//! Upstream's optimize-allocation-liveness, with its mistake put right.
//!
//! Input: functions that free what they allocate at the ends of blocks. Output: the same, freed after the last use.
//! The pass of LLVM 22 takes any result of a call for a view of each of its arguments, a number, too: of a buffer that
//! was passed to a call whose number is returned, the `return` is the last use, and the buffer would be freed
//! after it. What is after the end of a block is moved in front of that.
//!
//! Tutorial: chapter 10.

use crate::diagnostic::Diagnosed;
use crate::mlir::pass::{PassContext, run_upstream};
use crate::mlir::raw;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, Module};

/// The pass.
pub fn run(context: &PassContext, module: &Module) -> Diagnosed<()> {
    run_upstream(context, module, "func.func(optimize-allocation-liveness)")?;
    for operation in raw::operations(module.as_operation()) {
        for region in 0..operation.region_count() {
            raw::blocks_of(operation, region).into_iter().for_each(repair);
        }
    }
    Ok(())
}

/// No block of a valid program ends with a free.
fn repair(block: BlockRef) {
    let is_free = |operation: &OperationRef| raw::name(operation) == "memref.dealloc";
    // Asked first, because it is rare.
    if raw::last_operation(block).is_none_or(|last| !is_free(&last)) {
        return;
    }
    let operations = raw::block_operations(block);
    let Some(end) = operations.iter().rposition(|operation| !is_free(operation)) else { return };
    for free in &operations[end + 1..] {
        block.insert_operation_before(operations[end], raw::detach(*free));
    }
}
