//! Stage 4: the program with merged allocations, or with attributes that say what would be done.
//!
//! [`Views`] puts one `memref.alloc` of bytes at the start of the scope's block, and a `memref.view`
//! in the place of each former allocation. That one memory has elements of several types is right
//! because the lowering to LLVM says nothing about types to its alias analysis (no TBAA).
//! [`Annotate`] leaves the program as it is.

use super::lifetime::{Trace, Traces};
use super::plan::Schedule;
use crate::dialect::ops::result;
use crate::mlir::raw;
use melior::Context;
use melior::ir::attribute::{
    ArrayAttribute, DenseI32ArrayAttribute, DenseI64ArrayAttribute, IntegerAttribute,
    StringAttribute,
};
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef};
use melior::ir::r#type::{IntegerType, MemRefType};
use melior::ir::{Attribute, BlockLike, Identifier, Location, Operation, Type, Value, ValueLike};

/// Stage 4, to be replaced by other ways to use a plan.
pub trait Rewriter {
    /// Changes a function; the schedules are those of its traces, in order, or none if only the
    /// lifetimes were asked for.
    fn rewrite<'c>(&self, context: &'c Context, traces: Traces<'c, '_>, schedules: &[Schedule]);
}

/// Former allocations become views of merged ones.
pub struct Views;

impl Rewriter for Views {
    fn rewrite<'c>(&self, context: &'c Context, traces: Traces<'c, '_>, schedules: &[Schedule]) {
        // Those that come first in the text are inserted last: each goes to its block's start.
        for (trace, schedule) in traces.traces.iter().zip(schedules).rev() {
            let arena = arena(context, trace, schedule);
            for (buffer, offset) in trace.buffers.iter().zip(&schedule.offsets) {
                let old = buffer.allocation;
                let offset = insert_before(old, index_constant(context, old.location(), *offset));
                let view = OperationBuilder::new("memref.view", old.location())
                    .add_operands(&[raw::value_of(arena), offset])
                    .add_results(&[result(old).r#type()])
                    .build()
                    .expect("a well-formed memref.view");
                raw::replace_all_uses(result(old), insert_before(old, view));
                raw::erase(old);
            }
        }
    }
}

fn insert_before<'c, 'a>(old: OperationRef<'c, 'a>, new: Operation<'c>) -> Value<'c, 'a> {
    let block = old.block().expect("an allocation is in a block");
    raw::value_of(result(block.insert_operation_before(old, new)))
}

/// The merged allocation.
fn arena<'c, 'a>(
    context: &'c Context,
    trace: &Trace<'c, 'a>,
    schedule: &Schedule,
) -> Value<'c, 'a> {
    let byte = IntegerType::new(context, 8).into();
    let total = i64::try_from(schedule.total).expect("stage 3 has checked the total");
    let r#type: Type = MemRefType::new(byte, &[total], None, trace.space).into();
    let alignment = trace.buffers.iter().map(|buffer| buffer.alignment).max().unwrap_or(1);
    let location = trace.buffers[0].allocation.location();
    let alloc = OperationBuilder::new("memref.alloc", location)
        .add_attributes(&[
            (Identifier::new(context, "alignment"), integer(context, alignment as i64)),
            (
                Identifier::new(context, "operandSegmentSizes"),
                DenseI32ArrayAttribute::new(context, &[0, 0]).into(),
            ),
        ])
        .add_results(&[r#type])
        .build()
        .expect("a well-formed memref.alloc");
    raw::value_of(result(trace.scope.block.insert_operation(0, alloc)))
}

fn index_constant<'c>(context: &'c Context, location: Location<'c>, value: u64) -> Operation<'c> {
    let index = Type::index(context);
    let value = IntegerAttribute::new(index, value as i64).into();
    OperationBuilder::new("arith.constant", location)
        .add_attributes(&[(Identifier::new(context, "value"), value)])
        .add_results(&[index])
        .build()
        .expect("a well-formed arith.constant")
}

fn integer<'c>(context: &'c Context, value: i64) -> Attribute<'c> {
    IntegerAttribute::new(IntegerType::new(context, 64).into(), value).into()
}

/// The findings as attributes: `merge_alloc.lifetime = [scope, first, last]` and
/// `merge_alloc.offset` on allocations, `merge_alloc.untouched` with the reason on the others,
/// `merge_alloc.scope` on scopes with `merge_alloc.total` and `merge_alloc.lower_bound`, which are
/// lists if the scope has several memory spaces.
pub struct Annotate;

impl Rewriter for Annotate {
    fn rewrite<'c>(&self, context: &'c Context, traces: Traces<'c, '_>, schedules: &[Schedule]) {
        for (at, trace) in traces.traces.iter().enumerate() {
            let scope = trace.scope.id;
            raw::set_attribute(trace.scope.owner, "merge_alloc.scope", integer(context, scope));
            for (index, buffer) in trace.buffers.iter().enumerate() {
                let lifetime = [scope, buffer.first, buffer.last];
                let lifetime = DenseI64ArrayAttribute::new(context, &lifetime).into();
                raw::set_attribute(buffer.allocation, "merge_alloc.lifetime", lifetime);
                if let Some(schedule) = schedules.get(at) {
                    let offset = integer(context, schedule.offsets[index] as i64);
                    raw::set_attribute(buffer.allocation, "merge_alloc.offset", offset);
                }
            }
            let same: Vec<_> = traces
                .traces
                .iter()
                .zip(schedules)
                .filter(|(other, _)| other.scope.id == scope)
                .map(|(_, schedule)| schedule)
                .collect();
            let list = |of: fn(&Schedule) -> u64| -> Attribute<'c> {
                let all: Vec<_> =
                    same.iter().map(|schedule| integer(context, of(schedule) as i64)).collect();
                if let [one] = all.as_slice() {
                    *one
                } else {
                    ArrayAttribute::new(context, &all).into()
                }
            };
            if !same.is_empty() {
                let owner = trace.scope.owner;
                raw::set_attribute(owner, "merge_alloc.total", list(|schedule| schedule.total));
                let bound = list(|schedule| schedule.lower_bound);
                raw::set_attribute(owner, "merge_alloc.lower_bound", bound);
            }
        }
        for (allocation, reason) in traces.untouched {
            let reason = StringAttribute::new(context, &reason).into();
            raw::set_attribute(allocation, "merge_alloc.untouched", reason);
        }
    }
}
