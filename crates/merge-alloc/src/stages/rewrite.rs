//! Rewriting: the program with merged allocations, or with attributes that describe the plan.
//!
//! [`Views`] puts one `memref.alloc` of bytes at the start of the scope's block, or a `memref.alloca`
//! ([`crate::stack`]), and a `memref.view` in the place of each former allocation. Functions that take a
//! workspace have it as an argument instead, and their callers pass a view. Memory with elements
//! of several types is correct because the lowering to LLVM adds no type-based alias information (TBAA).
//! [`Annotate`] leaves the program as it is.

use crate::analysis::sizes::HEAP;
use crate::poison;
use crate::stages::lifetime::Traces;
use crate::stages::offsets::Schedule;
use crate::stages::trace::{Trace, TracedBuffer};
use melior::Context;
use melior::ir::attribute::{
    ArrayAttribute, DenseI64ArrayAttribute, IntegerAttribute, StringAttribute,
};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::r#type::{IntegerType, MemRefType};
use melior::ir::{Attribute, BlockLike, Location, Type, Value, ValueLike};
use mlir_support::builder::{Builder, Insertion};
use mlir_support::func::{
    attribute, callee, function_type, function_type_of, inputs, result, results, same_type,
    symbol_name,
};
use mlir_support::ir;
use std::collections::{HashMap, HashSet};

/// Applies a plan.
pub trait Rewriter {
    /// Changes a function; there is one schedule per trace, in order, or none if only the lifetimes were requested.
    fn rewrite<'c>(&self, context: &'c Context, traces: Traces<'c, '_>, schedules: &[Schedule]);
}

/// Former allocations become views of merged ones.
#[derive(Default)]
pub struct Views {
    /// True if the contents of a buffer are overwritten before its first access.
    pub poison: bool,
    /// True if the program is to run on a heap that aligns everything to [`HEAP`]: heap memory that needs no more has
    /// no `alignment`.
    pub on_heap: bool,
}

impl Rewriter for Views {
    fn rewrite<'c>(&self, context: &'c Context, traces: Traces<'c, '_>, schedules: &[Schedule]) {
        let mut erased = HashSet::new();
        // Allocations that come first in the text are inserted last: each goes to its block's start.
        for (trace, schedule) in traces.traces.iter().zip(schedules).rev() {
            let arena = match trace.is_workspace {
                true => argument(context, trace, schedule),
                false => arena(context, trace, schedule, self.on_heap),
            };
            if self.poison {
                // Before any of the start operations is replaced.
                for (buffer, offset) in trace.buffers.iter().zip(&schedule.offsets) {
                    poison::fill(context, arena, trace.space, buffer, *offset);
                }
            }
            for (buffer, offset) in trace.buffers.iter().zip(&schedule.offsets) {
                let old = buffer.allocation;
                if buffer.is_workspace() {
                    let ty = bytes(context, buffer.size, None);
                    let code = Builder::before(context, old);
                    let code = code.located(workspace_location(context, old));
                    ir::append_operand(old, view(code, arena, *offset, ty));
                } else {
                    let ty = result(old).r#type();
                    let view_at = |place| {
                        let code = Builder::before(context, place).located(old.location());
                        view(code, arena, *offset, ty)
                    };
                    replace(buffer, view_at(buffer.place));
                    for guest in &buffer.guests {
                        let own = view_at(guest.place);
                        for allocation in &guest.allocations {
                            ir::replace_all_uses(result(*allocation), own);
                        }
                    }
                }
            }
            for allocation in trace.buffers.iter().flat_map(TracedBuffer::allocations) {
                // An allocation with several parts is listed several times.
                if ir::name(&allocation) == "memref.alloc" && erased.insert(ir::id(allocation)) {
                    ir::erase(allocation);
                }
            }
        }
    }
}

