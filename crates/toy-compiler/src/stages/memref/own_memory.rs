//! Gives each thread its own memory for the values of an iteration of a parallel loop.
//!
//! Input: functions on buffers, some of whose loops have the attribute [`PARALLEL`]. Output: the same; what such a loop
//! allocates is on the stack, with [`THREAD_PRIVATE`], for `toy-openmp`. Without that, merge-alloc would plan one buffer for
//! all iterations, which threads would write at the same time. A loop that needs more than [`MOST`] bytes loses the
//! attribute: its iterations are in order. Invariant: a loop with the attribute allocates nothing.

use crate::dialect::ops;
use crate::stages::memref::reductions::PARALLEL;
use melior::Context;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::MemRefType;
use melior::ir::{Attribute, Module, ValueLike};
use mlir_support::builder::{Builder, Insertion};
use mlir_support::ir;
use mlir_support::pass::{PassContext, PassDefinition};
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-own-memory",
    "Gives each thread its own memory for the values of an iteration",
    run,
);

/// On a `memref.alloca`: an iteration of a parallel loop reads only its own writes to it.
pub const THREAD_PRIVATE: &str = "toy.thread_private";

/// A part of the smallest stack that threads have, in bytes.
const MOST: u64 = 1 << 18;

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let operations = ir::operations(module.as_operation());
    for loop_ in operations.into_iter().filter(|it| it.has_attribute(PARALLEL)) {
        let mut allocations = ir::operations(loop_);
        allocations.retain(|it| ir::name(it) == "memref.alloc");
        let bytes: Option<u64> = allocations.iter().map(|it| bytes(*it)).sum();
        match bytes {
            Some(bytes) if bytes <= MOST => {
                allocations.into_iter().for_each(|it| move_to_stack(context.session.context(), it))
            }
            _ => ir::remove_attribute(loop_, PARALLEL),
        }
    }
    Ok(())
}

/// The size of an allocation, whose elements are at most numbers of 64 bits.
fn bytes(allocation: OperationRef) -> Option<u64> {
    let ty = MemRefType::try_from(ops::result(allocation).r#type()).ok()?;
    ir::static_sizes(ty)?.into_iter().try_fold(8, u64::checked_mul)
}

fn move_to_stack<'c>(context: &'c Context, allocation: OperationRef<'c, '_>) {
    let parents = std::iter::successors(Some(allocation), |inner| inner.parent_operation());
    let function = parents.into_iter().find(ops::is_function);
    let Some(entry) = function.and_then(ops::entry_block) else { return };
    let code = Builder::before(context, allocation).at(Insertion::AtStart(entry));
    let attributes = [
        ("alignment", code.number(64)),
        (THREAD_PRIVATE, Attribute::unit(context)),
        ("operandSegmentSizes", code.segments(&[0, 0])),
    ];
    let buffer = ops::result(allocation);
    let own = code.value("memref.alloca", &[], buffer.r#type(), &attributes);
    ir::replace_all_uses(buffer, own);
    ir::erase(allocation);
}
