//! Gives atomic products a region, which the lowering to LLVM turns into a loop of compare-and-swap.
//!
//! Input: functions on buffers, after deallocation. Output: the same without `memref.atomic_rmw` of kind
//! `muli`: each is a `memref.generic_atomic_rmw` that multiplies. `mulf` is an error: the loop would
//! compare and swap floating-point numbers, which LLVM does not do.

use crate::dialect::ops;
use melior::dialect::arith;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef};
use melior::ir::{Block, BlockLike, Module, Region, RegionLike, TypeLike, Value, ValueLike};
use mlir_support::pass::{PassContext, PassDefinition, Workaround};
use mlir_support::{Locations, raw};
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-expand-atomic-products",
    "Replaces memref.atomic_rmw of products by memref.generic_atomic_rmw",
    run,
)
.working_around(Workaround {
    issue: "LLVM has no `atomicrmw` for products, and the conversion to the LLVM dialect leaves `memref.atomic_rmw` of products as it is",
    since: "22.1",
    delete_when: "`memref-expand` or the conversion handles both kinds: tests/filecheck/known_bugs/atomic_products.mlir passes without it",
});

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let is_found = |operation: OperationRef| {
        raw::name(&operation) == "memref.atomic_rmw" && is_product(operation)
    };
    if raw::any(module.as_operation(), is_found) {
        for operation in raw::operations(module.as_operation()) {
            if is_found(operation) {
                if operation.operand(0).is_ok_and(|factor| factor.r#type().is_float()) {
                    return Err(vec![of_floats(operation, &context.locations)]);
                }
                expand(operation);
            }
        }
    }
    Ok(())
}

/// Whether the kind is `mulf` or `muli`.
fn is_product(operation: OperationRef) -> bool {
    // The numbers of the two in MLIR's enumeration AtomicRMWKind.
    const PRODUCTS: [i64; 2] = [12, 13];
    let kind = operation.attribute("kind").ok();
    let kind = kind.and_then(|kind| IntegerAttribute::try_from(kind).ok());
    kind.is_some_and(|kind| PRODUCTS.contains(&kind.value()))
}

fn expand(operation: OperationRef) {
    let (Some(block), Ok(factor)) = (operation.block(), operation.operand(0)) else { return };
    let (location, ty) = (operation.location(), factor.r#type());
    let body = Block::new(&[(ty, location)]);
    let current: Value = body.argument(0).expect("the argument of this block").into();
    let product = ops::result(body.append_operation(arith::muli(current, factor, location)));
    let end =
        OperationBuilder::new("memref.atomic_yield", location).add_operands(&[product]).build();
    body.append_operation(end.expect("a well-formed terminator"));
    let region = Region::new();
    region.append_block(body);
    let place: Vec<Value> = operation.operands().skip(1).collect();
    let generic = OperationBuilder::new("memref.generic_atomic_rmw", location)
        .add_operands(&place)
        .add_regions([region])
        .add_results(&[ty])
        .build()
        .expect("the operation with operands of the one it replaces");
    let generic = block.insert_operation_before(operation, generic);
    raw::replace_all_uses(ops::result(operation), ops::result(generic));
    raw::erase(operation);
}

fn of_floats(operation: OperationRef, locations: &Locations) -> Diagnostic {
    let message = "there is no atomic product of floating-point numbers";
    let diagnostic = Diagnostic::error(codes::MLIR_REJECTED, message)
        .help("where there is one thread, use `memref.load`, `arith.mulf` and `memref.store`");
    match locations.span(operation.location()) {
        Some(span) => diagnostic.label(span, "LLVM cannot compare and swap such numbers"),
        None => diagnostic,
    }
}
