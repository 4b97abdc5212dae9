//! Plans the rotation of buffers in loops and branches.
//!
//! Input: a function. Output: for each block that is not part of the plan of another one, the events that
//! change its held buffers, in program order. Held buffers are numbered: first the initial ones of the
//! block, then each that an event adds. Buffers that may become each other are in one *pool*; a loop
//! rotates the pools of its slots as a whole, with all allocations in them.
//!
//! The analysis changes nothing in the IR: a plan that fails is rolled back.
//!
//! | file | contents |
//! |---|---|
//! | [`planner`] | blocks: the buffers they hold, and the state of the analysis |
//! | [`rotation`], [`branch`] | loops and branches |
//! | [`demand`] | the number of buffers needed of each type |

mod branch;
mod demand;
mod planner;
mod rotation;

use super::ModuleFacts;
use super::names::Names;
use demand::carry;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::MemRefType;
use melior::ir::{BlockRef, ShapedTypeLike, Type};
use merge_alloc::analysis::alias;
use merge_alloc::analysis::body::Body;
use mlir_support::control_flow::{Carried, forwarded};
use mlir_support::ir;
use planner::Planner;
use std::collections::HashSet;

/// The plan of one block: the events that change its held buffers.
pub struct Station<'c, 'a> {
    pub block: BlockRef<'c, 'a>,
    pub events: Vec<Event<'c, 'a>>,
    /// The held buffers that its terminator does not pass on.
    pub rest: Vec<usize>,
}

/// An operation that changes the set of held buffers.
pub struct Event<'c, 'a> {
    pub kind: EventKind<'c, 'a>,
    pool: usize,
    /// True if its allocations come from the spare buffers of the enclosing loop or branch.
    pub is_carried: bool,
}

pub enum EventKind<'c, 'a> {
    /// Adds a buffer.
    Allocation(OperationRef<'c, 'a>),
    /// An allocation that only receives a copy of another buffer, and is replaced by it.
    Forwarded(OperationRef<'c, 'a>),
    /// A copy after which `to` is the buffer that was `from`.
    Copy { copy: OperationRef<'c, 'a>, from: usize, to: usize },
    /// A loop or branch that takes buffers and adds its buffer results, then its spare buffers.
    Plan(Box<Plan<'c, 'a>>),
}

/// A loop or branch that returns the buffers it takes, in another order.
pub struct Plan<'c, 'a> {
    pub operation: OperationRef<'c, 'a>,
    /// The values that a loop carries; None for a branch.
    pub carried: Option<Carried>,
    /// The slots at the start of each station of a loop, or of the results of a branch.
    pub slots: Vec<Vec<usize>>,
    /// How each slot of a loop starts.
    pub starts: Vec<Start>,
    /// The buffers that a branch takes from the enclosing block.
    pub taken: Vec<usize>,
    /// The types of the spare buffers that it takes.
    pub spares: Vec<Type<'c>>,
    /// The spare buffers at the start of each station of a loop, or that a branch returns.
    pub extras: Vec<Vec<Type<'c>>>,
    pub stations: Vec<Station<'c, 'a>>,
    /// True if a branch only allocates, in every region.
    pub is_pure: bool,
}

#[derive(Clone, Copy)]
pub enum Start {
    /// With a buffer that the enclosing block holds.
    Taken(usize),
    /// With a copy.
    Copied,
}

/// The plans of a function.
pub fn of_function<'c, 'a>(body: &Body<'c, 'a>, module: &ModuleFacts) -> Vec<Station<'c, 'a>> {
    let names = Names {
        body,
        module,
        moves: HashSet::new(),
        held: HashSet::new(),
        inside: Vec::new(),
        budget: alias::budget(body),
    };
    let mut planner = Planner { names, moved: Vec::new(), pools: Vec::new() };
    let mut blocks: Vec<BlockRef> = ir::blocks(body.function).into_iter().rev().collect();
    let (mut covered, mut found) = (HashSet::new(), Vec::new());
    while let Some(block) = blocks.pop() {
        if covered.insert(ir::id(block)) {
            let mut held = Vec::new();
            let mut events = planner.station(block, &mut held, false);
            let here = held.iter().filter(|held| held.is_here).filter_map(|held| held.value);
            planner.names.held.extend(here.map(ir::id));
            carry(&mut events, |_| false);
            cover(&events, &mut covered);
            if events.iter().any(|event| matches!(event.kind, EventKind::Plan(_))) {
                found.push(Station { block, events, rest: Vec::new() });
            }
        }
        for operation in ir::block_operations(block).into_iter().rev() {
            for region in (0..operation.region_count()).rev() {
                blocks.extend(ir::blocks_of(operation, region).into_iter().rev());
            }
        }
    }
    found
}

/// True for the loops and branches that may have a plan.
pub fn is_candidate(operation: &OperationRef) -> bool {
    ["scf.for", "scf.while", "scf.if", "scf.index_switch"].contains(&ir::name(operation))
}

/// True if buffers of a type can be rotated: the types that merge-alloc merges.
pub fn is_slot(ty: Type) -> bool {
    MemRefType::try_from(ty).is_ok_and(|ty| {
        ty.has_static_shape() && ir::has_identity_layout(ty) && ty.memory_space().is_none()
    })
}

/// The last operation of a block.
pub fn terminator<'c, 'a>(block: BlockRef<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    ir::block_operations(block).pop()
}

/// The operand of a terminator for a slot.
pub fn passed(terminator: OperationRef, slot: usize) -> usize {
    slot + forwarded(terminator).map_or(0, |forwarded| forwarded.start)
}

/// Collects the blocks that plans cover.
fn cover(events: &[Event], covered: &mut HashSet<usize>) {
    for event in events {
        if let EventKind::Plan(plan) = &event.kind {
            for station in &plan.stations {
                covered.insert(ir::id(station.block));
                cover(&station.events, covered);
            }
        }
    }
}
