//! Makes values that follow from shapes part of the program: the sizes that it asks for, ranges of numbers, axes, and
//! the bounds of ranges of elements.
//!
//! Input: an operation without an error, whose operands have known shapes. Output: the same value by an operation with
//! the result: `toy.constant` for a size, `toy.reduce` with an axis, `toy.read` with bounds, `arith.constant`.

use super::Specializer;
use crate::dialect::control::{self, Subscript};
use crate::dialect::evaluate::{Evaluated, evaluate};
use crate::dialect::inference::{self, parts};
use crate::dialect::ops::{self, Kind, ToyBuilder};
use crate::dialect::shape::{Element, TensorType, shape_of, tensor_type, type_of};
use crate::dialect::shape_errors;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Type, Value, ValueLike};
use mlir_support::{Builder, Located, constants, ir};
use toy_diagnostics::Diagnostic;

impl<'c, 'a> Specializer<'c, 'a> {
    /// Replaces an operation by its result, if that is found.
    pub(super) fn fold(&mut self, operation: OperationRef<'c, 'a>, kind: Kind) {
        let (at, code) = (self.locations.at(operation), Builder::before(self.context, operation));
        let found = match kind {
            Kind::Convert => {
                let operand = operation.operand(0).ok().zip(control::element(operation));
                match operand.map(|(operand, element)| known(at, code, operand, element)) {
                    Some(Err(diagnostic)) => {
                        self.report(*diagnostic);
                        None
                    }
                    known => known.and_then(Result::ok).flatten(),
                }
            }
            Kind::Shape => size(at, code),
            Kind::Range => range(at, code),
            Kind::ReduceAxis => reduction(at, code),
            Kind::Transpose => transposed(at, code),
            Kind::ReshapeTo => reshaped(at, code),
            Kind::Read | Kind::Update => part(at, code),
            Kind::ToIndex => inference::index(at).ok().flatten().map(|index| {
                self.session.load_dialects(&["arith"]);
                code.integer(Type::index(self.context), index)
            }),
            _ => None,
        };
        let Some(found) = found else { return };
        let operands: Vec<Value> = operation.operands().collect();
        ir::replace_all_uses(ops::result(operation), found);
        ir::erase(operation);
        operands.into_iter().for_each(erase_index);
    }
}

