//! Plans loops: each pass through a station hands its buffers to the next one, in another order.

use super::super::names::Names;
use super::demand::{union, wanted, without};
use super::planner::{Held, Planner};
use super::{EventKind, Plan, Start, Station, is_slot, passed, terminator};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, Type, ValueLike};
use mlir_support::control_flow::{self, Carried};
use mlir_support::ir::{self, argument_if_any, operand_if_any};
use std::collections::HashSet;

/// The stations of a loop, each with the buffers that it holds and, by slot, the ones that it passes on.
struct Round<'c, 'a> {
    stations: Vec<Station<'c, 'a>>,
    held: Vec<Vec<Held<'c, 'a>>>,
    out: Vec<Vec<usize>>,
}

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
        self.names.inside.push(ir::id(operation));
        let Round { mut stations, held, out } = self.round(carried, blocks, ends, slots)?;
        let next = |station: usize| (station + 1) % blocks.len();
        for (station, out) in out.iter().enumerate() {
            for (index, out) in out.iter().enumerate() {
                self.join(held[station][*out].pool, held[next(station)][index].pool);
            }
        }
        let pools: HashSet<usize> = held
            .iter()
            .zip(slots)
            .flat_map(|(held, slots)| &held[..slots.len()])
            .map(|held| self.root(held.pool))
            .collect();
        let mut lost = self.lost_inside(&stations, &held, &pools);
        self.names.inside.pop();
        let last = slots.len() - 1;
        // A buffer that escapes after the loop is not merged, and loops then carry ownership bits.
        for (slot, held) in slots[last].iter().zip(&held[last]) {
            let result = operation.result(*slot).ok();
            let result = result.map(|result| result.into());
            if result.is_none_or(|result| self.names.uses(result).is_none()) {
                lost.insert(self.root(held.pool));
            }
        }
        let of_pools = |planner: &Self, lost: &HashSet<usize>| -> Vec<(usize, usize)> {
            let of_station = |station: usize| {
                let held = held[station].iter().zip(&slots[station]);
                let lost = held.filter(|(held, _)| lost.contains(&planner.root(held.pool)));
                lost.map(|(_, slot)| (station, *slot)).collect::<Vec<_>>()
            };
            (0..slots.len()).flat_map(of_station).collect()
        };
        if !lost.is_empty() {
            return Err(of_pools(self, &lost));
        }
        let mut starts = Vec::new();
        for (slot, held) in slots[0].iter().zip(&held[0]) {
            match self.start(operation, carried.operands + slot, around) {
                Some(start) => starts.push(start),
                None => return Err(of_pools(self, &[self.root(held.pool)].into())),
            }
        }
        let extras = self.spares(&mut stations, &held, &out, slots, &pools).ok_or(Vec::new())?;
        let pool = self.pool();
        for (slot, start) in slots[0].iter().zip(&starts) {
            if let Start::Taken(taken) = start {
                around[*taken].is_here = false;
                self.join(pool, around[*taken].pool);
                self.moves(operation, carried.operands + slot);
            }
        }
        self.give_back(operation, &slots[last], &extras[last], pool, around);
        let (slots, spares, taken) = (slots.to_vec(), extras[0].clone(), Vec::new());
        let (carried, is_pure) = (Some(carried), false);
        let plan =
            Plan { operation, carried, slots, starts, taken, spares, extras, stations, is_pure };
        Ok((plan, pool))
    }

    /// Plans the stations; otherwise the slots, by station, that do not get a buffer of their own.
    fn round(
        &mut self,
        carried: Carried,
        blocks: &[BlockRef<'c, 'a>],
        ends: &[OperationRef<'c, 'a>],
        slots: &[Vec<usize>],
    ) -> Result<Round<'c, 'a>, Vec<(usize, usize)>> {
        let next = |station: usize| (station + 1) % blocks.len();
        for (station, end) in ends.iter().enumerate() {
            for slot in &slots[next(station)] {
                self.moves(*end, passed(*end, *slot));
            }
        }
        let mut dropped = Vec::new();
        let mut round = Round { stations: Vec::new(), held: Vec::new(), out: Vec::new() };
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
            round.stations.push(Station { block: *block, events, rest: Vec::new() });
            round.held.push(held);
            round.out.push(out);
        }
        if dropped.is_empty() { Ok(round) } else { Err(dropped) }
    }

    /// The pools of slots that are left alone: without an allocation or a saved copy, or with a buffer that escapes.
    fn lost_inside(
        &mut self,
        stations: &[Station<'c, 'a>],
        held: &[Vec<Held<'c, 'a>>],
        pools: &HashSet<usize>,
    ) -> HashSet<usize> {
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
        for held in held.iter().flatten() {
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
        lost
    }

    /// The types of the spare buffers at the start of each station, with which every station has as many buffers as
    /// the one that needs most.
    fn spares(
        &self,
        stations: &mut [Station<'c, 'a>],
        held: &[Vec<Held<'c, 'a>>],
        out: &[Vec<usize>],
        slots: &[Vec<usize>],
        pools: &HashSet<usize>,
    ) -> Option<Vec<Vec<Type<'c>>>> {
        let is_carried = |pool: usize| pools.contains(&self.root(pool));
        let types = |station: usize| held[station][..slots[station].len()].iter().map(|it| it.ty);
        let count = stations.len();
        let needed = (0..count).map(|station| {
            types(station).chain(wanted(&stations[station].events, is_carried)).collect()
        });
        let total = union(needed.collect::<Vec<_>>());
        let extras: Vec<Vec<Type>> = (0..count)
            .map(|station| without(total.clone(), &types(station).collect::<Vec<_>>()))
            .collect::<Option<_>>()?;
        for (station, plan) in stations.iter_mut().enumerate() {
            let is_left =
                |at: usize, held: &Held| is_carried(held.pool) && !out[station].contains(&at);
            let (spares, expected) = (&extras[station], &extras[(station + 1) % count]);
            plan.close(&held[station], is_left, spares, is_carried, expected)?;
        }
        Some(extras)
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
