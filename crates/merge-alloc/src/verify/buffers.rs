//! The merged buffers of a function, and their places in the allocation.
//!
//! Input: a function's graph. Output: one buffer per `memref.view` of an allocation, or of an argument, of bytes. The
//! functions that it calls may make such views, too. The bytes themselves, accessed without a view, are another buffer:
//! views of all the bytes may have been folded into it. So it is in use only where it is accessed.

use super::graph::{Graph, arguments};
use super::workspaces::Workspaces;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::{DimSize, IntegerType, MemRefType};
use melior::ir::{ShapedTypeLike, Type, TypeLike, Value, ValueLike};
use mlir_support::func::{attribute, entry_block, result};
use mlir_support::{ir, layout};
use std::collections::HashMap;
use std::ops::Range;

/// A part of an allocation, or all of it.
pub struct MergedBuffer<'c, 'a> {
    pub value: Value<'c, 'a>,
    /// The number of the allocation it is in.
    pub arena: usize,
    /// The bytes of that allocation.
    pub size: u64,
    pub bytes: Range<u64>,
    /// The operation that makes it: the view, or the allocation; None for an argument of the function.
    pub definition: Option<usize>,
    pub is_view: bool,
}

impl MergedBuffer<'_, '_> {
    pub fn overlaps(&self, other: &MergedBuffer) -> bool {
        self.arena == other.arena
            && self.bytes.start < other.bytes.end
            && other.bytes.start < self.bytes.end
    }
}

/// The buffers of a function; views come first, in the order of their places.
pub fn of<'c, 'a>(
    function: OperationRef<'c, 'a>,
    graph: &Graph<'c, 'a>,
    workspaces: &Workspaces,
) -> Vec<MergedBuffer<'c, 'a>> {
    let divided = workspaces.divided_by(graph);
    let addresses = graph.operations.iter().map(ir::id);
    let index: HashMap<_, _> = addresses.enumerate().map(|(at, address)| (address, at)).collect();
    let arguments = entry_block(function).map(arguments).unwrap_or_default();
    let arguments = arguments.into_iter().map(|argument| (argument, None));
    let allocations = graph.operations.iter().enumerate();
    let allocations = allocations
        .filter(|(_, operation)| ["memref.alloc", "memref.alloca"].contains(&ir::name(*operation)))
        .map(|(at, operation)| (result(*operation), Some(at)));
    let has_own_index = layout::is_index_changed(function, &graph.operations);
    let (mut buffers, mut arenas) = (Vec::new(), Vec::new());
    for (arena, (value, definition)) in arguments.chain(allocations).enumerate() {
        let Some(size) = arena_size(value.r#type()) else { continue };
        if !divided.contains(&ir::id(value)) {
            continue;
        }
        let uses = ir::uses(value).into_iter();
        let views = uses.filter(|(user, _)| ir::name(user) == "memref.view");
        arenas.push(MergedBuffer {
            value,
            arena,
            size,
            bytes: 0..size,
            definition,
            is_view: false,
        });
        buffers.extend(views.map(|(view, _)| MergedBuffer {
            value: result(view),
            arena,
            size,
            bytes: place(view, size, has_own_index),
            definition: index.get(&ir::id(view)).copied(),
            is_view: true,
        }));
    }
    buffers.sort_by_key(|buffer| (buffer.arena, buffer.bytes.start, buffer.definition));
    buffers.extend(arenas);
    buffers
}

/// For each buffer, the views that it may overlap: views outside of the range do not. In a plan of small parts these
/// are few of many.
pub fn neighbors(buffers: &[MergedBuffer]) -> Vec<Range<usize>> {
    let views = buffers.iter().take_while(|buffer| buffer.is_view).count();
    let views = &buffers[..views];
    // The allocation, and the end of the views that start no later.
    let mut ends: Vec<(usize, u64)> = Vec::with_capacity(views.len());
    for view in views {
        let end = match ends.last() {
            Some((arena, end)) if *arena == view.arena => view.bytes.end.max(*end),
            _ => view.bytes.end,
        };
        ends.push((view.arena, end));
    }
    let neighbors = buffers.iter().map(|MergedBuffer { arena, bytes, .. }| {
        let from = ends.partition_point(|end| *end <= (*arena, bytes.start));
        let to = views.partition_point(|view| (view.arena, view.bytes.start) < (*arena, bytes.end));
        from..to.max(from)
    });
    neighbors.collect()
}

/// The bytes of a type `memref<Nxi8>`; the maximum if N is unknown.
fn arena_size(ty: Type) -> Option<u64> {
    let ty = MemRefType::try_from(ty).ok()?;
    let element = IntegerType::try_from(ty.element()).ok()?;
    if element.width() != 8 || ty.rank() != 1 {
        return None;
    }
    match ty.dim_size(0).ok()? {
        DimSize::Static(size) => Some(size),
        DimSize::Dynamic => Some(u64::MAX),
    }
}

/// The range of a view in an allocation of this size; all of it if the offset is unknown.
fn place(view: OperationRef, size: u64, has_own_index: bool) -> Range<u64> {
    let start = view.operand(1).ok().and_then(constant);
    let ty = MemRefType::try_from(result(view).r#type()).ok();
    let length = ty.filter(|ty| !has_own_index || !is_of_indices(*ty)).and_then(length);
    match (start, length) {
        (Some(start), Some(length)) => start..start.saturating_add(length),
        (Some(start), None) => start..size.max(start),
        (None, _) => 0..size,
    }
}

fn is_of_indices(ty: MemRefType) -> bool {
    let element = ty.element();
    ir::fixed_vector(element).map_or(element, |(part, _)| part).is_index()
}

fn constant(value: Value) -> Option<u64> {
    let definition = ir::defining_operation(value)?;
    let attribute = IntegerAttribute::try_from(attribute(&definition, "value")?).ok()?;
    u64::try_from(attribute.value()).ok()
}

/// The bytes of a buffer of numbers, or vectors of them, with static sizes.
fn length(ty: MemRefType) -> Option<u64> {
    let mut length = element_length(ty.element())?;
    for dim in 0..ty.rank() {
        let DimSize::Static(extent) = ty.dim_size(dim).ok()? else { return None };
        length = length.checked_mul(extent)?;
    }
    Some(length)
}

/// The bytes from one element to the next. The innermost dimension of a vector of several dimensions is a vector of the
/// machine, with a power of two of bytes.
fn element_length(ty: Type) -> Option<u64> {
    if let Some(part) = ir::complex_element(ty) {
        return bits(part)?.div_ceil(8).checked_next_power_of_two()?.checked_mul(2);
    }
    let (part, sizes) = ir::fixed_vector(ty).unwrap_or((ty, Vec::new()));
    let (inner, outer) = sizes.split_last().map_or((1, &[][..]), |(inner, outer)| (*inner, outer));
    let inner = bits(part)?.checked_mul(inner)?.div_ceil(8).checked_next_power_of_two()?;
    outer.iter().try_fold(inner, |length, size| length.checked_mul(*size))
}

fn bits(ty: Type) -> Option<u64> {
    let bits = match IntegerType::try_from(ty) {
        Ok(integer) => integer.width(),
        Err(_) if ty.is_index() => 64,
        Err(_) => ir::float_width(ty)?,
    };
    Some(u64::from(bits))
}
