//! Sums, products, maxima and minima, in the order of additions of the language, and what is made of them.
//!
//! Each becomes one `linalg.generic` with reduction iterators, so that fusion computes its operand in the same loop:
//!
//! | along | order |
//! |---|---|
//! | all elements, or the last axis | element `k` goes to partial result `k mod 8`; then the eight in order |
//! | another axis | row after row |
//!
//! The first order is not that of linalg: the operation that combines two results carries the attribute
//! [`PARTIAL_RESULTS`], which fusion copies with the body, and [`crate::stages::memref::reductions`] makes loops of such
//! operations. Element `k` is the k-th one in the order of the iterators.
//!
//! Sums start at 0, the others at the value that changes nothing: 1 for a product, minus or plus infinity for a maximum
//! or minimum, with which the first element is the result. Products with a vector are sums of the first kind
//! ([`super::products`]). A mean is a sum, divided. The index of a maximum is the first one of an element that equals it,
//! or if it is NaN, of a NaN: a minimum of indices.

use super::element_wise::{converted, mapped};
use super::scans;
use super::shapes::reshape;
use crate::dialect::control::{self, Reduction};
use crate::dialect::ops;
use crate::dialect::shape::{Element as Number, element_of_type, element_type, shape_of};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, Type, Value, ValueLike};
use mlir_support::builder::{Builder, Indexed, OEQ, Offset, UNE, element, tensor_type};
use mlir_support::ir;
use mlir_support::linalg::{Generic, IteratorKind};

/// The number of partial results.
pub const LANES: u64 = 8;

/// Marks the operation that combines two results, if there are [`LANES`] partial results.
pub const PARTIAL_RESULTS: &str = "toyc.partial_results";

/// The next result in the body of an operation with partial results; None for any other operation.
pub fn combined<'c, 'a>(generic: &Generic<'c, 'a>) -> Option<Value<'c, 'a>> {
    let combined = ir::operand(ir::block_operations(generic.body).pop()?, 0);
    ir::defining_operation(combined).filter(|it| it.has_attribute(PARTIAL_RESULTS))?;
    Some(combined)
}

/// The initial value of a reduction. The kinds that are not here are made of others.
fn start(kind: Reduction) -> f64 {
    match kind {
        Reduction::Prod => 1.0,
        Reduction::Max => f64::NEG_INFINITY,
        Reduction::Min => f64::INFINITY,
        _ => 0.0,
    }
}

/// The next result.
fn step<'c, 'a>(
    code: Builder<'c, 'a>,
    kind: Reduction,
    so_far: Value<'c, 'a>,
    element: Value<'c, 'a>,
) -> Value<'c, 'a> {
    let name = match kind {
        Reduction::Prod => "arith.mulf",
        Reduction::Max => "arith.maximumf",
        Reduction::Min => "arith.minimumf",
        _ => "arith.addf",
    };
    code.computed(name, &[so_far, element])
}

