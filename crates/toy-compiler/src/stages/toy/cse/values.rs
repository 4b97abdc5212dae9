//! Equal and dead operations of one function.
//!
//! Input: a function, and the summaries of its callees. Invariant: an operation is only replaced by one that
//! dominates it. A block sees its own earlier operations, the operations of the first block of its region, and
//! the operations before the enclosing operation, if that is one of `scf`. Regions of other dialects are left
//! alone: they may be isolated, or have symbol tables of their own.

use super::memory::Memory;
use crate::analysis::purity::Purity;
use crate::dialect::ops::{self, Kind};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};
use mlir_support::ir;
use std::collections::{HashMap, HashSet};

/// A step of the walk over a function.
#[derive(Clone, Copy)]
pub enum Step<'c, 'a> {
    /// From here to the matching `Close`, operations are not visible outside.
    Open,
    Visit(OperationRef<'c, 'a>),
    Close,
}

/// The operations of a function in pre-order.
pub fn steps<'c, 'a>(function: OperationRef<'c, 'a>) -> Vec<Step<'c, 'a>> {
    let mut steps = Vec::new();
    // The work list, in reverse order.
    let mut stack = Vec::new();
    push_regions(function, &mut stack);
    while let Some(step) = stack.pop() {
        steps.push(step);
        if let Step::Visit(operation) = step
            && ir::name(&operation).starts_with("scf.")
        {
            push_regions(operation, &mut stack);
        }
    }
    steps
}

fn push_regions<'c, 'a>(operation: OperationRef<'c, 'a>, stack: &mut Vec<Step<'c, 'a>>) {
    for region in (0..operation.region_count()).rev() {
        stack.push(Step::Close);
        for (index, block) in ir::blocks_of(operation, region).into_iter().enumerate().rev() {
            if index > 0 {
                stack.push(Step::Close);
            }
            stack.extend(ir::block_operations(block).into_iter().rev().map(Step::Visit));
            // The first block dominates the whole region.
            if index > 0 {
                stack.push(Step::Open);
            }
        }
        stack.push(Step::Open);
    }
}

/// Merges equal operations. Returns the remaining ones, in order.
///
/// Large constants of one value count as equal, but are not merged: they are cheap to compute, and one
/// with a distant use would occupy memory until then. The same goes for operations that [`Memory`] keeps.
pub fn merge<'c, 'a>(
    steps: Vec<Step<'c, 'a>>,
    purity: &Purity<'c, 'a>,
    memory: &mut Memory,
) -> Vec<OperationRef<'c, 'a>> {
    let mut scopes: Vec<HashMap<Vec<usize>, OperationRef>> = Vec::new();
    let mut kept = Vec::new();
    // Maps each equal value that was not merged to the first of them.
    let mut equal: HashMap<usize, usize> = HashMap::new();
    for step in steps {
        let operation = match step {
            Step::Visit(operation) => operation,
            Step::Open => {
                scopes.push(HashMap::new());
                continue;
            }
            Step::Close => {
                scopes.pop();
                continue;
            }
        };
        if purity.is_pure(&operation) {
            let mut key = Vec::new();
            let number = |operand: Value| {
                let value = ir::id(operand);
                equal.get(&value).copied().unwrap_or(value)
            };
            describe(operation, number, &mut key);
            let first = scopes.iter().rev().find_map(|scope| scope.get(&key));
            let stays = Kind::of(&operation) == Some(Kind::Constant)
                && ops::large_splat(&operation).is_some();
            if let Some(first) = first {
                if !stays && memory.merge(first, &operation) {
                    for (old, new) in operation.results().zip(first.results()) {
                        ir::replace_all_uses(old.into(), new.into());
                    }
                    ir::erase(operation);
                    continue;
                }
                for (value, first) in operation.results().zip(first.results()) {
                    let first = ir::id(first);
                    let first = equal.get(&first).copied().unwrap_or(first);
                    equal.insert(ir::id(value), first);
                }
            }
            // Among equal operations that were not merged, the latest is closest to the next ones.
            if let Some(scope) = scopes.last_mut() {
                scope.insert(key, operation);
            }
        }
        kept.push(operation);
    }
    kept
}

/// Erases operations without uses that compute and cannot fail, and branches and loops of nothing else, given all
/// operations in order. Returns the remaining ones.
pub fn erase_dead<'c, 'a>(
    mut operations: Vec<OperationRef<'c, 'a>>,
    purity: &Purity,
) -> Vec<OperationRef<'c, 'a>> {
    // Users before their operands.
    operations.reverse();
    let mut erased_regions = HashSet::new();
    operations.retain(|operation| {
        let is_used = operation.results().any(|result| ir::has_uses(result.into()));
        let has_regions = operation.region_count() > 0;
        let is_dead = !is_used
            && match has_regions {
                true => purity.is_total_region(operation),
                false => purity.is_total(operation),
            };
        if is_dead {
            if has_regions {
                erased_regions.extend(ir::operations(*operation).iter().map(ir::id));
            }
            ir::erase(*operation);
        }
        !is_dead
    });
    if !erased_regions.is_empty() {
        // They were kept before the enclosing operations were erased.
        operations.retain(|operation| !erased_regions.contains(&ir::id(operation)));
    }
    operations.reverse();
    operations
}

/// The operations among the steps.
pub fn operations<'c, 'a>(steps: &[Step<'c, 'a>]) -> Vec<OperationRef<'c, 'a>> {
    let operation = |step: &Step<'c, 'a>| match step {
        Step::Visit(operation) => Some(*operation),
        Step::Open | Step::Close => None,
    };
    steps.iter().filter_map(operation).collect()
}

/// Appends a key of an operation: two operations append the same key if and only if they are equal.
/// `number` identifies an operand.
pub fn describe(operation: OperationRef, number: impl Fn(Value) -> usize, to: &mut Vec<usize>) {
    to.push(ir::name(&operation).as_ptr() as usize);
    let start = to.len() + 1;
    to.push(operation.operand_count());
    to.extend(operation.operands().map(number));
    if Kind::of(&operation).is_some_and(|kind| kind.definition().commutes) {
        to[start..].sort_unstable();
    }
    to.push(operation.result_count());
    to.extend(operation.results().map(|result| ir::id(result.r#type())));
    ir::describe_attributes(&operation, to);
}
