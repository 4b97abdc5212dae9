//! Traces a conflict back to the decisions that led to it.
//!
//! A *literal* "the bound of `i` is at least `v`" is explained by the event that first made it
//! true; the event's cause yields a placement level, or more literals, which are weakened as far
//! as the argument allows. The result is the set of levels whose placements alone exclude every
//! left-justified solution. Source: conflict analysis as in lazy clause generation (Ohrimenko,
//! Stuckey, Codish), used here for backjumping (Prosser's CBJ) instead of learning.

use super::problem::Problem;
use super::state::{Cause, Conflict, Event, NONE, State};

/// A set of levels.
#[derive(Clone, Debug, Default)]
pub struct LevelSet {
    words: Vec<u64>,
}

impl LevelSet {
    /// Removes all levels.
    pub fn clear(&mut self) {
        self.words.clear();
    }

    pub fn insert(&mut self, level: u32) {
        let word = level as usize / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (level % 64);
    }

    pub fn remove(&mut self, level: u32) {
        if let Some(word) = self.words.get_mut(level as usize / 64) {
            *word &= !(1 << (level % 64));
        }
    }

    pub fn contains(&self, level: u32) -> bool {
        self.words.get(level as usize / 64).is_some_and(|word| word >> (level % 64) & 1 == 1)
    }

    pub fn join(&mut self, other: &LevelSet) {
        self.join_words(&other.words);
    }

    fn join_words(&mut self, words: &[u64]) {
        if self.words.len() < words.len() {
            self.words.resize(words.len(), 0);
        }
        for (word, other) in self.words.iter_mut().zip(words) {
            *word |= other;
        }
    }
}

/// Explanations of the events on the trail, made when first needed, and scratch space.
pub struct Explainer {
    /// Words per set.
    width: usize,
    /// The set of each explained event.
    sets: Vec<u64>,
    /// Events under explanation, with where their open antecedents begin in `open`.
    stack: Vec<(u32, usize)>,
    open: Vec<u32>,
    /// Items that an argument may use, each with the event it then depends on, plus one.
    candidates: Vec<(u32, u32)>,
    /// Operations done, to be charged by the caller.
    pub cost: u64,
}

impl Explainer {
    /// An explainer for this many levels.
    pub fn new(levels: usize) -> Self {
        Explainer {
            width: levels / 64 + 1,
            sets: Vec::new(),
            stack: Vec::new(),
            open: Vec::new(),
            candidates: Vec::new(),
            cost: 0,
        }
    }

    /// Adds the levels that led to a conflict.
    pub fn conflict(
        &mut self,
        problem: &Problem,
        state: &mut State,
        refuted: &[LevelSet],
        conflict: Conflict,
        levels: &mut LevelSet,
    ) {
        self.open.clear();
        match conflict {
            Conflict::TooHigh(item) => {
                // Without a highest offset not even 0 is allowed.
                let least = problem.highest[item as usize].map_or(0, |highest| highest + 1);
                self.require(state, item, least);
            }
            Conflict::Overload { section, from } => self.overload(problem, state, section, from),
        }
        self.resolve(problem, state, refuted, levels);
    }

    /// Adds the levels that led to "the bound of each item is at least the value".
    pub fn bounds(
        &mut self,
        problem: &Problem,
        state: &mut State,
        refuted: &[LevelSet],
        literals: &[(u32, u64)],
        levels: &mut LevelSet,
    ) {
        self.open.clear();
        for &(item, value) in literals {
            self.require(state, item, value);
        }
        self.cost += literals.len() as u64;
        self.resolve(problem, state, refuted, levels);
    }

    fn require(&mut self, state: &State, item: u32, value: u64) {
        let event = state.reached(item, value);
        if event != NONE {
            self.open.push(event);
        }
    }

