//! Constant expressions: scalars that follow from the text of the program and from shapes.
//!
//! Input: a value of a verified module, before or after shape inference. Output: its number, or why it has none.
//! Constants are numbers, `toy.shape`, and what `+ - * /`, the unary `-` and `floor` make of constants: in f64, as
//! the program would compute them. Axes, the bounds of ranges of elements and the length of `toy.range` must be
//! constants. Invariant: what simplification does before shapes are known changes no result, so that a program is
//! accepted at every level of optimization or at none: this looks through reshapes, casts and structs as well.

use crate::dialect::control::{Function, function};
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::shape_of;
use melior::ir::attribute::ArrayAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, Value, ValueLike};
use mlir_support::raw;
use std::collections::HashMap;

/// What a scalar is.
pub enum Evaluated<'c, 'a> {
    Number(f64),
    /// It depends on a shape that is not known yet.
    Open,
    /// It depends on this value, which is known only when the program runs.
    Runtime(Value<'c, 'a>),
}

/// An expression of more operations than this is no constant: a bound for generated programs.
const MOST: usize = 10_000;

/// The number that a value is.
pub fn evaluate<'c: 'a, 'a>(value: Value<'c, 'a>) -> Evaluated<'c, 'a> {
    // Of each operation visited, the number, if it is finished. Operands before users, by an explicit stack.
    let mut numbers: HashMap<usize, Option<f64>> = HashMap::new();
    let mut stack = vec![value];
    while let Some(value) = stack.last().copied() {
        let Some(operation) = raw::defining_operation(value) else {
            return Evaluated::Runtime(value);
        };
        if numbers.get(&key(value)).is_some_and(Option::is_some) {
            stack.pop();
            continue;
        }
        let operands = match step(operation) {
            Step::Number(number) => {
                numbers.insert(key(value), Some(number));
                stack.pop();
                continue;
            }
            Step::Open => return Evaluated::Open,
            Step::Runtime => return Evaluated::Runtime(value),
            Step::Of(operands) => operands,
        };
        let known = |operand: &Value| numbers.get(&key(*operand)).copied().flatten();
        if let Some(known) = operands.iter().map(known).collect::<Option<Vec<f64>>>() {
            match apply(operation, &known) {
                Some(number) => numbers.insert(key(value), Some(number)),
                None => return Evaluated::Open,
            };
            stack.pop();
        } else if numbers.insert(key(value), None).is_some() || numbers.len() > MOST {
            // It waits for itself, in code that is never reached.
            return Evaluated::Runtime(value);
        } else {
            stack.extend(operands.into_iter().filter(|operand| known_not(&numbers, *operand)));
        }
    }
    numbers.get(&key(value)).copied().flatten().map_or(Evaluated::Open, Evaluated::Number)
}

fn known_not(numbers: &HashMap<usize, Option<f64>>, value: Value) -> bool {
    !numbers.get(&key(value)).is_some_and(Option::is_some)
}

/// How an operation's number is found.
enum Step<'c, 'a> {
    Number(f64),
    Open,
    Runtime,
    /// From those of these values.
    Of(Vec<Value<'c, 'a>>),
}

fn step<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) -> Step<'c, 'a> {
    let all = || Step::Of(operation.operands().collect());
    match Kind::of(&operation) {
        Some(Kind::Constant) => match ops::attribute(&operation, "value").and_then(single) {
            Some(number) => Step::Number(number),
            None => Step::Runtime,
        },
        Some(Kind::Add | Kind::Sub | Kind::Mul | Kind::Div | Kind::Neg | Kind::Cast) => all(),
        Some(Kind::Math) if function(operation) == Some(Function::Floor) => all(),
        Some(Kind::Assign) => Step::Of(operation.operands().take(1).collect()),
        // Of one element: all others are no scalars at the end, or no constants.
        Some(Kind::Transpose | Kind::Reshape) => all(),
        Some(Kind::FromElements) if operation.operand_count() == 1 => all(),
        Some(Kind::Shape) => match operation.operand(0).map(|operand| operand.r#type()) {
            Ok(ty) if shape_of(ty).is_some() => Step::Of(operation.operands().skip(1).collect()),
            _ => Step::Open,
        },
        Some(Kind::StructAccess) => accessed(operation),
        _ => Step::Runtime,
    }
}

/// The field of a struct that is written out.
fn accessed<'c: 'a, 'a>(access: OperationRef<'c, 'a>) -> Step<'c, 'a> {
    let found = || {
        let index = ops::field_index(&access)?;
        let operation = raw::defining_operation(ops::source(access.operand(0).ok()?))?;
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

/// The number that an operation makes of those of its operands; None if it is a dimension that is not there, which is
/// an error of its own.
fn apply(operation: OperationRef, numbers: &[f64]) -> Option<f64> {
    let first = numbers.first().copied();
    let second = numbers.get(1).copied();
    match Kind::of(&operation)? {
        Kind::Add => Some(first? + second?),
        Kind::Sub => Some(first? - second?),
        Kind::Mul => Some(first? * second?),
        Kind::Div => Some(first? / second?),
        Kind::Neg => Some(-first?),
        Kind::Math => Some(first?.floor()),
        Kind::Shape => {
            let shape = shape_of(operation.operand(0).ok()?.r#type())?;
            let axis = axis_of(first?, shape.0.len())?;
            Some(shape.0[axis] as f64)
        }
        _ => first,
    }
}

/// The axis that a number names, of so many; None if there is none. Negative ones count from the end.
pub fn axis_of(number: f64, rank: usize) -> Option<usize> {
    let axis = whole(number)?;
    let axis = if axis < 0 { axis + rank as i64 } else { axis };
    usize::try_from(axis).ok().filter(|axis| *axis < rank)
}

/// A number as an integer, if it is a whole one of a magnitude below 2^53.
pub fn whole(number: f64) -> Option<i64> {
    (number.trunc() == number && number.abs() < (1u64 << 53) as f64).then_some(number as i64)
}

/// The element of a dense attribute that has one.
fn single(attribute: Attribute) -> Option<f64> {
    raw::dense_f64(attribute, 1)?.first().copied()
}

fn key(value: Value) -> usize {
    value.to_raw().ptr as usize
}
