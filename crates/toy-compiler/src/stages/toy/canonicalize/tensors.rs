//! Rewrites of operations on tensors.

use super::{
    first_operand, may_copy, may_refine, operand_defined_by, replace, replace_with_constant,
    replace_with_new,
};
use crate::dialect::control;
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::{Shape, shape_of, tensor_type, with_shape};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};
use mlir_support::ir;
use mlir_support::rewrite::Rewriter;

pub fn identity_transpose(rewriter: &Rewriter, operation: OperationRef) -> bool {
    ops::attribute(&operation, "permutation").is_some()
        && control::permutation(operation).is_some_and(|dims| dims.is_sorted())
        && replace(rewriter, operation, first_operand(operation))
}

pub fn transpose_of_transpose(rewriter: &Rewriter, operation: OperationRef) -> bool {
    let Some(inner) = operand_defined_by(operation, Kind::Transpose) else { return false };
    let is_twice = reverses(operation) && reverses(inner);
    is_twice && replace(rewriter, operation, first_operand(inner))
}

/// True if a transpose reverses the dimensions, however many they are.
fn reverses(operation: OperationRef) -> bool {
    operation.operand_count() == 1 && ops::attribute(&operation, "permutation").is_none()
}

pub fn permutation_of_permutation(rewriter: &Rewriter, operation: OperationRef) -> bool {
    let Some(inner) = operand_defined_by(operation, Kind::Transpose) else { return false };
    let (Some(dims), Some(of_inner)) =
        (control::permutation(operation), control::permutation(inner))
    else {
        return false;
    };
    if reverses(operation) && reverses(inner) {
        return false;
    }
    let dims: Vec<usize> = dims.iter().map(|dim| of_inner[*dim]).collect();
    let (location, ty) = (operation.location(), ops::result(operation).r#type());
    let merged = control::transpose(rewriter.context, location, first_operand(inner), &dims, ty);
    replace_with_new(rewriter, operation, merged)
}

pub fn identity_reshape(rewriter: &Rewriter, operation: OperationRef) -> bool {
    let operand = first_operand(operation);
    ops::same_type(operand.r#type(), ops::result(operation).r#type())
        && replace(rewriter, operation, operand)
}

pub fn reshape_of_reshape(rewriter: &Rewriter, operation: OperationRef) -> bool {
    let Some(inner) = operand_defined_by(operation, Kind::Reshape) else { return false };
    let count = |value: Value| shape_of(value.r#type())?.element_count();
    // A scalar between the two may be filled up by the outer one: then the inner one matters.
    let between = count(first_operand(operation));
    let result = count(ops::result(operation));
    if between.is_none() || between != result {
        return false;
    }
    let (location, ty) = (operation.location(), ops::result(operation).r#type());
    let merged = ops::pure("toy.reshape", location, &[first_operand(inner)], ty);
    replace_with_new(rewriter, operation, merged)
}

/// The shape and the elements of a constant operand, one of a splat, however large it is.
/// None if the operand is another one, or may not be copied.
fn constant_operand(operation: OperationRef) -> Option<(Shape, Vec<f64>)> {
    let constant = operand_defined_by(operation, Kind::Constant)?;
    let shape = shape_of(first_operand(operation).r#type())?;
    let count = shape.element_count().filter(|count| may_copy(constant, *count))?;
    let elements = ir::dense_floats(ops::attribute(&constant, "value")?, count as usize)?;
    Some((shape, elements))
}

pub fn reshape_of_constant(rewriter: &Rewriter, operation: OperationRef) -> bool {
    let Some((from, elements)) = constant_operand(operation) else { return false };
    let ty = ops::result(operation).r#type();
    shape_of(ty).is_some_and(|to| from.reshapes_to(&to))
        && replace_with_constant(rewriter, operation, ty, ir::dense(ty, &elements))
}

pub fn transpose_of_constant(rewriter: &Rewriter, operation: OperationRef) -> bool {
    let Some(dims) = control::permutation(operation) else { return false };
    let Some((shape, elements)) = constant_operand(operation) else { return false };
    let shaped = with_shape(first_operand(operation).r#type(), shape.permuted(&dims));
    let ty = tensor_type(rewriter.context, &shaped);
    let elements = match elements.as_slice() {
        [_] => elements,
        all => transposed(all, &shape.0, &dims),
    };
    may_refine(operation, ty)
        && replace_with_constant(rewriter, operation, ty, ir::dense(ty, &elements))
}

pub fn neg_of_neg(rewriter: &Rewriter, operation: OperationRef) -> bool {
    let Some(inner) = operand_defined_by(operation, Kind::Neg) else { return false };
    replace(rewriter, operation, first_operand(inner))
}

pub fn neg_of_constant(rewriter: &Rewriter, operation: OperationRef) -> bool {
    let Some((_, elements)) = constant_operand(operation) else { return false };
    let ty = first_operand(operation).r#type();
    let elements: Vec<f64> = elements.iter().map(|x| -x).collect();
    may_refine(operation, ty)
        && replace_with_constant(rewriter, operation, ty, ir::dense(ty, &elements))
}

pub fn elements_of_constants(rewriter: &Rewriter, operation: OperationRef) -> bool {
    let element = |operand| {
        let operand = ops::source(operand);
        let constant =
            ir::defining_operation(operand).filter(|op| Kind::of(op) == Some(Kind::Constant))?;
        let is_scalar = shape_of(operand.r#type()).is_some_and(|shape| shape.0.is_empty());
        let value = ops::attribute(&constant, "value").filter(|_| is_scalar)?;
        ir::dense_floats(value, 1)?.first().copied()
    };
    let Some(elements) = operation.operands().map(element).collect::<Option<Vec<f64>>>() else {
        return false;
    };
    let Some(dims) = control::list_dims(operation) else { return false };
    let ty = tensor_type(rewriter.context, &with_shape(ops::result(operation).r#type(), dims));
    may_refine(operation, ty)
        && replace_with_constant(rewriter, operation, ty, ir::dense(ty, &elements))
}

/// The elements of the transpose, in row-major order of the dimensions in their new order.
fn transposed(elements: &[f64], dims: &[u64], order: &[usize]) -> Vec<f64> {
    // Strides of the operand, read in the order of the result's dimensions.
    let mut strides = vec![1usize; dims.len()];
    for index in (1..dims.len()).rev() {
        strides[index - 1] = strides[index] * dims[index] as usize;
    }
    let (dims, strides): (Vec<_>, Vec<_>) =
        order.iter().map(|dim| (dims[*dim] as usize, strides[*dim])).unzip();
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

#[cfg(test)]
mod tests {
    use super::transposed;

    #[test]
    fn elements_of_a_transpose() {
        let elements = [1., 2., 3., 4., 5., 6.];
        assert_eq!(transposed(&elements, &[2, 3], &[1, 0]), [1., 4., 2., 5., 3., 6.]);
        assert_eq!(transposed(&[7.], &[], &[]), [7.]);
        // a[i][j][k] of 1x2x3 becomes b[j][i][k].
        assert_eq!(transposed(&elements, &[1, 2, 3], &[1, 0, 2]), elements);
        // a[i][j][k] of 2x1x3 becomes b[k][j][i].
        let elements = [0., 1., 2., 3., 4., 5.];
        assert_eq!(transposed(&elements, &[2, 1, 3], &[2, 1, 0]), [0., 3., 1., 4., 2., 5.]);
    }
}
