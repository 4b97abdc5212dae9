//! The inference of branches and loops: what is known of a variable before, in and after them.
//!
//! Input: an operation of `scf`, visited before what is in it, or one that ends a region, visited last. Output: the types
//! of block arguments and results. The rules:
//!
//! | at | what |
//! |---|---|
//! | `scf.for`, `scf.while` | a variable has in the loop and after it the shape that it has before |
//! | `scf.condition` | the body, and what follows the loop, have what it forwards |
//! | `scf.yield` in a loop | it must have the shape from before the loop |
//! | `scf.yield` in a branch | all branches must have one shape; where one is open, that of the others |
//!
//! A `toy.unset` takes the shape of what it meets.

use super::infer::fits;
use super::{Specializer, errors};
use crate::dialect::ops::Kind;
use crate::dialect::structs::{is_open, join};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, Type, Value, ValueLike};
use mlir_support::raw;

impl<'c, 'a> Specializer<'c, 'a> {
    pub(super) fn infer_region(&mut self, operation: OperationRef<'c, 'a>, name: &str) {
        match name {
            "scf.for" => {
                let initial: Vec<Value> = operation.operands().skip(3).collect();
                if let Some(block) = first_block(operation, 0) {
                    self.learn_all(operation, arguments(block).skip(1), &initial);
                }
                self.learn_all(operation, operation.results().map(Value::from), &initial);
            }
            "scf.while" => {
                let initial: Vec<Value> = operation.operands().collect();
                if let Some(block) = first_block(operation, 0) {
                    self.learn_all(operation, arguments(block), &initial);
                }
            }
            "scf.condition" => {
                let Some(around) = raw::parent(operation) else { return };
                let forwarded: Vec<Value> = operation.operands().skip(1).collect();
                if let Some(block) = first_block(around, 1) {
                    self.learn_all(around, arguments(block), &forwarded);
                }
                self.learn_all(around, around.results().map(Value::from), &forwarded);
            }
            "scf.yield" => self.infer_yield(operation),
            _ => {}
        }
    }

