//! What surrounds upstream's bufferization and deallocation passes, so that their known bugs in
//! LLVM 22.1.8 cannot bite, whatever `.mlir` input looks like.
//!
//! * [`distinct_tensors`], [`distinct_buffers`]: a function that returns one tensor twice makes One-Shot Bufferize
//!   miscompile its callers and crashes buffer-results-to-out-params (llvm-project issue 219492).
//!   Every tensor result after the first that may share a buffer with another one is copied.
//! * [`hide`] and [`restore`]: ownership-based deallocation reads freed memory on functions with
//!   several blocks (issue 119863) and rejects functions that already free something. Such
//!   functions manage their memory themselves; they are replaced by declarations meanwhile.
//!
//! Tutorial: chapter 8 (results), chapter 10 (hidden functions).

use crate::diagnostic::Diagnosed;
use crate::dialect::ops;
use crate::mlir::pass::{PassContext, run_upstream};
use crate::mlir::raw;
use melior::ir::attribute::DenseI32ArrayAttribute;
use melior::ir::operation::{OperationBuilder, OperationLike, OperationMutLike, OperationRef};
use melior::ir::{BlockLike, Identifier, Module, TypeLike, Value, ValueLike};
use std::collections::HashSet;

/// Before bufferization: makes sure that no two tensor results of a function will share a buffer, and
/// notes whether there are functions that return buffers already.
pub fn distinct_tensors<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let returns_buffers = raw::block_operations(module.body()).into_iter().any(|operation| {
        ops::is_function(&operation)
            && ops::function_type(&operation)
                .is_some_and(|r#type| ops::results(r#type).iter().any(|result| result.is_mem_ref()))
    });
    context.returns_buffers.set(returns_buffers);
    distinct_results(context, module)
}

/// After bufferization: the same for the buffers that tensors have become.
pub fn distinct_buffers<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    if context.returns_buffers.get() { Ok(()) } else { distinct_results(context, module) }
}

/// Upstream's buffer-results-to-out-params: the caller allocates, so no ownership has to be tracked
/// at run time. Results that are one buffer would become two, so it is for former tensors only.
pub fn results_to_out_params(context: &PassContext, module: &Module) -> Diagnosed<()> {
    if context.returns_buffers.get() {
        return Ok(());
    }
    let pass = "buffer-results-to-out-params{hoist-static-allocs=true add-result-attr=true}";
    run_upstream(context, module, pass)
}

fn distinct_results<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    for operation in raw::operations(module.as_operation()) {
        if raw::name(&operation) != "func.return" || operation.operand_count() < 2 {
            continue;
        }
        let operands: Vec<Value> = operation.operands().collect();
        let mut seen = Vec::new();
        for (index, value) in operands.into_iter().enumerate() {
            let is_former_tensor = value.r#type().is_mem_ref() && !context.returns_buffers.get();
            if !value.r#type().is_ranked_tensor() && !is_former_tensor {
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
    if ["memref.alloc", "tensor.from_elements", "bufferization.alloc_tensor"].contains(&name) {
        return true;
    }
    let Some(last) = definition.operand_count().checked_sub(1) else { return false };
    let destination = definition.operand(last).ok().and_then(raw::defining_operation);
    name.starts_with("linalg.")
        && definition.result_count() == 1
        && destination.is_some_and(|destination| raw::name(&destination) == "tensor.empty")
}

/// A copy of a tensor or a buffer, made before an operation.
pub fn copy<'c, 'a>(
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

/// The names of functions that manage their memory themselves: nobody frees for them.
pub fn managing_memory(functions: &[OperationRef]) -> HashSet<String> {
    let mut hidden: HashSet<String> = functions
        .iter()
        .filter(|function| manages_memory(**function))
        .map(ops::symbol_name)
        .collect();
    // Whoever calls a function that frees what it has not allocated, frees by hand, too.
    let mut freeing: HashSet<String> = functions
        .iter()
        .filter(|function| frees_of_others(**function))
        .map(ops::symbol_name)
        .collect();
    let mut before = 0;
    while freeing.len() > before {
        before = freeing.len();
        for function in functions {
            let calls = raw::operations(*function);
            if calls.iter().filter_map(ops::callee).any(|callee| freeing.contains(&callee)) {
                freeing.insert(ops::symbol_name(function));
            }
        }
    }
    hidden.extend(freeing);
    hidden
}

/// Replaces functions that manage their memory themselves by declarations.
pub fn hide<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let functions: Vec<_> =
        raw::block_operations(module.body()).into_iter().filter(ops::is_function).collect();
    let hidden = managing_memory(&functions);
    for function in functions {
        if !hidden.contains(&ops::symbol_name(&function)) {
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

/// Whether a function frees a buffer that it has not allocated itself.
fn frees_of_others(function: OperationRef) -> bool {
    raw::operations(function).iter().any(|operation| {
        if raw::name(operation) != "memref.dealloc" {
            return false;
        }
        let definition = operation.operand(0).ok().and_then(raw::defining_operation);
        definition.is_none_or(|definition| raw::name(&definition) != "memref.alloc")
    })
}

fn manages_memory(function: OperationRef) -> bool {
    raw::blocks(function).len() > 1
        || raw::operations(function).iter().any(|op| raw::name(op) == "memref.dealloc")
}