/// The next sum of products: rounded once, where [`step`] would add a rounded product.
pub fn fused<'c, 'a>(
    code: Builder<'c, 'a>,
    so_far: Value<'c, 'a>,
    factors: &[Value<'c, 'a>],
) -> Value<'c, 'a> {
    code.computed("math.fma", &[factors[0], factors[1], so_far])
}

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
    let count: u64 = axis.map_or(shape.iter().product(), |axis| shape[axis]);
    Some(match kind {
        Reduction::Mean => {
            let sum = along(code, Reduction::Sum, operand, &shape, axis);
            let count = code.float(element(operand), count as f64);
            mapped(code, sum, sum.r#type(), |code, sum| code.computed("arith.divf", &[sum, count]))
        }
        Reduction::ArgMax | Reduction::ArgMin => {
            let best = if kind == Reduction::ArgMax { Reduction::Max } else { Reduction::Min };
            // Places are exact, whatever the elements are. Those that are numbers of the elements' type are as fast.
            let number = element_of_type(element(operand)).unwrap_or_default();
            let is_exact = (count as f64) < number.exact();
            let number = if is_exact { number } else { Number::DEFAULT };
            let places = place(code, (best, number), operand, &shape, axis);
            if number == Number::DEFAULT {
                return Some(places);
            }
            let wide = element_type(code.context, Number::DEFAULT);
            let ty = tensor_type(wide, &shape_of(places.r#type())?.0);
            mapped(code, places, ty, |code, place| converted(code, place, Number::DEFAULT))
        }
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
    let dims: Vec<_> = (0..shape.len()).collect();
    let Some(axis) = axis.filter(|axis| axis + 1 != shape.len()) else {
        if shape.is_empty() {
            let start = code.float(number, start(kind));
            return code.scalar(step(code, kind, start, code.element_of(operand)));
        }
        let kept = &shape[..axis.unwrap_or(0)];
        let next = |code, so_far, element: &[_]| step(code, kind, so_far, element[0]);
        return rows(code, (kind, number), (kept, shape.len()), &[(operand, &dims)], next);
    };
    let rest = without(shape, axis);
    let destination = code.filled(tensor_type(number, &rest), code.float(number, start(kind)));
    let mut iterators = vec![IteratorKind::Parallel; shape.len()];
    iterators[axis] = IteratorKind::Reduction;
    let others: Vec<_> = dims.iter().copied().filter(|dim| *dim != axis).collect();
    code.generic(&iterators, &[(operand, &dims)], (destination, &others), |code, elements| {
        step(code, kind, elements[1], elements[0])
    })
}

/// Reduces all dimensions of an iteration but the outer ones, whose sizes are given, through partial results. `next`
/// computes the next result from the one so far and the elements of the inputs.
pub fn rows<'c, 'a>(
    code: Builder<'c, 'a>,
    (kind, number): (Reduction, Type<'c>),
    (kept, rank): (&[u64], usize),
    inputs: &[Indexed<'c, 'a, '_>],
    next: impl FnOnce(Builder<'c, 'a>, Value<'c, 'a>, &[Value<'c, 'a>]) -> Value<'c, 'a>,
) -> Value<'c, 'a> {
    let destination = code.filled(tensor_type(number, kept), code.float(number, start(kind)));
    let mut iterators = vec![IteratorKind::Parallel; kept.len()];
    iterators.resize(rank, IteratorKind::Reduction);
    let dims: Vec<_> = (0..kept.len()).collect();
    code.generic(&iterators, inputs, (destination, &dims), |code, elements| {
        let (so_far, elements) = elements.split_last().expect("the destination's");
        let combined = next(code, *so_far, elements);
        let combines = ir::defining_operation(combined).expect("an operation");
        ir::set_attribute(combines, PARTIAL_RESULTS, code.unit());
        combined
    })
}

/// The index, as a number, of the first element that is the largest or the smallest, or of the first NaN.
fn place<'c, 'a>(
    code: Builder<'c, 'a>,
    (kind, number): (Reduction, Number),
    operand: Value<'c, 'a>,
    shape: &[u64],
    axis: Option<usize>,
) -> Value<'c, 'a> {
    let number = element_type(code.context, number);
    let best = along(code, kind, operand, shape, axis);
    // The place of a zero does not depend on its sign.
    let largest = ir::defining_operation(best).and_then(Generic::of);
    if let Some(next) = largest.and_then(|it| combined(&it)) {
        relax(code, next, "nsz");
    }
    let is_best = |code: Builder<'c, 'a>, element, best| {
        let is_equal = code.compare(OEQ, [element, best]);
        let is_nan = code.compare(UNE, [element, element]);
        code.computed("arith.ori", &[is_equal, is_nan])
    };
    let as_number = |code: Builder<'c, 'a>, index| {
        let integer = code.value("arith.index_cast", &[index], code.i64_type(), &[]);
        code.value("arith.sitofp", &[integer], number, &[])
    };
    let dims: Vec<_> = (0..shape.len()).collect();
    let Some(axis) = axis.filter(|axis| axis + 1 != shape.len()) else {
        if shape.is_empty() {
            return code.scalar(code.float(number, 0.0));
        }
        let none = code.float(number, start(Reduction::Min));
        let kept = axis.unwrap_or(0);
        let inputs = [(operand, dims.as_slice()), (best, &dims[..kept])];
        let (sizes, kind) = ((&shape[..kept], shape.len()), (Reduction::Min, number));
        return rows(code, kind, sizes, &inputs, |code, so_far, elements| {
            let is_best = is_best(code, elements[0], elements[1]);
            let at = place_in_row(code, kept, shape);
            let place = code.computed("arith.select", &[is_best, as_number(code, at), none]);
            let first = step(code, kind.0, so_far, place);
            // Places are not NaN, and none is -0.
            relax(code, first, "nnan, nsz");
            first
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

/// Lets a maximum or minimum leave out what it need not do: fewer instructions give the same bits.
fn relax<'c>(code: Builder<'c, '_>, value: Value<'c, '_>, flags: &str) {
    let flags = Attribute::parse(code.context, &format!("#arith.fastmath<{flags}>"));
    let operation = ir::defining_operation(value).expect("an operation");
    ir::set_attribute(operation, "fastmath", flags.expect("flags of arith"));
}

/// In a body: the index of the element among those of the dimensions that are not kept, in their order.
fn place_in_row<'c, 'a>(code: Builder<'c, 'a>, kept: usize, shape: &[u64]) -> Value<'c, 'a> {
    let index = |dim: usize| {
        let attributes = [("dim", code.number(dim as i64))];
        code.value("linalg.index", &[], Type::index(code.context), &attributes)
    };
    (kept + 1..shape.len()).fold(index(kept), |at, dim| {
        let before = code.computed("arith.muli", &[at, code.index(shape[dim])]);
        code.computed("arith.addi", &[before, index(dim)])
    })
}

fn without(shape: &[u64], axis: usize) -> Vec<u64> {
    let mut rest = shape.to_vec();
    rest.remove(axis);
    rest
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
        fused(code, elements[2], &elements[..2])
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
