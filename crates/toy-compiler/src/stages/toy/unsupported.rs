//! Operations of `.mlir` input that are refused, because no stage below compiles them correctly.
//!
//! Input: a module of any level, before any simplification, so that acceptance does not depend on it. Output: the
//! module as it is, or a diagnostic for each operation of this table. Toy makes none of them.
//!
//! | operation | reason |
//! |---|---|
//! | `func.call_indirect` on tensors | One-Shot Bufferize knows calls by name only |
//! | `tensor.from_elements` of vectors | LLVM 22 folds constant ones to `dense<"">`, whose elements read as zeros |
//! | `memref.atomic_rmw` of products | LLVM has no `atomicrmw` for products |

use crate::dialect::shape;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::RankedTensorType;
use melior::ir::{Module, ShapedTypeLike, TypeLike, ValueLike};
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::{Locations, func, ir};
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-refuse-unsupported",
    "Refuses operations that the stages after it do not compile",
    run,
);

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    if !ir::any(module.as_operation(), |operation| refusal(operation).is_some()) {
        return Ok(());
    }
    let operations = ir::operations(module.as_operation()).into_iter();
    Err(operations
        .filter_map(|operation| Some(refused(operation, refusal(operation)?, &context.locations)))
        .collect())
}

struct Refusal {
    message: &'static str,
    label: &'static str,
    help: &'static str,
}

fn refusal(operation: OperationRef) -> Option<Refusal> {
    match ir::name(&operation) {
        "func.call_indirect" if is_on_tensors(operation) => Some(Refusal {
            message: "functions on tensors cannot be called by address",
            label: "tensors become buffers for calls by name only",
            help: "call functions by name, in the branches of an `scf.if`, say; or let them work on memrefs",
        }),
        "tensor.from_elements" if has_vectors(operation) => Some(Refusal {
            message: "`tensor.from_elements` of vectors is not supported",
            label: "LLVM 22 folds constant vectors to zeros",
            help: "insert the vectors into a `tensor.empty`, with a `tensor.insert` for each",
        }),
        "memref.atomic_rmw" if is_product(operation) => Some(Refusal {
            message: "there are no atomic products",
            label: "LLVM has no such instruction",
            help: "where there is one thread, use `memref.load`, the product and `memref.store`",
        }),
        _ => None,
    }
}

fn is_on_tensors(operation: OperationRef) -> bool {
    let mut operands = operation.operands().map(|operand| operand.r#type());
    let mut results = operation.results().map(|result| result.r#type());
    operands.any(shape::is_tensor) || results.any(shape::is_tensor)
}

fn has_vectors(operation: OperationRef) -> bool {
    let tensor = RankedTensorType::try_from(func::result(operation).r#type());
    tensor.is_ok_and(|tensor| tensor.element().is_vector())
}

/// True if the kind is `mulf` or `muli`.
fn is_product(operation: OperationRef) -> bool {
    // The numbers of the two in MLIR's enumeration AtomicRMWKind.
    const PRODUCTS: [i64; 2] = [12, 13];
    let kind = func::attribute(&operation, "kind");
    let kind = kind.and_then(|kind| IntegerAttribute::try_from(kind).ok());
    kind.is_some_and(|kind| PRODUCTS.contains(&kind.value()))
}

fn refused(operation: OperationRef, refusal: Refusal, locations: &Locations) -> Diagnostic {
    let diagnostic = Diagnostic::error(codes::MLIR_REJECTED, refusal.message).help(refusal.help);
    locations.label(diagnostic, operation.location(), refusal.label)
}
