//! Which loops and branches rotate their buffers, and how.
//!
//! Input: a function. Output: for each block that is not part of the plan of another one, what happens to
//! the buffers it holds, as events in program order. Held buffers are numbered: first the initial ones of
//! the block, then each that an event adds. Buffers that may become each other are in one *pool*; a loop
//! rotates the pools of its slots as a whole, with all allocations in them.
//!
//! The analysis changes nothing in the IR: a plan that fails is rolled back.

use super::ModuleFacts;
use super::names::{Names, Operand};
use crate::dialect::ops::result;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::MemRefType;
use melior::ir::{BlockLike, BlockRef, ShapedTypeLike, Type, TypeLike, Value, ValueLike};
use merge_alloc::analysis::alias;
use merge_alloc::analysis::body::Body;
use mlir_support::raw;
use std::collections::HashSet;

/// The plan of one block: what it does with the buffers it holds.
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
    /// Whether its allocations come from the spare buffers of the enclosing loop or branch.
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
    pub kind: Kind,
    /// The slots at the start of each station of a loop; those of the results of a branch.
    pub slots: Vec<Vec<usize>>,
    /// How each slot of a loop starts.
    pub starts: Vec<Start>,
    /// The buffers that a branch takes from the enclosing block.
    pub taken: Vec<usize>,
    /// The types of the spare buffers that it takes.
    pub spares: Vec<Type<'c>>,
    /// The spare buffers at the start of each station of a loop; those that a branch returns.
    pub extras: Vec<Vec<Type<'c>>>,
    pub stations: Vec<Station<'c, 'a>>,
    /// Whether a branch only allocates, in every region.
    pub is_pure: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    For,
    While,
    Branch,
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
        inside: Vec::new(),
        budget: alias::budget(body),
    };
    let mut planner = Planner { names, moved: Vec::new(), pools: Vec::new() };
    let mut blocks: Vec<BlockRef> = raw::blocks(body.function).into_iter().rev().collect();
    let (mut covered, mut found) = (HashSet::new(), Vec::new());
    while let Some(block) = blocks.pop() {
        if covered.insert(address(block)) {
            let mut events = planner.station(block, &mut Vec::new(), false);
            carry(&mut events, |_| false);
            cover(&events, &mut covered);
            if events.iter().any(|event| matches!(event.kind, EventKind::Plan(_))) {
                found.push(Station { block, events, rest: Vec::new() });
            }
        }
        for operation in raw::block_operations(block).into_iter().rev() {
            for region in (0..operation.region_count()).rev() {
                blocks.extend(raw::blocks_of(operation, region).into_iter().rev());
            }
        }
    }
    found
}

/// The kind of an operation that may pass buffers on.
pub fn kind(operation: &OperationRef) -> Option<Kind> {
    match raw::name(operation) {
        "scf.for" => Some(Kind::For),
        "scf.while" => Some(Kind::While),
        "scf.if" | "scf.index_switch" => Some(Kind::Branch),
        _ => None,
    }
}

/// Whether buffers of a type can be rotated: the types that merge-alloc merges.
pub fn is_slot(ty: Type) -> bool {
    MemRefType::try_from(ty).is_ok_and(|ty| {
        ty.has_static_shape() && raw::has_identity_layout(ty) && ty.memory_space().is_none()
    })
}

/// The last operation of a block.
pub fn terminator<'c, 'a>(block: BlockRef<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    raw::block_operations(block).pop()
}

/// The operand of a terminator for a slot: operand 0 of `scf.condition` is the condition.
pub fn passed(terminator: &OperationRef, slot: usize) -> usize {
    slot + usize::from(raw::name(terminator) == "scf.condition")
}

/// The operand of a loop for a slot: `scf.for` has its bounds first.
pub fn initial(kind: Kind, slot: usize) -> usize {
    slot + if kind == Kind::For { 3 } else { 0 }
}