    fn infer_yield(&mut self, operation: OperationRef<'c, 'a>) {
        let Some(around) = raw::parent(operation) else { return };
        match raw::name(&around) {
            "scf.for" | "scf.while" => self.infer_next_round(around, operation),
            "scf.if" | "scf.index_switch" | "scf.execute_region" => {
                let block = raw::block_of(operation);
                let last = around.region_count().checked_sub(1);
                let is_last =
                    last.is_some_and(|last| block.is_some() && first_block(around, last) == block);
                for place in 0..around.result_count() {
                    self.infer_joined(around, operation, place);
                    if is_last && let Some(result) = around.results().nth(place) {
                        // Branches that were visited before may have what takes the shape that was found now.
                        self.give(result.into(), result.r#type());
                    }
                }
            }
            _ => {}
        }
    }

    /// Joins what a branch yields for a result with what is known of it.
    fn infer_joined(
        &mut self,
        around: OperationRef<'c, 'a>,
        end: OperationRef<'c, 'a>,
        place: usize,
    ) {
        let (Some(result), Ok(yielded)) = (around.results().nth(place), end.operand(place)) else {
            return;
        };
        let (known, found) = (result.r#type(), yielded.r#type());
        if let Some(joined) = join(self.context, known, found) {
            return result.set_type(joined);
        }
        if fits(found, known) {
            return;
        }
        let others = yields(around).into_iter().filter(|other| *other != end);
        let others = others.filter_map(|other| other.operand(place).ok());
        let other = others
            .filter(|other| !is_open(other.r#type()))
            .find(|other| join(self.context, other.r#type(), found).is_none());
        let diagnostic = match other {
            Some(other) => errors::branch_shapes(around, place, [other, yielded], &self.locations),
            None => errors::contradiction(around, known, found, &self.locations),
        };
        self.report(diagnostic);
    }

    /// Checks what the body of a loop hands to the next round.
    fn infer_next_round(&mut self, around: OperationRef<'c, 'a>, end: OperationRef<'c, 'a>) {
        let (skipped, initial) = match raw::name(&around) {
            "scf.for" => (1, around.operands().skip(3).collect::<Vec<Value>>()),
            _ => (0, around.operands().collect()),
        };
        let Some(block) = first_block(around, 0) else { return };
        let mut is_new = false;
        let carried = arguments(block).skip(skipped).zip(initial);
        for (place, ((argument, initial), yielded)) in carried.zip(end.operands()).enumerate() {
            let (known, found) = (argument.r#type(), yielded.r#type());
            match join(self.context, known, found) {
                // What is before the loop takes the shape, and the loop is visited again.
                Some(joined) if joined != known && takes_shape(initial) => {
                    self.give(initial, joined);
                    is_new |= initial.r#type() == joined;
                }
                Some(joined) if is_open(found) => self.give(yielded, joined),
                Some(_) => {}
                None if fits(found, known) => {}
                None => {
                    let values = [initial, yielded];
                    let diagnostic = errors::loop_shape(around, place, values, &self.locations);
                    self.report(diagnostic);
                }
            }
        }
        let frame = self.stack.last_mut().expect("visiting a function");
        if is_new && let Some(at) = frame.operations.iter().rposition(|other| *other == around) {
            // After this operation comes the one after `next`.
            frame.next = at;
            self.infer_region(around, raw::name(&around));
        }
    }

    /// Sets what was found out about values that an operation defines, or that are arguments of its blocks.
    fn learn_all(
        &mut self,
        operation: OperationRef<'c, 'a>,
        values: impl Iterator<Item = Value<'c, 'a>>,
        from: &[Value<'c, 'a>],
    ) {
        for (value, from) in values.zip(from) {
            let (written, found) = (value.r#type(), from.r#type());
            match join(self.context, written, found) {
                Some(joined) => value.set_type(joined),
                None if fits(found, written) => {}
                None => {
                    let diagnostic =
                        errors::contradiction(operation, written, found, &self.locations);
                    self.report(diagnostic);
                    value.set_type(found);
                }
            }
        }
    }

    /// Gives a type to what takes any shape: a `toy.unset`, also through the results of branches.
    fn give(&self, value: Value<'c, 'a>, ty: Type<'c>) {
        let mut pending = vec![value];
        while let Some(value) = pending.pop() {
            let Some(operation) = raw::defining_operation(value) else { continue };
            if Kind::of(&operation) == Some(Kind::Unset) {
                if is_open(value.r#type())
                    && let Some(joined) = join(self.context, value.r#type(), ty)
                {
                    value.set_type(joined);
                }
            } else if is_branch(operation)
                && let Some(place) = operation.results().position(|it| Value::from(it) == value)
                && let Some(joined) = join(self.context, value.r#type(), ty)
            {
                value.set_type(joined);
                let yielded =
                    yields(operation).into_iter().filter_map(|end| end.operand(place).ok());
                pending.extend(yielded.filter(|yielded| is_open(yielded.r#type())));
            }
        }
    }
}

/// Whether a value may take a shape that is found later.
fn takes_shape(value: Value) -> bool {
    let definition = raw::defining_operation(value);
    definition.is_some_and(|it| Kind::of(&it) == Some(Kind::Unset) || is_branch(it))
}

fn is_branch(operation: OperationRef) -> bool {
    ["scf.if", "scf.index_switch"].contains(&raw::name(&operation))
}

/// The operations that end the regions of a branch.
fn yields<'c, 'a>(operation: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let blocks = (0..operation.region_count()).filter_map(|region| first_block(operation, region));
    blocks.filter_map(|block| raw::block_operations(block).last().copied()).collect()
}

fn first_block<'c, 'a>(operation: OperationRef<'c, 'a>, region: usize) -> Option<BlockRef<'c, 'a>> {
    raw::blocks_of(operation, region).first().copied()
}

fn arguments<'c, 'a>(block: BlockRef<'c, 'a>) -> impl Iterator<Item = Value<'c, 'a>> {
    (0..block.argument_count()).filter_map(move |index| block.argument(index).ok()).map(Value::from)
}
