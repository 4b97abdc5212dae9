//! Replaces poison tensors and buffers by harmless values.
//!
//! Tensors, before bufferization: `tensor.empty` replaces `ub.poison`, because a copy of it reads as many
//! elements as its type has. Dynamic sizes become 0.
//!
//! Buffers, before deallocation: a dummy stack buffer, which is never freed.
//!
//! Input: functions on buffers. Output: the same without `ub.poison` of a buffer type; it is replaced by one
//! element on the stack, cast to the buffer type. A valid program never accesses it, so its sizes do not
//! matter. lift-cf-to-scf passes poison on where a block argument has no value. But ownership-based
//! deallocation compares the addresses of all buffers that are passed on, so as not to free one that is
//! still referenced: with poison, which may be any address, it frees one buffer twice.
//!
//! Tutorial: chapter 10.

use crate::dialect::ops;
use melior::Context;
use melior::ir::attribute::{DenseI32ArrayAttribute, DenseI64ArrayAttribute, IntegerAttribute};
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef};
use melior::ir::r#type::{DimSize, MemRefType, RankedTensorType};
use melior::ir::{
    BlockLike, BlockRef, Identifier, Location, Module, ShapedTypeLike, Type, TypeLike, Value,
    ValueLike,
};
use mlir_support::ir::{self, Strided};
use mlir_support::pass::{PassContext, PassDefinition, Workaround};
use toy_diagnostics::Diagnosed;

/// The bug that makes both passes necessary.
const BUG: Workaround = Workaround {
    issue: "ownership-based deallocation compares the addresses of `ub.poison` buffers, and may free a buffer twice",
    since: "22.1.8",
    delete_when: "lift-cf-to-scf passes no poison buffers on: tests/filecheck/known_bugs/poison_passed_on.mlir passes without it",
};

pub const TENSORS: PassDefinition = PassDefinition::new(
    "toy-freeze-tensors",
    "Replaces `ub.poison` tensors by `tensor.empty`, which gets a buffer of its own",
    tensors,
)
.working_around(BUG);

/// The pass on tensors.
pub fn tensors<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    for operation in ir::operations(module.as_operation()) {
        if ir::name(&operation) == "ub.poison" {
            empty(context.session.context(), operation);
        }
    }
    Ok(())
}

pub const BUFFERS: PassDefinition = PassDefinition::new(
    "toy-freeze-poison",
    "Replaces `ub.poison` memrefs by a dummy stack buffer, so that deallocation never compares a poison address",
    run,
)
.working_around(BUG);

/// The pass on buffers.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    for function in ops::functions(module) {
        let Some(entry) = ops::entry_block(function) else { continue };
        for operation in ir::operations(function) {
            if ir::name(&operation) == "ub.poison" {
                freeze(context.session.context(), operation, entry);
            }
        }
    }
    Ok(())
}

/// Replaces one poison, if it is a tensor.
fn empty<'c>(context: &'c Context, poison: OperationRef<'c, '_>) {
    let location = poison.location();
    let result = ops::result(poison);
    let Ok(shape) = RankedTensorType::try_from(result.r#type()) else { return };
    let block = poison.block().expect("poison is in a block");
    let index = Type::index(context);
    let sizes: Vec<Value> = (0..shape.rank())
        .filter(|dimension| shape.dim_size(*dimension) == Ok(DimSize::Dynamic))
        .map(|_| {
            let value = Identifier::new(context, "value");
            let zero = OperationBuilder::new("arith.constant", location)
                .add_attributes(&[(value, IntegerAttribute::new(index, 0).into())])
                .add_results(&[index])
                .build()
                .expect("a well-formed arith.constant");
            ops::result(block.insert_operation_before(poison, zero))
        })
        .collect();
    let empty = OperationBuilder::new("tensor.empty", location)
        .add_operands(&sizes)
        .add_results(&[result.r#type()])
        .build()
        .expect("a well-formed tensor.empty");
    let empty = block.insert_operation_before(poison, empty);
    ir::replace_all_uses(result, ops::result(empty));
    ir::erase(poison);
}

/// Replaces one poison, if it is a buffer. The dummy is allocated once per call of the function, even if
/// the poison is in a loop.
fn freeze<'c, 'a>(context: &'c Context, poison: OperationRef<'c, 'a>, entry: BlockRef<'c, 'a>) {
    let ty = ops::result(poison).r#type();
    let Some(wanted) = ir::strided(ty) else { return };
    let location = poison.location();
    // The stack is in the default memory space.
    let allocate = if wanted.space.is_none() { "memref.alloca" } else { "memref.alloc" };
    let alone = MemRefType::new(wanted.element, &[], None, wanted.space);
    let element = OperationBuilder::new(allocate, location)
        .add_attributes(&[segments(context, &[0, 0])])
        .add_results(&[alone.into()])
        .build()
        .expect("a well-formed allocation");
    let element = ops::result(entry.insert_operation(0, element));
    let view = if ty.is_mem_ref() {
        reinterpret(context, location, element, &wanted)
    } else {
        OperationBuilder::new("memref.cast", location).add_operands(&[element])
    };
    let view = view.add_results(&[ty]).build().expect("a well-formed view");
    let definition = ir::defining_operation(element).expect("it was just inserted");
    let view = entry.insert_operation_after(definition, view);
    ir::replace_all_uses(ops::result(poison), ops::result(view));
    ir::erase(poison);
}

/// `memref.reinterpret_cast`, without its result, to the sizes and strides of a type; dynamic ones
/// are 0.
fn reinterpret<'c>(
    context: &'c Context,
    location: Location<'c>,
    element: Value<'c, '_>,
    wanted: &Strided<'c>,
) -> OperationBuilder<'c> {
    let list = |name, values: &[Option<i64>]| {
        let values: Vec<_> = values.iter().map(|value| value.unwrap_or(0)).collect();
        (Identifier::new(context, name), DenseI64ArrayAttribute::new(context, &values).into())
    };
    OperationBuilder::new("memref.reinterpret_cast", location)
        .add_operands(&[element])
        .add_attributes(&[
            list("static_offsets", &[wanted.offset]),
            list("static_sizes", &wanted.sizes),
            list("static_strides", &wanted.strides),
            segments(context, &[1, 0, 0, 0]),
        ])
}

/// The sizes of the operand groups.
fn segments<'c>(
    context: &'c Context,
    counts: &[i32],
) -> (Identifier<'c>, melior::ir::Attribute<'c>) {
    let name = Identifier::new(context, "operandSegmentSizes");
    (name, DenseI32ArrayAttribute::new(context, counts).into())
}
