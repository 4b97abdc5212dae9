//! The shapes of results, from the shapes of operands: the rules of the language that the verifier and shape
//! inference share.
//!
//! Input: an operation whose attributes and types are verified. Output: the shape of its result, or None if it does
//! not follow yet, or an error that a Toy program can have. Operations with rules of their own (calls, casts,
//! structs, reshapes and literals) are not for this module.
//!
//! Element types: [`elements`]. Parts of tensors: [`parts`].

pub mod elements;
pub mod parts;

use crate::dialect::control::{self, IndexUse, Reduction};
use crate::dialect::evaluate::{Evaluated, axis_of, evaluate, whole};
use crate::dialect::ops::{Kind, source};
use crate::dialect::shape::{
    Element, MAX_RANK, MAX_TENSOR_BYTES, Shape, TensorType, product, shape_of,
};
use crate::dialect::table::ShapeRule;
use crate::dialect::{constant_errors, shape_errors};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};
use mlir_support::{Located, constants, ir};
use toy_diagnostics::Diagnostic;

/// None: it does not follow yet, or the operation has no tensor as its result.
pub type Inferred = Found<Shape>;

/// None: it does not follow yet.
pub type Found<T> = Result<Option<T>, Box<Diagnostic>>;

/// The maximum length of a `toy.range`: it is stored with the program.
pub const MAX_RANGE: u64 = 1 << 24;

/// The shape of the result of an operation.
pub fn result_shape(at: Located, kind: Kind) -> Inferred {
    elements::common(at, kind)?;
    let inferred = match kind.definition().shape {
        ShapeRule::Written => Ok(None),
        ShapeRule::ElementWise => element_wise(at),
        ShapeRule::OfOperand => Ok(operand_shape(*at, 0)),
        ShapeRule::Transposed => Ok(axes(at)?.map(|(axes, shape)| shape.permuted(&axes))),
        ShapeRule::Product => matmul(at),
        ShapeRule::Reduced => Ok(reduced(*at)),
        ShapeRule::ReducedAxis => {
            let along = axis(at)?;
            Ok(along.map(|(axis, shape)| after_reduction(*at, &shape, axis)))
        }
        ShapeRule::Read => parts::read(at),
        ShapeRule::Update => parts::update(at),
        ShapeRule::List => list(at),
        ShapeRule::Sizes => sizes(at),
        ShapeRule::AlongAxis => along_axis(at),
        ShapeRule::Range => Ok(count(at)?.map(|count| Shape(vec![count]))),
        ShapeRule::Axis => axis(at).map(|_| None),
        ShapeRule::Truth => {
            let what = control::what(*at);
            scalar(at, 0, &format!("the {what}")).map(|()| None)
        }
        ShapeRule::Index => index(at).map(|_| None),
    }?;
    match inferred {
        Some(shape) if shape.0.len() > MAX_RANK => {
            Err(constant_errors::too_many_dimensions(at, shape.0.len()).into())
        }
        Some(shape) if !typed(at, kind, shape.clone()).fits() => {
            let ty = typed(at, kind, shape);
            Err(constant_errors::too_large(at, &ty, MAX_TENSOR_BYTES).into())
        }
        inferred => Ok(inferred),
    }
}

/// The type of the result that has a shape.
pub fn typed(at: Located, kind: Kind, shape: Shape) -> TensorType {
    TensorType { element: elements::of_result(at, kind), shape }
}

fn element_wise(at: Located) -> Inferred {
    let shapes: Vec<_> = (0..at.operand_count()).map(|place| operand_shape(*at, place)).collect();
    let known: Vec<_> =
        shapes.iter().enumerate().filter_map(|(place, it)| Some((place, it.as_ref()?))).collect();
    for (index, second) in known.iter().enumerate() {
        if let Some(first) = known[..index].iter().find(|first| first.1.misfit(second.1).is_some())
        {
            let pair = [*first, *second];
            return Err(shape_errors::shape_mismatch(at, pair).into());
        }
    }
    if shapes.contains(&None) {
        return Ok(None);
    }
    let mut all = known.iter().map(|(_, shape)| *shape);
    Ok(all.try_fold(Shape::default(), |all, shape| all.broadcast(shape)))
}

fn matmul(at: Located) -> Inferred {
    let (Some(lhs), Some(rhs)) = (operand_shape(*at, 0), operand_shape(*at, 1)) else {
        return Ok(None);
    };
    match product(&lhs, &rhs) {
        Some(shape) => Ok(Some(shape)),
        None => Err(shape_errors::product(at, &lhs, &rhs).into()),
    }
}

