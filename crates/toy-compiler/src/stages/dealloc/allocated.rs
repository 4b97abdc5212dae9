//! Lets deallocation compare allocations, not the addresses of elements.
//!
//! Ownership-based deallocation of LLVM 22 finds out at run time if two buffers are one by comparing the addresses of
//! their elements. A `memref.view` with an offset has other addresses than the allocation that it is a part of: the
//! allocation was freed while it was in use, or twice. The pointer that is freed is the same for all views.
//!
//! * [`lower_deallocations`]: input: `bufferization.dealloc`. Output: the comparisons, in which addresses are marked
//!   with `toyc.allocated`. Comparisons of the input keep their meaning.
//! * [`read_pointers`]: input: marked addresses, before the conversion to the LLVM dialect. Output: the allocated
//!   pointer, read from the descriptor, in their place.
//!
//! Tutorial: chapter 10.

use crate::dialect::ops;
use melior::dialect::llvm::r#type::{array, r#struct};
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Module, Type, TypeLike, ValueLike};
use mlir_support::pass::{PassContext, PassDefinition, Workaround, run_upstream};
use mlir_support::{Builder, ir};
use std::collections::HashSet;
use toy_diagnostics::Diagnosed;

const ADDRESS: &str = "memref.extract_aligned_pointer_as_index";

/// The attribute of an address that stands for the allocation.
const ALLOCATED: &str = "toyc.allocated";

/// The bug that makes both passes necessary.
const BUG: Workaround = Workaround {
    issue: "deallocation compares the addresses of elements, and those of a `memref.view` with an offset are others than the allocation has",
    since: "22.1",
    delete_when: "it compares allocated pointers: tests/filecheck/known_bugs/shifted_views.mlir passes without it",
};

pub const LOWER_DEALLOCATIONS: PassDefinition = PassDefinition::wrapping(
    "toy-bufferization-lower-deallocations",
    "Runs bufferization-lower-deallocations and marks the addresses that it compares",
    lower_deallocations,
)
.standing_in_for("bufferization-lower-deallocations")
.working_around(BUG);

/// The first pass.
pub fn lower_deallocations<'c>(
    context: &PassContext<'c>,
    module: &mut Module<'c>,
) -> Diagnosed<()> {
    let given: HashSet<usize> = addresses(module).into_iter().map(ir::id).collect();
    run_upstream(context, module, "bufferization-lower-deallocations")?;
    let unit = Attribute::unit(context.session.context());
    let new = addresses(module).into_iter().filter(|address| !given.contains(&ir::id(*address)));
    new.for_each(|address| ir::set_attribute(address, ALLOCATED, unit));
    Ok(())
}

fn addresses<'c, 'a>(module: &'a Module<'c>) -> Vec<OperationRef<'c, 'a>> {
    let mut operations = ir::operations(module.as_operation());
    operations.retain(|operation| ir::name(operation) == ADDRESS);
    operations
}

pub const READ_POINTERS: PassDefinition = PassDefinition::new(
    "toy-allocated-pointers",
    "Reads the addresses that deallocation compares from the pointers that are freed",
    read_pointers,
)
.working_around(BUG);

/// The second pass.
pub fn read_pointers<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let mut marked = addresses(module);
    marked.retain(|address| address.has_attribute(ALLOCATED));
    if !marked.is_empty() {
        // The pass builds operations by name, so their dialect must be loaded.
        context.session.context().get_or_load_dialect("llvm");
    }
    marked.into_iter().for_each(|address| read_pointer(context, address));
    Ok(())
}

fn read_pointer<'c>(context: &PassContext<'c>, address: OperationRef<'c, '_>) {
    let context = context.session.context();
    let buffer = ir::operand(address, 0);
    let Some(ty) = ir::strided(buffer.r#type()) else { return };
    let space = ty
        .space
        .map_or(Some(0), |space| IntegerAttribute::try_from(space).ok().map(|space| space.value()));
    // The conversion rejects buffers in other spaces.
    let Some(space) = space else { return };
    let pointer = |space| match space {
        0 => Type::parse(context, "!llvm.ptr").expect("a valid type"),
        _ => Type::parse(context, &format!("!llvm.ptr<{space}>")).expect("a valid type"),
    };
    let i64: Type = IntegerType::new(context, 64).into();
    let is_ranked = buffer.r#type().is_mem_ref();
    let mut fields = vec![i64, pointer(0)];
    if is_ranked {
        fields = vec![pointer(space), pointer(space), i64];
        if !ty.sizes.is_empty() {
            fields.extend([array(i64, ty.sizes.len() as u32); 2]);
        }
    }
    let code = Builder::before(context, address);
    let extract = |from, position, ty| {
        let position = [("position", code.numbers(&[position]))];
        code.value("llvm.extractvalue", &[from], ty, &position)
    };
    let descriptor = r#struct(context, &fields, false);
    let descriptor = code.value("builtin.unrealized_conversion_cast", &[buffer], descriptor, &[]);
    let allocated = if is_ranked {
        extract(descriptor, 0, pointer(space))
    } else {
        // A descriptor without rank points to one with a rank, which begins with this pointer.
        let ranked = extract(descriptor, 1, pointer(0));
        code.value("llvm.load", &[ranked], pointer(space), &[("ordering", code.number(0))])
    };
    let number = code.value("llvm.ptrtoint", &[allocated], i64, &[]);
    let number = code.value("arith.index_cast", &[number], Type::index(context), &[]);
    ir::replace_all_uses(ops::result(address), number);
    ir::erase(address);
}
