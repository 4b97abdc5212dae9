//! Structured control flow: which operand becomes which argument or result.
//!
//! MLIR's `RegionBranchOpInterface` and `LoopLikeOpInterface` answer this in C++, but its C API has neither. This
//! module covers the operations of `scf`, `affine` and `memref.alloca_scope`.
//!
//! Input: an operation, or a value. Output: its part in control flow. In
//!
//! ```mlir
//! %r = scf.for %i = %from to %to step %step iter_args(%a = %init) -> (f64) {
//!   scf.yield %next : f64
//! }
//! ```
//!
//! the [`successors`] of operand 3 of the loop (`%init`) and of operand 0 of its `scf.yield` (`%next`) are `%a` and
//! `%r`, and the [`predecessors`] of both are these two operands.
//!
//! Invariants: an operation that is not in the table of [`kind`] has no answer, so that callers can deny by default;
//! answers for other operations are complete, except that branches between blocks of a region are not followed.

use crate::constants;
use crate::ir::{self, argument_if_any, operand_if_any};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, Value};
use std::collections::HashMap;
use std::ops::Range;

/// How the regions of an operation are executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Repeatedly, one iteration after another.
    Loop,
    /// At most one of them, once.
    Branch,
    /// Exactly once.
    Once,
    /// Iterations may run at the same time.
    Parallel,
}

/// The kind of an operation with structured control flow; None for any other operation.
pub fn kind<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> Option<Kind> {
    Some(match ir::name(operation) {
        "scf.for" | "scf.while" | "affine.for" => Kind::Loop,
        "scf.if" | "scf.index_switch" | "affine.if" => Kind::Branch,
        "scf.execute_region" | "memref.alloca_scope" => Kind::Once,
        "scf.forall" | "scf.parallel" | "affine.parallel" => Kind::Parallel,
        _ => return None,
    })
}

/// True if the operation is a loop whose iterations run one after the other.
pub fn is_loop<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> bool {
    kind(operation) == Some(Kind::Loop)
}

/// True if the operation executes at most one of its regions, once: `scf.if`, for example.
pub fn is_branch<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> bool {
    kind(operation) == Some(Kind::Branch)
}

/// True if the operation executes a region at most once: a branch, or `scf.execute_region`, for example.
pub fn is_at_most_once<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> bool {
    matches!(kind(operation), Some(Kind::Branch | Kind::Once))
}

/// The values that a loop carries, by their places among its operands and among the arguments of its first region.
///
/// For `scf.for`, `operands` is 3, after the bounds and the step, and `arguments` is 1, after the induction variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    pub operands: usize,
    pub arguments: usize,
    pub count: usize,
}

/// The values that a loop carries from one iteration to the next, or that an `scf.forall` shares; None for any other
/// operation.
pub fn carried<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) -> Option<Carried> {
    let results = operation.result_count();
    let operands = operation.operand_count();
    Some(match ir::name(&operation) {
        "scf.while" => Carried { operands: 0, arguments: 0, count: operands },
        "scf.for" | "affine.for" => {
            Carried { operands: operands.checked_sub(results)?, arguments: 1, count: results }
        }
        "scf.forall" => {
            let body = *ir::blocks(operation).first()?;
            let arguments = body.argument_count().checked_sub(results)?;
            Carried { operands: operands.checked_sub(results)?, arguments, count: results }
        }
        _ => return None,
    })
}

/// The number of iterations of an `scf.for` with constant bounds.
pub fn iterations(operation: OperationRef) -> Option<u64> {
    if ir::name(&operation) != "scf.for" {
        return None;
    }
    let [from, to, step] = [0, 1, 2].map(|at| constants::index(ir::operand(operation, at)));
    let (distance, step) = (to?.checked_sub(from?)?, step.filter(|step| *step > 0)?);
    Some(distance.max(0).unsigned_abs().div_ceil(step.unsigned_abs()))
}