/// The block argument of a station of a loop for a slot.
pub fn argument<'c, 'a>(kind: Kind, block: BlockRef<'c, 'a>, slot: usize) -> Option<Value<'c, 'a>> {
    let argument = block.argument(slot + usize::from(kind == Kind::For)).ok()?;
    Some(argument.into())
}

/// The multiset difference of two lists of types; None if the second is not contained in the first.
fn without<'c>(mut all: Vec<Type<'c>>, some: &[Type<'c>]) -> Option<Vec<Type<'c>>> {
    for ty in some {
        let at = all.iter().position(|other| same(*other, *ty))?;
        all.remove(at);
    }
    Some(all)
}

/// The multiset union: the smallest list of types that contains each of the given lists.
fn union<'c>(lists: impl IntoIterator<Item = Vec<Type<'c>>>) -> Vec<Type<'c>> {
    let mut all: Vec<Type> = Vec::new();
    for list in lists {
        let mut rest = all.clone();
        for ty in list {
            match rest.iter().position(|other| same(*other, ty)) {
                Some(at) => {
                    rest.remove(at);
                }
                None => all.push(ty),
            }
        }
    }
    all
}

pub fn same(one: Type, other: Type) -> bool {
    one.to_raw().ptr == other.to_raw().ptr
}

fn address(block: BlockRef) -> usize {
    block.to_raw().ptr as usize
}

/// Marks the events that take from the spare buffers of the enclosing loop or branch.
fn carry(events: &mut [Event], is_carried: impl Fn(usize) -> bool) {
    for event in events {
        event.is_carried = is_carried(event.pool);
    }
}

/// Collects the blocks that plans cover.
fn cover(events: &[Event], covered: &mut HashSet<usize>) {
    for event in events {
        if let EventKind::Plan(plan) = &event.kind {
            for station in &plan.stations {
                covered.insert(address(station.block));
                cover(&station.events, covered);
            }
        }
    }
}

/// The spare buffers that events in some pools need.
fn wanted<'c>(events: &[Event<'c, '_>], is_carried: impl Fn(usize) -> bool) -> Vec<Type<'c>> {
    let mut types = Vec::new();
    for event in events.iter().filter(|event| is_carried(event.pool)) {
        match &event.kind {
            EventKind::Allocation(allocation) => types.push(result(*allocation).r#type()),
            EventKind::Plan(plan) => types.extend(plan.wanted()),
            EventKind::Forwarded(_) | EventKind::Copy { .. } => {}
        }
    }
    types
}

impl<'c, 'a> Plan<'c, 'a> {
    /// The buffers it needs besides those it takes: initial copies and spare buffers.
    fn wanted(&self) -> Vec<Type<'c>> {
        let starts = self.slots[0].iter().zip(&self.starts);
        let copied = starts.filter(|(_, start)| matches!(start, Start::Copied));
        let operand = |slot: &usize| self.operation.operand(initial(self.kind, *slot));
        let copied = copied.filter_map(|(slot, _)| operand(slot).ok());
        let copied = copied.map(|value| value.r#type());
        copied.chain(self.spares.iter().copied()).collect()
    }
}

/// A buffer that a block holds.
#[derive(Clone)]
struct Held<'c, 'a> {
    /// None for spare buffers, which have no value yet.
    value: Option<Value<'c, 'a>>,
    ty: Type<'c>,
    pool: usize,
    /// Whether it has not been taken.
    is_here: bool,
    /// The event that allocates it.
    event: Option<usize>,
}

struct Planner<'f, 'c, 'a> {
    names: Names<'f, 'c, 'a>,
    /// The elements of `names.moves`, in the order in which they were added.
    moved: Vec<Operand>,
    /// Union-find: the parent of each pool, or the pool itself.
    pools: Vec<usize>,
}

/// A state to roll back to.
struct Mark {
    moved: usize,
    inside: usize,
    pools: Vec<usize>,
}

