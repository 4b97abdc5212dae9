//! Canonicalization of the Toy dialect: rewrites that make a program smaller and never change what
//! it prints or which errors it has.
//!
//! Input and output: a verified module, before or after shape inference. The patterns:
//!
//! | pattern | condition |
//! |---|---|
//! | `transpose(transpose x)` → `x` | |
//! | `transpose(constant)` → constant | the constant is small or has no other use |
//! | `reshape(reshape x)` → `reshape x` | both results have the same number of elements |
//! | `reshape x` → `x` | the types are equal |
//! | `reshape(constant)` → constant | |
//! | dead pure operation → nothing | it cannot fail |
//!
//! Two rules hold them back. *Types:* the replacement of an unranked value by a ranked one is
//! done only if every user is a Toy operation that takes either (a `func.return` does not, nor
//! does a call of several arguments, which must have one type).
//! *Errors:* a dead `add` whose shapes are not known yet stays until they are, because the
//! mistake in it must be reported with optimization as without.
//!
//! The greedy driver deletes dead operations only when it knows them to be free of side effects,
//! which IRDL cannot tell it in LLVM 22: so deletion is a pattern, too.

use crate::diagnostic::{Diagnosed, Diagnostic, codes};
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::shape_of;
use crate::mlir::pass::PassContext;
use crate::mlir::raw;
use crate::mlir::rewrite::{Pattern, Rewriter, apply_greedily};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, Module, Type, Value, ValueLike};

/// A constant larger than this is not copied: it is folded only where the original goes away.
const SMALL_CONSTANT: u64 = 4096;

const PATTERNS: &[Pattern] = &[
    Pattern { root: "toy.constant", rewrite: erase_dead },
    Pattern { root: "toy.add", rewrite: erase_dead },
    Pattern { root: "toy.mul", rewrite: erase_dead },
    Pattern { root: "toy.transpose", rewrite: erase_dead },
    Pattern { root: "toy.reshape", rewrite: erase_dead },
    Pattern { root: "toy.cast", rewrite: erase_dead },
    Pattern { root: "toy.transpose", rewrite: transpose_of_transpose },
    Pattern { root: "toy.transpose", rewrite: transpose_of_constant },
    Pattern { root: "toy.reshape", rewrite: identity_reshape },
    Pattern { root: "toy.reshape", rewrite: reshape_of_reshape },
    Pattern { root: "toy.reshape", rewrite: reshape_of_constant },
];

/// The pass.
pub fn run(context: &PassContext, module: &Module) -> Diagnosed<()> {
    apply_greedily(context.session.context(), module, PATTERNS).map_err(|error| {
        vec![Diagnostic::error(codes::INTERNAL, format!("canonicalization did not end: {error}"))]
    })
}

fn erase_dead(rewriter: &Rewriter, operation: OperationRef) -> bool {
    let pure = Kind::of(&operation).is_some_and(Kind::is_pure);
    if !pure || operation.results().any(|r| raw::has_uses(r.into())) || may_fail(operation) {
        return false;
    }
    rewriter.base.erase_op(operation);
    true
}

