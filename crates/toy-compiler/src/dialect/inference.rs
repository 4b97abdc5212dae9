//! The shapes of results, from the shapes of operands: the rules of the language that the verifier and shape
//! inference share.
//!
//! Input: an operation whose attributes and types are verified. Output: the shape of its result, or None if it does
//! not follow yet, or an error that a Toy program can have. Operations with rules of their own (calls, casts,
//! structs, reshapes and literals) are not for this module.
//!
//! Parts of tensors: [`parts`].

pub mod parts;

use crate::dialect::control::{self, IndexUse, Reduction};
use crate::dialect::evaluate::{Evaluated, axis_of, evaluate, whole};
use crate::dialect::ops::{Kind, source};
use crate::dialect::shape::{
    MAX_RANK, MAX_TENSOR_BYTES, Shape, TensorType, product, shape_of, with_shape,
};
use crate::dialect::table::ShapeRule;
use crate::dialect::{constant_errors, shape_errors};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};
use mlir_support::{Locations, constants, func, ir};
use toy_diagnostics::Diagnostic;

/// None: it does not follow yet, or the operation has no tensor as its result.
pub type Inferred = Result<Option<Shape>, Box<Diagnostic>>;

/// The maximum length of a `toy.range`: it is stored with the program.
pub const MAX_RANGE: u64 = 1 << 24;

/// The shape of the result of an operation.
pub fn result_shape(operation: OperationRef, kind: Kind, locations: &Locations) -> Inferred {
    let inferred = match kind.definition().shape {
        ShapeRule::Written => Ok(None),
        ShapeRule::ElementWise => element_wise(operation, locations),
        ShapeRule::OfOperand => Ok(operand_shape(operation, 0)),
        ShapeRule::Transposed => {
            Ok(axes(operation, locations)?.map(|(axes, shape)| shape.permuted(&axes)))
        }
        ShapeRule::Product => matmul(operation, locations),
        ShapeRule::Reduced => Ok(reduced(operation)),
        ShapeRule::ReducedAxis => {
            let along = axis(operation, locations)?;
            Ok(along.map(|(axis, shape)| after_reduction(operation, &shape, axis)))
        }
        ShapeRule::Read => parts::read(operation, locations),
        ShapeRule::Update => parts::update(operation, locations),
        ShapeRule::List => list(operation, locations),
        ShapeRule::Sizes => sizes(operation, locations),
        ShapeRule::AlongAxis => along_axis(operation, locations),
        ShapeRule::Range => Ok(count(operation, locations)?.map(|count| Shape(vec![count]))),
        ShapeRule::Axis => axis(operation, locations).map(|_| None),
        ShapeRule::Truth => {
            let what = control::what(operation);
            scalar(operation, 0, &format!("the {what}"), locations).map(|()| None)
        }
        ShapeRule::Index => index(operation, locations).map(|_| None),
    }?;
    match inferred {
        Some(shape) if shape.0.len() > MAX_RANK => {
            Err(constant_errors::too_many_dimensions(operation, shape.0.len(), locations).into())
        }
        Some(shape) if !typed(operation, shape.clone()).fits() => {
            let ty = typed(operation, shape);
            Err(constant_errors::too_large(operation, &ty, MAX_TENSOR_BYTES, locations).into())
        }
        inferred => Ok(inferred),
    }
}

