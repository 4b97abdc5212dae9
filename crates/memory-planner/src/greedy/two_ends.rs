//! Placement in the order of time below a fixed height, at both ends of the gaps.
//!
//! A buffer takes the smallest gap that is large enough, at the end of it whose neighbor is
//! live longer; the bottom and the top of the arena count as live for all time. Buffers that end soon
//! are then next to free memory, and a chain of buffers alternates between bottom and top, which no
//! planner that only fills from below can do. O(n log n); fails where nothing fits.

use super::gaps::{Fit, Gaps};
use crate::budget::Meter;
use crate::instance::{Component, Item, Offsets};
use std::collections::{BTreeMap, BTreeSet};

/// Work units per item: an average.
const COST: u64 = 300;

/// Plans a component below `height` (scaled), with time reversed if `backward`; `None` if some item
/// does not fit, or the meter runs out.
pub fn place(
    component: &Component,
    height: u64,
    backward: bool,
    meter: &mut Meter,
) -> Option<Offsets> {
    let items = &component.items;
    let sections = component.sections() as u32;
    let span = |item: &Item| match backward {
        true => (sections - item.hi, sections - item.lo),
        false => (item.lo, item.hi),
    };
    let mut order: Vec<u32> = (0..items.len() as u32).collect();
    // Items that start together: the longest first.
    order.sort_by_key(|&index| {
        let (lo, hi) = span(&items[index as usize]);
        (lo, !hi, !items[index as usize].size, index)
    });
    let mut offsets = vec![0; items.len()];
    let mut live: BTreeSet<(u32, u32)> = BTreeSet::new();
    let gaps = Gaps::new(component, Fit::Best);
    let mut arena = Arena { gaps, below: BTreeMap::new(), above: BTreeMap::new() };
    arena.gaps.insert(0, height);
    for index in order {
        let item = &items[index as usize];
        let (lo, hi) = span(item);
        while let Some(&(end, gone)) = live.first() {
            if end > lo {
                break;
            }
            live.pop_first();
            let gone = gone as usize;
            arena.release(offsets[gone], offsets[gone] + items[gone].size);
        }
        let offset = arena.take(item.size, item.align, hi)?;
        offsets[index as usize] = offset;
        live.insert((hi, index));
        if !meter.spend(COST) {
            return None;
        }
    }
    Some(offsets)
}

struct Arena {
    gaps: Gaps,
    /// The end times of the live buffers, by the offset of their end (`below` a gap) and start.
    below: BTreeMap<u64, u32>,
    above: BTreeMap<u64, u32>,
}

impl Arena {
    fn take(&mut self, size: u64, align: u64, dies: u32) -> Option<u64> {
        let mask = align - 1;
        let (start, end) = self.gaps.find(size, align)?;
        let low = (start + mask) & !mask;
        let high = (end - size) & !mask;
        let under = self.below.get(&start).copied().unwrap_or(u32::MAX);
        let over = self.above.get(&end).copied().unwrap_or(u32::MAX);
        let offset = if under >= over { low } else { high };
        self.gaps.remove(start, end);
        self.gaps.insert(start, offset);
        self.gaps.insert(offset + size, end);
        self.below.insert(offset + size, dies);
        self.above.insert(offset, dies);
        Some(offset)
    }

    fn release(&mut self, start: u64, end: u64) {
        self.below.remove(&end);
        self.above.remove(&start);
        let (start, end) = self.gaps.join(start, end);
        self.gaps.insert(start, end);
    }
}
