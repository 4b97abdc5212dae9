//! Diagnostics about parts of tensors: subscripts, indices, ranges of elements and updates.

use crate::dialect::control;
use crate::dialect::ops::origin;
use crate::dialect::shape::Shape;
use crate::dialect::shape_errors::{has_shape, operand_label};
use melior::ir::Value;
use mlir_support::Located;
use toy_diagnostics::text::counted;
use toy_diagnostics::{Diagnostic, codes};

/// More subscripts than dimensions.
pub fn subscripts(at: Located, shape: &Shape, count: usize) -> Diagnostic {
    let message = match shape.0.len() {
        0 => format!("a scalar has no elements to choose, but there {}", are(count)),
        rank => {
            let rank = counted(rank, "dimension");
            format!("a value of shape {shape} has {rank}, but there {}", are(count))
        }
    };
    let diagnostic = at.error(codes::TOO_MANY_SUBSCRIPTS, message, counted(count, "subscript"));
    match control::subscripted(*at) {
        Some(tensor) => at.label_value(diagnostic, origin(tensor), has_shape(shape)),
        None => diagnostic,
    }
}

/// `are 2 subscripts`
fn are(count: usize) -> String {
    format!("{} {}", if count == 1 { "is" } else { "are" }, counted(count, "subscript"))
}

/// An index that is known to be out of range, as it is written; with its value, if it is one.
pub fn index(at: Located, value: Option<Value>, number: i64, size: u64) -> Diagnostic {
    let size = counted(size, "element");
    let message = format!("index {number} is out of range: the dimension has {size}");
    let diagnostic = Diagnostic::error(codes::OUT_OF_RANGE, message);
    let diagnostic = match value.and_then(|value| at.span_of(value)) {
        Some(span) => diagnostic.label(span, format!("this is {number}")),
        None => at.label(diagnostic, "here"),
    };
    match value {
        None => diagnostic.help("negative numbers count from the end: -1 is the last element"),
        Some(_) if number < 0 => {
            diagnostic.help("computed indices count from 0; the last one is `shape(x, 0) - 1`")
        }
        Some(_) => diagnostic.help("indices count from 0"),
    }
}

/// A range of elements that is empty, if it has no size, or not within its dimension.
pub fn range(at: Located, range: &str, size: Option<u64>) -> Diagnostic {
    let message = match size.map(|size| counted(size, "element")) {
        None => format!("the range {range} has no elements"),
        Some(size) => format!("the range {range} is out of range: the dimension has {size}"),
    };
    let help = "a range starts at its first index, counted from 0, or from the end if it is negative, and ends \
                before its second index";
    at.error(codes::OUT_OF_RANGE, message, format!("here {range}")).help(help)
}

/// A value that does not have the shape of the part that it replaces.
pub fn update(at: Located, value: &Shape, part: &Shape) -> Diagnostic {
    let part = match part.0.as_slice() {
        [] => "an element".to_owned(),
        _ => format!("a part of shape {part}"),
    };
    let message = format!("{part} cannot be replaced by a value of shape {value}");
    let diagnostic = at.error(codes::UPDATE_SHAPE, message, format!("this replaces {part}"));
    operand_label(at, diagnostic, 0, value).help("the value has the shape of the part, or is repeated along dimensions that it lacks, or that have size 1 in it")
}
