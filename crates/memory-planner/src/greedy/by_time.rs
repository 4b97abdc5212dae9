//! Placement in the order of time: a buffer goes between the buffers that are live when it starts.
//!
//! Everything placed before starts no later, so a buffer overlaps exactly the live buffers, and the
//! free memory between them is one list of [`Gaps`]: O(log n) per buffer. Source: the run-time
//! allocators' first fit and best fit; best fit by birth is MLIR's static memory planner (2026).

use super::gaps::{Fit, Gaps};
use crate::budget::Meter;
use crate::instance::{Component, Offsets};
use std::collections::BTreeSet;

/// Work units per item: an average.
const COST: u64 = 300;

/// Plans a component in the given order of items, which must be by `lo`, or with `backward` by
/// falling `hi`. `None` if the meter runs out.
pub fn place(
    component: &Component,
    order: &[u32],
    fit: Fit,
    backward: bool,
    meter: &mut Meter,
) -> Option<Offsets> {
    let sections = component.sections() as u32;
    let items = &component.items;
    let mut offsets = vec![0; items.len()];
    let mut gaps = Gaps::new(component, fit);
    // Above the top all is free.
    let mut top = 0;
    // Live items by end.
    let mut live: BTreeSet<(u32, u32)> = BTreeSet::new();
    for &index in order {
        let item = &items[index as usize];
        while let Some(&(hi, gone)) = live.first() {
            if hi > if backward { sections - item.hi } else { item.lo } {
                break;
            }
            live.pop_first();
            let offset = offsets[gone as usize];
            let (start, end) = gaps.join(offset, offset + items[gone as usize].size);
            if end == top {
                top = start;
            } else {
                gaps.insert(start, end);
            }
        }
        let gap = gaps.find(item.size, item.align);
        let (start, end) = gap.unwrap_or((top, top));
        // Sums of aligned sizes were checked, so this does not overflow.
        let offset = (start + (item.align - 1)) & !(item.align - 1);
        if gap.is_some() {
            gaps.remove(start, end);
            gaps.insert(offset + item.size, end);
        } else {
            top = offset + item.size;
        }
        gaps.insert(start, offset);
        offsets[index as usize] = offset;
        live.insert((if backward { sections - item.lo } else { item.hi }, index));
        if !meter.spend(COST) {
            return None;
        }
    }
    Some(offsets)
}
