//! The plan of a module, collected while merge-alloc works on it.
//!
//! Input: a function's tables, traces and schedules, before anything is rewritten. Output: its plan, as
//! text and numbers that outlive the module; the plans of all functions are one ([`whole`]).

use super::names::{self, Unique};
use super::{Arena, MemoryPlan, PlannedBuffer, Repeated, SourcePlace, TAPE, Untouched, UseSite};
use crate::analysis::body::Body;
use crate::analysis::effects::RegionKind;
use crate::padding::place_after;
use crate::stages::lifetime::Traces;
use crate::stages::offsets::Schedule;
use crate::stages::trace::{Trace, TracedBuffer};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};
use mlir_support::func::{self, callee, symbol_name};
use mlir_support::{Locations, ir, location};
use std::any::Any;
use std::collections::{BTreeMap, HashSet};
use toy_diagnostics::source::Span;
use toy_diagnostics::text::printed;

/// The plan of a function that is about to be rewritten.
pub fn plan(
    body: &Body,
    traces: &Traces,
    schedules: &[Schedule],
    locations: &Locations,
) -> MemoryPlan {
    let mut plan = MemoryPlan::default();
    let collecting =
        Collecting { body, locations, function: printed(&symbol_name(&body.function)) };
    for (trace, schedule) in traces.traces.iter().zip(schedules) {
        plan.arenas.push(collecting.arena(trace, schedule));
    }
    let mut names = Unique::default();
    for (allocation, reason) in &traces.untouched {
        plan.untouched.push(Untouched {
            function: collecting.function.clone(),
            name: names.name(&collecting.name(*allocation)),
            ty: collecting.type_of(*allocation, 0),
            reason: printed(reason),
            source: collecting.place(*allocation),
            order: body.scope,
        });
    }
    plan
}

/// The plan of a module, from the records that passes have left.
pub fn whole(records: Vec<Box<dyn Any>>) -> MemoryPlan {
    joined(records.into_iter().filter_map(|record| Some(*record.downcast::<MemoryPlan>().ok()?)))
}

/// The plans of functions as one, in the order of the text.
pub fn joined(plans: impl Iterator<Item = MemoryPlan>) -> MemoryPlan {
    let mut whole = MemoryPlan::default();
    for plan in plans {
        whole.arenas.extend(plan.arenas);
        whole.untouched.extend(plan.untouched);
    }
    finish(&mut whole);
    whole
}

/// Brings everything into the order of the text; functions may have been planned in another one.
fn finish(plan: &mut MemoryPlan) {
    plan.arenas.sort_by_key(|arena| arena.order);
    plan.untouched.sort_by_key(|allocation| allocation.order);
    let buffers = plan.arenas.iter().flat_map(|arena| &arena.buffers);
    let called: HashSet<String> =
        buffers.filter_map(|buffer| buffer.workspace_of.clone()).collect();
    for arena in &mut plan.arenas {
        let is_own = arena.scope.is_none() && arena.space.is_none();
        arena.is_workspace = is_own && called.contains(&arena.function);
    }
}

struct Collecting<'b, 'c, 'a> {
    body: &'b Body<'c, 'a>,
    locations: &'b Locations<'b>,
    function: String,
}

