//! Diagnostics about parts of tensors: subscripts, indices, ranges of elements and updates.

use crate::dialect::control;
use crate::dialect::shape::Shape;
use crate::dialect::shape_errors::{operand_label, primary};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};
use mlir_support::Locations;
use toy_diagnostics::text::counted;
use toy_diagnostics::{Diagnostic, codes};

/// More subscripts than dimensions.
pub fn subscripts(
    operation: OperationRef,
    shape: &Shape,
    count: usize,
    locations: &Locations,
) -> Diagnostic {
    let message = match shape.0.len() {
        0 => format!("a scalar has no elements to choose, but there {}", are(count)),
        rank => {
            let rank = counted(rank, "dimension");
            format!("a value of shape {shape} has {rank}, but there {}", are(count))
        }
    };
    let diagnostic = Diagnostic::error(codes::TOO_MANY_SUBSCRIPTS, message);
    let diagnostic = primary(diagnostic, operation, counted(count, "subscript"), locations);
    match control::subscripted(operation) {
        Some(tensor) => operand_label(diagnostic, operation, tensor, shape, locations),
        None => diagnostic,
    }
}

/// `are 2 subscripts`
fn are(count: usize) -> String {
    format!("{} {}", if count == 1 { "is" } else { "are" }, counted(count, "subscript"))
}

/// An index that is known to be out of range, as it is written; with its value, if it is one.
pub fn index(
    operation: OperationRef,
    value: Option<Value>,
    number: i64,
    size: u64,
    locations: &Locations,
) -> Diagnostic {
    let size = counted(size, "element");
    let message = format!("index {number} is out of range: the dimension has {size}");
    let diagnostic = Diagnostic::error(codes::OUT_OF_RANGE, message);
    let diagnostic = match value.and_then(|value| locations.span(value.location())) {
        Some(span) => diagnostic.label(span, format!("this is {number}")),
        None => primary(diagnostic, operation, "here".to_owned(), locations),
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
pub fn range(
    operation: OperationRef,
    range: &str,
    size: Option<u64>,
    locations: &Locations,
) -> Diagnostic {
    let message = match size.map(|size| counted(size, "element")) {
        None => format!("the range {range} has no elements"),
        Some(size) => format!("the range {range} is out of range: the dimension has {size}"),
    };
    let diagnostic = Diagnostic::error(codes::OUT_OF_RANGE, message);
    let help = "a range starts at its first index, counted from 0, or from the end if it is negative, and ends \
                before its second index";
    primary(diagnostic, operation, format!("here {range}"), locations).help(help)
}

/// A value that does not have the shape of the part that it replaces.
pub fn update(
    operation: OperationRef,
    value: &Shape,
    part: &Shape,
    locations: &Locations,
) -> Diagnostic {
    let part = match part.0.as_slice() {
        [] => "an element".to_owned(),
        _ => format!("a part of shape {part}"),
    };
    let message = format!("{part} cannot be replaced by a value of shape {value}");
    let diagnostic = Diagnostic::error(codes::UPDATE_SHAPE, message);
    let diagnostic = primary(diagnostic, operation, format!("this replaces {part}"), locations);
    let diagnostic = match operation.operand(0) {
        Ok(operand) => operand_label(diagnostic, operation, operand, value, locations),
        Err(_) => diagnostic,
    };
    diagnostic.help("the value has the shape of the part, or is repeated along dimensions that it lacks, or that have size 1 in it")
}
