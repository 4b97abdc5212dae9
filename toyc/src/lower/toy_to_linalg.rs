//! From the Toy dialect to linalg on tensors.
//!
//! Input: a module in which every Toy value is a ranked tensor: after `transform::specialize` and
//! `transform::flatten`. Output: the same functions without Toy operations, in destination-passing style: each result is computed
//! into a `tensor.empty` of its own, and no existing tensor is ever a destination. So bufferization
//! never writes into a constant, an argument or a value that is still needed, and the miscompiles
//! of One-Shot Bufferize 22 that start with a reused destination cannot arise from Toy programs.
//!
//! | Toy | becomes |
//! |---|---|
//! | `toy.constant` | `arith.constant`; `linalg.fill` for a large repeated value |
//! | `toy.add`, `toy.sub`, `toy.mul`, `toy.div` | `linalg.add` and so on; `linalg.generic` with a scalar |
//! | `toy.neg` | `linalg.negf` |
//! | `toy.transpose` | `linalg.transpose` (nothing for ranks 0 and 1) |
//! | `toy.reshape` | `tensor.collapse_shape` and `tensor.expand_shape`; `linalg.broadcast` of a scalar |
//! | `toy.from_elements` | `tensor.extract` of each element and `tensor.from_elements` |
//! | `toy.print` | a call of the runtime's `toy_print` on an unranked tensor |
//! | `toy.variable` | calls of a function that does not exist ([`markers`](super::markers)) |
//!
//! Tutorial: chapter 7.

mod builder;
mod print;

use crate::dialect::ops::{self, Kind};
use crate::lower::markers::Markers;
use crate::transform::needs;
use builder::Builder;
use melior::Context;
use melior::ir::Module;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use mlir_support::linalg::ElementWise;
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::raw;
pub use print::reader;
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition =
    PassDefinition::new("toy-to-linalg", "Lowers the Toy dialect to linalg on tensors", run)
        .requiring(needs::TENSORS);

/// The pass.
pub fn run<'c>(pass: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let context = pass.session.context();
    let mut prints = false;
    let mut markers = Markers::default();
    for operation in raw::operations(module.as_operation()) {
        let Some(kind) = Kind::of(&operation) else { continue };
        prints |= kind == Kind::Print;
        if kind == Kind::Variable {
            markers.mark(context, operation);
            raw::erase(operation);
        } else {
            lower(context, operation, kind);
        }
    }
    markers.declare(context, module);
    if prints {
        print::declare_print(pass, module)?;
    }
    for function in raw::block_operations(module.body()) {
        if function.has_attribute("toy.specialization") {
            // The symbol has the same information, and the lower levels do not have the Toy dialect.
            let _ = raw::mutable(function).remove_attribute("toy.specialization");
        }
    }
    Ok(())
}

fn lower(context: &Context, operation: OperationRef, kind: Kind) {
    let builder = Builder { context, before: operation, location: operation.location() };
    let operand = |index| operation.operand(index).expect("verified: it has the operand");
    let result = match kind {
        Kind::Constant => builder.constant(),
        Kind::Add => builder.binary(ElementWise::Add, "arith.addf", operand(0), operand(1)),
        Kind::Sub => builder.binary(ElementWise::Sub, "arith.subf", operand(0), operand(1)),
        Kind::Mul => builder.binary(ElementWise::Mul, "arith.mulf", operand(0), operand(1)),
        Kind::Div => builder.binary(ElementWise::Div, "arith.divf", operand(0), operand(1)),
        Kind::Neg => builder.element_wise(ElementWise::Negf, &[operand(0)]),
        Kind::Transpose => builder.transpose(operand(0)),
        Kind::Reshape => builder.reshape(operand(0)),
        Kind::FromElements => builder.elements(),
        Kind::Print => {
            builder.print(operand(0));
            raw::erase(operation);
            return;
        }
        // Marked by the caller.
        Kind::Variable => return,
        // Specialization has replaced every call and every cast, flattening every struct.
        Kind::GenericCall | Kind::Cast => return,
        Kind::StructConstant | Kind::StructCreate | Kind::StructAccess => return,
        // Operations without a lowering stay, and bufferization refuses them.
        _ => return,
    };
    raw::replace_all_uses(ops::result(operation), result);
    raw::erase(operation);
}
