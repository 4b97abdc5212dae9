//! Applies rotation plans to the program.
//!
//! Input: plans. Output: loops and branches with one more operand, argument and result for each spare
//! buffer, and allocations in front of the outermost ones. Held buffers keep the numbers they have in the
//! plan of the block, but get new values.

use super::plan::{Event, EventKind, Plan, Start, Station, terminator};
use crate::dialect::ops::{result, same_type};
use melior::Context;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, BlockLike, Identifier, Type, Value, ValueLike};
use merge_alloc::analysis::effects::alignment;
use mlir_support::builder::{Builder, Insertion, build};
use mlir_support::control_flow::Carried;
use mlir_support::ir::{self, argument_if_any};
use mlir_support::raw;
use std::collections::HashMap;

/// Applies the plans of a function.
pub fn run<'c, 'a>(context: &'c Context, found: Vec<Station<'c, 'a>>) {
    let mut changes = Changes { context, alignments: HashMap::new() };
    let mut allocations = Vec::new();
    found.iter().for_each(|station| collect(&station.events, &mut allocations));
    for allocation in &allocations {
        changes.note(*allocation);
    }
    // Any buffer of a type may replace any other, so all of them get the largest alignment.
    for allocation in &allocations {
        if let Some(alignment) = changes.alignment(result(*allocation).r#type()) {
            ir::set_attribute(*allocation, "alignment", alignment);
        }
    }
    for station in found {
        changes.events(station.events, &mut Vec::new(), &mut Vec::new(), false);
    }
}

/// Collects the allocations in events and in their nested plans.
fn collect<'c, 'a>(events: &[Event<'c, 'a>], allocations: &mut Vec<OperationRef<'c, 'a>>) {
    for event in events {
        match &event.kind {
            EventKind::Allocation(allocation) | EventKind::Forwarded(allocation) => {
                allocations.push(*allocation);
            }
            EventKind::Plan(plan) => {
                plan.stations.iter().for_each(|station| collect(&station.events, allocations));
            }
            EventKind::Copy { .. } => {}
        }
    }
}

struct Changes<'c> {
    context: &'c Context,
    /// The largest alignment of the allocations of each type, by the address of the type.
    alignments: HashMap<usize, u64>,
}

impl<'c> Changes<'c> {
    fn note(&mut self, allocation: OperationRef<'c, '_>) {
        if let Some(alignment) = alignment(&allocation, "alignment") {
            let key = ir::id(result(allocation).r#type());
            let known = self.alignments.entry(key).or_insert(alignment);
            *known = alignment.max(*known);
        }
    }

    fn alignment(&self, ty: Type<'c>) -> Option<Attribute<'c>> {
        let alignment = *self.alignments.get(&ir::id(ty))?;
        let integer = IntegerType::new(self.context, 64).into();
        Some(IntegerAttribute::new(integer, alignment as i64).into())
    }

    /// Applies the events of a block that holds some buffers, given spare ones.
    fn events<'a>(
        &self,
        events: Vec<Event<'c, 'a>>,
        held: &mut Vec<Option<Value<'c, 'a>>>,
        spares: &mut Vec<Value<'c, 'a>>,
        is_changed: bool,
    ) {
        for event in events {
            let is_carried = event.is_carried && is_changed;
            match event.kind {
                EventKind::Allocation(allocation) if is_carried => {
                    let spare = take(spares, result(allocation).r#type());
                    ir::replace_all_uses(result(allocation), spare);
                    ir::erase(allocation);
                    held.push(Some(spare));
                }
                EventKind::Allocation(allocation) => {
                    held.push(Some(result(allocation)));
                }
                // It has no contents before the copy.
                EventKind::Forwarded(_) => held.push(None),
                EventKind::Copy { copy, from, to } => {
                    let source = held[from].take().expect("a plan forwards what is there");
                    let target = copy.operand(1).expect("a copy has a target");
                    let allocation = ir::defining_operation(target);
                    ir::erase(copy);
                    ir::replace_all_uses(target, source);
                    allocation.into_iter().for_each(ir::erase);
                    held[to] = Some(source);
                }
                EventKind::Plan(plan) => match plan.carried {
                    Some(carried) => self.rotate(*plan, carried, held, spares, is_carried),
                    None => self.branch(*plan, held, spares, is_carried),
                },
            }
        }
    }

    /// Gives a loop its spare buffers.
    fn rotate<'a>(
        &self,
        plan: Plan<'c, 'a>,
        carried: Carried,
        held: &mut Vec<Option<Value<'c, 'a>>>,
        spares: &mut Vec<Value<'c, 'a>>,
        is_carried: bool,
    ) {
        let old = plan.operation;
        let mut given = |ty| match is_carried {
            true => take(spares, ty),
            false => self.allocate(old, ty),
        };
        let mut operands: Vec<Value> = old.operands().collect();
        for (slot, start) in plan.slots[0].iter().zip(&plan.starts) {
            let operand = &mut operands[carried.operands + slot];
            match start {
                Start::Taken(at) => held[*at] = None,
                Start::Copied => {
                    let target = given(operand.r#type());
                    Builder::before(self.context, old).copy(*operand, target);
                    *operand = target;
                }
            }
        }
        operands.extend(plan.spares.iter().map(|ty| given(*ty)));
        let last = plan.slots.len() - 1;
        let new = replace(old, &operands, &plan.extras[last]);
        let next = plan.extras.iter().cycle().skip(1);
        let parts = plan.stations.into_iter().zip(&plan.slots).zip(plan.extras.iter().zip(next));
        let parts: Vec<_> = parts.collect();
        // Every block gets its arguments before any terminator is changed.
        let parts: Vec<_> = parts
            .into_iter()
            .map(|((station, slots), (extras, next))| {
                let argument = |slot| argument_if_any(station.block, carried.arguments + slot);
                let held: Vec<_> = slots.iter().map(argument).collect();
                let extras: Vec<_> = extras
                    .iter()
                    .map(|ty| station.block.add_argument(*ty, old.location()))
                    .collect();
                (station, held, extras, next)
            })
            .collect();
        let count = new.result_count() - plan.extras[last].len();
        for (station, mut held, mut spares, next) in parts {
            let end = terminator(station.block).expect("a station has a terminator");
            self.events(station.events, &mut held, &mut spares, true);
            pass_on(end, &station.rest, &held, spares, next);
        }
        give_back(old, new, &plan.slots[last], count, held);
    }

    /// Gives a branch its spare buffers, if the enclosing block provides them.
    fn branch<'a>(
        &self,
        plan: Plan<'c, 'a>,
        held: &mut Vec<Option<Value<'c, 'a>>>,
        spares: &mut Vec<Value<'c, 'a>>,
        is_carried: bool,
    ) {
        let old = plan.operation;
        let is_changed = is_carried || plan.is_pure;
        let own: Vec<_> = plan
            .spares
            .iter()
            .filter(|_| is_changed)
            .map(|ty| match is_carried {
                true => take(spares, *ty),
                false => self.allocate(old, *ty),
            })
            .collect();
        for station in plan.stations {
            let mut held = held.clone();
            let mut spares = own.clone();
            let end = terminator(station.block).expect("a station has a terminator");
            self.events(station.events, &mut held, &mut spares, is_changed);
            if is_changed {
                pass_on(end, &station.rest, &held, spares, &plan.extras[0]);
            }
        }
        plan.taken.iter().for_each(|at| held[*at] = None);
        if is_changed && !plan.extras[0].is_empty() {
            let count = old.result_count();
            let operands: Vec<Value> = old.operands().collect();
            let new = replace(old, &operands, &plan.extras[0]);
            give_back(old, new, &plan.slots[0], count, held);
        } else {
            let value = |slot: &usize| old.result(*slot).expect("a slot").into();
            held.extend(plan.slots[0].iter().map(|slot| Some(value(slot))));
            held.extend(plan.extras[0].iter().map(|_| None));
        }
    }

    /// A new buffer in front of an operation.
    fn allocate<'a>(&self, before: OperationRef<'c, 'a>, ty: Type<'c>) -> Value<'c, 'a> {
        let code = Builder::before(self.context, before);
        let mut attributes = vec![("operandSegmentSizes", code.segments(&[0, 0]))];
        attributes.extend(self.alignment(ty).map(|alignment| ("alignment", alignment)));
        code.value("memref.alloc", &[], ty, &attributes)
    }
}

