//! Checks if two buffers share memory.
//!
//! Input: two memrefs. Output: the overlap of the bytes that they may access, where both are views of one buffer
//! ([`buffers::base`]); for others, the kinds of their origins.
//!
//! Iterations of parallel loops have no order, so that an operation may read an element of its result only at
//! the index it writes; merge-alloc and `toy-in-place` ensure this. [`overlap`] is about views of one buffer, where it
//! can be checked. [`may_overlap`] denies by default: an unknown origin may be any memory.

use crate::dialect::ops::{attribute, same_type};
use melior::ir::attribute::DenseI64ArrayAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::MemRefType;
use melior::ir::{TypeLike, Value, ValueLike};
use merge_alloc::analysis::sizes;
use mlir_support::buffers::{self, Origin};
use mlir_support::{constants, ir};
use std::ops::Range;

/// The attributes of a `memref.subview`.
const SUBVIEW: [&str; 3] = ["static_offsets", "static_sizes", "static_strides"];

/// The overlap of two buffers of an operation.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Overlap {
    /// They share no byte, or have different bases: then the elements that they share have the same index.
    Apart,
    /// They are the same elements in the same order.
    Same,
    /// They may overlap in any way.
    Unknown,
}

/// The overlap of two buffers of an operation.
pub fn overlap<'c: 'a, 'a>(a: Value<'c, 'a>, b: Value<'c, 'a>) -> Overlap {
    if ir::id(a) == ir::id(b) {
        return Overlap::Same;
    }
    if base(a) != base(b) || are_disjoint(a, b) {
        return Overlap::Apart;
    }
    if let Some((one, other)) = same_part(a, b) {
        return overlap(one, other);
    }
    let have_one_layout = (is_plain(a) && is_plain(b)) || same_type(a.r#type(), b.r#type());
    match bytes(a).zip(bytes(b)) {
        Some((one, other)) if one == other && have_one_layout => Overlap::Same,
        _ => match bytes_around(a).zip(bytes_around(b)) {
            Some((one, other)) if one.end <= other.start || other.end <= one.start => {
                Overlap::Apart
            }
            _ => Overlap::Unknown,
        },
    }
}

/// The buffers that two buffers are the same part of, with one offset that is known only at run time.
fn same_part<'c: 'a, 'a>(
    one: Value<'c, 'a>,
    other: Value<'c, 'a>,
) -> Option<(Value<'c, 'a>, Value<'c, 'a>)> {
    let [first, second] = [one, other].map(|it| ir::defined_by(it, "memref.subview"));
    let (first, second) = first.zip(second)?;
    let sources = (ir::operand(first, 0), ir::operand(second, 0));
    let is_same = same_type(one.r#type(), other.r#type())
        && same_type(sources.0.r#type(), sources.1.r#type())
        && first.operands().skip(1).map(ir::id).eq(second.operands().skip(1).map(ir::id))
        && SUBVIEW.iter().all(|name| attribute(&first, name) == attribute(&second, name));
    is_same.then_some(sources)
}

/// The bytes of its base that a buffer may access, or more: those of the buffer that it is a part of, if its own are not
/// known.
fn bytes_around<'c: 'a, 'a>(buffer: Value<'c, 'a>) -> Option<Range<u64>> {
    let whole = || {
        let view = ir::defining_operation(buffer)?;
        let is_part =
            ["memref.subview", "memref.expand_shape", "memref.collapse_shape", "memref.cast"];
        is_part.contains(&ir::name(&view)).then(|| bytes_around(ir::operand(view, 0)))?
    };
    bytes(buffer).or_else(whole)
}

/// True if two buffers may share memory. If `restrict`, buffers that nothing in the function relates do not.
pub fn may_overlap<'c: 'a, 'a>(one: Value<'c, 'a>, other: Value<'c, 'a>, restrict: bool) -> bool {
    if base(one) == base(other) {
        return overlap(one, other) != Overlap::Apart;
    }
    match (buffers::origin(one), buffers::origin(other)) {
        (None, _) | (_, None) => true,
        (Some(Origin::Allocation(_)), _) | (_, Some(Origin::Allocation(_))) => false,
        (Some(Origin::Global(_)), Some(Origin::Global(_))) => false,
        (Some(Origin::Argument(..)), _) | (_, Some(Origin::Argument(..))) => !restrict,
    }
}

/// The identity of the buffer that another one is a view of: two uses of one global are two operations.
fn base<'c: 'a, 'a>(buffer: Value<'c, 'a>) -> usize {
    let base = buffers::base(buffer);
    let global = ir::defining_operation(base).filter(|it| ir::name(it) == "memref.get_global");
    let name = global.and_then(|global| attribute(&global, "name"));
    name.map_or(ir::id(base), ir::id)
}

/// The bytes of its base that a buffer may access; None if they are not known before run time.
fn bytes<'c: 'a, 'a>(buffer: Value<'c, 'a>) -> Option<Range<u64>> {
    let ty = ir::strided(buffer.r#type()).filter(|_| buffer.r#type().is_mem_ref())?;
    let element = sizes::of_element(ty.element)?.size;
    let offset = u64::try_from(ty.offset?).ok()?;
    let (mut count, mut is_empty) = (1u64, false);
    for (size, stride) in ty.sizes.iter().zip(&ty.strides) {
        let (size, stride) = (u64::try_from((*size)?).ok()?, u64::try_from((*stride)?).ok()?);
        is_empty |= size == 0;
        count = count.checked_add(size.saturating_sub(1).checked_mul(stride)?)?;
    }
    // The offset of a type counts from where the last `memref.view` begins; no other view has another beginning.
    let mut start = offset.checked_mul(element)?;
    let mut at = buffer;
    while let Some(view) = ir::defining_operation(at)
        && let Some(source) = buffers::view_source(view)
    {
        if ir::name(&view) == "memref.view" {
            start = start.checked_add(constants::size(ir::operand(view, 1))?)?;
        }
        at = source;
    }
    let size = if is_empty { 0 } else { count.checked_mul(element)? };
    Some(start..start.checked_add(size)?)
}

/// True if two buffers are constant parts of one, apart in one dimension.
fn are_disjoint<'c: 'a, 'a>(one: Value<'c, 'a>, other: Value<'c, 'a>) -> bool {
    let part = |value| {
        let view =
            ir::defining_operation(value).filter(|view| ir::name(view) == "memref.subview")?;
        let list = |name| DenseI64ArrayAttribute::try_from(attribute(&view, name)?).ok();
        let [offsets, sizes, strides] = SUBVIEW.map(list);
        Some((ir::operand(view, 0), [offsets?, sizes?, strides?]))
    };
    let (Some((first, a)), Some((second, b))) = (part(one), part(other)) else { return false };
    ir::id(first) == ir::id(second)
        && (0..a[0].len()).any(|at| {
            let range = |lists: &[DenseI64ArrayAttribute; 3]| {
                let number = |list: &DenseI64ArrayAttribute| {
                    list.element(at).ok().filter(|number| *number >= 0)
                };
                let (offset, size) = (number(&lists[0])?, number(&lists[1])?);
                let last = size.checked_sub(1)?.max(0).checked_mul(number(&lists[2])?)?;
                Some(offset..=offset.checked_add(last)?)
            };
            let (Some(one), Some(other)) = (range(&a), range(&b)) else { return false };
            one.end() < other.start() || other.end() < one.start()
        })
}

fn is_plain(buffer: Value) -> bool {
    MemRefType::try_from(buffer.r#type()).is_ok_and(ir::has_identity_layout)
}

#[cfg(test)]
mod tests;
