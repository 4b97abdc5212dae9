//! The spare buffers that events need, as multisets of types.

use super::planner::Held;
use super::{Event, EventKind, Plan, Start, Station};
use crate::dialect::ops::{result, same_type};
use melior::ir::{Type, ValueLike};
use mlir_support::ir;

/// Marks the events that take from the spare buffers of the enclosing loop or branch.
pub fn carry(events: &mut [Event], is_carried: impl Fn(usize) -> bool) {
    for event in events {
        event.is_carried = is_carried(event.pool);
    }
}

/// The spare buffers that events in some pools need.
pub fn wanted<'c>(events: &[Event<'c, '_>], is_carried: impl Fn(usize) -> bool) -> Vec<Type<'c>> {
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
        let operand = |slot| ir::operand_if_any(self.operation, self.carried?.operands + slot);
        let copied = copied.filter_map(|(slot, _)| operand(slot));
        let copied = copied.map(|value| value.r#type());
        copied.chain(self.spares.iter().copied()).collect()
    }
}

impl<'c, 'a> Station<'c, 'a> {
    /// Sets which held buffers are handed back: those that are left. None if they and the spare buffers that are not
    /// used do not have the types that are expected.
    pub fn close(
        &mut self,
        held: &[Held<'c, 'a>],
        is_left: impl Fn(usize, &Held) -> bool,
        spares: &[Type<'c>],
        is_carried: impl Fn(usize) -> bool,
        expected: &[Type<'c>],
    ) -> Option<()> {
        let unused = without(spares.to_vec(), &wanted(&self.events, &is_carried))?;
        carry(&mut self.events, is_carried);
        let rest = held.iter().enumerate();
        let rest = rest.filter(|(at, held)| held.is_here && is_left(*at, held));
        let (rest, left): (Vec<_>, Vec<_>) = rest.map(|(at, held)| (at, held.ty)).unzip();
        self.rest = rest;
        let end = without([unused, left].concat(), expected)?;
        end.is_empty().then_some(())
    }
}

/// The multiset difference of two lists of types; None if the second is not contained in the first.
pub fn without<'c>(mut all: Vec<Type<'c>>, some: &[Type<'c>]) -> Option<Vec<Type<'c>>> {
    for ty in some {
        let at = all.iter().position(|other| same_type(*other, *ty))?;
        all.remove(at);
    }
    Some(all)
}

/// The multiset union: the smallest list of types that contains each of the given lists.
pub fn union<'c>(lists: impl IntoIterator<Item = Vec<Type<'c>>>) -> Vec<Type<'c>> {
    let mut all: Vec<Type> = Vec::new();
    for list in lists {
        let mut rest = all.clone();
        for ty in list {
            match rest.iter().position(|other| same_type(*other, ty)) {
                Some(at) => {
                    rest.remove(at);
                }
                None => all.push(ty),
            }
        }
    }
    all
}
