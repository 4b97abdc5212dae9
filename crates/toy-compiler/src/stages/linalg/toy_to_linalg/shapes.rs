//! Constants, literals, and operations that only move elements.

use crate::dialect::ops;
use crate::dialect::shape::{Shape, shape_of};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Type, Value, ValueLike};
use mlir_support::Builder;
use mlir_support::ir;

/// Lowers a `toy.constant`.
pub fn constant<'c, 'a>(code: Builder<'c, 'a>, operation: OperationRef<'c, 'a>) -> Value<'c, 'a> {
    let value = ops::attribute(&operation, "value").expect("verified: it has a value");
    let ty = ops::result(operation).r#type();
    match ops::large_splat(&operation) {
        Some(element) => code.filled(ty, code.float(Type::float64(code.context), element)),
        None => code.constant(ty, value),
    }
}

/// Lowers a `toy.range`.
pub fn range<'c, 'a>(code: Builder<'c, 'a>, ty: Type<'c>) -> Option<Value<'c, 'a>> {
    let count = shape_of(ty)?.element_count()?;
    let numbers: Vec<f64> = (0..count).map(|number| number as f64).collect();
    Some(code.constant(ty, ops::dense(ty, &numbers)))
}

/// Lowers a `toy.from_elements`.
pub fn elements<'c, 'a>(code: Builder<'c, 'a>, operation: OperationRef<'c, 'a>) -> Value<'c, 'a> {
    let elements: Vec<_> = operation.operands().map(|element| code.element_of(element)).collect();
    code.value("tensor.from_elements", &elements, ops::result(operation).r#type(), &[])
}

/// Lowers a `toy.unset`: nothing reads it, but a program of zeros is the same each time.
pub fn unset<'c, 'a>(code: Builder<'c, 'a>, ty: Type<'c>) -> Value<'c, 'a> {
    let zero = code.float(Type::float64(code.context), 0.0);
    match shape_of(ty).is_some_and(|shape| shape.0.is_empty()) {
        true => code.scalar(zero),
        false => code.filled(ty, zero),
    }
}

/// Lowers a `toy.transpose`.
pub fn transpose<'c, 'a>(
    code: Builder<'c, 'a>,
    operand: Value<'c, 'a>,
    ty: Type<'c>,
) -> Value<'c, 'a> {
    let rank = shape(operand).0.len();
    if rank < 2 {
        return operand;
    }
    let permutation: Vec<_> = (0..rank as i64).rev().collect();
    let permutation = [("permutation", code.numbers(&permutation))];
    // Elements move without change.
    let region = code.region(&[ir::element(ty).expect("a tensor"); 2]);
    let operands = [operand, code.empty(ty)];
    let regions = vec![region];
    let transpose =
        code.op_with_regions("linalg.transpose", &operands, &[ty], &permutation, regions);
    code.fill_region(transpose, 0, "linalg.yield", |_, elements| vec![elements[0]]);
    ops::result(transpose)
}

/// Lowers a `toy.reshape`.
pub fn reshape<'c, 'a>(
    code: Builder<'c, 'a>,
    operand: Value<'c, 'a>,
    ty: Type<'c>,
) -> Value<'c, 'a> {
    let (from, to) = (shape(operand), shape_of(ty).expect("specialized: every value is ranked"));
    if from == to {
        return operand;
    }
    if from.0.is_empty() {
        let number = code.element_of(operand);
        return code.filled(ty, number);
    }
    // Through one dimension, which any two shapes of one element count share.
    let count = from.element_count().expect("verified: it fits");
    let all = |rank: usize| vec![(0..rank).collect::<Vec<_>>()];
    let flat = match (from.0.len(), to.0.len()) {
        (1, _) => operand,
        (_, 0) => return code.regrouped(operand, &[], &[]),
        (rank, _) => code.regrouped(operand, &all(rank), &[count]),
    };
    match to.0.len() {
        0 => code.regrouped(flat, &[], &[]),
        1 => flat,
        rank => code.regrouped(flat, &all(rank), &to.0),
    }
}

fn shape(value: Value) -> Shape {
    shape_of(value.r#type()).expect("specialized: every value is ranked")
}
