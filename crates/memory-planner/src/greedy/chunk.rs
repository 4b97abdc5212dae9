//! The static memory planner of the merge-alloc proposal (llvm/llvm-project#95882).
//!
//! Input: allocations and frees in the order of time; [`chunks`] makes them from buffers. An arena
//! is tiled by chunks; an allocation splits a free chunk or *extends* a smaller one, which moves
//! everything above it; a freed chunk merges with free neighbors. Output: the offsets after all
//! moves, the same as the proposal's implementation computes (without its in-place reuse).
//!
//! That implementation moves chunks eagerly, through a graph of splits and merges, in quadratic
//! time. Here an extension is recorded at its chunk, and one pass at the end propagates the
//! extensions up to the origins and the starts down again: O(log n) per event.

use crate::budget::Meter;
use crate::model::{Buffer, PlanError, round_up};
use std::collections::{BTreeMap, BTreeSet};

/// One line of the proposal's lifetime trace; buffers are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Alloc { buffer: usize, size: u64 },
    Free { buffer: usize },
}

/// The rule that picks a free chunk for an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The smallest that is large enough, else the largest (`size-first`).
    Size,
    /// The best sum of fit and recency of the free (`cost-model`, the proposal's default).
    Hot,
}

/// The memory that a trace needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The offset of each buffer; `None` for buffers that the trace never allocates.
    pub offsets: Vec<Option<u64>>,
    /// The arena, chunk sizes rounded up to the alignment.
    pub total: u64,
}

/// Work units per event: an average.
const COST: u64 = 300;

/// The proposal's planner on the buffers' events.
pub fn chunks(buffers: &[Buffer], rule: Rule, meter: &mut Meter) -> Result<Vec<u64>, PlanError> {
    let mut moments = Vec::with_capacity(2 * buffers.len());
    let mut alignment = 1;
    for (index, buffer) in buffers.iter().enumerate() {
        if buffer.size > 0 {
            alignment = alignment.max(buffer.align);
            moments.push((buffer.start, true, index));
            moments.push((buffer.end, false, index));
        }
    }
    // Ends before starts of the same moment; each in the order of the buffers.
    moments.sort_unstable();
    let events: Vec<Event> = moments
        .into_iter()
        .map(|(_, starts, buffer)| match starts {
            true => Event::Alloc { buffer, size: buffers[buffer].size },
            false => Event::Free { buffer },
        })
        .collect();
    let schedule = schedule_within(&events, alignment, rule, meter)
        .ok_or(PlanError::Overflow { buffer: 0 })?;
    let mut offsets = vec![0; buffers.len()];
    for (offset, placed) in offsets.iter_mut().zip(schedule.offsets) {
        *offset = placed.unwrap_or(0);
    }
    Ok(offsets)
}

/// Runs the trace; sizes are rounded up to `alignment`, a power of two. `None` if a size overflows
/// or the meter runs out. Allocations of size 0, allocations of a buffer that is live, and frees of
/// a buffer that is not live are ignored.
pub fn schedule_within(
    events: &[Event],
    alignment: u64,
    rule: Rule,
    meter: &mut Meter,
) -> Option<Schedule> {
    let mut arena = Arena::new(rule);
    let buffers = events.iter().map(|event| match *event {
        Event::Alloc { buffer, .. } | Event::Free { buffer } => buffer + 1,
    });
    let buffers = buffers.max().unwrap_or(0);
    let mut chunk_of: Vec<Option<u32>> = vec![None; buffers];
    let mut live = vec![false; buffers];
    for event in events {
        if !meter.spend(COST) {
            return None;
        }
        match *event {
            Event::Alloc { buffer, size } if size > 0 && !live[buffer] => {
                chunk_of[buffer] = Some(arena.allocate(round_up(size, alignment.max(1))?)?);
                live[buffer] = true;
            }
            Event::Free { buffer } if live[buffer] => {
                live[buffer] = false;
                if let Some(chunk) = chunk_of[buffer] {
                    arena.free(chunk);
                }
            }
            _ => {}
        }
    }
    let total = arena.total;
    let starts = arena.starts();
    let offsets = chunk_of.into_iter().map(|chunk| chunk.map(|chunk| starts[chunk as usize]));
    Some(Schedule { offsets: offsets.collect(), total })
}

#[derive(Clone, Copy)]
enum Kind {
    /// Taken from the end of the arena.
    Origin,
    /// The lower part of a chunk.
    Lower(u32),
    /// The upper part of a chunk.
    Upper(u32),
    /// Neighbours merged: the lowest and the highest.
    Merged(u32, u32),
}

