//! The shapes of parts of tensors, as `toy.read` and `toy.update` choose them.

use super::{Found, Inferred, index_value, operand_shape};
use crate::dialect::constant_errors::NO_NEXT;
use crate::dialect::control::{self, Subscript};
use crate::dialect::evaluate::{Evaluated, evaluate};
use crate::dialect::ops::Kind;
use crate::dialect::shape::{Shape, shape_of};
use crate::dialect::{constant_errors, part_errors};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};
use mlir_support::{Located, ir};
use toy_diagnostics::Diagnostic;

/// The shape of the result of a `toy.update`: the tensor's. The value has the shape of the part, or is stretched to it.
pub fn update(at: Located) -> Inferred {
    let part = read(at)?;
    if let (Some(part), Some(value)) = (part, operand_shape(*at, 0))
        && !value.fills(&part)
    {
        return Err(part_errors::update(at, &value, &part).into());
    }
    Ok(operand_shape(*at, 1))
}

/// The shape of the part that the subscripts of a `toy.read` or `toy.update` choose.
pub fn read(at: Located) -> Inferred {
    let (Some(tensor), Some(subscripts)) = (control::subscripted(*at), control::indexed(*at))
    else {
        return Ok(None);
    };
    let whole = shape_of(tensor.r#type());
    if let Some(whole) = &whole
        && whole.0.len() < subscripts.len()
    {
        return Err(part_errors::subscripts(at, whole, subscripts.len()).into());
    }
    let (mut dims, mut is_known) = (Vec::new(), true);
    for (place, (subscript, indices)) in subscripts.iter().enumerate() {
        let size = whole.as_ref().map(|whole| whole.0[place]);
        match closed(at, *subscript, indices, size)? {
            Some(subscript) => dims.extend(elements(at, subscript, indices.first(), size)?),
            None => is_known = false,
        }
    }
    Ok(whole.filter(|_| is_known).map(|whole| {
        dims.extend(&whole.0[subscripts.len()..]);
        Shape(dims)
    }))
}

/// A subscript without operands that have to be constants; None if one does not follow yet.
fn closed(
    at: Located,
    subscript: Subscript,
    indices: &[Value],
    size: Option<u64>,
) -> Found<Subscript> {
    Ok(match (subscript, indices) {
        (Subscript::Window, [start, length]) => {
            bound(at, *length)?.map(|length| match index_value(*start) {
                Some(start) => Subscript::Slice(start, start.saturating_add(length), 1),
                None => Subscript::Sized(length),
            })
        }
        (Subscript::Range(given), _) => {
            let (mut parts, mut is_known) = ([None; 3], true);
            let places = (0..3).filter(|place| given[*place]);
            for (place, index) in places.zip(indices) {
                parts[place] = bound(at, *index)?;
                is_known &= parts[place].is_some();
            }
            let Some(size) = size.filter(|_| is_known) else { return Ok(None) };
            let (low, high, step) = absolute(parts, size)
                .map_err(|is_out| range_error(at, parts, is_out.then_some(size)))?;
            Some(Subscript::Slice(low, high, step))
        }
        _ => Some(subscript),
    })
}

/// The number of elements that a subscript chooses in a dimension that is kept, or None where one is dropped; an error
/// if they are known not to be there.
fn elements(
    at: Located,
    subscript: Subscript,
    index: Option<&Value>,
    size: Option<u64>,
) -> Found<u64> {
    let (range, [first, last], count) = match subscript {
        Subscript::Slice(low, high, step) => {
            let count = count(low, high, step).unwrap_or(0);
            let last = low.saturating_add(step.saturating_mul(count as i64 - 1));
            (format!("{low}:{high}"), [low.min(last), low.max(last)], count)
        }
        Subscript::Sized(count) => {
            let first = index.and_then(|index| index_value(*index));
            let range = match first {
                Some(first) => format!("{first}:{}", first.saturating_add(count)),
                None => format!("of length {count}"),
            };
            let first = first.unwrap_or(0);
            let last = first.saturating_add(count - 1);
            (range, [first, last], u64::try_from(count).unwrap_or(0))
        }
        Subscript::Nth(number) => {
            let out = size.filter(|size| nth(number, *size).is_none());
            return match out {
                Some(size) => Err(part_errors::index(at, None, number, size).into()),
                None => Ok(None),
            };
        }
        _ => {
            let number = index.and_then(|index| index_value(*index));
            let out = number.zip(size).filter(|(number, size)| !is_within(*number, 1, *size));
            return match out {
                Some((number, size)) => {
                    Err(part_errors::index(at, index.copied(), number, size).into())
                }
                None => Ok(None),
            };
        }
    };
    let is_in = |size| first >= 0 && is_within(last, 1, size);
    let out = size.filter(|size| count > 0 && !is_in(*size));
    if count == 0 || out.is_some() {
        return Err(part_errors::range(at, &range, out).into());
    }
    Ok(Some(count))
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
fn range_error(at: Located, [from, to, step]: Parts, size: Option<u64>) -> Diagnostic {
    if step == Some(0) {
        return constant_errors::step(at, NO_NEXT);
    }
    let part = |part: Option<i64>| part.map(|part| part.to_string()).unwrap_or_default();
    let step = step.map(|step| format!(":{step}")).unwrap_or_default();
    part_errors::range(at, &format!("{}:{}{step}", part(from), part(to)), size)
}

/// The value of a bound of a range of elements, which has to be a constant; None if that does not follow yet.
fn bound(at: Located, bound: Value) -> Found<i64> {
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
    Err(constant_errors::not_constant(at, constant_errors::SLICE_BOUND, runtime).into())
}

/// The bounds of the ranges among the subscripts of an operation, as attributes, and the indices that are left; None
/// if one of them is not known.
pub fn resolved<'c, 'a>(at: Located<'_, 'c, 'a>) -> Option<(Vec<Subscript>, Vec<Value<'c, 'a>>)> {
    let whole = shape_of(control::subscripted(*at)?.r#type())?;
    let (mut subscripts, mut left) = (Vec::new(), Vec::new());
    for ((subscript, indices), size) in control::indexed(*at)?.into_iter().zip(whole.0) {
        let subscript = closed(at, subscript, &indices, Some(size)).ok()??;
        left.extend(indices.into_iter().take(subscript.operands()));
        subscripts.push(subscript);
    }
    Some((subscripts, left))
}

/// True if every index of a `toy.read` or `toy.update` is known to be in range.
pub fn is_in_range(operation: OperationRef) -> bool {
    debug_assert!(matches!(Kind::of(&operation), Some(Kind::Read | Kind::Update)));
    let is_in =
        |index, count, size| index_value(index).is_some_and(|first| is_within(first, count, size));
    let all_are_in = || {
        let whole = shape_of(control::subscripted(operation)?.r#type())?;
        let subscripts = control::indexed(operation)?;
        if subscripts.len() > whole.0.len() {
            return None;
        }
        Some(subscripts.into_iter().zip(whole.0).all(|((subscript, indices), size)| {
            match (subscript, &indices[..]) {
                (Subscript::At, [index]) => is_in(*index, 1, size),
                (Subscript::Sized(count), [index]) => is_in(*index, count, size),
                _ => !subscript.is_open(),
            }
        }))
    };
    all_are_in() == Some(true)
}
