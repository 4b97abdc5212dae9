//! Code that is known never to run: branches with a known condition, loops without an iteration.
//!
//! Input: operations of `scf` in a verified module, before or after shape inference. Output: their conditions and
//! bounds. A condition is known if it is a constant expression ([`super::evaluate`]).

use crate::dialect::evaluate::{Evaluated, Numbers, evaluate, evaluate_with, whole};
use melior::ir::Value;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::builder::SLT;
use mlir_support::control_flow::{initial, result_number, terminators};
use mlir_support::ir;
use mlir_support::range::{self, Range};

/// The region of an `scf.if` that runs, 0 or 1.
pub fn known_branch<'c: 'a, 'a>(
    branch: OperationRef<'c, 'a>,
    numbers: &mut Numbers,
) -> Evaluated<'c, 'a> {
    if counts_nothing(branch).is_some() {
        return Evaluated::Number(1.0);
    }
    match known_condition(branch, numbers) {
        Evaluated::Number(truth) => Evaluated::Number(if truth == 0.0 { 1.0 } else { 0.0 }),
        other => other,
    }
}

/// The condition of an `scf.if` or `scf.condition`: 0 if it is false.
pub fn known_condition<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    numbers: &mut Numbers,
) -> Evaluated<'c, 'a> {
    operation.operand(0).map_or(Evaluated::Open, |value| evaluate_with(value, numbers))
}

/// True if an `scf.for` is known to run no iteration.
pub fn is_empty_range(repeated: OperationRef) -> bool {
    let bound = |place| repeated.operand(place).ok().and_then(number);
    match (bound(0), bound(1)) {
        (Some(first), Some(end)) => first >= end,
        _ => false,
    }
}

/// Some if a branch is the body of a `for` that can be left and is known to run no iteration: an `scf.while` whose
/// counter is not below the end at first, and which ends unless the branch is taken.
fn counts_nothing(branch: OperationRef) -> Option<()> {
    let compare = ir::defined_by(branch.operand(0).ok()?, "arith.cmpi")?;
    let is_less = range::predicate(compare) == Some(SLT);
    let counter = compare.operand(0).ok().filter(|_| is_less)?;
    let around = branch.parent_operation().filter(|it| ir::name(it) == "scf.while")?;
    let home = ir::home(counter).filter(|home| ir::id(home.parent) == ir::id(around))?;
    let first = initial(counter).filter(|_| home.region == 0)?;
    let goes_on = terminators(around, 0).first()?.operand(0).ok()?;
    let place = result_number(branch, goes_on)?;
    let goes_on_otherwise = terminators(branch, 1).first()?.operand(place).ok()?;
    let ends = matches!(evaluate(goes_on_otherwise), Evaluated::Number(0.0));
    (ends && number(first)? >= number(compare.operand(1).ok()?)?).then_some(())
}

/// True if an operation is in a branch that is not taken or in a loop that does not run.
pub fn never_runs(operation: OperationRef) -> bool {
    let mut inside = operation;
    let mut numbers = Numbers::default();
    while let (Some(block), Some(around)) = (inside.block(), inside.parent_operation()) {
        let is_in =
            |region: usize| ir::blocks_of(around, region).first().is_some_and(|it| *it == block);
        let is_dead = match ir::name(&around) {
            "scf.if" => {
                matches!(known_branch(around, &mut numbers), Evaluated::Number(taken) if !is_in(taken as usize))
            }
            "scf.for" => is_empty_range(around),
            "scf.while" if is_in(1) => terminators(around, 0)
                .into_iter()
                .any(|end| matches!(known_condition(end, &mut numbers), Evaluated::Number(0.0))),
            _ => false,
        };
        if is_dead {
            return true;
        }
        inside = around;
    }
    false
}

/// The longest chain of operations by which the lowering computes the bounds of a loop with a step from constants.
const MOST_NESTED: u32 = 8;

/// The value of an index that is constant, or that the lowering of a `for` computes from constants.
fn number(value: Value) -> Option<f64> {
    let known = |value| {
        let operation = ir::defined_by(value, "toy.to_index")?;
        match evaluate(operation.operand(0).ok()?) {
            Evaluated::Number(number) => Range::of_integer(whole(number)?),
            _ => None,
        }
    };
    range::of_index(value, MOST_NESTED, &known)?.single()
}
