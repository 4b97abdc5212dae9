//! Says of the loops of a nest that their iterations are independent, for `toy-parallel-loops`.
//!
//! Input: the operations that a nest was built of. Output: its outermost loops have the attribute
//! [`PARALLEL`], and its buffers on the stack have [`THREAD_PRIVATE`]: an iteration reads of them only what it
//! has written. Invariant of the nests: no two iterations of an outermost loop write the same element.

use super::nest::Nest;
use crate::transform::parallel_loops::{PARALLEL, THREAD_PRIVATE};
use melior::Context;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, BlockLike, BlockRef};
use mlir_support::raw;

/// Where the function of a nest begins, taken before it is built.
pub struct Start<'c, 'a> {
    entry: BlockRef<'c, 'a>,
    first: Option<OperationRef<'c, 'a>>,
}

impl<'c, 'a> Start<'c, 'a> {
    pub fn of(entry: BlockRef<'c, 'a>) -> Self {
        Self { entry, first: entry.first_operation() }
    }

    /// Marks what was built since: buffers, and loops between `start` and the operation that they replace.
    pub fn mark(self, context: &'c Context, nest: &Nest<'c, 'a>, start: OperationRef<'c, 'a>) {
        let elements: u64 = nest.sizes.iter().product();
        let integer = IntegerType::new(context, 64).into();
        let elements = IntegerAttribute::new(integer, elements as i64).into();
        let built = std::iter::successors(Some(start), |operation| operation.next_in_block());
        built
            .take_while(|operation| *operation != nest.operation)
            .for_each(|operation| mark_outermost(operation, elements));
        let buffers = std::iter::successors(self.entry.first_operation(), |operation| {
            operation.next_in_block()
        });
        buffers
            .take_while(|operation| Some(*operation) != self.first)
            .filter(|operation| raw::name(operation) == "memref.alloca")
            .for_each(|buffer| {
                raw::set_attribute(buffer, THREAD_PRIVATE, Attribute::unit(context))
            });
    }
}

/// Marks the outermost loops in an operation: itself, or those in the branches of an `scf.if`.
fn mark_outermost<'c>(operation: OperationRef<'c, '_>, elements: Attribute<'c>) {
    match raw::name(&operation) {
        "scf.for" => raw::set_attribute(operation, PARALLEL, elements),
        "scf.if" => {
            for block in [0, 1].iter().flat_map(|region| raw::blocks_of(operation, *region)) {
                for inner in raw::block_operations(block) {
                    mark_outermost(inner, elements);
                }
            }
        }
        _ => {}
    }
}
