//! Traces: the buffers that share a merged allocation, and their lifetimes.
//!
//! Input: a function's tables, an allocation and its accesses. Output: the first and the last tick of the accesses
//! ([`lifetime`]), by the rules of [`Ticks`](super::Ticks).

use crate::analysis::body::Body;
use crate::scope::Scope;
use melior::ir::Attribute;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::ir;

/// The buffers of a scope that share a merged allocation; there is at least one.
pub struct Trace<'c, 'a> {
    /// The place of the merged allocation.
    pub scope: Scope<'c, 'a>,
    /// The memory space; None for the default one.
    pub space: Option<Attribute<'c>>,
    /// The buffers in the order of the text.
    pub buffers: Vec<TracedBuffer<'c, 'a>>,
    /// True if callers are to pass the merged allocation.
    pub is_workspace: bool,
    /// True if it is on the stack, which is decided when the offsets are known.
    pub on_stack: bool,
}

/// A buffer, and its lifetime.
pub struct TracedBuffer<'c, 'a> {
    /// A `memref.alloc`, or the `func.call` that the buffer is a workspace for.
    pub allocation: OperationRef<'c, 'a>,
    /// The size in bytes.
    pub size: u64,
    /// The alignment: its offset is a multiple of it.
    pub alignment: u64,
    /// The alignment that it may have instead, where memory is scarce.
    pub least: u64,
    /// The bytes that it would request by itself.
    pub unmerged: u64,
    /// The first tick at which it is in use.
    pub first: i64,
    /// The last tick at which it is in use.
    pub last: i64,
    /// The operation of the tick `first`: it is executed once in the buffer's life, before or around
    /// all accesses. There is one for each allocation of twins.
    pub starts: Vec<OperationRef<'c, 'a>>,
    /// The operation in front of which the buffer gets its name.
    pub place: OperationRef<'c, 'a>,
    /// The operands that are the buffer, if it is only a part of the allocation's life; None: all uses.
    pub uses: Option<Vec<(OperationRef<'c, 'a>, usize)>>,
    /// Allocations of other branches that it stands for as well.
    pub twins: Vec<OperationRef<'c, 'a>>,
    /// Buffers of other branches that are in its place, with names of their own.
    pub guests: Vec<Guest<'c, 'a>>,
}

/// A buffer that takes the place of another one that is never in use at the same time.
pub struct Guest<'c, 'a> {
    /// The operation in front of which it gets its name.
    pub place: OperationRef<'c, 'a>,
    /// The allocations that it stands for.
    pub allocations: Vec<OperationRef<'c, 'a>>,
}

impl Trace<'_, '_> {
    /// The alignment of the merged allocation.
    pub fn alignment(&self) -> u64 {
        self.buffers.iter().map(|buffer| buffer.alignment).max().unwrap_or(1)
    }
}

impl<'c, 'a> TracedBuffer<'c, 'a> {
    /// True if it is the workspace of a function that is called.
    pub fn is_workspace(&self) -> bool {
        ir::name(&self.allocation) == "func.call"
    }

    /// The allocations that it stands for.
    pub fn allocations(&self) -> impl Iterator<Item = OperationRef<'c, 'a>> {
        let guests = self.guests.iter().flat_map(|guest| guest.allocations.iter().copied());
        self.own_allocations().chain(guests)
    }

    /// The allocations that get its name.
    pub fn own_allocations(&self) -> impl Iterator<Item = OperationRef<'c, 'a>> {
        std::iter::once(self.allocation).chain(self.twins.iter().copied())
    }
}

/// The first tick and the last one of the accesses, and the entry that has the first one; None without
/// accesses. The allocation stands for any operation that is executed once in the buffer's life, before the
/// accesses.
pub fn lifetime(body: &Body, allocation: usize, accesses: &[usize]) -> Option<(i64, i64, usize)> {
    // The innermost operation around the allocation and all accesses; None is the function.
    let mut home = body.entries[allocation].parent;
    for access in accesses {
        while let Some(around) = home
            && !(around != *access && body.contains(around, *access))
        {
            home = body.entries[around].parent;
        }
    }
    let several_blocks = match home {
        Some(home) => body.entries[home].several_blocks,
        None => body.several_blocks,
    };
    let block =
        |entry| body.child_of(home, entry).and_then(|at| body.entries[at].operation.block());
    let own_block = block(allocation);
    let mut lifetime: Option<(i64, i64, usize)> = None;
    for access in accesses {
        if several_blocks && block(*access) != own_block {
            // Blocks may be executed in another order than the text.
            let (first, last) = home.map_or_else(|| body.all_ticks(), |home| body.ticks(home));
            return Some((first, last, body.child_of(home, allocation)?));
        }
        // `home` encloses the access, so one of its children does.
        let at = body.through_branches(body.child_of(home, *access)?, *access);
        let (first, last) = body.ticks(at);
        lifetime = Some(match lifetime {
            Some((from, to, start)) if from <= first => (from, to.max(last), start),
            Some((_, to, _)) => (first, to.max(last), at),
            None => (first, last, at),
        });
    }
    lifetime
}
