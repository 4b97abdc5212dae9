//! One type for the operands of a variadic group.
//!
//! IRDL gives a variadic group of operands one constraint, hence one type. Where the operands of a
//! `toy.generic_call`, `toy.struct_create` or `toy.from_elements` differ in type, each is cast: to
//! `tensor<*xf64>` if all are tensors, to `!toy.any` otherwise. [`source`] looks through such casts.

use crate::dialect::ops::{self, Kind, same_type};
use crate::dialect::shape::{is_tensor, unranked_type};
use crate::dialect::structs::any_type;
use melior::Context;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, Location, Operation, Value, ValueLike};
use mlir_support::raw;

/// An insertion point.
#[derive(Clone, Copy)]
pub enum Insertion<'c, 'a> {
    /// At the end of a block.
    AtEnd(BlockRef<'c, 'a>),
    Before(OperationRef<'c, 'a>),
}

impl<'c, 'a> Insertion<'c, 'a> {
    pub fn insert(self, operation: Operation<'c>) -> OperationRef<'c, 'a> {
        match self {
            Insertion::AtEnd(block) => block.append_operation(operation),
            Insertion::Before(next) => {
                let block = next.block().expect("the operation is in a block");
                block.insert_operation_before(next, operation)
            }
        }
    }
}

/// Casts values to one type, unless they have one already; `location` is that of the cast of the
/// value with an index.
pub fn unify<'c, 'a>(
    context: &'c Context,
    insertion: Insertion<'c, 'a>,
    values: &mut [Value<'c, 'a>],
    location: impl Fn(usize) -> Location<'c>,
) {
    if values.windows(2).all(|pair| same_type(pair[0].r#type(), pair[1].r#type())) {
        return;
    }
    let all_tensors = values.iter().all(|value| is_tensor(value.r#type()));
    let common = if all_tensors { unranked_type(context) } else { any_type(context) };
    for (index, value) in values.iter_mut().enumerate() {
        if !same_type(value.r#type(), common) {
            let cast = ops::pure("toy.cast", location(index), &[*value], common);
            *value = ops::result(insertion.insert(cast));
        }
    }
}

/// The value before casts.
pub fn source<'c: 'a, 'a>(value: Value<'c, 'a>) -> Value<'c, 'a> {
    let mut value: Value<'c, 'a> = value;
    // A bound: in unreachable code, casts may form a cycle.
    for _ in 0..64 {
        let cast = raw::defining_operation(value).filter(|op| Kind::of(op) == Some(Kind::Cast));
        let Some(cast) = cast.filter(|cast| cast.operand_count() > 0) else { break };
        value = raw::operand(cast, 0);
    }
    value
}