    /// Explains everything in `open` into `levels`.
    fn resolve(
        &mut self,
        problem: &Problem,
        state: &mut State,
        refuted: &[LevelSet],
        levels: &mut LevelSet,
    ) {
        let width = self.width;
        if self.sets.len() < state.trail.len() * width {
            self.sets.resize(state.trail.len() * width, 0);
        }
        loop {
            let base = self.stack.last().map_or(0, |&(_, base)| base);
            if self.open.len() == base {
                let Some((event, _)) = self.stack.pop() else { return };
                state.trail[event as usize].explained = true;
                continue;
            }
            let Some(&event) = self.open.last() else { return };
            if !state.trail[event as usize].explained {
                self.begin(problem, state, refuted, event);
                continue;
            }
            self.open.pop();
            let from = event as usize * width;
            match self.stack.last() {
                Some(&(above, _)) => {
                    let to = above as usize * width;
                    for word in 0..width {
                        self.sets[to + word] |= self.sets[from + word];
                    }
                }
                None => levels.join_words(&self.sets[from..from + width]),
            }
        }
    }

    /// Starts an event's explanation: its own level, and its antecedents in `open`.
    fn begin(&mut self, problem: &Problem, state: &State, refuted: &[LevelSet], event: u32) {
        self.stack.push((event, self.open.len()));
        let from = event as usize * self.width;
        let set = &mut self.sets[from..from + self.width];
        set.fill(0);
        self.cost += 4;
        match state.trail[event as usize].cause {
            Cause::Placed(level) => set[level as usize / 64] |= 1 << (level % 64),
            Cause::Refuted(level) => {
                for (word, other) in set.iter_mut().zip(&refuted[level as usize].words) {
                    *word |= other;
                }
            }
            Cause::NotFirst(section) => self.not_first(problem, state, section, event),
        }
    }

    /// The items from `from` on, those explained by the oldest events first, until they overload.
    fn overload(&mut self, problem: &Problem, state: &State, section: u32, from: u64) {
        self.candidates.clear();
        for &item in &problem.members[section as usize] {
            if !state.placed[item as usize] && state.bound[item as usize] >= from {
                self.candidates.push((state.reached(item, from).wrapping_add(1), item));
            }
        }
        self.cost += problem.members[section as usize].len() as u64;
        let sum = self.choose(problem, problem.capacity.saturating_sub(from));
        // One unit more than fits is enough.
        let value = (problem.capacity + 1).saturating_sub(sum);
        self.require_chosen(state, |_| value);
    }

    /// The reason that the item of `event` is above the end of one item of a set.
    fn not_first(&mut self, problem: &Problem, state: &State, section: u32, event: u32) {
        let Event { item: moved, before, after, .. } = state.trail[event as usize];
        let size = &problem.size;
        // Any end from which the alignment leads to the bound will do.
        let end = after.saturating_sub(problem.align[moved as usize] - 1);
        self.candidates.clear();
        for &item in &problem.members[section as usize] {
            let enough = end.saturating_sub(size[item as usize]);
            if item != moved && !state.was_placed(item, event) {
                let reached = state.reached(item, enough).wrapping_add(1);
                if reached <= event && state.bound[item as usize] >= enough {
                    self.candidates.push((reached, item));
                }
            }
        }
        self.cost += problem.members[section as usize].len() as u64;
        let own = size[moved as usize];
        let sum = self.choose(problem, problem.capacity.saturating_sub(before + own));
        self.require(state, moved, (problem.capacity + 1).saturating_sub(sum + own));
        self.require_chosen(state, |item| end.saturating_sub(size[item as usize]));
    }

    /// Keeps the candidates with the oldest explanations, as many as exceed `room`.
    fn choose(&mut self, problem: &Problem, room: u64) -> u64 {
        self.candidates.sort_unstable();
        let mut sum = 0;
        let mut count = 0;
        for &(_, item) in &self.candidates {
            if sum > room {
                break;
            }
            sum += problem.size[item as usize];
            count += 1;
        }
        self.candidates.truncate(count);
        sum
    }

    fn require_chosen(&mut self, state: &State, value: impl Fn(u32) -> u64) {
        for index in 0..self.candidates.len() {
            let item = self.candidates[index].1;
            self.require(state, item, value(item));
        }
    }
}
