//! Staggered starts: large buffers that are in use together do not begin at the same place of a page.
//!
//! Input: a schedule and its trace. Output: the same with some offsets moved up. Invariants: buffers that did not
//! overlap still do not, because offsets keep their order and the distance between two never shrinks; every alignment
//! is kept; a start costs [`MOST`] bytes at most, and usually [`APART`].
//!
//! Elements with the same index of several tensors are read and written together. If the tensors begin at the same
//! place of a page, these elements compete for the few places that a first-level cache has for them, in loops that also
//! walk along columns: the rows of such tensors, usually a round number of bytes, compete with each other already.
//!
//! ```text
//!   page   0               4096            8192                     0               4096            8192
//!   a      ├───────────────┤                                   ──▶   ·├───────────────┤
//!   b                      ├───────────────┤                                           ·├───────────────┤
//! ```
//!
//! The start of a page counts as taken: there, or next to it, begin arguments and allocations of their own.

use crate::options::Options;
use crate::stages::offsets::Schedule;
use crate::stages::trace::{Trace, TracedBuffer};

const PAGE: u64 = 4096;

/// The starts of smaller buffers make no measurable difference (Zen 4).
const LARGE: u64 = 128 << 10;

/// The distance between starts, in bytes. Less is worse than nothing: then prefetched data of one buffer competes with
/// the data being read of the other.
const APART: u64 = 256;

/// The most bytes that a start is moved if it would have to pass others.
const MOST: u64 = 1024;

/// The number of the last starts that a start keeps away from.
const RECENT: usize = 7;

/// Moves the starts of large buffers apart, unless the total does not fit then, or the memory has a fixed size that is
/// too small for it.
pub fn stagger(
    trace: &Trace,
    schedule: &mut Schedule,
    options: &Options,
    fits: impl Fn(u64) -> bool,
) {
    let alignment = trace.alignment();
    if options.stagger != Some(true) || alignment > MOST {
        return;
    }
    // A workspace has starts of its own in it.
    let is_large = |buffer: &TracedBuffer| buffer.size >= LARGE && !buffer.is_workspace();
    let large: Vec<_> = trace.buffers.iter().map(is_large).collect();
    let Some(offsets) = staggered(&schedule.offsets, &large, alignment) else { return };
    let ends = trace.buffers.iter().zip(&offsets).map(|(buffer, offset)| {
        offset.checked_add(buffer.size).filter(|end| i64::try_from(*end).is_ok())
    });
    let Some(total) = ends.collect::<Option<Vec<_>>>().and_then(|ends| ends.into_iter().max())
    else {
        return;
    };
    let total = total.max(schedule.total);
    if fits(total) && options.capacity.is_none_or(|capacity| total <= capacity) {
        schedule.staggered = total - schedule.total;
        (schedule.offsets, schedule.total) = (offsets, total);
    }
}

/// The offsets, moved up by multiples of the alignment; None if there is nothing to move.
fn staggered(offsets: &[u64], large: &[bool], alignment: u64) -> Option<Vec<u64>> {
    let mut order: Vec<_> = (0..offsets.len()).collect();
    order.sort_by_key(|at| offsets[*at]);
    let mut moved = offsets.to_vec();
    let mut shift = 0u64;
    let mut recent = vec![0];
    for starts in order.chunk_by(|a, b| offsets[*a] == offsets[*b]) {
        let offset = offsets[starts[0]];
        if starts.iter().any(|at| large[*at]) {
            let start = offset.checked_add(shift)?;
            let step = free_step(start % PAGE, &recent, alignment);
            shift = shift.checked_add(step)?;
            recent.push((start + step) % PAGE);
            if recent.len() > RECENT {
                // The first one is the start of a page.
                recent.remove(1);
            }
        }
        for at in starts {
            moved[*at] = offset.checked_add(shift)?;
        }
    }
    (shift > 0).then_some(moved)
}

/// The least number of bytes by which a start is far enough from others, or as far as possible.
fn free_step(start: u64, taken: &[u64], alignment: u64) -> u64 {
    let apart = |step: u64| {
        let distance = |other: &u64| {
            let distance = (start + step).abs_diff(*other) % PAGE;
            distance.min(PAGE - distance)
        };
        taken.iter().map(distance).min().unwrap_or(PAGE).min(APART)
    };
    let steps = (0..=MOST).step_by(usize::try_from(alignment).unwrap_or(1).max(1));
    // If several are equal, the first.
    steps.min_by_key(|step| std::cmp::Reverse(apart(*step))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_in_a_row_begin_apart() {
        let pages = [0, 8, 16, 24].map(|page| page * PAGE);
        let moved = staggered(&pages, &[true; 4], 64).unwrap();
        assert_eq!(moved, [256, 8 * PAGE + 512, 16 * PAGE + 768, 24 * PAGE + 1024]);
    }

    #[test]
    fn what_is_apart_or_small_stays() {
        assert_eq!(staggered(&[1024, 8 * PAGE + 2048], &[true; 2], 64), None);
        assert_eq!(staggered(&[0, 8 * PAGE], &[false; 2], 64), None);
    }

    #[test]
    fn order_distance_and_alignment_stay() {
        let mut random = 1u64;
        let mut next = |limit: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 33) % limit
        };
        for _ in 0..1000 {
            let alignment = 1 << next(11);
            let count = next(20) as usize + 1;
            let offsets: Vec<_> = (0..count).map(|_| next(1 << 12) * alignment).collect();
            let large: Vec<_> = (0..count).map(|_| next(2) == 0).collect();
            let Some(moved) = staggered(&offsets, &large, alignment) else { continue };
            for a in 0..count {
                assert_eq!(moved[a] % alignment, 0);
                assert!(moved[a] <= offsets[a] + MOST * count as u64);
                for b in 0..count {
                    if offsets[a] <= offsets[b] {
                        assert!(moved[b] - moved[a] >= offsets[b] - offsets[a]);
                    }
                }
            }
        }
    }
}
