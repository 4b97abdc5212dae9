//! The merged buffers of a function, and where in their allocations they are.
//!
//! Input: a function's graph. Output: one buffer per `memref.view` of an allocation, or of an argument,
//! of bytes. The bytes themselves, used otherwise than through a view, are a buffer, too. Views of all
//! the bytes may have been folded into it, several into one, and so it is in use only where it is
//! accessed.

use super::graph::{Graph, arguments};
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::{DimSize, IntegerType, MemRefType};
use melior::ir::{ShapedTypeLike, Type, TypeLike, Value, ValueLike};
use mlir_support::func::{attribute, entry_block, result};
use mlir_support::layout;
use mlir_support::raw;
use std::collections::HashMap;
use std::ops::Range;

/// A part of an allocation, or all of it.
pub struct Buffer<'c, 'a> {
    pub value: Value<'c, 'a>,
    /// The number of the allocation it is in.
    pub arena: usize,
    /// The bytes of that allocation.
    pub size: u64,
    pub bytes: Range<u64>,
    /// What makes it: the view, or the allocation; None for an argument of the function.
    pub birth: Option<usize>,
    pub is_view: bool,
}

impl Buffer<'_, '_> {
    pub fn overlaps(&self, other: &Buffer) -> bool {
        self.arena == other.arena
            && self.bytes.start < other.bytes.end
            && other.bytes.start < self.bytes.end
    }
}

/// The buffers of a function; views come first, in the order of their places.
pub fn of<'c, 'a>(function: OperationRef<'c, 'a>, graph: &Graph<'c, 'a>) -> Vec<Buffer<'c, 'a>> {
    let addresses = graph.operations.iter().map(|operation| operation.to_raw().ptr as usize);
    let index: HashMap<_, _> = addresses.enumerate().map(|(at, address)| (address, at)).collect();
    let arguments = entry_block(function).map(arguments).unwrap_or_default();
    let arguments = arguments.into_iter().map(|argument| (argument, None));
    let allocations = graph.operations.iter().enumerate();
    let allocations = allocations
        .filter(|(_, operation)| ["memref.alloc", "memref.alloca"].contains(&raw::name(*operation)))
        .map(|(at, operation)| (result(*operation), Some(at)));
    let has_own_index = layout::is_index_changed(function, &graph.operations);
    let (mut buffers, mut arenas) = (Vec::new(), Vec::new());
    for (arena, (value, birth)) in arguments.chain(allocations).enumerate() {
        let Some(size) = arena_size(value.r#type()) else { continue };
        let uses = raw::uses(value).into_iter();
        let views: Vec<_> = uses.filter(|(user, _)| raw::name(user) == "memref.view").collect();
        if views.is_empty() {
            continue;
        }
        arenas.push(Buffer { value, arena, size, bytes: 0..size, birth, is_view: false });
        buffers.extend(views.into_iter().map(|(view, _)| Buffer {
            value: result(view),
            arena,
            size,
            bytes: place(view, size, has_own_index),
            birth: index.get(&(view.to_raw().ptr as usize)).copied(),
            is_view: true,
        }));
    }
    buffers.sort_by_key(|buffer| (buffer.arena, buffer.bytes.start, buffer.birth));
    buffers.extend(arenas);
    buffers
}

/// For each buffer, the views that it may overlap: those outside of the range do not. In a plan of
/// small parts these are few of many.
pub fn neighbours(buffers: &[Buffer]) -> Vec<Range<usize>> {
    let views = buffers.iter().take_while(|buffer| buffer.is_view).count();
    let views = &buffers[..views];
    // The allocation, and the end of what starts no later.
    let mut ends: Vec<(usize, u64)> = Vec::with_capacity(views.len());
    for view in views {
        let end = match ends.last() {
            Some((arena, end)) if *arena == view.arena => view.bytes.end.max(*end),
            _ => view.bytes.end,
        };
        ends.push((view.arena, end));
    }
    let neighbours = buffers.iter().map(|Buffer { arena, bytes, .. }| {
        let from = ends.partition_point(|end| *end <= (*arena, bytes.start));
        let to = views.partition_point(|view| (view.arena, view.bytes.start) < (*arena, bytes.end));
        from..to.max(from)
    });
    neighbours.collect()
}

/// The bytes of a type `memref<Nxi8>`; as many as there can be if N is not known.
fn arena_size(r#type: Type) -> Option<u64> {
    let r#type = MemRefType::try_from(r#type).ok()?;
    let element = IntegerType::try_from(r#type.element()).ok()?;
    if element.width() != 8 || r#type.rank() != 1 {
        return None;
    }
    match r#type.dim_size(0).ok()? {
        DimSize::Static(size) => Some(size),
        DimSize::Dynamic => Some(u64::MAX),
    }
}

/// Where a view is in bytes of this size: what is not known may be everywhere.
fn place(view: OperationRef, size: u64, has_own_index: bool) -> Range<u64> {
    let start = view.operand(1).ok().and_then(constant);
    let r#type = MemRefType::try_from(result(view).r#type()).ok();
    let length = r#type.filter(|r#type| !has_own_index || !is_of_indices(*r#type)).and_then(length);
    match (start, length) {
        (Some(start), Some(length)) => start..start.saturating_add(length),
        (Some(start), None) => start..size.max(start),
        (None, _) => 0..size,
    }
}

fn is_of_indices(r#type: MemRefType) -> bool {
    let element = r#type.element();
    raw::fixed_vector(element).map_or(element, |(part, _)| part).is_index()
}

fn constant(value: Value) -> Option<u64> {
    let definition = raw::defining_operation(value)?;
    let attribute = IntegerAttribute::try_from(attribute(&definition, "value")?).ok()?;
    u64::try_from(attribute.value()).ok()
}

/// The bytes of a buffer of numbers, or vectors of them, with static sizes.
fn length(r#type: MemRefType) -> Option<u64> {
    let mut length = element_length(r#type.element())?;
    for dim in 0..r#type.rank() {
        let DimSize::Static(extent) = r#type.dim_size(dim).ok()? else { return None };
        length = length.checked_mul(extent)?;
    }
    Some(length)
}

/// The bytes from one element to the next. Of vectors of several dimensions, the innermost is a vector of
/// the machine, of a power of two of bytes.
fn element_length(r#type: Type) -> Option<u64> {
    if let Some(part) = raw::complex_element(r#type) {
        return bits(part)?.div_ceil(8).checked_next_power_of_two()?.checked_mul(2);
    }
    let (part, sizes) = raw::fixed_vector(r#type).unwrap_or((r#type, Vec::new()));
    let (inner, outer) = sizes.split_last().map_or((1, &[][..]), |(inner, outer)| (*inner, outer));
    let inner = bits(part)?.checked_mul(inner)?.div_ceil(8).checked_next_power_of_two()?;
    outer.iter().try_fold(inner, |length, size| length.checked_mul(*size))
}

fn bits(r#type: Type) -> Option<u64> {
    let bits = match IntegerType::try_from(r#type) {
        Ok(integer) => integer.width(),
        Err(_) if r#type.is_index() => 64,
        Err(_) => raw::float_width(r#type)?,
    };
    Some(u64::from(bits))
}
