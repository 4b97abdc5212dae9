//! The attribute of a module that calls gradients, or has values that are constant for them, until `toy-differentiate` has
//! made the gradients.
//!
//! Until then nothing is simplified: which sums a gradient consists of, and in which order, follows from the operations
//! and the uses of their results, so merging two of them would change the last bits with the level of optimization.

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Module};
use mlir_support::ir;

const NEEDED: &str = "toy.gradients";

/// Notes that a module needs `toy-differentiate`.
pub fn needed<'c>(context: &'c Context, module: &Module<'c>) {
    ir::set_attribute(module.as_operation(), NEEDED, Attribute::unit(context));
}

/// True if a module needs it.
pub fn are_needed(module: &Module) -> bool {
    module.as_operation().has_attribute(NEEDED)
}

/// Notes that the gradients are made.
pub fn made(module: &Module) {
    ir::remove_attribute(module.as_operation(), NEEDED);
}
