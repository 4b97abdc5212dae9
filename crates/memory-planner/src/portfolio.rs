//! The default planner: many greedy plans, then search while the budget lasts: exact for small
//! components, over placement orders for all but huge ones.
//!
//! Input: components, and the buffers they come from. Output: offsets, and a lower bound that
//! proofs may have raised. Each component stops as soon as its peak is at the goal: the capacity,
//! or else the greatest lower bound of all components, since lower peaks elsewhere have no effect.
//!
//! Invariant: never worse than any of the crate's baselines, whatever the work: each takes part
//! unless the goal is reached without it, with ties in the order of the buffers. `greedy-by-size`,
//! which is not near-linear, comes last and stops as soon as it cannot win; for components of more
//! than [`HUGE`] items it has a budget of its own, and the invariant an exception. A deadline ends
//! everything but the first pass, and with it the invariant.

use crate::budget::Meter;
use crate::greedy::by_time::place as place_by_time;
use crate::greedy::chunk::{Rule, chunks};
use crate::greedy::gaps::Fit;
use crate::greedy::{by_order, skyline, two_ends};
use crate::instance::{Component, Offsets, store};
use crate::model::Buffer;
use crate::orders::{Key, SKYLINES, by_size, by_start, order, ranks};
use crate::{exact, reorder};

/// The default planner searches components of up to this many items exactly.
pub const SMALL: usize = 3_000;

/// The most work that goes into the greedy planners of a component that are not baselines.
const GREEDY_WORK: u64 = 4_000_000_000;

/// Components above this size get little beyond the baselines, of which `greedy-by-size` gains most
/// there: they, too, should be planned in seconds.
pub const HUGE: u64 = 200_000;
const HUGE_WORK: u64 = 1_500_000_000;

/// The most work that `greedy-by-size` gets for such a component.
const HUGE_FLOOR: u64 = 6_000_000_000;

/// The fractions of the remaining work that a first exact search and better orders get where exact
/// search follows.
const FIRST_TRY: u64 = 12;
const REORDERING: u64 = 4;

const FIRST_FITS: [&[Key]; 5] = [
    &[Key::Size, Key::Width],
    &[Key::Load, Key::Width, Key::Size],
    &[Key::Load, Key::Size],
    &[Key::Width, Key::Size],
    &[Key::Area],
];

use SecondKey::{Area, Given, Length, Load, Size, Start};

/// Like first fits, each after the alignment: a small alignment does not break up the space
/// for a large one. The last is the order of the buffers alone.
const ALIGNED_FITS: [SecondKey; 6] = [Size, Start, Length, Area, Load, Given];

/// The second key of an order by alignment; ties are in the order of the buffers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SecondKey {
    Size,
    Start,
    Length,
    Area,
    Load,
    Given,
}

#[derive(Clone, Copy)]
enum Kind {
    Aligned,
    Skyline,
    FirstFit,
}

const KINDS: [Kind; 3] = [Kind::Aligned, Kind::Skyline, Kind::FirstFit];

/// The best plan so far of one component.
struct Best<'a> {
    component: &'a Component,
    offsets: Offsets,
    peak: u64,
    lower_bound: u64,
}

impl Best<'_> {
    fn offer(&mut self, offsets: Option<Offsets>) {
        let Some(offsets) = offsets else { return };
        let peak = self.component.peak(&offsets);
        if peak < self.peak {
            self.peak = peak;
            self.offsets = offsets;
        }
    }
}

