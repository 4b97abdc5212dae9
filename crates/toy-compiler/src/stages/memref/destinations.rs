//! toy-destinations: computes values directly in the destinations they are materialized in.
//!
//! Input: structured functions on tensors, after fusion and before One-Shot Bufferize. Output: the same; where a
//! `bufferization.materialize_in_destination` ends a chain of operations that begins in an empty tensor, the chain
//! begins in the destination.
//!
//! ```mlir
//! %e = tensor.empty()                            %d = bufferization.to_tensor %buffer restrict writable
//! %f = linalg.fill outs(%e)                =>    %f = linalg.fill outs(%d)
//! %r = linalg.matmul outs(%f)                    %r = linalg.matmul outs(%f)
//! materialize_in_destination %r in %buffer       materialize_in_destination %r in %buffer
//! ```
//!
//! One-Shot then leaves a copy of the buffer to itself. The destination is written earlier than in the input, so from
//! the first operation of the chain to the last use of its result, nothing else may access it:
//!
//! * no operation on buffers, unless its buffers are others for certain;
//! * no tensor that may be in the destination. Tensors of different arguments are taken for different memory:
//!   `restrict` says so, and a tensor argument has no buffer that the function can name;
//! * no call, unless of a function that computes tensors alone.
//!
//! Upstream's `eliminate-empty-tensors`, which computes insertions in place, checks none of this. So a materialization
//! in a buffer that is not changed here becomes a `memref.copy`, which that pass does not know.
//!
//! Tutorial: chapter 8.

mod access;
mod chain;

use crate::dialect::ops;
use crate::stages::memref::destinations::access::Destination;
use crate::stages::memref::destinations::chain::Chain;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::r#type::{DimSize, MemRefType, RankedTensorType};
use melior::ir::{Attribute, BlockLike, Module, ShapedTypeLike, Type, Value, ValueLike};
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::{Builder, ir, raw};
use std::collections::{HashMap, HashSet};
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-destinations",
    "Computes tensors in the destinations that they are materialized in",
    run,
);

const MATERIALIZE: &str = "bufferization.materialize_in_destination";

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let functions = ops::functions(module).into_iter();
    let (changed, others): (Vec<_>, Vec<_>) =
        functions.partition(|function| ir::any(*function, |one| ir::name(&one) == MATERIALIZE));
    if changed.is_empty() {
        return Ok(());
    }
    let all = changed.iter().chain(&others);
    let isolated = all.filter(|function| access::computes_tensors(**function));
    let isolated: HashSet<_> = isolated.map(ops::symbol_name).collect();
    for function in changed {
        let mut text = Text::of(function, &isolated);
        let materializations = text.operations.iter().copied();
        let materializations: Vec<_> =
            materializations.filter(|operation| ir::name(operation) == MATERIALIZE).collect();
        let mut others = Vec::new();
        for operation in materializations {
            if place(context, &mut text, operation).is_none() {
                others.push(operation);
            }
        }
        // Only now: a copy does not say that its buffers are different.
        for operation in others {
            copy_instead(context, operation);
        }
    }
    Ok(())
}

/// A function in the order of the text. The operations that the pass adds are not in it.
struct Text<'c, 'a, 'f> {
    operations: Vec<OperationRef<'c, 'a>>,
    /// The numbers of the operations, by address.
    numbers: HashMap<usize, usize>,
    /// The buffers that the function reads or writes as tensors, with those that the pass adds.
    buffers: Vec<Value<'c, 'a>>,
    /// The functions that access only the buffers of their tensors.
    isolated: &'f HashSet<String>,
}

impl<'c: 'a, 'a, 'f> Text<'c, 'a, 'f> {
    fn of(function: OperationRef<'c, 'a>, isolated: &'f HashSet<String>) -> Self {
        let operations = ir::operations(function);
        let numbers = operations.iter().enumerate().map(|(at, one)| (ir::id(*one), at)).collect();
        let tensors = operations.iter().filter(|it| ir::name(*it) == "bufferization.to_tensor");
        let buffers = tensors.filter_map(|tensor| tensor.operand(0).ok()).collect();
        Self { operations, numbers, buffers, isolated }
    }

    fn number(&self, operation: OperationRef) -> Option<usize> {
        self.numbers.get(&ir::id(operation)).copied()
    }
}

