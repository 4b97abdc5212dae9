//! The planners by name, and the status of their plans.

use crate::budget::Meter;
use crate::greedy::chunk::{Rule, chunks};
use crate::greedy::gaps::Fit;
use crate::greedy::{by_order, by_time};
use crate::instance::{Component, Offsets, normalize, store};
use crate::model::{Buffer, Limits, Plan, PlanError, Status};
use crate::orders::{by_size, by_start, tie};
use crate::portfolio;
use std::fmt;
use std::time::Instant;

/// A planner of this crate, by name.
///
/// The constant [`Planner::ALL`] lists them. All are deterministic.
///
/// ```
/// use memory_planner::{Buffer, Limits, Planner};
///
/// let buffers = [Buffer::new(4, 0, 2), Buffer::new(4, 1, 3), Buffer::new(8, 2, 4)];
/// for planner in Planner::ALL {
///     let plan = planner.plan(&buffers, &Limits::default())?;
///     println!("{planner}: {} bytes", plan.peak);
/// }
/// # Ok::<(), memory_planner::PlanError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Planner {
    /// The default: greedy planners until one reaches the lower bound; then, within the budget,
    /// local search over placement orders, and exact search for components of up to 3,000 buffers.
    /// Its peak is never above the peaks of the greedy planners below; the README lists the two
    /// exceptions, a time limit and components of more than 200,000 buffers.
    #[default]
    Portfolio,
    /// The portfolio with exact search also for components of up to 20,000 buffers. Memory grows
    /// with the square of their number.
    Exact,
    /// The static planner of the merge-alloc proposal (llvm/llvm-project#95882) with the rule
    /// `size-first`: the smallest free chunk that is large enough. O(n log n).
    ChunkSize,
    /// The same with the rule `cost-model`, the proposal's default: prefers chunks that were freed
    /// recently. O(n log n).
    ChunkHot,
    /// Largest buffer first, each into the lowest gap that fits, as in TensorFlow Lite Micro and
    /// IREE. O(n²) at worst.
    GreedyBySize,
    /// In order of start, each into the lowest gap that fits. O(n log n).
    FirstFit,
    /// In order of start, each into the smallest gap that fits. O(n log n).
    BestFit,
}

impl Planner {
    /// All planners, the default first.
    pub const ALL: &'static [Planner] = &[
        Planner::Portfolio,
        Planner::Exact,
        Planner::ChunkSize,
        Planner::ChunkHot,
        Planner::GreedyBySize,
        Planner::FirstFit,
        Planner::BestFit,
    ];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Planner::Portfolio => "portfolio",
            Planner::Exact => "exact",
            Planner::ChunkSize => "chunk-size",
            Planner::ChunkHot => "chunk-hot",
            Planner::GreedyBySize => "greedy-by-size",
            Planner::FirstFit => "first-fit",
            Planner::BestFit => "best-fit",
        }
    }

    /// The planner with this [`name`](Planner::name).
    ///
    /// ```
    /// use memory_planner::Planner;
    ///
    /// assert_eq!(Planner::from_name("best-fit"), Some(Planner::BestFit));
    /// assert_eq!(Planner::from_name("worst-fit"), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Planner> {
        Planner::ALL.iter().copied().find(|planner| planner.name() == name)
    }

    /// Plans the buffers with this planner.
    ///
    /// # Errors
    ///
    /// A [`PlanError`] if a buffer is malformed or the sizes overflow. A capacity that is not met
    /// is not an error: see [`Plan::status`].
    pub fn plan(self, buffers: &[Buffer], limits: &Limits) -> Result<Plan, PlanError> {
        let deadline = limits.time.and_then(|time| Instant::now().checked_add(time));
        let components = normalize(buffers)?;
        let lower_bound = components.iter().map(|c| c.lower_bound).max().unwrap_or(0);
        let mut meter = Meter::new(limits.work, deadline);
        let proved = |offsets: Vec<u64>| (offsets, lower_bound);
        let (offsets, lower_bound) = match self {
            Planner::Portfolio | Planner::Exact => {
                let small = if self == Planner::Exact { usize::MAX } else { portfolio::SMALL };
                portfolio::plan(buffers, &components, limits.capacity, small, &mut meter)
            }
            Planner::ChunkSize => proved(chunks(buffers, Rule::Size, &mut Meter::unlimited())?),
            Planner::ChunkHot => proved(chunks(buffers, Rule::Hot, &mut Meter::unlimited())?),
            Planner::GreedyBySize => proved(each(buffers, &components, |component| {
                let order = by_size(component);
                by_order::place(component, &order, None, &mut Meter::unlimited())
                    .unwrap_or_default()
            })),
            Planner::FirstFit | Planner::BestFit => {
                let fit = if self == Planner::FirstFit { Fit::First } else { Fit::Best };
                proved(each(buffers, &components, |component| {
                    let reversed = component.reversed;
                    let order = by_start(component, reversed, &|item| {
                        let index = tie(component, item);
                        (buffers[index as usize].start, index)
                    });
                    by_time::place(component, &order, fit, reversed, &mut Meter::unlimited())
                        .unwrap_or_default()
                }))
            }
        };
        Ok(finish(buffers, offsets, lower_bound, limits.capacity))
    }
}

impl fmt::Display for Planner {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// Plans the buffers with the default planner, [`Planner::Portfolio`].
///
/// # Errors
///
/// A [`PlanError`] if a buffer is malformed or the sizes overflow. A capacity that is not met is
/// not an error: see [`Plan::status`].
///
/// ```
/// use memory_planner::{Buffer, Limits, Status, plan};
///
/// let buffers = [Buffer::new(3, 0, 2), Buffer::new(4, 1, 3)];
/// let plan = plan(&buffers, &Limits::new().with_capacity(6))?;
/// assert_eq!((plan.status, plan.peak), (Status::Infeasible, 7));
/// # Ok::<(), memory_planner::PlanError>(())
/// ```
pub fn plan(buffers: &[Buffer], limits: &Limits) -> Result<Plan, PlanError> {
    Planner::Portfolio.plan(buffers, limits)
}

fn finish(buffers: &[Buffer], offsets: Vec<u64>, lower_bound: u64, capacity: Option<u64>) -> Plan {
    let ends = buffers.iter().zip(&offsets).map(|(buffer, &offset)| offset + buffer.size);
    let peak = ends.max().unwrap_or(0);
    let status = match capacity {
        Some(capacity) if lower_bound > capacity => Status::Infeasible,
        Some(capacity) if peak > capacity => Status::OverCapacity,
        _ if peak <= lower_bound => Status::Optimal,
        _ => Status::Feasible,
    };
    Plan { offsets, peak, lower_bound, status }
}

fn each(
    buffers: &[Buffer],
    components: &[Component],
    mut place: impl FnMut(&Component) -> Offsets,
) -> Vec<u64> {
    let mut offsets = vec![0; buffers.len()];
    for component in components {
        store(component, &place(component), &mut offsets);
    }
    offsets
}
