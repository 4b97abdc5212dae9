//! Random instances, the same on every machine.

use memory_planner::Buffer;
use memory_planner::random::SplitMix64;

/// Buffers of one of several kinds; alignments if `aligned`.
pub fn instance(random: &mut SplitMix64, count: u64, aligned: bool) -> Vec<Buffer> {
    let horizon = 1 + random.below(2 * count + 2);
    let kind = random.below(4);
    let unit = [1, 1, 64, 1000][random.below(4) as usize];
    (0..count)
        .map(|index| {
            let size = match kind {
                0 => random.below(10),
                1 => {
                    let bits = 1 + random.below(16);
                    1 + random.below(1 << bits)
                }
                2 => 1 + random.below(4),
                _ => 1 + random.below(1000),
            };
            let (start, life) = match kind {
                2 => (index, 1 + random.below(4)),
                _ => {
                    let most = 1 + random.below(horizon);
                    (random.below(horizon), 1 + random.below(most))
                }
            };
            let align = if aligned { 1 << random.below(8) } else { 1 };
            Buffer::new(size * unit, start, start + life).with_align(align)
        })
        .collect()
}

/// The same buffers in another order.
pub fn shuffled(random: &mut SplitMix64, buffers: &[Buffer]) -> Vec<Buffer> {
    let mut buffers = buffers.to_vec();
    for index in (1..buffers.len()).rev() {
        buffers.swap(index, random.below(index as u64 + 1) as usize);
    }
    buffers
}

/// The same buffers with time running backwards.
pub fn reversed(buffers: &[Buffer]) -> Vec<Buffer> {
    let end = buffers.iter().map(|buffer| buffer.end).max().unwrap_or(0);
    buffers
        .iter()
        .map(|buffer| {
            Buffer::new(buffer.size, end - buffer.end, end - buffer.start).with_align(buffer.align)
        })
        .collect()
}

/// A rectangle of the given height cut into buffers: the optimum is the height.
pub fn guillotine(random: &mut SplitMix64, count: usize, height: u64) -> Vec<Buffer> {
    let mut pieces = vec![Buffer::new(height, 0, 10_000)];
    while pieces.len() < count {
        let at = random.below(pieces.len() as u64) as usize;
        let Buffer { size, start, end, .. } = pieces[at];
        if random.below(2) == 0 && end - start > 1 {
            let cut = start + 1 + random.below(end - start - 1);
            pieces[at].end = cut;
            pieces.push(Buffer::new(size, cut, end));
        } else if size > 1 {
            let cut = 1 + random.below(size - 1);
            pieces[at].size = cut;
            pieces.push(Buffer::new(size - cut, start, end));
        }
    }
    pieces
}
