//! Offsets: the place of each buffer in the merged allocation.
//!
//! Input: a trace. Output: one offset per buffer and the total. The planners come from the crate `memory-planner`;
//! every schedule is checked ([`check`]).

use crate::analysis::sizes::loads;
use crate::options::{Options, Reuse};
use crate::stages::trace::{Trace, TracedBuffer};
use memory_planner::{Limits, PlanError, Planner, Status, verify};
use mlir_support::Locations;
use std::cell::Cell;
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

/// The offsets of a trace's buffers, in their order.
pub struct Schedule {
    /// The offsets in bytes from the start of the merged allocation.
    pub offsets: Vec<u64>,
    /// The bytes of the merged allocation.
    pub total: u64,
    /// No schedule has a smaller total.
    pub lower_bound: u64,
    /// The bytes of the total that only keep the starts of buffers apart.
    pub staggered: u64,
}

/// Finds offsets.
pub trait OffsetPlanner {
    /// The offsets of a trace's buffers; None: they take more bytes than the type `index` can address.
    fn plan(
        &self,
        trace: &Trace,
        options: &Options,
        locations: &Locations,
    ) -> Diagnosed<Option<Schedule>>;
}

/// The planners of the crate, with one budget for all traces of a module.
pub struct Offline {
    planner: Planner,
    /// The work units that are left.
    left: Cell<u64>,
}

/// Work units: compile time must stay linear in the length of a module.
const WORK: u64 = 200_000_000;
const WORK_PER_TRACE: u64 = 2_000_000;
const WORK_PER_BUFFER: u64 = 50_000;

impl Offline {
    /// A planner with the budget for one module.
    pub fn new(planner: Planner) -> Self {
        Self { planner, left: Cell::new(WORK) }
    }

    /// The work budget for the plan of this many buffers; adds their share to the total budget.
    fn work(&self, buffers: usize) -> u64 {
        if self.planner == Planner::Exact {
            return Limits::DEFAULT_WORK;
        }
        let own = WORK_PER_BUFFER * buffers as u64;
        self.left.set(self.left.get() + own);
        (WORK_PER_TRACE + own).min(Limits::DEFAULT_WORK).min(self.left.get())
    }
}

impl OffsetPlanner for Offline {
    fn plan(
        &self,
        trace: &Trace,
        options: &Options,
        locations: &Locations,
    ) -> Diagnosed<Option<Schedule>> {
        let buffers: Vec<_> =
            trace.buffers.iter().map(|buffer| to_plan(buffer, options.reuse)).collect();
        let mut limits = Limits::new().with_work(self.work(buffers.len()));
        limits.capacity = options.capacity;
        let plan = match self.planner.plan(&buffers, &limits) {
            Ok(plan) => Some(plan).filter(|plan| i64::try_from(plan.peak).is_ok()),
            Err(PlanError::Overflow { .. }) => None,
            Err(error) => return Err(Diagnostic::internal(format!("merge-alloc: {error}")).into()),
        };
        let Some(plan) = plan else {
            return match options.capacity {
                Some(_) => Err(too_large(trace, options, locations).into()),
                None => Ok(None),
            };
        };
        if plan.status != Status::Optimal {
            self.left.set(self.left.get().saturating_sub(limits.work));
        }
        let total = plan.peak;
        if let Some(capacity) = options.capacity.filter(|capacity| total > *capacity) {
            let (load, tick) = worst_load(trace);
            let message = format!(
                "merge-alloc: the buffers take {total} bytes, but the capacity is {capacity}"
            );
            let bound = format!("no plan takes fewer than {} bytes", plan.lower_bound);
            let worst = format!("the {load} bytes in use at tick {tick} are the most");
            let diagnostic =
                Diagnostic::error(codes::MLIR_REJECTED, message).note(bound).note(worst);
            return Err(in_scope(diagnostic, trace, locations).into());
        }
        Ok(Some(Schedule {
            offsets: plan.offsets,
            total,
            lower_bound: plan.lower_bound,
            staggered: 0,
        }))
    }
}

/// The error if there is no schedule for memory that functions are called with.
pub fn too_large(trace: &Trace, options: &Options, locations: &Locations) -> Diagnostic {
    let mut message = "merge-alloc: the buffers take more bytes than memory has".to_owned();
    if let Some(capacity) = options.capacity {
        message += &format!(", but the capacity is {capacity}");
    }
    in_scope(Diagnostic::error(codes::MLIR_REJECTED, message), trace, locations)
}

/// Checks a schedule with `memory_planner::verify`, which shares no code with the planners.
pub fn check(trace: &Trace, schedule: &Schedule, options: &Options) -> Result<(), Diagnostic> {
    let buffers: Vec<_> =
        trace.buffers.iter().map(|buffer| to_plan(buffer, options.reuse)).collect();
    match verify(&buffers, &schedule.offsets) {
        Ok(peak) if peak <= schedule.total && i64::try_from(schedule.total).is_ok() => Ok(()),
        Ok(peak) => {
            let total = schedule.total;
            Err(Diagnostic::internal(format!("merge-alloc: {peak} bytes do not fit into {total}")))
        }
        Err(fault) => Err(Diagnostic::internal(format!("merge-alloc: {fault}"))),
    }
}

pub fn to_plan(buffer: &TracedBuffer, reuse: Reuse) -> memory_planner::Buffer {
    let (start, end) = match reuse {
        Reuse::None => (0, 1),
        // Ticks of accesses are not negative.
        Reuse::Ticks => (buffer.first as u64, buffer.last as u64 + 1),
    };
    memory_planner::Buffer::new(buffer.size, start, end).with_align(buffer.alignment)
}

/// The most bytes in use at one tick, and the first such tick.
fn worst_load(trace: &Trace) -> (u64, i64) {
    let changes = trace.buffers.iter().flat_map(|buffer| {
        let size = i128::from(buffer.size);
        [(buffer.first, size), (buffer.last + 1, -size)]
    });
    let worst = loads(changes).reduce(|worst, next| if next.1 > worst.1 { next } else { worst });
    let (tick, load) = worst.unwrap_or((0, 0));
    (u64::try_from(load).unwrap_or(u64::MAX), tick)
}

fn in_scope(diagnostic: Diagnostic, trace: &Trace, locations: &Locations) -> Diagnostic {
    locations.at(trace.scope.owner).label(diagnostic, "in this scope")
}
