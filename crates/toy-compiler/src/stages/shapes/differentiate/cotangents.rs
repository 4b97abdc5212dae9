//! Cotangents: for each value that the result depends on, the derivative of the result by it.
//!
//! Input: contributions of the users of a value, last one first. Output: their sum. A cotangent may have a smaller shape
//! that stretches to the shape of its value, so that element-wise operations need no copies; [`Cotangents::full`] gives
//! it the shape. Invariant: one exists only if it may differ from 0.
//!
//! A cotangent is *hidden* if a `where` may have set elements of it to 0 that would have been multiplied by infinity or
//! NaN in the part of the function that the `where` hides. There, 0 times anything is 0 ([`Cotangent::times`]).

use super::code::{Code, shape};
use crate::dialect::control::{Predicate, Reduction};
use crate::dialect::ops::Kind;
use crate::dialect::shape::{Shape, is_tensor};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};
use mlir_support::ir;
use std::collections::HashMap;

#[derive(Clone, Copy)]
pub struct Cotangent<'c, 'a> {
    pub value: Value<'c, 'a>,
    pub is_hidden: bool,
}

impl<'c, 'a> Cotangent<'c, 'a> {
    pub fn with(self, value: Value<'c, 'a>) -> Self {
        Self { value, ..self }
    }

    /// The product with a derivative, which may be infinite where this is 0.
    pub fn times(self, code: Code<'c, 'a, '_>, derivative: Value<'c, 'a>) -> Self {
        self.guarded(code, code.mul(self.value, derivative))
    }

    /// The quotient by a derivative, likewise.
    pub fn over(self, code: Code<'c, 'a, '_>, divisor: Value<'c, 'a>) -> Self {
        self.guarded(code, code.div(self.value, divisor))
    }

    fn guarded(self, code: Code<'c, 'a, '_>, value: Value<'c, 'a>) -> Self {
        if !self.is_hidden {
            return self.with(value);
        }
        let zero = code.number(0.0, value);
        let is_used = code.compare(Predicate::Ne, self.value, code.number(0.0, self.value));
        self.with(code.select(is_used, value, zero))
    }
}

/// The cotangents of values, by the values.
#[derive(Default)]
pub struct Cotangents<'c, 'a>(HashMap<usize, Cotangent<'c, 'a>>);

impl<'c, 'a> Cotangents<'c, 'a> {
    pub fn take(&mut self, of: Value) -> Option<Cotangent<'c, 'a>> {
        self.0.remove(&ir::id(of))
    }

    /// The cotangents of an operation's results, in order; None for a result that does not matter.
    pub fn take_results(&mut self, of: OperationRef) -> Vec<Option<Cotangent<'c, 'a>>> {
        of.results().map(|result| self.take(result.into())).collect()
    }

    pub fn has(&self, of: Value) -> bool {
        self.0.contains_key(&ir::id(of))
    }

    pub fn is_hidden(&self, of: Value) -> bool {
        self.0.get(&ir::id(of)).is_some_and(|it| it.is_hidden)
    }

    /// Replaces the cotangent of a value.
    pub fn set(&mut self, of: Value, cotangent: Cotangent<'c, 'a>) {
        self.0.insert(ir::id(of), cotangent);
    }

    /// Adds a contribution.
    pub fn add(&mut self, code: Code<'c, 'a, '_>, of: Value, more: Cotangent<'c, 'a>) {
        let sum = match self.take(of) {
            Some(before) => Cotangent {
                value: sum(code, before.value, more.value),
                is_hidden: before.is_hidden || more.is_hidden,
            },
            None => more,
        };
        self.set(of, sum);
    }

    /// The cotangent in the type of its value; None if it is 0.
    pub fn full(&self, code: Code<'c, 'a, '_>, of: Value<'c, 'a>) -> Option<Value<'c, 'a>> {
        let cotangent = self.0.get(&ir::id(of))?;
        Some(stretched(code, cotangent.value, of))
    }

    /// The same, with zeros.
    pub fn full_or_zeros(&self, code: Code<'c, 'a, '_>, of: Value<'c, 'a>) -> Value<'c, 'a> {
        self.full(code, of).unwrap_or_else(|| code.zeros(of.r#type()))
    }
}

pub fn sum<'c, 'a>(
    code: Code<'c, 'a, '_>,
    one: Value<'c, 'a>,
    other: Value<'c, 'a>,
) -> Value<'c, 'a> {
    match (code.fields(one), code.fields(other)) {
        (Some(ones), Some(others)) => {
            let pairs = ones.into_iter().zip(others);
            let sums: Vec<_> = pairs.map(|(one, other)| sum(code, one, other)).collect();
            code.structure(&sums)
        }
        _ => code.add(one, other),
    }
}

/// A cotangent in the type of its value.
pub fn stretched<'c, 'a>(
    code: Code<'c, 'a, '_>,
    cotangent: Value<'c, 'a>,
    of: Value<'c, 'a>,
) -> Value<'c, 'a> {
    match is_tensor(of.r#type()) {
        true => stretched_to(code, cotangent, &shape(of)),
        false => cotangent,
    }
}

pub fn stretched_to<'c, 'a>(
    code: Code<'c, 'a, '_>,
    cotangent: Value<'c, 'a>,
    to: &Shape,
) -> Value<'c, 'a> {
    let from = shape(cotangent);
    if from == *to {
        return cotangent;
    }
    if from.0.is_empty() {
        return code.reshape(cotangent, to);
    }
    let zeros = code.reshape(code.number(0.0, cotangent), to);
    code.toy(Kind::Add, &[zeros, cotangent], &[])
}

/// The cotangent of an operand that an operation has stretched to a shape: sums along what has been repeated.
pub fn unstretched<'c, 'a>(
    code: Code<'c, 'a, '_>,
    cotangent: Value<'c, 'a>,
    from: &Shape,
    operand: &Shape,
) -> Value<'c, 'a> {
    if from == operand {
        return cotangent;
    }
    let mut value = stretched_to(code, cotangent, from);
    if operand.0.is_empty() {
        return code.sum(value);
    }
    let missing = from.0.len() - operand.0.len();
    for _ in 0..missing {
        value = code.reduce(Reduction::Sum, value, Some(0), false);
    }
    for (axis, size) in operand.0.iter().enumerate() {
        if *size == 1 && shape(value).0[axis] != 1 {
            value = code.reduce(Reduction::Sum, value, Some(axis), true);
        }
    }
    value
}