/// The type of the result that has a shape.
fn typed(operation: OperationRef, shape: Shape) -> TensorType {
    with_shape(func::result(operation).r#type(), shape)
}

fn element_wise(operation: OperationRef, locations: &Locations) -> Inferred {
    let shapes: Vec<_> =
        (0..operation.operand_count()).map(|place| operand_shape(operation, place)).collect();
    let known: Vec<_> =
        shapes.iter().enumerate().filter_map(|(place, it)| Some((place, it.as_ref()?))).collect();
    for (at, second) in known.iter().enumerate() {
        if let Some(first) = known[..at].iter().find(|first| first.1.misfit(second.1).is_some()) {
            let pair = [*first, *second];
            return Err(shape_errors::shape_mismatch(operation, pair, locations).into());
        }
    }
    if shapes.contains(&None) {
        return Ok(None);
    }
    let mut all = known.iter().map(|(_, shape)| *shape);
    Ok(all.try_fold(Shape::default(), |all, shape| all.broadcast(shape)))
}

fn matmul(operation: OperationRef, locations: &Locations) -> Inferred {
    let (Some(lhs), Some(rhs)) = (operand_shape(operation, 0), operand_shape(operation, 1)) else {
        return Ok(None);
    };
    match product(&lhs, &rhs) {
        Some(shape) => Ok(Some(shape)),
        None => Err(shape_errors::product(operation, &lhs, &rhs, locations).into()),
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
pub fn axes(
    operation: OperationRef,
    locations: &Locations,
) -> Result<Option<(Vec<usize>, Shape)>, Box<Diagnostic>> {
    let numbers = (1..operation.operand_count())
        .map(|place| constant(operation, place, "the axis", locations))
        .collect::<Result<Vec<_>, _>>()?;
    let (Some(shape), Some(numbers)) =
        (operand_shape(operation, 0), numbers.into_iter().collect::<Option<Vec<_>>>())
    else {
        return Ok(None);
    };
    if numbers.is_empty() {
        let known = control::permutation(operation).filter(|it| it.len() == shape.0.len());
        return Ok(known.map(|permutation| (permutation, shape)));
    }
    let mut dims = Vec::new();
    for number in numbers {
        match axis_of(number, shape.0.len()) {
            Some(dim) => dims.push(dim),
            None => return Err(constant_errors::axis(operation, number, &shape, locations).into()),
        }
    }
    if dims.len() != shape.0.len() || !control::is_permutation(&dims) {
        return Err(constant_errors::axes(operation, &dims, &shape, locations).into());
    }
    Ok(Some((dims, shape)))
}

/// The axis that the second operand of a `toy.shape` or `toy.reduce_axis` names, and the shape that has it.
pub fn axis(
    operation: OperationRef,
    locations: &Locations,
) -> Result<Option<(usize, Shape)>, Box<Diagnostic>> {
    let Some(number) = constant(operation, 1, "the axis", locations)? else { return Ok(None) };
    let Some(shape) = operand_shape(operation, 0) else { return Ok(None) };
    match axis_of(number, shape.0.len()) {
        Some(axis) => Ok(Some((axis, shape))),
        None => Err(constant_errors::axis(operation, number, &shape, locations).into()),
    }
}

/// The shape of a list: its own dimensions, and those of its elements, which have one shape.
fn list(operation: OperationRef, locations: &Locations) -> Inferred {
    let shapes: Vec<_> = operation.operands().map(|it| shape_of(source(it).r#type())).collect();
    let first = shapes.iter().position(Option::is_some);
    let Some(first) = first.and_then(|at| Some((at, shapes[at].as_ref()?))) else {
        return Ok(None);
    };
    let has_dims = operation.has_attribute("dims");
    for (at, shape) in shapes.iter().enumerate() {
        if let Some(shape) = shape
            && (shape != first.1 || !has_dims && !shape.0.is_empty())
        {
            let pair = [first, (at, shape)];
            return Err(shape_errors::elements(operation, pair, locations).into());
        }
    }
    let dims = control::list_dims(operation).filter(|_| !shapes.contains(&None));
    Ok(dims.map(|dims| Shape([dims.0, first.1.0.clone()].concat())))
}

/// The shape that the sizes of a `toy.reshape_to` are.
fn sizes(operation: OperationRef, locations: &Locations) -> Inferred {
    let from = operand_shape(operation, 0);
    let is_open = control::is_open(operation);
    let (mut dims, mut open) = (Vec::new(), None);
    for place in 1..operation.operand_count() {
        let Some(size) = constant(operation, place, "a size", locations)? else { return Ok(None) };
        match whole(size) {
            Some(size @ 1..) => dims.push(size as u64),
            Some(-1) if is_open && open.is_none() => {
                open = Some(place - 1);
                dims.push(1);
            }
            _ => return Err(constant_errors::size(operation, size, locations).into()),
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
            _ => return Err(shape_errors::not_divisible(operation, from, others, locations).into()),
        }
    }
    match from {
        Some(from) if !from.reshapes_to(&to) => {
            Err(shape_errors::element_count(operation, &from, &to, locations).into())
        }
        _ => Ok(Some(to)),
    }
}

/// The shape of a `toy.join`.
fn along_axis(operation: OperationRef, locations: &Locations) -> Inferred {
    let shapes: Vec<_> =
        operation.operands().skip(1).map(|it| shape_of(source(it).r#type())).collect();
    let Some(number) = constant(operation, 0, "the axis", locations)? else { return Ok(None) };
    let Some(first) = shapes.first().cloned().flatten() else { return Ok(None) };
    let Some(axis) = axis_of(number, first.0.len()) else {
        return Err(constant_errors::axis(operation, number, &first, locations).into());
    };
    let mut joined = first.clone();
    for (place, shape) in shapes.iter().enumerate().skip(1) {
        let Some(shape) = shape else { return Ok(None) };
        let fits = shape.0.len() == first.0.len()
            && without_axis(shape, axis, false) == without_axis(&first, axis, false);
        if !fits {
            let pair = [(1, &first), (place + 1, shape)];
            return Err(shape_errors::not_joined(operation, axis, pair, locations).into());
        }
        joined.0[axis] = joined.0[axis].saturating_add(shape.0[axis]);
    }
    Ok(Some(joined))
}

/// The length of a `toy.range`.
pub fn count(
    operation: OperationRef,
    locations: &Locations,
) -> Result<Option<u64>, Box<Diagnostic>> {
    let what = "the argument of `range`";
    let Some(number) = constant(operation, 0, what, locations)? else { return Ok(None) };
    match whole(number).and_then(|count| u64::try_from(count).ok()) {
        Some(count @ 1..=MAX_RANGE) => Ok(Some(count)),
        Some(count @ 1..) => {
            let ty = typed(operation, Shape(vec![count]));
            let limit = MAX_RANGE * ty.element.bytes();
            let diagnostic = constant_errors::too_large(operation, &ty, limit, locations);
            Err(diagnostic.note("the numbers of a `range` are stored with the program").into())
        }
        None if !number.is_finite() => {
            Err(constant_errors::slice_step(operation, locations).into())
        }
        _ => Err(constant_errors::count(operation, number, locations).into()),
    }
}

/// The number of the operand at a place, which has to be a constant; None if that does not follow yet.
fn constant(
    operation: OperationRef,
    place: usize,
    what: &str,
    locations: &Locations,
) -> Result<Option<f64>, Box<Diagnostic>> {
    scalar(operation, place, what, locations)?;
    let Ok(operand) = operation.operand(place) else { return Ok(None) };
    match evaluate(operand) {
        Evaluated::Number(number) => Ok(Some(number)),
        Evaluated::Open => Ok(None),
        Evaluated::Runtime(value) => {
            Err(constant_errors::not_constant(operation, what, value, locations).into())
        }
    }
}

/// Checks that an operand is a scalar, if its shape is known.
fn scalar(
    operation: OperationRef,
    place: usize,
    what: &str,
    locations: &Locations,
) -> Result<(), Box<Diagnostic>> {
    match operand_shape(operation, place) {
        Some(shape) if !shape.0.is_empty() => {
            Err(constant_errors::not_a_scalar(operation, place, what, &shape, locations).into())
        }
        _ => Ok(()),
    }
}

/// The index that a `toy.to_index` makes, if it is known; checks that it is an index.
pub fn index(
    operation: OperationRef,
    locations: &Locations,
) -> Result<Option<i64>, Box<Diagnostic>> {
    let purpose = control::index_use(operation);
    let what = match purpose {
        Some(IndexUse::Bound) => "a bound of a range",
        Some(IndexUse::Step) => "the step of a range",
        _ => "an index",
    };
    scalar(operation, 0, what, locations)?;
    let operand = operation.operand(0).ok();
    let Some(Evaluated::Number(number)) = operand.map(evaluate) else { return Ok(None) };
    match whole(number) {
        None => Err(constant_errors::not_whole(operation, purpose, number, locations).into()),
        Some(0) if purpose == Some(IndexUse::Step) => {
            Err(constant_errors::step(operation, locations).into())
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
