//! Buffers in normal form, on which every planner of this crate works.
//!
//! Input: checked buffers. Output: [`Component`]s, independent of each other, whose items have
//! scaled sizes and lifetimes counted in sections. Four steps:
//!
//! 1. Buffers of size 0 are dropped (they are placed at 0).
//! 2. Times become *sections*: only the maximal sets of simultaneously live buffers matter, and
//!    such a set is complete where an end follows a start.
//! 3. Sizes are rounded up to the least alignment `a` of all, because a neighbor above cannot start
//!    earlier; the rounding of an item is remembered as its `slack`, because the topmost buffer's
//!    rounding does not count. The lower bound does the same per alignment, among the buffers with
//!    at least that alignment. Sizes and alignments are divided by their common divisor.
//! 4. Where no buffer is live across a moment, the instance is divided into components.
//!
//! [`store`] is the way back: from a component's offsets to the buffers' offsets, in bytes.
//!
//! Invariant: items are in canonical order, and time runs in the canonical direction, so that the
//! order of the buffers and the direction of time have no influence on the planners.

use crate::model::{Buffer, PlanError, round_up};

/// One buffer, normalized: live in sections `lo..hi`, `size` scaled units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Item {
    pub lo: u32,
    pub hi: u32,
    pub size: u64,
    /// The alignment in scaled units; 1 if the scale itself gives the alignment.
    pub align: u64,
    /// The bytes by which the rounded size exceeds the buffer's size.
    pub slack: u64,
}

/// Items that are connected by overlapping lifetimes.
#[derive(Clone, Debug)]
pub struct Component {
    pub items: Vec<Item>,
    /// The buffer that each item comes from.
    pub origin: Vec<u32>,
    /// The sum of the sizes live in each section, scaled.
    pub load: Vec<u64>,
    /// Bytes per scaled unit.
    pub scale: u64,
    /// True if the canonical direction of time is opposite to the buffers'.
    pub reversed: bool,
    /// A lower bound of the peak in bytes.
    pub lower_bound: u64,
}

/// Offsets of a component's items, scaled.
pub type Offsets = Vec<u64>;

impl Component {
    /// Sections of the component.
    pub fn sections(&self) -> usize {
        self.load.len()
    }

    /// True if some items need a greater alignment than others.
    pub fn is_mixed(&self) -> bool {
        self.items.iter().any(|item| item.align > 1)
    }

    /// The bytes that these offsets need.
    pub fn peak(&self, offsets: &[u64]) -> u64 {
        let ends = self.items.iter().zip(offsets).map(|(item, &offset)| self.end(item, offset));
        ends.max().unwrap_or(0)
    }

    /// The byte after an item at a scaled offset.
    pub fn end(&self, item: &Item, offset: u64) -> u64 {
        ((offset + item.size) as u128 * self.scale as u128 - item.slack as u128) as u64
    }
}

/// Stores a component's offsets, in bytes, under the indices of its buffers.
pub fn store(component: &Component, placed: &[u64], offsets: &mut [u64]) {
    for (&origin, &offset) in component.origin.iter().zip(placed) {
        offsets[origin as usize] = offset * component.scale;
    }
}

/// The components of the buffers, in order of time.
pub fn normalize(buffers: &[Buffer]) -> Result<Vec<Component>, PlanError> {
    crate::model::check(buffers)?;
    let live: Vec<u32> =
        (0..buffers.len() as u32).filter(|&index| buffers[index as usize].size > 0).collect();
    let least_align = live.iter().map(|&index| buffers[index as usize].align).min().unwrap_or(1);
    let scale = common_scale(buffers, &live, least_align)?;
    let spans = sections_of(buffers, &live);
    let mut components = Vec::new();
    for group in connected(&live, &spans) {
        components.push(component(buffers, &spans, group, least_align, scale)?);
    }
    Ok(components)
}

