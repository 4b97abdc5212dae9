//! Descriptions of operations and operands in remarks.

use crate::dialect::shape::type_of;
use crate::dialect::{control, ops};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::MemRefType;
use melior::ir::{Location, Value, ValueLike};
use merge_alloc::analysis::sizes;
use mlir_support::control_flow::{carried, is_loop};
use mlir_support::pass::PassContext;
use mlir_support::{buffers, ir, location};
use toy_diagnostics::Diagnostic;

/// The text for an unknown reason.
pub const MAYBE: &str = "the old value may still be read";

/// The description of an operand.
pub fn subject(operation: OperationRef, operand: usize) -> String {
    let unnamed = || "a tensor".to_owned();
    match ir::name(&operation) {
        "tensor.insert" | "tensor.insert_slice" => {
            variable(operation).map_or_else(unnamed, |name| format!("`{name}`"))
        }
        "tensor.extract_slice" | "linalg.fill" => "a part of a tensor".to_owned(),
        "scf.for" | "scf.while" => {
            let name = carried(operation).and_then(|carried| {
                let names = control::carried_names(operation, carried.count)?;
                names.into_iter().nth(operand.checked_sub(carried.operands)?)
            });
            name.map_or_else(unnamed, |name| format!("`{name}`"))
        }
        "func.call" => match ops::callee(&operation) {
            Some(callee) => format!("argument {} of `{}`", operand + 1, source_name(&callee)),
            None => unnamed(),
        },
        _ => unnamed(),
    }
}

/// The variable that an operation updates.
pub fn variable(operation: OperationRef) -> Option<String> {
    location::name(operation.location())
}

/// A function's name without the shapes of its specialization.
fn source_name(symbol: &str) -> &str {
    symbol.split('$').next().unwrap_or(symbol)
}

/// The line of a location in this source.
pub fn line(context: &PassContext, at: Location) -> Option<u32> {
    context.locations.span(at)?;
    location::place(at).map(|place| place.start.0)
}

/// The subject with the size of its type: `` `x` (8 MB) ``.
pub fn with_size(subject: &str, bytes: Option<u64>) -> String {
    match bytes {
        Some(bytes) => format!("{subject} ({})", size(bytes)),
        None => subject.to_owned(),
    }
}

/// `96 bytes`, `8 KB`, `1.5 MB`: rounded to a tenth.
fn size(bytes: u64) -> String {
    let units = [(1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "KB")];
    match units.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => {
            let tenths = (u128::from(bytes) * 10 + u128::from(unit) / 2) / u128::from(unit);
            match (tenths / 10, tenths % 10) {
                (whole, 0) => format!("{whole} {name}"),
                (whole, tenth) => format!("{whole}.{tenth} {name}"),
            }
        }
        None if bytes == 1 => "1 byte".to_owned(),
        None => format!("{bytes} bytes"),
    }
}

/// The bytes of a tensor, or of a buffer, whose shape is known.
pub fn bytes(value: Value) -> Option<u64> {
    if let Some(ty) = type_of(value.r#type()) {
        return ty.bytes();
    }
    let buffer = MemRefType::try_from(value.r#type()).ok()?;
    sizes::of_buffer(buffer).map(|layout| layout.size)
}

/// Adds a note with the specialization of a function that an operation is in.
pub fn in_function(diagnostic: Diagnostic, operation: OperationRef) -> Diagnostic {
    let mut function = Some(operation);
    while let Some(found) = function.filter(|found| !ops::is_function(found)) {
        function = found.parent_operation();
    }
    let key = function.and_then(|found| ops::attribute(&found, "toy.specialization"));
    match key.and_then(ir::string_value) {
        Some(key) => diagnostic.note(format!("in `{key}`")),
        None => diagnostic,
    }
}

/// A reason, and labels for its places.
pub type Why<'c> = (String, Vec<(Location<'c>, String)>);