impl<'c, 'a> Planner<'_, 'c, 'a> {
    fn mark(&self) -> Mark {
        let inside = self.names.inside.len();
        Mark { moved: self.moved.len(), inside, pools: self.pools.clone() }
    }

    fn back_to(&mut self, mark: Mark) {
        for operand in self.moved.drain(mark.moved..) {
            self.names.moves.remove(&operand);
        }
        self.names.inside.truncate(mark.inside);
        self.pools = mark.pools;
    }

    fn moves(&mut self, operation: OperationRef, operand: usize) {
        let operand = (operation.to_raw().ptr as usize, operand);
        if self.names.moves.insert(operand) {
            self.moved.push(operand);
        }
    }

    fn pool(&mut self) -> usize {
        self.pools.push(self.pools.len());
        self.pools.len() - 1
    }

    fn root(&self, mut pool: usize) -> usize {
        while self.pools[pool] != pool {
            pool = self.pools[pool];
        }
        pool
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.pools[one.max(other)] = one.min(other);
    }

    fn hold(&mut self, held: &mut Vec<Held<'c, 'a>>, value: Value<'c, 'a>) {
        let pool = self.pool();
        let ty = value.r#type();
        held.push(Held { value: Some(value), ty, pool, is_here: true, event: None });
    }

    /// Plans a block.
    fn station(
        &mut self,
        block: BlockRef<'c, 'a>,
        held: &mut Vec<Held<'c, 'a>>,
        is_loop: bool,
    ) -> Vec<Event<'c, 'a>> {
        let mut events = Vec::new();
        for operation in raw::block_operations(block) {
            // Blocks are visited again whenever a plan fails.
            self.names.budget = self.names.budget.saturating_sub(1);
            if self.names.budget == 0 {
                break;
            }
            match raw::name(&operation) {
                "memref.alloc" if operation.operand_count() == 0 => {
                    let value = result(operation);
                    if is_slot(value.r#type()) {
                        self.hold(held, value);
                        let new = held.last_mut().expect("it was just added");
                        new.event = Some(events.len());
                        let kind = EventKind::Allocation(operation);
                        events.push(Event { kind, pool: new.pool, is_carried: false });
                    }
                }
                "memref.copy" if is_loop => {
                    if let Some((from, to)) = self.forwards(operation, held) {
                        self.join(held[from].pool, held[to].pool);
                        held[from].is_here = false;
                        if let Some(at) = held[to].event
                            && let EventKind::Allocation(allocation) = events[at].kind
                        {
                            events[at].kind = EventKind::Forwarded(allocation);
                        }
                        let kind = EventKind::Copy { copy: operation, from, to };
                        events.push(Event { kind, pool: held[to].pool, is_carried: false });
                    }
                }
                _ => {
                    let planned = match kind(&operation) {
                        Some(Kind::Branch) => self.branch(operation, held),
                        Some(kind) => self.rotation(operation, kind, held),
                        None => None,
                    };
                    if let Some((plan, pool)) = planned {
                        let kind = EventKind::Plan(Box::new(plan));
                        events.push(Event { kind, pool, is_carried: false });
                    }
                }
            }
        }
        events
    }

    fn find(held: &[Held], value: Value) -> Option<usize> {
        let is_it = |held: &Held| {
            held.is_here && held.value.is_some_and(|other| other.to_raw().ptr == value.to_raw().ptr)
        };
        held.iter().position(is_it)
    }

    /// Whether a copy goes from a buffer that is dead after it to one that is unused before it.
    fn forwards(
        &mut self,
        copy: OperationRef<'c, 'a>,
        held: &[Held<'c, 'a>],
    ) -> Option<(usize, usize)> {
        let at = self.names.body.find(copy)?;
        let (source, target) = (copy.operand(0).ok()?, copy.operand(1).ok()?);
        let (from, to) = (Self::find(held, source)?, Self::find(held, target)?);
        held[to].event?;
        if from == to || !same(source.r#type(), target.r#type()) {
            return None;
        }
        if self.names.uses(target)?.iter().any(|used| used.entry < at) {
            return None;
        }
        let sources = self.names.uses(source)?;
        let is_late =
            sources.iter().any(|used| used.entry != at && self.names.may_follow(used.entry, at));
        (!is_late).then_some((from, to))
    }

    /// The plan of a loop, and the pool of the buffers it returns.
    fn rotation(
        &mut self,
        operation: OperationRef<'c, 'a>,
        kind: Kind,
        held: &mut Vec<Held<'c, 'a>>,
    ) -> Option<(Plan<'c, 'a>, usize)> {
        let blocks: Vec<_> =
            (0..operation.region_count()).map(|region| raw::blocks_of(operation, region)).collect();
        let blocks: Vec<_> =
            blocks.iter().map(|blocks| <[_; 1]>::try_from(blocks.as_slice()).ok()).collect();
        let blocks = blocks.into_iter().map(|block| block.map(|[block]| block));
        let blocks: Vec<BlockRef> = blocks.collect::<Option<_>>()?;
        let ends: Vec<OperationRef> =
            blocks.iter().map(|block| terminator(*block)).collect::<Option<_>>()?;
        let mut slots: Vec<Vec<usize>> = blocks
            .iter()
            .enumerate()
            .map(|(station, block)| {
                let before = (station + blocks.len() - 1) % blocks.len();
                let is_it = |slot: &usize| {
                    let Some(value) = argument(kind, *block, *slot) else { return false };
                    let same = kind == Kind::For
                        && ends[before]
                            .operand(*slot)
                            .is_ok_and(|passed| passed.to_raw().ptr == value.to_raw().ptr);
                    is_slot(value.r#type()) && !same
                };
                (0..block.argument_count()).filter(is_it).collect()
            })
            .collect();
        // Each round drops at least one slot.
        loop {
            if slots[0].is_empty() {
                return None;
            }
            let mark = self.mark();
            match self.try_rotation(operation, kind, &blocks, &ends, &slots, held) {
                Ok(planned) => return Some(planned),
                Err(dropped) => {
                    self.back_to(mark);
                    let count = |slots: &[Vec<usize>]| slots.iter().map(Vec::len).sum::<usize>();
                    let before = count(&slots);
                    for (station, slot) in dropped {
                        slots[station].retain(|other| *other != slot);
                    }
                    if count(&slots) == before {
                        return None;
                    }
                }
            }
        }
    }

    /// The plan with the given slots; otherwise the slots, by station, that cannot be part of it.
    fn try_rotation(
        &mut self,
        operation: OperationRef<'c, 'a>,
        kind: Kind,
        blocks: &[BlockRef<'c, 'a>],
        ends: &[OperationRef<'c, 'a>],
        slots: &[Vec<usize>],
        around: &mut Vec<Held<'c, 'a>>,
    ) -> Result<(Plan<'c, 'a>, usize), Vec<(usize, usize)>> {
        let next = |station: usize| (station + 1) % blocks.len();
        for (station, end) in ends.iter().enumerate() {
            for slot in &slots[next(station)] {
                self.moves(*end, passed(end, *slot));
            }
        }
        self.names.inside.push(operation.to_raw().ptr as usize);
        let mut dropped = Vec::new();
        let (mut stations, mut all_held, mut all_out) = (Vec::new(), Vec::new(), Vec::new());
        for (station, block) in blocks.iter().enumerate() {
            let mut held = Vec::new();
            for slot in &slots[station] {
                let value = argument(kind, *block, *slot).expect("slots are arguments");
                self.hold(&mut held, value);
            }
            let events = self.station(*block, &mut held, true);
            let mut out: Vec<usize> = Vec::new();
            for slot in &slots[next(station)] {
                let value = ends[station].operand(passed(&ends[station], *slot)).ok();
                let found = value.and_then(|value| Self::find(&held, value));
                match found.filter(|found| !out.contains(found)) {
                    Some(found) => out.push(found),
                    None => dropped.push((next(station), *slot)),
                }
            }
            stations.push(Station { block: *block, events, rest: Vec::new() });
            all_held.push(held);
            all_out.push(out);
        }
        if !dropped.is_empty() {
            return Err(dropped);
        }
        for station in 0..blocks.len() {
            for (index, out) in all_out[station].iter().enumerate() {
                let (from, to) =
                    (all_held[station][*out].pool, all_held[next(station)][index].pool);
                self.join(from, to);
            }
        }
        // Pools without an allocation or a saved copy are left alone, and so are pools with a buffer
        // that escapes.
        let useful: HashSet<usize> = stations
            .iter()
            .flat_map(|station| &station.events)
            .filter(|event| match &event.kind {
                EventKind::Plan(plan) => plan.kind != Kind::Branch || !plan.spares.is_empty(),
                _ => true,
            })
            .map(|event| self.root(event.pool))
            .collect();
        let mut lost = HashSet::new();
        let pools: HashSet<usize> = (all_held.iter().zip(slots))
            .flat_map(|(held, slots)| held.iter().take(slots.len()))
            .map(|held| self.root(held.pool))
            .collect();
        for held in all_held.iter().flatten() {
            let pool = self.root(held.pool);
            if !pools.contains(&pool) || lost.contains(&pool) {
                continue;
            }
            let is_lost = |names: &mut Names<'_, 'c, 'a>| {
                held.value.is_some_and(|value| names.uses(value).is_none())
            };
            if !useful.contains(&pool) || is_lost(&mut self.names) {
                lost.insert(pool);
            }
        }
        self.names.inside.pop();
        // A buffer that escapes after the loop is not merged, and loops then carry ownership bits.
        for (index, slot) in slots[slots.len() - 1].iter().enumerate() {
            let result = operation.result(*slot).ok();
            let result = result.map(|result| result.into());
            if result.is_none_or(|result| self.names.uses(result).is_none()) {
                lost.insert(self.root(all_held[slots.len() - 1][index].pool));
            }
        }
        let of_pools = |planner: &Self, lost: &HashSet<usize>| -> Vec<(usize, usize)> {
            let of_station = |station: usize| {
                let held = all_held[station].iter().zip(&slots[station]);
                let lost = held.filter(|(held, _)| lost.contains(&planner.root(held.pool)));
                lost.map(|(_, slot)| (station, *slot)).collect::<Vec<_>>()
            };
            (0..slots.len()).flat_map(of_station).collect()
        };
        if !lost.is_empty() {
            return Err(of_pools(self, &lost));
        }
        let mut starts = Vec::new();
        for (index, slot) in slots[0].iter().enumerate() {
            match self.start(operation, initial(kind, *slot), around) {
                Some(start) => starts.push(start),
                None => return Err(of_pools(self, &[self.root(all_held[0][index].pool)].into())),
            }
        }
        let is_carried = |pool: usize| pools.contains(&self.root(pool));
        let types =
            |station: usize| all_held[station][..slots[station].len()].iter().map(|held| held.ty);
        let needed = (0..blocks.len()).map(|station| {
            types(station).chain(wanted(&stations[station].events, is_carried)).collect()
        });
        let total = union(needed.collect::<Vec<_>>());
        let mut extras = Vec::new();
        for station in 0..blocks.len() {
            let own: Vec<_> = types(station).collect();
            extras.push(without(total.clone(), &own).ok_or(Vec::new())?);
        }
        for station in 0..blocks.len() {
            carry(&mut stations[station].events, is_carried);
            let held = all_held[station].iter().enumerate();
            let rest = held.filter(|(at, held)| {
                held.is_here && is_carried(held.pool) && !all_out[station].contains(at)
            });
            let (rest, left): (Vec<_>, Vec<_>) = rest.map(|(at, held)| (at, held.ty)).unzip();
            // Available at the end: the unused spare buffers, and the buffers that are not passed on.
            let unused =
                without(extras[station].clone(), &wanted(&stations[station].events, is_carried));
            let end = [unused.ok_or(Vec::new())?, left].concat();
            let expected = &extras[next(station)];
            if end.len() != expected.len() || without(end, expected).is_none() {
                return Err(Vec::new());
            }
            stations[station].rest = rest;
        }
        let pool = self.pool();
        for (slot, start) in slots[0].iter().zip(&starts) {
            if let Start::Taken(taken) = start {
                around[*taken].is_here = false;
                self.join(pool, around[*taken].pool);
                self.moves(operation, initial(kind, *slot));
            }
        }
        let last = slots.len() - 1;
        self.give_back(operation, &slots[last], &extras[last], pool, around);
        let (slots, spares, taken) = (slots.to_vec(), extras[0].clone(), Vec::new());
        let is_pure = false;
        let plan =
            Plan { operation, kind, slots, starts, taken, spares, extras, stations, is_pure };
        Ok((plan, pool))
    }

    /// Adds the results of a plan and its spare buffers to those that the enclosing block holds.
    fn give_back(
        &mut self,
        operation: OperationRef<'c, 'a>,
        slots: &[usize],
        extras: &[Type<'c>],
        pool: usize,
        around: &mut Vec<Held<'c, 'a>>,
    ) {
        let results = slots.iter().map(|slot| {
            let value: Value = operation.result(*slot).expect("slots are results").into();
            (Some(value), value.r#type())
        });
        let extras = extras.iter().map(|ty| (None, *ty));
        around.extend(results.chain(extras).map(|(value, ty)| Held {
            value,
            ty,
            pool,
            is_here: true,
            event: None,
        }));
    }

    /// The initial buffer of a slot of a loop.
    fn start(
        &mut self,
        r#loop: OperationRef<'c, 'a>,
        operand: usize,
        around: &[Held<'c, 'a>],
    ) -> Option<Start> {
        let value = r#loop.operand(operand).ok()?;
        let at = self.names.body.find(r#loop)?;
        // Uses inside the loop are covered by the loop's own plan.
        let taken = (r#loop.to_raw().ptr as usize, operand);
        self.names.moves.insert(taken);
        let found = Self::find(around, value);
        let used = found.and_then(|_| self.names.uses(value));
        self.names.moves.remove(&taken);
        if let Some((found, used)) = found.zip(used) {
            let is_late = used.iter().any(|used| {
                (used.entry != at || used.operand != operand)
                    && (used.entry == at || self.names.may_follow(used.entry, at))
            });
            if !is_late {
                return Some(Start::Taken(found));
            }
        }
        let is_held = Self::find(around, value).is_some();
        self.names.may_copy(r#loop, operand, is_held).then_some(Start::Copied)
    }

    /// The plan of a branch, and the pool of the buffers it returns.
    fn branch(
        &mut self,
        operation: OperationRef<'c, 'a>,
        around: &mut Vec<Held<'c, 'a>>,
    ) -> Option<(Plan<'c, 'a>, usize)> {
        let mut blocks = Vec::new();
        for region in 0..operation.region_count() {
            let [block] = raw::blocks_of(operation, region).try_into().ok()?;
            blocks.push((block, terminator(block)?));
        }
        let results = operation.results().enumerate();
        let results = results.filter(|(_, result)| is_slot(result.r#type()));
        let mut slots: Vec<usize> = results.map(|(slot, _)| slot).collect();
        while !slots.is_empty() {
            let mark = self.mark();
            match self.try_branch(operation, &blocks, &slots, around) {
                Ok(planned) => return Some(planned),
                Err(dropped) => {
                    self.back_to(mark);
                    if dropped.is_empty() {
                        return None;
                    }
                    slots.retain(|slot| !dropped.contains(slot));
                }
            }
        }
        None
    }

    /// The plan with the given results; otherwise the results that cannot be part of it,
    /// or an empty list if there is no plan.
    fn try_branch(
        &mut self,
        operation: OperationRef<'c, 'a>,
        blocks: &[(BlockRef<'c, 'a>, OperationRef<'c, 'a>)],
        slots: &[usize],
        around: &mut Vec<Held<'c, 'a>>,
    ) -> Result<(Plan<'c, 'a>, usize), Vec<usize>> {
        for (_, end) in blocks {
            slots.iter().for_each(|slot| self.moves(*end, *slot));
        }
        let mut dropped = Vec::new();
        let (mut stations, mut all_held, mut all_out) = (Vec::new(), Vec::new(), Vec::new());
        for (block, end) in blocks {
            let mut held = around.clone();
            // Only what is allocated here can be forwarded here.
            held.iter_mut().for_each(|held| held.event = None);
            let events = self.station(*block, &mut held, false);
            let mut out: Vec<usize> = Vec::new();
            for slot in slots {
                let found = end.operand(*slot).ok().and_then(|value| Self::find(&held, value));
                match found.filter(|found| !out.contains(found)) {
                    Some(found) => out.push(found),
                    None => dropped.push(*slot),
                }
            }
            stations.push(Station { block: *block, events, rest: Vec::new() });
            all_held.push(held);
            all_out.push(out);
        }
        if !dropped.is_empty() {
            return Err(dropped);
        }
        let base = around.len();
        let is_taken = |at: &usize| {
            around[*at].is_here
                && all_held
                    .iter()
                    .zip(&all_out)
                    .any(|(held, out)| !held[*at].is_here || out.contains(at))
        };
        let taken: Vec<usize> = (0..base).filter(is_taken).collect();
        let pool = self.pool();
        for (held, out) in all_held.iter().zip(&all_out) {
            for at in out.iter().chain(&taken) {
                self.join(pool, held[*at].pool);
            }
        }
        let root = self.root(pool);
        let last = self.names.body.find(operation).ok_or(Vec::new())?;
        let last = self.names.body.entries[last].last;
        for at in &taken {
            let used = around[*at].value.and_then(|value| self.names.uses(value));
            if used.ok_or(Vec::new())?.iter().any(|used| self.names.may_follow(used.entry, last)) {
                return Err(Vec::new());
            }
        }
        for held in all_held.iter().flat_map(|held| &held[base..]) {
            let is_ours = self.root(held.pool) == root;
            if is_ours && held.value.is_some_and(|value| self.names.uses(value).is_none()) {
                return Err(Vec::new());
            }
        }
        for slot in slots {
            let result = operation.result(*slot).ok();
            let result = result.map(|result| result.into());
            if result.is_none_or(|result| self.names.uses(result).is_none()) {
                return Err(vec![*slot]);
            }
        }
        let is_ours = |pool: usize| self.root(pool) == root;
        let needed = stations.iter().map(|station| wanted(&station.events, is_ours));
        let spares = union(needed.collect::<Vec<_>>());
        let own: Vec<_> =
            slots.iter().filter_map(|slot| Some(operation.result(*slot).ok()?.r#type())).collect();
        let all = taken.iter().map(|at| around[*at].ty).chain(spares.iter().copied());
        let extras = without(all.collect(), &own).ok_or(Vec::new())?;
        for ((station, held), out) in stations.iter_mut().zip(&all_held).zip(&all_out) {
            carry(&mut station.events, is_ours);
            let rest = held.iter().enumerate().filter(|(at, held)| {
                let is_known = if *at < base { taken.contains(at) } else { is_ours(held.pool) };
                is_known && held.is_here && !out.contains(at)
            });
            let (rest, left): (Vec<_>, Vec<_>) = rest.map(|(at, held)| (at, held.ty)).unzip();
            let unused = without(spares.clone(), &wanted(&station.events, is_ours));
            let end = [unused.ok_or(Vec::new())?, left].concat();
            if end.len() != extras.len() || without(end, &extras).is_none() {
                return Err(Vec::new());
            }
            station.rest = rest;
        }
        let is_pure = taken.is_empty() && extras.is_empty();
        taken.iter().for_each(|at| around[*at].is_here = false);
        self.give_back(operation, slots, &extras, pool, around);
        let plan = Plan {
            operation,
            kind: Kind::Branch,
            slots: vec![slots.to_vec()],
            starts: Vec::new(),
            taken,
            spares,
            extras: vec![extras],
            stations,
            is_pure,
        };
        Ok((plan, pool))
    }
}
