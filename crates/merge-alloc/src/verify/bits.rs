//! Operations on bit sets that the library lacks, and the order in which analyses visit the nodes of a graph.

use fixedbitset::FixedBitSet;
use std::collections::VecDeque;
use std::ops::Range;

const WORD: usize = usize::BITS as usize;

/// Adds the members of a set of the same capacity; returns true if there are new ones.
pub fn grow(set: &mut FixedBitSet, other: &FixedBitSet) -> bool {
    let is_larger = !other.is_subset(set);
    set.union_with(other);
    is_larger
}

/// The members of a range that are in both sets, in order. The library looks at whole sets, and a range is
/// mostly a small part of them.
pub fn common<'s>(
    a: &'s FixedBitSet,
    b: &'s FixedBitSet,
    range: Range<usize>,
) -> impl Iterator<Item = usize> + 's {
    let words = range.start / WORD..range.end.div_ceil(WORD).max(range.start / WORD);
    let pairs = a.as_slice()[words.clone()].iter().zip(&b.as_slice()[words.clone()]).zip(words);
    let all = pairs.flat_map(|((a, b), at)| {
        let mut rest = a & b;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(at * WORD + bit)
        })
    });
    all.filter(move |number| range.contains(number))
}

/// Visits all nodes, and revisits the nodes that a visit names, until no visit names one.
pub fn solve(
    count: usize,
    order: impl Iterator<Item = usize>,
    mut visit: impl FnMut(usize, &mut dyn FnMut(usize)),
) {
    let mut pending: VecDeque<usize> = order.take(count).collect();
    let mut is_pending = vec![true; count];
    while let Some(node) = pending.pop_front() {
        is_pending[node] = false;
        visit(node, &mut |again| {
            if !is_pending[again] {
                is_pending[again] = true;
                pending.push_back(again);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_grow_until_they_have_all() {
        let (mut a, mut b) = (FixedBitSet::with_capacity(130), FixedBitSet::with_capacity(130));
        a.extend([0, 64, 129]);
        b.insert(128);
        assert!(grow(&mut b, &a) && !grow(&mut b, &a));
        assert_eq!(b.ones().collect::<Vec<_>>(), [0, 64, 128, 129]);
    }

    #[test]
    fn common_members_are_those_of_the_range() {
        let (mut a, mut b) = (FixedBitSet::with_capacity(130), FixedBitSet::with_capacity(130));
        a.extend([0, 64, 129]);
        b.extend([0, 64, 128, 129]);
        assert_eq!(common(&a, &b, 0..130).collect::<Vec<_>>(), [0, 64, 129]);
        assert_eq!(common(&a, &b, 1..129).collect::<Vec<_>>(), [64]);
        assert_eq!(common(&a, &b, 130..130).count(), 0);
    }
}