/// One operation writes a value that another defined and a third still reads. `in_order`: the read comes after the
/// write in the source.
pub fn conflict<'c>(
    context: &PassContext<'c>,
    (definition, what): (OperationRef<'c, '_>, &str),
    write: OperationRef<'c, '_>,
    read: OperationRef<'c, '_>,
    in_order: bool,
) -> Option<Why<'c>> {
    let [defined, written, is_read] =
        [definition, write, read].map(|operation| line(context, operation.location()));
    let (defined, written, is_read) = (defined?, written?, is_read?);
    let writer = writer(write, written);
    let again = !in_order && in_common_loop(write, read);
    let may = if in_order || again { "still" } else { "may still" };
    let (verb, infinitive) = match ir::name(&read) {
        "func.return" => ("returns", "return"),
        "scf.yield" | "scf.condition" => ("hands on", "hand on"),
        _ => ("reads", "read"),
    };
    let verb = if may == "still" { verb } else { infinitive };
    let reader =
        match (is_loop(&read), read.to_raw().ptr == write.to_raw().ptr || written == is_read) {
            (_, true) if again => "the next iteration ".to_owned(),
            (_, true) => String::new(),
            (true, false) => format!("the loop in line {is_read} "),
            (false, false) => format!("line {is_read} "),
        };
    let value = match (what.starts_with("bbArg"), ops::is_function(&definition)) {
        (true, true) => "the parameter's value".to_owned(),
        (true, false) => "the value that the iteration starts with".to_owned(),
        (false, _) => format!("the value from line {defined}"),
    };
    let when = if again && !reader.starts_with("the next") { " in the next iteration" } else { "" };
    let because = format!("{writer} writes it and {reader}{may} {verb} {value}{when}");
    let mut labels = vec![(read.location(), "the old value is read here".to_owned())];
    if !what.starts_with("bbArg") {
        labels.push((definition.location(), "the old value is from here".to_owned()));
    }
    Some((because, labels))
}

/// A write to a value that may not be written: a constant, or a parameter that belongs to the caller.
pub fn not_writable<'c>(
    context: &PassContext<'c>,
    root: Value<'c, '_>,
    owner: OperationRef<'c, '_>,
    writer: OperationRef<'c, '_>,
) -> Option<Why<'c>> {
    let written = line(context, writer.location())?;
    let writer = self::writer(writer, written);
    let (what, label) = match ir::name(&owner) {
        "arith.constant" => ("it is a constant", "the constant"),
        _ if ir::defining_operation(root).is_none() && ops::is_function(&owner) => {
            ("it is a parameter, whose value the caller keeps", "the function of the parameter")
        }
        _ => ("it may not be overwritten", "what may not be overwritten"),
    };
    Some((format!("{writer} writes it, and {what}"), vec![(owner.location(), label.to_owned())]))
}

/// The tensor that a value is a part, an alias or an update of.
pub fn root<'c: 'a, 'a>(value: Value<'c, 'a>) -> Value<'c, 'a> {
    let mut value = buffers::base(value);
    while let Some(update) = ir::defining_operation(value)
        && ["tensor.insert", "tensor.insert_slice"].contains(&ir::name(&update))
    {
        value = buffers::base(ir::operand(update, 1));
    }
    value
}

/// The writer in a line.
fn writer(operation: OperationRef, line: u32) -> String {
    match ir::name(&operation) {
        _ if is_loop(&operation) => format!("the loop in line {line}"),
        "func.call" => format!("the call in line {line}"),
        _ => format!("line {line}"),
    }
}

/// True if both operations are inside of one loop.
fn in_common_loop(one: OperationRef, other: OperationRef) -> bool {
    let loops = |operation: OperationRef| -> Vec<usize> {
        let parents =
            std::iter::successors(operation.parent_operation(), |inner| inner.parent_operation());
        parents.filter(is_loop).map(ir::id).collect()
    };
    let others = loops(other);
    loops(one).iter().any(|found| others.contains(found))
}