/// The shape of a `toy.reduce`, whose axis the verifier has seen.
fn reduced(operation: OperationRef) -> Option<Shape> {
    let shape = operand_shape(operation, 0);
    match control::axis(operation) {
        Some(axis) => shape.map(|shape| after_reduction(operation, &shape, axis)),
        None if keeps_all(operation) => Some(Shape(vec![shape?.element_count()?])),
        None if control::keeps(operation) => shape.map(|shape| Shape(vec![1; shape.0.len()])),
        None => Some(Shape(Vec::new())),
    }
}

fn keeps_all(operation: OperationRef) -> bool {
    control::reduction(operation).is_some_and(Reduction::keeps_all)
}

/// The shape after a reduction along an axis, or after an operation that keeps all elements.
fn after_reduction(operation: OperationRef, shape: &Shape, axis: usize) -> Shape {
    match keeps_all(operation) {
        true => shape.clone(),
        false => without_axis(shape, axis, control::keeps(operation)),
    }
}

/// The shape after the reduction of an axis, which is gone or of size 1.
fn without_axis(shape: &Shape, axis: usize, keep: bool) -> Shape {
    let mut dims = shape.0.clone();
    let end = dims.len().min(axis + 1);
    dims.splice(axis.min(end)..end, keep.then_some(1));
    Shape(dims)
}

/// The dimension of the operand of a `toy.transpose` for each of the result, and the operand's shape.
pub fn axes(at: Located) -> Found<(Vec<usize>, Shape)> {
    let numbers = (1..at.operand_count())
        .map(|place| constant(at, place, "the axis"))
        .collect::<Result<Vec<_>, _>>()?;
    let (Some(shape), Some(numbers)) =
        (operand_shape(*at, 0), numbers.into_iter().collect::<Option<Vec<_>>>())
    else {
        return Ok(None);
    };
    if numbers.is_empty() {
        let known = control::permutation(*at).filter(|it| it.len() == shape.0.len());
        return Ok(known.map(|permutation| (permutation, shape)));
    }
    let mut dims = Vec::new();
    for number in numbers {
        match axis_of(number, shape.0.len()) {
            Some(dim) => dims.push(dim),
            None => return Err(constant_errors::axis(at, number, &shape).into()),
        }
    }
    if dims.len() != shape.0.len() || !control::is_permutation(&dims) {
        return Err(constant_errors::axes(at, &dims, &shape).into());
    }
    Ok(Some((dims, shape)))
}

/// The axis that the second operand of a `toy.shape` or `toy.reduce_axis` names, and the shape that has it.
pub fn axis(at: Located) -> Found<(usize, Shape)> {
    let Some(number) = constant(at, 1, "the axis")? else { return Ok(None) };
    let Some(shape) = operand_shape(*at, 0) else { return Ok(None) };
    match axis_of(number, shape.0.len()) {
        Some(axis) => Ok(Some((axis, shape))),
        None => Err(constant_errors::axis(at, number, &shape).into()),
    }
}

