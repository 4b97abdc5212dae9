//! SplitMix64 (Steele, Lea, Flood 2014): a small generator, the same on every machine.

/// A stream of numbers determined by its seed.
#[derive(Clone, Debug)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `limit`; 0 if the limit is 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(limit)) >> 64) as u64
    }
}