/// The operands that an operation forwards: the initial values of a loop, or the values that a terminator yields.
///
/// They exclude the bounds of a loop and the condition of `scf.condition`. None for any other operation.
pub fn forwarded<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) -> Option<Range<usize>> {
    if let Some(carried) = carried(operation) {
        return Some(carried.operands..carried.operands + carried.count);
    }
    let first = match ir::name(&operation) {
        "scf.yield" | "affine.yield" | "memref.alloca_scope.return" => 0,
        "scf.condition" => 1,
        _ => return None,
    };
    Some(first..operation.operand_count())
}

/// The values that an operand becomes: arguments of regions, and results of the operation with the regions.
///
/// None if it is not forwarded: a loop bound, a condition, or an operand of an unknown operation.
pub fn successors<'c: 'a, 'a>(
    user: OperationRef<'c, 'a>,
    operand: usize,
) -> Option<Vec<Value<'c, 'a>>> {
    let forwarded = forwarded(user).filter(|forwarded| forwarded.contains(&operand))?;
    let place = operand - forwarded.start;
    if let Some(carried) = carried(user) {
        let argument = argument(user, 0, carried.arguments + place);
        // The results of `scf.while` come from its condition, even without an iteration.
        let result = (ir::name(&user) != "scf.while").then(|| result(user, place)).flatten();
        return Some(argument.into_iter().chain(result).collect());
    }
    let parent = user.parent_operation()?;
    Some(match (kind(&parent)?, ir::name(&parent), ir::name(&user)) {
        (Kind::Loop, _, "scf.condition") => {
            argument(parent, 1, place).into_iter().chain(result(parent, place)).collect()
        }
        (Kind::Loop, "scf.while", _) => argument(parent, 0, place).into_iter().collect(),
        (Kind::Loop, ..) => {
            let argument = argument(parent, 0, carried(parent)?.arguments + place);
            argument.into_iter().chain(result(parent, place)).collect()
        }
        (Kind::Branch | Kind::Once, ..) => result(parent, place).into_iter().collect(),
        (Kind::Parallel, ..) => return None,
    })
}

/// The operands that a value may be: operands of an operation with regions, and of the terminators in them.
///
/// None for any other value: an induction variable, or a result or an argument of an operation that is unknown or
/// computes its results from several values (`scf.parallel`).
pub fn predecessors<'c: 'a, 'a>(
    value: Value<'c, 'a>,
) -> Option<Vec<(OperationRef<'c, 'a>, usize)>> {
    match ir::defining_operation(value) {
        Some(operation) => {
            let place = result_number(operation, value)?;
            predecessors_of_result(operation, place)
        }
        None => {
            let home = ir::home(value).filter(|home| home.block == 0)?;
            predecessors_of_argument(home.parent, home.region, home.argument)
        }
    }
}

fn predecessors_of_result<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    place: usize,
) -> Option<Vec<(OperationRef<'c, 'a>, usize)>> {
    let first = || Some((operation, carried(operation)?.operands + place));
    Some(match (kind(&operation)?, ir::name(&operation)) {
        (Kind::Loop, "scf.while") => yields(operation, 0, place).collect(),
        (Kind::Loop, _) => [first()?].into_iter().chain(yields(operation, 0, place)).collect(),
        (Kind::Branch | Kind::Once, _) => {
            (0..operation.region_count()).flat_map(|at| yields(operation, at, place)).collect()
        }
        (Kind::Parallel, "scf.forall") => vec![first()?],
        (Kind::Parallel, _) => return None,
    })
}

fn predecessors_of_argument<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    region: usize,
    argument: usize,
) -> Option<Vec<(OperationRef<'c, 'a>, usize)>> {
    if ir::name(&operation) == "scf.while" && region == 1 {
        return Some(yields(operation, 0, argument).collect());
    }
    let carried = carried(operation)?;
    let place = argument.checked_sub(carried.arguments)?;
    let mut passed = vec![(operation, carried.operands + place)];
    // The terminator of an `scf.forall` yields nothing.
    if is_loop(&operation) {
        passed.extend(yields(operation, operation.region_count() - 1, place));
    }
    Some(passed)
}

