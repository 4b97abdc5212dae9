//! Checks if two buffers of an operation share memory.
//!
//! A buffer is followed through views to its *root*, an allocation, a global or an argument, with the offset
//! in bytes that the views add up to.
//!
//! Iterations of parallel loops have no order, so that an operation may read an element of its result only at
//! the index it writes; merge-alloc and `toy-in-place` ensure this. This analysis is about views of one root,
//! where it can be checked.

use crate::dialect::ops::{self, same_type};
use melior::ir::r#type::MemRefType;
use melior::ir::{TypeLike, Value, ValueLike};
use merge_alloc::analysis::sizes;
use mlir_support::{buffers, ir};
use std::ops::Range;

/// The overlap of two buffers of an operation.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Overlap {
    /// They share no byte, or have different roots: then the elements that they share have the same index.
    Apart,
    /// They start at the same byte.
    Same,
    /// They may overlap in any way.
    Unknown,
}

/// The overlap of two buffers of an operation.
pub fn overlap<'c: 'a, 'a>(a: Value<'c, 'a>, b: Value<'c, 'a>) -> Overlap {
    if root(a) != root(b) {
        return Overlap::Apart;
    }
    let Some((one, other)) = bytes(a).zip(bytes(b)) else { return Overlap::Unknown };
    let is_plain = is_plain(a) && is_plain(b);
    match () {
        () if one == other && (is_plain || same_type(a.r#type(), b.r#type())) => Overlap::Same,
        () if one.end <= other.start || other.end <= one.start => Overlap::Apart,
        () => Overlap::Unknown,
    }
}

/// The identity of the memory: two uses of one global are two operations.
fn root<'c: 'a, 'a>(buffer: Value<'c, 'a>) -> usize {
    let base = buffers::base(buffer);
    let global = ir::defining_operation(base).filter(|it| ir::name(it) == "memref.get_global");
    let name = global.and_then(|global| ops::attribute(&global, "name"));
    name.map_or(ir::id(base), ir::id)
}

/// The bytes of the root that a buffer may access; None if they are not known before run time.
fn bytes<'c: 'a, 'a>(buffer: Value<'c, 'a>) -> Option<Range<u64>> {
    let ty = ir::strided(buffer.r#type()).filter(|_| buffer.r#type().is_mem_ref())?;
    let element = sizes::of_element(ty.element)?.size;
    let mut last = u64::try_from(ty.offset?).ok()?;
    let mut is_empty = false;
    for (size, stride) in ty.sizes.iter().zip(&ty.strides) {
        let (size, stride) = (u64::try_from((*size)?).ok()?, u64::try_from((*stride)?).ok()?);
        is_empty |= size == 0;
        last = last.checked_add(size.saturating_sub(1).checked_mul(stride)?)?;
    }
    // The offset of a type counts from where the last `memref.view` begins; no other view has another beginning.
    let mut start = 0u64;
    let mut at = buffer;
    while let Some(view) = ir::defining_operation(at)
        && let Some(source) = buffers::view_source(view)
    {
        if ir::name(&view) == "memref.view" {
            start = start.checked_add(constant(ir::operand(view, 1))?)?;
        }
        at = source;
    }
    let place = |index: u64| start.checked_add(index.checked_mul(element)?);
    let from = place(u64::try_from(ty.offset?).ok()?)?;
    Some(from..if is_empty { from } else { place(last.checked_add(1)?)? })
}

fn is_plain(buffer: Value) -> bool {
    MemRefType::try_from(buffer.r#type()).is_ok_and(ir::has_identity_layout)
}

fn constant(index: Value) -> Option<u64> {
    u64::try_from(ops::index_constant(ir::defining_operation(index)?)?).ok()
}