/// Gives a buffer its new name.
fn replace<'c, 'a>(buffer: &TracedBuffer<'c, 'a>, view: Value<'c, 'a>) {
    match &buffer.uses {
        Some(uses) => {
            for (user, operand) in uses {
                ir::mutable(*user).set_operand(*operand, view);
            }
        }
        None => {
            for allocation in buffer.own_allocations() {
                ir::replace_all_uses(result(allocation), view);
            }
        }
    }
}

/// A part of a merged allocation; for all of it, the allocation itself.
fn view<'c, 'a>(
    code: Builder<'c, 'a>,
    arena: Value<'c, 'a>,
    offset: u64,
    ty: Type<'c>,
) -> Value<'c, 'a> {
    if same_type(arena.r#type(), ty) { arena } else { code.view(arena, offset, ty) }
}

/// The location of the memory for a call, with its name.
fn workspace_location<'c>(context: &'c Context, call: OperationRef<'c, '_>) -> Location<'c> {
    let name = format!("workspace of {}", callee(&call).unwrap_or_default());
    Location::name(context, &name, call.location())
}

fn bytes<'c>(context: &'c Context, count: u64, space: Option<Attribute<'c>>) -> Type<'c> {
    let byte = IntegerType::new(context, 8).into();
    let count = i64::try_from(count).expect("stage 3 has checked the total");
    MemRefType::new(byte, &[count], None, space).into()
}

/// The merged allocation as the last argument of the function.
fn argument<'c, 'a>(
    context: &'c Context,
    trace: &Trace<'c, 'a>,
    schedule: &Schedule,
) -> Value<'c, 'a> {
    let function = trace.scope.owner;
    let ty = bytes(context, schedule.total, None);
    if let Some(old) = function_type(&function) {
        let inputs = [inputs(old), vec![ty]].concat();
        let new = function_type_of(context, &inputs, &results(old));
        ir::set_attribute(function, "function_type", new);
    }
    let attributes = attribute(&function, "arg_attrs").map(ArrayAttribute::try_from);
    if let Some(Ok(old)) = attributes {
        let nothing = Attribute::parse(context, "{}").expect("an empty dictionary");
        let all: Vec<_> = (0..old.len()).flat_map(|at| old.element(at)).chain([nothing]).collect();
        ir::set_attribute(function, "arg_attrs", ArrayAttribute::new(context, &all).into());
    }
    let name = format!("workspace of {}", symbol_name(&function));
    let location = Location::name(context, &name, function.location());
    trace.scope.block.add_argument(ty, location)
}

/// The merged allocation.
fn arena<'c, 'a>(
    context: &'c Context,
    trace: &Trace<'c, 'a>,
    schedule: &Schedule,
    on_heap: bool,
) -> Value<'c, 'a> {
    let ty = bytes(context, schedule.total, trace.space);
    let alignment = trace.alignment();
    let is_given = on_heap && !trace.on_stack && trace.space.is_none() && alignment <= HEAP;
    let first = &trace.buffers[0];
    let location = match first.is_workspace() {
        true => workspace_location(context, first.allocation),
        false => first.allocation.location(),
    };
    let code = Builder::new(context, Insertion::AtStart(trace.scope.block), location);
    let name = if trace.on_stack { "memref.alloca" } else { "memref.alloc" };
    let alignment = (!is_given).then(|| ("alignment", code.number(alignment as i64)));
    let segments = ("operandSegmentSizes", code.segments(&[0, 0]));
    let attributes: Vec<_> = alignment.into_iter().chain([segments]).collect();
    code.value(name, &[], ty, &attributes)
}

fn integer<'c>(context: &'c Context, value: i64) -> Attribute<'c> {
    IntegerAttribute::new(IntegerType::new(context, 64).into(), value).into()
}

/// Removes the attributes of an earlier run from a function.
pub fn forget(function: OperationRef) {
    for operation in ir::operations(function).into_iter().chain([function]) {
        for index in (0..operation.attribute_count()).rev() {
            let Ok((name, _)) = operation.attribute_at(index) else { continue };
            let name = name.as_string_ref().as_str().unwrap_or_default().to_owned();
            if name.starts_with("merge_alloc.") {
                ir::remove_attribute(operation, &name);
            }
        }
    }
}

