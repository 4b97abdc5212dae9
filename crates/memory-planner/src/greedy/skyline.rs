//! Lowest offset first: the placed buffers form a skyline over time; fill its lowest valley.
//!
//! The valley takes the best-ranked open item that fits into its width; if none does, it is
//! raised to its lower wall. Every step places an item or removes a valley, so there are O(n)
//! steps; the item is found in a k-d tree over (lo, hi) by branch and bound. Source: the
//! best-fit skyline of strip packing (Burke, Kendall, Whitwell 2004), with fixed abscissae.

use crate::budget::Meter;
use crate::instance::{Component, Offsets};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const NONE: u32 = u32::MAX;

/// Plans a component; `rank` is each item's place in the order of preference, and of equal fits
/// the least wins. `None` if the meter runs out.
pub fn place(component: &Component, rank: &[u32], meter: &mut Meter) -> Option<Offsets> {
    let items = &component.items;
    let mut offsets = vec![0; items.len()];
    let mut open = Index::new(component, rank);
    let sections = component.sections() as u32;
    // Segments of the skyline as a linked list; a new version makes entries of the heap stale.
    let mut segments = vec![Segment { lo: 0, hi: sections, height: 0, left: NONE, right: NONE }];
    let mut heap = BinaryHeap::from([Reverse((0u64, 0u32, sections, 0u32))]);
    while open.count > 0 {
        let Reverse((height, lo, hi, at)) = heap.pop()?;
        let segment = segments[at as usize];
        if segment.height != height || segment.lo != lo || segment.hi != hi {
            continue;
        }
        let Some(found) = open.best(lo, hi) else {
            raise(&mut segments, at);
            let Segment { lo, hi, height, .. } = segments[at as usize];
            heap.push(Reverse((height, lo, hi, at)));
            if !meter.spend(100 + std::mem::take(&mut open.cost)) {
                return None;
            }
            continue;
        };
        let item = &items[found as usize];
        // An alignment above the valley's floor leaves a gap.
        let offset = (height + (item.align - 1)) & !(item.align - 1);
        offsets[found as usize] = offset;
        for (lo, hi, height, at) in split(&mut segments, at, item.lo, item.hi, offset + item.size) {
            heap.push(Reverse((height, lo, hi, at)));
        }
        open.remove(found);
        if !meter.spend(200 + std::mem::take(&mut open.cost)) {
            return None;
        }
    }
    Some(offsets)
}

#[derive(Clone, Copy)]
struct Segment {
    lo: u32,
    hi: u32,
    height: u64,
    left: u32,
    right: u32,
}

/// Raises a valley to its lower wall, and joins it with neighbors of the same height.
fn raise(segments: &mut [Segment], at: u32) {
    let Segment { left, right, .. } = segments[at as usize];
    let wall = |side: u32| segments.get(side as usize).map_or(u64::MAX, |s| s.height);
    let height = wall(left).min(wall(right));
    segments[at as usize].height = height;
    for side in [left, right] {
        if side != NONE && segments[side as usize].height == height {
            let gone = segments[side as usize];
            // Never lowest again: an empty segment equals no entry of the heap.
            segments[side as usize].hi = gone.lo;
            let kept = &mut segments[at as usize];
            kept.lo = kept.lo.min(gone.lo);
            kept.hi = kept.hi.max(gone.hi);
            if side == left {
                kept.left = gone.left;
                if gone.left != NONE {
                    segments[gone.left as usize].right = at;
                }
            } else {
                kept.right = gone.right;
                if gone.right != NONE {
                    segments[gone.right as usize].left = at;
                }
            }
        }
    }
}

/// Raises part of a segment; the parts, for the heap.
fn split(
    segments: &mut Vec<Segment>,
    at: u32,
    lo: u32,
    hi: u32,
    height: u64,
) -> impl Iterator<Item = (u32, u32, u64, u32)> + use<> {
    let whole = segments[at as usize];
    let mut parts = [None; 3];
    let mut left = whole.left;
    if whole.lo < lo {
        let part = segments.len() as u32;
        segments.push(Segment { hi: lo, right: at, ..whole });
        if left != NONE {
            segments[left as usize].right = part;
        }
        left = part;
        parts[0] = Some((whole.lo, lo, whole.height, part));
    }
    let mut right = whole.right;
    if hi < whole.hi {
        let part = segments.len() as u32;
        segments.push(Segment { lo: hi, left: at, ..whole });
        if right != NONE {
            segments[right as usize].left = part;
        }
        right = part;
        parts[1] = Some((hi, whole.hi, whole.height, part));
    }
    segments[at as usize] = Segment { lo, hi, height, left, right };
    parts[2] = Some((lo, hi, height, at));
    parts.into_iter().flatten()
}

/// The open items as a k-d tree over (lo, hi): a complete binary tree over a permutation.
struct Index {
    /// Items, leaf by leaf; `LEAF` items per leaf.
    order: Vec<u32>,
    spot: Vec<u32>,
    /// Per spot, copies of the item's span and rank; an absent item has rank `NONE`.
    entries: Vec<(u32, u32, u32)>,
    /// Per node: least rank, greatest lo, least lo, least hi, greatest hi of its open items.
    nodes: Vec<Node>,
    leaves: usize,
    count: usize,
    cost: u64,
}

