//! The memory of exported functions: their results and temporaries are the caller's.
//!
//! * [`results`]: after bufferization, an entry function returns buffers. Each becomes one more parameter. What
//!   was allocated for a result is that parameter; anything else (an argument, a constant, the same result
//!   again) is copied to it.
//! * [`workspace`]: after merge-alloc, what an entry function still allocates becomes its last parameter: the
//!   arena of its call tree.
//!
//! Input and output: functions on buffers, some of them with the attribute `toy.export`
//! ([`record`]). Invariant: an entry function has one parameter for each tensor and at most one more, and
//! returns nothing; its record says the shapes of the results, and the size of the workspace. Deny by
//! default: memory that these passes do not know stays allocated, and `lower/c_interface.rs` rejects it.

use crate::dialect::ops;
use crate::interface::record;
use crate::interface::{Shape, WORKSPACE_ALIGNMENT};
use crate::transform::ownership::TENSOR_RESULTS;
use melior::Context;
use melior::dialect::arith;
use melior::ir::attribute::{ArrayAttribute, DictionaryAttribute, IntegerAttribute};
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef};
use melior::ir::r#type::{IntegerType, MemRefType};
use melior::ir::{BlockLike, Module, ShapedTypeLike, Type, TypeLike, Value, ValueLike};
use merge_alloc::analysis::sizes;
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::raw;
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

pub const RESULTS: PassDefinition = PassDefinition::new(
    "toy-export-results",
    "Lets callers of exported functions say where the results go",
    results,
);

/// The pass.
pub fn results<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    for function in entries(module) {
        give_results(context.session.context(), function)?;
    }
    Ok(())
}

pub const WORKSPACE: PassDefinition = PassDefinition::new(
    "toy-export-workspace",
    "Lets callers of exported functions give the memory for temporaries",
    workspace,
);

/// The pass.
pub fn workspace<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    for function in entries(module) {
        take_workspace(context.session.context(), function)?;
    }
    Ok(())
}

fn entries<'c, 'a>(module: &'a Module<'c>) -> Vec<OperationRef<'c, 'a>> {
    let mut functions = raw::block_operations(module.body());
    functions.retain(|function| {
        ops::is_function(function)
            && function.has_attribute(record::ATTRIBUTE)
            && raw::blocks(*function).len() == 1
    });
    functions
}

