//! Upstream's optimize-allocation-liveness, where it is right.
//!
//! Input: functions that free what they allocate at the ends of blocks. Output: the same, freed after the last use.
//! The pass of LLVM 22 takes any result of a call for a view of each of its arguments, a number, too: where a buffer is
//! passed to a call whose number is returned, the `return` is the last use, and the pass moves the free behind
//! it, or crashes. Functions with such calls go on freeing at the ends of blocks.
//!
//! Tutorial: chapter 10.

use crate::diagnostic::Diagnosed;
use crate::mlir::pass::{PassContext, run_upstream};
use crate::mlir::raw;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, Module, TypeLike, Value, ValueLike};

/// The pass.
pub fn run(context: &PassContext, module: &Module) -> Diagnosed<()> {
    let mut waiting = Vec::new();
    // From the end, so that what comes after each one is in its place when it is put back.
    let mut next = None;
    for function in raw::block_operations(module.body()).into_iter().rev() {
        if raw::operations(function).iter().any(returns_number_for_buffer) {
            waiting.push((raw::detach(function), next));
            next = waiting.last().map(|(function, _)| function.to_raw());
        } else {
            next = Some(function.to_raw());
        }
    }
    // The pass looks at functions one by one.
    let result = run_upstream(context, module, "func.func(optimize-allocation-liveness)");
    for (function, next) in waiting {
        let operations = raw::block_operations(module.body());
        let next =
            operations.into_iter().find(|it| next.is_some_and(|next| next.ptr == it.to_raw().ptr));
        match next {
            Some(next) => module.body().insert_operation_before(next, function),
            None => module.body().append_operation(function),
        };
    }
    result
}

fn returns_number_for_buffer(operation: &OperationRef) -> bool {
    let is_buffer =
        |value: Value| value.r#type().is_mem_ref() || value.r#type().is_unranked_mem_ref();
    raw::name(operation).starts_with("func.call")
        && operation.operands().any(is_buffer)
        && operation
            .results()
            .any(|result| !is_buffer(result.into()) && raw::has_uses(result.into()))
}
