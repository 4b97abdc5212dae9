//! Sets of small numbers, as bits.

use std::ops::Range;

/// A set of numbers below a limit that is fixed when it is made.
#[derive(Clone)]
pub struct Bits(Vec<u64>);

impl Bits {
    pub fn new(limit: usize) -> Self {
        Self(vec![0; limit.div_ceil(64)])
    }

    pub fn contains(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 == 1
    }

    pub fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    pub fn remove(&mut self, number: usize) {
        self.0[number / 64] &= !(1 << (number % 64));
    }

    /// Whether the set is larger now.
    pub fn insert_all(&mut self, other: &Bits) -> bool {
        let mut is_larger = false;
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            is_larger |= other & !*word != 0;
            *word |= other;
        }
        is_larger
    }

    /// The numbers of a range that are in both sets, in order.
    pub fn and<'s>(
        &'s self,
        other: &'s Bits,
        range: Range<usize>,
    ) -> impl Iterator<Item = usize> + 's {
        let words = range.start / 64..range.end.div_ceil(64).max(range.start / 64);
        let pairs = self.0[words.clone()].iter().zip(&other.0[words.clone()]).zip(words);
        let all = pairs.flat_map(|((a, b), at)| {
            let mut rest = a & b;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(at * 64 + bit)
            })
        });
        all.filter(move |number| range.contains(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets() {
        let (mut a, mut b) = (Bits::new(130), Bits::new(130));
        for number in [0, 63, 64, 129] {
            a.insert(number);
            assert!(a.contains(number));
        }
        a.remove(63);
        b.insert(128);
        assert!(b.insert_all(&a) && !b.insert_all(&a));
        assert_eq!(b.and(&b, 0..130).collect::<Vec<_>>(), [0, 64, 128, 129]);
        assert_eq!(a.and(&b, 0..130).collect::<Vec<_>>(), [0, 64, 129]);
        assert_eq!(a.and(&b, 1..129).collect::<Vec<_>>(), [64]);
        assert_eq!(a.and(&b, 130..130).count(), 0);
    }
}
