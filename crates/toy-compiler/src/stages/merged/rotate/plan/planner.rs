//! Plans blocks: the buffers that a block holds, and the events that change them.
//!
//! The state of a function's analysis is here, with its rollback. Loops and branches are planned by
//! [`super::rotation`] and [`super::branch`].

use super::super::names::{Names, Operand};
use super::{Event, EventKind, is_candidate, is_slot};
use crate::dialect::ops::{result, same_type};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockRef, Type, Value, ValueLike};
use mlir_support::control_flow;
use mlir_support::ir;

/// A buffer that a block holds.
#[derive(Clone)]
pub struct Held<'c, 'a> {
    /// None for spare buffers, which have no value yet.
    pub value: Option<Value<'c, 'a>>,
    pub ty: Type<'c>,
    pub pool: usize,
    /// True if it has not been taken.
    pub is_here: bool,
    /// The event that allocates it.
    pub event: Option<usize>,
}

pub struct Planner<'f, 'c, 'a> {
    pub names: Names<'f, 'c, 'a>,
    /// The elements of `names.moves`, in the order in which they were added.
    pub moved: Vec<Operand>,
    /// Union-find: the parent of each pool, or the pool itself.
    pub pools: Vec<usize>,
}

/// A state to roll back to.
pub struct Mark {
    moved: usize,
    inside: usize,
    pools: Vec<usize>,
}

impl<'c, 'a> Planner<'_, 'c, 'a> {
    pub fn mark(&self) -> Mark {
        let inside = self.names.inside.len();
        Mark { moved: self.moved.len(), inside, pools: self.pools.clone() }
    }

    pub fn back_to(&mut self, mark: Mark) {
        for operand in self.moved.drain(mark.moved..) {
            self.names.moves.remove(&operand);
        }
        self.names.inside.truncate(mark.inside);
        self.pools = mark.pools;
    }

    pub fn moves(&mut self, operation: OperationRef, operand: usize) {
        let operand = (ir::id(operation), operand);
        if self.names.moves.insert(operand) {
            self.moved.push(operand);
        }
    }

    pub fn pool(&mut self) -> usize {
        self.pools.push(self.pools.len());
        self.pools.len() - 1
    }

    pub fn root(&self, mut pool: usize) -> usize {
        while self.pools[pool] != pool {
            pool = self.pools[pool];
        }
        pool
    }

    pub fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.pools[one.max(other)] = one.min(other);
    }

    pub fn hold(&mut self, held: &mut Vec<Held<'c, 'a>>, value: Value<'c, 'a>) {
        let pool = self.pool();
        let ty = value.r#type();
        held.push(Held { value: Some(value), ty, pool, is_here: true, event: None });
    }

    /// Plans a block.
    pub fn station(
        &mut self,
        block: BlockRef<'c, 'a>,
        held: &mut Vec<Held<'c, 'a>>,
        is_loop: bool,
    ) -> Vec<Event<'c, 'a>> {
        let mut events = Vec::new();
        for operation in ir::block_operations(block) {
            // Blocks are visited again whenever a plan fails.
            self.names.budget = self.names.budget.saturating_sub(1);
            if self.names.budget == 0 {
                break;
            }
            match ir::name(&operation) {
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
                _ if is_candidate(&operation) => {
                    let planned = match control_flow::is_loop(&operation) {
                        true => self.rotation(operation, held),
                        false => self.branch(operation, held),
                    };
                    if let Some((plan, pool)) = planned {
                        let kind = EventKind::Plan(Box::new(plan));
                        events.push(Event { kind, pool, is_carried: false });
                    }
                }
                _ => {}
            }
        }
        events
    }

    pub fn find(held: &[Held], value: Value) -> Option<usize> {
        let is_it = |held: &Held| {
            held.is_here && held.value.is_some_and(|other| other.to_raw().ptr == value.to_raw().ptr)
        };
        held.iter().position(is_it)
    }

    /// The source and target of a copy, if the source is dead after it and the target unused before it.
    pub fn forwards(
        &mut self,
        copy: OperationRef<'c, 'a>,
        held: &[Held<'c, 'a>],
    ) -> Option<(usize, usize)> {
        let at = self.names.body.find(copy)?;
        let (source, target) = (copy.operand(0).ok()?, copy.operand(1).ok()?);
        let (from, to) = (Self::find(held, source)?, Self::find(held, target)?);
        held[to].event?;
        if from == to || !same_type(source.r#type(), target.r#type()) {
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

    /// Adds the results of a plan and its spare buffers to the held buffers of the enclosing block.
    pub fn give_back(
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
}
