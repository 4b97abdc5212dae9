//! Sinks computations towards their uses, so that fewer values are live at a time.
//!
//! Input and output: the body of a Toy function whose values are all ranked. An operation that computes and cannot fail is
//! moved in front of its first use if that extends no other live range: each of its operands
//! is a constant, a parameter, or used later anyway. Prints, and calls of functions that print,
//! keep their order. So a program that first computes 10,000 values and then adds them up holds a
//! few at a time, and [`crate::stages::linalg::outline`] can cut it where few values cross the cut.

use crate::analysis::purity::Purity;
use crate::dialect::ops::Kind;
use melior::ir::Value;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use mlir_support::ir;
use std::collections::{HashMap, HashSet};

/// Reorders the operations of a block; `operations` are all of it, in order.
pub fn sink(operations: &[OperationRef], purity: &Purity) {
    let Some((terminator, body)) = operations.split_last() else { return };
    let position: HashMap<_, _> =
        operations.iter().enumerate().map(|(index, op)| (ir::id(op), index)).collect();
    let at = |operation: OperationRef| position.get(&ir::id(operation)).copied();
    let last_use = |value: Value| ir::users(value).into_iter().filter_map(at).max();
    // Computed once per value: a value with many uses is an operand of many operations.
    let last_uses: HashMap<usize, usize> = body
        .iter()
        .flat_map(|operation| operation.results())
        .filter_map(|result| Some((ir::id(result), last_use(result.into())?)))
        .collect();
    let is_sinkable = |index: usize, operation: OperationRef| {
        purity.is_total(&operation)
            && operation.operands().all(|operand| match ir::defining_operation(operand) {
                None => true,
                Some(definition) if Kind::of(&definition) == Some(Kind::Constant) => true,
                Some(_) => last_uses.get(&ir::id(operand)).is_some_and(|last| *last > index),
            })
    };
    let mut waiting: HashSet<usize> =
        (0..body.len()).filter(|index| is_sinkable(*index, body[*index])).collect();
    let mut order = Vec::with_capacity(body.len());
    for (index, operation) in operations.iter().enumerate() {
        if waiting.contains(&index) {
            continue;
        }
        // The operation's transitive operands, innermost first.
        let mut stack = vec![(*operation, false)];
        while let Some((operation, needs_are_placed)) = stack.pop() {
            if needs_are_placed {
                order.push(operation);
                continue;
            }
            // Several operations may need it; the first of them has placed it.
            let is_asked_for = at(operation) != Some(index);
            if is_asked_for && !at(operation).is_some_and(|index| waiting.remove(&index)) {
                continue;
            }
            stack.push((operation, true));
            let operands: Vec<_> = operation.operands().collect();
            for definition in operands.into_iter().rev().filter_map(ir::defining_operation) {
                if at(definition).is_some_and(|index| waiting.contains(&index)) {
                    stack.push((definition, false));
                }
            }
        }
    }
    // Unused values.
    let unused = (0..body.len()).filter(|index| waiting.contains(index)).map(|index| body[index]);
    order.pop(); // the terminator
    order.extend(unused);
    for operation in order {
        ir::mutable(operation).move_before(*terminator);
    }
}
