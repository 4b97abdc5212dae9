//! The spare buffers that events need, as multisets of types.

use super::{Event, EventKind, Plan, Start, same};
use crate::dialect::ops::result;
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

/// The multiset difference of two lists of types; None if the second is not contained in the first.
pub fn without<'c>(mut all: Vec<Type<'c>>, some: &[Type<'c>]) -> Option<Vec<Type<'c>>> {
    for ty in some {
        let at = all.iter().position(|other| same(*other, *ty))?;
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
