//! toy-own-outs: computes the next value of a variable in the memory of its last value.
//!
//! Input: linalg on tensors, after fusion and before One-Shot Bufferize. Output: the same, with a destination
//! (`outs`) for element-wise operations that had an empty one. One-Shot then computes in place, or allocates if
//! the old value is still read: an element-wise operation does not read its destination, so a wrong guess costs
//! nothing.
//!
//! ```mlir
//! %y = tensor.insert %a into %x[%i]              %y = tensor.insert %a into %x[%i]
//! %e = tensor.empty()                      =>    %z = linalg.generic ins(%y) outs(%y)
//! %z = linalg.generic ins(%y) outs(%e)           scf.yield %z
//! scf.yield %z
//! ```
//!
//! This matters if one branch updates a tensor and another recomputes it: One-Shot assumes that the second destroys
//! the value that the first yields, and copies. If both stay in place, there is nothing to copy.
//!
//! The destination is one of these, and has the type of the result:
//!
//! * an operand that is read at the same index, and not after the operation: the result of an update, a loop or a
//!   branch, a value that a loop carries, or a row that the result is written back to;
//! * the value that a loop carries where it yields the result, if it is not read after the operation.
//!
//! A part of a tensor that is computed from several other parts of it, as the inside of a plate from its neighbors, gets
//! memory of its own: computed in place, each of these parts would be copied first.
//!
//! Values of straight-line code without updates are left to [`in_place`](crate::stages::merged::in_place).
//!
//! Tutorial: chapter 17.

use crate::analysis::elementwise::{is_copy, read_in_place};
use crate::analysis::tensor_roots::only_reads;
use crate::dialect::ops::{self, attribute, same_type};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{BlockLike, Module, Value, ValueLike};
use mlir_support::control_flow::{
    are_exclusive, carried, is_at_most_once, is_branch, is_loop, successors,
};
use mlir_support::linalg::input_count;
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::{Builder, ir};
use std::collections::{HashMap, HashSet};
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-own-outs",
    "Computes the next value of a variable in the memory of the last one",
    run,
);

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    for function in ops::functions(module) {
        if ir::any(function, |inner| is_update(&inner)) {
            Function::new(function).give_destinations(context);
        }
    }
    Ok(())
}

/// The most uses of a value to inspect.
const OFTEN: usize = 64;

/// True if an operation computes a next value from the last one.
fn is_update(operation: &OperationRef) -> bool {
    ["tensor.insert", "tensor.insert_slice"].contains(&ir::name(operation))
        || is_loop(operation)
        || is_at_most_once(operation)
}

/// A function, and facts about it.
struct Function<'c, 'a> {
    operations: Vec<OperationRef<'c, 'a>>,
    /// The place of each operation in program order, by address.
    places: HashMap<usize, usize>,
    /// The operations with a new destination, by address.
    changed: HashSet<usize>,
    /// For each value, by address: true if it has too many uses to inspect.
    often: HashMap<usize, bool>,
}

