//! Propagation: the consequences of the items' bounds in one section, up to a fixpoint.
//!
//! A section is a machine, its open items are jobs with release times and one common deadline.
//! Two rules of scheduling theory apply:
//!
//! - *overload*: items whose bounds are all at least `r` need `r` plus their sizes;
//! - *not first* (Carlier, Pinson): if `k` below all items of a set would push their total beyond
//!   the deadline, then `k` is above at least one of them, so above the least end in the set.

use super::problem::Problem;
use super::state::{Cause, Conflict, State};
use crate::budget::Meter;

/// Work units per operation counted here and in the search.
pub const UNIT: u64 = 16;

/// Items of every section, nearly sorted from the last visit, and scratch space.
pub struct Propagator {
    by_bound: Vec<Vec<u32>>,
    by_end: Vec<Vec<u32>>,
    ends: Vec<u64>,
    position: Vec<u32>,
    suffix: Vec<u64>,
    rises: Vec<(u32, u64)>,
}

impl Propagator {
    /// A propagator for the sections of a problem.
    pub fn new(problem: &Problem) -> Self {
        Propagator {
            by_bound: problem.members.clone(),
            by_end: problem.members.clone(),
            ends: Vec::new(),
            position: vec![0; problem.len()],
            suffix: Vec::new(),
            rises: Vec::new(),
        }
    }

    /// Visits sections until none is queued, a conflict appears, or after `visits` of them:
    /// convergence may be slow, and stopping early is always sound.
    pub fn run(
        &mut self,
        problem: &Problem,
        state: &mut State,
        visits: usize,
        meter: &mut Meter,
    ) -> Option<Conflict> {
        if let Some(item) = state.too_high {
            return Some(Conflict::TooHigh(item));
        }
        let mut visits = visits;
        let mut cost = 0;
        let mut conflict = None;
        while let Some(section) = state.next_section() {
            cost += 8 + problem.members[section as usize].len() as u64;
            conflict = self.visit(problem, state, section);
            if conflict.is_some() || visits == 0 {
                break;
            }
            visits -= 1;
        }
        meter.spend(UNIT * cost);
        conflict
    }

    fn visit(&mut self, problem: &Problem, state: &mut State, section: u32) -> Option<Conflict> {
        let at = section as usize;
        let total = state.open_size[at];
        if state.open[at] == 0 {
            return None;
        }
        let size = &problem.size;
        let bound = &state.bound;
        let order = &mut self.by_bound[at];
        open_first(order, &state.placed);
        let order = &mut order[..state.open[at] as usize];
        let highest = order.iter().map(|&item| bound[item as usize]).max()?;
        if highest + total <= problem.capacity {
            return None;
        }
        insertion_sort(order, |item| bound[item as usize]);

        // Overload: from the highest bound down.
        let mut sum = 0;
        for &item in order.iter().rev() {
            sum += size[item as usize];
            let from = bound[item as usize];
            if from + sum > problem.capacity {
                return Some(Conflict::Overload { section, from });
            }
        }

        // Not first: `order[first..]` have bounds that do not leave room for all the others.
        let first = order.partition_point(|&item| bound[item as usize] + total <= problem.capacity);
        let by_end = &mut self.by_end[at];
        open_first(by_end, &state.placed);
        let by_end = &mut by_end[..order.len()];
        let end = |item: u32| bound[item as usize] + size[item as usize];
        insertion_sort(by_end, end);
        self.ends.clear();
        self.ends.extend(by_end.iter().map(|&item| end(item)));
        self.suffix.clear();
        self.suffix.resize(by_end.len() + 1, 0);
        for (index, &item) in by_end.iter().enumerate().rev() {
            self.suffix[index] = self.suffix[index + 1] + size[item as usize];
            self.position[item as usize] = index as u32;
        }
        self.rises.clear();
        for &item in &order[first..] {
            // The set must exceed `room` in size, the item itself included.
            let room = problem.capacity - bound[item as usize];
            let own = self.position[item as usize] as usize;
            let without = last_above(&self.suffix, room.saturating_sub(size[item as usize]));
            let least = if without.is_some_and(|index| index > own) {
                without
            } else {
                // From here down the suffix contains the item; alone at the front it is not a set.
                let with = last_above(&self.suffix[..=own], room);
                if with == Some(own) { Some(own + 1) } else { with }
            };
            let Some(&least) = least.and_then(|index| self.ends.get(index)) else { continue };
            if least > bound[item as usize] {
                self.rises.push((item, least));
            }
        }
        for &(item, least) in &self.rises {
            if !state.raise(problem, item, least, Cause::NotFirst(section)) {
                return Some(Conflict::TooHigh(item));
            }
        }
        None
    }
}

/// The last index whose value is above `room`, in decreasing values.
fn last_above(falling: &[u64], room: u64) -> Option<usize> {
    falling.partition_point(|&value| value > room).checked_sub(1)
}

/// Moves the open items to the front and keeps their order.
fn open_first(order: &mut [u32], placed: &[bool]) {
    let mut open = 0;
    for index in 0..order.len() {
        if !placed[order[index] as usize] {
            order.swap(open, index);
            open += 1;
        }
    }
}

/// Insertion sort: the order is nearly sorted already.
fn insertion_sort(order: &mut [u32], key: impl Fn(u32) -> u64) {
    for index in 1..order.len() {
        let item = order[index];
        let value = key(item);
        let mut hole = index;
        while hole > 0 && key(order[hole - 1]) > value {
            order[hole] = order[hole - 1];
            hole -= 1;
        }
        order[hole] = item;
    }
}
