//! Plans branches: every region returns the buffers that the branch takes, in its own order.

use super::demand::{union, wanted, without};
use super::planner::{Held, Planner};
use super::{Plan, Station, is_slot, terminator};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockRef, ValueLike};
use mlir_support::ir;

impl<'c, 'a> Planner<'_, 'c, 'a> {
    /// The plan of a branch, and the pool of the buffers it returns.
    pub fn branch(
        &mut self,
        operation: OperationRef<'c, 'a>,
        around: &mut Vec<Held<'c, 'a>>,
    ) -> Option<(Plan<'c, 'a>, usize)> {
        let mut blocks = Vec::new();
        for region in 0..operation.region_count() {
            let [block] = ir::blocks_of(operation, region).try_into().ok()?;
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
            // Only buffers allocated here can be forwarded here.
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
            let is_left = |at: usize, held: &Held| {
                let is_known = if at < base { taken.contains(&at) } else { is_ours(held.pool) };
                is_known && !out.contains(&at)
            };
            station.close(held, is_left, &spares, is_ours, &extras).ok_or(Vec::new())?;
        }
        let is_pure = taken.is_empty() && extras.is_empty();
        taken.iter().for_each(|at| around[*at].is_here = false);
        self.give_back(operation, slots, &extras, pool, around);
        let plan = Plan {
            operation,
            carried: None,
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