/// Takes a buffer of a type.
fn take<'c, 'a>(spares: &mut Vec<Value<'c, 'a>>, ty: Type<'c>) -> Value<'c, 'a> {
    let at = spares.iter().position(|spare| same_type(spare.r#type(), ty));
    spares.remove(at.expect("a plan has counted the spare buffers"))
}

/// Adds the remaining buffers to the operands of a terminator, in the order of the given types.
fn pass_on<'c, 'a>(
    end: OperationRef<'c, 'a>,
    rest: &[usize],
    held: &[Option<Value<'c, 'a>>],
    spares: Vec<Value<'c, 'a>>,
    types: &[Type<'c>],
) {
    let rest = rest.iter().map(|at| held[*at].expect("what is not taken is there"));
    let mut left: Vec<Value> = rest.chain(spares).collect();
    for ty in types {
        ir::append_operand(end, take(&mut left, *ty));
    }
}

/// Inserts a version of an operation with more operands and results in front of it, and moves the regions
/// to the new one.
fn replace<'c, 'a>(
    old: OperationRef<'c, 'a>,
    operands: &[Value<'c, 'a>],
    extras: &[Type<'c>],
) -> OperationRef<'c, 'a> {
    let attributes: Vec<(Identifier, Attribute)> = old.attributes().collect();
    let results = old.results().map(|result| result.r#type());
    let results: Vec<Type> = results.chain(extras.iter().copied()).collect();
    // SAFETY: the new operation is inserted next to the old one.
    let regions = unsafe { raw::take_regions(old) };
    let new = build(ir::name(&old), old.location(), operands, &results, &attributes, regions);
    Insertion::Before(old).insert(new)
}

/// Adds the buffers that a new operation returns to the held ones, and replaces the old operation by it.
fn give_back<'c, 'a>(
    old: OperationRef<'c, 'a>,
    new: OperationRef<'c, 'a>,
    slots: &[usize],
    count: usize,
    held: &mut Vec<Option<Value<'c, 'a>>>,
) {
    for (index, result) in old.results().enumerate() {
        if let Ok(other) = new.result(index) {
            ir::replace_all_uses(result.into(), other.into());
        }
    }
    ir::erase(old);
    let values = slots.iter().copied().chain(count..new.result_count());
    held.extend(values.map(|index| {
        let value: Value = new.result(index).expect("a slot is a result").into();
        Some(value)
    }));
}
