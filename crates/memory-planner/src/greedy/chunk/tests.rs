//! The planners of the merge-alloc proposal give the proposal's offsets, and agree with a direct
//! implementation of its rules on random traces.

use super::{Event, Rule, Schedule, schedule_within};
use crate::budget::Meter;
use crate::model::{Buffer, Limits};
use crate::planner::Planner;
use crate::random::SplitMix64;

fn schedule(events: &[Event], alignment: u64, rule: Rule) -> Option<Schedule> {
    schedule_within(events, alignment, rule, &mut Meter::unlimited())
}

/// Positive sizes allocate, zero frees.
fn trace(lines: &[(usize, u64)]) -> Vec<Event> {
    lines
        .iter()
        .map(|&(buffer, size)| match size {
            0 => Event::Free { buffer },
            _ => Event::Alloc { buffer, size },
        })
        .collect()
}

#[test]
fn a_chain_of_products_takes_two_places() {
    // a0 lives in the first two operations, b0 in the second and third, c0 in the last two.
    let size = 128 * 128 * 4;
    let buffers = [Buffer::new(size, 0, 2), Buffer::new(size, 1, 3), Buffer::new(size, 2, 4)];
    for planner in [Planner::ChunkSize, Planner::ChunkHot] {
        let plan = planner.plan(&buffers, &Limits::default()).expect("a plan");
        assert_eq!(plan.offsets, [0, 65_536, 0]);
        assert_eq!(plan.peak, 131_072);
    }
}

#[test]
fn the_linearized_trace_gets_the_offsets_of_the_proposal() {
    // A [1,4] 16, B [2,3] 64, C [5,6] 16.
    let lines = [(0, 16), (1, 64), (1, 0), (0, 0), (2, 16), (2, 0)];
    for rule in [Rule::Size, Rule::Hot] {
        let schedule = schedule(&trace(&lines), 1, rule).expect("no overflow");
        assert_eq!(schedule.offsets, [Some(0), Some(16), Some(0)]);
        assert_eq!(schedule.total, 80);
    }
    let buffers = [Buffer::new(16, 1, 5), Buffer::new(64, 2, 4), Buffer::new(16, 5, 7)];
    for planner in [Planner::ChunkSize, Planner::ChunkHot] {
        let plan = planner.plan(&buffers, &Limits::default()).expect("a plan");
        assert_eq!(plan.offsets, [0, 16, 0]);
    }
}

#[test]
fn splits_merges_and_extensions_give_the_offsets_of_the_proposal() {
    // An example whose offsets are known from the proposal's implementation.
    let lines = [
        (0, 100),
        (1, 120),
        (2, 100),
        (0, 0),
        (3, 50),
        (4, 60),
        (2, 0),
        (4, 0),
        (8, 100),
        (8, 0),
        (5, 60),
        (5, 0),
        (1, 0),
        (6, 350),
        (3, 0),
        (7, 100),
    ];
    let offsets = [0, 160, 280, 0, 100, 100, 100, 0, 280].map(Some);
    for rule in [Rule::Size, Rule::Hot] {
        let schedule = schedule(&trace(&lines), 1, rule).expect("no overflow");
        assert_eq!(schedule.total, 450);
        assert_eq!(schedule.offsets, offsets);
    }
}

/// The rules as the proposal states them: a list of chunks, every move made at once.
mod plain {
    use super::{Event, Rule};

    #[derive(Clone)]
    enum Kind {
        Origin,
        Lower(usize),
        Upper(usize),
        Merged(Vec<usize>),
    }

    struct Chunk {
        kind: Kind,
        start: u64,
        size: u64,
        free: bool,
        freed: u64,
    }

    #[derive(Default)]
    pub struct Arena {
        chunks: Vec<Chunk>,
        row: Vec<usize>,
        /// Free chunks in the order they became free.
        free: Vec<usize>,
        total: u64,
        tick: u64,
    }

    impl Arena {
        fn shift(&mut self, chunk: usize, by: u64) {
            match self.chunks[chunk].kind.clone() {
                Kind::Origin => self.chunks[chunk].start += by,
                Kind::Lower(parent) => self.shift(parent, by),
                Kind::Upper(_) => {}
                Kind::Merged(parents) => parents.iter().for_each(|&parent| self.shift(parent, by)),
            }
        }

        fn grow(&mut self, chunk: usize, by: u64) {
            self.chunks[chunk].size += by;
            match self.chunks[chunk].kind.clone() {
                Kind::Origin => {}
                Kind::Lower(parent) | Kind::Upper(parent) => self.grow(parent, by),
                Kind::Merged(parents) => self.grow(parents[parents.len() - 1], by),
            }
        }

        fn start(&self, chunk: usize) -> u64 {
            match &self.chunks[chunk].kind {
                Kind::Origin => self.chunks[chunk].start,
                Kind::Lower(parent) => self.start(*parent),
                Kind::Upper(parent) => {
                    self.start(*parent) + self.chunks[*parent].size - self.chunks[chunk].size
                }
                Kind::Merged(parents) => self.start(parents[0]),
            }
        }

