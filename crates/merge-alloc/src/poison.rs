//! The option `poison`: merged buffers are overwritten before their first access, so that errors of a plan
//! show in the program's output.
//!
//! Input: a buffer with its offset. Output: a `linalg.fill` of its bytes before its first access, where its
//! lifetime starts. With a correct plan the output of the program stays the same: the old contents belonged to buffers
//! that are dead, and the buffer's own contents do not exist yet. With a wrong plan a live buffer is overwritten.

use crate::stages::trace::TracedBuffer;
use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{IntegerType, MemRefType};
use melior::ir::{Attribute, Type, Value};
use mlir_support::Builder;

/// All bits set: NaN in every floating-point format, and an index that is out of bounds.
const POISON: i64 = -1;

/// Fills a buffer where its lifetime starts. The view that replaces the allocation may come later: a buffer
/// that a loop allocates and passes out is in use all through the loop.
pub fn fill<'c, 'a>(
    context: &'c Context,
    arena: Value<'c, 'a>,
    space: Option<Attribute<'c>>,
    buffer: &TracedBuffer<'c, 'a>,
    offset: u64,
) {
    let byte: Type = IntegerType::new(context, 8).into();
    // Stage 3 has checked the total.
    let bytes = MemRefType::new(byte, &[buffer.size as i64], None, space);
    for at in &buffer.starts {
        let code = Builder::before(context, *at).located(buffer.allocation.location());
        let view = code.view(arena, offset, bytes.into());
        code.fill(code.integer(byte, POISON), view);
    }
}