impl Collecting<'_, '_, '_> {
    fn arena(&self, trace: &Trace, schedule: &Schedule) -> Arena {
        let mut names = Unique::default();
        let mut before = 0u64;
        let mut buffers = Vec::with_capacity(trace.buffers.len());
        for (buffer, offset) in trace.buffers.iter().zip(&schedule.offsets) {
            let (start, end) = place_after(before, buffer);
            before = end;
            buffers.push(PlannedBuffer {
                name: names.name(&self.name(buffer.allocation)),
                ty: self.type_of(buffer.allocation, buffer.size),
                size: buffer.size,
                alignment: buffer.alignment,
                offset: *offset,
                offset_before: start,
                first: self.usage(buffer.first),
                last: self.usage(buffer.last),
                source: self.place(buffer.allocation),
                in_place: self.in_place(buffer),
                workspace_of: self.workspace_of(buffer.allocation),
                tape: tape(buffer.allocation).is_some(),
            });
        }
        let scope = trace.scope.entry.map(|_| {
            let owner = trace.scope.owner;
            let line = self.place(owner).map(|place| format!(" in line {}", place.line));
            format!("{}{}", ir::name(&owner), line.unwrap_or_default())
        });
        let mut arena = Arena {
            function: self.function.clone(),
            scope,
            space: trace.space.map(|space| printed(&space.to_string())),
            before,
            after: schedule.total,
            lower_bound: schedule.lower_bound,
            staggered: schedule.staggered,
            buffers,
            is_workspace: false,
            on_stack: trace.on_stack,
            loops: Vec::new(),
            order: trace.scope.id,
        };
        arena.loops = self.loops(arena.ticks());
        arena
    }

    /// The loops in which something happens between two ticks. A scope inside a loop is not repeated as a whole.
    fn loops(&self, (first, last): (u64, u64)) -> Vec<Repeated> {
        let entries = self.body.entries.iter().enumerate();
        let loops = entries.filter(|(_, entry)| entry.region == Some(RegionKind::Loop));
        loops
            .filter_map(|(index, entry)| {
                let (start, end) = self.body.ticks(index);
                // The operation itself is executed once.
                let start = u64::try_from(start).ok()?.saturating_add(1).max(first);
                let end = u64::try_from(end).ok()?.min(last);
                let line = self.place(entry.operation).map(|place| place.line);
                (start <= end).then_some(Repeated { first: start, last: end, line })
            })
            .collect()
    }

    /// The operations of linalg that read a buffer and write it, by its own name.
    fn in_place(&self, buffer: &TracedBuffer) -> Vec<UseSite> {
        let uses = match &buffer.uses {
            Some(uses) => uses.clone(),
            None => {
                let names = buffer.allocations().filter_map(allocated);
                names.flat_map(ir::uses).collect()
            }
        };
        // By the number of the operation: whether it writes, and whether it reads.
        let mut both: BTreeMap<usize, [bool; 2]> = BTreeMap::new();
        for (user, operand) in uses {
            if let Some(entry) = self.body.find(user)
                && ir::name(&user).starts_with("linalg.")
            {
                // The written operand comes last.
                let is_write = operand + 1 == user.operand_count();
                both.entry(entry).or_default()[usize::from(is_write)] = true;
            }
        }
        let in_place = both.into_iter().filter(|(_, both)| *both == [true, true]);
        in_place.map(|(entry, _)| self.usage(self.body.entries[entry].tick)).collect()
    }

    /// The operation with a tick. If several have it, the others do nothing.
    fn usage(&self, tick: i64) -> UseSite {
        let entries = &self.body.entries;
        let at = entries.partition_point(|entry| entry.tick < tick);
        let operation = entries.get(at).map(|entry| entry.operation);
        let line = operation.and_then(|operation| self.place(operation)).map(|place| place.line);
        let operation = operation.map_or("", |operation| ir::name(&operation));
        UseSite { tick: u64::try_from(tick).unwrap_or(0), operation: operation.to_owned(), line }
    }

    fn name(&self, allocation: OperationRef) -> String {
        if let Some(callee) = self.workspace_of(allocation) {
            return names::clipped(&format!("workspace of {callee}"), 40);
        }
        let span = self.span(allocation);
        let name = tape(allocation)
            .or_else(|| span.and_then(|span| names::name(self.locations.source, span)));
        // Without a name of its own it goes by its type.
        name.unwrap_or_else(|| names::clipped(&self.type_of(allocation, 0), 25))
    }

    fn type_of(&self, allocation: OperationRef, size: u64) -> String {
        match allocated(allocation) {
            Some(buffer) => printed(&buffer.r#type().to_string()),
            // A call that is to get that many bytes.
            None => format!("memref<{size}xi8>"),
        }
    }

    /// The function that gets the buffer to work in, if the allocation is a call.
    fn workspace_of(&self, allocation: OperationRef) -> Option<String> {
        let callee = (ir::name(&allocation) == "func.call").then(|| callee(&allocation));
        callee.flatten().map(|callee| printed(&callee))
    }

    fn place(&self, operation: OperationRef) -> Option<SourcePlace> {
        self.span(operation).map(|span| names::place(self.locations.source, span))
    }

    fn span(&self, operation: OperationRef) -> Option<Span> {
        // A module that is read from memory has its own location: line 0.
        let place = location::place(operation.location())?;
        if place.start.0 == 0 { None } else { self.locations.span_of_place(&place) }
    }
}

/// The name of a tape.
fn tape(allocation: OperationRef) -> Option<String> {
    let name = location::name(allocation.location()).filter(|name| name.starts_with(TAPE))?;
    Some(names::clipped(&name, 40))
}

/// The buffer of an allocation; None for a call that is to get one. Not `result(0)`: without results, melior formats
/// the operation into its error, which takes as long as the whole function does.
fn allocated<'c, 'a>(allocation: OperationRef<'c, 'a>) -> Option<Value<'c, 'a>> {
    (allocation.result_count() > 0).then(|| func::result(allocation))
}
