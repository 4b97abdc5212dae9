//! Replaces `memref.alloca_scope` with buffer results, or in a loop of `omp`: the stack is saved and restored
//! around its operations.
//!
//! Input: structured control flow. Output: the same without such scopes. finalize-memref-to-llvm of LLVM 22
//! lowers a scope to a branch before it converts the types of the buffers that the branch passes, which
//! results in invalid IR. The scopes that convert-scf-to-openmp puts around
//! the bodies of loops cannot have blocks, so convert-scf-to-cf fails on loops in them. Other scopes are left to
//! those passes.

use crate::dialect::ops;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{Module, Value, ValueLike};
use mlir_support::pass::{PassContext, PassDefinition, Workaround};
use mlir_support::{Builder, ir};
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-inline-scopes",
    "Replaces some `memref.alloca_scope` by saving and restoring the stack pointer",
    run,
)
.working_around(Workaround {
    issue: "finalize-memref-to-llvm creates invalid IR for `memref.alloca_scope` with buffer results; convert-scf-to-cf fails in the scopes of convert-scf-to-openmp",
    since: "22.1",
    delete_when: "both lower these scopes",
});

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let scopes = ir::operations(module.as_operation()).into_iter();
    let scopes: Vec<_> =
        scopes.filter(|operation| ir::name(operation) == "memref.alloca_scope").collect();
    // Inner scopes come after those around them.
    for scope in scopes.into_iter().rev() {
        let in_omp =
            scope.parent_operation().is_some_and(|loops| ir::name(&loops) == "omp.loop_nest");
        if in_omp || scope.results().any(|result| ops::is_buffer(Value::from(result).r#type())) {
            inline(context, scope);
        }
    }
    Ok(())
}

fn inline<'c>(context: &PassContext<'c>, scope: OperationRef<'c, '_>) {
    let [inside] = &ir::blocks(scope)[..] else { return };
    let code = Builder::before(context.session.context(), scope);
    let stack = save_stack(code);
    let operations = ir::block_operations(*inside);
    let Some((end, body)) = operations.split_last() else { return };
    for operation in body {
        ir::mutable(*operation).move_before(scope);
    }
    restore_stack(code, stack);
    for (result, value) in scope.results().zip(end.operands()) {
        ir::replace_all_uses(result.into(), value);
    }
    ir::erase(scope);
}

/// The stack pointer at a place.
pub fn save_stack<'c, 'a>(code: Builder<'c, 'a>) -> Value<'c, 'a> {
    code.value("llvm.intr.stacksave", &[], code.pointer_type(), &[])
}

/// Restores the stack to its state at [`save_stack`].
pub fn restore_stack<'c>(code: Builder<'c, '_>, stack: Value<'c, '_>) {
    code.op("llvm.intr.stackrestore", &[stack], &[], &[]);
}
