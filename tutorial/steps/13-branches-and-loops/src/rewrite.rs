//! Rewrites of Toy operations that make a program smaller. MLIR's greedy driver applies
//! them until none fits any more.

use crate::dialect::{self, name, result};
use melior::ir::attribute::DenseElementsAttribute;
use melior::ir::operation::{OperationLike, OperationRef, OperationResult};
use melior::ir::{Module, Value, ValueLike};
use melior::{
    Context, GreedyRewriteDriverConfig, GreedySimplifyRegionLevel, PatternRewriter,
};
use melior::{RewritePatternSet, RewriterBase};
use melior::{apply_patterns_and_fold_greedily, create_op_rewrite_pattern};

/// Rewrites the operation if it can. An operation that was replaced must not be touched.
type Pattern = fn(&RewriterBase, OperationRef) -> bool;

const PATTERNS: &[(&str, Pattern)] = &[
    ("toy.transpose", transpose_of_transpose),
    ("toy.reshape", reshape_to_the_same_shape),
    ("toy.reshape", reshape_of_reshape),
    ("toy.reshape", reshape_of_constant),
    ("toy.constant", erase_unused),
    ("toy.add", erase_unused),
    ("toy.sub", erase_unused),
    ("toy.mul", erase_unused),
    ("toy.div", erase_unused),
    ("toy.compare", erase_unused),
    ("toy.transpose", erase_unused),
    ("toy.reshape", erase_unused),
];

pub fn rewrite(context: &Context, module: &Module) -> Result<(), String> {
    let set = RewritePatternSet::new(context);
    for (root, pattern) in PATTERNS {
        let callback = move |_, operation, rewriter| {
            // SAFETY: MLIR calls this with a live operation and its rewriter.
            let (operation, rewriter) = unsafe {
                (OperationRef::from_raw(operation), PatternRewriter::from_raw(rewriter))
            };
            pattern(&rewriter.as_rewriter_base(), operation)
        };
        set.add(create_op_rewrite_pattern(root, 1, context, callback, &[]));
    }
    let config = GreedyRewriteDriverConfig::new();
    config.set_max_iterations(-1);
    config.set_region_simplification_level(GreedySimplifyRegionLevel::Disabled);
    apply_patterns_and_fold_greedily(module, set.freeze(), &config)
        .map_err(|error| error.to_string())
}

/// `transpose(transpose(x))` is `x`.
fn transpose_of_transpose(rewriter: &RewriterBase, transpose: OperationRef) -> bool {
    let Some(inner) = operand_made_by(transpose, "toy.transpose") else { return false };
    rewriter.replace_op_with_values(transpose, &[operand(inner)]);
    true
}

/// A shape that the operand already has.
fn reshape_to_the_same_shape(rewriter: &RewriterBase, reshape: OperationRef) -> bool {
    let operand = operand(reshape);
    let is_same = operand.r#type() == result(reshape).r#type();
    if is_same {
        rewriter.replace_op_with_values(reshape, &[operand]);
    }
    is_same
}

/// Only the last one of several shapes counts.
fn reshape_of_reshape(rewriter: &RewriterBase, reshape: OperationRef) -> bool {
    let Some(inner) = operand_made_by(reshape, "toy.reshape") else { return false };
    let (operand, ty) = (operand(inner), result(reshape).r#type());
    rewriter.set_insertion_point_before(reshape);
    let merged = dialect::operation("toy.reshape", &[operand], &[ty], reshape.location());
    let merged = rewriter.insert(merged);
    rewriter.replace_op_with_operation(reshape, merged);
    true
}

/// The elements are the same, in the same order.
fn reshape_of_constant(rewriter: &RewriterBase, reshape: OperationRef) -> bool {
    let Some(constant) = operand_made_by(reshape, "toy.constant") else { return false };
    let value = constant.attribute("value").ok();
    let Some(value) =
        value.and_then(|value| DenseElementsAttribute::try_from(value).ok())
    else {
        return false;
    };
    let elements = (0..value.len()).map(|index| value.f64_element(index));
    let Ok(elements) = elements.collect::<Result<Vec<_>, _>>() else { return false };
    let (ty, location) = (result(reshape).r#type(), reshape.location());
    // SAFETY: the context outlives all of its operations.
    let context = unsafe { rewriter.context().to_ref() };
    rewriter.set_insertion_point_before(reshape);
    let reshaped = rewriter.insert(dialect::constant(context, ty, &elements, location));
    rewriter.replace_op_with_operation(reshape, reshaped);
    true
}

/// MLIR does not know which of our operations do nothing but compute their result: IRDL
/// has no words for it. These do.
fn erase_unused(rewriter: &RewriterBase, operation: OperationRef) -> bool {
    // SAFETY: the value is a result of a live operation.
    let use_ = unsafe { mlir_sys::mlirValueGetFirstUse(result(operation).to_raw()) };
    let is_unused = use_.ptr.is_null();
    if is_unused {
        rewriter.erase_op(operation);
    }
    is_unused
}

fn operand<'c, 'a>(operation: OperationRef<'c, 'a>) -> Value<'c, 'a> {
    operation.operand(0).expect("verified: it has an operand")
}

/// The operation that makes the first operand, if it is of this kind.
fn operand_made_by<'c, 'a>(
    operation: OperationRef<'c, 'a>,
    kind: &str,
) -> Option<OperationRef<'c, 'a>> {
    let result = OperationResult::try_from(operand(operation)).ok()?;
    // SAFETY: the owner lives as long as its result.
    let owner = unsafe { OperationRef::from_raw(result.owner().to_raw()) };
    (name(owner) == kind).then_some(owner)
}