/// A value with its elements converted.
pub(super) fn converted<'c, 'a>(
    at: Located<'_, 'c, 'a>,
    code: Builder<'c, 'a>,
    operand: Value<'c, 'a>,
    element: Element,
) -> Result<Value<'c, 'a>, Box<Diagnostic>> {
    Ok(known(at, code, operand, element)?.unwrap_or_else(|| {
        let ty = TensorType { element, shape: shape_of(operand.r#type()).unwrap_or_default() };
        let attribute = ("element", code.text(element.name()));
        code.typed(Kind::Convert, &[operand], tensor_type(code.context, &ty), &[attribute])
    }))
}

/// The same, if there is nothing to compute when the program runs; an error for a constant that is too large.
fn known<'c, 'a>(
    at: Located<'_, 'c, 'a>,
    code: Builder<'c, 'a>,
    operand: Value<'c, 'a>,
    element: Element,
) -> Result<Option<Value<'c, 'a>>, Box<Diagnostic>> {
    let Some(mut ty) = type_of(operand.r#type()) else { return Ok(None) };
    if ty.element == element {
        return Ok(Some(operand));
    }
    let is_too_large = |number: &f64| number.is_finite() && element.nearest(*number).is_infinite();
    let error = |number| Err(shape_errors::too_large_number(at, number, element).into());
    if let Evaluated::Number(number) = evaluate(operand)
        && is_too_large(&number)
    {
        return error(number);
    }
    let constant = ir::defined_by(operand, Kind::Constant.name());
    let value = constant.and_then(|constant| ops::attribute(&constant, "value"));
    let count = ty.shape.element_count().and_then(|count| usize::try_from(count).ok());
    let Some(numbers) = value.zip(count).and_then(|(value, count)| ir::dense_floats(value, count))
    else {
        return Ok(None);
    };
    if let Some(number) = numbers.iter().find(|number| is_too_large(number)) {
        return error(*number);
    }
    ty.element = element;
    let ty = tensor_type(code.context, &ty);
    Ok(Some(code.toy_constant(ty, ir::dense(ty, &numbers))))
}

fn size<'c, 'a>(at: Located<'_, 'c, 'a>, code: Builder<'c, 'a>) -> Option<Value<'c, 'a>> {
    let Evaluated::Number(size) = evaluate(ops::result(*at)) else { return None };
    Some(code.scalar_constant(size))
}

/// Its numbers are written when it is lowered: a program that is only checked does without.
fn range<'c, 'a>(at: Located<'_, 'c, 'a>, code: Builder<'c, 'a>) -> Option<Value<'c, 'a>> {
    let is_known = ir::defining_operation(at.operand(0).ok()?)
        .is_some_and(|definition| Kind::of(&definition) == Some(Kind::Constant));
    let count = inference::count(at).ok()?.filter(|_| !is_known)?;
    let count = code.scalar_constant(count as f64);
    Some(code.typed(Kind::Range, &[count], ops::result(*at).r#type(), &[]))
}

fn reduction<'c, 'a>(at: Located<'_, 'c, 'a>, code: Builder<'c, 'a>) -> Option<Value<'c, 'a>> {
    let (axis, _) = inference::axis(at).ok()??;
    let mut attributes = vec![("axis", code.number(axis as i64))];
    for name in ["kind", "keep"] {
        attributes.extend(ops::attribute(&*at, name).map(|value| (name, value)));
    }
    let operand = at.operand(0).ok()?;
    Some(code.typed(Kind::Reduce, &[operand], ops::result(*at).r#type(), &attributes))
}

fn transposed<'c, 'a>(at: Located<'_, 'c, 'a>, code: Builder<'c, 'a>) -> Option<Value<'c, 'a>> {
    if at.operand_count() == 1 {
        return None;
    }
    let (axes, _) = inference::axes(at).ok()??;
    let (operand, result) = (at.operand(0).ok()?, ops::result(*at).r#type());
    let transpose = control::transpose(code.context, code.location, operand, &axes, result);
    Some(ops::result(code.insert(transpose)))
}

/// Once the operand's shape is known, too, so that the two have been compared.
fn reshaped<'c, 'a>(at: Located<'_, 'c, 'a>, code: Builder<'c, 'a>) -> Option<Value<'c, 'a>> {
    let (operand, result) = (at.operand(0).ok()?, ops::result(*at).r#type());
    let is_known = shape_of(operand.r#type()).is_some() && shape_of(result).is_some();
    is_known.then(|| code.typed(Kind::Reshape, &[operand], result, &[]))
}

/// A `toy.read` or `toy.update` with ranges whose bounds are operands.
fn part<'c, 'a>(at: Located<'_, 'c, 'a>, code: Builder<'c, 'a>) -> Option<Value<'c, 'a>> {
    if !control::subscripts(*at)?.iter().any(Subscript::is_open) {
        return None;
    }
    let (subscripts, indices) = parts::resolved(at)?;
    let before = at.operand_count() - control::indices(*at).len();
    let operands: Vec<Value> = at.operands().take(before).chain(indices).collect();
    let attribute = control::subscripts_attribute(code, &subscripts);
    let result = ops::result(*at).r#type();
    Some(code.value(ir::name(&*at), &operands, result, &[attribute]))
}

/// Erases an index that was only there for a range of elements.
fn erase_index(value: Value) {
    if let Some(definition) = ir::defining_operation(value)
        && constants::index(value).is_some()
        && !ir::has_uses(value)
    {
        ir::erase(definition);
    }
}
