//! The shapes of parts of tensors, as `toy.read` and `toy.update` choose them.

use super::{Inferred, index_value, operand_shape};
use crate::dialect::control::{self, Given, Subscript};
use crate::dialect::evaluate::{Evaluated, evaluate};
use crate::dialect::ops::Kind;
use crate::dialect::shape::{Shape, shape_of};
use crate::dialect::{constant_errors, part_errors};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};
use mlir_support::{Locations, ir};
use toy_diagnostics::Diagnostic;

/// The shape of the part that a `toy.read` reads.
pub fn read(operation: OperationRef, locations: &Locations) -> Inferred {
    part(operation, locations)
}

/// The shape of the result of a `toy.update`: the tensor's. The value has the shape of the part, or is stretched to it.
pub fn update(operation: OperationRef, locations: &Locations) -> Inferred {
    let part = part(operation, locations)?;
    if let (Some(part), Some(value)) = (part, operand_shape(operation, 0))
        && !value.fills(&part)
    {
        return Err(part_errors::update(operation, &value, &part, locations).into());
    }
    Ok(operand_shape(operation, 1))
}

/// The shape of the part that the subscripts choose.
fn part(operation: OperationRef, locations: &Locations) -> Inferred {
    let (Some(tensor), Some(subscripts)) =
        (control::subscripted(operation), control::subscripts(operation))
    else {
        return Ok(None);
    };
    let whole = shape_of(tensor.r#type());
    if let Some(whole) = &whole
        && whole.0.len() < subscripts.len()
    {
        let count = subscripts.len();
        return Err(part_errors::subscripts(operation, whole, count, locations).into());
    }
    let mut indices = control::indices(operation).into_iter();
    let mut dims = Vec::new();
    let mut is_known = true;
    for (place, subscript) in subscripts.iter().enumerate() {
        let size = whole.as_ref().map(|whole| whole.0[place]);
        match subscript {
            Subscript::At => {
                let Some(index) = indices.next() else { return Ok(None) };
                if let (Some(value), Some(size)) = (index_value(index), size)
                    && !is_within(value, 1, size)
                {
                    let index = Some(index);
                    return Err(part_errors::index(operation, index, value, size, locations).into());
                }
            }
            Subscript::Nth(at) => {
                if let Some(size) = size.filter(|size| nth(*at, *size).is_none()) {
                    return Err(part_errors::index(operation, None, *at, size, locations).into());
                }
            }
            Subscript::Slice(low, high, step) => {
                let Some(count) = count(*low, *high, *step) else { return Ok(None) };
                let last = low + step * (count as i64 - 1);
                if let Some(size) = size.filter(|size| !is_within(*low.max(&last), 1, *size)) {
                    let range = format!("{low}:{high}");
                    return Err(part_errors::range(operation, &range, Some(size), locations).into());
                }
                dims.push(count);
            }
            Subscript::Range(given) => {
                let values = bounds(operation, *given, &mut indices, locations)?;
                match (values, size) {
                    (Some(values), Some(size)) => {
                        let (low, high, step) = absolute(values, size).map_err(|is_out| {
                            range_error(operation, values, is_out.then_some(size), locations)
                        })?;
                        dims.extend(count(low, high, step));
                    }
                    _ => is_known = false,
                }
            }
            Subscript::Window | Subscript::Sized(_) => {
                let Some(start) = indices.next() else { return Ok(None) };
                let length = match subscript {
                    Subscript::Sized(length) => Some(*length),
                    _ => bound(operation, indices.next(), locations)?,
                };
                let Some(length) = length else {
                    is_known = false;
                    continue;
                };
                let start = index_value(start);
                let is_in = |size| is_within(start.unwrap_or(0), length, size);
                let out = size.filter(|size| length > 0 && !is_in(*size));
                if length < 1 || out.is_some() {
                    let range = match start {
                        Some(start) => format!("{start}:{}", start.saturating_add(length)),
                        None => format!("of length {length}"),
                    };
                    return Err(part_errors::range(operation, &range, out, locations).into());
                }
                dims.push(length as u64);
            }
        }
    }
    Ok(whole.filter(|_| is_known).map(|whole| {
        dims.extend(&whole.0[subscripts.len()..]);
        Shape(dims)
    }))
}

/// True if `count` elements from an index on are within a dimension.
fn is_within(first: i64, count: i64, size: u64) -> bool {
    let end = first.checked_add(count).and_then(|end| u64::try_from(end).ok());
    first >= 0 && end.is_some_and(|end| end <= size)
}

/// An index that counts from the end if it is negative.
pub fn nth(at: i64, size: u64) -> Option<u64> {
    let at = if at < 0 { at.checked_add_unsigned(size)? } else { at };
    u64::try_from(at).ok().filter(|at| *at < size)
}

/// The number of elements of a range that is counted from 0; None if there are none.
pub fn count(low: i64, high: i64, step: i64) -> Option<u64> {
    let (distance, step) = if step < 0 {
        (low.checked_sub(high)?, step.checked_neg()?)
    } else {
        (high.checked_sub(low)?, step)
    };
    (distance > 0 && step > 0).then(|| (distance as u64).div_ceil(step as u64))
}

/// The parts of a range, as far as they are given.
type Parts = [Option<i64>; 3];

/// A range counted from 0, in a dimension of a size. An error is true if the range is out of range, and false if it
/// is empty.
fn absolute([from, to, step]: Parts, size: u64) -> Result<(i64, i64, i64), bool> {
    let (size, step) = (size as i64, step.unwrap_or(1));
    let from_end = |at: i64| if at < 0 { at + size } else { at };
    let (first, end) = if step < 0 { (size - 1, -1) } else { (0, size) };
    let (low, high) = (from.map_or(first, from_end), to.map_or(end, from_end));
    let highest = if step < 0 { size - 1 } else { size };
    if low < 0 || low > highest || high < -1 || high > size || to.is_some() && high < 0 {
        return Err(true);
    }
    let Some(count) = count(low, high, step) else { return Err(false) };
    // The step from the only element does not matter.
    Ok(if count == 1 { (low, low + 1, 1) } else { (low, high, step) })
}

/// The error of a range whose parts are known.
fn range_error(
    operation: OperationRef,
    [from, to, step]: Parts,
    size: Option<u64>,
    locations: &Locations,
) -> Diagnostic {
    if step == Some(0) {
        return constant_errors::slice_step(operation, locations);
    }
    let part = |part: Option<i64>| part.map(|part| part.to_string()).unwrap_or_default();
    let step = step.map(|step| format!(":{step}")).unwrap_or_default();
    let range = format!("{}:{}{step}", part(from), part(to));
    part_errors::range(operation, &range, size, locations)
}

/// The parts of a range, the next operands, which have to be constants; None if one does not follow yet.
fn bounds<'c, 'a>(
    operation: OperationRef,
    given: Given,
    indices: &mut impl Iterator<Item = Value<'c, 'a>>,
    locations: &Locations,
) -> Result<Option<Parts>, Box<Diagnostic>>
where
    'c: 'a,
{
    let mut parts = [None; 3];
    let mut is_known = true;
    for (part, _) in parts.iter_mut().zip(given).filter(|(_, given)| *given) {
        *part = bound(operation, indices.next(), locations)?;
        is_known &= part.is_some();
    }
    Ok(is_known.then_some(parts))
}

/// The value of a bound of a range of elements, which has to be a constant; None if that does not follow yet.
fn bound(
    operation: OperationRef,
    bound: Option<Value>,
    locations: &Locations,
) -> Result<Option<i64>, Box<Diagnostic>> {
    let Some(bound) = bound else { return Ok(None) };
    if let Some(value) = index_value(bound) {
        return Ok(Some(value));
    }
    let converted = ir::defining_operation(bound).filter(|op| Kind::of(op) == Some(Kind::ToIndex));
    let runtime = match converted.and_then(|op| op.operand(0).ok()).map(evaluate) {
        // A number that is not whole: the error of the conversion.
        Some(Evaluated::Number(_) | Evaluated::Open) => return Ok(None),
        Some(Evaluated::Runtime(value)) => value,
        None => bound,
    };
    let what = constant_errors::SLICE_BOUND;
    Err(constant_errors::not_constant(operation, what, runtime, locations).into())
}

/// The bounds of the ranges among the subscripts of an operation, as attributes, and the indices that are left; None
/// if one of them is not known.
pub fn resolved<'c, 'a>(
    operation: OperationRef<'c, 'a>,
) -> Option<(Vec<Subscript>, Vec<Value<'c, 'a>>)> {
    let whole = shape_of(control::subscripted(operation)?.r#type())?;
    let mut indices = control::indices(operation).into_iter();
    let mut left = Vec::new();
    let mut resolved = Vec::new();
    for (place, subscript) in control::subscripts(operation)?.into_iter().enumerate() {
        resolved.push(match subscript {
            Subscript::At | Subscript::Sized(_) => {
                left.push(indices.next()?);
                subscript
            }
            Subscript::Nth(_) | Subscript::Slice(..) => subscript,
            Subscript::Window => {
                let (start, length) = (indices.next()?, index_value(indices.next()?)?);
                match index_value(start) {
                    Some(start) => Subscript::Slice(start, start + length, 1),
                    None => {
                        left.push(start);
                        Subscript::Sized(length)
                    }
                }
            }
            Subscript::Range(given) => {
                let mut parts = [None; 3];
                for (part, _) in parts.iter_mut().zip(given).filter(|(_, given)| *given) {
                    *part = Some(index_value(indices.next()?)?);
                }
                let (low, high, step) = absolute(parts, *whole.0.get(place)?).ok()?;
                Subscript::Slice(low, high, step)
            }
        });
    }
    Some((resolved, left))
}

/// True if every index of a `toy.read` or `toy.update` is known to be in range.
pub fn is_in_range(operation: OperationRef) -> bool {
    let is_in = || {
        let whole = shape_of(control::subscripted(operation)?.r#type())?;
        let mut indices = control::indices(operation).into_iter();
        for (place, subscript) in control::subscripts(operation)?.into_iter().enumerate() {
            match subscript {
                Subscript::At | Subscript::Sized(_) => {
                    let count = if let Subscript::Sized(count) = subscript { count } else { 1 };
                    let first = index_value(indices.next()?)?;
                    is_within(first, count, *whole.0.get(place)?).then_some(())?;
                }
                Subscript::Nth(_) | Subscript::Slice(..) => {}
                Subscript::Range(_) | Subscript::Window => return None,
            }
        }
        Some(())
    };
    debug_assert!(matches!(Kind::of(&operation), Some(Kind::Read | Kind::Update)));
    is_in().is_some()
}
