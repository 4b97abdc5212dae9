//! Fences that keep linalg-fuse-elementwise-ops from recomputing elements.
//!
//! Upstream's fusion moves an operation into the operation that reads its result, if there is only one. If the reader
//! is in a loop that the other is not in, or reads each element several times, as a matrix product does, then fusion
//! would compute an element many times instead of once. A sum of rows reads them in their order: fused with a
//! transposition, it would read one element of each line of the cache, where tiles read all of them.
//!
//! Fusing a chain of operations takes time quadratic in its length, since each step copies the operations fused so
//! far. Functions have short bodies ([`crate::stages::linalg::outline`]), but loops may have long ones: operations are
//! fused only with others of the same [`STRETCH`].
//!
//! Input: linalg on tensors. Output: the same; [`ADD`] gives such a result a second use, and [`REMOVE`] removes it.
//! Invariant: no fence is left after the two.

use super::toy_to_linalg::reductions::combined;
use crate::dialect::ops;
use crate::dialect::shape::shape_of;
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, BlockLike, Identifier, Module, ValueLike};
use mlir_support::control_flow::is_at_most_once;
use mlir_support::ir;
use mlir_support::linalg::Generic;
use mlir_support::pass::{PassContext, PassDefinition};
use std::collections::{HashMap, HashSet};
use toy_diagnostics::Diagnosed;

/// The most element-wise operations in a row that may become one.
const STRETCH: usize = 200;

/// A tensor with at most this many elements is in the nearest cache, in any order.
const NEAR: u64 = 1 << 12;

/// The attribute that marks fences.
const FENCE: &str = "toyc.fence";

pub const ADD: PassDefinition = PassDefinition::new(
    "toy-fusion-fences",
    "Keeps fusion from computing elements several times that are computed once",
    add,
);

pub const REMOVE: PassDefinition = PassDefinition::new(
    "toy-remove-fusion-fences",
    "Removes what `toy-fusion-fences` has added",
    remove,
);

/// The pass before fusion.
pub fn add<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let context = context.session.context();
    let attributes = [
        // A variable has a name.
        (Identifier::new(context, "name"), StringAttribute::new(context, FENCE).into()),
        (Identifier::new(context, FENCE), Attribute::unit(context)),
    ];
    let operations = ir::operations(module.as_operation());
    let stretches = stretches(&operations);
    let across = across(&operations);
    for consumer in operations {
        if ir::name(&consumer) != "linalg.generic" {
            continue;
        }
        for (index, operand) in consumer.operands().enumerate() {
            let Some(producer) = ir::defining_operation(operand) else { continue };
            let is_fused = match ir::name(&producer) {
                "linalg.generic" => {
                    !(is_repeated(producer, consumer)
                        || reads_again(consumer, index)
                        || (across.contains(&ir::id(producer)) && has_partial_results(consumer))
                        || is_far(producer, consumer, &stretches))
                }
                // Fusion would give the consumer the dimensions of size 1, and then compute what is before this.
                "tensor.collapse_shape" => !reads_again(consumer, index),
                _ => true,
            };
            if is_fused {
                continue;
            }
            let fence = ops::variable(producer.location(), operand, &attributes);
            let block = producer.block().expect("an operation with a use is in a block");
            block.insert_operation_after(producer, fence);
        }
    }
    Ok(())
}

/// The pass after fusion.
pub fn remove<'c>(_: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    for operation in ir::operations(module.as_operation()) {
        if operation.has_attribute(FENCE) {
            ir::erase(operation);
        }
    }
    Ok(())
}

/// True if the consumer is in a loop, or another region that may run several times, and the producer is not.
fn is_repeated(producer: OperationRef, consumer: OperationRef) -> bool {
    let outside = producer.parent_operation().map(|parent| parent.to_raw().ptr);
    let mut around = consumer.parent_operation();
    while let Some(parent) = around.filter(|parent| Some(parent.to_raw().ptr) != outside) {
        if !is_at_most_once(&parent) {
            return true;
        }
        around = parent.parent_operation();
    }
    false
}

/// The stretch of each operation in its block.
fn stretches(operations: &[OperationRef]) -> HashMap<usize, usize> {
    let mut counts: HashMap<usize, usize> = HashMap::new();
    let mut stretches = HashMap::new();
    for operation in operations {
        let Some(block) = operation.block() else { continue };
        let count = counts.entry(ir::id(block)).or_default();
        stretches.insert(ir::id(*operation), *count / STRETCH);
        *count += usize::from(ir::name(operation) == "linalg.generic");
    }
    stretches
}

/// The operations with more than [`NEAR`] elements that read an operand in another order than they write, or would do so
/// after fusion with the operations that they read.
fn across(operations: &[OperationRef]) -> HashSet<usize> {
    let mut across = HashSet::new();
    for operation in operations {
        let Some(generic) = Generic::of(*operation).filter(Generic::is_parallel) else { continue };
        let elements = operation.results().next().and_then(|it| shape_of(it.r#type()));
        let is_large = elements.is_some_and(|shape| shape.0.iter().product::<u64>() > NEAR);
        let last = generic.iterators.len().checked_sub(1);
        let is_across = |at: usize| {
            let operand = ir::defining_operation(ir::operand(*operation, at));
            let dims = generic.dimensions(at).unwrap_or_default();
            operand.is_some_and(|operand| across.contains(&ir::id(operand)))
                || (dims.last() != last.as_ref() && last.is_some_and(|last| dims.contains(&last)))
        };
        if is_large && (0..generic.inputs).any(is_across) {
            across.insert(ir::id(*operation));
        }
    }
    across
}

fn has_partial_results(consumer: OperationRef) -> bool {
    Generic::of(consumer).is_some_and(|generic| combined(&generic).is_some())
}

/// True if the producer is in another stretch than the operation of its block that is or contains the consumer.
fn is_far(
    producer: OperationRef,
    consumer: OperationRef,
    stretches: &HashMap<usize, usize>,
) -> bool {
    let mut around = Some(consumer);
    while let Some(operation) = around.filter(|operation| operation.block() != producer.block()) {
        around = operation.parent_operation();
    }
    let stretch = |operation: OperationRef| stretches.get(&ir::id(operation));
    around.is_some_and(|operation| stretch(operation) != stretch(producer))
}

/// True if an operation reads elements of an operand more than once.
fn reads_again(consumer: OperationRef, operand: usize) -> bool {
    let generic = Generic::of(consumer);
    generic.is_none_or(|generic| {
        let used = generic.dimensions(operand);
        used.is_none_or(|used| used.len() < generic.iterators.len())
    })
}
