//! Lists of tensors, and tensors one after the other: each operand is put into its part of a new tensor, where
//! bufferization computes it if nothing else needs it.

use crate::dialect::control;
use crate::dialect::ops;
use crate::dialect::shape::shape_of;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};
use mlir_support::Builder;
use mlir_support::builder::Offset;

/// True if the elements of a `toy.from_elements` are not scalars.
pub fn is_stack(operation: OperationRef) -> bool {
    operation.operand(0).ok().and_then(dims).is_some_and(|dims| !dims.is_empty())
}

/// Lowers a `toy.from_elements` of tensors: a `tensor.insert_slice` for each of them.
pub fn stack<'c, 'a>(
    code: Builder<'c, 'a>,
    operation: OperationRef<'c, 'a>,
) -> Option<Value<'c, 'a>> {
    let outer = control::list_dims(operation)?.0;
    let mut list = code.empty(ops::result(operation).r#type());
    for (at, element) in operation.operands().enumerate() {
        let inner = dims(element)?;
        let mut rest = at as u64;
        let mut offsets = vec![Offset::Known(0); outer.len() + inner.len()];
        for (place, dim) in outer.iter().enumerate().rev() {
            offsets[place] = Offset::Known(rest % dim);
            rest /= dim;
        }
        let sizes = [vec![1; outer.len()], inner].concat();
        list = code.with_slice(element, list, &offsets, &sizes);
    }
    Some(list)
}

/// Lowers a `toy.join`, likewise. The axis is the dimension in which the result is larger than each operand.
pub fn join<'c, 'a>(
    code: Builder<'c, 'a>,
    operation: OperationRef<'c, 'a>,
) -> Option<Value<'c, 'a>> {
    let result = ops::result(operation);
    let parts: Vec<_> = operation.operands().skip(1).map(ops::source).collect();
    let [first, _, ..] = parts[..] else { return parts.first().copied() };
    let axis = dims(result)?.iter().zip(dims(first)?).position(|(all, one)| *all != one)?;
    let (mut joined, mut at) = (code.empty(result.r#type()), 0);
    for part in parts {
        let sizes = dims(part)?;
        let mut offsets = vec![Offset::Known(0); sizes.len()];
        offsets[axis] = Offset::Known(at);
        at += sizes[axis];
        joined = code.with_slice(part, joined, &offsets, &sizes);
    }
    Some(joined)
}

fn dims(value: Value) -> Option<Vec<u64>> {
    shape_of(value.r#type()).map(|shape| shape.0)
}
