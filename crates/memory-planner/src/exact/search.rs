//! Depth-first search for offsets below a height, with backjumping.
//!
//! Branching (Giffler and Thompson 1960, for machines that are sections): take an open item `i`
//! that can end earliest, at `e`, among its neighbors and the neighbors of its competitors
//! `C` = `i` and its open neighbors with bounds below `e`. In a left-justified solution some
//! member of `C` lies exactly at its bound with all open neighbors above it: if all of `C` were
//! at `e` or higher, `i` could move down to its bound; and no open item is directly below a member
//! that is below `e`, because no open neighbor of it ends before `e`. So try the members in turn, and
//! raise a member that failed to `e`. No order over the whole time is imposed, so decisions about distant
//! moments are independent.
//!
//! The answer `Infeasible` is a proof.

use super::explain::{Explainer, LevelSet};
use super::problem::Problem;
use super::propagate::{Propagator, UNIT};
use super::select::Selector;
use super::state::{Cause, Conflict, DeadEnd, State};
use crate::budget::Meter;

/// The end of a run.
pub enum Outcome {
    /// Offsets, scaled.
    Solved(Vec<u64>),
    Infeasible,
    /// The number of failures or the meter is exhausted.
    Stopped,
}

/// A choice point: the members of `candidates` from `next` on are still to be tried.
struct Frame {
    pivot: u32,
    threshold: u64,
    candidates: Vec<u32>,
    next: usize,
    /// Length of the trail at the choice, and when the present candidate was placed.
    start: usize,
    child: usize,
    explained: bool,
}

struct Run<'a> {
    problem: &'a Problem,
    state: State,
    propagator: Propagator,
    explainer: Explainer,
    frames: Vec<Frame>,
    /// Per level: the levels that by themselves exclude the placements refuted there.
    refuted: Vec<LevelSet>,
    spare: Vec<Vec<u32>>,
    literals: Vec<(u32, u64)>,
    visits: usize,
}

/// Searches until `failures` dead ends; `selector` learns from them.
pub fn search(
    problem: &Problem,
    selector: &mut Selector,
    failures: u64,
    meter: &mut Meter,
) -> Outcome {
    if problem.highest.iter().any(Option::is_none) {
        return Outcome::Infeasible;
    }
    let mut run = Run {
        problem,
        state: State::new(problem),
        propagator: Propagator::new(problem),
        explainer: Explainer::new(problem.len()),
        frames: Vec::new(),
        refuted: vec![LevelSet::default(); problem.len()],
        spare: Vec::new(),
        literals: Vec::new(),
        visits: 4 * problem.members.len() + 64,
    };
    if run.propagate(meter).is_some() {
        return Outcome::Infeasible;
    }
    run.state.commit();
    let mut failures = failures;
    loop {
        if run.state.levels.len() == problem.len() {
            return Outcome::Solved(run.state.bound);
        }
        run.branch(selector, meter);
        while let Some(conflict) = run.advance(meter) {
            selector.bump(problem, &run.state, conflict);
            if failures == 0 || meter.is_spent() {
                return Outcome::Stopped;
            }
            failures -= 1;
            if !run.backjump(conflict, meter) {
                return Outcome::Infeasible;
            }
        }
    }
}

