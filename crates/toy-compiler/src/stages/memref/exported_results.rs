//! The results of exported functions: their memory is the caller's.
//!
//! Input: functions on buffers, some of them with the attribute `toy.export` ([`record`]). Output: an entry function
//! returns nothing and has one more parameter for each buffer that it returned. A buffer allocated for a result is
//! replaced by the parameter; anything else (an argument, a constant, the same result again) is copied to it.
//! Invariant: its record has the shapes of the results.

use super::results::TENSOR_RESULTS;
use crate::dialect::ops;
use crate::dialect::shape::element_of_type;
use crate::interface::record;
use crate::interface::{Shape, TensorType, exportable};
use melior::Context;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::MemRefType;
use melior::ir::{BlockLike, Module, ShapedTypeLike, Type, Value, ValueLike};
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::{Builder, buffers, ir};
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-export-results",
    "Lets callers of exported functions say where the results go",
    run,
);

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    for function in record::entries(module) {
        give_results(context.session.context(), function)?;
    }
    Ok(())
}

fn give_results<'c>(context: &'c Context, function: OperationRef<'c, '_>) -> Diagnosed<()> {
    let Some(mut record) = record::of(&function) else { return Ok(()) };
    let Some(block) = ops::entry_block(function) else { return Ok(()) };
    let Some(end) = ir::block_operations(block).pop() else { return Ok(()) };
    if ir::name(&end) != "func.return" || end.operand_count() == 0 {
        return Ok(());
    }
    if end.operand_count() != record.function.results.len() {
        return Err(Diagnostic::internal("an exported function has lost a result").into());
    }
    for (index, result) in record.function.results.iter_mut().enumerate() {
        // Not earlier: the operand may have just become a parameter.
        let value = ir::operand(end, index);
        let Some(buffer) = type_of(value.r#type()) else {
            return Err(not_a_buffer(&record.function.signature, value.r#type()).into());
        };
        result.ty = buffer;
        let own = allocation(value);
        let ty = own.map_or(value.r#type(), |allocation| ops::result(allocation).r#type());
        let parameter = block.add_argument(ty, function.location());
        match own {
            Some(allocation) => {
                ir::replace_all_uses(ops::result(allocation), parameter);
                ir::erase(allocation);
            }
            None => Builder::before(context, end).copy(value, parameter),
        }
        record.buffers.push(type_of(ty).unwrap_or_else(|| result.ty.clone()).shape);
    }
    block.insert_operation_before(end, ops::return_op(end.location(), &[]));
    ir::erase(end);
    ir::remove_attribute(function, TENSOR_RESULTS);
    record::set_type(context, function);
    record::set(context, function, &record);
    Ok(())
}

/// The allocation of the function's own block in which a returned buffer is, as it is or with another shape.
fn allocation<'c: 'a, 'a>(value: Value<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    let bytes = |ty| type_of(ty).and_then(|ty| ty.bytes());
    let mut source = ir::defining_operation(value)?;
    // The caller's buffer does not keep a promise about the alignment of this one.
    while ir::name(&source) != "memref.assume_alignment"
        && let Some(whole) = buffers::view_source(source)
    {
        source = ir::defining_operation(whole)?;
    }
    let buffer = (ir::name(&source) == "memref.alloc").then(|| ops::result(source))?;
    let is_freed = ir::users(buffer).iter().any(|user| ir::name(user) == "memref.dealloc");
    let is_own = source.parent_operation().is_some_and(|parent| ops::is_function(&parent));
    (is_own && !is_freed && bytes(buffer.r#type()) == bytes(value.r#type())).then_some(source)
}

/// The type of the tensor in a buffer without strides, in the default memory space.
fn type_of(ty: Type) -> Option<TensorType> {
    let buffer = MemRefType::try_from(ty).ok()?;
    let is_plain = ir::has_identity_layout(buffer) && !ir::has_memory_space(buffer);
    let element = element_of_type(buffer.element())?;
    let tensor = TensorType { element, shape: Shape(ir::static_sizes(buffer)?) };
    (is_plain && tensor.fits()).then_some(tensor)
}

fn not_a_buffer(signature: &str, ty: Type) -> Diagnostic {
    let message = format!("the exported function `{signature}` returns a buffer of type `{ty}`");
    Diagnostic::error(codes::BAD_EXPORTED_FUNCTION, message).help(exportable())
}
