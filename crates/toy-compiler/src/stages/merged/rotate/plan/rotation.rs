//! Plans loops: each pass through a station hands its buffers to the next one, in another order.

use super::super::names::Names;
use super::demand::{union, wanted, without};
use super::planner::{Held, Planner};
use super::{EventKind, Plan, Start, Station, is_slot, passed, terminator};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, ValueLike};
use mlir_support::control_flow::{self, Carried};
use mlir_support::ir::{self, argument_if_any, operand_if_any};
use std::collections::HashSet;

impl<'c, 'a> Planner<'_, 'c, 'a> {
    /// The plan of a loop, and the pool of the buffers it returns.
    pub fn rotation(
        &mut self,
        operation: OperationRef<'c, 'a>,
        held: &mut Vec<Held<'c, 'a>>,
    ) -> Option<(Plan<'c, 'a>, usize)> {
        let carried = control_flow::carried(operation)?;
        let blocks: Vec<_> =
            (0..operation.region_count()).map(|region| ir::blocks_of(operation, region)).collect();
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
                    let argument = argument_if_any(*block, carried.arguments + slot);
                    let next = operand_if_any(ends[before], passed(ends[before], *slot));
                    argument != next && argument.is_some_and(|value| is_slot(value.r#type()))
                };
                (0..block.argument_count()).filter(is_it).collect()
            })
            .collect();
        // Each iteration drops at least one slot.
        loop {
            if slots[0].is_empty() {
                return None;
            }
            let mark = self.mark();
            match self.try_rotation(operation, carried, &blocks, &ends, &slots, held) {
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
        carried: Carried,
        blocks: &[BlockRef<'c, 'a>],
        ends: &[OperationRef<'c, 'a>],
        slots: &[Vec<usize>],
        around: &mut Vec<Held<'c, 'a>>,
    ) -> Result<(Plan<'c, 'a>, usize), Vec<(usize, usize)>> {
        let next = |station: usize| (station + 1) % blocks.len();
        for (station, end) in ends.iter().enumerate() {
            for slot in &slots[next(station)] {
                self.moves(*end, passed(*end, *slot));
            }
        }
        self.names.inside.push(ir::id(operation));
        let mut dropped = Vec::new();
        let (mut stations, mut all_held, mut all_out) = (Vec::new(), Vec::new(), Vec::new());
        for (station, block) in blocks.iter().enumerate() {
            let mut held = Vec::new();
            for slot in &slots[station] {
                let value = argument_if_any(*block, carried.arguments + slot);
                let value = value.expect("slots are arguments");
                self.hold(&mut held, value);
            }
            let events = self.station(*block, &mut held, true);
            let mut out: Vec<usize> = Vec::new();
            for slot in &slots[next(station)] {
                let value = operand_if_any(ends[station], passed(ends[station], *slot));
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
                EventKind::Plan(plan) => plan.carried.is_some() || !plan.spares.is_empty(),
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
            match self.start(operation, carried.operands + slot, around) {
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
            let is_left =
                |at: usize, held: &Held| is_carried(held.pool) && !all_out[station].contains(&at);
            let (spares, expected) = (&extras[station], &extras[next(station)]);
            let closed =
                stations[station].close(&all_held[station], is_left, spares, is_carried, expected);
            closed.ok_or(Vec::new())?;
        }
        let pool = self.pool();
        for (slot, start) in slots[0].iter().zip(&starts) {
            if let Start::Taken(taken) = start {
                around[*taken].is_here = false;
                self.join(pool, around[*taken].pool);
                self.moves(operation, carried.operands + slot);
            }
        }
        let last = slots.len() - 1;
        self.give_back(operation, &slots[last], &extras[last], pool, around);
        let (slots, spares, taken) = (slots.to_vec(), extras[0].clone(), Vec::new());
        let (carried, is_pure) = (Some(carried), false);
        let plan =
            Plan { operation, carried, slots, starts, taken, spares, extras, stations, is_pure };
        Ok((plan, pool))
    }

    /// The initial buffer of a slot of a loop.
    fn start(
        &mut self,
        r#loop: OperationRef<'c, 'a>,
        operand: usize,
        around: &[Held<'c, 'a>],
    ) -> Option<Start> {
        let value = r#loop.operand(operand).ok()?;
        let found = Self::find(around, value);
        if let Some(found) = found
            && self.names.is_last_use(r#loop, operand, value)
        {
            return Some(Start::Taken(found));
        }
        self.names.may_copy(r#loop, operand, found.is_some()).then_some(Start::Copied)
    }
}
