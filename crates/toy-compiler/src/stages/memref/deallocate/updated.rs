//! Results of a function that are updates of its parameters.
//!
//! Input: a tensor that a function returns, before bufferization. Output: the parameter that it updates, in a new
//! buffer or in the parameter's, whose old contents the function then reads and overwrites.
//!
//! Updates of two parameters are never in one buffer. They would be only if a caller passed one buffer for both: but
//! as the function reads one of them and writes the other one, One-Shot Bufferize copies one in the caller. It treats
//! a loop as a write of the tensors it carries, so a loop is an update, even without an iteration.

use crate::dialect::ops;
use crate::dialect::shape::shape_of;
use melior::ir::operation::OperationLike;
use melior::ir::{Value, ValueLike};
use mlir_support::{control_flow, ir};

/// The most operations to look through.
const LIMIT: usize = 1000;

/// The number of the parameter that a value updates.
pub fn parameter(value: Value) -> Option<usize> {
    let mut steps = 0;
    let (argument, is_read) = origin(value, &mut steps)?;
    let home = ir::home(argument)?;
    (is_read && ops::is_function(&home.parent)).then_some(home.argument)
}

/// The block argument that a value updates, and true if its first update reads it.
fn origin<'c: 'a, 'a>(value: Value<'c, 'a>, steps: &mut usize) -> Option<(Value<'c, 'a>, bool)> {
    let (mut value, mut is_read) = (value, false);
    loop {
        *steps += 1;
        if *steps > LIMIT {
            return None;
        }
        let Some(definition) = ir::defining_operation(value) else {
            return Some((value, is_read));
        };
        let operand = |place| ir::operand_if_any(definition, place);
        let name = ir::name(&definition);
        (value, is_read) = match name {
            "tensor.insert" => (operand(1)?, true),
            // An insertion of all elements does not read.
            "tensor.insert_slice" => (operand(1)?, elements(operand(0)?)? < elements(operand(1)?)?),
            "scf.for" => {
                let [_, (end, place)] = control_flow::predecessors(value)?[..] else { return None };
                let (argument, is_read) = origin(ir::operand_if_any(end, place)?, steps)?;
                if !control_flow::successors(end, place)?.contains(&argument) {
                    return None;
                }
                (control_flow::initial(value)?, is_read)
            }
            _ if name.starts_with("linalg.") && definition.result_count() == 1 => {
                let inputs = definition.operand_count().checked_sub(1)?;
                let out = operand(inputs)?;
                let is_input = |place| operand(place).is_some_and(|input| same(input, out));
                (out, (0..inputs).any(is_input))
            }
            _ => return None,
        };
    }
}

/// The number of elements.
fn elements(value: Value) -> Option<u64> {
    shape_of(value.r#type())?.0.iter().try_fold(1, |count: u64, size| count.checked_mul(*size))
}

fn same(one: Value, other: Value) -> bool {
    ir::id(one) == ir::id(other)
}
