//! toy-rotate-buffers: a loop that makes a new buffer in every iteration takes turns with a few.
//!
//! Input: functions on buffers, after bufferization and before merge-alloc. Output: the same, in which
//! the allocations that a loop passes on to its next iteration are in front of it. Bufferization makes
//! of `x = x + y`, of Fibonacci's `(a, b) = (a + b, a)` and of every swap an allocation per iteration,
//! and copies beside:
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
//! * What a block *holds* are buffers that only it knows, all different: allocations in it, and the
//!   arguments of a loop if it passes on as many, all different, to its next iteration.
//! * A buffer that only gets the contents of another one that is not used afterwards *is* the other
//!   one: swaps need no copies.
//! * A loop or a branch takes some of these buffers and gives them back in another order, together with
//!   spare ones, one for each allocation in it. What it does not pass on is a spare buffer from there on.
//! * The initial buffer of a loop must be held by the block of the loop, and not be used from the loop
//!   on ([`names`]). Another one is copied first, if nothing is written through the loop's names
//!   for it, nor behind their back ([`init`]).
//! * A branch whose regions all yield allocations of their own gets one allocation in front of it.
//!
//! Deny by default: what a buffer is called is followed as merge-alloc follows it, through the same table
//! of operations, and a loop one of whose buffers gets out of sight stays as it is. Slots are of static
//! shape and of the identity layout. Only regions of one block are looked at.
//!
//! Invariants: no function gets or loses an argument or a result; an iteration has as many buffers as it
//! had before. What is not initialized stays so: a buffer that is used again holds what was in it, where a
//! new one holds whatever malloc leaves.
//!
//! Tutorial: chapter 9.

mod apply;
mod init;
mod names;
mod plan;

use crate::diagnostic::Diagnosed;
use crate::dialect::ops::{attribute, entry_block, symbol_name};
use crate::mlir::pass::{PassContext, PassDefinition};
use crate::mlir::raw;
use melior::ir::Module;
use melior::ir::operation::{OperationLike, OperationRef};
use merge_alloc::analysis::alias::Captures;
use merge_alloc::analysis::body::Body;
use std::collections::HashSet;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-rotate-buffers",
    "Makes loops use a few buffers in rotation instead of allocating one per iteration",
    run,
);

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let operations = raw::block_operations(module.body());
    let functions: Vec<_> = operations
        .iter()
        .filter(|operation| raw::name(*operation) == "func.func")
        .filter(|function| entry_block(**function).is_some())
        .copied()
        .collect();
    if !functions.iter().any(|function| raw::any(*function, |inner| may_rotate(&inner))) {
        return Ok(());
    }
    let mut scopes = 0;
    let bodies: Vec<_> =
        functions.into_iter().map(|function| Body::new(function, &mut scopes)).collect();
    let module = ModuleFacts {
        captures: Captures::of(&bodies),
        constants: operations
            .iter()
            .filter(|global| {
                raw::name(*global) == "memref.global" && global.has_attribute("constant")
            })
            .map(symbol_name)
            .collect(),
        readers: operations
            .iter()
            .filter(|function| only_reads(function))
            .map(symbol_name)
            .collect(),
    };
    for body in &bodies {
        let has_one = body.entries.iter().any(|entry| may_rotate(&entry.operation));
        if has_one {
            let found = plan::of_function(body, &module);
            apply::run(context.session.context(), found);
        }
    }
    Ok(())
}

/// What the pass has to know of the module around a function.
struct ModuleFacts {
    captures: Captures,
    /// Globals that are constant.
    constants: HashSet<String>,
    /// Functions declared to read what they are given, and no more.
    readers: HashSet<String>,
}

/// Whether an operation has regions that hand buffers on.
fn may_rotate(operation: &OperationRef) -> bool {
    plan::kind(operation).is_some()
        && operation.results().any(|result| plan::is_slot(melior::ir::ValueLike::r#type(&result)))
}

/// A declaration whose arguments that are buffers are all `bufferization.access = "read"`.
fn only_reads(function: &OperationRef) -> bool {
    if raw::name(function) != "func.func" || entry_block(*function).is_some() {
        return false;
    }
    let Some(ty) = crate::dialect::ops::function_type(function) else { return false };
    let attributes =
        attribute(function, "arg_attrs").map(|all| all.to_string()).unwrap_or_default();
    // `[{bufferization.access = "read"}, {}]`: one dictionary for each argument.
    let said: Vec<_> = attributes.split('}').collect();
    crate::dialect::ops::inputs(ty).iter().enumerate().all(|(at, input)| {
        !crate::dialect::ops::is_buffer(*input)
            || said.get(at).is_some_and(|said| said.contains("bufferization.access = \"read\""))
    })
}
