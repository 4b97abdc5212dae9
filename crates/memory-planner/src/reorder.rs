//! Local search over placement orders: an item that ends too high comes earlier the next time.
//!
//! Input: a component, a plan, and a goal. Output: a plan that is at most as high. *Squeaky wheel
//! optimization* (Joslin and Clements 1999) over the orders of [`skyline`]: place all items, blame
//! the items that end above the goal, move them forward in the order, place all again. A pass takes
//! O(n log n), so that a second has time for hundreds of passes over a thousand items, or tens over
//! ten thousand. Several orders are improved in turn, the best ones most often.
//!
//! An order is worse the greater the sum of the squares of its excesses over the goal: of two plans
//! with the same peak, the one with fewer items above the goal is nearer to a lower peak.
//!
//! Invariant: the result depends on the input and the work budget alone.

use crate::budget::Meter;
use crate::greedy::skyline;
use crate::instance::{Component, Item, Offsets};
use crate::orders::{Key, SKYLINES, order, ranks};
use crate::random::SplitMix64;

/// The initial orders besides [`SKYLINES`].
const MORE: [&[Key]; 2] = [&[Key::Area], &[Key::Width]];

/// The distance between adjacent positions in an initial order, which leaves room between them.
const STEP: u64 = 1 << 20;

/// The better candidate is taken with odds of `PREFERENCE` - 1 to 1.
const PREFERENCE: u64 = 3;

/// An order under improvement, and its plan.
struct Candidate {
    /// Per item, its position in the order; ties in canonical order.
    keys: Vec<u64>,
    offsets: Offsets,
    excess: u128,
}

/// Lowers the peak of a component towards `goal` bytes, as far as the meter allows; never above
/// `offsets`.
pub fn improve(component: &Component, offsets: &[u64], goal: u64, meter: &mut Meter) -> Offsets {
    let mut random = SplitMix64(1);
    let mut best = offsets.to_vec();
    let mut peak = component.peak(&best);
    let mut candidates: Vec<Candidate> = Vec::new();
    while peak > goal && !meter.is_spent() {
        let (at, keys) = match SKYLINES.iter().chain(&MORE).nth(candidates.len()) {
            Some(keys) => {
                let ranks = ranks(&order(component, keys)).into_iter();
                (candidates.len(), ranks.map(|rank| u64::from(rank) * STEP).collect())
            }
            None => {
                candidates.sort_by_key(|candidate| candidate.excess);
                let mut at = 0;
                while at + 1 < candidates.len() && random.below(PREFERENCE) == 0 {
                    at += 1;
                }
                (at, changed(component, &candidates[at], goal, &mut random))
            }
        };
        meter.spend(100 * keys.len() as u64);
        let Some(offsets) = skyline::place(component, &positions(&keys), meter) else { break };
        let excess = excess(component, &offsets, goal);
        if component.peak(&offsets) < peak {
            peak = component.peak(&offsets);
            best.clone_from(&offsets);
        }
        let candidate = Candidate { keys, offsets, excess };
        match candidates.get_mut(at) {
            None => candidates.push(candidate),
            Some(old) if candidate.excess <= old.excess => *old = candidate,
            Some(_) => {}
        }
    }
    best
}

/// Each item's place in the order of the keys.
fn positions(keys: &[u64]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    order.sort_unstable_by_key(|&item| (keys[item as usize], item));
    ranks(&order)
}

/// The keys of a candidate with one of three changes, of random size: all items that are too high
/// move forward and some others move; or one moves forward and some that are live with it move; or
/// only these live items move.
fn changed(
    component: &Component,
    candidate: &Candidate,
    goal: u64,
    random: &mut SplitMix64,
) -> Vec<u64> {
    let mut keys = candidate.keys.clone();
    let items = component.items.iter().zip(&candidate.offsets).enumerate();
    let is_high = |item: &Item, offset: u64| component.end(item, offset) > goal;
    let high: Vec<usize> = items
        .filter(|(_, (item, offset))| is_high(item, **offset))
        .map(|(index, _)| index)
        .collect();
    let Some(&one) = high.get(random.below(high.len() as u64) as usize) else { return keys };
    let reach = (keys.len() as u64 * STEP) >> random.below(10);
    let drift = reach >> random.below(4);
    let rarity = [64, 256, 1024, 4096][random.below(4) as usize];
    let forward = |key: &mut u64, random: &mut SplitMix64| {
        *key = key.saturating_sub(1 + random.below(reach));
    };
    let drifts = |key: &mut u64, random: &mut SplitMix64| {
        *key = (*key + random.below(drift)).saturating_sub(drift / 2);
    };
    let kind = random.below(3);
    if kind == 0 {
        let mut high = high.into_iter().peekable();
        for (index, key) in keys.iter_mut().enumerate() {
            if high.next_if_eq(&index).is_some() {
                forward(key, random);
            } else if random.below(rarity) == 0 {
                drifts(key, random);
            }
        }
        return keys;
    }
    if kind == 1 {
        forward(&mut keys[one], random);
    }
    let Item { lo, hi, .. } = component.items[one];
    let rarity = rarity / [8, 16][kind as usize - 1];
    for (index, (key, item)) in keys.iter_mut().zip(&component.items).enumerate() {
        if index != one && item.lo < hi && item.hi > lo && random.below(rarity) == 0 {
            drifts(key, random);
        }
    }
    keys
}

/// The sum of the squares of the bytes by which items end above the goal.
fn excess(component: &Component, offsets: &[u64], goal: u64) -> u128 {
    let items = component.items.iter().zip(offsets);
    let over = |(item, &offset): (&Item, &u64)| {
        u128::from(component.end(item, offset).saturating_sub(goal))
    };
    items.map(over).fold(0, |sum: u128, over| sum.saturating_add(over.saturating_mul(over)))
}