fn give_results<'c>(context: &'c Context, function: OperationRef<'c, '_>) -> Diagnosed<()> {
    let Some(mut record) = record::of(&function) else { return Ok(()) };
    let Some(block) = ops::entry_block(function) else { return Ok(()) };
    let Some(end) = raw::block_operations(block).pop() else { return Ok(()) };
    if raw::name(&end) != "func.return" || end.operand_count() == 0 {
        return Ok(());
    }
    if end.operand_count() != record.function.results.len() {
        return Err(Diagnostic::internal("an exported function has lost a result").into());
    }
    for (index, result) in record.function.results.iter_mut().enumerate() {
        // Not before: it may be what has just become a parameter.
        let value = raw::operand(end, index);
        let Some(shape) = shape_of(value.r#type()) else {
            return Err(not_a_buffer(&record.function.signature, value.r#type()).into());
        };
        result.shape = shape;
        let own = allocation(value);
        let ty = own.map_or(value.r#type(), |allocation| ops::result(allocation).r#type());
        let parameter = raw::append_argument(block, ty, function.location());
        match own {
            Some(allocation) => {
                raw::replace_all_uses(ops::result(allocation), parameter);
                raw::erase(allocation);
            }
            None => {
                let copy = OperationBuilder::new("memref.copy", end.location())
                    .add_operands(&[value, parameter])
                    .build()
                    .expect("a well-formed memref.copy");
                block.insert_operation_before(end, copy);
            }
        }
        record.buffers.push(shape_of(ty).unwrap_or_else(|| result.shape.clone()));
    }
    block.insert_operation_before(end, ops::return_op(end.location(), &[]));
    raw::erase(end);
    raw::remove_attribute(function, TENSOR_RESULTS);
    set_type(context, function);
    record::set(context, function, &record);
    Ok(())
}

/// The allocation of the function's own block in which a returned buffer is, as it is or with another shape.
fn allocation<'c: 'a, 'a>(value: Value<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    const RESHAPES: [&str; 3] = ["memref.expand_shape", "memref.collapse_shape", "memref.reshape"];
    let count = |ty| shape_of(ty).and_then(|shape| shape.element_count());
    let mut source = raw::defining_operation(value)?;
    while RESHAPES.contains(&raw::name(&source)) {
        source = raw::defining_operation(raw::operand(source, 0))?;
    }
    let buffer = (raw::name(&source) == "memref.alloc").then(|| ops::result(source))?;
    let is_freed = raw::users(buffer).iter().any(|user| raw::name(user) == "memref.dealloc");
    let is_own = raw::parent(source).is_some_and(|parent| ops::is_function(&parent));
    (is_own && !is_freed && count(buffer.r#type()) == count(value.r#type())).then_some(source)
}

/// The sizes of a buffer of f64 without strides, in the default memory space.
fn shape_of(ty: Type) -> Option<Shape> {
    let buffer = MemRefType::try_from(ty).ok()?;
    let is_plain = raw::has_identity_layout(buffer) && !raw::has_memory_space(buffer);
    let shape = Shape(raw::static_sizes(buffer)?);
    (is_plain && buffer.element().is_f64() && shape.fits()).then_some(shape)
}

fn take_workspace<'c>(context: &'c Context, function: OperationRef<'c, '_>) -> Diagnosed<()> {
    let Some(mut record) = record::of(&function) else { return Ok(()) };
    let Some(block) = ops::entry_block(function) else { return Ok(()) };
    let mut total: u64 = 0;
    let mut places = Vec::new();
    for allocation in raw::block_operations(block) {
        let buffer = match raw::name(&allocation) {
            "memref.alloc" if allocation.operand_count() == 0 => ops::result(allocation),
            _ => continue,
        };
        let Some(layout) = MemRefType::try_from(buffer.r#type()).ok().and_then(plain_layout) else {
            continue;
        };
        if raw::users(buffer).iter().any(|user| raw::name(user) == "memref.dealloc") {
            continue;
        }
        let wanted = ops::attribute(&allocation, "alignment")
            .and_then(|alignment| IntegerAttribute::try_from(alignment).ok())
            .map_or(1, |alignment| alignment.unsigned_value());
        if wanted > WORKSPACE_ALIGNMENT {
            continue;
        }
        let end = total.checked_next_multiple_of(WORKSPACE_ALIGNMENT).and_then(|start| {
            places.push((allocation, start));
            start.checked_add(layout)
        });
        total = end.filter(|end| *end <= MAX_BYTES).ok_or_else(|| too_large(&record))?;
    }
    if places.is_empty() {
        return Ok(());
    }
    let bytes = Type::from(IntegerType::new(context, 8));
    let ty = MemRefType::new(bytes, &[total as i64], None, None).into();
    let workspace = raw::append_argument(block, ty, function.location());
    for (allocation, start) in places {
        let old = ops::result(allocation);
        let new = if ops::same_type(old.r#type(), ty) {
            workspace
        } else {
            view(context, allocation, workspace, start)
        };
        raw::replace_all_uses(old, new);
        raw::erase(allocation);
    }
    set_type(context, function);
    // Callers may begin anywhere.
    record.function.workspace = total + WORKSPACE_ALIGNMENT - 1;
    record::set(context, function, &record);
    Ok(())
}

/// The most bytes that all temporaries of a function may have.
const MAX_BYTES: u64 = 1 << 46;

/// The size in bytes of a buffer without strides in the default memory space.
fn plain_layout(ty: MemRefType) -> Option<u64> {
    if !raw::has_identity_layout(ty) || raw::has_memory_space(ty) {
        return None;
    }
    raw::static_sizes(ty)?;
    sizes::of_buffer(ty).map(|layout| layout.size)
}

/// A part of the workspace in the place of an allocation.
fn view<'c, 'a>(
    context: &'c Context,
    allocation: OperationRef<'c, 'a>,
    workspace: Value<'c, 'a>,
    start: u64,
) -> Value<'c, 'a> {
    let block = allocation.block().expect("an allocation is in a block");
    let index = IntegerAttribute::new(Type::index(context), start as i64).into();
    let start = arith::constant(context, index, allocation.location());
    let start = ops::result(block.insert_operation_before(allocation, start));
    let view = OperationBuilder::new("memref.view", allocation.location())
        .add_operands(&[workspace, start])
        .add_results(&[ops::result(allocation).r#type()])
        .build()
        .expect("a well-formed memref.view");
    ops::result(block.insert_operation_before(allocation, view))
}

/// Gives a function the type that its block has, no results, and as many attributes of arguments.
fn set_type<'c>(context: &'c Context, function: OperationRef<'c, '_>) {
    let Some(block) = ops::entry_block(function) else { return };
    let inputs: Vec<_> = (0..block.argument_count())
        .filter_map(|index| block.argument(index).ok())
        .map(|argument| argument.r#type())
        .collect();
    raw::set_attribute(function, "function_type", ops::function_type_of(context, &inputs, &[]));
    raw::remove_attribute(function, "res_attrs");
    let old = ops::attribute(&function, "arg_attrs").map(ArrayAttribute::try_from);
    if let Some(Ok(old)) = old {
        let none = DictionaryAttribute::new(context, &[]).into();
        let all: Vec<_> =
            (0..inputs.len()).map(|index| old.element(index).unwrap_or(none)).collect();
        raw::set_attribute(function, "arg_attrs", ArrayAttribute::new(context, &all).into());
    }
}

fn not_a_buffer(signature: &str, ty: Type) -> Diagnostic {
    let message = format!("the exported function `{signature}` returns a buffer of type `{ty}`");
    Diagnostic::error(codes::BAD_EXPORTED_FUNCTION, message)
        .help("a function that is exported takes and returns tensors of f64 of known sizes")
}

fn too_large(record: &record::Record) -> Diagnostic {
    let signature = &record.function.signature;
    let message = format!("the temporaries of the exported function `{signature}` are too large");
    Diagnostic::error(codes::BAD_EXPORT_MEMORY, message).help("export it for smaller shapes")
}
