//! toy-own-arguments: tensors that a loop carries start in buffers of the function, not of its caller.
//!
//! Input: functions on tensors, of a library. Output: the same; a function with a loop that carries tensors copies, at
//! its start, the arguments that it passes on to loops and branches, or updates, and, before a loop, the parts of
//! arguments in which the loop begins.
//!
//! Why: the callers of an exported function give it all of its memory, so a loop must not allocate. `toy-rotate-buffers`
//! arranges that for buffers which only the loop's function has access to. It makes the same copy itself, but only if
//! the results of the loop are not overwritten.
//!
//! Recursive functions are left alone: their callers cannot know how many copies there are.

use crate::analysis::tensor_roots::{is_tensor, recursive};
use crate::dialect::ops;
use crate::stages::memref::deallocate::copy;
use melior::ir::Module;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use mlir_support::control_flow::is_loop;
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::{buffers, ir};
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-own-arguments",
    "Copies arguments that loops carry, so that the loops of exported functions need not allocate",
    run,
);

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let functions = ops::functions(module);
    let recursive = recursive(&functions);
    for function in functions {
        if recursive.contains(&ops::symbol_name(&function)) {
            continue;
        }
        let Some(entry) = ops::entry_block(function) else { continue };
        let Some(first) = ir::block_operations(entry).first().copied() else { continue };
        let mut loops = ir::operations(function);
        loops.retain(|operation| carries_tensors(*operation));
        if loops.is_empty() {
            continue;
        }
        for operation in loops {
            for (place, value) in operation.operands().enumerate().collect::<Vec<_>>() {
                let base = buffers::base(value);
                if is_tensor(&value) && base != value && ir::arguments(entry).contains(&base) {
                    let own = copy(context, operation, value);
                    ir::mutable(operation).set_operand(place, own);
                }
            }
        }
        for argument in ir::arguments(entry).into_iter().filter(is_tensor) {
            let uses = ir::uses(argument);
            if !uses.iter().any(|(user, _)| passes_on(*user)) {
                continue;
            }
            let own = copy(context, first, argument);
            ir::set_uses(&uses, own);
        }
    }
    Ok(())
}

/// True if an operation is a loop that carries tensors.
fn carries_tensors(operation: OperationRef) -> bool {
    is_loop(&operation) && operation.operands().any(|value| is_tensor(&value))
}

/// True if an operation may pass on the buffer of its operand.
fn passes_on(operation: OperationRef) -> bool {
    let around = ["scf.for", "scf.while", "scf.yield", "scf.condition"];
    let updates = ["tensor.insert", "tensor.insert_slice"];
    around.iter().chain(&updates).any(|name| *name == ir::name(&operation))
}
