//! Runs large loop nests in parallel (`--threads`).
//!
//! ```text
//!   scf.for … {toy.parallel = 262144}  ─ toy-parallel-loops ─▶  scf.parallel
//!   scf.parallel  ─ toy-openmp ─▶  omp.parallel num_threads(2) { omp.wsloop }
//! ```
//!
//! **toy-parallel-loops.** Input: loops, some with the attribute [`PARALLEL`]: their iterations are independent of
//! each other, and it is the number of elements that all of them compute. Output: the same, but loops that compute
//! enough to pay for threads are `scf.parallel`, the outermost of those within each other. No attribute is left.
//!
//! **toy-openmp.** Input: functions on buffers. Output: the same with `omp` in the place of `scf.parallel`, as MLIR's
//! `convert-scf-to-openmp` makes it. Buffers with [`THREAD_PRIVATE`] are on the stack of each thread.
//!
//! Invariant of both: each element is computed by the same operations in the same order as by one thread, so that
//! results are the same bits. MLIR's lowering of `omp`, and the runtime's functions that it calls: runtime/threads.c.

use crate::dialect::ops;
pub use crate::stages::memref::own_memory::THREAD_PRIVATE;
pub use crate::stages::memref::reductions::PARALLEL;
use melior::Context;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{BlockLike, Module, Type, Value};
use mlir_support::builder::{Builder, Insertion};
use mlir_support::ir;
use mlir_support::pass::{
    OptionValue, PassContext, PassDefinition, PassOption, Prepared, run_upstream,
};
use std::str::FromStr;
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::configurable(
    "toy-parallel-loops",
    "Makes scf.parallel of large loops whose iterations are independent",
    &[PassOption {
        name: "least-elements",
        value: OptionValue::Number,
        default: "131072",
        help: "How many elements a loop has to compute to be worth it",
    }],
    configure,
);

pub const OPENMP: PassDefinition = PassDefinition::configurable(
    "toy-openmp",
    "Makes omp.parallel of scf.parallel, each thread with its own buffers on the stack",
    &[PassOption {
        name: "threads",
        value: OptionValue::Number,
        default: "2",
        help: "How many threads run a loop",
    }],
    configure_openmp,
);

/// These elements take one thread some 50 microseconds: several times the cost of waking another thread.
const LEAST_ELEMENTS: u32 = 131_072;

fn configure_openmp(options: &str, _: bool) -> Result<Prepared, String> {
    let threads: u8 = number(options, "threads=", 2)?;
    Ok(Box::new(move |context, module| to_openmp(context, module, threads)))
}

/// The value of the only option of a pass, or its default.
fn number<T: FromStr>(options: &str, name: &str, default: T) -> Result<T, String> {
    let mut value = default;
    for option in options.split_whitespace() {
        value = option
            .strip_prefix(name)
            .and_then(|number| number.parse().ok())
            .ok_or_else(|| format!("`{option}`: `{name}NUMBER` is expected"))?;
    }
    Ok(value)
}

fn configure(options: &str, _: bool) -> Result<Prepared, String> {
    let least: u32 = number(options, "least-elements=", LEAST_ELEMENTS)?;
    Ok(Box::new(move |context, module| {
        run(context.session.context(), module, least);
        Ok(())
    }))
}

fn run<'c>(context: &'c Context, module: &Module<'c>, least: u32) {
    context.get_or_load_dialect("scf");
    for operation in ir::operations(module.as_operation()) {
        let Some(elements) = elements(operation) else { continue };
        ir::remove_attribute(operation, PARALLEL);
        let around =
            std::iter::successors(operation.parent_operation(), |it| it.parent_operation());
        // A loop that carries values has an order.
        if elements >= i64::from(least)
            && ir::name(&operation) == "scf.for"
            && operation.results().count() == 0
            && !around.into_iter().any(|it| ir::name(&it) == "scf.parallel")
        {
            make_parallel(context, operation);
        }
    }
}

fn elements(operation: OperationRef) -> Option<i64> {
    let attribute = operation.attribute(PARALLEL).ok()?;
    Some(IntegerAttribute::try_from(attribute).ok()?.value())
}

fn make_parallel<'c>(context: &'c Context, operation: OperationRef<'c, '_>) {
    let [body] = &ir::blocks(operation)[..] else { return };
    let code = Builder::before(context, operation);
    let bounds: Vec<Value> = operation.operands().collect();
    let segments = [("operandSegmentSizes", code.segments(&[1, 1, 1, 0]))];
    let region = code.region(&[Type::index(context)]);
    let parallel = code.op_with_regions("scf.parallel", &bounds, &[], &segments, vec![region]);
    let inside = ir::blocks(parallel)[0];
    let reduce = code.at(Insertion::AtEnd(inside)).op("scf.reduce", &[], &[], &[]);
    let operations = ir::block_operations(*body);
    let Some((_, operations)) = operations.split_last() else { return };
    for operation in operations {
        ir::mutable(*operation).move_before(reduce);
    }
    ir::replace_all_uses(ir::arguments(*body)[0], ir::arguments(inside)[0]);
    ir::erase(operation);
}

/// The pass toy-openmp.
pub fn to_openmp<'c>(
    context: &PassContext<'c>,
    module: &mut Module<'c>,
    threads: u8,
) -> Diagnosed<()> {
    let text = format!("convert-scf-to-openmp{{num-threads={threads}}}");
    run_upstream(context, module, &text)?;
    let operations = ir::operations(module.as_operation()).into_iter();
    operations.filter(|operation| operation.has_attribute(THREAD_PRIVATE)).for_each(make_private);
    Ok(())
}

/// Gives each parallel region that uses a buffer its own, at the start of the region: there each
/// thread makes it once. The one outside stays for other users.
fn make_private<'c>(buffer: OperationRef<'c, '_>) {
    ir::remove_attribute(buffer, THREAD_PRIVATE);
    let mut copies: Vec<(OperationRef, Value)> = Vec::new();
    for (user, operand) in ir::uses(ops::result(buffer)) {
        let Some(region) = parallel_around(user) else { continue };
        let known = copies.iter().find(|(other, _)| *other == region).map(|(_, copy)| *copy);
        let copy = known.or_else(|| {
            let block = ir::blocks(region).first().copied()?;
            Some(ops::result(block.insert_operation(0, ir::clone(buffer))))
        });
        let Some(copy) = copy else { continue };
        if known.is_none() {
            copies.push((region, copy));
        }
        ir::mutable(user).set_operand(operand, copy);
    }
    if !ir::has_uses(ops::result(buffer)) {
        ir::erase(buffer);
    }
}

/// The outermost `omp.parallel` around an operation.
fn parallel_around<'c, 'a>(operation: OperationRef<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    let around = std::iter::successors(Some(operation), |inner| inner.parent_operation());
    around.filter(|outer| ir::name(outer) == "omp.parallel").last()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_of_the_option_is_the_constant() {
        assert_eq!(PASS.options[0].default, LEAST_ELEMENTS.to_string());
    }
}
