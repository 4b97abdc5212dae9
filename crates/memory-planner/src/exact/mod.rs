//! Exact planning of small components: search below a height, restarts, and proofs.
//!
//! | module | |
//! |---|---|
//! | `problem` | the question: do these items fit below this height? |
//! | `state` | bounds of the items, and the trail of their changes |
//! | `propagate` | consequences of the bounds in one section |
//! | `explain` | the decisions that led to a conflict |
//! | `select` | where to branch, and in which order |
//! | `search` | depth first, with backjumping |
//!
//! Input: a component and a first plan. Output: a plan no worse, and a lower bound. Invariant:
//! the result depends on the input and the work budget alone.

mod explain;
mod problem;
mod propagate;
mod search;
mod select;
mod state;

use crate::budget::Meter;
use crate::instance::{Component, Offsets};
use crate::random::SplitMix64;
use problem::Problem;
use search::{Outcome, search};
use select::{Criterion, Region, Selector};

use Criterion::*;

const ORDERS: [&[Criterion]; 7] = [
    &[Load, Width, Area],
    &[Load, Crowd, Size],
    &[Width, Area, Load],
    &[Crowd, Size],
    &[Overlaps, Size],
    &[Align, Size],
    &[Align, Load, Width],
];

/// The region and the order in which the runs branch, in rotation, as (region, index of the order).
/// Which strategy suits an instance is not known in advance, and running times vary so much that
/// many short attempts beat a long one. The first [`ALIGNED`] are for mixed alignments only.
const STRATEGIES: [(Region, usize); 14] = [
    (Region::Lowest, 5),
    (Region::Weight, 5),
    (Region::Lowest, 6),
    (Region::Weight, 6),
    (Region::Weight, 0),
    (Region::Weight, 1),
    (Region::Weight, 2),
    (Region::Weight, 3),
    (Region::Weight, 4),
    (Region::Lowest, 0),
    (Region::Lowest, 1),
    (Region::Lowest, 2),
    (Region::Lowest, 3),
    (Region::Lowest, 4),
];

const ALIGNED: usize = 4;

/// Heights to try, in sixteenths of the distance from the lower bound to the best peak.
const PARTS: [u64; 8] = [14, 12, 15, 13, 10, 8, 11, 9];

/// The fraction of the work that the first attempt at such a height gets.
const FIRST_SHARE: u64 = 16;

/// The fraction of the work that the lower bound gets, which is tried before the heights.
const LEAST_SHARE: u64 = 16;

/// Chance in 1024 that an item is moved in a noisy order.
const NOISE: u64 = 50;

/// A sequence of restarts that continues where the last call stopped.
struct Session {
    problem: Problem,
    selector: Selector,
    random: SplitMix64,
    run: u64,
    peak: u64,
    strategies: &'static [(Region, usize)],
}

impl Session {
    fn new(component: &Component, peak: u64) -> Self {
        let problem = Problem::new(component, peak);
        let selector = Selector::new(&problem);
        let strategies =
            if component.is_mixed() { &STRATEGIES[..] } else { &STRATEGIES[ALIGNED..] };
        Session { selector, problem, random: SplitMix64(1), run: 0, peak, strategies }
    }

    /// Searches for offsets with a peak of at most `peak`.
    fn solve(
        &mut self,
        component: &Component,
        peak: u64,
        round: u64,
        meter: &mut Meter,
    ) -> Outcome {
        if peak != self.peak {
            // Another height is another search, in which other sections are hard: start over.
            self.problem.set_peak(component, peak);
            self.selector = Selector::new(&self.problem);
            self.peak = peak;
            self.run = round * self.strategies.len() as u64;
        }
        let items = self.problem.len() as u64;
        while !meter.is_spent() {
            let count = self.strategies.len() as u64;
            let pass = self.run / count;
            let (region, order) = self.strategies[(self.run % count) as usize];
            // The number of dead ends until the next restart, and the disorder.
            let failures = (50 + items / 4) << pass.min(30);
            let noise = if pass == 0 { 0 } else { NOISE };
            self.selector.region = region;
            self.selector.order(&self.problem, ORDERS[order], noise, &mut self.random);
            self.run += 1;
            match search(&self.problem, &mut self.selector, failures, meter) {
                Outcome::Stopped => {}
                outcome => return outcome,
            }
        }
        Outcome::Stopped
    }
}

/// The result of [`improve`].
pub struct Improvement {
    pub offsets: Offsets,
    pub lower_bound: u64,
}

/// True if the problem's tables, which grow with the square of the items, stay small.
pub fn is_small(component: &Component, items: usize) -> bool {
    let cells: u64 = component.items.iter().map(|item| u64::from(item.hi - item.lo)).sum();
    component.items.len() <= items.min(20_000) && cells <= 50_000_000
}

/// Lowers the peak of a component to `goal`, or as far as the meter allows; never above `offsets`.
///
/// With a capacity, only that height is tried. Without, the lower bound is tried first, with a
/// sixteenth of the work, then heights between it and the best peak, in iterations whose shares of
/// the work double: a greater height is not always easier, because it permits fewer inferences.
pub fn improve(
    component: &Component,
    offsets: &[u64],
    goal: u64,
    capacity: Option<u64>,
    meter: &mut Meter,
) -> Improvement {
    let mut best = offsets.to_vec();
    let mut peak = component.peak(&best);
    let mut low = component.lower_bound;
    let mut session = Session::new(component, goal);
    let least_share = if capacity.is_some() { u64::MAX } else { meter.left() / LEAST_SHARE };
    let mut share = meter.left() / FIRST_SHARE;
    let mut round = 0;
    while peak > goal.max(low) && !meter.is_spent() {
        let mut step = 0;
        while step <= PARTS.len() && peak > goal.max(low) && !meter.is_spent() {
            let least = goal.max(low);
            let (part, share) = match step {
                0 => (0, least_share),
                _ => (PARTS[step - 1], share),
            };
            let target = least + ((peak - least) as u128 * part as u128 / 16) as u64;
            let mut slice = meter.slice(share);
            let outcome = session.solve(component, target, round, &mut slice);
            meter.absorb(&slice);
            match outcome {
                Outcome::Solved(found) => {
                    best = found;
                    peak = component.peak(&best);
                    step = step.max(1);
                }
                Outcome::Infeasible => {
                    low = next_peak(component, target);
                    // Raising it byte by byte would take too long: bisect instead.
                    step = step.max(1);
                }
                Outcome::Stopped => step += 1,
            }
        }
        if capacity.is_none() {
            round += 1;
        }
        share = share.saturating_mul(2);
    }
    Improvement { offsets: best, lower_bound: low }
}

/// The least peak above `peak` that any offsets can have: multiples of the scale, less a slack.
fn next_peak(component: &Component, peak: u64) -> u64 {
    let scale = component.scale as u128;
    let next = |slack: u64| ((u128::from(peak) + u128::from(slack)) / scale + 1) * scale;
    let peaks = component.items.iter().map(|item| next(item.slack) - u128::from(item.slack));
    peaks.min().and_then(|peak| u64::try_from(peak).ok()).unwrap_or(u64::MAX)
}