/// The plan as attributes: `merge_alloc.lifetime = [scope, first, last]`, with two more ticks for each further part,
/// and `merge_alloc.offset` on allocations and on calls with a workspace, `merge_alloc.untouched` with the reason on
/// the others, `merge_alloc.scope` on scopes with `merge_alloc.total` and `merge_alloc.lower_bound`, which are lists if
/// the scope has several memory spaces; `merge_alloc.workspace` on functions whose callers allocate for them,
/// `merge_alloc.stack` on functions whose merged allocation is on the stack.
pub struct Annotate;

impl Rewriter for Annotate {
    fn rewrite<'c>(&self, context: &'c Context, traces: Traces<'c, '_>, schedules: &[Schedule]) {
        for (at, trace) in traces.traces.iter().enumerate() {
            let scope = trace.scope.id;
            ir::set_attribute(trace.scope.owner, "merge_alloc.scope", integer(context, scope));
            let kinds = [
                (trace.is_workspace, "merge_alloc.workspace"),
                (trace.on_stack, "merge_alloc.stack"),
            ];
            for (_, kind) in kinds.into_iter().filter(|(is_so, _)| *is_so) {
                ir::set_attribute(trace.scope.owner, kind, Attribute::unit(context));
            }
            for (allocation, parts) in parts(trace) {
                let ticks = parts.iter().flat_map(|part| {
                    let buffer = &trace.buffers[*part];
                    [buffer.first, buffer.last]
                });
                let lifetime: Vec<_> = std::iter::once(scope).chain(ticks).collect();
                let lifetime = DenseI64ArrayAttribute::new(context, &lifetime).into();
                ir::set_attribute(allocation, "merge_alloc.lifetime", lifetime);
                if let Some(schedule) = schedules.get(at) {
                    let offsets = parts.iter().map(|part| schedule.offsets[*part]);
                    let offsets = offsets.map(|offset| integer(context, offset as i64)).collect();
                    ir::set_attribute(
                        allocation,
                        "merge_alloc.offset",
                        one_or_all(context, offsets),
                    );
                }
            }
            let all = traces.traces.iter().zip(schedules);
            let same: Vec<_> = all.filter(|(other, _)| other.scope.id == scope).collect();
            let list = |of: fn(&Schedule) -> u64| -> Attribute<'c> {
                let all = same.iter().map(|(_, schedule)| integer(context, of(schedule) as i64));
                one_or_all(context, all.collect())
            };
            if !same.is_empty() {
                let owner = trace.scope.owner;
                ir::set_attribute(owner, "merge_alloc.total", list(|schedule| schedule.total));
                let bound = list(|schedule| schedule.lower_bound);
                ir::set_attribute(owner, "merge_alloc.lower_bound", bound);
            }
        }
        for (allocation, reason) in traces.untouched {
            let reason = StringAttribute::new(context, &reason).into();
            ir::set_attribute(allocation, "merge_alloc.untouched", reason);
        }
    }
}

/// The allocations of a trace, and calls with a workspace, each with the numbers of its buffers.
fn parts<'c, 'a>(trace: &Trace<'c, 'a>) -> Vec<(OperationRef<'c, 'a>, Vec<usize>)> {
    let mut parts: Vec<(OperationRef, Vec<usize>)> = Vec::new();
    let mut known: HashMap<usize, usize> = HashMap::new();
    for (number, buffer) in trace.buffers.iter().enumerate() {
        for allocation in buffer.allocations() {
            let at = *known.entry(ir::id(allocation)).or_insert(parts.len());
            match parts.get_mut(at) {
                Some((_, numbers)) => numbers.push(number),
                None => parts.push((allocation, vec![number])),
            }
        }
    }
    parts
}

/// One attribute by itself, several as a list.
fn one_or_all<'c>(context: &'c Context, all: Vec<Attribute<'c>>) -> Attribute<'c> {
    match all.as_slice() {
        [one] => *one,
        all => ArrayAttribute::new(context, all).into(),
    }
}
