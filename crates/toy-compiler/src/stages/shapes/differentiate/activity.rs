//! The values that depend on the parameters of a gradient: only these have cotangents.
//!
//! Input: operations in order, and the active values among those that they use. Output: the same set with theirs.
//! Invariant: an active value is a tensor or a struct; a value that depends on a parameter only through jumps, indices or
//! functions that are constant but for jumps is not active.

use super::rules;
use crate::dialect::ops::{Kind, source};
use crate::dialect::shape::is_tensor;
use crate::dialect::structs::is_struct;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockRef, Value, ValueLike};
use mlir_support::control_flow::{self, predecessor_values};
use mlir_support::ir;
use std::collections::HashSet;

pub type Active = HashSet<usize>;

/// Adds the active values of operations.
pub fn spread(operations: &[OperationRef], active: &mut Active) {
    for operation in operations {
        let results = operation.results().map(Value::from);
        match Kind::of(operation) {
            Some(kind) if rules::is_constant(*operation, kind) => {}
            _ if operation.region_count() > 0 => through_regions(*operation, active),
            _ => {
                if operation.operands().any(|operand| active.contains(&ir::id(source(operand)))) {
                    active.extend(results.filter(can_be).map(ir::id));
                }
            }
        }
    }
}

/// A loop passes values on to its next iteration, so its contents are visited until nothing changes.
fn through_regions(operation: OperationRef, active: &mut Active) {
    loop {
        let before = active.len();
        let is_passed = |value: &Value, active: &Active| {
            can_be(value)
                && predecessor_values(*value)
                    .is_some_and(|values| values.iter().any(|it| active.contains(&ir::id(*it))))
        };
        for block in blocks(operation) {
            for argument in ir::arguments(block) {
                if is_passed(&argument, active) {
                    active.insert(ir::id(argument));
                }
            }
            spread(&ir::block_operations(block), active);
        }
        for result in operation.results().map(Value::from) {
            if is_passed(&result, active) {
                active.insert(ir::id(result));
            }
        }
        if active.len() == before || !control_flow::is_loop(&operation) {
            return;
        }
    }
}

/// The blocks in all regions of an operation.
pub fn blocks<'c, 'a>(operation: OperationRef<'c, 'a>) -> Vec<BlockRef<'c, 'a>> {
    (0..operation.region_count()).flat_map(|region| ir::blocks_of(operation, region)).collect()
}

fn can_be(value: &Value) -> bool {
    is_tensor(value.r#type()) || is_struct(value.r#type())
}

/// The active values that operations use, and that are defined elsewhere, in the order of their first use.
pub fn from_outside<'c, 'a>(
    operations: &[OperationRef<'c, 'a>],
    is_own: impl Fn(Value<'c, 'a>) -> bool,
    active: &Active,
) -> Vec<Value<'c, 'a>> {
    let inner = operations.iter().flat_map(|operation| ir::operations(*operation));
    let all: Vec<_> = operations.iter().copied().chain(inner).collect();
    let mut defined = HashSet::new();
    for operation in &all {
        defined.extend(operation.results().map(ir::id));
        for block in blocks(*operation) {
            defined.extend(ir::arguments(block).into_iter().map(ir::id));
        }
    }
    let mut found: Vec<Value> = Vec::new();
    let mut seen = HashSet::new();
    for operand in all.iter().flat_map(|operation| operation.operands()).map(source) {
        let id = ir::id(operand);
        if active.contains(&id) && !defined.contains(&id) && !is_own(operand) && seen.insert(id) {
            found.push(operand);
        }
    }
    found
}

/// True for the values carried by a loop that are wanted, or that a wanted one may depend on in a later iteration.
pub fn carried_behind(
    operations: &[OperationRef],
    end: OperationRef,
    carried: &[Value],
    mut wanted: Vec<bool>,
    may_be: impl Fn(Value) -> bool,
) -> Vec<bool> {
    loop {
        let ends = end.operands().zip(&wanted).filter(|(_, is_wanted)| **is_wanted);
        let behind = arguments_behind(operations, &ends.map(|(end, _)| end).collect::<Vec<_>>());
        let is_behind = |value: Value| behind.contains(&ir::id(value)) && may_be(value);
        let now = wanted.iter().zip(carried).map(|(is_wanted, it)| *is_wanted || is_behind(*it));
        let now: Vec<bool> = now.collect();
        if now == wanted {
            return wanted;
        }
        wanted = now;
    }
}

/// The arguments of a block that some of its terminator's operands may depend on.
fn arguments_behind(operations: &[OperationRef], ends: &[Value]) -> HashSet<usize> {
    let mut needed: HashSet<usize> = ends.iter().map(ir::id).collect();
    for operation in operations.iter().rev() {
        if operation.results().any(|result| needed.contains(&ir::id(result))) {
            needed.extend(operation.operands().map(ir::id));
            for inner in ir::operations(*operation) {
                needed.extend(inner.operands().map(ir::id));
            }
        }
    }
    needed
}
