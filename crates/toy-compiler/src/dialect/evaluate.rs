//! Constant expressions: scalars that follow from the text of the program and from shapes.
//!
//! Input: a value of a verified module, before or after shape inference. Output: its number, or why it has none.
//! Constants are numbers, `toy.shape`, and the results of `+ - * / %`, the unary `-`, `floor`, `round`, `trunc`,
//! comparisons and logic on constants: in f64, as the program would compute them; a truth is 1 or 0. Axes, the bounds of ranges of elements
//! and the length of `toy.range` must be constants. Invariant: simplification before shapes are known does not change
//! the results, so every level of optimization accepts the same programs: evaluation looks through reshapes, casts
//! and structs, too.

use crate::dialect::control::{function, predicate};
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::{Element, element_of, is_unranked, shape_of};
use melior::ir::attribute::ArrayAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, TypeLike, Value, ValueLike};
use mlir_support::control_flow::predecessor_values;
use mlir_support::{constants, ir};
use std::collections::{HashMap, HashSet};
use toy_syntax::builtins;

/// The result of an evaluation.
pub enum Evaluated<'c, 'a> {
    Number(f64),
    /// It depends on a shape that is not known yet.
    Open,
    /// It depends on this value, which is known only when the program runs.
    Runtime(Value<'c, 'a>),
}

/// An expression with more operations is not constant: a bound for generated programs.
const MOST: usize = 10_000;

/// The known values, by their addresses, so that none is computed twice. Valid until one of these operations is
/// freed.
#[derive(Default)]
pub struct Numbers {
    numbers: HashMap<usize, f64>,
    /// Values that are known only when the program runs: a chain of `&&` asks for each of its parts.
    at_runtime: HashSet<usize>,
}

impl Numbers {
    /// After a change of the program, a value may have become constant.
    pub fn look_again(&mut self) {
        self.at_runtime.clear();
    }

    fn of(&self, value: Value) -> Option<f64> {
        self.numbers.get(&ir::id(value)).copied()
    }
}

/// Evaluates a value.
pub fn evaluate<'c: 'a, 'a>(value: Value<'c, 'a>) -> Evaluated<'c, 'a> {
    evaluate_with(value, &mut Numbers::default())
}

/// Evaluates a value with the known numbers, and adds to them.
pub fn evaluate_with<'c: 'a, 'a>(value: Value<'c, 'a>, known: &mut Numbers) -> Evaluated<'c, 'a> {
    // Operands before users, by an explicit stack.
    let mut stack = vec![value];
    // The operations that wait, with their operand counts.
    let mut waiting = HashSet::new();
    while let Some(value) = stack.last().copied() {
        if known.of(value).is_some() {
            stack.pop();
            continue;
        }
        let is_at_runtime = known.at_runtime.contains(&ir::id(value));
        let operation = ir::defining_operation(value).filter(|_| !is_at_runtime);
        let step = operation.map_or(Step::Runtime, |operation| step(operation, value, known));
        let (operands, operation) = match (step, operation) {
            (Step::Of(operands), Some(operation)) => (operands, operation),
            (Step::Number(number), _) => {
                known.numbers.insert(ir::id(value), number);
                stack.pop();
                continue;
            }
            (Step::Open, _) => return Evaluated::Open,
            _ => {
                // So are those that wait for it.
                known.at_runtime.insert(ir::id(value));
                known.at_runtime.extend(waiting.into_iter().map(|(value, _)| value));
                return Evaluated::Runtime(value);
            }
        };
        let numbers = operands.iter().map(|operand| known.of(*operand));
        if let Some(numbers) = numbers.collect::<Option<Vec<f64>>>() {
            match apply(operation, &numbers) {
                Some(number) => {
                    let number = element_of(value.r#type()).nearest(number);
                    known.numbers.insert(ir::id(value), number)
                }
                None => return Evaluated::Open,
            };
            stack.pop();
        } else if !waiting.insert((ir::id(value), operands.len())) || waiting.len() > MOST {
            // It waits for itself, in unreachable code.
            return Evaluated::Runtime(value);
        } else {
            stack.extend(operands.into_iter().filter(|operand| known.of(*operand).is_none()));
        }
    }
    known.of(value).map_or(Evaluated::Open, Evaluated::Number)
}

/// How an operation's number is found.
enum Step<'c, 'a> {
    Number(f64),
    Open,
    Runtime,
    /// From the numbers of these values.
    Of(Vec<Value<'c, 'a>>),
}

