//! Diagnostics about operands that have to be scalars, constants or indices.

use crate::dialect::control::IndexUse;
use crate::dialect::ops::Kind;
use crate::dialect::ops::origin;
use crate::dialect::shape::{MAX_RANK, Shape, TensorType};
use crate::dialect::shape_errors::operand_label;
use melior::ir::Value;
use melior::ir::operation::OperationLike;
use mlir_support::{Located, ir};
use toy_diagnostics::{Diagnostic, codes, text};
use toy_syntax::builtins;

/// A bound of a range of elements in messages.
pub const SLICE_BOUND: &str = "a bound of a range of elements";

/// A step of 0 in a range of elements.
pub const NO_NEXT: &str = "no element follows another one";

/// An operand that must be a scalar and is not; `what` is "the condition", say.
pub fn not_a_scalar(at: Located, place: usize, what: &str, shape: &Shape) -> Diagnostic {
    let message = format!("{what} must be a scalar, but it has shape {shape}");
    let diagnostic = Diagnostic::error(codes::NOT_A_NUMBER, message);
    let value = at.operand(place).ok().map(origin);
    let diagnostic = at_value(at, diagnostic, value, format!("this has shape {shape}"));
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
pub fn not_constant(at: Located, what: &str, value: Value) -> Diagnostic {
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
    at_value(at, diagnostic, Some(value), why).help(help)
}

pub fn axis(at: Located, number: f64, shape: &Shape) -> Diagnostic {
    let is_scalar = shape.0.is_empty();
    let of = if is_scalar { "a scalar".to_owned() } else { format!("a value of shape {shape}") };
    // Where no axis is written, it is the last one.
    let axis = if is_scalar { "axes".to_owned() } else { format!("axis {}", text::number(number)) };
    let message = format!("{of} has no {axis}");
    let axes = match shape.0.len() {
        0 => "this works along an axis".to_owned(),
        1 => "it has only the axis 0, which is also -1".to_owned(),
        2 => "its axes are 0 and 1, which are also -2 and -1".to_owned(),
        rank => format!("its axes are 0 to {}; -1 is the last one", rank - 1),
    };
    let diagnostic = at.error(codes::BAD_AXIS, message, axes);
    if is_scalar { diagnostic } else { operand_label(at, diagnostic, 0, shape) }
}

/// Axes of a `toy.transpose` that are not all of the dimensions, each once.
pub fn axes(at: Located, dims: &[usize], shape: &Shape) -> Diagnostic {
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
    operand_label(at, at.error(codes::BAD_AXIS, message, problem), 0, shape)
}

pub fn count(at: Located, number: f64) -> Diagnostic {
    let message = format!("`range` of {} is not possible", text::number(number));
    let label = "a tensor has a positive whole number of elements";
    at.error(codes::BAD_COUNT, message, label)
}

/// A size of a tensor that is not a whole number of at least 1.
pub fn size(at: Located, number: f64) -> Diagnostic {
    let message = format!("a size of {} is not possible", text::number(number));
    let label = "every dimension is a whole number of at least 1";
    at.error(codes::BAD_COUNT, message, label)
}

pub fn too_many_dimensions(at: Located, rank: usize) -> Diagnostic {
    let message = "a tensor with too many dimensions";
    let label = format!("{rank} dimensions; the limit is {MAX_RANK}");
    at.error(codes::TOO_LARGE, message, label)
}

/// A result of more than `limit` bytes.
pub fn too_large(at: Located, ty: &TensorType, limit: u64) -> Diagnostic {
    let message = format!("a tensor of shape {ty} is too large");
    at.error(codes::TOO_LARGE, message, "this makes it")
        .note(format!("the limit is {limit} bytes; an element takes {}", ty.element.bytes()))
}

/// An index, a bound or a step that is not whole, or too large to be exact.
pub fn not_whole(at: Located, purpose: Option<IndexUse>, number: f64) -> Diagnostic {
    let what = purpose.unwrap_or(IndexUse::Index).name();
    let is_whole = number.trunc() == number && number.is_finite();
    let problem = if is_whole { "is too large" } else { "is not a whole number" };
    let number = text::number(number);
    let message = format!("{what} {number} {problem}");
    let diagnostic = at.error(codes::OUT_OF_RANGE, message, format!("this is {number}"));
    if is_whole { diagnostic } else { diagnostic.help("`floor(...)` rounds it down") }
}

/// A step of 0; the label says why that is wrong.
pub fn step(at: Located, why: &str) -> Diagnostic {
    at.error(codes::OUT_OF_RANGE, "the step of the range is 0", why)
}

/// A label at a value if it is elsewhere in the program than the operation, and one for the operation otherwise.
fn at_value(
    at: Located,
    diagnostic: Diagnostic,
    value: Option<Value>,
    message: String,
) -> Diagnostic {
    match (value.and_then(|value| at.span_of(value)), at.span()) {
        (Some(span), Some(own))
            if own != span && !(own.start <= span.start && span.end <= own.end) =>
        {
            // It is defined elsewhere.
            diagnostic.label(own, "needed here").label(span, message)
        }
        (Some(span), _) => diagnostic.label(span, message),
        (None, _) => at.label(diagnostic, message),
    }
}
