//! Constants, literals, and operations that only move elements.

use crate::dialect::control;
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::{Shape, shape_of};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Type, Value, ValueLike};
use mlir_support::{Builder, ir};

/// Lowers one of these operations; None for any other: specialization has replaced every call and every cast, flattening
/// every struct.
pub fn lower<'c, 'a>(
    code: Builder<'c, 'a>,
    operation: OperationRef<'c, 'a>,
    kind: Kind,
) -> Option<Value<'c, 'a>> {
    let ty = ops::result(operation).r#type();
    let operand = || operation.operand(0).ok();
    match kind {
        Kind::Unset if operation.has_attribute(ops::TAPE) => Some(code.empty(ty)),
        Kind::Constant => Some(constant(code, operation)),
        Kind::Stop => operand(),
        Kind::Range => range(code, ty),
        Kind::Transpose => Some(transpose(code, operand()?, &control::permutation(operation)?, ty)),
        Kind::Reshape => Some(reshape(code, operand()?, ty)),
        Kind::FromElements => Some(elements(code, operation)),
        Kind::Unset => Some(unset(code, ty)),
        _ => None,
    }
}

/// `arith.constant`, or `linalg.fill` for a large repeated value.
fn constant<'c, 'a>(code: Builder<'c, 'a>, operation: OperationRef<'c, 'a>) -> Value<'c, 'a> {
    let value = ops::attribute(&operation, "value").expect("verified: it has a value");
    let ty = ops::result(operation).r#type();
    match ops::large_splat(&operation) {
        Some(element) => code.filled(ty, code.float(number(ty), element)),
        None => code.constant(ty, value),
    }
}

/// `arith.constant`.
fn range<'c, 'a>(code: Builder<'c, 'a>, ty: Type<'c>) -> Option<Value<'c, 'a>> {
    let count = shape_of(ty)?.element_count()?;
    let numbers: Vec<f64> = (0..count).map(|number| number as f64).collect();
    Some(code.constant(ty, ir::dense(ty, &numbers)))
}

/// `tensor.from_elements`.
fn elements<'c, 'a>(code: Builder<'c, 'a>, operation: OperationRef<'c, 'a>) -> Value<'c, 'a> {
    let elements: Vec<_> = operation.operands().map(|element| code.element_of(element)).collect();
    code.value("tensor.from_elements", &elements, ops::result(operation).r#type(), &[])
}

/// Nothing reads it, but a program of zeros is the same each time.
fn unset<'c, 'a>(code: Builder<'c, 'a>, ty: Type<'c>) -> Value<'c, 'a> {
    let zero = code.float(number(ty), 0.0);
    match shape_of(ty).is_some_and(|shape| shape.0.is_empty()) {
        true => code.scalar(zero),
        false => code.filled(ty, zero),
    }
}

/// `linalg.transpose`; nothing if each dimension stays in its place.
pub fn transpose<'c, 'a>(
    code: Builder<'c, 'a>,
    operand: Value<'c, 'a>,
    permutation: &[usize],
    ty: Type<'c>,
) -> Value<'c, 'a> {
    if permutation.is_sorted() {
        return operand;
    }
    let permutation: Vec<_> = permutation.iter().map(|dim| *dim as i64).collect();
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

/// `tensor.collapse_shape` and `tensor.expand_shape`; `linalg.fill` with a scalar.
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

/// The type of the elements of a tensor type.
fn number(ty: Type) -> Type {
    ir::element(ty).expect("verified: every value is a tensor")
}

fn shape(value: Value) -> Shape {
    shape_of(value.r#type()).expect("specialized: every value is ranked")
}
