//! Sums, products, maxima and minima, in the order of additions of the language, and what is made of them.
//!
//! | along | order |
//! |---|---|
//! | all elements, or the last axis | element `k` goes to partial result `k mod 8`; then the eight in order |
//! | another axis | row after row |
//!
//! Sums start at 0, the others at the value that changes nothing: 1 for a product, minus or plus infinity for a maximum
//! or minimum, with which the first element is the result. Products with a vector are sums of the first kind
//! ([`super::products`]). A mean is a sum, divided. The index of a maximum is the first one of an element that equals it,
//! or if it is NaN, of a NaN: a minimum of indices.

use super::partial_results::{LANES, fused, lanes, start, step};
use super::scans;
use super::shapes::reshape;
use crate::dialect::control::{self, Reduction};
use crate::dialect::ops;
use crate::dialect::shape::shape_of;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Type, Value, ValueLike};
use mlir_support::builder::{Builder, OEQ, Offset, UNE, element, tensor_type};
use mlir_support::linalg::IteratorKind;

/// The number of neighboring rows that are reduced together.
const ROWS: u64 = 4;

/// A matrix with at least this many elements is divided into parts, and one row of each is reduced together: 4 parts
/// if it does not fit into any cache, 2 if it does not fit into the cache of one core.
const PARTS: [(u64, u64); 2] = [(1 << 21, 4), (1 << 18, 2)];