#[derive(Clone, Copy)]
struct Node {
    rank: u32,
    last_lo: u32,
    first_hi: u32,
}

const LEAF: usize = 8;
const EMPTY: Node = Node { rank: NONE, last_lo: 0, first_hi: NONE };

impl Index {
    fn new(component: &Component, rank: &[u32]) -> Self {
        let items = &component.items;
        let leaves = items.len().div_ceil(LEAF).next_power_of_two();
        let mut order: Vec<u32> = (0..items.len() as u32).collect();
        // Items are sorted by lo already: the first cuts are free.
        arrange(component, &mut order, leaves, false);
        let mut spot = vec![0; items.len()];
        let mut entries = Vec::with_capacity(items.len());
        for (position, &item) in order.iter().enumerate() {
            spot[item as usize] = position as u32;
            let entry = &items[item as usize];
            entries.push((entry.lo, entry.hi, rank[item as usize]));
        }
        let count = items.len();
        let nodes = vec![EMPTY; 2 * leaves];
        let mut index = Index { order, spot, entries, nodes, leaves, count, cost: 0 };
        for leaf in 0..leaves {
            index.nodes[leaves + leaf] = index.summary(leaf);
        }
        for node in (1..leaves).rev() {
            index.nodes[node] = join(index.nodes[2 * node], index.nodes[2 * node + 1]);
        }
        index
    }

    fn summary(&self, leaf: usize) -> Node {
        let range = leaf_range(self.entries.len(), self.leaves, leaf);
        self.entries[range].iter().filter(|entry| entry.2 != NONE).fold(EMPTY, |node, entry| {
            join(node, Node { rank: entry.2, last_lo: entry.0, first_hi: entry.1 })
        })
    }

    /// The open item with the least rank among those within `lo..hi`.
    fn best(&mut self, lo: u32, hi: u32) -> Option<u32> {
        let mut best = NONE;
        let mut found = None;
        let mut stack = [0usize; 64];
        let mut depth = 1;
        stack[0] = 1;
        while depth > 0 {
            depth -= 1;
            let at = stack[depth];
            let node = self.nodes[at];
            self.cost += 3;
            if node.rank >= best || node.last_lo < lo || node.first_hi > hi {
                continue;
            }
            if at >= self.leaves {
                let range = leaf_range(self.entries.len(), self.leaves, at - self.leaves);
                for spot in range {
                    let entry = self.entries[spot];
                    if entry.2 < best && lo <= entry.0 && entry.1 <= hi {
                        best = entry.2;
                        found = Some(self.order[spot]);
                    }
                }
                self.cost += LEAF as u64;
                continue;
            }
            // The better child first: it is popped first.
            let (mut first, mut second) = (2 * at, 2 * at + 1);
            if self.nodes[second].rank < self.nodes[first].rank {
                std::mem::swap(&mut first, &mut second);
            }
            stack[depth] = second;
            stack[depth + 1] = first;
            depth += 2;
        }
        found
    }

    fn remove(&mut self, item: u32) {
        let spot = self.spot[item as usize] as usize;
        self.entries[spot].2 = NONE;
        self.count -= 1;
        let leaf = leaf_of(self.entries.len(), self.leaves, spot);
        let mut node = self.leaves + leaf;
        self.nodes[node] = self.summary(leaf);
        while node > 1 {
            node /= 2;
            self.nodes[node] = join(self.nodes[2 * node], self.nodes[2 * node + 1]);
        }
    }
}

fn join(a: Node, b: Node) -> Node {
    Node {
        rank: a.rank.min(b.rank),
        last_lo: a.last_lo.max(b.last_lo),
        first_hi: a.first_hi.min(b.first_hi),
    }
}

/// Spots are dealt evenly to the leaves.
fn leaf_range(spots: usize, leaves: usize, leaf: usize) -> std::ops::Range<usize> {
    leaf * spots / leaves..(leaf + 1) * spots / leaves
}

fn leaf_of(spots: usize, leaves: usize, spot: usize) -> usize {
    ((spot + 1) * leaves - 1) / spots
}

/// Orders items so that every node of the tree cuts its part at the median, by lo and hi in turn.
fn arrange(component: &Component, order: &mut [u32], leaves: usize, by_hi: bool) {
    let total = order.len();
    let mut parts = vec![(0, leaves, by_hi)];
    while let Some((from, to, by_hi)) = parts.pop() {
        if to - from < 2 {
            continue;
        }
        let middle = (from + to) / 2;
        let start = from * total / leaves;
        let cut = middle * total / leaves;
        let end = to * total / leaves;
        if start < cut && cut < end {
            let key = |&item: &u32| {
                let entry = &component.items[item as usize];
                let first = if by_hi { entry.hi } else { entry.lo };
                (first, item)
            };
            order[start..end].select_nth_unstable_by_key(cut - start, key);
        }
        parts.push((from, middle, !by_hi));
        parts.push((middle, to, !by_hi));
    }
}
