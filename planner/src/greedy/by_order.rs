//! First fit in any order: each item goes into the lowest gap among what overlaps it in time.
//!
//! A segment tree over the sections keeps, per node, the merged ranges occupied by items that
//! cover the node (`cover`), and by items anywhere in its subtree (`inside`). An item's query
//! walks O(log n) nodes; the gap is found by leaping over the ranges of all of them in turn.

use crate::budget::Meter;
use crate::instance::{Component, Offsets};

/// Plans a component in the given order; `None` if the meter runs out.
pub fn place(component: &Component, order: &[u32], meter: &mut Meter) -> Option<Offsets> {
    let items = &component.items;
    let mut offsets = vec![0; items.len()];
    let leaves = component.sections().next_power_of_two();
    let mut tree = Tree { leaves, cover: empty(2 * leaves), inside: empty(2 * leaves), cost: 0 };
    let mut lists = Vec::new();
    for &index in order {
        let item = &items[index as usize];
        tree.lists(item.lo as usize, item.hi as usize, &mut lists);
        let offset = tree.lowest(&mut lists, item.size, item.align);
        tree.insert(item.lo as usize, item.hi as usize, offset, offset + item.size);
        offsets[index as usize] = offset;
        if !meter.spend(std::mem::take(&mut tree.cost) + 20) {
            return None;
        }
    }
    Some(offsets)
}

fn empty(nodes: usize) -> Vec<Ranges> {
    std::iter::repeat_with(Ranges::default).take(nodes).collect()
}

/// Disjoint ranges that do not touch, ascending.
#[derive(Default)]
struct Ranges(Vec<(u64, u64)>);

impl Ranges {
    /// Adds a range; false if it was covered already. `cost` counts what moves.
    fn add(&mut self, start: u64, end: u64, cost: &mut u64) -> bool {
        let ranges = &mut self.0;
        // Most additions are near the top.
        let first = ranges.partition_point(|&(_, high)| high < start);
        *cost += 10 + (ranges.len() - first) as u64 / 8;
        if ranges.get(first).is_none_or(|&(low, _)| low > end) {
            ranges.insert(first, (start, end));
            return true;
        }
        if ranges[first].0 <= start && end <= ranges[first].1 {
            return false;
        }
        let last = first + ranges[first..].partition_point(|&(low, _)| low <= end);
        let merged = (start.min(ranges[first].0), end.max(ranges[last - 1].1));
        ranges[first] = merged;
        ranges.drain(first + 1..last);
        true
    }
}

/// A node's ranges, and how far they have been leapt over.
type Cursor = (bool, usize, usize);

struct Tree {
    leaves: usize,
    cover: Vec<Ranges>,
    inside: Vec<Ranges>,
    cost: u64,
}

impl Tree {
    /// The canonical nodes of `lo..hi`.
    fn canonical(&self, lo: usize, hi: usize, mut visit: impl FnMut(usize)) {
        let (mut left, mut right) = (lo + self.leaves, hi + self.leaves);
        while left < right {
            if left & 1 == 1 {
                visit(left);
                left += 1;
            }
            if right & 1 == 1 {
                right -= 1;
                visit(right);
            }
            left /= 2;
            right /= 2;
        }
    }

    /// Everything occupied in `lo..hi`, as lists that are not empty.
    fn lists(&self, lo: usize, hi: usize, lists: &mut Vec<Cursor>) {
        lists.clear();
        self.canonical(lo, hi, |node| {
            if !self.inside[node].0.is_empty() {
                lists.push((false, node, 0));
            }
            if !self.cover[node].0.is_empty() {
                lists.push((true, node, 0));
            }
        });
        // Above the canonical nodes: the ancestors of the first and the last section, which are
        // ancestors of canonical nodes where they are not inside the range themselves.
        let (mut left, mut right) = (lo + self.leaves, hi - 1 + self.leaves);
        let width = |node: usize| self.leaves >> (usize::BITS - 1 - node.leading_zeros());
        while left > 1 {
            left /= 2;
            right /= 2;
            for node in [left, right] {
                let first = (node * width(node)) - self.leaves;
                let within = lo <= first && first + width(node) <= hi;
                if !within && !self.cover[node].0.is_empty() {
                    lists.push((true, node, 0));
                }
                if left == right {
                    break;
                }
            }
        }
    }

    /// The lowest aligned offset at which `size` overlaps none of the lists.
    fn lowest(&mut self, lists: &mut [Cursor], size: u64, align: u64) -> u64 {
        let mut offset = 0u64;
        let mut free = 0;
        let mut at = 0;
        // The offset is good when all lists in a row have let it pass.
        while free < lists.len() {
            let (covers, node, cursor) = &mut lists[at];
            let ranges = if *covers { &self.cover[*node].0 } else { &self.inside[*node].0 };
            let from = leap(ranges, *cursor, offset);
            *cursor = from;
            self.cost += 12;
            match ranges.get(from) {
                Some(&(low, high)) if low < offset + size => {
                    offset = (high + (align - 1)) & !(align - 1);
                    free = 0;
                    // The same list again: its next gap may be too small as well.
                    continue;
                }
                _ => free += 1,
            }
            at = (at + 1) % lists.len();
        }
        offset
    }

    fn insert(&mut self, lo: usize, hi: usize, start: u64, end: u64) {
        let (mut left, mut right) = (lo + self.leaves, hi + self.leaves);
        let (mut low, mut high) = (left, right - 1);
        while left < right {
            if left & 1 == 1 {
                self.cover[left].add(start, end, &mut self.cost);
                left += 1;
            }
            if right & 1 == 1 {
                right -= 1;
                self.cover[right].add(start, end, &mut self.cost);
            }
            left /= 2;
            right /= 2;
        }
        // Every proper ancestor of the range's ends has the item in its subtree. One that covers
        // it by a canonical ancestor as well only knows it twice.
        while low > 1 {
            low /= 2;
            high /= 2;
            let below = self.inside[low].add(start, end, &mut self.cost);
            let above = low != high && self.inside[high].add(start, end, &mut self.cost);
            if low == high && !below && !above {
                // Covered here, so covered further up.
                break;
            }
        }
    }
}

/// The first range from `cursor` on that ends above `offset`, found by doubling steps.
fn leap(ranges: &[(u64, u64)], cursor: usize, offset: u64) -> usize {
    let mut low = cursor;
    let mut step = 1;
    while low + step <= ranges.len() && ranges[low + step - 1].1 <= offset {
        low += step;
        step *= 2;
    }
    let high = (low + step).min(ranges.len());
    low + ranges[low..high].partition_point(|&(_, end)| end <= offset)
}