impl Run<'_> {
    fn propagate(&mut self, meter: &mut Meter) -> Option<Conflict> {
        let conflict = self.propagator.run(self.problem, &mut self.state, self.visits, meter);
        self.state.clear_queue();
        conflict
    }

    fn branch(&mut self, selector: &mut Selector, meter: &mut Meter) {
        let mut candidates = self.spare.pop().unwrap_or_default();
        let (pivot, threshold) = selector.choose(self.problem, &self.state, &mut candidates);
        meter.spend(UNIT * selector.take_cost());
        self.refuted[self.frames.len()].clear();
        let start = self.state.trail.len();
        self.frames.push(Frame {
            pivot,
            threshold,
            candidates,
            next: 0,
            start,
            child: start,
            explained: false,
        });
    }

    /// Places the next member of the last choice and propagates.
    fn advance(&mut self, meter: &mut Meter) -> Option<DeadEnd> {
        let level = self.frames.len().checked_sub(1)?;
        loop {
            let frame = &mut self.frames[level];
            let Some(&item) = frame.candidates.get(frame.next) else {
                return Some(DeadEnd::Exhausted);
            };
            let threshold = frame.threshold;
            let now = self.state.trail.len();
            if self.state.bound[item as usize] < threshold {
                frame.child = now;
                meter.spend(UNIT * (16 + self.problem.neighbors[item as usize].len() as u64));
                if !self.state.place(self.problem, item) {
                    let conflict = self.state.too_high.map(Conflict::TooHigh);
                    self.state.clear_queue();
                    return conflict.map(DeadEnd::Conflict);
                }
                return self.propagate(meter).map(DeadEnd::Conflict);
            }
            // By now it is known that this member is not below the threshold.
            frame.next += 1;
            self.refute(level, item, threshold);
        }
    }

    /// Adds the reasons for a bound to the placements refuted at a level.
    fn refute(&mut self, level: usize, item: u32, bound: u64) {
        let mut levels = std::mem::take(&mut self.refuted[level]);
        // Explaining may need the refutations of this level: they are in `levels` already.
        let literals = [(item, bound)];
        self.explainer.bounds(self.problem, &mut self.state, &self.refuted, &literals, &mut levels);
        self.refuted[level] = levels;
    }

    /// Returns to the latest choice that contributed to the conflict and refutes the placement
    /// tried there; false if no choice did.
    fn backjump(&mut self, dead_end: DeadEnd, meter: &mut Meter) -> bool {
        let mut reason = LevelSet::default();
        match dead_end {
            DeadEnd::Exhausted => {
                let level = self.frames.len() - 1;
                reason.join(&self.refuted[level]);
                self.explain_choice(level, &mut reason);
                self.pop_frame();
            }
            DeadEnd::Conflict(conflict) => self.explain(conflict, &mut reason),
        }
        loop {
            meter.spend(UNIT * std::mem::take(&mut self.explainer.cost));
            let Some(level) = self.frames.len().checked_sub(1) else { return false };
            self.state.unplace(self.problem);
            self.state.undo(self.frames[level].child);
            if !reason.contains(level as u32) {
                self.pop_frame();
                continue;
            }
            reason.remove(level as u32);
            self.explain_choice(level, &mut reason);
            let frame = &mut self.frames[level];
            let item = frame.candidates[frame.next];
            frame.next += 1;
            let threshold = frame.threshold;
            let bound = self.state.bound[item as usize];
            self.refuted[level].join(&reason);
            self.refute(level, item, bound);
            let fits =
                self.state.raise(self.problem, item, threshold, Cause::Refuted(level as u32));
            let conflict = match fits {
                true => self.propagate(meter),
                false => {
                    self.state.clear_queue();
                    Some(Conflict::TooHigh(item))
                }
            };
            let Some(conflict) = conflict else { return true };
            reason.clear();
            self.explain(conflict, &mut reason);
            // The state before the choice is contradictory, given the refuted placements: go on up.
            self.state.undo(self.frames[level].child);
            self.pop_frame();
        }
    }

    fn explain(&mut self, conflict: Conflict, reason: &mut LevelSet) {
        self.explainer.conflict(self.problem, &mut self.state, &self.refuted, conflict, reason);
    }

    fn pop_frame(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.state.undo(frame.start);
            self.spare.push(frame.candidates);
        }
    }

    /// Adds the reasons that the choice at `level` was complete, once per choice: no open neighbor
    /// of a member ends below the threshold, the pivot's neighbors that are not members start above
    /// it, and the items placed next to the members are where they are.
    fn explain_choice(&mut self, level: usize, reason: &mut LevelSet) {
        let frame = &mut self.frames[level];
        if std::mem::replace(&mut frame.explained, true) {
            return;
        }
        let mut literals = std::mem::take(&mut self.literals);
        literals.clear();
        for &member in &frame.candidates {
            for &other in &self.problem.neighbors[member as usize] {
                if self.state.placed[other as usize] {
                    reason.insert(self.state.level_of[other as usize]);
                } else {
                    let size = self.problem.size[other as usize];
                    literals.push((other, frame.threshold.saturating_sub(size)));
                }
            }
        }
        for &other in &self.problem.neighbors[frame.pivot as usize] {
            if !self.state.placed[other as usize] && !frame.candidates.contains(&other) {
                literals.push((other, frame.threshold));
            }
        }
        self.explainer.bounds(self.problem, &mut self.state, &self.refuted, &literals, reason);
        self.literals = literals;
    }
}