        fn add(&mut self, kind: Kind, start: u64, size: u64) -> usize {
            self.chunks.push(Chunk { kind, start, size, free: false, freed: 0 });
            self.chunks.len() - 1
        }

        fn score(&self, chunk: usize, size: u64) -> f32 {
            let found = self.chunks[chunk].size;
            let mut fit = -(found.abs_diff(size) as f32) / found.max(size) as f32;
            if size <= found {
                fit += 1.0;
            }
            let age = (self.tick - self.chunks[chunk].freed) as f32 / 10.0;
            fit + (1.0 - age.min(1.0))
        }

        fn pick(&self, size: u64, rule: Rule) -> usize {
            match rule {
                Rule::Size => {
                    let mut free = self.free.clone();
                    free.sort_by_key(|&chunk| self.chunks[chunk].size);
                    let fit = free.iter().find(|&&chunk| self.chunks[chunk].size >= size);
                    *fit.unwrap_or(&free[free.len() - 1])
                }
                Rule::Hot => {
                    let mut free = self.free.clone();
                    free.sort_by_key(|&chunk| self.chunks[chunk].freed);
                    let mut best = free[free.len() - 1];
                    for &chunk in &free {
                        if self.score(chunk, size) > self.score(best, size) {
                            best = chunk;
                        }
                    }
                    best
                }
            }
        }

        fn allocate(&mut self, size: u64, rule: Rule) -> usize {
            self.tick += 1;
            if self.free.is_empty() {
                let chunk = self.add(Kind::Origin, self.total, size);
                self.total += size;
                self.row.push(chunk);
                return chunk;
            }
            let target = self.pick(size, rule);
            self.free.retain(|&chunk| chunk != target);
            self.chunks[target].free = false;
            let found = self.chunks[target].size;
            let place = self.row.iter().position(|&chunk| chunk == target).expect("in the row");
            if found < size {
                self.total += size - found;
                self.grow(target, size - found);
                for at in place + 1..self.row.len() {
                    self.shift(self.row[at], size - found);
                }
                return target;
            }
            if found == size {
                return target;
            }
            let lower = self.add(Kind::Lower(target), 0, size);
            let upper = self.add(Kind::Upper(target), 0, found - size);
            self.row.splice(place..place + 1, [lower, upper]);
            self.chunks[upper].freed = self.chunks[target].freed;
            self.chunks[upper].free = true;
            self.free.push(upper);
            lower
        }

        fn release(&mut self, chunk: usize) {
            self.tick += 1;
            self.chunks[chunk].freed = self.tick;
            self.chunks[chunk].free = true;
            self.free.push(chunk);
            let place = self.row.iter().position(|&other| other == chunk).expect("in the row");
            let (mut from, mut to) = (place, place + 1);
            while from > 0 && self.chunks[self.row[from - 1]].free {
                from -= 1;
            }
            while to < self.row.len() && self.chunks[self.row[to]].free {
                to += 1;
            }
            if to - from > 1 {
                let parents = self.row[from..to].to_vec();
                self.free.retain(|other| !parents.contains(other));
                let size = parents.iter().map(|&parent| self.chunks[parent].size).sum();
                let merged = self.add(Kind::Merged(parents), 0, size);
                self.row.splice(from..to, [merged]);
                self.chunks[merged].freed = self.tick;
                self.chunks[merged].free = true;
                self.free.push(merged);
            }
        }

        pub fn run(mut self, events: &[Event], rule: Rule) -> (Vec<u64>, u64) {
            let mut chunk_of = Vec::new();
            for event in events {
                match *event {
                    Event::Alloc { buffer, size } => {
                        let chunk = self.allocate(size, rule);
                        chunk_of.resize(chunk_of.len().max(buffer + 1), 0);
                        chunk_of[buffer] = chunk;
                    }
                    Event::Free { buffer } => self.release(chunk_of[buffer]),
                }
            }
            (chunk_of.iter().map(|&chunk| self.start(chunk)).collect(), self.total)
        }
    }
}

#[test]
fn random_traces_agree_with_the_plain_rules() {
    let mut random = SplitMix64(7);
    for round in 0..300 {
        let mut events = Vec::new();
        let mut live = Vec::new();
        let mut next = 0;
        let most = 1 + random.below(if round % 2 == 0 { 20 } else { 1_000_000 });
        while next < 80 {
            if live.is_empty() || random.below(100) < 55 {
                events.push(Event::Alloc { buffer: next, size: 1 + random.below(most) });
                live.push(next);
                next += 1;
            } else {
                let at = random.below(live.len() as u64) as usize;
                events.push(Event::Free { buffer: live.swap_remove(at) });
            }
        }
        for rule in [Rule::Size, Rule::Hot] {
            let (offsets, total) = plain::Arena::default().run(&events, rule);
            let schedule = schedule(&events, 1, rule).expect("no overflow");
            assert_eq!(schedule.total, total);
            assert_eq!(schedule.offsets, offsets.into_iter().map(Some).collect::<Vec<_>>());
        }
    }
}
