//! Products of matrices and vectors, in the order of additions of the language.
//!
//! Products of matrices start at 0 and add in the order of the shared dimension. The loop over it is not the
//! innermost one: so neighbors are added together, and every element is still added up in order. Products with a
//! vector add eight interleaved partial sums ([`super::reductions`]).

use super::reductions::{dot, each_row, interleaved_rows};
use crate::dialect::control::Reduction;
use crate::dialect::ops;
use crate::dialect::shape::shape_of;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};
use mlir_support::builder::{Builder, element};
use mlir_support::linalg::IteratorKind;

/// Lowers a `toy.matmul`.
pub fn lower<'c, 'a>(
    code: Builder<'c, 'a>,
    operation: OperationRef<'c, 'a>,
) -> Option<Value<'c, 'a>> {
    let (lhs, rhs) = (operation.operand(0).ok()?, operation.operand(1).ok()?);
    let (left, right) = (shape_of(lhs.r#type())?.0, shape_of(rhs.r#type())?.0);
    Some(match (left.as_slice(), right.as_slice()) {
        ([count], [_]) => code.scalar(dot(code, element(lhs), *count, |code, at| {
            [code.extract(lhs, &[at]), code.extract(rhs, &[at])]
        })),
        ([rows, count], [_]) => {
            each_row(code, (Reduction::Sum, element(lhs)), [*rows, *count], |code, row, at| {
                let elements = [code.extract(lhs, &[row, at]), code.extract(rhs, &[at])];
                code.computed("arith.mulf", &elements)
            })
        }
        ([_], [rows, columns]) => {
            interleaved_rows(code, (*rows, *columns), &[lhs, rhs], |code, elements| {
                code.computed("arith.mulf", elements)
            })
        }
        (left, right) if left.len() >= 2 && left.len() == right.len() => {
            matrices(code, operation, [lhs, rhs], left.len())
        }
        _ => return None,
    })
}

/// Matrices, or batches of them.
fn matrices<'c, 'a>(
    code: Builder<'c, 'a>,
    operation: OperationRef<'c, 'a>,
    [lhs, rhs]: [Value<'c, 'a>; 2],
    rank: usize,
) -> Value<'c, 'a> {
    // The dimensions of the batch, then row, shared dimension, column.
    let batch: Vec<usize> = (0..rank - 2).collect();
    let [row, shared, column] = [rank - 2, rank - 1, rank];
    let mut iterators = vec![IteratorKind::Parallel; rank + 1];
    iterators[shared] = IteratorKind::Reduction;
    let indices = |last: [usize; 2]| [batch.as_slice(), &last].concat();
    let (of_lhs, of_rhs) = (indices([row, shared]), indices([shared, column]));
    let of_result = indices([row, column]);
    let inputs = [(lhs, of_lhs.as_slice()), (rhs, of_rhs.as_slice())];
    let zero = code.float(element(lhs), 0.0);
    let sums = code.filled(ops::result(operation).r#type(), zero);
    code.generic(&iterators, &inputs, (sums, &of_result), |code, elements| {
        let product = code.computed("arith.mulf", &elements[..2]);
        code.computed("arith.addf", &[elements[2], product])
    })
}
