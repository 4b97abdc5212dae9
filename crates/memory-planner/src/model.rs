//! What goes in and what comes out: buffers, limits, the plan, and every way the input can be wrong.
//!
//! Plain data with public fields. Invariants are checked by [`check`], which every planner runs
//! before it looks at anything else.

use std::fmt;
use std::time::Duration;

/// A piece of memory: `size` bytes, needed from time `start` up to, not including, time `end`.
///
/// Two buffers conflict when their lifetimes intersect; conflicting buffers never share a byte.
/// A buffer of size 0 conflicts with nothing and is placed at offset 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Buffer {
    /// Bytes.
    pub size: u64,
    /// The offset will be a multiple of this power of two.
    pub align: u64,
    /// First moment of the lifetime.
    pub start: u64,
    /// First moment after the lifetime: `start < end`.
    pub end: u64,
}

impl Buffer {
    /// A buffer without alignment.
    pub fn new(size: u64, start: u64, end: u64) -> Self {
        Buffer { size, align: 1, start, end }
    }
}

/// How far to go.
///
/// What runs whatever `work` is: first fit and best fit by time, the merge-alloc document's two
/// planners, and `greedy-by-size` as far as it may still win (for more than 200,000 connected
/// buffers: at most 6,000,000,000 units of it). All else is within `work`. `time` ends all of this
/// but the reading of the instance and the first pass, which take about a second per million
/// buffers, and the setting up of an exact search. Of the planners, `Portfolio` and `Exact` have
/// limits; the others are one pass each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The arena's size, if it is fixed. Planning then stops as soon as the peak fits into it;
    /// without a capacity it goes on until the peak is proved least or the budget is spent.
    pub capacity: Option<u64>,
    /// The budget in work units beyond the above, about one per nanosecond on a fast machine of 2024. A unit is
    /// an operation counted, not a time measured: the same budget gives the same plan everywhere.
    pub work: u64,
    /// A budget in wall time besides. Results then depend on the machine: off by default.
    pub time: Option<Duration>,
}

impl Limits {
    /// The default budget: a few seconds at most, and only for instances that resist.
    pub const DEFAULT_WORK: u64 = 5_000_000_000;
}

impl Default for Limits {
    fn default() -> Self {
        Limits { capacity: None, work: Limits::DEFAULT_WORK, time: None }
    }
}

/// What is known about a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// No plan has a lower peak.
    Optimal,
    /// The plan is valid and within the capacity, if there is one; a lower peak may exist.
    Feasible,
    /// The best plan found does not fit into the capacity; the budget ran out before it was clear
    /// whether another one does.
    OverCapacity,
    /// It is proved that no plan fits into the capacity. The offsets are still a valid plan.
    Infeasible,
}

impl fmt::Display for Status {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Status::Optimal => "optimal",
            Status::Feasible => "feasible",
            Status::OverCapacity => "over capacity",
            Status::Infeasible => "infeasible",
        })
    }
}

/// One offset per buffer, in the order of the buffers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Where each buffer starts.
    pub offsets: Vec<u64>,
    /// The least arena that holds them: the maximum of offset + size.
    pub peak: u64,
    /// No plan has a peak below this.
    pub lower_bound: u64,
    /// What is known.
    pub status: Status,
}

/// Why buffers cannot be planned. `buffer` is the index of the first offender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanError {
    /// The alignment is zero or not a power of two.
    Alignment { buffer: usize, align: u64 },
    /// The lifetime has no moment: `start >= end`.
    Lifetime { buffer: usize, start: u64, end: u64 },
    /// The sizes, rounded up to their alignments, of buffers that are connected in time by
    /// overlapping lifetimes add up to more than an offset can say.
    Overflow { buffer: usize },
    /// More than 2^31 buffers.
    TooMany { buffers: usize },
}

impl fmt::Display for PlanError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::Alignment { buffer, align } => {
                write!(out, "buffer {buffer}: alignment {align} is not a power of two")
            }
            PlanError::Lifetime { buffer, start, end } => {
                write!(out, "buffer {buffer}: the lifetime from {start} to {end} is empty")
            }
            PlanError::Overflow { buffer } => {
                write!(
                    out,
                    "buffer {buffer}: with it, the sizes of buffers that are live together add up to \
                     more than 64 bits can hold"
                )
            }
            PlanError::TooMany { buffers } => write!(out, "{buffers} buffers are too many"),
        }
    }
}

impl std::error::Error for PlanError {}

/// Checks each buffer by itself; [`crate::instance`] checks their sums.
pub fn check(buffers: &[Buffer]) -> Result<(), PlanError> {
    if buffers.len() > i32::MAX as usize {
        return Err(PlanError::TooMany { buffers: buffers.len() });
    }
    for (index, buffer) in buffers.iter().enumerate() {
        if !buffer.align.is_power_of_two() {
            return Err(PlanError::Alignment { buffer: index, align: buffer.align });
        }
        if buffer.start >= buffer.end {
            let Buffer { start, end, .. } = *buffer;
            return Err(PlanError::Lifetime { buffer: index, start, end });
        }
    }
    Ok(())
}

/// The least multiple of the power of two `align` that is at least `value`, if it exists.
pub fn round_up(value: u64, align: u64) -> Option<u64> {
    value.checked_add(align - 1).map(|sum| sum & !(align - 1))
}