/// Lowers a `toy.reduce`.
pub fn lower<'c, 'a>(
    code: Builder<'c, 'a>,
    operation: OperationRef<'c, 'a>,
) -> Option<Value<'c, 'a>> {
    let kind = control::reduction(operation)?;
    if kind.keeps_all() {
        return scans::lower(code, operation, kind);
    }
    let (result, ty) = (reduced(code, operation)?, ops::result(operation).r#type());
    Some(match shape_of(result.r#type())?.0.is_empty() && control::keeps(operation) {
        // A reshape would fill the shape with the number.
        true => code.value("tensor.from_elements", &[code.element_of(result)], ty, &[]),
        false => reshape(code, result, ty),
    })
}

/// The result without what is reduced.
fn reduced<'c, 'a>(
    code: Builder<'c, 'a>,
    operation: OperationRef<'c, 'a>,
) -> Option<Value<'c, 'a>> {
    let (kind, operand) = (control::reduction(operation)?, operation.operand(0).ok()?);
    let shape = shape_of(operand.r#type())?.0;
    let axis = control::axis(operation);
    Some(match kind {
        Reduction::Mean => {
            let count = axis.map_or(shape.iter().product(), |axis| shape[axis]);
            let sum = along(code, Reduction::Sum, operand, &shape, axis);
            let count = code.float(element(operand), count as f64);
            mapped(code, sum, |code, sum| code.computed("arith.divf", &[sum, count]))
        }
        Reduction::ArgMax => place(code, Reduction::Max, operand, &shape, axis),
        Reduction::ArgMin => place(code, Reduction::Min, operand, &shape, axis),
        _ => along(code, kind, operand, &shape, axis),
    })
}

/// Reduces all elements, or those along an axis.
fn along<'c, 'a>(
    code: Builder<'c, 'a>,
    kind: Reduction,
    operand: Value<'c, 'a>,
    shape: &[u64],
    axis: Option<usize>,
) -> Value<'c, 'a> {
    let number = element(operand);
    let Some(axis) = axis.filter(|axis| axis + 1 != shape.len()) else {
        return inner_dimensions(code, kind, operand, shape, axis.unwrap_or(0), |_, it, _| it);
    };
    let rest = without(shape, axis);
    let destination = code.filled(tensor_type(number, &rest), code.float(number, start(kind)));
    let mut iterators = vec![IteratorKind::Parallel; shape.len()];
    iterators[axis] = IteratorKind::Reduction;
    let dims: Vec<_> = (0..shape.len()).collect();
    let others: Vec<_> = dims.iter().copied().filter(|dim| *dim != axis).collect();
    let inputs = [(operand, dims.as_slice())];
    code.generic(&iterators, &inputs, (destination, &others), |code, elements| {
        step(code, kind, elements[1], elements[0])
    })
}

/// The index of the first element that is the largest or the smallest, or of the first NaN.
fn place<'c, 'a>(
    code: Builder<'c, 'a>,
    kind: Reduction,
    operand: Value<'c, 'a>,
    shape: &[u64],
    axis: Option<usize>,
) -> Value<'c, 'a> {
    let number = element(operand);
    let best = along(code, kind, operand, shape, axis);
    let is_best = |code: Builder<'c, 'a>, element, best| {
        let is_equal = code.compare(OEQ, [element, best]);
        let is_nan = code.compare(UNE, [element, element]);
        code.computed("arith.ori", &[is_equal, is_nan])
    };
    let as_number = |code: Builder<'c, 'a>, index| {
        let integer = code.value("arith.index_cast", &[index], code.i64_type(), &[]);
        code.value("arith.sitofp", &[integer], number, &[])
    };
    let Some(axis) = axis.filter(|axis| axis + 1 != shape.len()) else {
        let Some(kept) = axis.or((!shape.is_empty()).then_some(0)) else {
            return code.scalar(code.float(number, 0.0));
        };
        let none = code.float(number, start(Reduction::Min));
        let best_of_all = (kept == 0).then(|| code.element_of(best));
        let best = match kept {
            0 | 1 => best,
            _ => code.regrouped(best, &[(0..kept).collect()], &[shape[..kept].iter().product()]),
        };
        let kind = Reduction::Min;
        return inner_dimensions(code, kind, operand, shape, kept, |code, element, [row, at]| {
            let best = best_of_all.unwrap_or_else(|| code.extract(best, &[row]));
            let is_best = is_best(code, element, best);
            code.computed("arith.select", &[is_best, as_number(code, at), none])
        });
    };
    let rest = without(shape, axis);
    let zeros = code.filled(tensor_type(number, &rest), code.float(number, 0.0));
    let range = [0, shape[axis], 1].map(|it| code.index(it));
    // The last ones first: the first one stays.
    code.for_each(range, &[zeros], &[], |code, from_last, places| {
        let at = code.computed("arith.subi", &[code.index(shape[axis] - 1), from_last]);
        let mut offsets = vec![Offset::Known(0); shape.len()];
        let mut sizes = shape.to_vec();
        (offsets[axis], sizes[axis]) = (Offset::At(at), 1);
        let part = code.slice(operand, &offsets, &sizes, &rest);
        let at = as_number(code, at);
        let dims: Vec<_> = (0..rest.len()).collect();
        let iterators = vec![IteratorKind::Parallel; rest.len()];
        let inputs = [(part, dims.as_slice()), (best, &dims)];
        vec![code.generic(&iterators, &inputs, (places[0], &dims), |code, elements| {
            let is_best = is_best(code, elements[0], elements[1]);
            code.computed("arith.select", &[is_best, at, elements[2]])
        })]
    })[0]
}

/// A tensor with a function of each element.
fn mapped<'c, 'a>(
    code: Builder<'c, 'a>,
    tensor: Value<'c, 'a>,
    function: impl Fn(Builder<'c, 'a>, Value<'c, 'a>) -> Value<'c, 'a>,
) -> Value<'c, 'a> {
    let rank = shape_of(tensor.r#type()).map_or(0, |shape| shape.0.len());
    if rank == 0 {
        return code.scalar(function(code, code.element_of(tensor)));
    }
    let dims: Vec<_> = (0..rank).collect();
    let (iterators, empty) = (vec![IteratorKind::Parallel; rank], code.empty(tensor.r#type()));
    let inputs = [(tensor, dims.as_slice())];
    code.generic(&iterators, &inputs, (empty, &dims), |code, elements| function(code, elements[0]))
}

fn without(shape: &[u64], axis: usize) -> Vec<u64> {
    let mut rest = shape.to_vec();
    rest.remove(axis);
    rest
}

/// Reduces all dimensions but some outer ones: none of them are kept, or all but the last one. `term` makes of each
/// element, in a row and at a place of it, what is reduced.
fn inner_dimensions<'c, 'a>(
    code: Builder<'c, 'a>,
    kind: Reduction,
    operand: Value<'c, 'a>,
    shape: &[u64],
    kept: usize,
    term: impl Fn(Builder<'c, 'a>, Value<'c, 'a>, [Value<'c, 'a>; 2]) -> Value<'c, 'a>,
) -> Value<'c, 'a> {
    if shape.is_empty() {
        let number = code.element_of(operand);
        let start = code.float(number.r#type(), start(kind));
        return code.scalar(step(code, kind, start, number));
    }
    let (outer, inner) = shape.split_at(kept);
    let count = inner.iter().product();
    if outer.is_empty() {
        let row = match shape.len() {
            1 => operand,
            rank => code.regrouped(operand, &[(0..rank).collect()], &[count]),
        };
        let kind = (kind, element(row));
        let results = lanes(code, kind, [1, count], |code, _, at| {
            [term(code, code.extract(row, &[at]), [at, at])]
        });
        return code.scalar(results[0]);
    }
    let rows = rows_of(code, operand, shape);
    let size = [outer.iter().product(), count];
    let results = each_row(code, (kind, element(rows)), size, |code, row, at| {
        [term(code, code.extract(rows, &[row, at]), [row, at])]
    });
    with_shape(code, results, outer)
}

/// A tensor with all dimensions but the last one in one.
pub fn rows_of<'c, 'a>(
    code: Builder<'c, 'a>,
    tensor: Value<'c, 'a>,
    shape: &[u64],
) -> Value<'c, 'a> {
    let Some((count, outer)) = shape.split_last().filter(|(_, outer)| outer.len() > 1) else {
        return tensor;
    };
    let groups = [(0..outer.len()).collect(), vec![outer.len()]];
    code.regrouped(tensor, &groups, &[outer.iter().product(), *count])
}

/// A vector with another shape of at least one dimension.
fn with_shape<'c, 'a>(
    code: Builder<'c, 'a>,
    vector: Value<'c, 'a>,
    shape: &[u64],
) -> Value<'c, 'a> {
    match shape.len() {
        1 => vector,
        rank => code.regrouped(vector, &[(0..rank).collect()], shape),
    }
}

/// Reduces each row of a matrix of these sizes; several of them at a time, because the partial results of one row
/// wait for each other. `element` computes an element, or two factors.
pub fn each_row<'c, 'a, const N: usize>(
    code: Builder<'c, 'a>,
    (kind, number): (Reduction, Type<'c>),
    [rows, count]: [u64; 2],
    element: impl Fn(Builder<'c, 'a>, Value<'c, 'a>, Value<'c, 'a>) -> [Value<'c, 'a>; N],
) -> Value<'c, 'a> {
    let ty = tensor_type(number, &[rows]);
    let Together { offsets, part, step } = Together::of(kind, rows, count);
    let results = code.empty(ty);
    let range = [0, part, step].map(|it| code.index(it));
    code.for_each(range, &[results], &[], |code, first, results| {
        // The last ones once more, if fewer are left.
        let first = match part % step {
            0 => first,
            _ => code.computed("arith.minui", &[first, code.index(part - step)]),
        };
        let together = offsets.len() as u64;
        let rows: Vec<_> = offsets.iter().map(|offset| code.plus(first, *offset)).collect();
        let numbers = lanes(code, (kind, number), [together, count], |code, row, at| {
            element(code, rows[row as usize], at)
        });
        let insert = |results, (number, row): (Value<'c, 'a>, &Value<'c, 'a>)| {
            code.value("tensor.insert", &[number, results, *row], ty, &[])
        };
        vec![numbers.into_iter().zip(&rows).fold(results[0], insert)]
    })[0]
}

/// Rows that are reduced together.
struct Together {
    /// From the first of them.
    offsets: Vec<u64>,
    /// The first ones are those up to this row, in steps.
    part: u64,
    step: u64,
}

impl Together {
    /// Neighbors, where a cache is near. Distant memory is read fastest as a few long streams: there, each of the
    /// rows together is from another part of the matrix.
    fn of(kind: Reduction, rows: u64, count: u64) -> Self {
        if count < LANES || rows == 1 {
            return Self { offsets: vec![0], part: rows, step: 1 };
        }
        let elements = rows.saturating_mul(count);
        let parts = PARTS.iter().find(|(least, _)| elements >= *least).map(|(_, parts)| *parts);
        // A step of a maximum looks for a NaN, too, and takes longer than an addition.
        let parts = parts.map(|parts| if matches!(kind, Reduction::Sum) { parts } else { ROWS });
        let is_worth =
            |parts: &u64| count >= 4 * LANES && (rows >= 4 * parts || rows.is_multiple_of(*parts));
        if let Some(parts) = parts.filter(is_worth) {
            // The parts have one size: they overlap in a row that is reduced twice, if the rows are not a multiple.
            let part = rows.div_ceil(parts);
            let offsets = (0..parts).map(|at| at * (rows - part) / (parts - 1)).collect();
            return Self { offsets, part, step: 1 };
        }
        let together = rows.min(ROWS);
        Self { offsets: (0..together).collect(), part: rows, step: together }
    }
}

/// The sum of products of two elements each.
pub fn dot<'c, 'a>(
    code: Builder<'c, 'a>,
    number: Type<'c>,
    count: u64,
    elements: impl Fn(Builder<'c, 'a>, Value<'c, 'a>) -> [Value<'c, 'a>; 2],
) -> Value<'c, 'a> {
    lanes(code, (Reduction::Sum, number), [1, count], |code, _, at| elements(code, at))[0]
}

/// The product of a vector and a matrix, one of which is each input: the products of row `k` of the matrix go to partial
/// sum `k mod 8`, and then the eight are added in order.
pub fn interleaved_rows<'c, 'a>(
    code: Builder<'c, 'a>,
    (rows, columns): (u64, u64),
    inputs: [Value<'c, 'a>; 2],
) -> Value<'c, 'a> {
    let is_vector = |value: Value| shape_of(value.r#type()).is_some_and(|it| it.0.len() == 1);
    let part = |input: Value<'c, 'a>, from: u64, count: u64| match is_vector(input) {
        true => code.slice(input, &[Offset::Known(from)], &[count], &[count]),
        false => {
            let sizes = [count, columns];
            code.slice(input, &[Offset::Known(from), Offset::Known(0)], &sizes, &sizes)
        }
    };
    let add = |code: Builder<'c, 'a>, elements: &[Value<'c, 'a>]| {
        fused(code, elements[2], [elements[0], elements[1]])
    };
    let number = element(inputs[0]);
    let zero = code.float(number, 0.0);
    let mut partial = code.filled(tensor_type(number, &[LANES, columns]), zero);
    let whole = rows / LANES * LANES;
    if whole > 0 {
        let chunks = whole / LANES;
        let inputs: Vec<(Value, &[usize])> = inputs
            .iter()
            .map(|input| {
                let input = if whole == rows { *input } else { part(*input, 0, whole) };
                if is_vector(input) {
                    let shape = [chunks, LANES];
                    (code.regrouped(input, &[vec![0, 1]], &shape), [0, 1].as_slice())
                } else {
                    let shape = [chunks, LANES, columns];
                    (code.regrouped(input, &[vec![0, 1], vec![2]], &shape), [0, 1, 2].as_slice())
                }
            })
            .collect();
        let iterators = [IteratorKind::Reduction, IteratorKind::Parallel, IteratorKind::Parallel];
        partial = code.generic(&iterators, &inputs, (partial, &[1, 2]), add);
    }
    let rest = rows - whole;
    if rest > 0 {
        let inputs: Vec<(Value, &[usize])> = inputs
            .iter()
            .map(|input| (part(*input, whole, rest), if is_vector(*input) { 0 } else { 1 }))
            .map(|(input, kind)| (input, [[0].as_slice(), [0, 1].as_slice()][kind]))
            .collect();
        let (offsets, sizes) = ([Offset::Known(0); 2], [rest, columns]);
        let some = code.slice(partial, &offsets, &sizes, &sizes);
        let some = code.generic(&[IteratorKind::Parallel; 2], &inputs, (some, &[0, 1]), add);
        partial = code.with_slice(some, partial, &offsets, &sizes);
    }
    // Adding the first one to -0 gives the same bits.
    let sums = code.filled(tensor_type(number, &[columns]), code.float(number, -0.0));
    let iterators = [IteratorKind::Reduction, IteratorKind::Parallel];
    code.generic(&iterators, &[(partial, &[0, 1])], (sums, &[1]), |code, elements| {
        code.computed("arith.addf", &[elements[1], elements[0]])
    })
}
