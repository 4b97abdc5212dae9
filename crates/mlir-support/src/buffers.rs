//! Buffers and tensors: which values refer to the same memory.
//!
//! MLIR's `ViewLikeOpInterface` and `BufferViewFlowAnalysis` answer this in C++, but its C API has neither. This module
//! knows the views of `memref` and `tensor`, `arith.select`, and, by [`control_flow`], operations with regions.
//!
//! Input: a value, a memref or a tensor. Output: values that may refer to the same memory. In
//!
//! ```mlir
//! %v = memref.subview %a[0] [2] [1] : memref<4xf64> to memref<2xf64, strided<[1]>>
//! %s = arith.select %c, %v, %w : memref<2xf64, strided<[1]>>
//! ```
//!
//! the [`sources`] of `%s` are `%v` and `%w`, the [`aliases`] of operand 1 of the select are `%s`, the [`base`] of `%v`
//! is `%a`, and its [`origin`] is that of `%a`.
//!
//! Invariants: a value of an operation that is not in these tables has neither sources nor an origin, and an operand of
//! one no aliases, so that callers can deny by default; answers for the others are complete, except that branches
//! between blocks of a region are not followed. `memref.distinct_objects` is not in the table on purpose: its
//! operands must stay allocations of their own. The verifier of merge-alloc does not use this module: it shares no
//! knowledge with the code that it checks.

use crate::func::{self, is_buffer};
use crate::{control_flow, ir};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};
use std::collections::HashSet;
use std::convert::Infallible;

/// The most values that [`origin`] looks at before it gives up.
const BUDGET: usize = 1000;

/// Operations whose first result is a view of their first operand.
const VIEWS: [&str; 17] = [
    "memref.assume_alignment",
    "memref.cast",
    "memref.collapse_shape",
    "memref.expand_shape",
    "memref.extract_strided_metadata",
    "memref.memory_space_cast",
    "memref.reinterpret_cast",
    "memref.reshape",
    "memref.subview",
    "memref.transpose",
    "memref.view",
    "tensor.cast",
    "tensor.collapse_shape",
    "tensor.expand_shape",
    "tensor.extract_slice",
    "tensor.reshape",
    "vector.type_cast",
];

/// The operand of which an operation makes a view: a cast, a reshape or a part. None for any other operation.
///
/// The view of a tensor is one after bufferization, unless that makes a copy.
pub fn view_source<'c, 'a>(operation: OperationRef<'c, 'a>) -> Option<Value<'c, 'a>> {
    VIEWS.contains(&ir::name(&operation)).then(|| ir::operand(operation, 0))
}

/// The values that a value may be or may be a view of, one operation back; None if its definition is not known.
pub fn sources<'c: 'a, 'a>(value: Value<'c, 'a>) -> Option<Vec<Value<'c, 'a>>> {
    if let Some(definition) = ir::defining_operation(value) {
        if let Some(source) = view_source(definition) {
            return (control_flow::result_number(definition, value) == Some(0))
                .then_some(vec![source]);
        }
        if ir::name(&definition) == "arith.select" {
            return Some(vec![ir::operand(definition, 1), ir::operand(definition, 2)]);
        }
    }
    control_flow::predecessor_values(value)
}

/// The values that an operand becomes, or of which it becomes a part, one operation on; None if that is not known.
pub fn aliases<'c: 'a, 'a>(
    user: OperationRef<'c, 'a>,
    operand: usize,
) -> Option<Vec<Value<'c, 'a>>> {
    let result = || user.results().next().map(Value::from).into_iter().collect();
    match operand {
        0 if VIEWS.contains(&ir::name(&user)) => Some(result()),
        1 | 2 if ir::name(&user) == "arith.select" => Some(result()),
        _ => control_flow::successors(user, operand),
    }
}

/// Follows values from one to the next, in either direction, until no new value appears: `next` is called once for
/// each value.
pub fn trace<'c, 'a>(
    start: Value<'c, 'a>,
    mut next: impl FnMut(Value<'c, 'a>) -> Vec<Value<'c, 'a>>,
) {
    let Ok(()) = try_trace([start], |value| Ok::<_, Infallible>(next(value)));
}

