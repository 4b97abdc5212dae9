//! The work of a loop nest, which decides whether wide registers are worth a version.
//!
//! Input: an operation on buffers. Output: the operations on elements that it computes, and if it computes more than it
//! reads and writes. Invariant: loops that are too short for wide registers count as 0.

use crate::dialect::enums::is_mathematics;
use crate::stages::memref::reductions;
use melior::ir::ValueLike;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::MemRefType;
use mlir_support::linalg::{Generic, IteratorKind};
use mlir_support::{constants, ir};

const FUSED: &str = "math.fma";

/// Loops of fewer iterations gain nothing: a vector of the largest registers has 8 elements.
const LEAST_ITERATIONS: u64 = 1024;

/// The work of a loop nest.
pub struct Work {
    /// Operations on elements: 0 if they are too few for wide registers.
    pub operations: u64,
    /// True if it computes more than it reads and writes: a product, or functions of numbers.
    pub computes: bool,
}

/// The work of a `linalg.generic`, or of the loops of a reduction; None for any other operation.
pub fn work(operation: OperationRef) -> Option<Work> {
    if let Some(elements) = reductions::elements(operation) {
        let body = ir::operations(operation);
        let weight = body.iter().map(|it| weight(*it)).max().unwrap_or(1);
        let elements = if elements < LEAST_ITERATIONS { 0 } else { elements };
        let computes = body.into_iter().any(has_function);
        return Some(Work { operations: elements.saturating_mul(2 * weight), computes });
    }
    let generic = Generic::of(operation)?;
    let mut sizes = vec![0; generic.iterators.len()];
    for at in 0..operation.operand_count() {
        let ty = MemRefType::try_from(ir::operand(operation, at).r#type()).ok();
        let of_buffer = ty.and_then(ir::static_sizes).unwrap_or_default();
        for (dimension, size) in generic.dimensions(at).unwrap_or_default().iter().zip(of_buffer) {
            sizes[*dimension] = size;
        }
    }
    let iterations = sizes.iter().fold(1, |all: u64, size| all.saturating_mul(*size));
    let iterations = if iterations < LEAST_ITERATIONS { 0 } else { iterations };
    let mut body = ir::block_operations(generic.body);
    body.retain(|operation| !constants::is_constant(*operation));
    // Without the terminator; transpositions only move elements.
    let body_work: u64 = body.iter().filter(|it| computes(**it)).map(|it| weight(*it)).sum();
    let operations = iterations.saturating_mul(body_work.max(1));
    let has_functions = body.iter().any(|it| has_function(*it));
    let computes = has_functions || generic.iterators.contains(&IteratorKind::Reduction);
    Some(Work { operations, computes })
}

/// The operations on elements that one of a body stands for: some functions take as many instructions as this on all
/// processors, and a fused multiply-add where it is not an instruction.
fn weight(operation: OperationRef) -> u64 {
    if has_function(operation) { 30 } else { 1 }
}

fn computes(operation: OperationRef) -> bool {
    let name = ir::name(&operation);
    let is_arithmetic = name.starts_with("arith.") && !constants::is_constant(operation);
    is_arithmetic || name.starts_with("math.") || is_mathematics(name)
}

/// True for an operation that takes many instructions, on some processors.
fn has_function(operation: OperationRef) -> bool {
    let name = ir::name(&operation);
    name == FUSED || is_mathematics(name)
}