struct Chunk {
    kind: Kind,
    size: u64,
    /// The bytes that extensions added to this chunk itself.
    extended: u64,
    free: bool,
    freed: u64,
    /// The time at which it was added to the free chunks: breaks ties of size.
    entered: u64,
    below: Option<u32>,
    above: Option<u32>,
}

struct Arena {
    rule: Rule,
    /// All chunks ever, parents before children.
    chunks: Vec<Chunk>,
    top: Option<u32>,
    /// Free chunks as (size, entered) and by the time they were freed, which is unique.
    by_size: BTreeMap<(u64, u64), u32>,
    by_age: BTreeSet<(u64, u32)>,
    /// Free chunks as (size, freed): the oldest of a size comes first.
    by_size_and_age: BTreeMap<(u64, u64), u32>,
    total: u64,
    tick: u64,
    entries: u64,
}

impl Arena {
    fn new(rule: Rule) -> Self {
        Arena {
            rule,
            chunks: Vec::new(),
            top: None,
            by_size: BTreeMap::new(),
            by_age: BTreeSet::new(),
            by_size_and_age: BTreeMap::new(),
            total: 0,
            tick: 0,
            entries: 0,
        }
    }

    fn allocate(&mut self, size: u64) -> Option<u32> {
        self.tick += 1;
        if self.by_size.is_empty() {
            self.total = self.total.checked_add(size)?;
            let chunk = self.add(Kind::Origin, size, self.top, None);
            self.top = Some(chunk);
            return Some(chunk);
        }
        let target = match self.rule {
            Rule::Size => self.smallest_fit(size),
            Rule::Hot => self.hottest_fit(size),
        }?;
        self.leave(target);
        let found = self.chunks[target as usize].size;
        if found == size {
            return Some(target);
        }
        if found < size {
            self.total = self.total.checked_add(size - found)?;
            let chunk = &mut self.chunks[target as usize];
            chunk.extended += size - found;
            chunk.size = size;
            return Some(target);
        }
        let Chunk { below, above, freed, .. } = self.chunks[target as usize];
        let lower = self.add(Kind::Lower(target), size, below, None);
        let upper = self.add(Kind::Upper(target), found - size, Some(lower), above);
        if self.top == Some(target) {
            self.top = Some(upper);
        }
        self.chunks[upper as usize].freed = freed;
        self.enter(upper);
        Some(lower)
    }

    fn free(&mut self, chunk: u32) {
        self.tick += 1;
        self.chunks[chunk as usize].freed = self.tick;
        let is_free = |arena: &Arena, at: Option<u32>| {
            at.filter(|&neighbor| arena.chunks[neighbor as usize].free)
        };
        let below = is_free(self, self.chunks[chunk as usize].below);
        let above = is_free(self, self.chunks[chunk as usize].above);
        if below.is_none() && above.is_none() {
            return self.enter(chunk);
        }
        let lowest = below.unwrap_or(chunk);
        let highest = above.unwrap_or(chunk);
        let mut size = self.chunks[chunk as usize].size;
        for neighbor in [below, above].into_iter().flatten() {
            self.leave(neighbor);
            self.chunks[neighbor as usize].free = false;
            size += self.chunks[neighbor as usize].size;
        }
        let under = self.chunks[lowest as usize].below;
        let over = self.chunks[highest as usize].above;
        let merged = self.add(Kind::Merged(lowest, highest), size, under, over);
        if self.top == Some(highest) {
            self.top = Some(merged);
        }
        self.chunks[merged as usize].freed = self.tick;
        self.enter(merged);
    }

    /// The smallest free chunk that is large enough, else the largest.
    fn smallest_fit(&self, size: u64) -> Option<u32> {
        let fit = self.by_size.range((size, 0)..).next();
        fit.or_else(|| self.by_size.last_key_value()).map(|(_, &chunk)| chunk)
    }

