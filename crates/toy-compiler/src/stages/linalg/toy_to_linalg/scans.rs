//! Sums so far, and elements in order: the kinds of `toy.reduce` with a result for each element.
//!
//! | kind | along | becomes |
//! |---|---|---|
//! | `cumsum` | the last axis | a loop over the elements of each row |
//! | | another axis | a loop over that axis, whose body adds all rows of it |
//! | `sort` | the last axis | [merges](sorted), of each row |
//! | | another axis | the same, of the transposed tensor |
//!
//! Sums are added in the order of the axis, and the first one is the first element: they start at -0, which changes no
//! number.

use super::shapes::{reshape, transpose};
use crate::dialect::control::{self, Reduction};
use crate::dialect::ops;
use crate::dialect::shape::shape_of;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};
use mlir_support::builder::{Builder, OEQ, Offset, SGE, SLT, UGT, element, tensor_type};
use mlir_support::linalg::IteratorKind;

/// Lowers a `toy.reduce` of one of these kinds.
pub fn lower<'c, 'a>(
    code: Builder<'c, 'a>,
    operation: OperationRef<'c, 'a>,
    kind: Reduction,
) -> Option<Value<'c, 'a>> {
    let (operand, ty) = (operation.operand(0).ok()?, ops::result(operation).r#type());
    let (number, mut shape) = (element(operand), shape_of(ty)?.0);
    // Without an axis, the result is a list.
    let axis = control::axis(operation).unwrap_or(0);
    let outer = shape[..axis].iter().product();
    let (count, inner) = (shape[axis], shape[axis + 1..].iter().product());
    if inner == 1 {
        let rows = reshape(code, operand, tensor_type(number, &[outer, count]));
        let size = [outer, count];
        return Some(reshape(code, of_rows(code, kind, rows, size), ty));
    }
    if kind == Reduction::CumSum {
        let blocks = reshape(code, operand, tensor_type(number, &[outer, count, inner]));
        return Some(reshape(code, sums_of_blocks(code, blocks, [outer, count, inner]), ty));
    }
    let last = shape.len() - 1;
    let mut order: Vec<_> = (0..=last).collect();
    order.swap(axis, last);
    shape.swap(axis, last);
    let turned = tensor_type(number, &shape);
    let size = [outer * inner, count];
    let operand = transpose(code, operand, &order, turned);
    let rows = reshape(code, operand, tensor_type(number, &size));
    let rows = reshape(code, of_rows(code, kind, rows, size), turned);
    Some(transpose(code, rows, &order, ty))
}

fn of_rows<'c, 'a>(
    code: Builder<'c, 'a>,
    kind: Reduction,
    rows: Value<'c, 'a>,
    [count, length]: [u64; 2],
) -> Value<'c, 'a> {
    let range = [0, count, 1].map(|it| code.index(it));
    let empty = |shape: &[u64]| code.empty(tensor_type(element(rows), shape));
    match kind {
        Reduction::CumSum => {
            let sums = empty(&[count, length]);
            code.for_each(range, &[sums], &[], |code, row, sums| {
                vec![sums_of_row(code, rows, row, length, sums[0])]
            })[0]
        }
        _ if length == 1 => rows,
        _ => {
            let other = empty(&[length]);
            code.for_each(range, &[rows, other], &[], |code, row, tensors| {
                sorted(code, row, length, tensors)
            })[0]
        }
    }
}

fn sums_of_row<'c, 'a>(
    code: Builder<'c, 'a>,
    rows: Value<'c, 'a>,
    row: Value<'c, 'a>,
    length: u64,
    sums: Value<'c, 'a>,
) -> Value<'c, 'a> {
    let start = code.float(element(rows), -0.0);
    let range = [0, length, 1].map(|it| code.index(it));
    code.for_each(range, &[start, sums], &[], |code, at, carried| {
        let next = code.extract(rows, &[row, at]);
        let sum = code.computed("arith.addf", &[carried[0], next]);
        vec![sum, insert(code, sum, carried[1], &[row, at])]
    })[1]
}

fn sums_of_blocks<'c, 'a>(
    code: Builder<'c, 'a>,
    blocks: Value<'c, 'a>,
    [outer, count, inner]: [u64; 3],
) -> Value<'c, 'a> {
    let number = element(blocks);
    let start = code.filled(tensor_type(number, &[outer, inner]), code.float(number, -0.0));
    let sums = code.empty(blocks.r#type());
    let range = [0, count, 1].map(|it| code.index(it));
    code.for_each(range, &[start, sums], &[], |code, at, carried| {
        let offsets = [Offset::Known(0), Offset::At(at), Offset::Known(0)];
        let sizes = [outer, 1, inner];
        let next = code.slice(blocks, &offsets, &sizes, &[outer, inner]);
        let parallel = [IteratorKind::Parallel; 2];
        let dims = [0, 1].as_slice();
        let so_far = (carried[0], dims);
        let sum = code.generic(&parallel, &[(next, dims)], so_far, |code, elements| {
            code.computed("arith.addf", &[elements[1], elements[0]])
        });
        vec![sum, code.with_slice(sum, carried[1], &offsets, &sizes)]
    })[1]
}

/// Sorts a row of a matrix: parts of 1, 2, 4, ... elements are merged in pairs, to a list and back to the row.
///
/// Input and output: the rows, and the list of the length of a row.
fn sorted<'c, 'a>(
    code: Builder<'c, 'a>,
    row: Value<'c, 'a>,
    length: u64,
    tensors: &[Value<'c, 'a>],
) -> Vec<Value<'c, 'a>> {
    let doublings = u64::from(length.next_power_of_two().ilog2());
    let range = [0, doublings.div_ceil(2), 1].map(|it| code.index(it));
    let carried = [tensors[0], tensors[1], code.index(1)];
    let length = code.index(length);
    let mut results = code.for_each(range, &carried, &[], |code, _, carried| {
        let (rows, list, width) = (carried[0], carried[1], carried[2]);
        let of_row = |code: Builder<'c, 'a>, at| code.extract(rows, &[row, at]);
        let list = merged(code, [length, width], list, of_row, |at| vec![at]);
        let width = code.computed("arith.addi", &[width, width]);
        let of_list = |code: Builder<'c, 'a>, at| code.extract(list, &[at]);
        let rows = merged(code, [length, width], rows, of_list, |at| vec![row, at]);
        vec![rows, list, code.computed("arith.addi", &[width, width])]
    });
    results.truncate(2);
    results
}

/// Merges each two neighboring parts of a width, which are in order, into one of twice the width. `read` gives an element
/// of what is merged, and `place` the indices of an element of the tensor that gets the result.
fn merged<'c, 'a>(
    code: Builder<'c, 'a>,
    [length, width]: [Value<'c, 'a>; 2],
    to: Value<'c, 'a>,
    read: impl Fn(Builder<'c, 'a>, Value<'c, 'a>) -> Value<'c, 'a>,
    place: impl Fn(Value<'c, 'a>) -> Vec<Value<'c, 'a>>,
) -> Value<'c, 'a> {
    let both = code.computed("arith.addi", &[width, width]);
    let range = [code.index(0), length, both];
    code.for_each(range, &[to], &[], |code, low, to| {
        let end = |width| {
            let end = code.computed("arith.addi", &[low, width]);
            code.computed("arith.minui", &[end, length])
        };
        let (middle, high) = (end(width), end(both));
        let range = [low, high, code.index(1)];
        let merged = code.for_each(range, &[to[0], low, middle], &[], |code, at, carried| {
            let (left, right) = (carried[1], carried[2]);
            // Past the end of a part, any element will do.
            let last = code.computed("arith.subi", &[length, code.index(1)]);
            let [x, y] =
                [left, right].map(|at| read(code, code.computed("arith.minui", &[at, last])));
            let is_used_up = code.compare(SGE, [left, middle]);
            let is_left = code.compare(SLT, [right, high]);
            // Equal elements keep their order, and a NaN is larger than all numbers.
            let is_number = code.compare(OEQ, [y, y]);
            let is_less = code.computed("arith.andi", &[code.compare(UGT, [x, y]), is_number]);
            let is_next = code.computed("arith.ori", &[is_used_up, is_less]);
            let is_right = code.computed("arith.andi", &[is_left, is_next]);
            let select = |yes, no| code.computed("arith.select", &[is_right, yes, no]);
            let to = insert(code, select(y, x), carried[0], &place(at));
            vec![to, select(left, code.plus(left, 1)), select(code.plus(right, 1), right)]
        });
        vec![merged[0]]
    })[0]
}

fn insert<'c, 'a>(
    code: Builder<'c, 'a>,
    number: Value<'c, 'a>,
    tensor: Value<'c, 'a>,
    indices: &[Value<'c, 'a>],
) -> Value<'c, 'a> {
    code.value("tensor.insert", &[&[number, tensor], indices].concat(), tensor.r#type(), &[])
}
