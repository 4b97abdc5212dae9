//! The shapes of parts of tensors, as `toy.read` and `toy.update` choose them.

use super::{Inferred, index_value, operand_shape};
use crate::dialect::control::{self, Subscript};
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
                    && !u64::try_from(value).is_ok_and(|value| value < size)
                {
                    let at = (index, value, size);
                    return Err(part_errors::index(operation, at, locations).into());
                }
            }
            Subscript::Slice(low, high) => {
                dims.push(sliced(operation, (*low, *high), size, locations)?);
            }
            Subscript::Range => {
                let (low, high) = (indices.next(), indices.next());
                match bound(operation, low, locations)?.zip(bound(operation, high, locations)?) {
                    Some(bounds) => dims.push(sliced(operation, bounds, size, locations)?),
                    None => is_known = false,
                }
            }
        }
    }
    Ok(whole.filter(|_| is_known).map(|whole| {
        dims.extend(&whole.0[subscripts.len()..]);
        Shape(dims)
    }))
}

/// The number of elements from one bound to the other; `size` is the dimension's size, if it is known.
fn sliced(
    operation: OperationRef,
    (low, high): (i64, i64),
    size: Option<u64>,
    locations: &Locations,
) -> Result<u64, Box<Diagnostic>> {
    let is_in =
        |bound: i64| u64::try_from(bound).is_ok_and(|at| size.is_none_or(|size| at <= size));
    if low >= high || !is_in(low) || !is_in(high) {
        return Err(part_errors::range(operation, (low, high), size, locations).into());
    }
    Ok((high - low) as u64)
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
    let what = "a bound of a range of elements";
    Err(constant_errors::not_constant(operation, what, runtime, locations).into())
}

/// The bounds of the ranges among the subscripts of an operation, as attributes, and the indices that are left; None
/// if one of them is not known.
pub fn resolved<'c, 'a>(
    operation: OperationRef<'c, 'a>,
) -> Option<(Vec<Subscript>, Vec<Value<'c, 'a>>)> {
    let mut indices = control::indices(operation).into_iter();
    let mut left = Vec::new();
    let mut resolved = Vec::new();
    for subscript in control::subscripts(operation)? {
        resolved.push(match subscript {
            Subscript::At => {
                left.push(indices.next()?);
                subscript
            }
            Subscript::Slice(..) => subscript,
            Subscript::Range => {
                Subscript::Slice(index_value(indices.next()?)?, index_value(indices.next()?)?)
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
                Subscript::At => {
                    let value = u64::try_from(index_value(indices.next()?)?).ok()?;
                    (value < *whole.0.get(place)?).then_some(())?;
                }
                Subscript::Slice(..) => {}
                Subscript::Range => return None,
            }
        }
        Some(())
    };
    debug_assert!(matches!(Kind::of(&operation), Some(Kind::Read | Kind::Update)));
    is_in().is_some()
}
