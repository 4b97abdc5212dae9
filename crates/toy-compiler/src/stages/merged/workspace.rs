//! The temporaries of exported functions: their memory is the caller's.
//!
//! Input: functions on buffers after merge-alloc, some of them with the attribute `toy.export` ([`record`]). Output:
//! the remaining allocations of an entry function become its last parameter, the arena of its call tree. Invariant: its
//! record has the size of the workspace. Deny by default: memory that this pass does not know stays allocated, and
//! `mlir_llvm/c_interface.rs` rejects it.

use crate::dialect::ops;
use crate::interface::WORKSPACE_ALIGNMENT;
use crate::interface::record;
use melior::Context;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::{IntegerType, MemRefType};
use melior::ir::{BlockLike, Module, Type, Value, ValueLike};
use merge_alloc::analysis::sizes;
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::{Builder, ir};
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-export-workspace",
    "Lets callers of exported functions give the memory for temporaries",
    run,
);

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    for function in record::entries(module) {
        take_workspace(context.session.context(), function)?;
    }
    Ok(())
}

fn take_workspace<'c>(context: &'c Context, function: OperationRef<'c, '_>) -> Diagnosed<()> {
    let Some(mut record) = record::of(&function) else { return Ok(()) };
    let Some(block) = ops::entry_block(function) else { return Ok(()) };
    let mut total: u64 = 0;
    let mut places = Vec::new();
    for allocation in ir::block_operations(block) {
        let buffer = match ir::name(&allocation) {
            "memref.alloc" if allocation.operand_count() == 0 => ops::result(allocation),
            _ => continue,
        };
        let Some(layout) = MemRefType::try_from(buffer.r#type()).ok().and_then(plain_layout) else {
            continue;
        };
        if ir::users(buffer).iter().any(|user| ir::name(user) == "memref.dealloc") {
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
    let workspace = block.add_argument(ty, function.location());
    for (allocation, start) in places {
        let old = ops::result(allocation);
        let new = if ops::same_type(old.r#type(), ty) {
            workspace
        } else {
            view(context, allocation, workspace, start)
        };
        ir::replace_all_uses(old, new);
        ir::erase(allocation);
    }
    record::set_type(context, function);
    // Callers may begin anywhere.
    record.function.workspace = total + WORKSPACE_ALIGNMENT - 1;
    record::set(context, function, &record);
    Ok(())
}

/// The maximum number of bytes that all temporaries of a function may have.
const MAX_BYTES: u64 = 1 << 46;

/// The size in bytes of a buffer without strides in the default memory space.
fn plain_layout(ty: MemRefType) -> Option<u64> {
    if !ir::has_identity_layout(ty) || ir::has_memory_space(ty) {
        return None;
    }
    ir::static_sizes(ty)?;
    sizes::of_buffer(ty).map(|layout| layout.size)
}

/// A part of the workspace in the place of an allocation.
fn view<'c, 'a>(
    context: &'c Context,
    allocation: OperationRef<'c, 'a>,
    workspace: Value<'c, 'a>,
    start: u64,
) -> Value<'c, 'a> {
    let ty = ops::result(allocation).r#type();
    Builder::before(context, allocation).view(workspace, start, ty)
}

fn too_large(record: &record::Record) -> Diagnostic {
    let signature = &record.function.signature;
    let message = format!("the temporaries of the exported function `{signature}` are too large");
    Diagnostic::error(codes::BAD_EXPORT_MEMORY, message).help("export it for smaller shapes")
}
