//! Blocks that end in `unreachable` return poison instead.
//!
//! Input: functions, before lift-cf-to-scf. Output: the same without `ub.unreachable` and
//! `llvm.unreachable` as the terminator of one of several blocks. lift-cf-to-scf gives up on a region whose
//! blocks have different terminators, and the remaining branches cannot be deallocated. An unreachable block
//! may return any value, so it returns `ub.poison`.

use crate::dialect::ops;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, Module, Type, Value, ValueLike};
use mlir_support::pass::{PassContext, PassDefinition, Workaround};
use mlir_support::{Builder, ir};
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-return-poison",
    "Makes unreachable blocks return poison, as lift-cf-to-scf requires",
    run,
)
.working_around(Workaround {
    issue: "lift-cf-to-scf gives up on regions whose blocks end in `unreachable` and in other terminators",
    since: "22.1",
    delete_when: "it lifts them",
});

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    for function in ops::functions(module) {
        if !ir::any(function, has_several_blocks) {
            continue;
        }
        for operation in [vec![function], ir::operations(function)].concat() {
            for region in 0..operation.region_count() {
                replace(context, operation, region);
            }
        }
    }
    Ok(())
}

pub fn has_several_blocks(operation: OperationRef) -> bool {
    (0..operation.region_count()).any(|region| ir::blocks_of(operation, region).len() > 1)
}

fn replace<'c>(context: &PassContext<'c>, parent: OperationRef<'c, '_>, region: usize) {
    let blocks = ir::blocks_of(parent, region);
    if blocks.len() < 2 {
        return;
    }
    let last = |block| ir::block_operations(block).last().copied();
    let ends: Vec<OperationRef> = blocks.into_iter().filter_map(last).collect();
    let (unreachable, others): (Vec<_>, Vec<_>) =
        ends.into_iter().partition(|end| ir::name(end).ends_with(".unreachable"));
    let like = others.into_iter().find(|end| end.successor_count() == 0);
    let (name, types): (_, Vec<Type>) = match like {
        Some(like) => (ir::name(&like), like.operands().map(|value| value.r#type()).collect()),
        None if ops::is_function(&parent) => {
            let ty = ops::function_type(&parent);
            ("func.return", ty.map(ops::results).unwrap_or_default())
        }
        None => return,
    };
    let context = context.session.context();
    let value = Attribute::parse(context, "#ub.poison").expect("a valid attribute");
    for end in unreachable {
        let code = Builder::before(context, end);
        let poison = |ty: &Type<'c>| code.value("ub.poison", &[], *ty, &[("value", value)]);
        let values: Vec<Value> = types.iter().map(poison).collect();
        code.op(name, &values, &[], &[]);
        ir::erase(end);
    }
}