/// The greatest unit that divides all rounded sizes and all left-justified offsets.
fn common_scale(buffers: &[Buffer], live: &[u32], least_align: u64) -> Result<u64, PlanError> {
    let mut divisor = 0;
    let mut most_align = 1;
    for &index in live {
        let buffer = &buffers[index as usize];
        let size = round_up(buffer.size, least_align)
            .ok_or(PlanError::Overflow { buffer: index as usize })?;
        divisor = gcd(size, divisor);
        most_align = most_align.max(buffer.align);
    }
    if divisor == 0 {
        return Ok(1);
    }
    // Rounding up to an alignment that does not divide the unit leaves the multiples of it,
    // unless the unit is a power of two itself.
    let power = 1 << divisor.trailing_zeros();
    Ok(if most_align <= power { divisor } else { power })
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The half-open range of sections per buffer, indexed like `buffers`.
fn sections_of(buffers: &[Buffer], live: &[u32]) -> Vec<(u32, u32)> {
    let mut events = Vec::with_capacity(2 * live.len());
    for &index in live {
        let buffer = &buffers[index as usize];
        events.push((buffer.start, true, index));
        events.push((buffer.end, false, index));
    }
    events.sort_unstable();
    let mut spans = vec![(0, 0); buffers.len()];
    let mut section = 0;
    let mut ended = false;
    for (_, starts, index) in events {
        if starts {
            section += u32::from(ended);
            spans[index as usize].0 = section;
        } else {
            spans[index as usize].1 = section + 1;
        }
        ended = !starts;
    }
    spans
}

/// The buffers grouped by connected lifetimes, in order of time.
fn connected(live: &[u32], spans: &[(u32, u32)]) -> Vec<Vec<u32>> {
    let mut order = live.to_vec();
    order.sort_unstable_by_key(|&index| (spans[index as usize], index));
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut reach = 0;
    for index in order {
        let (lo, hi) = spans[index as usize];
        match groups.last_mut() {
            Some(group) if lo < reach => group.push(index),
            _ => groups.push(vec![index]),
        }
        reach = reach.max(hi);
    }
    groups
}

fn component(
    buffers: &[Buffer],
    spans: &[(u32, u32)],
    group: Vec<u32>,
    least_align: u64,
    scale: u64,
) -> Result<Component, PlanError> {
    let first = group.iter().map(|&index| spans[index as usize].0).min().unwrap_or(0);
    let end = group.iter().map(|&index| spans[index as usize].1).max().unwrap_or(0);
    let sections = end - first;
    let mut total = 0u64;
    let mut rows = Vec::with_capacity(group.len());
    for index in group {
        let buffer = &buffers[index as usize];
        let overflow = PlanError::Overflow { buffer: index as usize };
        let rounded = round_up(buffer.size, least_align).ok_or(overflow)?;
        let most = rounded.checked_add(buffer.align - 1).ok_or(overflow)?;
        total = total.checked_add(most).ok_or(overflow)?;
        let (lo, hi) = spans[index as usize];
        let item = Item {
            lo: lo - first,
            hi: hi - first,
            size: rounded / scale,
            align: (buffer.align / scale).max(1),
            slack: rounded - buffer.size,
        };
        rows.push((item, index));
    }
    rows.sort_unstable();
    let reversed = reverse(&rows, sections);
    let turn = reversed.iter().map(|row| row.0).lt(rows.iter().map(|row| row.0));
    if turn {
        rows = reversed;
    }
    let (items, origin): (Vec<Item>, Vec<u32>) = rows.into_iter().unzip();
    let load = load(&items, sections as usize);
    let lower_bound =
        lower_bound(&items, &load, scale).max(aligned_bound(&items, sections as usize, scale));
    Ok(Component { items, origin, load, scale, reversed: turn, lower_bound })
}

fn reverse(rows: &[(Item, u32)], sections: u32) -> Vec<(Item, u32)> {
    let mut reversed: Vec<(Item, u32)> = rows
        .iter()
        .map(|&(item, index)| {
            (Item { lo: sections - item.hi, hi: sections - item.lo, ..item }, index)
        })
        .collect();
    reversed.sort_unstable();
    reversed
}

fn load(items: &[Item], sections: usize) -> Vec<u64> {
    let mut arrives = vec![0u64; sections + 1];
    let mut leaves = vec![0u64; sections + 1];
    for item in items {
        arrives[item.lo as usize] += item.size;
        leaves[item.hi as usize] += item.size;
    }
    let mut live = 0;
    (0..sections)
        .map(|section| {
            live = live + arrives[section] - leaves[section];
            live
        })
        .collect()
}

/// The greatest load of a section, less the greatest slack in it: one item is topmost.
fn lower_bound(items: &[Item], load: &[u64], scale: u64) -> u64 {
    let mut slack = vec![0u64; load.len()];
    let mut by_slack: Vec<&Item> = items.iter().filter(|item| item.slack > 0).collect();
    by_slack.sort_unstable_by_key(|item| std::cmp::Reverse(item.slack));
    // Assign slacks to sections, greatest first; `next` skips the sections that have one.
    let mut next: Vec<u32> = (0..=load.len() as u32).collect();
    for item in by_slack {
        let mut section = skip(&mut next, item.lo);
        while section < item.hi {
            slack[section as usize] = item.slack;
            next[section as usize] = section + 1;
            section = skip(&mut next, section);
        }
    }
    let bounds = load.iter().zip(&slack).map(|(&load, &slack)| load * scale - slack);
    bounds.max().unwrap_or(0)
}

/// The lower bound for the items of at least some alignment `a`, for the best `a`.
///
/// Cut the arena into blocks of `a` bytes. Such an item starts at a block's start, so the blocks
/// that it touches are touched by no other such item that is live with it, and it touches
/// `round_up(size, a) / a` of them. The one whose last block is topmost ends at or above the sum of
/// all these blocks, less its own slack, by which the last block exceeds it. So the bound for
/// sizes rounded up to `a` holds, and its proof does not involve the other items.
fn aligned_bound(items: &[Item], sections: usize, scale: u64) -> u64 {
    let mut aligns: Vec<u64> = items.iter().map(|item| item.align).collect();
    aligns.sort_unstable();
    aligns.dedup();
    let mut rounded = items.to_vec();
    let mut most = 0;
    for align in aligns.into_iter().filter(|&align| align > 1) {
        rounded.retain(|item| item.align >= align);
        for item in &mut rounded {
            // The previous rounding is a part of this one. Sums were checked with it.
            let size = (item.size + (align - 1)) & !(align - 1);
            item.slack += (size - item.size) * scale;
            item.size = size;
        }
        most = most.max(lower_bound(&rounded, &load(&rounded, sections), scale));
    }
    most
}

fn skip(next: &mut [u32], from: u32) -> u32 {
    let mut root = from;
    while next[root as usize] != root {
        root = next[root as usize];
    }
    let mut at = from;
    while next[at as usize] != root {
        at = std::mem::replace(&mut next[at as usize], root);
    }
    root
}