/// Plans the components; the offsets are the buffers', in bytes. Searches components of up to
/// `small` items.
pub fn plan(
    buffers: &[Buffer],
    components: &[Component],
    capacity: Option<u64>,
    small: usize,
    meter: &mut Meter,
) -> (Vec<u64>, u64) {
    let bound = components.iter().map(|c| c.lower_bound).max().unwrap_or(0);
    let mut goal = bound.max(capacity.unwrap_or(0));
    let mut all: Vec<Best> = components.iter().map(|c| by_time(buffers, c, goal, meter)).collect();
    if all.iter().any(|best| best.peak > goal) {
        by_chunks(buffers, &mut all, meter);
    }
    for best in all.iter_mut().filter(|best| best.peak > goal) {
        greedy(buffers, best, goal, meter);
    }
    // The highest first: its proofs may raise the goal for the others.
    let mut hard: Vec<usize> = (0..all.len()).collect();
    hard.sort_by_key(|&at| (std::cmp::Reverse(all[at].lower_bound), at));
    for at in hard {
        let best = &mut all[at];
        // A bound above the capacity proves that there is nothing to find.
        if best.peak <= goal || capacity.is_some_and(|capacity| bound > capacity) {
            continue;
        }
        let is_small = exact::is_small(best.component, small);
        if is_small {
            // Easy instances are mostly solved at once.
            let mut slice = meter.slice(meter.left() / FIRST_TRY);
            let height = goal;
            search(best, &mut goal, Some(height), &mut slice);
            meter.absorb(&slice);
        }
        if best.peak > goal && best.component.items.len() as u64 <= HUGE {
            let mut slice = meter.slice(meter.left() / if is_small { REORDERING } else { 1 });
            let found = reorder::improve(best.component, &best.offsets, goal, &mut slice);
            meter.absorb(&slice);
            best.offer(Some(found));
        }
        if best.peak > goal && is_small {
            search(best, &mut goal, capacity, meter);
        }
    }
    let mut offsets = vec![0; buffers.len()];
    for best in &all {
        store(best.component, &best.offsets, &mut offsets);
    }
    let bound = all.iter().map(|best| best.lower_bound).max().unwrap_or(0);
    (offsets, bound)
}

/// Exact search for the component's plan; its proofs raise the goal.
fn search(best: &mut Best, goal: &mut u64, capacity: Option<u64>, meter: &mut Meter) {
    let found = exact::improve(best.component, &best.offsets, *goal, capacity, meter);
    best.lower_bound = best.lower_bound.max(found.lower_bound);
    *goal = (*goal).max(found.lower_bound);
    best.offer(Some(found.offsets));
}

/// Orders items that start together.
type Tie<'a> = &'a dyn Fn(u32) -> (u64, u32);

/// First fit by time, in both directions with canonical ties, and the baselines by time.
fn by_time<'a>(
    buffers: &[Buffer],
    component: &'a Component,
    goal: u64,
    meter: &mut Meter,
) -> Best<'a> {
    let lower_bound = component.lower_bound;
    let mut best = Best { component, offsets: Vec::new(), peak: u64::MAX, lower_bound };
    let canonical = |item: u32| (0, item);
    let given = |item: u32| {
        let index = component.origin[item as usize];
        (buffers[index as usize].start, index)
    };
    let turned = component.reversed;
    let runs: [(Fit, bool, Tie); 4] = [
        (Fit::First, false, &canonical),
        (Fit::First, true, &canonical),
        (Fit::First, turned, &given),
        (Fit::Best, turned, &given),
    ];
    for (fit, backward, tie) in runs {
        if !best.offsets.is_empty() && meter.is_past_deadline() {
            break;
        }
        let order = by_start(component, backward, tie);
        // The first runs whatever the limits are, the others unless the deadline has passed.
        let mut floor = match best.offsets.is_empty() {
            true => Meter::unlimited(),
            false => meter.guaranteed(u64::MAX),
        };
        best.offer(place_by_time(component, &order, fit, backward, &mut floor));
        meter.absorb(&floor);
        if best.peak <= goal {
            break;
        }
    }
    best
}

/// The proposal's planners, which take the events of all components in order of time.
fn by_chunks(buffers: &[Buffer], all: &mut [Best], meter: &mut Meter) {
    for rule in [Rule::Size, Rule::Hot] {
        if meter.is_past_deadline() {
            return;
        }
        let mut floor = meter.guaranteed(u64::MAX);
        let offsets = chunks(buffers, rule, &mut floor);
        meter.absorb(&floor);
        let Ok(offsets) = offsets else { continue };
        for best in all.iter_mut() {
            // Rounded to the greatest alignment, so not to the scale unless that divides it.
            let scale = best.component.scale;
            let own = best.component.origin.iter().map(|&index| offsets[index as usize]);
            if own.clone().all(|offset| offset % scale == 0) {
                best.offer(Some(own.map(|offset| offset / scale).collect()));
            }
        }
    }
}

