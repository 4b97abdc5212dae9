//! Diagnostics about shapes that the verifier and shape inference share: they show where each operand got
//! its shape.

use crate::dialect::ops::{Kind, source};
use crate::dialect::shape::{Shape, shape_of};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};
use mlir_support::Locations;
pub use mlir_support::errors::primary;
use toy_diagnostics::text::counted;
use toy_diagnostics::{Diagnostic, codes};

pub fn shape_mismatch(
    operation: OperationRef,
    lhs: &Shape,
    rhs: &Shape,
    locations: &Locations,
) -> Diagnostic {
    let symbol = Kind::of(&operation).and_then(Kind::symbol).unwrap_or("?");
    let diagnostic = Diagnostic::error(
        codes::SHAPE_MISMATCH,
        format!("`{symbol}` needs operands of one shape, but these have shapes {lhs} and {rhs}"),
    );
    let mut diagnostic = primary(diagnostic, operation, format!("{lhs} {symbol} {rhs}"), locations);
    for (index, shape) in [lhs, rhs].into_iter().enumerate() {
        if let Ok(operand) = operation.operand(index) {
            diagnostic = operand_label(diagnostic, operation, operand, shape, locations);
        }
    }
    if lhs.transposed() == *rhs {
        diagnostic = diagnostic.help("`transpose` one of the operands");
    } else if lhs.element_count() == rhs.element_count() {
        diagnostic =
            diagnostic.help(format!("reshape one of them first: `var x<{}> = ...;`", list(lhs)));
    } else if [lhs, rhs].iter().any(|shape| shape.element_count() == Some(1)) {
        diagnostic =
            diagnostic.help("only a scalar goes with every shape: `var x<> = ...;` makes one");
    } else if would_broadcast(lhs, rhs) {
        diagnostic = diagnostic
            .help("only a scalar goes with every shape: rows and columns are not repeated");
    }
    diagnostic
}

/// Whether languages that repeat rows and columns would accept the operands.
fn would_broadcast(lhs: &Shape, rhs: &Shape) -> bool {
    let pairs = lhs.0.iter().rev().zip(rhs.0.iter().rev());
    pairs.into_iter().all(|(a, b)| a == b || *a == 1 || *b == 1)
}

pub fn element_count(
    operation: OperationRef,
    from: &Shape,
    to: &Shape,
    locations: &Locations,
) -> Diagnostic {
    let count = |shape: &Shape| counted(shape.element_count().unwrap_or(0), "element");
    let diagnostic = Diagnostic::error(
        codes::ELEMENT_COUNT,
        match to.0.as_slice() {
            [] => format!("a value of shape {from} cannot be reshaped to a scalar"),
            _ => format!("a value of shape {from} cannot be reshaped to {to}"),
        },
    );
    let name = |shape: &Shape| {
        if shape.0.is_empty() { "a scalar".to_owned() } else { shape.to_string() }
    };
    let message = format!("{} has {}", name(to), count(to));
    let mut diagnostic = primary(diagnostic, operation, message, locations);
    if let Ok(operand) = operation.operand(0) {
        let span = locations.span(operand.location());
        if let Some(span) = span.filter(|span| Some(*span) != locations.span(operation.location()))
        {
            diagnostic = diagnostic.label(span, format!("{} has {}", name(from), count(from)));
        }
    }
    diagnostic.help("declare a shape with as many elements as the value has")
}

/// Diagnoses the first operand of a `toy.from_elements` that is known not to be a scalar, if there is one.
pub fn elements(operation: OperationRef, locations: &Locations) -> Option<Diagnostic> {
    let (operand, shape) = operation.operands().find_map(|operand| {
        let shape = shape_of(source(operand).r#type()).filter(|shape| !shape.0.is_empty());
        shape.map(|shape| (operand, shape))
    })?;
    let message =
        format!("the elements of a literal must be scalars, but this one has shape {shape}");
    let diagnostic = Diagnostic::error(codes::NOT_A_SCALAR, message);
    let whole = locations.span(operation.location());
    let element = locations.span(operand.location());
    // The location of the element in the literal; a variable is defined elsewhere.
    if let (Some(whole), Some(element)) = (whole, element)
        && whole != element
        && whole.start <= element.start
        && element.end <= whole.end
    {
        return Some(diagnostic.label(element, format!("this has shape {shape}")));
    }
    let diagnostic = primary(diagnostic, operation, "in this literal".to_owned(), locations);
    Some(operand_label(diagnostic, operation, operand, &shape, locations))
}

/// Shows where an operand got its shape, unless that is the operation itself.
fn operand_label(
    diagnostic: Diagnostic,
    operation: OperationRef,
    operand: Value,
    shape: &Shape,
    locations: &Locations,
) -> Diagnostic {
    let own = locations.span(operation.location());
    match locations.span(operand.location()) {
        Some(span) if Some(span) != own && !diagnostic.labels.iter().any(|l| l.span == span) => {
            diagnostic.label(span, format!("this has shape {shape}"))
        }
        _ => diagnostic,
    }
}

/// `2, 3`
fn list(shape: &Shape) -> String {
    shape.0.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}
