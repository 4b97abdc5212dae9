//! Buffers of static shape become plain pointers: what uses them needs no descriptor.
//!
//! Input: functions on memrefs, before the conversion to the LLVM dialect. Output: the same; loads,
//! stores, copies and allocations of buffers whose type says everything about them (static shape, no
//! strides, default memory space) are operations of the LLVM dialect on their address, and private
//! functions that only use such a parameter in these ways take the address. A descriptor of rank 2 is
//! seven values: without them the LLVM dialect of a Toy program has a third of the operations.
//!
//! Invariants: an operation that is not listed in [`analyze`] keeps its memref, and so does every value
//! that it uses; what is listed reads the address out of such a memref's descriptor. Public
//! functions, declarations and functions whose address is taken keep their types. An allocation is
//! a pointer only if nothing but the listed operations uses it, because a descriptor has two: the
//! one to free and the one to the elements.
//!
//! Tutorial: chapter 12.

mod analyze;
mod rewrite;

use crate::diagnostic::Diagnosed;
use crate::mlir::pass::{PassContext, PassDefinition};
use crate::mlir::raw;
use melior::ir::r#type::MemRefType;
use melior::ir::{Module, ShapedTypeLike, Type};

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-plain-pointers",
    "Lowers buffers of static shape to plain pointers where no descriptor is needed",
    run,
);

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let context = context.session.context();
    // The operations it makes are built by name, so their dialect must be there.
    context.get_or_load_dialect("llvm");
    if let Some(plan) = analyze::analyze(module) {
        rewrite::rewrite(context, module, &plan);
    }
    Ok(())
}

/// A buffer type that says everything about its buffers but the address.
struct Plain<'c> {
    element: Type<'c>,
    /// Bytes of an element.
    size: u64,
    sizes: Vec<u64>,
}

impl Plain<'_> {
    /// The bytes of a buffer; None if there are too many to count.
    fn bytes(&self) -> Option<i64> {
        let count = self.sizes.iter().try_fold(self.size, |count, size| count.checked_mul(*size));
        count.and_then(|count| i64::try_from(count).ok())
    }
}

/// The type taken apart if it is such a type, and has elements.
fn plain<'c>(ty: Type<'c>) -> Option<Plain<'c>> {
    let ty = MemRefType::try_from(ty).ok()?;
    if !raw::has_identity_layout(ty) || raw::has_memory_space(ty) {
        return None;
    }
    let element = ty.element();
    // The types of which the LLVM dialect has the same.
    let size = match raw::float_width(element) {
        Some(width @ (16 | 32 | 64)) => u64::from(width) / 8,
        Some(_) => return None,
        None => match raw::signless_width(element)? {
            width @ (8 | 16 | 32 | 64) => u64::from(width) / 8,
            _ => return None,
        },
    };
    let plain = Plain { element, size, sizes: raw::static_sizes(ty)? };
    plain.bytes().filter(|bytes| *bytes > 0).map(|_| plain)
}
