//! Products of matrices and vectors, in the order of additions of the language.
//!
//! Each step is a fused multiply-add, which rounds once. Products of matrices start at 0 and add in the order of the
//! shared dimension. The loop over it is not the innermost one: so neighbors are added together, and every element is
//! still added up in order. Products with a vector add eight interleaved partial sums ([`super::reductions`]).

use super::reductions::{fused, interleaved_rows, rows};
use super::stretched::Stretched;
use crate::dialect::control::Reduction;
use crate::dialect::ops;
use crate::dialect::shape::{Shape, shape_of};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};
use mlir_support::builder::{Builder, Indexed, element};
use mlir_support::linalg::IteratorKind;

/// Lowers a `toy.matmul`.
pub fn lower<'c, 'a>(
    code: Builder<'c, 'a>,
    operation: OperationRef<'c, 'a>,
) -> Option<Value<'c, 'a>> {
    let (lhs, rhs) = (operation.operand(0).ok()?, operation.operand(1).ok()?);
    let (left, right) = (shape_of(lhs.r#type())?.0, shape_of(rhs.r#type())?.0);
    Some(match (left.as_slice(), right.as_slice()) {
        ([_], [_]) => with_vector(code, &[], [(lhs, &[0]), (rhs, &[0])]),
        ([count, _], [_]) => with_vector(code, &[*count], [(lhs, &[0, 1]), (rhs, &[1])]),
        ([_], [rows, columns]) => interleaved_rows(code, (*rows, *columns), [lhs, rhs]),
        ([outer @ .., rows, shared], [other @ .., _, columns]) => {
            let outer = Shape(outer.to_vec()).broadcast(&Shape(other.to_vec()))?.0;
            let onto = |last: [u64; 2]| [outer.as_slice(), &last].concat();
            let lhs = Stretched::of(code, lhs, &onto([*rows, *shared]), 2);
            let rhs = Stretched::of(code, rhs, &onto([*shared, *columns]), 2);
            matrices(code, operation, [lhs.indexed()?, rhs.indexed()?], outer.len())
        }
        _ => return None,
    })
}

/// A matrix with rows like these, or a vector, and a vector.
fn with_vector<'c, 'a>(
    code: Builder<'c, 'a>,
    kept: &[u64],
    inputs: [Indexed<'c, 'a, '_>; 2],
) -> Value<'c, 'a> {
    let kind = (Reduction::Sum, element(inputs[0].0));
    rows(code, kind, (kept, kept.len() + 1), &inputs, fused)
}

/// Matrices, or batches of them, each operand with its dimensions as those of its result would be: a matrix that
/// belongs to several of a batch does not have that dimension.
fn matrices<'c, 'a>(
    code: Builder<'c, 'a>,
    operation: OperationRef<'c, 'a>,
    [(lhs, of_lhs), (rhs, of_rhs)]: [(Value<'c, 'a>, &[usize]); 2],
    batch: usize,
) -> Value<'c, 'a> {
    // The dimensions of the batch, then row, shared dimension, column.
    let [row, shared, column] = [batch, batch + 1, batch + 2];
    let mut iterators = vec![IteratorKind::Parallel; batch + 3];
    iterators[shared] = IteratorKind::Reduction;
    let of_rhs: Vec<usize> = of_rhs.iter().map(|at| at + usize::from(*at >= row)).collect();
    let of_result: Vec<usize> = (0..batch).chain([row, column]).collect();
    let inputs = [(lhs, of_lhs), (rhs, of_rhs.as_slice())];
    let zero = code.float(element(lhs), 0.0);
    let sums = code.filled(ops::result(operation).r#type(), zero);
    code.generic(&iterators, &inputs, (sums, &of_result), |code, elements| {
        fused(code, elements[2], &elements[..2])
    })
}