impl<'c: 'a, 'a> Function<'c, 'a> {
    fn new(function: OperationRef<'c, 'a>) -> Self {
        let operations = ir::operations(function);
        let places = operations.iter().enumerate().map(|(at, one)| (ir::id(*one), at)).collect();
        Self { operations, places, changed: HashSet::new(), often: HashMap::new() }
    }

    fn give_destinations(&mut self, context: &PassContext<'c>) {
        let mut empty = Vec::new();
        for at in 0..self.operations.len() {
            let operation = self.operations[at];
            let Some((out, same)) = element_wise(operation) else { continue };
            let inputs: Vec<_> = same.iter().map(|at| ir::operand(operation, *at)).collect();
            let destination = match reads_around(operation) {
                true => {
                    // `eliminate-empty-tensors` leaves it as it is.
                    let code = Builder::before(context.session.context(), operation);
                    Some(code.alloc_tensor(ops::result(operation).r#type(), None))
                }
                false => self.destination(operation, &inputs),
            };
            let Some(destination) = destination else { continue };
            empty.extend(operation.operand(out).ok().and_then(ir::defining_operation));
            ir::mutable(operation).set_operand(out, destination);
            self.changed.insert(ir::id(operation));
        }
        for operation in empty {
            if !ir::has_uses(ops::result(operation)) {
                ir::erase(operation);
            }
        }
    }

    fn destination(
        &mut self,
        operation: OperationRef<'c, 'a>,
        inputs: &[Value<'c, 'a>],
    ) -> Option<Value<'c, 'a>> {
        let result = ops::result(operation);
        for input in inputs {
            if self.is_own(*input, result) && self.fits(*input, operation) {
                return Some(*input);
            }
        }
        slot(result).filter(|slot| self.fits(*slot, operation))
    }

    fn fits(&mut self, value: Value<'c, 'a>, operation: OperationRef<'c, 'a>) -> bool {
        same_type(value.r#type(), ops::result(operation).r#type())
            && is_in_one_iteration(value, operation)
            && self.is_last_use(value, operation)
    }

    /// True if a value is the last one of a variable that the result may belong to.
    fn is_own(&self, value: Value<'c, 'a>, result: Value<'c, 'a>) -> bool {
        let Some(definition) = ir::defining_operation(value) else {
            let parent = ir::argument_block(value).parent_operation();
            return parent.is_some_and(|parent| is_update(&parent));
        };
        is_update(&definition)
            || self.changed.contains(&ir::id(definition))
            || ir::name(&definition) == "tensor.extract_slice"
                && ir::users(result).iter().any(|user| is_written_back(*user, definition))
    }

    /// True if all other uses only read the value, and not after the operation.
    fn is_last_use(&mut self, value: Value<'c, 'a>, operation: OperationRef<'c, 'a>) -> bool {
        let often = self.often.entry(ir::id(value));
        if *often.or_insert_with(|| ir::uses(value).len() > OFTEN) {
            return false;
        }
        let Some(here) = self.places.get(&ir::id(operation)) else { return false };
        ir::uses(value).into_iter().all(|(user, operand)| {
            ir::id(user) == ir::id(operation)
                || are_exclusive(user, operation)
                || only_reads(user, operand)
                    && self.places.get(&ir::id(user)).is_some_and(|there| there < here)
        })
    }
}

/// The operand number of the empty destination of an element-wise operation, and the numbers of the operands that it
/// reads at the index that it writes.
pub fn element_wise(operation: OperationRef) -> Option<(usize, Vec<usize>)> {
    if operation.result_count() != 1 {
        return None;
    }
    let inputs = input_count(operation)?;
    let definition = ir::defining_operation(ir::operand_if_any(operation, inputs)?)?;
    if ir::name(&definition) != "tensor.empty" || definition.operand_count() > 0 {
        return None;
    }
    // A copy moves values to the memory where they are wanted.
    Some((inputs, read_in_place(operation, inputs).filter(|_| !is_copy(operation))?))
}

/// True if the result is written to a part of a tensor, of which the operation reads at least two other parts.
fn reads_around(operation: OperationRef) -> bool {
    let slices = operation.operands().filter_map(ir::defining_operation);
    let slices: Vec<_> = slices.filter(|slice| ir::name(slice) == "tensor.extract_slice").collect();
    ir::users(ops::result(operation)).into_iter().any(|insert| {
        let is_other = |slice: &&OperationRef| {
            ir::id(ir::operand(**slice, 0)) == ir::id(ir::operand(insert, 1))
                && !is_written_back(insert, **slice)
        };
        ir::name(&insert) == "tensor.insert_slice" && slices.iter().filter(is_other).count() > 1
    })
}

/// True if an operation writes its operand to the part of a tensor that a slice was taken from.
fn is_written_back(insert: OperationRef, slice: OperationRef) -> bool {
    const PLACE: [&str; 3] = ["static_offsets", "static_sizes", "static_strides"];
    if ir::name(&insert) != "tensor.insert_slice" {
        return false;
    }
    let operands = |operation: OperationRef, from| -> Vec<usize> {
        operation.operands().skip(from).map(ir::id).collect()
    };
    // The tensor, then the dynamic offsets, sizes and strides.
    operands(insert, 1) == operands(slice, 0)
        && PLACE.iter().all(|name| attribute(&insert, name) == attribute(&slice, name))
}

/// The argument of a loop that receives a value in the next iteration, through branches.
fn slot<'c: 'a, 'a>(mut value: Value<'c, 'a>) -> Option<Value<'c, 'a>> {
    loop {
        let yields = |(user, _): &(OperationRef, usize)| ir::name(user) == "scf.yield";
        let (terminator, number) = ir::uses(value).into_iter().find(yields)?;
        let parent = terminator.parent_operation()?;
        if !is_branch(&parent) {
            let first = carried(parent)?.arguments;
            return ir::argument_if_any(terminator.block()?, first + number);
        }
        value = *successors(terminator, number)?.first()?;
    }
}

/// True if a value is made in the same iteration as an operation that reads it: only branches are between them.
fn is_in_one_iteration(value: Value, operation: OperationRef) -> bool {
    let home = match ir::defining_operation(value) {
        Some(definition) => definition.block(),
        None => Some(ir::argument_block(value)),
    };
    let mut at = operation;
    loop {
        if home.is_some() && at.block() == home {
            return true;
        }
        match at.parent_operation() {
            Some(parent) if is_branch(&parent) => at = parent,
            _ => return false,
        }
    }
}
