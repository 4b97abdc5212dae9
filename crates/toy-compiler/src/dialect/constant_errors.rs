//! Diagnostics about operands that have to be scalars, constants or indices.

use crate::dialect::control::IndexUse;
use crate::dialect::ops::Kind;
use crate::dialect::ops::origin;
use crate::dialect::shape::{MAX_RANK, Shape, TensorType};
use crate::dialect::shape_errors::{operand_label, primary};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};
use mlir_support::{Locations, ir};
use toy_diagnostics::{Diagnostic, codes, text};
use toy_syntax::builtins;

/// A bound of a range of elements in messages.
pub const SLICE_BOUND: &str = "a bound of a range of elements";

/// An operand that must be a scalar and is not; `what` is "the condition", say.
pub fn not_a_scalar(
    operation: OperationRef,
    place: usize,
    what: &str,
    shape: &Shape,
    locations: &Locations,
) -> Diagnostic {
    let message = format!("{what} must be a scalar, but it has shape {shape}");
    let diagnostic = Diagnostic::error(codes::NOT_A_NUMBER, message);
    let value = operation.operand(place).ok().map(origin);
    let diagnostic = at(diagnostic, operation, value, format!("this has shape {shape}"), locations);
    let made_by = value.and_then(ir::defining_operation).and_then(|made| Kind::of(&made));
    diagnostic.help(match what.split('`').nth(1) {
        Some("!") => {
            "for each element, write the opposite comparison, `x <= 1` for `!(x > 1)`, or `1 - c`; `any(...)` and \
             `all(...)` make a scalar"
        }
        Some("&&" | "||") => {
            "for each element, `(x > 0) * (x < 1)` is 1 where both hold, and `max(x < 0, x > 1)` where one holds; \
             `any(...)` and `all(...)` make a scalar"
        }
        _ if what.contains("condition") => {
            "`any(...)` is 1 if one element is not 0, `all(...)` if none is 0; to choose element by element, write \
             `where(c, a, b)`"
        }
        _ if made_by == Some(Kind::Compare) => {
            "`where(x > 1, x, 0)` has the elements for which the condition holds, and 0 elsewhere; to replace them, \
             write `x = where(x > 1, 0, x);`"
        }
        _ => "choose one element: `x[0]`",
    })
}

/// Something that must be a constant and depends on a value that is not.
pub fn not_constant(
    operation: OperationRef,
    what: &str,
    value: Value,
    locations: &Locations,
) -> Diagnostic {
    let message = format!("{what} must be a constant");
    let help = match what {
        SLICE_BOUND => {
            "`x[i:i + 3]` may start anywhere; where the length depends on values, use a loop, or mask all of it: \
             `where(range(shape(x, 0)) < n, x, 0)`"
                .to_owned()
        }
        _ => format!("a constant consists of {}", builtins::constants()),
    };
    let diagnostic = Diagnostic::error(codes::NOT_KNOWN, message);
    let why = "this is known only when the program runs".to_owned();
    at(diagnostic, operation, Some(value), why, locations).help(help)
}

pub fn axis(
    operation: OperationRef,
    number: f64,
    shape: &Shape,
    locations: &Locations,
) -> Diagnostic {
    let is_scalar = shape.0.is_empty();
    let of = if is_scalar { "a scalar".to_owned() } else { format!("a value of shape {shape}") };
    let diagnostic =
        Diagnostic::error(codes::BAD_AXIS, format!("{of} has no axis {}", text::number(number)));
    let axes = match shape.0.len() {
        0 => "a scalar has no axes".to_owned(),
        1 => "it has only the axis 0, which is also -1".to_owned(),
        2 => "its axes are 0 and 1, which are also -2 and -1".to_owned(),
        rank => format!("its axes are 0 to {}; -1 is the last one", rank - 1),
    };
    let diagnostic = primary(diagnostic, operation, axes, locations);
    match operation.operand(0) {
        Ok(operand) if !is_scalar => {
            operand_label(diagnostic, operation, operand, shape, locations)
        }
        _ => diagnostic,
    }
}

