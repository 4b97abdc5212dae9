//! Makes non-temporal stores visible before anything that follows.
//!
//! Input: functions with loops, before the conversion to the LLVM dialect. Output: the same with an `llvm.fence`
//! after each operation of a function's own blocks that contains a store with `nontemporal`. Such stores are not
//! ordered with others on x86-64: without the fence, another thread that is told that a result is there might not
//! see it yet. A deallocation pass would not know the fence: so it is not made with the loops. For the threads of
//! a parallel loop, the runtime has a fence (runtime/threads.c).

use crate::dialect::ops;
use melior::ir::Module;
use melior::ir::operation::OperationRef;
use mlir_support::builder::{Builder, Insertion};
use mlir_support::ir;
use mlir_support::pass::{PassContext, PassDefinition};
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition =
    PassDefinition::new("toy-fences", "Puts a fence behind loops that write past the caches", run);

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let context = context.session.context();
    for function in ir::block_operations(module.body()).into_iter().filter(ops::is_function) {
        if !ir::any(function, is_past_caches) {
            continue;
        }
        context.get_or_load_dialect("llvm");
        let own = ir::blocks(function).into_iter().flat_map(ir::block_operations);
        for operation in own.filter(|it| is_past_caches(*it) || ir::any(*it, is_past_caches)) {
            let code = Builder::before(context, operation).at(Insertion::After(operation));
            // Sequentially consistent.
            code.op("llvm.fence", &[], &[], &[("ordering", code.number(7))]);
        }
    }
    Ok(())
}

fn is_past_caches(operation: OperationRef) -> bool {
    ["vector.store", "memref.store", "llvm.store"].contains(&ir::name(&operation))
        && ops::attribute(&operation, "nontemporal").is_some_and(|value| !ir::is_false(value))
}
