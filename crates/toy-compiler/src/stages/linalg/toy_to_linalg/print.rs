//! Printing: calls of the runtime, and the declaration of the function that prints a tensor.
//!
//! A declaration of [`PRINT`] in the input is kept, and the calls are adapted to its type.

use super::element_wise::{converted, of_element};
use crate::dialect::PRINT;
use crate::dialect::control::{self, Layout, Part};
use crate::dialect::ops;
use crate::dialect::shape::{Element, shape_of, unranked_type};
use crate::runtime_calls::runtime::reader;
use crate::runtime_calls::texts;
use melior::Context;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{Attribute, BlockLike, Module, Type, Value, ValueLike};
use mlir_support::Builder;
use mlir_support::ir;
use mlir_support::pass::PassContext;
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

/// Lowers a `toy.print`: what is printed is printed as the f64 that it is equal to.
pub fn tensor<'c: 'a, 'a>(code: Builder<'c, 'a>, operand: Value<'c, 'a>, is_printed: &mut bool) {
    *is_printed = true;
    let operand = of_element(code, operand, Element::DEFAULT);
    let unranked = unranked_type(code.context, Element::DEFAULT);
    let argument = code.value("tensor.cast", &[operand], unranked, &[]);
    code.call(PRINT, &[argument], &[]);
}

/// Lowers a `toy.print_values`: texts, scalars and lists on one line, separated by a blank, any other tensor on lines of
/// its own.
pub fn values<'c: 'a, 'a>(
    code: Builder<'c, 'a>,
    operation: OperationRef<'c, 'a>,
    is_printed: &mut bool,
) -> Option<()> {
    // Values of different types are cast to one.
    let mut operands = operation.operands().map(ops::source);
    // The line that is not ended: true if it belongs to a list.
    let (mut text, mut line) = (String::new(), None);
    let layout = control::layout(operation)?;
    let is_plain = layout == Layout::default();
    if !is_plain {
        set_format(code, layout.digits.unwrap_or(6), layout.width.unwrap_or(0));
    }
    for part in control::format(operation)? {
        let operand = match &part {
            Part::Text(_) => None,
            Part::Value => Some(ops::source(operands.next()?)),
        };
        let rank = match operand {
            Some(operand) => shape_of(operand.r#type())?.0.len(),
            None => 0,
        };
        // A blank follows each element of a list.
        match line {
            Some(_) if rank > 1 => text.push('\n'),
            Some(false) => text.push(' '),
            _ => {}
        }
        line = (rank < 2).then_some(rank == 1);
        match (part, operand) {
            (_, Some(operand)) if rank > 0 => {
                flush(code, &mut text);
                tensor(code, operand, is_printed);
            }
            (_, Some(operand)) => {
                let number = converted(code, code.element_of(operand), Element::DEFAULT);
                texts::call(code, texts::PRINT_NUMBER, &[number], &text);
                text.clear();
            }
            (Part::Text(more), None) => text.push_str(&more),
            (Part::Value, None) => return None,
        }
    }
    match control::end(operation) {
        Some(end) => text.push_str(&end),
        None if line.is_some() => text.push('\n'),
        None => {}
    }
    flush(code, &mut text);
    if !is_plain {
        set_format(code, -1, 0);
    }
    Some(())
}

/// Sets the form of the numbers that are printed next; -1 digits are the usual form.
fn set_format(code: Builder, digits: i64, width: i64) {
    let index = Type::index(code.context);
    let numbers = [digits, width].map(|number| code.integer(index, number));
    texts::call(code, texts::PRINT_FORMAT, &numbers, "");
}

fn flush(code: Builder, text: &mut String) {
    if !text.is_empty() {
        texts::call(code, texts::PRINT_TEXT, &[], text);
        text.clear();
    }
}

/// Declares the runtime's function, unless the input does. The access attribute tells bufferization that
/// printing only reads; without it every printed value would be copied, or rejected.
pub fn declare<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let declared = ir::block_operations(module.body())
        .into_iter()
        .find(|operation| ops::is_function(operation) && ops::symbol_name(operation) == PRINT);
    match declared {
        Some(declared) => print_with(context, module, declared),
        None => {
            insert_print(context.session.context(), module);
            Ok(())
        }
    }
}

/// Adapts the calls of `toy.print` to a declaration in the input, which may be on buffers.
fn print_with<'c>(
    context: &PassContext<'c>,
    module: &Module<'c>,
    declared: OperationRef<'c, '_>,
) -> Diagnosed<()> {
    let locations = &context.locations;
    let context = context.session.context();
    let unranked = unranked_type(context, Element::DEFAULT);
    let buffer = format!("memref<*x{}>", Element::DEFAULT.name());
    let wanted = format!("give this function another name, or declare it as `({buffer}) -> ()`");
    let buffer = Type::parse(context, &buffer).expect("a valid type");
    let inputs = ops::function_type(&declared).map(ops::inputs).unwrap_or_default();
    let takes = |ty| matches!(inputs[..], [input] if ops::same_type(input, ty));
    let has_body = ops::entry_block(declared).is_some();
    if has_body || !(takes(buffer) || takes(unranked)) {
        let message = format!("`toy.print` calls `@{PRINT}`, but here it is something else");
        let diagnostic = Diagnostic::error(codes::PRINT_REDEFINED, message).help(wanted);
        return Err(vec![locations.label(diagnostic, declared.location(), "declared here")]);
    }
    ir::set_attribute(declared, "llvm.emit_c_interface", Attribute::unit(context));
    if takes(unranked) {
        return Ok(());
    }
    for call in ir::operations(module.as_operation()) {
        let argument =
            call.operand(0).ok().filter(|_| ops::callee(&call).as_deref() == Some(PRINT));
        let Some(argument) = argument.filter(|value| ops::same_type(value.r#type(), unranked))
        else {
            continue;
        };
        let code = Builder::before(context, call);
        let read_only = [("read_only", Attribute::unit(context))];
        let argument = code.value("bufferization.to_buffer", &[argument], buffer, &read_only);
        ir::mutable(call).set_operand(0, argument);
    }
    Ok(())
}

fn insert_print(context: &Context, module: &Module) {
    let mut function = reader(context, PRINT, unranked_type(context, Element::DEFAULT));
    function.set_attribute("llvm.emit_c_interface", Attribute::unit(context));
    module.body().insert_operation(0, function);
}
