//! Restores the stack in each iteration of a loop that casts buffers to unranked ones.
//!
//! Input: structured control flow. Output: the same, where the body of a loop saves the stack pointer at its
//! start and restores it at its end, if it casts a buffer to an unranked one, as a call of `print` does.
//! finalize-memref-to-llvm of LLVM 22 keeps the descriptor of such a buffer on the stack, with an `llvm.alloca`
//! where the cast was: in a loop, one more in each iteration, until the stack overflows (with 8 MiB, after some
//! 260,000 numbers printed).
//!
//! A body stays as it is if a buffer on its stack may outlive the iteration: if it has a `memref.alloca`, or
//! passes an unranked buffer to the next iteration.

use super::inline_scopes::{restore_stack, save_stack};
use crate::dialect::ops;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, Module, Type, TypeLike, Value, ValueLike};
use mlir_support::control_flow::is_loop;
use mlir_support::pass::{PassContext, PassDefinition, Workaround};
use mlir_support::{Builder, ir};
use std::collections::HashSet;
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-free-descriptors",
    "Restores the stack pointer in each iteration of loops that cast buffers to unranked ones",
    run,
)
.working_around(Workaround {
    issue: "finalize-memref-to-llvm allocates the descriptor of an unranked buffer on the stack where it is made, in each iteration of a loop",
    since: "22.1",
    delete_when: "it does so in the entry block",
});

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let mut seen = HashSet::new();
    let is_cast = |operation: &OperationRef| {
        ir::name(operation) == "memref.cast" && is_unranked(ops::result(*operation).r#type())
    };
    for cast in ir::operations(module.as_operation()).into_iter().filter(is_cast) {
        let Some(body) = body_around(cast) else { continue };
        if seen.insert(ir::id(body)) && ends_with_iteration(body) {
            restore(context, body);
        }
    }
    Ok(())
}

fn is_unranked(ty: Type) -> bool {
    ty.is_unranked_mem_ref()
}

/// The body of the innermost loop around an operation.
fn body_around<'c, 'a>(operation: OperationRef<'c, 'a>) -> Option<BlockRef<'c, 'a>> {
    let mut inside = operation;
    loop {
        let around = inside.parent_operation()?;
        if is_loop(&around) {
            return inside.block();
        }
        inside = around;
    }
}

/// True if nothing that the body puts on the stack is needed after its end.
fn ends_with_iteration(body: BlockRef) -> bool {
    let is_alloca = |operation: OperationRef| ir::name(&operation) == "memref.alloca";
    let passes_on = |value: Value| is_unranked(value.r#type());
    ir::block_operations(body).iter().all(|operation| !ir::any(*operation, is_alloca))
        && body.terminator().is_some_and(|end| !end.operands().any(passes_on))
}

fn restore<'c>(context: &PassContext<'c>, body: BlockRef<'c, '_>) {
    if let (Some(first), Some(end)) = (body.first_operation(), body.terminator()) {
        let code = |operation| Builder::before(context.session.context(), operation);
        restore_stack(code(end), save_stack(code(first)));
    }
}