/// Computes the source of a materialization in its destination; None: it cannot be, and nothing is changed.
fn place<'c: 'a, 'a>(
    context: &PassContext<'c>,
    text: &mut Text<'c, 'a, '_>,
    operation: OperationRef<'c, 'a>,
) -> Option<()> {
    let (source, target) = (operation.operand(0).ok()?, operation.operand(1).ok()?);
    let is_buffer = ops::is_buffer(target.r#type());
    if !(if is_buffer { has_shape(target, source) } else { target.r#type() == source.r#type() }) {
        return None;
    }
    let chain = Chain::of(operation, source, text)?;
    let destination = Destination { value: target, is_buffer };
    if !destination.is_free(text, operation, &chain) {
        return None;
    }
    let before = chain.first;
    let movable = definitions_after(target, before, text)?;
    let block = before.block()?;
    for definition in movable {
        // SAFETY: it is put back at once, before its first user and after its operands.
        block.insert_operation_before(before, unsafe { raw::detach(definition) });
    }
    let value = if is_buffer {
        text.buffers.push(target);
        let code = Builder::before(context.session.context(), before).located(operation.location());
        let unit = Attribute::unit(code.context);
        let flags = [("restrict", unit), ("writable", unit)];
        code.value("bufferization.to_tensor", &[target], source.r#type(), &flags)
    } else {
        target
    };
    for (start, operand) in chain.starts {
        ir::mutable(start).set_operand(operand, value);
    }
    Some(())
}

/// True if a buffer in the default memory space has the shape and the elements of a tensor.
fn has_shape(buffer: Value, tensor: Value) -> bool {
    let (Ok(buffer), Ok(tensor)) =
        (MemRefType::try_from(buffer.r#type()), RankedTensorType::try_from(tensor.r#type()))
    else {
        return false;
    };
    let sizes = |at| (buffer.dim_size(at).ok(), tensor.dim_size(at).ok());
    !ir::has_memory_space(buffer)
        && buffer.element() == tensor.element()
        && buffer.rank() == tensor.rank()
        && (0..buffer.rank()).map(sizes).all(|(one, other)| one == other)
}

/// The definitions of a destination that have to move before an operation, in the order of the text; None if one
/// of them cannot move.
fn definitions_after<'c: 'a, 'a>(
    value: Value<'c, 'a>,
    before: OperationRef<'c, 'a>,
    text: &Text<'c, 'a, '_>,
) -> Option<Vec<OperationRef<'c, 'a>>> {
    /// More than a view with all its offsets, sizes and strides.
    const MOST: usize = 64;
    let here = text.number(before)?;
    let mut moving: Vec<(usize, OperationRef)> = Vec::new();
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        let Some(definition) = ir::defining_operation(value) else { continue };
        // A definition outside of the text was put before an earlier chain, or in this block by another one.
        let Some(number) = text.number(definition) else { continue };
        if number < here || moving.iter().any(|(other, _)| *other == number) {
            continue;
        }
        let moves = access::is_view(definition)
            || ["arith.", "affine.apply", "index.", "memref.dim", "memref.get_global"]
                .iter()
                .any(|name| ir::name(&definition).starts_with(name));
        if !moves || definition.region_count() > 0 || moving.len() == MOST {
            return None;
        }
        moving.push((number, definition));
        pending.extend(definition.operands());
    }
    moving.sort_by_key(|(number, _)| *number);
    Some(moving.into_iter().map(|(_, definition)| definition).collect())
}

/// Replaces a materialization in a buffer by a copy.
fn copy_instead<'c>(context: &PassContext<'c>, operation: OperationRef<'c, '_>) {
    let (source, target) = (ir::operand(operation, 0), ir::operand(operation, 1));
    let context = context.session.context();
    let (Ok(tensor), true) =
        (RankedTensorType::try_from(source.r#type()), ops::is_buffer(target.r#type()))
    else {
        return;
    };
    // The source may be a part of another tensor.
    let rank = tensor.rank();
    let strides = vec!["?"; rank].join(", ");
    let layout = Attribute::parse(context, &format!("strided<[{strides}], offset: ?>"));
    let size = |at| match tensor.dim_size(at).ok()? {
        DimSize::Static(size) => i64::try_from(size).ok(),
        // As MLIR writes a size that is not known.
        DimSize::Dynamic => Some(i64::MIN),
    };
    let sizes: Option<Vec<_>> = (0..rank).map(size).collect();
    let (Some(layout), Some(sizes)) = (layout, sizes) else { return };
    let ty: Type = MemRefType::new(tensor.element(), &sizes, Some(layout), None).into();
    let code = Builder::before(context, operation);
    let read_only = [("read_only", Attribute::unit(context))];
    code.copy(code.value("bufferization.to_buffer", &[source], ty, &read_only), target);
    ir::erase(operation);
}
