//! Occupied ranges of an arena, and the lowest gap between them that is large enough.
//!
//! Short lists are one sorted vector. Long ones are split into blocks, so that an addition moves
//! little memory, and each block knows an upper bound of the widths of its gaps, so that a query passes over
//! whole blocks of gaps that are too small.
//!
//! Invariants: ranges are disjoint and ascending, with gaps of at least `least` between them and
//! before the first; no block is empty; no gap of a block, the one before its first range
//! included, exceeds its `widest`.

/// From this many ranges on, a list is split into blocks.
const LONG: usize = 512;

/// Ranges per block, at most.
const BLOCK: usize = 128;

type Range = (u64, u64);

/// The ranges, by length; see the module.
pub enum Ranges {
    Short(Vec<Range>),
    #[expect(clippy::box_collection, reason = "24 bytes instead of 32: there are many short lists")]
    Long(Box<Vec<Block>>),
}

/// Consecutive ranges of a long list.
pub struct Block {
    /// The end of the last range.
    end: u64,
    widest: u64,
    ranges: Vec<Range>,
}

/// The position up to which a list has been searched: a block, and a range in it.
pub type Cursor = (usize, usize);

impl Default for Ranges {
    fn default() -> Self {
        Ranges::Short(Vec::new())
    }
}

impl Ranges {
    pub fn is_empty(&self) -> bool {
        matches!(self, Ranges::Short(ranges) if ranges.is_empty())
    }

    pub fn clear(&mut self) {
        match self {
            Ranges::Short(ranges) => ranges.clear(),
            Ranges::Long(_) => *self = Ranges::default(),
        }
    }

    /// Adds a range; gaps below `least` are closed. `cost` counts the work.
    pub fn add(&mut self, start: u64, end: u64, least: u64, cost: &mut u64) {
        let start = if start < least { 0 } else { start };
        *cost += 2;
        match self {
            Ranges::Short(ranges) => {
                add_short(ranges, start, end, least, cost);
                if ranges.len() >= LONG {
                    *self = Ranges::Long(Box::new(cut(ranges, 0)));
                }
            }
            Ranges::Long(blocks) => add_long(blocks, start, end, least, cost),
        }
    }

    /// The lowest multiple of `align` from `offset` on (`offset` is such a multiple), where `size`
    /// is free in this list. The cursor must come from a lower offset, and moves.
    pub fn gap(
        &mut self,
        cursor: &mut Cursor,
        offset: u64,
        size: u64,
        align: u64,
        cost: &mut u64,
    ) -> u64 {
        let mut offset = offset;
        match self {
            Ranges::Short(ranges) => {
                let from = cursor.1;
                let fits = scan(ranges, &mut cursor.1, &mut offset, size, align);
                *cost += 8 + if fits { 0 } else { 4 } + (cursor.1 - from) as u64 / 4;
            }
            Ranges::Long(blocks) => {
                *cost += 12;
                let block = gallop(cursor.0, blocks.len(), |at| blocks[at].end <= offset);
                if block > cursor.0 {
                    *cursor = (block, 0);
                }
                while cursor.0 < blocks.len() {
                    let below = cursor.0.checked_sub(1).map_or(0, |at| blocks[at].end);
                    let block = &mut blocks[cursor.0];
                    *cost += 3;
                    if block.widest >= size && block.end > offset {
                        let from = cursor.1;
                        let fits = scan(&block.ranges, &mut cursor.1, &mut offset, size, align);
                        *cost += 4 + (cursor.1 - from) as u64 / 4;
                        if fits {
                            break;
                        }
                        if from == 0 {
                            block.widest = widest(&block.ranges, below);
                        }
                    }
                    offset = offset.max(up(block.end, align));
                    *cursor = (cursor.0 + 1, 0);
                }
            }
        }
        offset
    }
}

/// Moves `cursor` and `offset` to the first gap of the ranges that fits; false if there is none
/// before the end of the last, above which `offset` is then.
fn scan(ranges: &[Range], cursor: &mut usize, offset: &mut u64, size: u64, align: u64) -> bool {
    *cursor = gallop(*cursor, ranges.len(), |at| ranges[at].1 <= *offset);
    while let Some(&(low, high)) = ranges.get(*cursor) {
        if low >= *offset + size {
            return true;
        }
        // An alignment may lead beyond ranges that follow.
        *offset = (*offset).max(up(high, align));
        *cursor += 1;
    }
    false
}