/// Axes of a `toy.transpose` that are not all of the dimensions, each once.
pub fn axes(
    operation: OperationRef,
    dims: &[usize],
    shape: &Shape,
    locations: &Locations,
) -> Diagnostic {
    let rank = text::counted(shape.0.len(), "dimension");
    let missing = (0..shape.0.len()).find(|dim| !dims.contains(dim));
    let twice = dims.iter().enumerate().find(|(at, dim)| dims[..*at].contains(dim));
    let problem = match (twice, missing) {
        (Some((_, dim)), _) => format!("axis {dim} is there twice"),
        (None, Some(dim)) => format!("axis {dim} is missing"),
        (None, None) => "there are more axes".to_owned(),
    };
    let message =
        format!("`transpose` of a value with {rank} names each of them once, but {problem}");
    let diagnostic = Diagnostic::error(codes::BAD_AXIS, message);
    let diagnostic = primary(diagnostic, operation, problem, locations);
    match operation.operand(0) {
        Ok(operand) => operand_label(diagnostic, operation, operand, shape, locations),
        Err(_) => diagnostic,
    }
}

pub fn count(operation: OperationRef, number: f64, locations: &Locations) -> Diagnostic {
    let message = format!("`range` of {} is not possible", text::number(number));
    let diagnostic = Diagnostic::error(codes::BAD_COUNT, message);
    let label = "a tensor has a positive whole number of elements".to_owned();
    primary(diagnostic, operation, label, locations)
}

/// A size of a tensor that is not a whole number of at least 1.
pub fn size(operation: OperationRef, number: f64, locations: &Locations) -> Diagnostic {
    let message = format!("a size of {} is not possible", text::number(number));
    let diagnostic = Diagnostic::error(codes::BAD_COUNT, message);
    let label = "every dimension is a whole number of at least 1".to_owned();
    primary(diagnostic, operation, label, locations)
}

pub fn too_many_dimensions(
    operation: OperationRef,
    rank: usize,
    locations: &Locations,
) -> Diagnostic {
    let message = "a tensor with too many dimensions";
    let diagnostic = Diagnostic::error(codes::TOO_LARGE, message);
    let label = format!("{rank} dimensions; the limit is {MAX_RANK}");
    primary(diagnostic, operation, label, locations)
}

/// A result of more than `limit` bytes.
pub fn too_large(
    operation: OperationRef,
    ty: &TensorType,
    limit: u64,
    locations: &Locations,
) -> Diagnostic {
    let message = format!("a tensor of shape {ty} is too large");
    let diagnostic = Diagnostic::error(codes::TOO_LARGE, message);
    primary(diagnostic, operation, "this makes it".to_owned(), locations)
        .note(format!("the limit is {limit} bytes; an element takes {}", ty.element.bytes()))
}

/// An index, a bound or a step that is not whole, or too large to be exact.
pub fn not_whole(
    operation: OperationRef,
    purpose: Option<IndexUse>,
    number: f64,
    locations: &Locations,
) -> Diagnostic {
    let what = match purpose {
        Some(IndexUse::Bound) => "bound",
        Some(IndexUse::Step) => "step",
        _ => "index",
    };
    let is_whole = number.trunc() == number && number.is_finite();
    let problem = if is_whole { "is too large" } else { "is not a whole number" };
    let number = text::number(number);
    let diagnostic = Diagnostic::error(codes::OUT_OF_RANGE, format!("{what} {number} {problem}"));
    let diagnostic = primary(diagnostic, operation, format!("this is {number}"), locations);
    if is_whole { diagnostic } else { diagnostic.help("`floor(...)` rounds it down") }
}

/// A step of 0 in a range of elements.
pub fn slice_step(operation: OperationRef, locations: &Locations) -> Diagnostic {
    let diagnostic = Diagnostic::error(codes::OUT_OF_RANGE, "the step of the range is 0");
    primary(diagnostic, operation, "no element follows another one".to_owned(), locations)
}

pub fn step(operation: OperationRef, locations: &Locations) -> Diagnostic {
    let diagnostic = Diagnostic::error(codes::OUT_OF_RANGE, "the step of the range is 0");
    primary(diagnostic, operation, "the loop would never end".to_owned(), locations)
}

/// A label at a value if it is elsewhere in the program than the operation, and one for the operation otherwise.
fn at(
    diagnostic: Diagnostic,
    operation: OperationRef,
    value: Option<Value>,
    message: String,
    locations: &Locations,
) -> Diagnostic {
    let own = locations.span(operation.location());
    let span = value.and_then(|value| locations.span(value.location()));
    match (span, own) {
        (Some(span), Some(own))
            if own != span && !(own.start <= span.start && span.end <= own.end) =>
        {
            // It is defined elsewhere.
            diagnostic.label(own, "needed here").label(span, message)
        }
        (Some(span), _) => diagnostic.label(span, message),
        (None, _) => primary(diagnostic, operation, message, locations),
    }
}
