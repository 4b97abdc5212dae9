//! The declaration of the function that prints.
//!
//! Input: a module with calls of [`PRINT`]. Output: the same with its declaration; a declaration in the input
//! is kept, and the calls are adapted to its type.

use super::builder::Builder;
use crate::dialect::PRINT;
use crate::dialect::ops;
use crate::dialect::shape::unranked_type;
use melior::Context;
use melior::ir::attribute::{ArrayAttribute, DictionaryAttribute, StringAttribute};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, BlockLike, Identifier, Location, Module, Operation, Type, ValueLike};
use mlir_support::pass::PassContext;
use mlir_support::raw;
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

/// Declares the runtime's function, unless the input does. The access attribute tells bufferization that
/// printing only reads; without it every printed value would be copied, or rejected.
pub fn declare_print<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let declared = raw::block_operations(module.body())
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
    let unranked = unranked_type(context);
    let buffer = Type::parse(context, "memref<*xf64>").expect("a valid type");
    let inputs = ops::function_type(&declared).map(ops::inputs).unwrap_or_default();
    let takes = |ty| matches!(inputs[..], [input] if ops::same_type(input, ty));
    let has_body = ops::entry_block(declared).is_some();
    if has_body || !(takes(buffer) || takes(unranked)) {
        let message = format!("`toy.print` calls `@{PRINT}`, but here it is something else");
        let diagnostic = Diagnostic::error(codes::PRINT_REDEFINED, message)
            .help("give this function another name, or declare it as `(memref<*xf64>) -> ()`");
        let span = locations.span(declared.location());
        return Err(vec![match span {
            Some(span) => diagnostic.label(span, "declared here"),
            None => diagnostic,
        }]);
    }
    raw::set_attribute(declared, "llvm.emit_c_interface", Attribute::unit(context));
    if takes(unranked) {
        return Ok(());
    }
    for call in raw::operations(module.as_operation()) {
        let argument =
            call.operand(0).ok().filter(|_| ops::callee(&call).as_deref() == Some(PRINT));
        let Some(argument) = argument.filter(|value| ops::same_type(value.r#type(), unranked))
        else {
            continue;
        };
        let builder = Builder { context, before: call, location: call.location() };
        let read_only = [("read_only", Attribute::unit(context))];
        let to_buffer =
            builder.build("bufferization.to_buffer", &[argument], &[buffer], &read_only, vec![]);
        let argument = ops::result(builder.insert(to_buffer));
        raw::mutable(call).set_operand(0, argument);
    }
    Ok(())
}

fn insert_print(context: &Context, module: &Module) {
    let mut function = reader(context, PRINT, unranked_type(context));
    function.set_attribute("llvm.emit_c_interface", Attribute::unit(context));
    module.body().insert_operation(0, function);
}

/// The declaration of a function that only reads its argument.
pub fn reader<'c>(context: &'c Context, name: &str, argument: Type<'c>) -> Operation<'c> {
    let ty = FunctionType::new(context, &[argument], &[]);
    let mut function = ops::function(context, Location::unknown(context), name, ty, None, true);
    let read = StringAttribute::new(context, "read").into();
    let access = DictionaryAttribute::new(
        context,
        &[(Identifier::new(context, "bufferization.access"), read)],
    );
    function.set_attribute("arg_attrs", ArrayAttribute::new(context, &[access.into()]).into());
    function
}
