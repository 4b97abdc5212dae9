//! Descriptions of tensors, writes and reads in remarks.

use crate::dialect::ops;
use crate::dialect::shape::type_of;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::MemRefType;
use melior::ir::{Location, Value, ValueLike};
use merge_alloc::analysis::sizes;
use mlir_support::control_flow::is_loop;
use mlir_support::pass::PassContext;
use mlir_support::{ir, location};
use toy_diagnostics::Diagnostic;

/// The text for an unknown reason.
pub const MAYBE: &str = "the old value may still be read";

/// The text for a tensor without a name.
pub const TENSOR: &str = "a tensor";

/// A function's name without the shapes of its specialization.
pub fn source_name(symbol: &str) -> &str {
    symbol.split('$').next().unwrap_or(symbol)
}

/// The line of a location in this source.
pub fn line(context: &PassContext, at: Location) -> Option<u32> {
    context.locations.span(at)?;
    location::place(at).map(|place| place.start.0)
}

/// The bytes of a tensor, or of a buffer, whose shape is known.
pub fn bytes(value: Value) -> Option<u64> {
    if let Some(ty) = type_of(value.r#type()) {
        return ty.bytes();
    }
    let buffer = MemRefType::try_from(value.r#type()).ok()?;
    sizes::of_buffer(buffer).map(|layout| layout.size)
}

/// Adds a note with the specialization of a function.
pub fn in_function(diagnostic: Diagnostic, function: OperationRef) -> Diagnostic {
    let key = ops::attribute(&function, "toy.specialization");
    match key.and_then(ir::string_value) {
        Some(key) => diagnostic.note(format!("in `{key}`")),
        None => diagnostic,
    }
}

/// The place where an old value is from.
pub enum Old<'c, 'a> {
    /// An operation has written it.
    Value(OperationRef<'c, 'a>),
    /// It is the value of a parameter.
    Parameter,
    /// It was there when the iteration of a loop started.
    Iteration,
}

/// The read of an old value.
pub struct Read<'c, 'a> {
    pub operation: OperationRef<'c, 'a>,
    /// True if the next iteration of a loop reads it.
    pub is_next: bool,
}

/// The reason if an old value is read after a write in a line, with labels for its places.
pub fn conflict<'c>(
    context: &PassContext<'c>,
    writer: &str,
    written: u32,
    old: &Old<'c, '_>,
    read: &Read<'c, '_>,
) -> Option<super::Why<'c>> {
    let line = |operation: OperationRef| line(context, operation.location());
    let is_read = line(read.operation)?;
    let verb = match ir::name(&read.operation) {
        "func.return" => "returns",
        _ => "reads",
    };
    let (reader, when) = match (is_read == written, read.is_next) {
        (true, true) => ("the next iteration ".to_owned(), ""),
        (true, false) => (String::new(), ""),
        (false, true) => (format!("line {is_read} "), " in the next iteration"),
        (false, false) => (format!("line {is_read} "), ""),
    };
    let mut labels = vec![(read.operation.location(), "the old value is read here".to_owned())];
    let value = match old {
        Old::Value(definition) => {
            labels.push((definition.location(), "the old value is from here".to_owned()));
            format!("the value from line {}", line(*definition)?)
        }
        Old::Parameter => "the parameter's value".to_owned(),
        Old::Iteration => "the value that the iteration starts with".to_owned(),
    };
    Some((format!("{writer} writes it and {reader}still {verb} {value}{when}"), labels))
}

/// The writer in a line.
pub fn writer(operation: OperationRef, line: u32) -> String {
    match ir::name(&operation) {
        _ if is_loop(&operation) => format!("the loop in line {line}"),
        "func.call" => format!("the call in line {line}"),
        _ => format!("line {line}"),
    }
}