/// The operands that the terminators of a region forward at `place`.
fn yields<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    region: usize,
    place: usize,
) -> impl Iterator<Item = (OperationRef<'c, 'a>, usize)> {
    let ends = terminators(operation, region).into_iter();
    ends.filter_map(move |end| Some((end, forwarded(end)?.start + place)))
}

/// The values that a value may be: the values of its [`predecessors`].
pub fn predecessor_values<'c: 'a, 'a>(value: Value<'c, 'a>) -> Option<Vec<Value<'c, 'a>>> {
    let operands = predecessors(value)?.into_iter();
    Some(operands.filter_map(|(operation, at)| operand_if_any(operation, at)).collect())
}

/// The initial operand of a value that a loop carries, or that an `scf.forall` shares.
///
/// `%init` for `%a` and `%r` in the example above. None for any other value.
pub fn initial<'c: 'a, 'a>(value: Value<'c, 'a>) -> Option<Value<'c, 'a>> {
    let (operation, place) = match ir::defining_operation(value) {
        Some(operation) => (operation, result_number(operation, value)?),
        None => {
            let home = ir::home(value).filter(|home| home.region == 0 && home.block == 0)?;
            let first = carried(home.parent)?.arguments;
            (home.parent, home.argument.checked_sub(first)?)
        }
    };
    operand_if_any(operation, carried(operation)?.operands + place)
}

/// The terminators through which control leaves a region.
pub fn terminators<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    region: usize,
) -> Vec<OperationRef<'c, 'a>> {
    // A terminator of an unregistered dialect is known only by its position.
    let last =
        |block: BlockRef<'c, 'a>| block.terminator().or_else(|| ir::block_operations(block).pop());
    let ends = ir::blocks_of(operation, region).into_iter().filter_map(last);
    ends.filter(|end| end.successor_count() == 0).collect()
}

/// True if two operations are in different regions of one branch, so that at most one of them is executed.
pub fn are_exclusive<'c, 'a>(one: OperationRef<'c, 'a>, other: OperationRef<'c, 'a>) -> bool {
    let around = |operation: OperationRef<'c, 'a>| {
        std::iter::successors(Some(operation), |at| at.parent_operation())
            .filter_map(|at| Some((at.parent_operation()?, at.block()?)))
    };
    let others: HashMap<_, _> =
        around(other).map(|(parent, block)| (ir::id(parent), block)).collect();
    around(one)
        .find_map(|(parent, block)| Some((parent, block, others.get(&ir::id(parent))?)))
        .is_some_and(|(parent, block, other)| block != *other && is_branch(&parent))
}

/// The operation of a block that is or contains an operation; None if there is none.
pub fn around<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    block: BlockRef<'c, 'a>,
) -> Option<OperationRef<'c, 'a>> {
    std::iter::successors(Some(operation), |at| at.parent_operation())
        .find(|at| at.block() == Some(block))
}

/// The place of a value among the results of the operation that defines it.
pub fn result_number(operation: OperationRef, value: Value) -> Option<usize> {
    operation.results().position(|result| ir::id(result) == ir::id(value))
}

fn result<'c: 'a, 'a>(operation: OperationRef<'c, 'a>, place: usize) -> Option<Value<'c, 'a>> {
    // Check the number first: melior's error prints the operation.
    (place < operation.result_count()).then(|| operation.result(place).ok().map(Value::from))?
}