/// The shape of a list: its own dimensions, and those of its elements, which have one shape.
fn list(at: Located) -> Inferred {
    let shapes: Vec<_> = at.operands().map(|it| shape_of(source(it).r#type())).collect();
    let first = shapes.iter().position(Option::is_some);
    let Some(first) = first.and_then(|at| Some((at, shapes[at].as_ref()?))) else {
        return Ok(None);
    };
    let has_dims = at.has_attribute("dims");
    for (place, shape) in shapes.iter().enumerate() {
        if let Some(shape) = shape
            && (shape != first.1 || !has_dims && !shape.0.is_empty())
        {
            let pair = [first, (place, shape)];
            return Err(shape_errors::elements(at, pair).into());
        }
    }
    let dims = control::list_dims(*at).filter(|_| !shapes.contains(&None));
    Ok(dims.map(|dims| Shape([dims.0, first.1.0.clone()].concat())))
}

/// The shape that the sizes of a `toy.reshape_to` are.
fn sizes(at: Located) -> Inferred {
    let from = operand_shape(*at, 0);
    let is_open = control::is_open(*at);
    let (mut dims, mut open) = (Vec::new(), None);
    for place in 1..at.operand_count() {
        let Some(size) = constant(at, place, "a size")? else { return Ok(None) };
        match whole(size) {
            Some(size @ 1..) => dims.push(size as u64),
            Some(-1) if is_open && open.is_none() => {
                open = Some(place - 1);
                dims.push(1);
            }
            _ => return Err(constant_errors::size(at, size).into()),
        }
    }
    let mut to = Shape(dims);
    if let Some(open) = open {
        let Some(from) = &from else { return Ok(None) };
        let (count, others) = (from.element_count(), to.element_count());
        match (count, others) {
            (Some(count), Some(others)) if count.is_multiple_of(others) => {
                to.0[open] = count / others
            }
            _ => return Err(shape_errors::not_divisible(at, from, others).into()),
        }
    }
    match from {
        Some(from) if !from.reshapes_to(&to) => {
            Err(shape_errors::element_count(at, &from, &to).into())
        }
        _ => Ok(Some(to)),
    }
}

/// The shape of a `toy.join`.
fn along_axis(at: Located) -> Inferred {
    let shapes: Vec<_> = at.operands().skip(1).map(|it| shape_of(source(it).r#type())).collect();
    let Some(number) = constant(at, 0, "the axis")? else { return Ok(None) };
    let Some(first) = shapes.first().cloned().flatten() else { return Ok(None) };
    let Some(axis) = axis_of(number, first.0.len()) else {
        return Err(constant_errors::axis(at, number, &first).into());
    };
    let mut joined = first.clone();
    for (place, shape) in shapes.iter().enumerate().skip(1) {
        let Some(shape) = shape else { return Ok(None) };
        let fits = shape.0.len() == first.0.len()
            && without_axis(shape, axis, false) == without_axis(&first, axis, false);
        if !fits {
            let pair = [(1, &first), (place + 1, shape)];
            return Err(shape_errors::not_joined(at, axis, pair).into());
        }
        joined.0[axis] = joined.0[axis].saturating_add(shape.0[axis]);
    }
    Ok(Some(joined))
}

/// The length of a `toy.range`.
pub fn count(at: Located) -> Found<u64> {
    let what = "the argument of `range`";
    let Some(number) = constant(at, 0, what)? else { return Ok(None) };
    match whole(number).and_then(|count| u64::try_from(count).ok()) {
        Some(count @ 1..=MAX_RANGE) => Ok(Some(count)),
        Some(count @ 1..) => {
            let ty = Shape(vec![count]).into();
            let limit = MAX_RANGE * Element::DEFAULT.bytes();
            let diagnostic = constant_errors::too_large(at, &ty, limit);
            Err(diagnostic.note("the numbers of a `range` are stored with the program").into())
        }
        None if !number.is_finite() => {
            Err(constant_errors::step(at, constant_errors::NO_NEXT).into())
        }
        _ => Err(constant_errors::count(at, number).into()),
    }
}

/// The number of the operand at a place, which has to be a constant; None if that does not follow yet.
fn constant(at: Located, place: usize, what: &str) -> Found<f64> {
    scalar(at, place, what)?;
    let Ok(operand) = at.operand(place) else { return Ok(None) };
    match evaluate(operand) {
        Evaluated::Number(number) => Ok(Some(number)),
        Evaluated::Open => Ok(None),
        Evaluated::Runtime(value) => Err(constant_errors::not_constant(at, what, value).into()),
    }
}

/// Checks that an operand is a scalar, if its shape is known.
fn scalar(at: Located, place: usize, what: &str) -> Result<(), Box<Diagnostic>> {
    match operand_shape(*at, place) {
        Some(shape) if !shape.0.is_empty() => {
            Err(constant_errors::not_a_scalar(at, place, what, &shape).into())
        }
        _ => Ok(()),
    }
}

/// The index that a `toy.to_index` makes, if it is known; checks that it is an index.
pub fn index(at: Located) -> Found<i64> {
    let purpose = control::index_use(*at);
    let what = match purpose {
        Some(IndexUse::Bound) => "a bound of a range",
        Some(IndexUse::Step) => "the step of a range",
        _ => "an index",
    };
    scalar(at, 0, what)?;
    let operand = at.operand(0).ok();
    let Some(Evaluated::Number(number)) = operand.map(evaluate) else { return Ok(None) };
    match whole(number) {
        None => Err(constant_errors::not_whole(at, purpose, number).into()),
        Some(0) if purpose == Some(IndexUse::Step) => {
            Err(constant_errors::step(at, "the loop would never end").into())
        }
        whole => Ok(whole),
    }
}

/// The value of an index, if it is known before the program runs.
pub fn index_value(value: Value) -> Option<i64> {
    let operation = ir::defining_operation(value)?;
    if Kind::of(&operation) == Some(Kind::ToIndex) {
        return match evaluate(operation.operand(0).ok()?) {
            Evaluated::Number(number) => whole(number),
            _ => None,
        };
    }
    constants::index(value)
}

/// The shape of an operand, if it is known.
pub fn operand_shape(operation: OperationRef, place: usize) -> Option<Shape> {
    shape_of(operation.operand(place).ok()?.r#type())
}
