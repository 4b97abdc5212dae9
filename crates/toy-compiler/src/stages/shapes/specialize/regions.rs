//! Infers the shapes of variables before, in and after branches and loops.
//!
//! Input: an operation of `scf`, visited before its contents, or one that ends a region, visited last. Output: the
//! types of block arguments and results. The rules:
//!
//! | at | rule |
//! |---|---|
//! | `scf.for`, `scf.while` | in the loop and after it, a variable has the shape from before |
//! | `scf.condition` | the body and the code after the loop have the forwarded shapes |
//! | `scf.yield` in a loop | it must have the shape from before the loop |
//! | `scf.yield` in a branch | all branches must have one shape; an open one takes it from the others |
//!
//! A `toy.unset` takes any shape it meets.

use super::infer::fits;
use super::{Specializer, errors};
use crate::dialect::ops::Kind;
use crate::dialect::structs::{agree_in_shape, is_open, join};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Type, Value, ValueLike};
use mlir_support::control_flow::{
    initial, is_loop, predecessor_values, predecessors, successors, terminators,
};
use mlir_support::ir::{self, operand_if_any};
use std::collections::HashSet;

impl<'c, 'a> Specializer<'c, 'a> {
    pub(super) fn infer_region(&mut self, operation: OperationRef<'c, 'a>, name: &str) {
        match name {
            "scf.for" | "scf.while" => self.learn_passed(operation, operation),
            "scf.condition" => {
                if let Some(around) = operation.parent_operation() {
                    self.learn_passed(around, operation);
                }
            }
            "scf.yield" => self.infer_yield(operation),
            _ => {}
        }
    }

    fn infer_yield(&mut self, operation: OperationRef<'c, 'a>) {
        let Some(around) = operation.parent_operation() else { return };
        if is_loop(&around) {
            return self.infer_next_round(around, operation);
        }
        let last = around.region_count() - 1;
        let is_last = terminators(around, last).contains(&operation);
        for (place, result) in around.results().map(Value::from).enumerate() {
            self.infer_joined(around, operation, place, result);
            if is_last {
                // Branches that were visited before may yield a `toy.unset`, which takes this shape.
                self.give(result, result.r#type());
            }
        }
    }

    /// Joins the type that a branch yields with the type of the result.
    fn infer_joined(
        &mut self,
        around: OperationRef<'c, 'a>,
        end: OperationRef<'c, 'a>,
        place: usize,
        result: Value<'c, 'a>,
    ) {
        let Some(yielded) = operand_if_any(end, place) else { return };
        let (known, found) = (result.r#type(), yielded.r#type());
        // The elements are the default ones until the first branch is inferred.
        let is_first = terminators(around, 0).contains(&end);
        if is_first && !is_open(found) && agree_in_shape(found, known) {
            return result.set_type(found);
        }
        if let Some(joined) = join(self.context, known, found) {
            return result.set_type(joined);
        }
        if fits(found, known) {
            return;
        }
        let others = predecessor_values(result).into_iter().flatten();
        let other = others
            .filter(|other| *other != yielded && !is_open(other.r#type()))
            .find(|other| join(self.context, other.r#type(), found).is_none());
        let diagnostic = match other {
            Some(other) => {
                errors::branch_shapes(self.locations.at(around), place, [other, yielded])
            }
            None => errors::contradiction(self.locations.at(around), known, found),
        };
        self.report(diagnostic);
    }

    /// Checks the values that a loop passes to its next iteration.
    fn infer_next_round(&mut self, around: OperationRef<'c, 'a>, end: OperationRef<'c, 'a>) {
        let mut is_new = false;
        for (place, yielded) in end.operands().enumerate() {
            let argument = successors(end, place).and_then(|values| values.first().copied());
            let Some((argument, initial)) = argument.and_then(|it| Some((it, initial(it)?))) else {
                continue;
            };
            let (known, found) = (argument.r#type(), yielded.r#type());
            match join(self.context, known, found) {
                // The initial value takes the shape, and the loop is visited again.
                Some(joined) if joined != known && takes_shape(initial) => {
                    self.give(initial, joined);
                    is_new |= initial.r#type() == joined;
                }
                Some(joined) if is_open(found) => self.give(yielded, joined),
                Some(_) => {}
                None if fits(found, known) => {}
                None => {
                    let values = [initial, yielded];
                    let diagnostic = errors::loop_shape(self.locations.at(around), place, values);
                    self.report(diagnostic);
                }
            }
        }
        let frame = self.stack.last_mut().expect("visiting a function");
        if is_new && let Some(at) = frame.operations.iter().rposition(|other| *other == around) {
            // After this operation comes the one after `next`.
            frame.next = at;
            self.infer_region(around, ir::name(&around));
        }
    }

    /// Sets the types of the values that the operands of an operation become.
    fn learn_passed(&mut self, around: OperationRef<'c, 'a>, operation: OperationRef<'c, 'a>) {
        for (place, from) in operation.operands().enumerate() {
            for value in successors(operation, place).unwrap_or_default() {
                let (written, found) = (value.r#type(), from.r#type());
                match join(self.context, written, found) {
                    Some(joined) => value.set_type(joined),
                    None if agree_in_shape(found, written) => value.set_type(found),
                    None if fits(found, written) => {}
                    None => {
                        let diagnostic =
                            errors::contradiction(self.locations.at(around), written, found);
                        self.report(diagnostic);
                        value.set_type(found);
                    }
                }
            }
        }
    }

    /// Gives a type to a `toy.unset`, also through branches and loops.
    fn give(&self, value: Value<'c, 'a>, ty: Type<'c>) {
        let (mut pending, mut seen) = (vec![value], HashSet::new());
        while let Some(value) = pending.pop() {
            if seen.insert(ir::id(value))
                && takes_shape(value)
                && let Some(joined) = join(self.context, value.r#type(), ty)
            {
                value.set_type(joined);
                let passed = predecessor_values(value).into_iter().flatten();
                pending.extend(passed.filter(|passed| is_open(passed.r#type())));
            }
        }
    }
}

/// True if a value may take a shape that is found later.
fn takes_shape(value: Value) -> bool {
    match ir::defining_operation(value) {
        Some(it) => Kind::of(&it) == Some(Kind::Unset) || is_branch(it) || is_loop(&it),
        None => predecessors(value).is_some(),
    }
}

fn is_branch(operation: OperationRef) -> bool {
    ["scf.if", "scf.index_switch"].contains(&ir::name(&operation))
}
