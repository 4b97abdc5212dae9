//! Removes branches and loops that cannot run under a specialization, before they are checked.
//!
//! Input: an operation of `scf` that inference visits, whose condition or bounds may be known. Output: an `scf.if` with
//! a known condition becomes the operations of the branch that runs; a loop without an iteration becomes its initial
//! values, and, for a `while`, the operations of its condition. Dead operations are not visited, so wrong shapes there
//! are not errors, their calls are not specialized, and their results do not affect joined shapes.
//!
//! If a condition depends on a shape that is still open, as of a recursive call's result, its branches are not
//! visited until that is known.

use super::Specializer;
use crate::dialect::dead::{is_empty_range, known_branch, known_condition};
use crate::dialect::evaluate::Evaluated;
use crate::dialect::ops::Kind;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{BlockRef, Value};
use mlir_support::control_flow::{self, predecessor_values, successors};
use mlir_support::ir;

impl<'c, 'a> Specializer<'c, 'a> {
    /// True if the operation is gone, or is not to be visited now.
    pub(super) fn resolve(&mut self, operation: OperationRef<'c, 'a>, name: &str) -> bool {
        match name {
            "scf.if" => self.resolve_if(operation),
            "scf.condition" => self.resolve_while(operation),
            "scf.for" if is_empty_range(operation) => {
                let results = operation.results().map(Value::from);
                let initial: Vec<Value> = results.filter_map(control_flow::initial).collect();
                self.replace(operation, &initial);
                true
            }
            _ => false,
        }
    }

    /// True if an operation was in a branch or a loop that is gone, or ended one.
    pub(super) fn is_gone(&self, operation: OperationRef<'c, 'a>) -> bool {
        let frame = self.stack.last().expect("visiting a function");
        !frame.gone.is_empty() && frame.gone.contains(&ir::id(operation))
    }

    fn resolve_if(&mut self, operation: OperationRef<'c, 'a>) -> bool {
        let taken = match known_branch(operation, &mut self.numbers) {
            Evaluated::Runtime(_) => return false,
            Evaluated::Open => {
                let inside = ir::operations(operation).len();
                self.stack.last_mut().expect("visiting a function").next += inside;
                return true;
            }
            Evaluated::Number(taken) => taken as usize,
        };
        let taken = ir::blocks_of(operation, taken).first().copied();
        let results = taken.map(|block| move_out(block, operation)).unwrap_or_default();
        self.replace(operation, &results);
        true
    }

    fn resolve_while(&mut self, condition: OperationRef<'c, 'a>) -> bool {
        let Some(around) = condition.parent_operation() else { return false };
        let (Evaluated::Number(0.0), Some(block)) =
            (known_condition(condition, &mut self.numbers), condition.block())
        else {
            return false;
        };
        for (index, initial) in around.operands().enumerate() {
            for argument in successors(around, index).unwrap_or_default() {
                ir::replace_all_uses(argument, initial);
            }
        }
        let results = around.results().map(Value::from);
        let forwarded: Vec<Value> = results.filter_map(predecessor_values).flatten().collect();
        move_out(block, around);
        self.replace(around, &forwarded);
        true
    }

    /// Erases an operation and its contents.
    fn replace(&mut self, operation: OperationRef<'c, 'a>, results: &[Value<'c, 'a>]) {
        for (old, new) in operation.results().zip(results) {
            ir::replace_all_uses(old.into(), *new);
        }
        let inside = ir::operations(operation);
        let read: Vec<Value> = inside.iter().flat_map(|inside| inside.operands()).collect();
        let frame = self.stack.last_mut().expect("visiting a function");
        frame.gone.insert(ir::id(operation));
        frame.gone.extend(inside.into_iter().map(ir::id));
        ir::erase(operation);
        self.numbers.look_again();
        // A `toy.unset` that only the dead code read would never get a shape.
        for value in read {
            let definition = ir::defining_operation(value);
            let definition = definition.filter(|it| Kind::of(it) == Some(Kind::Unset));
            if let Some(definition) = definition.filter(|_| !ir::has_uses(value))
                && frame.gone.insert(ir::id(definition))
            {
                ir::erase(definition);
            }
        }
    }
}

/// Moves all operations of a block but its terminator in front of `around`. Returns the terminator's operands.
fn move_out<'c, 'a>(block: BlockRef<'c, 'a>, around: OperationRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    let mut operations = ir::block_operations(block);
    let end = operations.pop();
    for operation in operations {
        ir::mutable(operation).move_before(around);
    }
    end.map(|end| end.operands().collect()).unwrap_or_default()
}
