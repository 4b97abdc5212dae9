//! Placement in the order of time: a buffer goes between those that are live when it starts.
//!
//! Everything placed before starts no later, so what overlaps is what is live: gaps are kept in
//! lists per offset block and by size, O(log n) to O(sqrt n) per buffer. Source: the run-time
//! allocators' first fit and best fit; best fit by birth is MLIR's static memory planner (2026).

use crate::instance::{Component, Offsets};
use std::collections::{BTreeMap, BTreeSet};

/// Which gap to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// The lowest that is large enough.
    First,
    /// The smallest that is large enough, the lowest of those.
    Best,
}

/// Plans a component in the given order of items, which must be by `lo`, or with `backward` by
/// falling `hi`.
pub fn place(component: &Component, order: &[u32], fit: Fit, backward: bool) -> Offsets {
    let sections = component.sections() as u32;
    let items = &component.items;
    let mut offsets = vec![0; items.len()];
    let mut gaps = Gaps::new(fit);
    // Live items by end.
    let mut live: BTreeSet<(u32, u32)> = BTreeSet::new();
    for &index in order {
        let item = &items[index as usize];
        while let Some(&(hi, gone)) = live.first() {
            if hi > if backward { sections - item.hi } else { item.lo } {
                break;
            }
            live.pop_first();
            let gone = gone as usize;
            gaps.release(offsets[gone], offsets[gone] + items[gone].size);
        }
        offsets[index as usize] = gaps.take(item.size, item.align);
        live.insert((if backward { sections - item.lo } else { item.hi }, index));
    }
    offsets
}

/// The free ranges below the top of what is live; above the top all is free.
struct Gaps {
    fit: Fit,
    /// Start to end of each gap.
    by_start: BTreeMap<u64, u64>,
    /// (size, start), for best fit.
    by_size: BTreeSet<(u64, u64)>,
    /// For first fit, per power of two: starts of the gaps at least as large and less than twice.
    by_class: Vec<BTreeSet<u64>>,
    top: u64,
}

fn class(size: u64) -> usize {
    63 - size.max(1).leading_zeros() as usize
}

impl Gaps {
    fn new(fit: Fit) -> Self {
        Gaps {
            fit,
            by_start: BTreeMap::new(),
            by_size: BTreeSet::new(),
            by_class: vec![BTreeSet::new(); 64],
            top: 0,
        }
    }

    fn take(&mut self, size: u64, align: u64) -> u64 {
        let found = match self.fit {
            Fit::First => self.lowest(size, align),
            Fit::Best => self.smallest(size, align),
        };
        match found {
            Some((start, end, offset)) => {
                self.remove(start, end);
                self.insert(start, offset);
                self.insert(offset + size, end);
                offset
            }
            None => {
                // Sums of aligned sizes were checked, so this does not overflow.
                let offset = (self.top + (align - 1)) & !(align - 1);
                self.insert(self.top, offset);
                self.top = offset + size;
                offset
            }
        }
    }

    fn lowest(&self, size: u64, align: u64) -> Option<(u64, u64, u64)> {
        let mut best: Option<(u64, u64, u64)> = None;
        for starts in self.by_class.iter().skip(class(size)) {
            for &start in starts {
                if best.is_some_and(|(least, ..)| least < start) {
                    break;
                }
                let end = self.by_start.get(&start).copied().unwrap_or(start);
                if let Some(offset) = fits(start, end, size, align) {
                    best = Some((start, end, offset));
                    break;
                }
            }
        }
        best
    }

    fn smallest(&self, size: u64, align: u64) -> Option<(u64, u64, u64)> {
        self.by_size.range((size, 0)..).find_map(|&(gap, start)| {
            fits(start, start + gap, size, align).map(|offset| (start, start + gap, offset))
        })
    }

    fn release(&mut self, start: u64, end: u64) {
        let (mut start, mut end) = (start, end);
        if let Some((&low, &high)) = self.by_start.range(..start).next_back()
            && high == start
        {
            self.remove(low, high);
            start = low;
        }
        if let Some(&high) = self.by_start.get(&end) {
            self.remove(end, high);
            end = high;
        }
        if end == self.top {
            self.top = start;
        } else {
            self.insert(start, end);
        }
    }

    fn insert(&mut self, start: u64, end: u64) {
        if start < end {
            self.by_start.insert(start, end);
            match self.fit {
                Fit::First => self.by_class[class(end - start)].insert(start),
                Fit::Best => self.by_size.insert((end - start, start)),
            };
        }
    }

    fn remove(&mut self, start: u64, end: u64) {
        self.by_start.remove(&start);
        match self.fit {
            Fit::First => self.by_class[class(end - start)].remove(&start),
            Fit::Best => self.by_size.remove(&(end - start, start)),
        };
    }
}

fn fits(start: u64, end: u64, size: u64, align: u64) -> Option<u64> {
    let offset = start.checked_add(align - 1)? & !(align - 1);
    (offset.checked_add(size)? <= end).then_some(offset)
}
