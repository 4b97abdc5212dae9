//! Comparisons with known results, the branches that depend on them, and code that is dead without them.
//!
//! Input: ranges. Output of [`known`]: comparisons with their results, from the program before it changes;
//! [`drop`] puts constants in their places, and erases each `scf.if` without results that is never entered.

use super::analysis::Ranges;
use crate::dialect::ops;
use melior::Context;
use melior::ir::Value;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::range::{Range, Relation};
use mlir_support::{Builder, ir};

/// Comparisons and their results.
pub type Known<'c, 'a> = Vec<(OperationRef<'c, 'a>, bool)>;

/// The comparisons whose results are known.
pub fn known<'c, 'a>(
    ranges: &Ranges<'c, 'a>,
    operations: &[OperationRef<'c, 'a>],
) -> Known<'c, 'a> {
    operations
        .iter()
        .filter_map(|operation| Some((*operation, result(ranges, *operation)?)))
        .collect()
}

fn result<'c, 'a>(ranges: &Ranges<'c, 'a>, compare: OperationRef<'c, 'a>) -> Option<bool> {
    if !["arith.cmpf", "arith.cmpi"].contains(&ir::name(&compare)) {
        return None;
    }
    let (left, right) = (ir::operand(compare, 0), ir::operand(compare, 1));
    let (one, other) = (ranges.range(left)?, ranges.range(right)?);
    if let Some(relation) = Relation::of_unsigned(compare) {
        // A negative number is a large one, above all that are in a range.
        return match (one.low >= 0.0, other.low >= 0.0) {
            (true, true) => one.compare(relation, other),
            _ => None,
        };
    }
    let relation = Relation::of(compare)?;
    let is_same = is_round_trip(ranges, left, right) || is_round_trip(ranges, right, left);
    if is_same { Some(Range::compare_same(relation)) } else { one.compare(relation, other) }
}

/// True if one number was made of another by conversion to an integer and back, and is the same.
fn is_round_trip<'c, 'a>(
    ranges: &Ranges<'c, 'a>,
    back: Value<'c, 'a>,
    number: Value<'c, 'a>,
) -> bool {
    let source = || {
        let integer = ir::operand(ir::defined_by(back, "arith.sitofp")?, 0);
        let converted = ir::operand(ir::defined_by(integer, "arith.fptosi")?, 0);
        let select = ir::defining_operation(converted);
        Some(select.and_then(|select| ranges.clamped(select)).unwrap_or(converted))
    };
    source() == Some(number) && ranges.range(number).is_some_and(|range| range.is_integer())
}

/// Replaces the comparisons by their results, and erases branches that are never entered.
pub fn drop<'c>(context: &'c Context, known: Known<'c, '_>) {
    for (compare, result) in known {
        let old = ops::result(compare);
        let branches = ir::users(old).into_iter().filter(|user| ir::name(user) == "scf.if");
        let dead: Vec<_> = branches
            .filter(|branch| !result && branch.result_count() == 0 && has_no_else(*branch))
            .collect();
        dead.into_iter().for_each(ir::erase);
        ir::replace_all_uses(old, Builder::before(context, compare).truth(result));
    }
}

fn has_no_else(branch: OperationRef) -> bool {
    ir::blocks_of(branch, 1).is_empty()
}

/// Erases calculations that nothing uses.
pub fn erase_dead(operations: Vec<OperationRef>) {
    for operation in operations.into_iter().rev() {
        let name = ir::name(&operation);
        let is_pure = name.starts_with("arith.") || ["math.floor", "math.fma"].contains(&name);
        if is_pure && operation.region_count() == 0 {
            ir::erase_if_unused(operation);
        }
    }
}
