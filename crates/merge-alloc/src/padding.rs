//! The cost of alignment and of staggered starts: neither makes a plan larger than its buffers without merging.
//!
//! Input: a trace. Output: its schedule. With `compact`, alignment is limited: if the schedule takes more memory than
//! malloc would give at the worst tick without merging, the buffers of the trace get only the alignment that the
//! program requires or malloc gives anyway, and are planned again. Starts are staggered only where the schedule still
//! takes no more than that. Invariant: the alignment that the program requires is kept.
//!
//! Sizes are compared as requested sizes: an allocation is rounded up to its alignment, at least malloc's 16. So the
//! memory that a function gets from its callers never exceeds the memory of its buffers, and a bound that holds for
//! each function holds for the tree. Alignment is not the only cause: where not even the best plan reaches the bound,
//! merging may cost memory.

use crate::analysis::sizes::{Footprint, HEAP, loads};
use crate::options::Options;
use crate::stages::offsets::{OffsetPlanner, Schedule, to_plan};
use crate::stages::trace::{Trace, TracedBuffer};
use crate::stagger::stagger;
use mlir_support::Locations;
use toy_diagnostics::Diagnosed;

/// The schedule of a trace; None in the same cases as [`OffsetPlanner::plan`].
pub fn plan(
    planner: &dyn OffsetPlanner,
    trace: &mut Trace,
    options: &Options,
    locations: &Locations,
) -> Diagnosed<Option<Schedule>> {
    let mut schedule = aligned(planner, trace, options, locations)?;
    if let Some(schedule) = &mut schedule {
        let (most, in_turn) = (unmerged(trace, options), in_turn(trace));
        let fits = |total| total <= in_turn && asked(trace, total) <= most;
        stagger(trace, schedule, options, fits);
    }
    Ok(schedule)
}

fn aligned(
    planner: &dyn OffsetPlanner,
    trace: &mut Trace,
    options: &Options,
    locations: &Locations,
) -> Diagnosed<Option<Schedule>> {
    let first = planner.plan(trace, options, locations);
    let may_shrink = trace.buffers.iter().any(|buffer| buffer.least < buffer.alignment);
    let is_good = match &first {
        Ok(Some(schedule)) => asked(trace, schedule.total) <= unmerged(trace, options),
        // It may fit otherwise.
        _ => false,
    };
    if is_good || !may_shrink || !options.is_compact() {
        return first;
    }
    let before: Vec<_> = trace.buffers.iter().map(|buffer| buffer.alignment).collect();
    let bytes = first.as_ref().ok().and_then(Option::as_ref).map(|first| asked(trace, first.total));
    for buffer in &mut trace.buffers {
        buffer.alignment = buffer.alignment.min(buffer.least);
    }
    let second = planner.plan(trace, options, locations);
    let is_better = match (&second, bytes) {
        (Ok(Some(second)), Some(bytes)) => asked(trace, second.total) < bytes,
        (Ok(Some(_)), None) => true,
        _ => false,
    };
    if is_better {
        return second;
    }
    for (buffer, alignment) in trace.buffers.iter_mut().zip(before) {
        buffer.alignment = alignment;
    }
    first
}

/// The memory that a function's callers pass.
pub fn workspace(trace: &Trace, schedule: &Schedule, options: &Options) -> Footprint {
    Footprint {
        size: schedule.total,
        alignment: trace.alignment(),
        least: trace.buffers.iter().map(|buffer| buffer.least).max().unwrap_or(1),
        unmerged: unmerged(trace, options),
    }
}

/// The bytes that the buffers take one after another.
fn in_turn(trace: &Trace) -> u64 {
    trace.buffers.iter().fold(0, |end, buffer| place_after(end, buffer).1)
}

/// The start and the end of a buffer if it is the next one in memory.
pub fn place_after(end: u64, buffer: &TracedBuffer) -> (u64, u64) {
    // The planner has accepted these sizes and alignments, and its sums are at least as large.
    let start = end.checked_next_multiple_of(buffer.alignment.max(1)).unwrap_or(u64::MAX);
    (start, start.saturating_add(buffer.size))
}

/// The bytes requested by a merged allocation of this size.
fn asked(trace: &Trace, total: u64) -> u64 {
    total.checked_next_multiple_of(trace.alignment().max(HEAP)).unwrap_or(u64::MAX)
}

/// The most bytes that the buffers would request at one time if each had an allocation of its own.
fn unmerged(trace: &Trace, options: &Options) -> u64 {
    let changes = trace.buffers.iter().flat_map(|buffer| {
        let planned = to_plan(buffer, options.reuse);
        let bytes = i128::from(buffer.unmerged);
        [(planned.start, bytes), (planned.end, -bytes)]
    });
    let most = loads(changes).map(|(_, load)| load).max();
    u64::try_from(most.unwrap_or(0)).unwrap_or(u64::MAX)
}