    /// The free chunk with the best score; the most recently freed wins ties, then the oldest.
    ///
    /// Scores are in single precision because the proposal's are, and ties decide. The four
    /// operations are correctly rounded everywhere, so this depends on no machine.
    fn hottest_fit(&self, size: u64) -> Option<u32> {
        let &(_, newest) = self.by_age.last()?;
        let mut best = newest;
        let mut best_score = self.score(newest, size);
        let mut candidates: Vec<(u64, u32)> = Vec::new();
        // Freed within the last ten ticks: the age counts.
        let recent = self.tick.saturating_sub(10);
        candidates.extend(self.by_age.range((recent, 0)..));
        // Older: only the fit counts. It is best next to the size, on both sides; rounding may
        // make near fits equal, so search a little beyond the best, taking the oldest per size.
        let mut near = f32::NEG_INFINITY;
        let mut from = size;
        while let Some((&(found, freed), &chunk)) = self.by_size_and_age.range((from, 0)..).next() {
            candidates.push((freed, chunk));
            let fit = fit(found, size);
            near = near.max(fit);
            if fit < near - 1e-6 || found == u64::MAX {
                break;
            }
            from = found + 1;
        }
        let mut to = size;
        // A chunk that fits scores at least 0, one that does not at most 0, plus the same for age.
        while let Some((&(found, _), _)) = self.by_size_and_age.range(..(to, 0)).next_back() {
            let oldest = self.by_size_and_age.range((found, 0)..).next();
            candidates.extend(oldest.map(|(&(_, freed), &chunk)| (freed, chunk)));
            let fit = fit(found, size);
            near = near.max(fit);
            if fit < near - 1e-6 {
                break;
            }
            to = found;
        }
        candidates.sort_unstable();
        for (_, chunk) in candidates {
            let score = self.score(chunk, size);
            if score > best_score {
                best = chunk;
                best_score = score;
            }
        }
        Some(best)
    }

    fn score(&self, chunk: u32, size: u64) -> f32 {
        let Chunk { size: found, freed, .. } = self.chunks[chunk as usize];
        let age = (self.tick - freed) as f32 / 10.0;
        fit(found, size) + (1.0 - age.min(1.0))
    }

    fn add(&mut self, kind: Kind, size: u64, below: Option<u32>, above: Option<u32>) -> u32 {
        let chunk = self.chunks.len() as u32;
        self.chunks.push(Chunk {
            kind,
            size,
            extended: 0,
            free: false,
            freed: 0,
            entered: 0,
            below,
            above,
        });
        if let Some(below) = below {
            self.chunks[below as usize].above = Some(chunk);
        }
        if let Some(above) = above {
            self.chunks[above as usize].below = Some(chunk);
        }
        chunk
    }

    fn enter(&mut self, chunk: u32) {
        self.entries += 1;
        let entry = &mut self.chunks[chunk as usize];
        entry.free = true;
        entry.entered = self.entries;
        self.by_size.insert((entry.size, self.entries), chunk);
        if self.rule == Rule::Hot {
            self.by_age.insert((entry.freed, chunk));
            self.by_size_and_age.insert((entry.size, entry.freed), chunk);
        }
    }

    fn leave(&mut self, chunk: u32) {
        let entry = &mut self.chunks[chunk as usize];
        entry.free = false;
        self.by_size.remove(&(entry.size, entry.entered));
        if self.rule == Rule::Hot {
            self.by_age.remove(&(entry.freed, chunk));
            self.by_size_and_age.remove(&(entry.size, entry.freed));
        }
    }

    /// The start of every chunk after all extensions.
    fn starts(mut self) -> Vec<u64> {
        // A chunk's extension extends its origin: the parent it was split from, or the highest of
        // the merged chunks. Children come after parents, so one pass back collects all.
        let mut grown: Vec<u64> = self.chunks.iter().map(|chunk| chunk.extended).collect();
        for index in (0..self.chunks.len()).rev() {
            let parent = match self.chunks[index].kind {
                Kind::Origin => continue,
                Kind::Lower(parent) | Kind::Upper(parent) | Kind::Merged(_, parent) => parent,
            };
            grown[parent as usize] += grown[index];
        }
        for (chunk, grown) in self.chunks.iter_mut().zip(grown) {
            // The chunk's own extension is in its size already.
            chunk.size += grown - chunk.extended;
        }
        let mut starts = vec![0; self.chunks.len()];
        let mut end = 0;
        for index in 0..self.chunks.len() {
            let Chunk { kind, size, .. } = self.chunks[index];
            starts[index] = match kind {
                Kind::Origin => {
                    end += size;
                    end - size
                }
                Kind::Lower(parent) | Kind::Merged(parent, _) => starts[parent as usize],
                Kind::Upper(parent) => {
                    starts[parent as usize] + self.chunks[parent as usize].size - size
                }
            };
        }
        starts
    }
}

/// The fit of a chunk: 1 is exact; chunks that are too small are 1 worse.
fn fit(found: u64, size: u64) -> f32 {
    let fit = -(found.abs_diff(size) as f32) / found.max(size) as f32;
    if size <= found { fit + 1.0 } else { fit }
}

#[cfg(test)]
mod tests;
