//! Twins: buffers of exclusive branches that are in use after the branch share their place.
//!
//! Input: the buffers of a scope. Output: the same, some of them for several allocations. Of two allocations in
//! different regions of an `scf.if`, one is executed at most, and neither is used in the region of the other. If
//! the branch passes them out, or one of them, both have lifetimes that meet; but they are never in use together:
//!
//! ```text
//!   if { %a = alloc } else { %b = alloc }, then a use of one of them
//!
//!   %a     ├───────────────────────┤              %a, %b   ├───────────────────────┤
//!   %b             ├───────────────┤
//! ```
//!
//! Twins are of one type and become one buffer with one name, in front of the branch. Buffers that stay in their region
//! become guests of a buffer that is passed out of an earlier region, while their own region does not need the place:
//! their lifetimes are parts of its lifetime. They keep names of their own.

use super::trace::{Guest, TracedBuffer};
use crate::analysis::body::Body;
use crate::analysis::effects::RegionKind;
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use mlir_support::func::result;
use mlir_support::ir;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

/// A buffer, by its number, with the region of the branch that it is in.
type Member = (usize, usize);

/// Makes twins one buffer.
pub fn unite<'c, 'a>(body: &Body<'c, 'a>, buffers: &mut Vec<TracedBuffer<'c, 'a>>) {
    // The members of each branch, by the branch's entry.
    let mut branches: BTreeMap<usize, Vec<Member>> = BTreeMap::new();
    for (number, buffer) in buffers.iter().enumerate() {
        if buffer.is_workspace() || buffer.uses.is_some() {
            continue;
        }
        let Some(mut at) = body.find(buffer.allocation) else { continue };
        while let Some(parent) = body.entries[at].parent {
            let around = &body.entries[parent];
            // A buffer that a loop in the branch allocates gets its name in each iteration.
            if around.region != Some(RegionKind::Branch) || around.several_blocks {
                break;
            }
            if around.operation.region_count() > 1 {
                // These regions have one block each.
                let region = body.entries[at].operation.block().map_or(0, ir::id);
                branches.entry(parent).or_default().push((region, number));
            }
            at = parent;
        }
    }
    let mut is_gone = vec![false; buffers.len()];
    // Inner branches first.
    for (branch, members) in branches.into_iter().rev() {
        let mut types: BTreeMap<usize, Vec<Member>> = BTreeMap::new();
        let mut order: HashMap<usize, usize> = HashMap::new();
        for (region, number) in members.into_iter().filter(|(_, number)| !is_gone[*number]) {
            let ty = ir::id(result(buffers[number].allocation).r#type());
            let next = order.len();
            let ty = *order.entry(ty).or_insert(next);
            types.entry(ty).or_default().push((region, number));
        }
        let end = body.ticks(branch).1;
        let groups: Vec<_> =
            types.values().flat_map(|members| groups(members, buffers, end)).collect();
        for group in groups {
            let (first, others) = group.split_first().expect("a group has two members");
            for other in others {
                is_gone[*other] = true;
                let is_passed = buffers[*other].last > end;
                unite_two(buffers, *first, *other, is_passed);
            }
            buffers[*first].place = body.entries[branch].operation;
        }
    }
    let mut is_gone = is_gone.into_iter();
    buffers.retain(|_| !is_gone.next().unwrap_or(false));
}

/// The buffers of one type that share a place, earlier regions first; `end` is the last tick of the branch.
fn groups(members: &[Member], buffers: &[TracedBuffer], end: i64) -> Vec<Vec<usize>> {
    // For each region: the buffers used after the branch, longest first; the others, in the order of use.
    let mut regions: Vec<(usize, Vec<usize>, Vec<usize>)> = Vec::new();
    for (region, number) in members {
        if regions.last().is_none_or(|last| last.0 != *region) {
            regions.push((*region, Vec::new(), Vec::new()));
        }
        if let Some((_, passed, local)) = regions.last_mut() {
            let is_passed = buffers[*number].last > end;
            if is_passed { passed.push(*number) } else { local.push(*number) }
        }
    }
    if regions.len() < 2 {
        return Vec::new();
    }
    for (_, passed, local) in &mut regions {
        passed.sort_by_key(|number| (Reverse(buffers[*number].last), *number));
        local.sort_by_key(|number| (buffers[*number].first, *number));
    }
    let count = regions.iter().map(|(_, passed, _)| passed.len()).max().unwrap_or(0);
    let mut groups = vec![Vec::new(); count];
    for (_, passed, mut local) in regions {
        for (at, group) in groups.iter_mut().enumerate() {
            let own = passed.get(at);
            if !group.is_empty() {
                // In the place of a buffer that is passed out of an earlier region, one after the other, until this
                // region needs the place for a buffer that it passes out itself.
                let end = own.map_or(i64::MAX, |own| buffers[*own].first);
                let mut free = i64::MIN;
                local.retain(|number| {
                    let buffer = &buffers[*number];
                    let fits = buffer.first > free && buffer.last < end;
                    if fits {
                        free = buffer.last;
                        group.push(*number);
                    }
                    !fits
                });
            }
            group.extend(own);
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}

/// Merges two buffers into one.
fn unite_two(buffers: &mut [TracedBuffer], one: usize, other: usize, is_passed: bool) {
    let gone = &mut buffers[other];
    let (place, guests) = (gone.place, std::mem::take(&mut gone.guests));
    let allocations: Vec<_> = gone.own_allocations().collect();
    let starts = std::mem::take(&mut gone.starts);
    let (first, last) = (gone.first, gone.last);
    let (alignment, least, unmerged) = (gone.alignment, gone.least, gone.unmerged);
    let kept = &mut buffers[one];
    if is_passed {
        kept.twins.extend(allocations);
    } else {
        kept.guests.push(Guest { place, allocations });
    }
    kept.guests.extend(guests);
    kept.starts.extend(starts);
    kept.first = kept.first.min(first);
    kept.last = kept.last.max(last);
    kept.alignment = kept.alignment.max(alignment);
    kept.least = kept.least.max(least);
    kept.unmerged = kept.unmerged.max(unmerged);
}