/// Whether shape inference may still find a mistake in the operation.
fn may_fail(operation: OperationRef) -> bool {
    let shapes: Vec<_> = operation.operands().map(|operand| shape_of(operand.r#type())).collect();
    match Kind::of(&operation) {
        Some(Kind::Constant | Kind::Transpose | Kind::Cast) => false,
        Some(Kind::Add | Kind::Mul) => shapes[0].is_none() || shapes[0] != shapes[1],
        Some(Kind::Reshape) => match (&shapes[0], shape_of(ops::result(operation).r#type())) {
            (Some(operand), Some(result)) => !operand.reshapes_to(&result),
            _ => true,
        },
        _ => true,
    }
}

fn transpose_of_transpose(rewriter: &Rewriter, operation: OperationRef) -> bool {
    let Some(inner) = operand_defined_by(operation, Kind::Transpose) else { return false };
    replace(rewriter, operation, first_operand(inner))
}

fn identity_reshape(rewriter: &Rewriter, operation: OperationRef) -> bool {
    let operand = first_operand(operation);
    ops::same_type(operand.r#type(), ops::result(operation).r#type())
        && replace(rewriter, operation, operand)
}

fn reshape_of_reshape(rewriter: &Rewriter, operation: OperationRef) -> bool {
    let Some(inner) = operand_defined_by(operation, Kind::Reshape) else { return false };
    let count = |value: Value| shape_of(value.r#type()).and_then(|shape| shape.element_count());
    // A scalar between the two may be filled up by the outer one: then the inner one matters.
    let (between, result) = (count(first_operand(operation)), count(ops::result(operation)));
    if between.is_none() || between != result {
        return false;
    }
    rewriter.base.set_insertion_point_before(operation);
    let merged = rewriter.base.insert(ops::pure(
        "toy.reshape",
        operation.location(),
        &[first_operand(inner)],
        ops::result(operation).r#type(),
    ));
    rewriter.base.replace_op_with_values(operation, &[ops::result(merged)]);
    true
}

fn reshape_of_constant(rewriter: &Rewriter, operation: OperationRef) -> bool {
    let Some(constant) = operand_defined_by(operation, Kind::Constant) else { return false };
    let (Some(from), Some(to)) =
        (shape_of(first_operand(operation).r#type()), shape_of(ops::result(operation).r#type()))
    else {
        return false;
    };
    let (Some(count), Some(value)) = (from.element_count(), ops::attribute(&constant, "value"))
    else {
        return false;
    };
    if !from.reshapes_to(&to) || !may_copy(constant, count) {
        return false;
    }
    // One element is a splat, however large the shape it fills.
    let elements = raw::dense_f64(value, count as usize);
    let r#type = ops::result(operation).r#type();
    replace_with_constant(rewriter, operation, r#type, ops::dense(r#type, &elements))
}

fn transpose_of_constant(rewriter: &Rewriter, operation: OperationRef) -> bool {
    let Some(constant) = operand_defined_by(operation, Kind::Constant) else { return false };
    let (Some(shape), Some(value)) =
        (shape_of(first_operand(operation).r#type()), ops::attribute(&constant, "value"))
    else {
        return false;
    };
    let r#type = shape.transposed().tensor_type(rewriter.context);
    let count = shape.element_count().unwrap_or(u64::MAX);
    if !may_copy(constant, count) || !may_refine(operation, r#type) {
        return false;
    }
    let elements = match raw::dense_f64(value, count as usize).as_slice() {
        splat @ [_] => splat.to_vec(),
        elements => transposed(elements, &shape.0),
    };
    replace_with_constant(rewriter, operation, r#type, ops::dense(r#type, &elements))
}

/// The elements of the transpose, in row-major order of the reversed dimensions.
fn transposed(elements: &[f64], dims: &[u64]) -> Vec<f64> {
    // Strides of the operand, read in the order of the result's dimensions.
    let mut strides = vec![1usize; dims.len()];
    for index in (1..dims.len()).rev() {
        strides[index - 1] = strides[index] * dims[index] as usize;
    }
    let (dims, strides): (Vec<_>, Vec<_>) =
        dims.iter().map(|dim| *dim as usize).zip(strides).rev().unzip();
    let mut index = vec![0usize; dims.len()];
    let mut offset = 0;
    let mut result = Vec::with_capacity(elements.len());
    for _ in 0..elements.len() {
        result.push(elements[offset]);
        for axis in (0..dims.len()).rev() {
            index[axis] += 1;
            offset += strides[axis];
            if index[axis] < dims[axis] {
                break;
            }
            offset -= strides[axis] * dims[axis];
            index[axis] = 0;
        }
    }
    result
}

// --- what the patterns share ---

fn first_operand<'c, 'a>(operation: OperationRef<'c, 'a>) -> Value<'c, 'a> {
    operation.operand(0).expect("verified: it has an operand")
}

fn operand_defined_by<'c, 'a>(
    operation: OperationRef<'c, 'a>,
    kind: Kind,
) -> Option<OperationRef<'c, 'a>> {
    raw::defining_operation(first_operand(operation)).filter(|def| Kind::of(def) == Some(kind))
}

fn may_copy(constant: OperationRef, count: u64) -> bool {
    count <= SMALL_CONSTANT || raw::users(ops::result(constant)).len() == 1
}

/// Whether the users of the operation's result accept a value of the type instead.
fn may_refine(operation: OperationRef, r#type: Type) -> bool {
    let result = ops::result(operation);
    ops::same_type(result.r#type(), r#type)
        || raw::users(result).iter().all(|user| match Kind::of(user) {
            // All arguments of a call have one type.
            Some(Kind::GenericCall) => user.operand_count() == 1,
            kind => kind.is_some(),
        })
}

fn replace(rewriter: &Rewriter, operation: OperationRef, value: Value) -> bool {
    if !may_refine(operation, value.r#type()) {
        return false;
    }
    rewriter.base.replace_op_with_values(operation, &[value]);
    true
}

fn replace_with_constant<'c>(
    rewriter: &Rewriter<'_, 'c>,
    operation: OperationRef<'c, '_>,
    r#type: Type<'c>,
    value: Attribute<'c>,
) -> bool {
    rewriter.base.set_insertion_point_before(operation);
    let location = operation.location();
    let constant = rewriter.base.insert(ops::constant(rewriter.context, location, r#type, value));
    rewriter.base.replace_op_with_values(operation, &[ops::result(constant)]);
    true
}

#[cfg(test)]
mod tests {
    use super::transposed;

    #[test]
    fn elements_of_a_transpose() {
        assert_eq!(transposed(&[1., 2., 3., 4., 5., 6.], &[2, 3]), [1., 4., 2., 5., 3., 6.]);
        assert_eq!(transposed(&[7.], &[]), [7.]);
        // a[i][j][k] of 2x1x3 becomes b[k][j][i].
        assert_eq!(transposed(&[0., 1., 2., 3., 4., 5.], &[2, 1, 3]), [0., 3., 1., 4., 2., 5.]);
    }
}