/// The first place from `from` on for which `before` is false, found by doubling steps.
fn gallop(from: usize, len: usize, before: impl Fn(usize) -> bool) -> usize {
    let mut low = from;
    let mut step = 1;
    while low + step <= len && before(low + step - 1) {
        low += step;
        step *= 2;
    }
    let mut high = (low + step - 1).min(len);
    while low < high {
        let middle = low + (high - low) / 2;
        if before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Sums of aligned sizes were checked, so this does not overflow.
fn up(value: u64, align: u64) -> u64 {
    (value + (align - 1)) & !(align - 1)
}

fn widest(ranges: &[Range], below: u64) -> u64 {
    let mut end = below;
    let mut widest = 0;
    for &(low, high) in ranges {
        widest = widest.max(low - end);
        end = high;
    }
    widest
}

/// Blocks of half the greatest length; `below` is the end of the ranges before them.
fn cut(ranges: &[Range], below: u64) -> Vec<Block> {
    let mut below = below;
    let block = |ranges: &[Range]| {
        let end = ranges.last().map_or(below, |range| range.1);
        let widest = widest(ranges, below);
        below = end;
        let mut own = Vec::with_capacity(BLOCK + 1);
        own.extend_from_slice(ranges);
        Block { end, widest, ranges: own }
    };
    ranges.chunks(BLOCK / 2).map(block).collect()
}

fn add_short(ranges: &mut Vec<Range>, start: u64, end: u64, least: u64, cost: &mut u64) {
    // Most additions are at the top.
    match ranges.last_mut() {
        Some(last) if last.1.saturating_add(least) <= start => return ranges.push((start, end)),
        Some(last) if last.0 <= start => {
            last.1 = last.1.max(end);
            return;
        }
        _ => {}
    }
    let first = ranges.partition_point(|&(_, high)| high.saturating_add(least) <= start);
    *cost += 10 + (ranges.len() - first) as u64 / 8;
    if ranges.get(first).is_none_or(|&(low, _)| end.saturating_add(least) <= low) {
        return ranges.insert(first, (start, end));
    }
    let last = first + reach(&ranges[first..], end, least);
    ranges[first] = (start.min(ranges[first].0), end.max(ranges[last - 1].1));
    ranges.drain(first + 1..last);
}

/// The number of ranges that are nearer than `least` to a range that ends at `end`.
fn reach(ranges: &[Range], end: u64, least: u64) -> usize {
    ranges.partition_point(|&(low, _)| low < end.saturating_add(least))
}

fn add_long(blocks: &mut Vec<Block>, start: u64, end: u64, least: u64, cost: &mut u64) {
    let at = blocks.partition_point(|block| block.end.saturating_add(least) <= start);
    *cost += 20;
    // Above all: the last block grows.
    let at = at.min(blocks.len() - 1);
    let below = at.checked_sub(1).map_or(0, |at| blocks[at].end);
    let block = &mut blocks[at];
    let first = block.ranges.partition_point(|&(_, high)| high.saturating_add(least) <= start);
    let next = block.ranges.get(first).copied();
    if next.is_none_or(|(low, _)| end.saturating_add(least) <= low) {
        let below = first.checked_sub(1).map_or(below, |at| block.ranges[at].1);
        block.ranges.insert(first, (start, end));
        block.end = block.end.max(end);
        block.widest = block.widest.max(start - below);
        *cost += (block.ranges.len() - first) as u64 / 8;
        if block.ranges.len() > BLOCK {
            let below = at.checked_sub(1).map_or(0, |at| blocks[at].end);
            let halves = cut(&blocks[at].ranges, below);
            blocks.splice(at..=at, halves);
            *cost += BLOCK as u64 / 2 + (blocks.len() - at) as u64 / 4;
        }
        return;
    }
    let last = first + reach(&block.ranges[first..], end, least);
    let whole = last == block.ranges.len();
    let mut high = end.max(block.ranges[last - 1].1);
    block.ranges.drain(first + 1..last);
    // The ranges reached in the blocks that follow.
    if whole {
        let mut gone = at + 1;
        while let Some(other) = blocks.get_mut(gone) {
            let reached = reach(&other.ranges, end, least);
            if reached > 0 {
                high = high.max(other.ranges[reached - 1].1);
            }
            if reached < other.ranges.len() {
                other.ranges.drain(..reached);
                break;
            }
            gone += 1;
        }
        *cost += (blocks.len() - at) as u64 / 4 * u64::from(gone > at + 1);
        blocks.drain(at + 1..gone);
    }
    let block = &mut blocks[at];
    block.ranges[first] = (start.min(block.ranges[first].0), high);
    if whole {
        block.end = high;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    /// The same by testing every byte.
    fn plain(taken: &[bool], offset: u64, size: u64, align: u64) -> u64 {
        let free =
            |at: u64| (at..at + size).all(|byte| !taken.get(byte as usize).unwrap_or(&false));
        (0..).map(|step| offset + step * align).find(|&at| free(at)).unwrap_or(0)
    }

    #[test]
    fn lists_of_all_lengths_find_the_lowest_gap() {
        let mut random = SplitMix64(1);
        for round in 0..6 {
            let mut ranges = Ranges::default();
            let mut taken = vec![false; 40_000];
            let least = 1 + round % 3;
            let mut long = false;
            for step in 0..6_000 {
                let start = random.below(39_900);
                let longest = if step % 500 == 499 { 90 } else { 4 };
                let end = start + 1 + random.below(longest);
                ranges.add(start, end, least, &mut 0);
                taken[start as usize..end as usize].fill(true);
                long |= matches!(ranges, Ranges::Long(_));
                if step % 20 == 0 {
                    let mut cursor = (0, 0);
                    let mut offset = 0;
                    let align = 1 << random.below(4);
                    let size = least + random.below(30);
                    for _ in 0..4 {
                        let from = offset;
                        offset = ranges.gap(&mut cursor, from, size, align, &mut 0);
                        assert_eq!(offset, plain(&taken, from, size, align));
                        offset = up(offset + 1 + random.below(4_000), align);
                    }
                }
            }
            assert!(long);
        }
    }
}
