//! toy-rotate-buffers: a loop that allocates a buffer in every iteration rotates a fixed set instead.
//!
//! Input: functions on buffers, after bufferization and before merge-alloc. Output: the same, with the
//! allocations that a loop passes to its next iteration hoisted in front of it. Bufferization turns
//! `x = x + y`, Fibonacci's `(a, b) = (a + b, a)` and every swap into an allocation per iteration, and
//! copies in addition:
//!
//! ```mlir
//! %r = scf.for ... iter_args(%x = %a) {          %r:2 = scf.for ... iter_args(%x = %a, %s = %spare) {
//!   %new = memref.alloc()                  =>      linalg.add ins(%x, %y) outs(%s)
//!   linalg.add ins(%x, %y) outs(%new)              scf.yield %s, %x
//!   scf.yield %new                               }
//! }
//! ```
//!
//! The rules, in the order in which they are applied to a block ([`plan`]):
//!
//! * A block *holds* buffers that are distinct and that only it has access to: its own allocations, and
//!   the arguments of a loop if the loop yields as many distinct buffers to its next iteration.
//! * A buffer whose only content is a copy of another buffer that is dead after the copy *is* that other
//!   buffer: swaps need no copies.
//! * A loop or a branch takes some of these buffers and returns them in another order, together with spare
//!   buffers, one for each allocation in it. A buffer that it does not pass on becomes a spare buffer.
//! * The initial buffer of a loop must be held by the block of the loop, and must be dead from the loop on
//!   ([`names`]). Otherwise it is copied first, if nothing is written to it through the loop's aliases,
//!   nor through other aliases while those are live ([`init`]).
//! * A branch whose regions all yield their own allocations gets one allocation in front of it.
//!
//! Deny by default: aliases are followed as in merge-alloc, with the same table of operations, and a loop
//! with a buffer that escapes is left alone. Slots have a static shape and the identity layout. Only
//! regions of one block are considered.
//!
//! Invariants: the signature of every function is unchanged; an iteration has as many buffers as before.
//! Uninitialized memory stays uninitialized: a reused buffer holds its old contents, where a new one holds
//! whatever malloc returns.
//!
//! Tutorial: chapter 9.

mod apply;
mod init;
mod names;
mod plan;

use crate::dialect::ops;
use crate::stages::merged::callees::Callees;
use melior::ir::Module;
use melior::ir::operation::{OperationLike, OperationRef};
use merge_alloc::analysis::alias::Captures;
use merge_alloc::analysis::body::Body;
use mlir_support::ir;
use mlir_support::pass::{PassContext, PassDefinition};
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-rotate-buffers",
    "Makes loops use a few buffers in rotation instead of allocating one per iteration",
    run,
);

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let operations = ir::block_operations(module.body());
    let functions = ops::definitions(module);
    if !functions.iter().any(|function| ir::any(*function, |inner| may_rotate(&inner))) {
        return Ok(());
    }
    let mut scopes = 0;
    let bodies: Vec<_> =
        functions.into_iter().map(|function| Body::new(function, &mut scopes)).collect();
    let module = ModuleFacts { captures: Captures::of(&bodies), callees: Callees::of(&operations) };
    for body in &bodies {
        let has_one = body.entries.iter().any(|entry| may_rotate(&entry.operation));
        if has_one {
            let found = plan::of_function(body, &module);
            apply::run(context.session.context(), found);
        }
    }
    Ok(())
}

/// The facts about the module that the analysis of a function needs.
struct ModuleFacts {
    captures: Captures,
    /// The memory that called functions write to.
    callees: Callees,
}

/// True if an operation is a loop or branch with buffers as results.
fn may_rotate(operation: &OperationRef) -> bool {
    plan::is_candidate(operation)
        && operation.results().any(|result| plan::is_slot(melior::ir::ValueLike::r#type(&result)))
}