fn argument<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    region: usize,
    place: usize,
) -> Option<Value<'c, 'a>> {
    argument_if_any(*ir::blocks_of(operation, region).first()?, place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;
    use melior::ir::ValueLike;
    use melior::ir::{Module, Type};
    use toy_diagnostics::source::Source;

    /// Each operation of the table. The width of a value's type identifies it: a forwarded value has the same width
    /// everywhere, so another width means another value.
    const PROGRAM: &str = "
func.func @f(%n: index, %c: i1, %a: i11, %b: i12, %t: tensor<4xf64>, %u: tensor<5xf64>) {
  %for:2 = scf.for %i = %n to %n step %n iter_args(%x = %a, %y = %b) -> (i11, i12) {
    scf.yield %x, %y : i11, i12
  }
  %while:2 = scf.while (%x = %a, %y = %b) : (i11, i12) -> (i12, i11) {
    scf.condition(%c) %y, %x : i12, i11
  } do {
  ^bb0(%y: i12, %x: i11):
    scf.yield %x, %y : i11, i12
  }
  %if:2 = scf.if %c -> (i11, i12) {
    scf.yield %a, %b : i11, i12
  } else {
    scf.yield %a, %b : i11, i12
  }
  %switch:2 = scf.index_switch %n -> i11, i12
  case 1 {
    scf.yield %a, %b : i11, i12
  }
  default {
    scf.yield %a, %b : i11, i12
  }
  %once:2 = scf.execute_region -> (i11, i12) {
    scf.yield %a, %b : i11, i12
  }
  %scope:2 = memref.alloca_scope -> (i11, i12) {
    memref.alloca_scope.return %a, %b : i11, i12
  }
  %affine:2 = affine.for %i = 0 to %n iter_args(%x = %a, %y = %b) -> (i11, i12) {
    affine.yield %x, %y : i11, i12
  }
  %chosen:2 = affine.if affine_set<(d0) : (d0 >= 0)>(%n) -> (i11, i12) {
    affine.yield %a, %b : i11, i12
  } else {
    affine.yield %a, %b : i11, i12
  }
  %all:2 = scf.forall (%i, %j) in (%n, 4) shared_outs(%x = %t, %y = %u) -> (tensor<4xf64>, tensor<5xf64>) {
    scf.forall.in_parallel {}
  }
  return
}";

    const WITH_REGIONS: [(&str, Kind); 9] = [
        ("scf.for", Kind::Loop),
        ("scf.while", Kind::Loop),
        ("scf.if", Kind::Branch),
        ("scf.index_switch", Kind::Branch),
        ("scf.execute_region", Kind::Once),
        ("memref.alloca_scope", Kind::Once),
        ("affine.for", Kind::Loop),
        ("affine.if", Kind::Branch),
        ("scf.forall", Kind::Parallel),
    ];

    fn with_program(test: impl FnOnce(Vec<OperationRef>)) {
        let session = Session::new();
        session.load_dialects(&["func", "scf", "affine", "memref", "tensor", "arith"]);
        let module: Module = session.parse(&Source::new("f.mlir", PROGRAM)).expect("valid");
        test(ir::operations(module.as_operation()));
    }

    /// The type of an operand, printed: types of one context are equal if they print the same.
    fn of(ty: Type) -> String {
        ty.to_string()
    }

    #[test]
    fn what_is_passed_on_keeps_its_type() {
        with_program(|operations| {
            let mut passed = 0;
            for operation in &operations {
                for place in 0..operation.operand_count() {
                    let from = of(ir::operand(*operation, place).r#type());
                    for value in successors(*operation, place).unwrap_or_default() {
                        assert_eq!(from, of(value.r#type()), "{operation} {place}");
                        let before = predecessors(value).expect("it is passed");
                        let is_it = |(other, at): &(OperationRef, usize)| {
                            ir::id(*other) == ir::id(*operation) && *at == place
                        };
                        assert!(before.iter().any(is_it), "{operation} {place}");
                        passed += 1;
                    }
                }
            }
            // Each operation forwards two values, along all of its edges.
            assert_eq!(passed, 8 + 8 + 4 + 4 + 2 + 2 + 8 + 4 + 4);
        });
    }

    #[test]
    fn every_result_and_carried_argument_has_predecessors() {
        with_program(|operations| {
            for (name, expected) in WITH_REGIONS {
                let operation = operations.iter().find(|it| ir::name(*it) == name);
                let operation = *operation.unwrap_or_else(|| panic!("no {name}"));
                assert_eq!(kind(&operation), Some(expected), "{name}");
                let arguments = carried(operation).map_or(0, |carried| carried.arguments);
                let results: Vec<Value> = operation.results().map(Value::from).collect();
                let regions = (0..operation.region_count()).flat_map(|at| {
                    let block = ir::blocks_of(operation, at)[0];
                    (arguments..block.argument_count())
                        .map(move |at| argument_if_any(block, at).expect("within the count"))
                });
                for value in results.into_iter().chain(regions) {
                    let before = predecessors(value).unwrap_or_else(|| panic!("{operation}"));
                    assert!(!before.is_empty(), "{operation}");
                    let values = predecessor_values(value).unwrap_or_default();
                    assert!(
                        values
                            .iter()
                            .map(|it| of(it.r#type()))
                            .eq(vec![of(value.r#type()); before.len()])
                    );
                    for (from, place) in before {
                        let after = successors(from, place).unwrap_or_default();
                        let is_found = after.iter().any(|other| ir::id(*other) == ir::id(value));
                        // In `scf.forall`, parallel operations compute the result from the shared value.
                        assert!(is_found, "{from} {place}");
                    }
                }
            }
        });
    }

    #[test]
    fn exactly_the_forwarded_operands_have_successors() {
        with_program(|operations| {
            for operation in operations {
                let forwarded = forwarded(operation).unwrap_or_default();
                for place in 0..operation.operand_count() {
                    let is_passed = successors(operation, place).is_some();
                    assert_eq!(forwarded.contains(&place), is_passed, "{operation} {place}");
                }
            }
        });
    }

    #[test]
    fn bounds_and_conditions_are_not_passed_on() {
        with_program(|operations| {
            let find = |name: &str| operations.iter().find(|it| ir::name(*it) == name).copied();
            for (name, operand) in [
                ("scf.for", 0),
                ("scf.for", 2),
                ("scf.if", 0),
                ("scf.condition", 0),
                ("affine.for", 0),
            ] {
                let operation = find(name).expect(name);
                assert!(successors(operation, operand).is_none(), "{name} {operand}");
            }
            let induction = ir::blocks(find("scf.for").expect("one"))[0];
            let induction = argument_if_any(induction, 0).expect("an induction variable");
            assert!(predecessors(induction).is_none() && initial(induction).is_none());
        });
    }

    #[test]
    fn a_loop_begins_with_its_operands() {
        with_program(|operations| {
            for name in ["scf.for", "affine.for", "scf.forall", "scf.while"] {
                let operation =
                    *operations.iter().find(|it| ir::name(*it) == name).expect("in the program");
                let carried = carried(operation).expect("a loop");
                let body = ir::blocks(operation)[0];
                for place in 0..carried.count {
                    let argument = argument_if_any(body, carried.arguments + place).expect("one");
                    let expected = ir::operand(operation, carried.operands + place);
                    assert_eq!(initial(argument).map(ir::id), Some(ir::id(expected)), "{name}");
                }
            }
        });
    }

    #[test]
    fn only_one_region_of_a_branch_is_executed() {
        with_program(|operations| {
            let yields = |name: &str| -> Vec<OperationRef> {
                let is_inside = |it: &&OperationRef| {
                    ir::name(*it).ends_with(".yield")
                        && it.parent_operation().is_some_and(|parent| ir::name(&parent) == name)
                };
                operations.iter().filter(is_inside).copied().collect()
            };
            for name in ["scf.if", "scf.index_switch", "affine.if"] {
                let [one, other] = yields(name)[..] else { panic!("two ends of {name}") };
                assert!(are_exclusive(one, other) && !are_exclusive(one, one), "{name}");
            }
            assert!(!are_exclusive(yields("scf.if")[0], yields("scf.index_switch")[0]));
        });
    }
}
