//! A load over time, and its peak: a segment tree.
//!
//! Input: intervals of ticks with bytes, added at first ([`Load::add`], all at once by [`Load::settle`]) and
//! later ([`Load::add_now`]). Output: the maximum over all ticks, in constant time. A later change takes time
//! logarithmic in the number of ticks: the ticks are the leaves of a tree, and each node stores the amount
//! added to all leaves below it, and their peak.

pub struct Load {
    ticks: usize,
    /// The differences between successive ticks, before the load is settled.
    changes: Vec<i128>,
    /// Per node: the amount added to all ticks below, and the peak below including it. Node 1 is the root.
    added: Vec<i128>,
    peaks: Vec<i128>,
}

impl Load {
    pub fn new(ticks: usize) -> Self {
        Self { ticks, changes: vec![0; ticks + 1], added: Vec::new(), peaks: Vec::new() }
    }

    /// Adds bytes at the ticks from one to another, both inclusive, before the load is settled.
    pub fn add(&mut self, from: usize, to: usize, bytes: u64) {
        if from <= to && to < self.ticks {
            self.changes[from] += i128::from(bytes);
            self.changes[to + 1] -= i128::from(bytes);
        }
    }

    /// Builds the tree.
    pub fn settle(&mut self) {
        let leaves = self.ticks.next_power_of_two();
        (self.added, self.peaks) = (vec![0; 2 * leaves], vec![0; 2 * leaves]);
        let mut load = 0;
        for (tick, change) in std::mem::take(&mut self.changes).into_iter().enumerate() {
            load += change;
            if tick < self.ticks {
                self.added[leaves + tick] = load;
                self.peaks[leaves + tick] = load;
            }
        }
        for node in (1..leaves).rev() {
            self.peaks[node] = self.peaks[2 * node].max(self.peaks[2 * node + 1]);
        }
    }

    pub fn peak(&self) -> u64 {
        u64::try_from(self.peaks.get(1).copied().unwrap_or(0).max(0)).unwrap_or(u64::MAX)
    }

    /// Adds bytes after the load has been settled.
    pub fn add_now(&mut self, from: usize, to: usize, bytes: u64) {
        self.change(from, to, i128::from(bytes));
    }

    /// Subtracts bytes after the load has been settled.
    pub fn take_now(&mut self, from: usize, to: usize, bytes: u64) {
        self.change(from, to, -i128::from(bytes));
    }

    fn change(&mut self, from: usize, to: usize, bytes: i128) {
        let leaves = self.added.len() / 2;
        if from > to || to >= self.ticks {
            return;
        }
        // The nodes that cover the interval, bottom-up from both ends.
        let (mut low, mut high) = (from + leaves, to + leaves + 1);
        while low < high {
            for node in [(low % 2 == 1).then_some(low), (high % 2 == 1).then(|| high - 1)] {
                let Some(node) = node else { continue };
                self.added[node] += bytes;
                self.peaks[node] += bytes;
            }
            (low, high) = (low.div_ceil(2), high / 2);
        }
        for end in [from + leaves, to + leaves] {
            let mut node = end / 2;
            while node > 0 {
                let below = self.peaks[2 * node].max(self.peaks[2 * node + 1]);
                self.peaks[node] = below + if node < leaves { self.added[node] } else { 0 };
                node /= 2;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with a list of all ticks.
    #[test]
    fn the_peak_equals_the_maximum_over_all_ticks() {
        let mut state = 12345u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % below
        };
        for ticks in [1, 2, 3, 7, 8, 9, 100] {
            let (mut load, mut all) = (Load::new(ticks), vec![0u64; ticks]);
            for step in 0..200 {
                let (from, to, bytes) = (random(ticks), random(ticks), random(1000) as u64);
                if step == 50 {
                    load.settle();
                }
                if step < 50 {
                    load.add(from, to, bytes);
                } else {
                    load.add_now(from, to, bytes);
                    assert!(load.peak() >= bytes || from > to);
                    if step % 3 == 0 {
                        load.take_now(from, to, bytes);
                        continue;
                    }
                }
                all.iter_mut().take(to + 1).skip(from).for_each(|tick| *tick += bytes);
                if step >= 50 {
                    assert_eq!(Some(load.peak()), all.iter().max().copied(), "{ticks} {step}");
                }
            }
        }
        Load::new(0).settle();
    }
}
