//! Replaces calls of tensor functions by address with calls by name.
//!
//! Input: functions on tensors, before any simplification. Output: a `func.call` in place of each
//! `func.call_indirect` on tensors whose callee is a `func.constant`. One-Shot Bufferize supports calls by name
//! only, so any other callee is rejected. It is rejected here, at every level, so that what is accepted does
//! not depend on what simplification finds out. (Functions on buffers and numbers may be called by address.)

use crate::dialect::{ops, shape};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, Module, Type, TypeLike, Value, ValueLike};
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::{Locations, raw};
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-call-by-name",
    "Replaces calls of tensor functions by address with calls by name",
    run,
);

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    if !raw::any(module.as_operation(), is_on_tensors) {
        return Ok(());
    }
    let mut calls = raw::operations(module.as_operation());
    calls.retain(|operation| is_on_tensors(*operation));
    let refused: Vec<_> = calls
        .iter()
        .filter(|call| constant(**call).is_none())
        .map(|call| refused(*call, &context.locations))
        .collect();
    if !refused.is_empty() {
        return Err(refused);
    }
    for call in calls {
        call_by_name(context, call);
    }
    erase_dead_addresses(module);
    Ok(())
}

/// Addresses of functions that nothing calls by address any more, and choices among them: their types would
/// stay those of tensors when the functions' become those of buffers.
fn erase_dead_addresses(module: &Module) {
    let is_address = |operation: &OperationRef| {
        let is_function = |ty: Type| ty.is_function();
        matches!(raw::name(operation), "func.constant" | "arith.select")
            && operation.results().all(|result| is_function(result.r#type()))
            && !operation.results().any(|result| raw::has_uses(result.into()))
    };
    // Uses come after what they use.
    for operation in raw::operations(module.as_operation()).into_iter().rev() {
        if is_address(&operation) {
            raw::erase(operation);
        }
    }
}

fn is_on_tensors(operation: OperationRef) -> bool {
    let mut operands = operation.operands().map(|operand| operand.r#type());
    let mut results = operation.results().map(|result| result.r#type());
    raw::name(&operation) == "func.call_indirect"
        && (operands.any(shape::is_tensor) || results.any(shape::is_tensor))
}

/// The `func.constant` that is called, with the name in it.
fn constant<'c, 'a>(call: OperationRef<'c, 'a>) -> Option<(OperationRef<'c, 'a>, String)> {
    let constant = call.operand(0).ok().and_then(raw::defining_operation)?;
    if raw::name(&constant) != "func.constant" {
        return None;
    }
    let name = ops::attribute(&constant, "value").and_then(raw::symbol_value)?;
    Some((constant, name))
}

fn call_by_name<'c>(context: &PassContext<'c>, call: OperationRef<'c, '_>) {
    let (Some((_, name)), Some(block)) = (constant(call), call.block()) else { return };
    let arguments: Vec<Value> = call.operands().skip(1).collect();
    let results: Vec<Type> = call.results().map(|result| result.r#type()).collect();
    let context = context.session.context();
    let new = ops::call(context, call.location(), &name, &arguments, &results);
    let new = block.insert_operation_before(call, new);
    for (old, new) in call.results().zip(new.results()) {
        raw::replace_all_uses(old.into(), new.into());
    }
    raw::erase(call);
}

fn refused(call: OperationRef, locations: &Locations) -> Diagnostic {
    let message = "the callee of this indirect call on tensors is not known";
    let diagnostic = Diagnostic::error(codes::MLIR_REJECTED, message).help(
        "call functions by name, in the branches of an `scf.if`, say; or let them work on memrefs",
    );
    match locations.span(call.location()) {
        Some(span) => diagnostic.label(span, "tensors become buffers for calls by name only"),
        None => diagnostic,
    }
}
