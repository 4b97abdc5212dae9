//! What surrounds upstream's bufferization and deallocation passes, so that their known bugs in
//! LLVM 22.1.8 cannot bite, whatever `.mlir` input looks like.
//!
//! * [`distinct_results`]: a function that returns one tensor twice makes One-Shot Bufferize
//!   miscompile its callers and crashes buffer-results-to-out-params (llvm-project issue 219492).
//!   Every tensor result after the first that may share a buffer with another one is copied.
//! * [`hide`] and [`restore`]: ownership-based deallocation reads freed memory on functions with
//!   several blocks (issue 119863) and rejects functions that already free something. Such
//!   functions manage their memory themselves; they are replaced by declarations meanwhile.

use crate::diagnostic::Diagnosed;
use crate::dialect::ops;
use crate::mlir::pass::{PassContext, run_upstream};
use crate::mlir::raw;
use melior::ir::attribute::DenseI32ArrayAttribute;
use melior::ir::operation::{OperationBuilder, OperationLike, OperationMutLike, OperationRef};
use melior::ir::{BlockLike, Identifier, Module, TypeLike, Value, ValueLike};

/// Makes sure that no two tensor results of a function share a buffer.
pub fn distinct_results<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    for operation in raw::operations(module.as_operation()) {
        if raw::name(&operation) != "func.return" || operation.operand_count() < 2 {
            continue;
        }
        let operands: Vec<Value> = operation.operands().collect();
        let mut seen = Vec::new();
        for (index, value) in operands.into_iter().enumerate() {
            if !value.r#type().is_ranked_tensor() && !value.r#type().is_mem_ref() {
                continue;
            }
            let repeated = seen.contains(&(value.to_raw().ptr as usize));
            if seen.is_empty() || (is_fresh(value) && !repeated) {
                seen.push(value.to_raw().ptr as usize);
                continue;
            }
            let copy = copy(context, operation, value);
            raw::mutable(operation).set_operand(index, copy);
        }
    }
    Ok(())
}

/// Whether a value has a buffer of its own: it is computed into a `tensor.empty`, or allocated.
fn is_fresh(value: Value) -> bool {
    let Some(definition) = raw::defining_operation(value) else { return false };
    let name = raw::name(&definition);
    if name == "memref.alloc" {
        return true;
    }
    let Some(last) = definition.operand_count().checked_sub(1) else { return false };
    let destination = definition.operand(last).ok().and_then(raw::defining_operation);
    name.starts_with("linalg.")
        && definition.result_count() == 1
        && destination.is_some_and(|destination| raw::name(&destination) == "tensor.empty")
}

fn copy<'c, 'a>(
    context: &PassContext<'c>,
    before: OperationRef<'c, 'a>,
    value: Value<'c, 'a>,
) -> Value<'c, 'a> {
    let context = context.session.context();
    let block = before.block().expect("a return is in a block");
    if value.r#type().is_mem_ref() {
        let alloc = OperationBuilder::new("memref.alloc", before.location())
            .add_attributes(&[(
                Identifier::new(context, "operandSegmentSizes"),
                DenseI32ArrayAttribute::new(context, &[0, 0]).into(),
            )])
            .add_results(&[value.r#type()])
            .build()
            .expect("a well-formed memref.alloc");
        let alloc = raw::value_of(ops::result(block.insert_operation_before(before, alloc)));
        let copy = OperationBuilder::new("memref.copy", before.location())
            .add_operands(&[value, alloc])
            .build()
            .expect("a well-formed memref.copy");
        block.insert_operation_before(before, copy);
        return alloc;
    }
    let alloc_tensor = OperationBuilder::new("bufferization.alloc_tensor", before.location())
        .add_operands(&[value])
        .add_attributes(&[(
            Identifier::new(context, "operandSegmentSizes"),
            // No dynamic sizes, a copy, no size hint.
            DenseI32ArrayAttribute::new(context, &[0, 1, 0]).into(),
        )])
        .add_results(&[value.r#type()])
        .build()
        .expect("a well-formed bufferization.alloc_tensor");
    raw::value_of(ops::result(block.insert_operation_before(before, alloc_tensor)))
}

/// Upstream's drop-equivalent-buffer-results, where there is a result that it can drop: it looks up
/// every callee by going through the whole module, which takes long for thousands of functions.
pub fn drop_equivalent_results(context: &PassContext, module: &Module) -> Diagnosed<()> {
    let returns_argument = raw::operations(module.as_operation()).iter().any(|operation| {
        raw::name(operation) == "func.return" && operation.operands().any(is_argument)
    });
    if !returns_argument {
        return Ok(());
    }
    run_upstream(context, module, "drop-equivalent-buffer-results")
}

/// Whether a value is a block argument, or a cast of one.
fn is_argument(value: Value) -> bool {
    match raw::defining_operation(value) {
        None => true,
        Some(cast) if raw::name(&cast) == "memref.cast" => cast.operand(0).is_ok_and(is_argument),
        Some(_) => false,
    }
}

/// Replaces functions that manage their memory themselves by declarations.
pub fn hide<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    for function in raw::block_operations(module.body()) {
        if !ops::is_function(&function) || !manages_memory(function) {
            continue;
        }
        let declaration = ops::declaration_of(context.session.context(), function);
        let declaration = module.body().insert_operation_before(function, declaration);
        context
            .hidden
            .borrow_mut()
            .push((raw::detach(function), declaration.to_raw().ptr as usize));
    }
    Ok(())
}

/// Puts the functions back that [`hide`] has taken out.
pub fn restore<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    for (function, declaration) in context.hidden.borrow_mut().drain(..) {
        let declaration = raw::block_operations(module.body())
            .into_iter()
            .find(|operation| operation.to_raw().ptr as usize == declaration);
        match declaration {
            Some(declaration) => {
                module.body().insert_operation_before(declaration, function);
                raw::erase(declaration);
            }
            // Nobody calls it, so a pass has dropped the declaration.
            None => {
                module.body().append_operation(function);
            }
        }
    }
    Ok(())
}

fn manages_memory(function: OperationRef) -> bool {
    raw::blocks(function).len() > 1
        || raw::operations(function).iter().any(|op| raw::name(op) == "memref.dealloc")
}
