//! The state of the search: the least offset of every item, and the trail of events that raised it.
//!
//! Every rise of a bound is an [`Event`] with a [`Cause`]; undoing pops events. Invariants: bounds
//! never decrease except by undoing; a placed item's bound is its offset; the bounds of items that
//! overlap a placed item and are not placed are at or above its end. A [`Conflict`] says why a
//! state has no solution.

use super::problem::Problem;

/// No event.
pub const NONE: u32 = u32::MAX;

/// The cause of a bound's rise.
#[derive(Clone, Copy, Debug)]
pub enum Cause {
    /// An overlapping item was placed below, at this level.
    Placed(u32),
    /// In this section, the item cannot be the lowest of a set of items.
    NotFirst(u32),
    /// At this level, placing the item at its least offset was refuted.
    Refuted(u32),
}

/// `item`'s bound rose from `before` to `after`.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    pub item: u32,
    pub cause: Cause,
    pub before: u64,
    pub after: u64,
    /// True if the explainer knows the levels that led to this event.
    pub explained: bool,
}

/// The reason that a state has no solution.
#[derive(Clone, Copy, Debug)]
pub enum Conflict {
    /// An item's bound is above its highest offset.
    TooHigh(u32),
    /// In this section, the open items with bounds of at least this value need too much.
    Overload { section: u32, from: u64 },
}

/// The end of a branch of the search: a contradiction of the state, or a choice without a member
/// left.
#[derive(Clone, Copy)]
pub enum DeadEnd {
    Conflict(Conflict),
    Exhausted,
}

/// Bounds, placements, and the sections to propagate.
pub struct State {
    pub bound: Vec<u64>,
    pub placed: Vec<bool>,
    /// The length of the trail when the item was placed; meaningful while it is.
    pub placed_at: Vec<u32>,
    /// The level at which the item was placed; meaningful while it is.
    pub level_of: Vec<u32>,
    /// Per item its events, as (event, bound from then on): both rise.
    pub history: Vec<Vec<(u32, u64)>>,
    /// The bounds that hold without any decision.
    root: Vec<u64>,
    pub trail: Vec<Event>,
    /// The item placed at each level.
    pub levels: Vec<u32>,
    /// Items not yet placed, per section.
    pub open: Vec<u32>,
    /// The sum of their sizes.
    pub open_size: Vec<u64>,
    /// Sections to propagate, first in, first out.
    pub queue: std::collections::VecDeque<u32>,
    queued: Vec<bool>,
    /// The first item found above its highest offset.
    pub too_high: Option<u32>,
}

impl State {
    /// Nothing placed, all bounds 0.
    pub fn new(problem: &Problem) -> Self {
        let sum = |members: &Vec<u32>| members.iter().map(|&i| problem.size[i as usize]).sum();
        let items = problem.len();
        let sections = problem.members.len();
        State {
            bound: vec![0; items],
            placed: vec![false; items],
            placed_at: vec![0; items],
            level_of: vec![0; items],
            history: vec![Vec::new(); items],
            root: vec![0; items],
            trail: Vec::new(),
            levels: Vec::new(),
            open: problem.members.iter().map(|members| members.len() as u32).collect(),
            open_size: problem.members.iter().map(sum).collect(),
            queue: (0..sections as u32).collect(),
            queued: vec![true; sections],
            too_high: None,
        }
    }

    /// Raises an item's bound to at least `value`; false when that is above its highest offset.
    pub fn raise(&mut self, problem: &Problem, item: u32, value: u64, cause: Cause) -> bool {
        let index = item as usize;
        let before = self.bound[index];
        if value <= before {
            return true;
        }
        let align = problem.align[index];
        // Saturation is above every highest offset, and so a contradiction.
        let after = if align == 1 {
            value
        } else {
            crate::model::round_up(value, align).unwrap_or(u64::MAX)
        };
        let event = self.trail.len() as u32;
        self.trail.push(Event { item, cause, before, after, explained: false });
        self.history[index].push((event, after));
        self.bound[index] = after;
        for section in problem.span[index].0..problem.span[index].1 {
            if !self.queued[section as usize] {
                self.queued[section as usize] = true;
                self.queue.push_back(section);
            }
        }
        if problem.highest[index].is_none_or(|highest| after > highest) {
            self.too_high = Some(item);
            return false;
        }
        true
    }

    /// The next section to propagate.
    pub fn next_section(&mut self) -> Option<u32> {
        let section = self.queue.pop_front()?;
        self.queued[section as usize] = false;
        Some(section)
    }

    /// Empties the queue of sections.
    pub fn clear_queue(&mut self) {
        for section in self.queue.drain(..) {
            self.queued[section as usize] = false;
        }
        self.too_high = None;
    }

    /// Places an item at its bound as the next level; everything open that overlaps goes above.
    pub fn place(&mut self, problem: &Problem, item: u32) -> bool {
        let index = item as usize;
        let level = self.levels.len() as u32;
        self.levels.push(item);
        self.placed[index] = true;
        self.level_of[index] = level;
        self.placed_at[index] = self.trail.len() as u32;
        for section in problem.span[index].0..problem.span[index].1 {
            self.open[section as usize] -= 1;
            self.open_size[section as usize] -= problem.size[index];
        }
        let end = self.bound[index] + problem.size[index];
        for &other in &problem.neighbors[index] {
            if !self.placed[other as usize]
                && self.bound[other as usize] < end
                && !self.raise(problem, other, end, Cause::Placed(level))
            {
                return false;
            }
        }
        true
    }

    /// Undoes the latest placement, without its events.
    pub fn unplace(&mut self, problem: &Problem) {
        let Some(item) = self.levels.pop() else { return };
        let index = item as usize;
        self.placed[index] = false;
        for section in problem.span[index].0..problem.span[index].1 {
            self.open[section as usize] += 1;
            self.open_size[section as usize] += problem.size[index];
        }
    }

    /// Undoes all events from `length` on.
    pub fn undo(&mut self, length: usize) {
        while self.trail.len() > length {
            let Some(event) = self.trail.pop() else { return };
            self.bound[event.item as usize] = event.before;
            self.history[event.item as usize].pop();
        }
    }

    /// Makes the present bounds the ones that hold without any decision.
    pub fn commit(&mut self) {
        self.trail.clear();
        self.history.iter_mut().for_each(Vec::clear);
        self.root.clone_from(&self.bound);
    }

    /// The event that first brought `item` to at least `value`; `NONE` if that holds without any
    /// decision.
    pub fn reached(&self, item: u32, value: u64) -> u32 {
        if self.root[item as usize] >= value {
            return NONE;
        }
        let history = &self.history[item as usize];
        let index = history.partition_point(|&(_, bound)| bound < value);
        history.get(index).map_or(NONE, |&(event, _)| event)
    }

    /// True if an item was placed before an event.
    pub fn was_placed(&self, item: u32, event: u32) -> bool {
        self.placed[item as usize] && self.placed_at[item as usize] <= event
    }
}
