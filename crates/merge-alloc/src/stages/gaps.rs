//! Gaps: an allocation whose contents are dead for a while is several buffers.
//!
//! Input: an allocation and its accesses. Output: its parts, each with a lifetime of its own; most allocations have
//! one. Two rules, which both need an operation that overwrites all of the buffer and reads nothing of it
//! ([`overwrites`]):
//!
//! * In straight-line code such an operation begins a new part, if no name that was made before is used from
//!   there on. The parts need not be in one place.
//! * A buffer that only a loop uses, and that each iteration begins with overwriting, belongs to the iteration,
//!   wherever it is allocated: no contents are passed on.
//!
//! ```text
//!   %a = alloc                  %a   ├──────┤       ├──────┤
//!   fill %a, read %a            %b          ├───────┤
//!   fill %b, read %b                                            two slots become one
//!   fill %a, read %a
//! ```

use super::trace::lifetime;
use crate::analysis::alias;
use crate::analysis::body::Body;
use crate::analysis::effects::{self, Effect, RegionKind};
use crate::analysis::overwrites::overwrites;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::func::result;
use mlir_support::ir;
use std::collections::HashMap;

/// A part of an allocation's life, with contents of its own.
pub struct Part<'c, 'a> {
    /// The first tick and the last one.
    pub first: i64,
    pub last: i64,
    /// The entry of the first tick.
    pub start: usize,
    /// The entry in front of which the buffer gets its name.
    pub place: usize,
    /// The operands that are this part; None: all uses of the allocation.
    pub uses: Option<Vec<(OperationRef<'c, 'a>, usize)>>,
}

/// The parts of an allocation; none if nothing accesses it.
pub fn parts<'c, 'a>(
    body: &Body<'c, 'a>,
    allocation: usize,
    accesses: &[usize],
    budget: &mut u64,
) -> Vec<Part<'c, 'a>> {
    divided(body, allocation, accesses, budget).unwrap_or_else(|| whole(body, allocation, accesses))
}

/// The allocation as one part.
pub fn whole<'c, 'a>(
    body: &Body<'c, 'a>,
    allocation: usize,
    accesses: &[usize],
) -> Vec<Part<'c, 'a>> {
    let whole = lifetime(body, allocation, accesses);
    let whole = whole.map(|(first, last, start)| Part {
        first,
        last,
        start,
        place: allocation,
        uses: None,
    });
    whole.into_iter().collect()
}

/// A use of the allocation's own name.
struct Use<'c, 'a> {
    user: OperationRef<'c, 'a>,
    operand: usize,
    entry: usize,
    /// The operation of the current block that is, or contains, the use.
    child: usize,
    /// True if it overwrites all of the buffer.
    overwrites: bool,
    /// The accesses to the buffer through this use.
    accesses: Vec<usize>,
    /// True if the buffer may be accessed through it at any later time.
    is_open: bool,
}

impl Use<'_, '_> {
    /// The first access through it; the operation itself is not later than accesses through other names that it makes.
    fn first_access(&self) -> usize {
        let first = self.accesses.iter().copied().min();
        if self.is_open { self.entry } else { first.unwrap_or(usize::MAX) }
    }
}