fn step<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    value: Value<'c, 'a>,
    known: &Numbers,
) -> Step<'c, 'a> {
    let all = || Step::Of(operation.operands().collect());
    match Kind::of(&operation) {
        Some(Kind::Constant) => match ops::attribute(&operation, "value").and_then(single) {
            Some(number) => Step::Number(number),
            None => Step::Runtime,
        },
        Some(Kind::Math) if of_constant(operation).is_some() => all(),
        Some(Kind::Compare) => all(),
        // Later operations have the element type that follows from it.
        Some(Kind::Convert) if is_unranked(value.r#type()) => Step::Open,
        Some(Kind::Convert) => all(),
        Some(Kind::FromElements) if operation.operand_count() == 1 => all(),
        Some(Kind::Shape) => match operation.operand(0).map(|operand| operand.r#type()) {
            Ok(ty) if shape_of(ty).is_some() => Step::Of(operation.operands().skip(1).collect()),
            _ => Step::Open,
        },
        Some(Kind::StructAccess) => accessed(operation),
        Some(kind) if kind.arithmetic().is_some() => all(),
        Some(kind) if kind.definition().constant.is_some() => {
            Step::Of(operation.operands().take(1).collect())
        }
        None => match ir::name(&operation) {
            "arith.constant" => match constants::integer(value) {
                Some(number) if value.r#type().is_index() => Step::Number(number as f64),
                Some(truth) => Step::Number(if truth == 0 { 0.0 } else { 1.0 }),
                None => Step::Runtime,
            },
            "arith.xori" => all(),
            "scf.if" => branch(operation, value, known),
            _ => Step::Runtime,
        },
        _ => Step::Runtime,
    }
}

/// The step of `&&` and `||`: first the condition, then, once it is known, the value that the taken branch yields.
fn branch<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    value: Value<'c, 'a>,
    known: &Numbers,
) -> Step<'c, 'a> {
    let found = || {
        let condition = operation.operand(0).ok()?;
        let Some(truth) = known.of(condition) else {
            return Some(Step::Of(vec![condition]));
        };
        let yielded = *predecessor_values(value)?.get(usize::from(truth == 0.0))?;
        Some(Step::Of(vec![condition, yielded]))
    };
    found().unwrap_or(Step::Runtime)
}

/// The field of a struct constructor or constant.
fn accessed<'c: 'a, 'a>(access: OperationRef<'c, 'a>) -> Step<'c, 'a> {
    let found = || {
        let index = ops::field_index(&access)?;
        let operation = ir::defining_operation(ops::source(access.operand(0).ok()?))?;
        match Kind::of(&operation) {
            Some(Kind::StructCreate) => Some(Step::Of(vec![operation.operand(index).ok()?])),
            Some(Kind::StructConstant) => {
                let fields = ArrayAttribute::try_from(ops::attribute(&operation, "value")?).ok()?;
                single(fields.element(index).ok()?).map(Step::Number)
            }
            _ => None,
        }
    };
    found().unwrap_or(Step::Runtime)
}

/// The result of an operation on the numbers of its operands; None for a missing dimension, which is a separate
/// error.
fn apply(operation: OperationRef, numbers: &[f64]) -> Option<f64> {
    let first = numbers.first().copied();
    let second = numbers.get(1).copied();
    let Some(kind) = Kind::of(&operation) else {
        return match ir::name(&operation) {
            "arith.xori" => Some(if first? == second? { 0.0 } else { 1.0 }),
            _ => second,
        };
    };
    match kind {
        Kind::Compare => predicate(operation)?.operator().of_numbers(first?, second?),
        Kind::Math => Some(of_constant(operation)?(first?)),
        Kind::Shape => {
            let shape = shape_of(operation.operand(0).ok()?.r#type())?;
            let axis = axis_of(first?, shape.0.len())?;
            Some(shape.0[axis] as f64)
        }
        _ => match (kind.arithmetic(), kind.definition().constant) {
            (Some(of), _) => Some(of(first?, second?)),
            (None, Some(of)) => first.map(of),
            // A literal of one element, or a field.
            (None, None) => first,
        },
    }
}

/// The function that a `toy.math` computes of a constant.
fn of_constant(operation: OperationRef) -> Option<fn(f64) -> f64> {
    builtins::of_constant(function(operation)?.name())
}

/// The axis with a number in a tensor of a rank; None if it does not exist. Negative ones count from the end.
pub fn axis_of(number: f64, rank: usize) -> Option<usize> {
    let axis = whole(number)?;
    let axis = if axis < 0 { axis + rank as i64 } else { axis };
    usize::try_from(axis).ok().filter(|axis| *axis < rank)
}

/// A number as an integer, if it is whole and its magnitude is below 2^53.
pub fn whole(number: f64) -> Option<i64> {
    (number.trunc() == number && number.abs() < Element::DEFAULT.exact()).then_some(number as i64)
}

/// The element of a dense attribute with one element.
fn single(attribute: Attribute) -> Option<f64> {
    ir::dense_floats(attribute, 1)?.first().copied()
}
