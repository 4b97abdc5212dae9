//! From tensors to buffers: in place, or in memory of its own.
//!
//! In: functions on tensors. Out: functions on memrefs, which are given the buffers of
//! their results. A tensor is a value and never changes; a buffer is memory, and can.
//! One-Shot Bufferize looks at each destination: if its old elements are not read any
//! more, it is overwritten; if they are, the result gets a buffer of its own.

use crate::dialect::{
    all_operations, functions, mutable, name, nested, operations, result,
};
use crate::passes;
use melior::Context;
use melior::ir::attribute::{ArrayAttribute, DenseI32ArrayAttribute};
use melior::ir::operation::{
    OperationBuilder, OperationLike, OperationMutLike, OperationRef, OperationResult,
};
use melior::ir::{Attribute, BlockLike, BlockRef, Identifier, Module, RegionLike};
use melior::ir::{Value, ValueLike};

/// At the end, results of functions become parameters: callers choose where they are.
const PASSES: &str = "
    one-shot-bufferize{
        bufferize-function-boundaries=true
        function-boundary-type-conversion=identity-layout-map
        unknown-type-conversion=identity-layout-map
        allow-return-allocs-from-loops=true},
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
    for operation in all_operations(module) {
        separate(context, operation);
    }
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

/// What a round of a loop hands on are buffers of their own: One-Shot relies on that, and
/// does not look. What the round has computed is one, and everything else is copied.
fn separate(context: &Context, end: OperationRef) {
    let is_loop = |whole: OperationRef| name(whole) == "scf.while";
    if name(end) != "scf.yield" || !end.parent_operation().is_some_and(is_loop) {
        return;
    }
    let operands: Vec<Value> = end.operands().collect();
    for (index, value) in operands.iter().enumerate() {
        let is_second = operands[..index].contains(value);
        if !is_second && is_computed_in(*value, end.block()) {
            continue;
        }
        let segments = DenseI32ArrayAttribute::new(context, &[0, 1, 0]);
        let segments = (Identifier::new(context, "operandSegmentSizes"), segments.into());
        let copy = OperationBuilder::new("bufferization.alloc_tensor", end.location())
            .add_operands(&[*value])
            .add_attributes(&[segments])
            .add_results(&[value.r#type()])
            .build()
            .expect("all parts are there");
        let block = end.block().expect("it is the end of one");
        let copy = block.insert_operation_before(end, copy);
        mutable(end).set_operand(index, result(copy));
    }
}

fn is_computed_in(value: Value, block: Option<BlockRef>) -> bool {
    OperationResult::try_from(value).is_ok_and(|result| {
        let owner = result.owner();
        name(owner) == "linalg.generic" && owner.block() == block
    })
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
        let body = nested(body);
        let count =
            |kind| body.iter().filter(|operation| name(**operation) == kind).count();
        let (allocated, copied) = (count("memref.alloc"), count("memref.copy"));
        format!("// {symbol}: {allocated} allocated, {copied} copied\n")
    };
    functions(module).into_iter().map(count).collect()
}
