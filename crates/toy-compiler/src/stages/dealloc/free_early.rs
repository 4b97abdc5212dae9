//! Upstream's optimize-allocation-liveness, run only where it is correct.
//!
//! Input: functions that free their allocations at the ends of blocks. Output: the same, freed after the last use.
//! The pass of LLVM 22 takes any result of a call for a view of each of its arguments, even a number: if a buffer
//! is passed to a call whose number is returned, the `return` counts as the last use, and the pass moves the free
//! after the `return`, or crashes. Nor does it know that `memref.transpose` and `memref.distinct_objects` create
//! views. Functions with such calls, with operations that create views and are not on its list, or in which a
//! buffer is stored or its address taken, keep freeing at the ends of blocks.
//!
//! Tutorial: chapter 10.

use crate::dialect::ops;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, Module, Value, ValueLike};
use mlir_support::pass::{PassContext, PassDefinition, Workaround, run_upstream};
use mlir_support::{ir, raw};
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::wrapping(
    "toy-optimize-allocation-liveness",
    "Runs optimize-allocation-liveness where it is correct: frees buffers after their last use",
    run,
)
.standing_in_for("optimize-allocation-liveness")
.working_around(Workaround {
    issue: "optimize-allocation-liveness takes numbers that calls return for views of their arguments, and misses some views",
    since: "22.1",
    delete_when: "it asks the interfaces for aliases: tests/filecheck/known_bugs/free_after_return.mlir passes without it",
});

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &mut Module<'c>) -> Diagnosed<()> {
    let mut waiting = Vec::new();
    for (index, function) in ir::block_operations(module.body()).into_iter().enumerate() {
        let is_unseen = |op: &OperationRef| {
            returns_number_for_buffer(op) || makes_unknown_view(op) || lets_escape(op)
        };
        if ir::operations(function).iter().any(is_unseen) {
            // SAFETY: it is put back below.
            waiting.push((index, unsafe { raw::detach(function) }));
        }
    }
    // The pass looks at functions one by one, and adds none and removes none.
    let result = run_upstream(context, module, "func.func(optimize-allocation-liveness)");
    for (index, function) in waiting {
        module.body().insert_operation(index, function);
    }
    result
}

/// Operations that create views, and that the pass follows.
const SEEN: [&str; 12] = [
    "memref.view",
    "memref.subview",
    "memref.cast",
    "memref.reinterpret_cast",
    "memref.expand_shape",
    "memref.collapse_shape",
    "memref.reshape",
    "memref.memory_space_cast",
    "memref.extract_strided_metadata",
    "arith.select",
    "func.call",
    "func.call_indirect",
];

fn is_buffer(value: Value) -> bool {
    ops::is_buffer(value.r#type())
}

fn makes_unknown_view(operation: &OperationRef) -> bool {
    let name = ir::name(operation);
    !SEEN.contains(&name)
        && !name.starts_with("scf.")
        && operation.operands().any(is_buffer)
        && operation.results().any(|result| is_buffer(result.into()))
}

/// True if a buffer escapes through an operation that takes its address. Deallocation itself only compares
/// addresses, and stores them for its helper function.
fn lets_escape(operation: &OperationRef) -> bool {
    match ir::name(operation) {
        "memref.store" => operation.operand(0).is_ok_and(is_buffer),
        "memref.extract_aligned_pointer_as_index" => {
            let is_compared =
                |user: &OperationRef| ["arith.cmpi", "memref.store"].contains(&ir::name(user));
            let users = operation.result(0).map(|result| ir::users(result.into()));
            users.is_ok_and(|users| !users.iter().all(is_compared))
        }
        "builtin.unrealized_conversion_cast" => operation.operands().any(is_buffer),
        _ => false,
    }
}

fn returns_number_for_buffer(operation: &OperationRef) -> bool {
    ir::name(operation).starts_with("func.call")
        && operation.operands().any(is_buffer)
        && operation
            .results()
            .any(|result| !is_buffer(result.into()) && ir::has_uses(result.into()))
}