/// Like [`trace`], from several values, until an error ends the walk.
pub fn try_trace<'c, 'a, E>(
    start: impl IntoIterator<Item = Value<'c, 'a>>,
    mut next: impl FnMut(Value<'c, 'a>) -> Result<Vec<Value<'c, 'a>>, E>,
) -> Result<(), E> {
    let mut pending: Vec<_> = start.into_iter().collect();
    let mut seen: HashSet<usize> = pending.iter().map(ir::id).collect();
    while let Some(value) = pending.pop() {
        let new = next(value)?.into_iter();
        pending.extend(new.filter(|value| seen.insert(ir::id(value))));
    }
    Ok(())
}

/// The value that another one is a view of, through views of views; a value that is not a view is its own base.
pub fn base<'c: 'a, 'a>(mut value: Value<'c, 'a>) -> Value<'c, 'a> {
    while let Some(source) = ir::defining_operation(value).and_then(view_source) {
        value = source;
    }
    value
}

/// True if two values are the same part of one value: views that are made of the same values in the same way.
pub fn is_same_part<'c: 'a, 'a>(mut one: Value<'c, 'a>, mut other: Value<'c, 'a>) -> bool {
    while ir::id(one) != ir::id(other) {
        let definitions = ir::defining_operation(one).zip(ir::defining_operation(other));
        let Some((first, second)) = definitions else { return false };
        let sources = view_source(first).zip(view_source(second));
        let Some(sources) = sources.filter(|_| is_same_view(first, second)) else { return false };
        (one, other) = sources;
    }
    true
}

/// True if two views differ at most in the value that they are a view of.
fn is_same_view(one: OperationRef, other: OperationRef) -> bool {
    let places =
        |view: OperationRef| -> Vec<usize> { view.operands().skip(1).map(ir::id).collect() };
    ir::name(&one) == ir::name(&other)
        && places(one) == places(other)
        && one.attributes().eq(other.attributes())
}

/// The memory that a buffer is in.
#[derive(Clone, Copy, Debug)]
pub enum Origin<'c, 'a> {
    /// A `memref.alloc` or `memref.alloca`.
    Allocation(Value<'c, 'a>),
    /// A `memref.get_global`: several may have one global.
    Global(OperationRef<'c, 'a>),
    /// An argument of a function, with its number.
    Argument(Value<'c, 'a>, usize),
}

impl<'c, 'a> Origin<'c, 'a> {
    /// The value that is the whole memory.
    pub fn value(self) -> Value<'c, 'a> {
        match self {
            Self::Allocation(value) | Self::Argument(value, _) => value,
            Self::Global(operation) => func::result(operation),
        }
    }

    fn of(value: Value<'c, 'a>) -> Option<Self> {
        let Some(definition) = ir::defining_operation(value) else {
            let home = ir::home(value).filter(|home| home.block == 0)?;
            let is_argument = func::is_function(&home.parent);
            return is_argument.then_some(Self::Argument(value, home.argument));
        };
        match ir::name(&definition) {
            "memref.alloc" | "memref.alloca" => Some(Self::Allocation(value)),
            "memref.get_global" => Some(Self::Global(definition)),
            _ => None,
        }
    }
}

/// The memory that a buffer, or the buffer that it is a view of, is in; None if it may be in one of several or anywhere.
///
/// Not followed through control flow: a loop that carries a buffer may be changed to carry another one.
pub fn origin<'c: 'a, 'a>(mut buffer: Value<'c, 'a>) -> Option<Origin<'c, 'a>> {
    for _ in 0..BUDGET {
        match ir::defining_operation(buffer).and_then(view_source) {
            Some(source) => buffer = source,
            None => return Origin::of(buffer).filter(|_| is_buffer(buffer.r#type())),
        }
    }
    None
}

#[cfg(test)]
mod tests;
