//! The free ranges of an arena, for planners in order of time; finding one that fits takes O(log n).
//!
//! A treap (Seidel, Aragon 1996) keeps the ranges in the order of preference. Every subtree knows
//! the largest size that fits into one of its ranges, per alignment, so the first range that is
//! large enough is found without visiting the smaller ones.

use crate::instance::Component;
use crate::random::SplitMix64;
use std::collections::BTreeMap;

/// The rule that picks a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// The lowest that is large enough.
    First,
    /// The smallest that is large enough; of equal ones the lowest.
    Best,
}

const NONE: u32 = u32::MAX;

/// The position in the order of preference: unique, because starts are.
type Key = (u64, u64);

#[derive(Clone, Copy)]
struct Node {
    key: Key,
    start: u64,
    end: u64,
    /// Higher is nearer to the root.
    priority: u64,
    left: u32,
    right: u32,
}

/// Disjoint ranges that do not touch.
pub struct Gaps {
    fit: Fit,
    /// The alignments of the items, ascending.
    aligns: Vec<u64>,
    nodes: Vec<Node>,
    /// Per node and alignment: the largest size that fits anywhere in the subtree.
    most: Vec<u64>,
    root: u32,
    spare: Vec<u32>,
    by_start: BTreeMap<u64, u64>,
    random: SplitMix64,
}

impl Gaps {
    /// No ranges, for the alignments of a component.
    pub fn new(component: &Component, fit: Fit) -> Self {
        let mut aligns: Vec<u64> = component.items.iter().map(|item| item.align).collect();
        aligns.sort_unstable();
        aligns.dedup();
        Gaps {
            fit,
            aligns,
            nodes: Vec::new(),
            most: Vec::new(),
            root: NONE,
            spare: Vec::new(),
            by_start: BTreeMap::new(),
            random: SplitMix64(0),
        }
    }

    /// The preferred range with `size` free from a multiple of `align` on, as start and end.
    pub fn find(&self, size: u64, align: u64) -> Option<(u64, u64)> {
        let column = self.aligns.partition_point(|&other| other < align);
        let most = |at: u32| match at {
            NONE => 0,
            at => self.most[at as usize * self.aligns.len() + column],
        };
        let mut at = self.root;
        if most(at) < size {
            return None;
        }
        loop {
            let node = &self.nodes[at as usize];
            if most(node.left) >= size {
                at = node.left;
            } else if fits(node.start, node.end, align) >= size {
                return Some((node.start, node.end));
            } else if most(node.right) >= size {
                at = node.right;
            } else {
                return None;
            }
        }
    }

    /// Removes the ranges that touch `start..end`; returns their union with it.
    pub fn join(&mut self, start: u64, end: u64) -> (u64, u64) {
        let (mut start, mut end) = (start, end);
        let below = self.by_start.range(..start).next_back().map(|(&low, &high)| (low, high));
        if let Some((low, high)) = below.filter(|&(_, high)| high == start) {
            self.remove(low, high);
            start = low;
        }
        if let Some(&high) = self.by_start.get(&end) {
            self.remove(end, high);
            end = high;
        }
        (start, end)
    }

    /// Adds a range that touches no other; nothing if it is empty.
    pub fn insert(&mut self, start: u64, end: u64) {
        if start >= end {
            return;
        }
        self.by_start.insert(start, end);
        let key = self.key(start, end);
        let priority = self.random.next_u64();
        let node = Node { key, start, end, priority, left: NONE, right: NONE };
        let new = match self.spare.pop() {
            Some(at) => {
                self.nodes[at as usize] = node;
                at
            }
            None => {
                self.nodes.push(node);
                self.most.resize(self.nodes.len() * self.aligns.len(), 0);
                self.nodes.len() as u32 - 1
            }
        };
        self.update(new);
        self.root = self.add(self.root, new);
    }

    /// Removes a range.
    pub fn remove(&mut self, start: u64, end: u64) {
        self.by_start.remove(&start);
        self.root = self.cut(self.root, self.key(start, end));
    }

    fn key(&self, start: u64, end: u64) -> Key {
        match self.fit {
            Fit::First => (start, 0),
            Fit::Best => (end - start, start),
        }
    }

    /// Inserts below `at`; returns the subtree's new root.
    fn add(&mut self, at: u32, new: u32) -> u32 {
        if at == NONE {
            return new;
        }
        let Node { key, priority, left, right, .. } = self.nodes[at as usize];
        let Node { key: new_key, priority: new_priority, .. } = self.nodes[new as usize];
        if new_priority > priority {
            let (left, right) = self.split(at, new_key);
            self.nodes[new as usize].left = left;
            self.nodes[new as usize].right = right;
            self.update(new);
            return new;
        }
        if new_key < key {
            self.nodes[at as usize].left = self.add(left, new);
        } else {
            self.nodes[at as usize].right = self.add(right, new);
        }
        self.update(at);
        at
    }

    /// The nodes before the key, and the nodes from the key on.
    fn split(&mut self, at: u32, key: Key) -> (u32, u32) {
        if at == NONE {
            return (NONE, NONE);
        }
        let node = self.nodes[at as usize];
        let parts = if node.key < key {
            let (left, right) = self.split(node.right, key);
            self.nodes[at as usize].right = left;
            (at, right)
        } else {
            let (left, right) = self.split(node.left, key);
            self.nodes[at as usize].left = right;
            (left, at)
        };
        self.update(at);
        parts
    }

    /// Removes the key below `at`; returns the subtree's new root.
    fn cut(&mut self, at: u32, key: Key) -> u32 {
        if at == NONE {
            return NONE;
        }
        let node = self.nodes[at as usize];
        if node.key == key {
            self.spare.push(at);
            return self.merge(node.left, node.right);
        }
        if key < node.key {
            self.nodes[at as usize].left = self.cut(node.left, key);
        } else {
            self.nodes[at as usize].right = self.cut(node.right, key);
        }
        self.update(at);
        at
    }

    fn merge(&mut self, left: u32, right: u32) -> u32 {
        if left == NONE {
            return right;
        }
        if right == NONE {
            return left;
        }
        let root = if self.nodes[left as usize].priority > self.nodes[right as usize].priority {
            let inner = self.nodes[left as usize].right;
            self.nodes[left as usize].right = self.merge(inner, right);
            left
        } else {
            let inner = self.nodes[right as usize].left;
            self.nodes[right as usize].left = self.merge(left, inner);
            right
        };
        self.update(root);
        root
    }

    fn update(&mut self, at: u32) {
        let columns = self.aligns.len();
        let Node { start, end, left, right, .. } = self.nodes[at as usize];
        for column in 0..columns {
            let mut most = fits(start, end, self.aligns[column]);
            for child in [left, right] {
                if child != NONE {
                    most = most.max(self.most[child as usize * columns + column]);
                }
            }
            self.most[at as usize * columns + column] = most;
        }
    }
}

/// The largest size for which an aligned offset exists in `start..end`.
fn fits(start: u64, end: u64, align: u64) -> u64 {
    let offset = start.checked_add(align - 1).map(|sum| sum & !(align - 1));
    offset.and_then(|offset| end.checked_sub(offset)).unwrap_or(0)
}
