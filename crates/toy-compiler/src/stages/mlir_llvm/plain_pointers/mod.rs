//! Lowers buffers of static shape to plain pointers, so that their uses need no descriptor.
//!
//! Input: functions on memrefs, before the conversion to the LLVM dialect. Output: the same; loads,
//! stores, copies and allocations of buffers whose type determines everything but the address (static
//! shape, no strides, default memory space) become operations of the LLVM dialect on that address, and
//! private functions that use a parameter only in these ways take the address. A descriptor of rank 2 is
//! seven values: without descriptors, a Toy program has a third of the operations in the LLVM dialect.
//!
//! Invariants: an operation that is not listed in [`analyze`] keeps its memref operands; a listed
//! operation on such a memref reads the address from its descriptor. Public functions, declarations and
//! functions whose address is taken keep their types. An allocation becomes a pointer only if all its
//! uses are listed, because a descriptor has two pointers: the one to free and the one to the elements.
//!
//! Tutorial: chapter 12.

mod analyze;
mod rewrite;

use melior::ir::r#type::MemRefType;
use melior::ir::{Module, ShapedTypeLike, Type};
use mlir_support::ir;
use mlir_support::pass::{PassContext, PassDefinition};
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-plain-pointers",
    "Lowers buffers of static shape to plain pointers where no descriptor is needed",
    run,
);

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let context = context.session.context();
    // The pass builds operations by name, so their dialect must be loaded.
    context.get_or_load_dialect("llvm");
    if let Some(plan) = analyze::analyze(module) {
        rewrite::rewrite(context, module, &plan);
    }
    Ok(())
}

/// A buffer type that determines everything about a buffer but its address.
struct Plain<'c> {
    element: Type<'c>,
    /// The size of an element in bytes.
    size: u64,
    sizes: Vec<u64>,
}

impl Plain<'_> {
    /// The size of a buffer in bytes; None on overflow.
    fn bytes(&self) -> Option<i64> {
        let count = self.sizes.iter().try_fold(self.size, |count, size| count.checked_mul(*size));
        count.and_then(|count| i64::try_from(count).ok())
    }
}

/// Decomposes a type, if it is plain and has at least one element.
fn plain<'c>(ty: Type<'c>) -> Option<Plain<'c>> {
    let ty = MemRefType::try_from(ty).ok()?;
    if !ir::has_identity_layout(ty) || ir::has_memory_space(ty) {
        return None;
    }
    let element = ty.element();
    // The element types that are also types of the LLVM dialect.
    let size = match ir::float_width(element) {
        Some(width @ (16 | 32 | 64)) => u64::from(width) / 8,
        Some(_) => return None,
        None => match ir::signless_width(element)? {
            width @ (8 | 16 | 32 | 64) => u64::from(width) / 8,
            _ => return None,
        },
    };
    let plain = Plain { element, size, sizes: ir::static_sizes(ty)? };
    plain.bytes().filter(|bytes| *bytes > 0).map(|_| plain)
}
