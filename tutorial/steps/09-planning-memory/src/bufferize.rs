//! From tensors to buffers: in place, or in memory of its own.
//!
//! In: functions on tensors. Out: functions on memrefs, which are given the buffers of
//! their results. A tensor is a value and never changes; a buffer is memory, and can.
//! One-Shot Bufferize looks at each destination: if its old elements are not read any
//! more, it is overwritten; if they are, the result gets a buffer of its own.

use crate::dialect::{all_operations, functions, mutable, name, operations};
use crate::passes;
use melior::Context;
use melior::ir::attribute::ArrayAttribute;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{Attribute, BlockLike, Module, RegionLike, Value, ValueLike};

/// At the end, results of functions become parameters: callers choose where they are.
const PASSES: &str = "
    one-shot-bufferize{
        bufferize-function-boundaries=true
        function-boundary-type-conversion=identity-layout-map},
    canonicalize,
    drop-equivalent-buffer-results,
    buffer-results-to-out-params{hoist-static-allocs=true},
    canonicalize,
    cse";

/// With `reuse`, operations are offered the memory of their operands.
pub fn bufferize<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    reuse: bool,
) -> Result<(), String> {
    protect_arguments(context, module);
    if reuse {
        all_operations(module).into_iter().for_each(offer_operand);
    }
    passes::run(context, module, PASSES)
}

/// No function writes to its arguments: a caller may need them again.
fn protect_arguments<'c>(context: &'c Context, module: &Module<'c>) {
    let protected = Attribute::parse(context, "{bufferization.writable = false}");
    let protected = protected.expect("the text is valid");
    for (_, body) in functions(module) {
        let all = vec![protected; body.argument_count()];
        let function = body.parent_operation().expect("it is the body of one");
        let all = ArrayAttribute::new(context, &all);
        mutable(function).set_attribute("arg_attrs", all.into());
    }
}

/// Makes an operand the destination, if each iteration reads the one of its elements that
/// it then overwrites. It is an offer: One-Shot refuses it if the operand is needed later.
/// An operation that reads its destination gets none.
fn offer_operand(generic: OperationRef) {
    let operands: Vec<Value> = generic.operands().collect();
    let maps = generic.attribute("indexing_maps").and_then(ArrayAttribute::try_from);
    let (Some((destination, inputs)), Ok(maps)) = (operands.split_last(), maps) else {
        return;
    };
    if reads_destination(generic) {
        return;
    }
    let suits = |index: &usize| {
        let is_same_element = maps.element(*index) == maps.element(inputs.len());
        is_same_element && inputs[*index].r#type() == destination.r#type()
    };
    if let Some(index) = (0..inputs.len()).find(suits) {
        mutable(generic).set_operand(inputs.len(), inputs[index]);
    }
}

/// Whether the body uses its last argument: the element that the destination held.
fn reads_destination(generic: OperationRef) -> bool {
    let body = generic.region(0).ok().and_then(|region| region.first_block());
    let Some(body) = body else { return false };
    let last = body.argument_count().checked_sub(1);
    let Some(old) = last.and_then(|last| body.argument(last).ok()) else { return false };
    let old = Value::from(old);
    let operations = operations(body);
    operations.iter().any(|operation| operation.operands().any(|value| value == old))
}

/// How often each function allocates and copies, as comments of MLIR's.
pub fn counts(module: &Module) -> String {
    let count = |(symbol, body)| {
        let body = operations(body);
        let count =
            |kind| body.iter().filter(|operation| name(**operation) == kind).count();
        let (allocated, copied) = (count("memref.alloc"), count("memref.copy"));
        format!("// {symbol}: {allocated} allocated, {copied} copied\n")
    };
    functions(module).into_iter().map(count).collect()
}
