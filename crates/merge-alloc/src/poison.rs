//! Nonsense in merged buffers: the option `poison`, which makes mistakes of a plan visible.
//!
//! Input: a buffer with its place. Output: a `linalg.fill` of its bytes before its first access, where
//! its lifetime starts. A right plan lets nobody notice: what was there belonged to buffers that are
//! dead, and the buffer's own contents do not exist yet. With a wrong plan a live buffer is overwritten.

use crate::stages::lifetime::TracedBuffer;
use crate::stages::rewrite::{index_constant, insert_before};
use melior::Context;
use melior::ir::attribute::{DenseI32ArrayAttribute, IntegerAttribute};
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::r#type::{IntegerType, MemRefType};
use melior::ir::{Attribute, BlockLike, Identifier, Region, Type, Value};
use mlir_support::raw;

/// All bits set: not a number in every floating-point format, and an index far outside.
const POISON: i64 = -1;

/// Fills a buffer where it begins to be in use. The view in the place of the allocation may not be
/// there yet: a loop that allocates and passes a buffer out is in use as a whole.
pub fn fill<'c>(
    context: &'c Context,
    arena: Value<'c, '_>,
    space: Option<Attribute<'c>>,
    buffer: &TracedBuffer<'c, '_>,
    offset: u64,
) {
    let (at, location) = (buffer.start, buffer.allocation.location());
    let byte: Type = IntegerType::new(context, 8).into();
    // Stage 3 has checked the total.
    let bytes = MemRefType::new(byte, &[buffer.size as i64], None, space);
    let offset = insert_before(at, index_constant(context, location, offset));
    let view = OperationBuilder::new("memref.view", location)
        .add_operands(&[raw::value_of(arena), offset])
        .add_results(&[bytes.into()])
        .build()
        .expect("a well-formed memref.view");
    let view = insert_before(at, view);
    let poison = OperationBuilder::new("arith.constant", location)
        .add_attributes(&[(
            Identifier::new(context, "value"),
            IntegerAttribute::new(byte, POISON).into(),
        )])
        .add_results(&[byte])
        .build()
        .expect("a well-formed arith.constant");
    let poison = insert_before(at, poison);
    let fill = OperationBuilder::new("linalg.fill", location)
        .add_operands(&[poison, view])
        .add_attributes(&[(
            Identifier::new(context, "operandSegmentSizes"),
            DenseI32ArrayAttribute::new(context, &[1, 1]).into(),
        )])
        .add_regions([Region::new()])
        .build()
        .expect("a well-formed linalg.fill");
    raw::fill_named_region(&fill);
    if let Some(block) = at.block() {
        block.insert_operation_before(at, fill);
    }
}
