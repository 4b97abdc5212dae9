//! The judge: are these offsets a plan for these buffers?
//!
//! Shares no code with the planners. A sweep over time keeps the live buffers sorted by offset;
//! a buffer that arrives may touch neither of its neighbours. O(n log n).

use crate::model::Buffer;
use std::collections::BTreeMap;
use std::fmt;

/// What is wrong with a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// There are not as many offsets as buffers.
    Length { buffers: usize, offsets: usize },
    /// The offset is not a multiple of the alignment (or the alignment is 0).
    Misaligned { buffer: usize },
    /// The buffer's end is beyond 64 bits.
    Overflow { buffer: usize },
    /// The two buffers live at the same time and share memory.
    Overlap { first: usize, second: usize },
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Length { buffers, offsets } => {
                write!(out, "{buffers} buffers, but {offsets} offsets")
            }
            Fault::Misaligned { buffer } => write!(out, "buffer {buffer} is misaligned"),
            Fault::Overflow { buffer } => write!(out, "buffer {buffer} ends beyond 64 bits"),
            Fault::Overlap { first, second } => {
                write!(out, "buffers {first} and {second} share memory while both live")
            }
        }
    }
}

impl std::error::Error for Fault {}

/// The peak of the plan, or the first fault found.
pub fn verify(buffers: &[Buffer], offsets: &[u64]) -> Result<u64, Fault> {
    if buffers.len() != offsets.len() {
        return Err(Fault::Length { buffers: buffers.len(), offsets: offsets.len() });
    }
    let mut peak = 0;
    let mut events = Vec::new();
    for (index, (buffer, &offset)) in buffers.iter().zip(offsets).enumerate() {
        if buffer.align == 0 || offset % buffer.align != 0 {
            return Err(Fault::Misaligned { buffer: index });
        }
        let Some(end) = offset.checked_add(buffer.size) else {
            return Err(Fault::Overflow { buffer: index });
        };
        peak = peak.max(end);
        if buffer.size > 0 && buffer.start < buffer.end {
            events.push((buffer.start, true, index));
            events.push((buffer.end, false, index));
        }
    }
    // Ends sort before starts of the same moment: lifetimes are half-open.
    events.sort_unstable();
    let mut live: BTreeMap<u64, usize> = BTreeMap::new();
    for (_, arrives, index) in events {
        let offset = offsets[index];
        if !arrives {
            live.remove(&offset);
            continue;
        }
        let below = live.range(..=offset).next_back().filter(|&(&at, &other)| {
            // Never overflows: every end was checked above.
            at + buffers[other].size > offset
        });
        let above =
            live.range(offset..).next().filter(|&(&at, _)| at < offset + buffers[index].size);
        if let Some((_, &other)) = below.or(above) {
            return Err(Fault::Overlap { first: other.min(index), second: other.max(index) });
        }
        live.insert(offset, index);
    }
    Ok(peak)
}
