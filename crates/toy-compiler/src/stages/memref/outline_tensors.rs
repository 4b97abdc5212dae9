//! Splits long blocks of operations on tensors: thousands of them become a chain of calls of functions of
//! about [`CHUNK`] operations each.
//!
//! Input and output: linalg on tensors, before bufferization. Why: One-Shot Bufferize takes time cubic in the
//! operations of a block that are bufferized in place, 62 s for 1,000. Toy programs have been split before
//! ([`crate::stages::linalg::outline`]), `.mlir` input has not.
//!
//! Blocks of functions and of structured control flow are split alike. A part takes the values that its
//! operations use as parameters and returns those that are used after it. Deny by default: a block with an
//! operation that is not known to work on values only, or that works on buffers, is left alone, and a cut is
//! only placed where every value that crosses it is a number or a tensor of static shape, which the caller
//! can allocate.
//!
//! Tutorial: chapter 7.

use crate::analysis::outline_chunk::{Crossing, is_constant, outline};
use crate::dialect::ops::{self, is_buffer};
use melior::Context;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::RankedTensorType;
use melior::ir::{BlockLike, BlockRef, Module, ShapedTypeLike, Type, TypeLike, ValueLike};
use mlir_support::ir;
use mlir_support::pass::{PassContext, PassDefinition};
use std::collections::HashSet;
use toy_diagnostics::Diagnosed;

/// The maximum number of operations of a block that is left alone. A part of a Toy program has no more.
const LIMIT: usize = 200;

/// The number of operations of a part.
const CHUNK: usize = 50;

/// The largest number of operations by which a cut may be later than planned.
const PATIENCE: usize = 100;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-outline-tensors",
    "Splits long blocks of operations on tensors into chains of calls",
    run,
);

/// The pass.
pub fn run(context: &PassContext, module: &Module) -> Diagnosed<()> {
    let context = context.session.context();
    let functions = ir::block_operations(module.body());
    let mut names: HashSet<String> = functions.iter().map(ops::symbol_name).collect();
    for function in functions.into_iter().filter(ops::is_function) {
        // Inner blocks first.
        let structured = |operation: &OperationRef| ir::name(operation).starts_with("scf.");
        let mut owners: Vec<_> =
            ir::operations(function).into_iter().filter(structured).rev().collect();
        owners.push(function);
        for owner in owners {
            for region in 0..owner.region_count() {
                for block in ir::blocks_of(owner, region) {
                    while split(context, module, block, function, &mut names) {}
                }
            }
        }
    }
    Ok(())
}

/// Splits a block if it is too long. Returns false if there is nothing to split.
fn split<'c>(
    context: &'c Context,
    module: &Module<'c>,
    block: BlockRef<'c, '_>,
    function: OperationRef<'c, '_>,
    names: &mut HashSet<String>,
) -> bool {
    let mut operations = ir::block_operations(block);
    operations.pop();
    if operations.iter().map(weight).sum::<usize>() <= LIMIT || !operations.iter().all(is_movable) {
        return false;
    }
    let name = ops::symbol_name(&function);
    operations.retain(|operation| !is_constant(*operation));
    let mut is_split = false;
    let mut rest = operations.as_slice();
    while let Some(length) = cut(rest) {
        let (chunk, after) = rest.split_at(length);
        let number = (0..).find(|number| !names.contains(&format!("{name}$part{number}")));
        let symbol = format!("{name}$part{}", number.unwrap_or_default());
        names.insert(symbol.clone());
        // The part comes before its caller: drop-equivalent-buffer-results goes through the functions once, and
        // then knows the results of the part.
        let part = outline(context, chunk, &symbol, |_| vec![]).function;
        module.body().insert_operation_before(function, part);
        is_split = true;
        rest = after;
    }
    for operation in ir::block_operations(block) {
        if is_constant(operation) {
            ir::erase_if_unused(operation);
        }
    }
    is_split
}

/// The end of the first part; None if too few operations are left, or no cut is possible.
fn cut(operations: &[OperationRef]) -> Option<usize> {
    let mut counted = 0;
    let mut length = 0;
    for operation in operations {
        length += 1;
        counted += weight(operation);
        if counted >= CHUNK {
            break;
        }
    }
    if counted < CHUNK {
        return None;
    }
    let last = operations.len().min(length + PATIENCE);
    (length..=last).find(|length| {
        let crossing = Crossing::of(&operations[..*length]);
        crossing.parameters.iter().all(|value| !is_buffer(value.r#type()))
            && crossing.results.iter().all(|(value, _)| can_be_returned(value.r#type()))
    })
}

/// The number of operations that contribute to the running time of bufferization: an operation and its contents.
fn weight(operation: &OperationRef) -> usize {
    let inside = ir::operations(*operation);
    usize::from(counts(operation)) + inside.iter().filter(|inner| counts(inner)).count()
}

/// True if an operation contributes to the running time of bufferization.
fn counts(operation: &OperationRef) -> bool {
    !is_constant(*operation)
        && ir::name(operation) != "tensor.cast"
        && !["scf.yield", "linalg.yield"].contains(&ir::name(operation))
        // Markers for debuggers occur only in Toy programs, which have been split with them.
        && !operation.has_attribute("toy.variable")
        && !ir::name(operation).starts_with("arith.")
}

/// True if an operation, including nested ones, works on values only and may be moved to any function.
fn is_movable(operation: &OperationRef) -> bool {
    let all = [vec![*operation], ir::operations(*operation)].concat();
    all.into_iter().all(|operation| {
        let dialect = ir::name(&operation).split('.').next().unwrap_or_default();
        ["linalg", "tensor", "arith", "math", "complex", "index", "scf", "ub"].contains(&dialect)
            || ["func.call", "bufferization.alloc_tensor"].contains(&ir::name(&operation))
    }) && operation.operands().all(|operand| !is_buffer(operand.r#type()))
        && operation.results().all(|result| !is_buffer(result.r#type()))
}

fn can_be_returned(ty: Type) -> bool {
    let is_static = RankedTensorType::try_from(ty).is_ok_and(|tensor| tensor.has_static_shape());
    is_static || ty.is_integer() || ty.is_index() || ty.is_float()
}