/// Skylines and first fits in turn, until one reaches the goal or the work is done.
fn greedy(buffers: &[Buffer], best: &mut Best, goal: u64, meter: &mut Meter) {
    let component = best.component;
    let items = component.items.len() as u64;
    let mut spent = 0;
    // At the goal, then a little above it: 1/1024, 1/256, 1/64.
    let huge = items > HUGE;
    for &shift in if huge { &[64, 10][..] } else { &[64, 10, 8, 6] } {
        let height = goal.saturating_add(goal.checked_shr(shift).unwrap_or(0));
        for backward in [false, true] {
            if best.peak > height && !meter.is_spent() {
                let height = height / component.scale;
                best.offer(two_ends::place(component, height, backward, meter));
            }
        }
    }
    let large = items > SMALL as u64;
    let mixed = component.is_mixed();
    for at in 0..SKYLINES.len().max(FIRST_FITS.len()).max(ALIGNED_FITS.len()) {
        for &kind in if huge { &[Kind::Aligned][..] } else { &KINDS } {
            if best.peak <= goal {
                return;
            }
            if meter.is_spent() || (huge && (!mixed || spent >= HUGE_WORK)) {
                break;
            }
            // For large components each step must pay off: near the goal there is little left to
            // gain, and a planner that exceeds its share is abandoned.
            let near = best.peak - goal <= goal / 1024;
            let total = match large {
                false => GREEDY_WORK,
                true => (items * if near { 3_000 } else { 8_000 })
                    .clamp(100_000_000, if huge { HUGE_WORK } else { GREEDY_WORK }),
            };
            let mut slice = meter.slice((total.saturating_sub(spent)).min(total / 2));
            let below = Some(best.peak);
            let offsets = match kind {
                // Only where alignments differ.
                Kind::Aligned => ALIGNED_FITS.get(at).filter(|_| mixed).and_then(|&first| {
                    let order = by_alignment(buffers, component, first);
                    by_order::place(component, &order, below, &mut slice)
                }),
                Kind::Skyline => SKYLINES.get(at).and_then(|keys| {
                    skyline::place(component, &ranks(&order(component, keys)), &mut slice)
                }),
                // The first differs from the last baseline in ties only: skipped where it is slow.
                Kind::FirstFit => {
                    FIRST_FITS.get(at).filter(|_| at > 0 || !large).and_then(|keys| {
                        by_order::place(component, &order(component, keys), below, &mut slice)
                    })
                }
            };
            best.offer(offsets);
            spent += slice.spent();
            meter.absorb(&slice);
        }
    }
    // The baseline, even if the meter is spent; only as far as it may still be better.
    if best.peak > goal && !meter.is_past_deadline() {
        let mut floor = meter.guaranteed(if huge { HUGE_FLOOR } else { u64::MAX });
        let below = Some(best.peak);
        best.offer(by_order::place(component, &by_size(component), below, &mut floor));
        meter.absorb(&floor);
    }
}

/// Items by decreasing alignment, then by the second key.
fn by_alignment(buffers: &[Buffer], component: &Component, second: SecondKey) -> Vec<u32> {
    let mut items: Vec<u32> = (0..component.items.len() as u32).collect();
    if second == SecondKey::Load {
        items = order(component, &[Key::Load, Key::Width, Key::Size]);
        items.sort_by_key(|&item| !component.items[item as usize].align);
        return items;
    }
    items.sort_by_cached_key(|&item| {
        let index = component.origin[item as usize];
        let Buffer { size, align, start, end } = buffers[index as usize];
        let next = match second {
            SecondKey::Start => start,
            SecondKey::Length => !(end - start),
            SecondKey::Area => !size.saturating_mul(end - start),
            _ => !size,
        };
        if second == SecondKey::Given { (0, 0, index) } else { (!align, next, index) }
    });
    items
}
