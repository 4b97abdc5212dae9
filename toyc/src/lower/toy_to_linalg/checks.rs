//! Conversions between numbers and indices, and the checks that a program makes when it runs.
//!
//! A check is a branch that calls a function of the runtime that does not return. Calls of the runtime have texts as
//! attributes ([`crate::lower::texts`]): here the file, the line and the first words of the message.

use super::code::{Code, EQ, OGT, OLT, UGE, UNE};
use crate::dialect::control::{self, IndexUse};
use crate::dialect::ops;
use crate::lower::texts;
use melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::IntegerType;
use melior::ir::{Location, Type, TypeLike, Value, ValueLike};
use mlir_support::{location, raw};

/// All whole numbers below it are exact.
const LIMIT: f64 = (1_u64 << 53) as f64;

/// Lowers a `toy.to_index`.
pub fn to_index<'c, 'a>(
    code: Code<'c, 'a>,
    operation: OperationRef<'c, 'a>,
) -> Option<Value<'c, 'a>> {
    let what = control::index_use(operation)?;
    let number = code.element_of(operation.operand(0).ok()?);
    if let Some(index) = index_behind(number)
        && what != IndexUse::Step
    {
        return Some(index);
    }
    if let Some(known) = known_number(number).filter(|known| known.abs() < LIMIT)
        && known.fract() == 0.0
        && (what != IndexUse::Step || known != 0.0)
    {
        let ty = Type::index(code.context);
        let value = IntegerAttribute::new(ty, known as i64).into();
        return Some(code.value("arith.constant", &[], ty, &[("value", value)]));
    }
    // The range first: the conversion of a number that does not fit is poison.
    let below = code.compare("arith.cmpf", OLT, [number, code.constant(LIMIT)]);
    let above = code.compare("arith.cmpf", OGT, [number, code.constant(-LIMIT)]);
    let fits = code.value("arith.andi", &[below, above], code.truth_type(), &[]);
    let small = code.number("arith.select", &[fits, number, code.constant(0.0)]);
    let i64 = IntegerType::new(code.context, 64).into();
    let integer = code.value("arith.fptosi", &[small], i64, &[]);
    let back = code.number("arith.sitofp", &[integer]);
    let place = place(operation.location());
    let is_bad = code.compare("arith.cmpf", UNE, [back, number]);
    code.when(is_bad, |code| {
        let text = format!("{place}: error: {} ", what.name());
        texts::call(code, texts::FAIL_WHOLE, &[number], &text);
    });
    if what == IndexUse::Step {
        let zero = IntegerAttribute::new(i64, 0).into();
        let zero = code.value("arith.constant", &[], i64, &[("value", zero)]);
        let is_zero = code.compare("arith.cmpi", EQ, [integer, zero]);
        code.when(is_zero, |code| {
            let text = format!("{place}: error: the step of the range is 0\n");
            texts::call(code, texts::FAIL, &[], &text);
        });
    }
    Some(code.value("arith.index_cast", &[integer], Type::index(code.context), &[]))
}

/// Lowers a `toy.from_index`.
pub fn from_index<'c, 'a>(code: Code<'c, 'a>, index: Value<'c, 'a>) -> Value<'c, 'a> {
    let i64 = IntegerType::new(code.context, 64).into();
    let integer = code.value("arith.index_cast", &[index], i64, &[]);
    code.scalar(code.number("arith.sitofp", &[integer]))
}

/// Lowers a `toy.truth`.
pub fn truth<'c, 'a>(code: Code<'c, 'a>, scalar: Value<'c, 'a>) -> Value<'c, 'a> {
    let number = code.element_of(scalar);
    // It was made of a truth.
    match raw::defining_operation(number) {
        Some(definition) if raw::name(&definition) == "arith.uitofp" => raw::operand(definition, 0),
        _ => code.is_not_zero(number),
    }
}

/// Lowers a `toy.from_truth`.
pub fn from_truth<'c, 'a>(code: Code<'c, 'a>, truth: Value<'c, 'a>) -> Value<'c, 'a> {
    code.scalar(code.number("arith.uitofp", &[truth]))
}

/// Checks that an index is in a dimension of this size.
pub fn in_range<'c, 'a>(
    code: Code<'c, 'a>,
    operation: OperationRef<'c, 'a>,
    index: Value<'c, 'a>,
    size: u64,
) {
    if known(index).is_some_and(|known| known < size) {
        return;
    }
    // A negative index is a large one.
    let size = code.index(size);
    let is_bad = code.compare("arith.cmpi", UGE, [index, size]);
    code.when(is_bad, |code| {
        let text = format!("{}: error: index ", place(operation.location()));
        texts::call(code, texts::FAIL_RANGE, &[index, size], &text);
    });
}

/// The value of an index that is a constant; None if it is negative.
pub fn known(index: Value) -> Option<u64> {
    let definition = raw::defining_operation(index)?;
    let value = ops::attribute(&definition, "value")?;
    let is_constant = raw::name(&definition) == "arith.constant";
    let value = is_constant.then(|| IntegerAttribute::try_from(value).ok()).flatten()?;
    u64::try_from(value.value()).ok()
}

fn known_number(number: Value) -> Option<f64> {
    let definition = raw::defining_operation(number)?;
    let is_constant = raw::name(&definition) == "arith.constant";
    let value = ops::attribute(&definition, "value").filter(|_| is_constant)?;
    Some(FloatAttribute::try_from(value).ok()?.value())
}

/// The index that a number was made of.
fn index_behind<'c: 'a, 'a>(number: Value<'c, 'a>) -> Option<Value<'c, 'a>> {
    let convert = raw::defining_operation(number)?;
    let cast = match raw::name(&convert) {
        "arith.sitofp" => raw::defining_operation(raw::operand(convert, 0))?,
        _ => return None,
    };
    let index = raw::operand(cast, 0);
    (raw::name(&cast) == "arith.index_cast" && index.r#type().is_index()).then_some(index)
}

/// `FILE:LINE` as messages of a running program show it.
pub fn place(location: Location) -> String {
    match location::place(location) {
        Some(place) => format!("{}:{}", place.file, place.start.0),
        None => "toy".to_owned(),
    }
}
