//! SplitMix64 (Steele, Lea and Flood 2014): reproducible random numbers.
//!
//! The planners and the tests of this crate draw from it; programs that generate instances for
//! comparison may do so as well. It is not for cryptography.

/// A stream of numbers determined by its seed, the same on every machine and in every release.
///
/// ```
/// use memory_planner::random::SplitMix64;
///
/// let mut random = SplitMix64(1);
/// assert_eq!(random.next_u64(), 0x910a_2dec_8902_5cc1);
/// assert!(random.below(10) < 10);
/// ```
#[derive(Clone, Debug)]
pub struct SplitMix64(
    /// The state; initially the seed.
    pub u64,
);

impl SplitMix64 {
    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number in `0..limit`; 0 if the limit is 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(limit)) >> 64) as u64
    }
}