/// The parts, if there are several, or if the allocation belongs to each iteration of a loop.
fn divided<'c, 'a>(
    body: &Body<'c, 'a>,
    allocation: usize,
    accesses: &[usize],
    budget: &mut u64,
) -> Option<Vec<Part<'c, 'a>>> {
    let own = ir::uses(result(body.entries[allocation].operation));
    // Most allocations end here.
    let mut overwriting = own.iter().filter(|(user, operand)| overwrites(*user, *operand));
    let is_elsewhere = |(user, _): &(OperationRef, usize)| {
        let entry = body.find(*user);
        entry.is_none_or(|entry| body.entries[entry].parent != body.entries[allocation].parent)
    };
    let first = overwriting.next()?;
    if !is_elsewhere(first) && overwriting.next().is_none() {
        return None;
    }
    let mut counts: HashMap<usize, usize> = HashMap::new();
    accesses.iter().for_each(|access| *counts.entry(*access).or_default() += 1);
    let mut uses = Vec::with_capacity(own.len());
    for (user, operand) in own {
        let entry = body.find(user)?;
        // An operation that reads the buffer through another operand does not begin anew.
        let overwrites = overwrites(user, operand) && counts.get(&entry) == Some(&1);
        let mut found = Use {
            user,
            operand,
            entry,
            child: entry,
            overwrites,
            accesses: vec![],
            is_open: false,
        };
        match effects::of_operand(user, operand) {
            Effect::Ignored => {}
            Effect::Access => found.accesses.push(entry),
            Effect::Call(aliases) if aliases.is_empty() => found.accesses.push(entry),
            Effect::Alias(_) if ir::name(&user).starts_with("memref.") => {
                let reach = alias::follow(body, result(user), Some(allocation), budget).ok()?;
                found.accesses = reach.accesses;
            }
            _ => found.is_open = true,
        }
        uses.push(found);
    }
    let (home, crosses_loop) = home(body, allocation, accesses, &mut uses)?;
    uses.sort_by_key(|found| (found.child, found.entry, found.operand));
    // From each use on, the first access through it or a later one.
    let mut from: Vec<_> = uses.iter().map(|found| found.first_access()).collect();
    for at in (1..from.len()).rev() {
        from[at - 1] = from[at - 1].min(from[at]);
    }
    let mut cuts = vec![0];
    let mut end = None;
    for (at, found) in uses.iter().enumerate() {
        let is_new = found.overwrites && found.child == found.entry && from[at] == found.entry;
        if is_new && at > 0 && end.is_some_and(|end| end < found.entry) {
            cuts.push(at);
        }
        let last = found.accesses.iter().copied().max();
        end = if found.is_open { Some(usize::MAX) } else { end.max(last) };
    }
    if cuts.len() == 1 && !crosses_loop {
        return None;
    }
    cuts.push(uses.len());
    let is_moved = home != body.entries[allocation].parent;
    let mut parts = Vec::with_capacity(cuts.len() - 1);
    for range in cuts.windows(2) {
        let uses = &uses[range[0]..range[1]];
        let is_first = range[0] == 0;
        let place = if is_first && !is_moved { allocation } else { uses[0].child };
        let accesses: Vec<_> = match uses.iter().any(|found| found.is_open) {
            // Its other names are followed from the allocation: accesses before the part do not belong to it.
            true => accesses.iter().copied().filter(|access| *access >= uses[0].child).collect(),
            false => uses.iter().flat_map(|found| found.accesses.iter().copied()).collect(),
        };
        let (first, last, start) = lifetime(body, place, &accesses)?;
        let uses = uses.iter().map(|found| (found.user, found.operand)).collect();
        parts.push(Part { first, last, start, place, uses: Some(uses) });
    }
    Some(parts)
}

/// The operation in whose block the buffer might as well be allocated, and true if it is in a loop that the allocation
/// is not in; sets the children of all uses there. None: the blocks are not executed in the order of the text.
fn home<'c, 'a>(
    body: &Body<'c, 'a>,
    allocation: usize,
    accesses: &[usize],
    uses: &mut [Use<'c, 'a>],
) -> Option<(Option<usize>, bool)> {
    let mut home = body.entries[allocation].parent;
    set_children(body, home, uses)?;
    let block = |entry: usize| body.entries[entry].operation.block();
    if uses.iter().any(|found| block(found.child) != block(allocation)) {
        return None;
    }
    // The last home that is not in a loop which the allocation is not in.
    let mut outside = home;
    let mut crosses_loop = false;
    // Into the block around all uses.
    while let Some(inner) = uses.first().map(|found| found.child) {
        let entry = &body.entries[inner];
        let is_entered = matches!(entry.region, Some(RegionKind::Loop | RegionKind::Branch))
            && !entry.several_blocks
            && uses.iter().all(|found| found.child == inner && found.entry != inner);
        if !is_entered {
            break;
        }
        set_children(body, Some(inner), uses)?;
        let there = block(uses[0].child);
        if uses.iter().any(|found| block(found.child) != there) {
            break;
        }
        home = Some(inner);
        crosses_loop |= entry.region == Some(RegionKind::Loop);
        if !crosses_loop {
            outside = home;
        }
    }
    set_children(body, home, uses)?;
    // Each time, it is overwritten first, and nothing is carried around.
    let first = uses.iter().map(|found| found.child).min()?;
    let begins_anew = uses.iter().any(|found| found.overwrites && found.entry == first)
        && uses.iter().all(|found| !found.is_open)
        && accesses
            .iter()
            .all(|at| *at >= first && home.is_none_or(|home| body.contains(home, *at)));
    if crosses_loop && !begins_anew {
        (home, crosses_loop) = (outside, false);
    }
    set_children(body, home, uses)?;
    Some((home, crosses_loop))
}

/// Sets the operation that each use is, or is in, in the block of an operation.
fn set_children(body: &Body, home: Option<usize>, uses: &mut [Use]) -> Option<()> {
    for found in uses {
        found.child = body.child_of(home, found.entry)?;
    }
    Some(())
}
