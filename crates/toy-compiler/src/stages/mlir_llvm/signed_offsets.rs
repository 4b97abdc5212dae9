//! Takes back the claim that no offset of an element is negative.
//!
//! Input: the LLVM dialect of accesses to buffers. Output: the same, where the products of an index and a stride, their
//! sums, and the addresses that these lead to have no flags, if the stride is negative or not known. Invariant: nothing
//! else changes. `x[::-1]` is a view with the stride -1, and finalize-memref-to-llvm multiplies an index by it `nuw`:
//! LLVM takes that for impossible, and may leave out the access.
//!
//! ```mlir
//! %o = llvm.mul %i, %minus_two overflow<nsw, nuw>          %o = llvm.mul %i, %minus_two
//! %a = llvm.getelementptr inbounds|nuw %p[%o]       =>     %a = llvm.getelementptr %p[%o]
//! ```

use crate::dialect::ops::{self, attribute};
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Module, Value, ValueLike};
use mlir_support::pass::{PassContext, PassDefinition, Workaround};
use mlir_support::{Builder, ir};
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-signed-offsets",
    "Lets offsets of elements be negative where a stride may be",
    run,
)
.working_around(Workaround {
    issue: "finalize-memref-to-llvm multiplies indices by negative strides without unsigned overflow",
    since: "22.1",
    delete_when: "its offsets are signed where a stride may be negative",
});

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let mut signed = Vec::new();
    for operation in ir::operations(module.as_operation()) {
        if ir::name(&operation) == "llvm.mul" && !operation.operands().any(is_not_negative) {
            signed.push(operation);
        }
    }
    while let Some(operation) = signed.pop() {
        // The flags of an address are a property without an attribute: an operation without them is another one.
        let operands: Vec<_> = operation.operands().collect();
        let builder = Builder::before(context.session.context(), operation);
        let old = ops::result(operation);
        let kept = |name| Some((name, attribute(&operation, name)?));
        let kept: Vec<_> =
            ["rawConstantIndices", "elem_type"].into_iter().filter_map(kept).collect();
        let new = builder.value(ir::name(&operation), &operands, old.r#type(), &kept);
        let mut users = ir::users(old);
        users.sort_by_key(|user| ir::id(*user));
        users.dedup_by_key(|user| ir::id(*user));
        ir::replace_all_uses(old, new);
        ir::erase(operation);
        signed.extend(users.into_iter().filter(is_offset));
    }
    Ok(())
}

/// True if an operation continues the computation of an address.
fn is_offset(operation: &OperationRef) -> bool {
    ["llvm.add", "llvm.getelementptr"].contains(&ir::name(operation))
}

/// True if a value is a constant of at least 0.
fn is_not_negative(value: Value) -> bool {
    ir::defined_by(value, "llvm.mlir.constant")
        .and_then(|constant| IntegerAttribute::try_from(attribute(&constant, "value")?).ok())
        .is_some_and(|constant| constant.value() >= 0)
}
