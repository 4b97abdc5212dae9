//! The data that callers see: buffers, limits, the plan, and every error in the input.
//!
//! Plain data with public fields. Invariants are checked by [`check`], which every planner calls
//! before anything else.

use std::fmt;
use std::time::Duration;

/// A request for memory: `size` bytes, needed from time `start` up to, not including, time `end`.
///
/// Two buffers *conflict* if their lifetimes intersect; conflicting buffers never share a byte.
/// A buffer of size 0 conflicts with nothing and is placed at offset 0.
///
/// ```
/// use memory_planner::Buffer;
///
/// let buffer = Buffer::new(100, 3, 7).with_align(32);
/// assert_eq!((buffer.size, buffer.align, buffer.start, buffer.end), (100, 32, 3, 7));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Buffer {
    /// The size in bytes.
    pub size: u64,
    /// The alignment in bytes, a power of two: the offset is a multiple of it.
    pub align: u64,
    /// The first moment of the lifetime.
    pub start: u64,
    /// The first moment after the lifetime: `start < end`.
    pub end: u64,
}

impl Buffer {
    /// A buffer of `size` bytes, live in `start..end`, with alignment 1.
    ///
    /// Nothing is checked here: an empty lifetime is an error of [`plan`](crate::plan()).
    #[must_use]
    pub const fn new(size: u64, start: u64, end: u64) -> Self {
        Buffer { size, align: 1, start, end }
    }

    /// The same buffer with an alignment in bytes, which [`plan`](crate::plan()) requires to be a
    /// power of two.
    #[must_use]
    pub const fn with_align(self, align: u64) -> Self {
        Buffer { align, ..self }
    }
}

/// The limits at which planning stops.
///
/// [`Planner::Portfolio`](crate::Planner::Portfolio) and [`Planner::Exact`](crate::Planner::Exact)
/// have limits; the other planners are one pass each and ignore them, except that
/// [`capacity`](Limits::capacity) decides the [`Status`].
///
/// Some planners run whatever `work` is: first fit and best fit in order of time, the two planners
/// of the merge-alloc proposal, and `greedy-by-size` as long as it can still win (for more than
/// 200,000 connected buffers: at most 6,000,000,000 units of it). Everything else is within `work`.
/// `time` ends all of this except the normal form and the first pass, which together take about a
/// second per million buffers, and the construction of the tables of an exact search.
///
/// ```
/// use memory_planner::Limits;
/// use std::time::Duration;
///
/// let limits = Limits::new().with_capacity(1 << 20).with_time(Duration::from_secs(2));
/// assert_eq!(limits.capacity, Some(1_048_576));
/// assert_eq!(limits.work, Limits::DEFAULT_WORK);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The size of the arena in bytes, if it is fixed. Planning then stops as soon as the peak fits
    /// into it; without a capacity it continues until the peak is proved optimal or the budget is
    /// spent.
    pub capacity: Option<u64>,
    /// The budget in work units, beyond the planners that always run. A unit is an operation
    /// counted, not a time measured, and takes about a nanosecond on a fast machine of 2024: the
    /// same budget gives the same plan on every machine.
    pub work: u64,
    /// A limit in wall-clock time as well. Plans then depend on the machine: off by default.
    pub time: Option<Duration>,
}

impl Limits {
    /// The default budget in work units: a few seconds at most, and only for hard instances.
    pub const DEFAULT_WORK: u64 = 5_000_000_000;

    /// No capacity, the default budget, no time limit.
    #[must_use]
    pub const fn new() -> Self {
        Limits { capacity: None, work: Limits::DEFAULT_WORK, time: None }
    }

    /// The same limits for an arena of a fixed size in bytes.
    #[must_use]
    pub const fn with_capacity(self, capacity: u64) -> Self {
        Limits { capacity: Some(capacity), ..self }
    }

    /// The same limits with another budget in work units.
    #[must_use]
    pub const fn with_work(self, work: u64) -> Self {
        Limits { work, ..self }
    }

    /// The same limits with a limit in wall-clock time.
    #[must_use]
    pub const fn with_time(self, time: Duration) -> Self {
        Limits { time: Some(time), ..self }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits::new()
    }
}

/// The proof status of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// No plan has a lower peak.
    Optimal,
    /// The plan is valid and within the capacity, if there is one; a lower peak may exist.
    Feasible,
    /// The best plan found exceeds the capacity, and the budget was spent before it was known
    /// whether another plan fits.
    OverCapacity,
    /// No plan fits into the capacity; this is proved. The offsets are still a valid plan, for a
    /// larger arena.
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

/// One offset per buffer, in the order of the buffers, with the peak, a lower bound and the status.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan {
    /// The offset of each buffer in bytes.
    pub offsets: Vec<u64>,
    /// The size in bytes of the smallest arena that holds them: the maximum of offset + size.
    pub peak: u64,
    /// No plan has a peak below this many bytes.
    pub lower_bound: u64,
    /// The proof status of the peak.
    pub status: Status,
}

/// The reason that buffers cannot be planned. `buffer` is the index of the first buffer at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanError {
    /// The alignment is not a power of two.
    InvalidAlignment {
        /// The index of the buffer.
        buffer: usize,
        /// Its alignment.
        align: u64,
    },
    /// The lifetime is empty: `start >= end`.
    EmptyLifetime {
        /// The index of the buffer.
        buffer: usize,
        /// The start of its lifetime.
        start: u64,
        /// The end of its lifetime.
        end: u64,
    },
    /// The sizes, rounded up to the alignments, of buffers in one component (buffers that are
    /// connected in time by overlapping lifetimes) add up to more than 64 bits can hold.
    Overflow {
        /// The index of the buffer at which the sum overflows.
        buffer: usize,
    },
    /// There are more than 2^31 - 1 buffers.
    TooManyBuffers {
        /// The number of buffers.
        buffers: usize,
    },
}

impl fmt::Display for PlanError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::InvalidAlignment { buffer, align } => {
                write!(out, "buffer {buffer}: its alignment {align} is not a power of two")
            }
            PlanError::EmptyLifetime { buffer, start, end } => {
                write!(out, "buffer {buffer}: its lifetime from {start} to {end} is empty")
            }
            PlanError::Overflow { buffer } => write!(
                out,
                "buffer {buffer}: the sizes of the buffers up to this one add up to more than 64 \
                 bits can hold"
            ),
            PlanError::TooManyBuffers { buffers } => {
                write!(out, "{buffers} buffers, but at most {MOST_BUFFERS} can be planned")
            }
        }
    }
}

impl std::error::Error for PlanError {}

const MOST_BUFFERS: usize = i32::MAX as usize;

/// Checks each buffer by itself; [`crate::instance`] checks their sums.
pub fn check(buffers: &[Buffer]) -> Result<(), PlanError> {
    if buffers.len() > MOST_BUFFERS {
        return Err(PlanError::TooManyBuffers { buffers: buffers.len() });
    }
    for (index, buffer) in buffers.iter().enumerate() {
        if !buffer.align.is_power_of_two() {
            return Err(PlanError::InvalidAlignment { buffer: index, align: buffer.align });
        }
        if buffer.start >= buffer.end {
            let Buffer { start, end, .. } = *buffer;
            return Err(PlanError::EmptyLifetime { buffer: index, start, end });
        }
    }
    Ok(())
}

/// The least multiple of the power of two `align` that is at least `value`, if 64 bits can hold it.
pub fn round_up(value: u64, align: u64) -> Option<u64> {
    value.checked_add(align - 1).map(|sum| sum & !(align - 1))
}
