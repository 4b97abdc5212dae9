//! Remarks about buffers whose owner is known only when the program runs.
//!
//! Input: `bufferization.dealloc`, simplified. Output: the same; one remark for each buffer whose condition is not
//! constant, with the place where it becomes one of several buffers.

use crate::dialect::control;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, Module, Value, ValueLike};
use mlir_support::pass::PassContext;
use mlir_support::{buffers, constants, control_flow, ir};
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let mut remarks: Vec<Diagnostic> = Vec::new();
    for operation in ir::operations(module.as_operation()) {
        if ir::name(&operation) != "bufferization.dealloc" {
            continue;
        }
        let conditions = operation.operands().filter(|operand| is_bit(*operand));
        // One buffer per condition comes first.
        for (condition, buffer) in conditions.zip(operation.operands()) {
            let remark = remark(context, operation, buffer);
            // A loop frees at the end of each iteration and after it.
            let is_said = |other: &Diagnostic| {
                other.message == remark.message && other.labels.first() == remark.labels.first()
            };
            if !is_constant(condition) && !remarks.iter().any(is_said) {
                remarks.push(remark);
            }
        }
    }
    // In source order.
    remarks.sort_by_key(|remark| remark.labels.first().map(|label| label.span.start));
    context.remarks.borrow_mut().extend(remarks);
    Ok(())
}

fn is_bit(value: Value) -> bool {
    ir::signless_width(value.r#type()) == Some(1)
}

fn is_constant(value: Value) -> bool {
    constants::attribute_of(value).is_some()
}

fn remark<'c>(
    context: &PassContext<'c>,
    end: OperationRef<'c, '_>,
    buffer: Value<'c, '_>,
) -> Diagnostic {
    let root = buffers::base(buffer);
    let (origin, name) = match ir::defining_operation(root) {
        Some(definition) => (Some(definition), carried(definition, root)),
        None => {
            let home = ir::home(root);
            let name = home.as_ref().and_then(|home| carried_in(home));
            (home.map(|home| home.parent), name)
        }
    };
    let what = name.map_or_else(|| "a buffer".to_owned(), |name| format!("`{name}`"));
    let message = format!("whether {what} is freed is decided when the program runs");
    let remark = Diagnostic::remark(codes::DECIDED_LATE, message);
    let Some(origin) = origin else {
        return context.locations.at(end).label(remark, "it is freed here or not");
    };
    let label = match ir::name(&origin) {
        _ if control_flow::is_loop(&origin) => {
            "an iteration leaves a buffer that is to be freed, or another one"
        }
        "scf.if" => "one branch leaves a buffer that is to be freed, the other one may not",
        "func.call" => "the function returns a buffer that is to be freed, or another one",
        _ => "this may be a buffer that is to be freed, or another one",
    };
    let remark = context.locations.at(origin).label(remark, label);
    match context.locations.span(end.location()) {
        Some(span) if context.locations.span(origin.location()) != Some(span) => {
            remark.label(span, "it is freed here or not")
        }
        _ => remark,
    }
}

/// The variable that is a result of a branch or a loop.
fn carried(operation: OperationRef, result: Value) -> Option<String> {
    let results: Vec<Value> = operation.results().map(Value::from).collect();
    named(operation, &results, result)
}

/// The variable that is an argument of a loop.
fn carried_in(home: &ir::Home) -> Option<String> {
    let first = control_flow::carried(home.parent)?.arguments;
    let block = home.blocks.get(home.block)?;
    let arguments = first..block.argument_count();
    let arguments: Vec<Value> =
        arguments.filter_map(|index| block.argument(index).ok()).map(Value::from).collect();
    named(home.parent, &arguments, *arguments.get(home.argument.checked_sub(first)?)?)
}

/// Names belong to all values except the bits that deallocation has added.
fn named(operation: OperationRef, values: &[Value], value: Value) -> Option<String> {
    let values: Vec<_> = values.iter().filter(|value| !is_bit(**value)).collect();
    let place = values.iter().position(|other| other.to_raw().ptr == value.to_raw().ptr)?;
    control::carried_names(operation, values.len())?.into_iter().nth(place)
}
