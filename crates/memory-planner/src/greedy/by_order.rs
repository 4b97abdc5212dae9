//! First fit in any order: each item goes into the lowest gap among the items live with it.
//!
//! A segment tree over the sections keeps merged occupied ranges per node. From the root down to a
//! level of blocks, `inside` holds all items that overlap the node; at the blocks, `cover` holds
//! all items that cover the block. Below them, `cover` holds the items that cover the node but not
//! its parent, and `inside` the same for the node and the nodes below it. A query walks O(log n)
//! nodes; it finds the gap by asking the [`Ranges`] of all of them in turn, the densest first. At
//! worst that is linear per item.
//!
//! Most time is spent passing over gaps that are too small. So gaps below the least size that is
//! still to come count as occupied. For an order of decreasing sizes this prunes a lot: such an
//! order is placed in windows, and the tree is rebuilt for each with the least size in the window.

use super::ranges::{Cursor, Ranges};
use crate::budget::Meter;
use crate::instance::{Component, Offsets};
use crate::orders::canonical;

/// The number of windows of an order of decreasing sizes, and the number of items from which on
/// windows pay off.
const WINDOWS: usize = 6;
const WORTH: usize = 2_000;

/// Blocks of sections, a power of two: see [`Tree`].
const BLOCKS: usize = 16;

/// Plans a component in the given order. `None` if the meter runs out, or as soon as the peak is
/// not below `below` bytes.
pub fn place(
    component: &Component,
    order: &[u32],
    below: Option<u64>,
    meter: &mut Meter,
) -> Option<Offsets> {
    let items = &component.items;
    let size = |index: u32| items[index as usize].size;
    let mut offsets = vec![0; items.len()];
    let mut tree = Tree::new(component.sections());
    let mut lists = Vec::new();
    let falls = items.len() >= WORTH && order.is_sorted_by_key(|&index| !size(index));
    let length = if falls { items.len().div_ceil(WINDOWS) } else { items.len() };
    for (count, window) in order.chunks(length.max(1)).enumerate() {
        tree.least = window.iter().map(|&index| size(index)).min().unwrap_or(1);
        if count > 0 && !tree.rebuild(component, &offsets, &order[..count * length], meter) {
            return None;
        }
        for &index in window {
            let item = &items[index as usize];
            tree.lists(item.lo as usize, item.hi as usize, &mut lists);
            let offset = tree.lowest(&mut lists, item.size, item.align);
            if below.is_some_and(|below| component.end(item, offset) >= below) {
                return None;
            }
            tree.insert(item.lo as usize, item.hi as usize, offset, offset + item.size);
            offsets[index as usize] = offset;
            if !meter.spend(std::mem::take(&mut tree.cost) + 20) {
                return None;
            }
        }
    }
    Some(offsets)
}

/// A node's list, true if it is `cover`, and how far it has been searched.
type List = (bool, usize, Cursor);

/// Node 1 is the root, 2 k and 2 k + 1 are below k.
struct Tree {
    leaves: usize,
    /// The first node of the level of the blocks.
    blocks: usize,
    cover: Vec<Ranges>,
    inside: Vec<Ranges>,
    /// Smaller gaps count as occupied.
    least: u64,
    cost: u64,
}

impl Tree {
    fn new(sections: usize) -> Self {
        let leaves = sections.next_power_of_two();
        let lists = || std::iter::repeat_with(Ranges::default).take(2 * leaves).collect();
        let blocks = leaves.min(BLOCKS);
        Tree { leaves, blocks, cover: lists(), inside: lists(), least: 1, cost: 0 }
    }

    /// Rebuilds the tree from the items placed so far; false if the meter runs out.
    fn rebuild(
        &mut self,
        component: &Component,
        offsets: &[u64],
        placed: &[u32],
        meter: &mut Meter,
    ) -> bool {
        for ranges in self.cover.iter_mut().chain(&mut self.inside) {
            ranges.clear();
        }
        // From the bottom up, so that every list grows at its end.
        let mut order = placed.to_vec();
        order.sort_unstable_by_key(|&index| offsets[index as usize]);
        for index in order {
            let item = &component.items[index as usize];
            let offset = offsets[index as usize];
            self.insert(item.lo as usize, item.hi as usize, offset, offset + item.size);
            if !meter.spend(std::mem::take(&mut self.cost)) {
                return false;
            }
        }
        true
    }

    /// The sections of a node.
    fn window(&self, node: usize) -> (usize, usize) {
        let width = self.leaves >> (usize::BITS - 1 - node.leading_zeros());
        let first = node * width - self.leaves;
        (first, first + width)
    }

    /// Everything occupied in `lo..hi`, as lists that are not empty, the densest first.
    fn lists(&self, lo: usize, hi: usize, lists: &mut Vec<List>) {
        lists.clear();
        canonical(self.leaves, lo, hi, |node| {
            if !self.inside[node].is_empty() {
                lists.push((false, node, (0, 0)));
            }
        });
        // Above the canonical nodes: the ancestors of the first and the last section, which are
        // ancestors of canonical nodes where they are not inside the range themselves.
        let (mut left, mut right) = ((lo + self.leaves) / 2, (hi - 1 + self.leaves) / 2);
        while left >= self.blocks {
            for node in [left, right] {
                let (first, end) = self.window(node);
                let within = lo <= first && end <= hi;
                if !within && !self.cover[node].is_empty() {
                    lists.push((true, node, (0, 0)));
                }
                if left == right {
                    break;
                }
            }
            left /= 2;
            right /= 2;
        }
        lists.sort_unstable_by_key(|&(_, node, _)| node);
    }

    /// The lowest aligned offset at which `size` overlaps none of the lists.
    fn lowest(&mut self, lists: &mut [List], size: u64, align: u64) -> u64 {
        let mut offset = 0;
        let mut at = 0;
        // The offset is good when all lists in a row have let it pass.
        while let Some((covers, node, cursor)) = lists.get_mut(at) {
            let side = if *covers { &mut self.cover } else { &mut self.inside };
            let found = side[*node].gap(cursor, offset, size, align, &mut self.cost);
            // After a rise ask the densest first again.
            at = if found == offset || at == 0 { at + 1 } else { 0 };
            offset = found;
        }
        offset
    }

    fn insert(&mut self, lo: usize, hi: usize, start: u64, end: u64) {
        let (low, high) = (lo + self.leaves, hi - 1 + self.leaves);
        let mut depth = 0;
        while 1 << depth <= self.blocks {
            let shift = self.leaves.trailing_zeros() - depth;
            for node in low >> shift..=high >> shift {
                self.inside[node].add(start, end, self.least, &mut self.cost);
                if 1 << depth == self.blocks {
                    let (first, after) = self.window(node);
                    if lo <= first && after <= hi {
                        self.cover[node].add(start, end, self.least, &mut self.cost);
                    }
                }
            }
            depth += 1;
        }
        // Below the blocks: the proper ancestors of the range's ends, which are the proper
        // ancestors of the canonical nodes and some nodes below these.
        let (mut left, mut right) = (low / 2, high / 2);
        while left >= 2 * self.blocks {
            self.inside[left].add(start, end, self.least, &mut self.cost);
            if left != right {
                self.inside[right].add(start, end, self.least, &mut self.cost);
            }
            left /= 2;
            right /= 2;
        }
        canonical(self.leaves, lo, hi, |node| {
            if node >= 2 * self.blocks {
                self.cover[node].add(start, end, self.least, &mut self.cost);
                self.inside[node].add(start, end, self.least, &mut self.cost);
            }
        });
    }
}
