//! The independent check of a plan: are these offsets valid for these buffers?
//!
//! Shares no code with the planners. A sweep over time keeps the live buffers sorted by offset; a
//! buffer that arrives must not overlap the one below or the one above. O(n log n).

use crate::model::Buffer;
use std::collections::BTreeMap;
use std::fmt;

/// The reason that offsets are not a plan. Buffers are given by their indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VerifyError {
    /// The number of offsets differs from the number of buffers.
    LengthMismatch {
        /// The number of buffers.
        buffers: usize,
        /// The number of offsets.
        offsets: usize,
    },
    /// The offset is not a multiple of the alignment, or the alignment is 0.
    Misaligned {
        /// The index of the buffer.
        buffer: usize,
    },
    /// Offset + size does not fit into 64 bits.
    Overflow {
        /// The index of the buffer.
        buffer: usize,
    },
    /// The two buffers are live at the same time and share memory.
    Overlap {
        /// The lower index of the two.
        first: usize,
        /// The higher index of the two.
        second: usize,
    },
}

impl fmt::Display for VerifyError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VerifyError::LengthMismatch { buffers, offsets } => {
                write!(out, "{buffers} buffers, but {offsets} offsets")
            }
            VerifyError::Misaligned { buffer } => write!(out, "buffer {buffer} is misaligned"),
            VerifyError::Overflow { buffer } => {
                write!(out, "buffer {buffer} ends beyond 64 bits")
            }
            VerifyError::Overlap { first, second } => {
                write!(out, "buffers {first} and {second} share memory while both are live")
            }
        }
    }
}

impl std::error::Error for VerifyError {}

/// Checks that `offsets` are a valid plan for `buffers`, and computes its peak in bytes.
///
/// Shares no code with the planners, so that it can check their results and the results of other
/// programs. Takes O(n log n) time and O(n) memory.
///
/// # Errors
///
/// The first violation found, in no particular order.
///
/// ```
/// use memory_planner::{Buffer, VerifyError, verify};
///
/// let buffers = [Buffer::new(8, 0, 2), Buffer::new(8, 1, 3)];
/// assert_eq!(verify(&buffers, &[0, 8]), Ok(16));
/// assert_eq!(verify(&buffers, &[0, 4]), Err(VerifyError::Overlap { first: 0, second: 1 }));
/// ```
pub fn verify(buffers: &[Buffer], offsets: &[u64]) -> Result<u64, VerifyError> {
    if buffers.len() != offsets.len() {
        return Err(VerifyError::LengthMismatch { buffers: buffers.len(), offsets: offsets.len() });
    }
    let mut peak = 0;
    let mut events = Vec::new();
    for (index, (buffer, &offset)) in buffers.iter().zip(offsets).enumerate() {
        if buffer.align == 0 || offset % buffer.align != 0 {
            return Err(VerifyError::Misaligned { buffer: index });
        }
        let Some(end) = offset.checked_add(buffer.size) else {
            return Err(VerifyError::Overflow { buffer: index });
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
            return Err(VerifyError::Overlap { first: other.min(index), second: other.max(index) });
        }
        live.insert(offset, index);
    }
    Ok(peak)
}
