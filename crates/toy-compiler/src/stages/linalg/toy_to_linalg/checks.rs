//! Conversions between numbers and indices, and the checks that a program makes when it runs.
//!
//! A check is a branch that calls a function of the runtime that does not return. Calls of the runtime have texts as
//! attributes ([`crate::runtime_calls::texts`]): here the file, the line and the first words of the message.

use crate::builder::{Code, EQ, OGT, OLT, UGE, UNE};
use crate::dialect::control::{self, IndexUse};
use crate::dialect::ops::{self, Insertion, Kind};
use crate::dialect::shape::element_of_type;
use crate::runtime_calls::texts;
use melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::IntegerType;
use melior::ir::{BlockLike, Location, Module, Type, TypeLike, Value, ValueLike};
use mlir_support::pass::PassContext;
use mlir_support::{call_graph, ir, location};
use std::collections::HashMap;
use toy_diagnostics::text::printed;

/// Lowers a `toy.to_index`.
pub fn to_index<'c, 'a>(
    code: Code<'c, 'a>,
    operation: OperationRef<'c, 'a>,
) -> Option<Value<'c, 'a>> {
    let what = control::index_use(operation)?;
    let number = code.element_of(operation.operand(0).ok()?);
    let ty = number.r#type();
    // All whole numbers below it are exact.
    let limit = element_of_type(ty)?.exact();
    if let Some(index) = index_behind(number)
        && what != IndexUse::Step
    {
        return Some(index);
    }
    if let Some(known) = known_number(number).filter(|known| known.abs() < limit)
        && known.fract() == 0.0
        && (what != IndexUse::Step || known != 0.0)
    {
        let index = Type::index(code.context);
        let value = IntegerAttribute::new(index, known as i64).into();
        return Some(code.value("arith.constant", &[], index, &[("value", value)]));
    }
    // The range first: the conversion of a number that does not fit is poison.
    let below = code.compare("arith.cmpf", OLT, [number, code.constant(ty, limit)]);
    let above = code.compare("arith.cmpf", OGT, [number, code.constant(ty, -limit)]);
    let fits = code.value("arith.andi", &[below, above], code.truth_type(), &[]);
    let small = code.number("arith.select", &[fits, number, code.constant(ty, 0.0)]);
    let i64 = IntegerType::new(code.context, 64).into();
    let integer = code.value("arith.fptosi", &[small], i64, &[]);
    let back = code.value("arith.sitofp", &[integer], ty, &[]);
    let place = place(code, operation.location());
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

/// Lowers a `toy.from_index` to a scalar of a type.
pub fn from_index<'c, 'a>(code: Code<'c, 'a>, index: Value<'c, 'a>, ty: Type<'c>) -> Value<'c, 'a> {
    let i64 = IntegerType::new(code.context, 64).into();
    let integer = code.value("arith.index_cast", &[index], i64, &[]);
    scalar(code, "arith.sitofp", integer, ty)
}

/// Lowers a `toy.truth`.
pub fn truth<'c, 'a>(code: Code<'c, 'a>, scalar: Value<'c, 'a>) -> Value<'c, 'a> {
    let number = code.element_of(scalar);
    // It was made of a truth.
    match ir::defining_operation(number) {
        Some(definition) if ir::name(&definition) == "arith.uitofp" => ir::operand(definition, 0),
        _ => code.is_not_zero(number),
    }
}

/// Lowers a `toy.from_truth` to a scalar of a type.
pub fn from_truth<'c, 'a>(code: Code<'c, 'a>, truth: Value<'c, 'a>, ty: Type<'c>) -> Value<'c, 'a> {
    scalar(code, "arith.uitofp", truth, ty)
}

/// A scalar of a type, converted from an integer.
fn scalar<'c, 'a>(
    code: Code<'c, 'a>,
    conversion: &str,
    integer: Value<'c, 'a>,
    ty: Type<'c>,
) -> Value<'c, 'a> {
    let number = ir::element(ty).expect("verified: a tensor");
    code.scalar(code.value(conversion, &[integer], number, &[]))
}

/// Checks that an index is in a dimension of this size.
pub fn in_range<'c, 'a>(
    code: Code<'c, 'a>,
    operation: OperationRef<'c, 'a>,
    index: Value<'c, 'a>,
    size: u64,
) {
    if range(index, NESTED).is_some_and(|(least, most)| least >= 0 && most < size as i64) {
        return;
    }
    // A negative index is a large one.
    let size = code.index(size);
    let is_bad = code.compare("arith.cmpi", UGE, [index, size]);
    code.when(is_bad, |code| {
        let text = format!("{}: error: index ", place(code, operation.location()));
        texts::call(code, texts::FAIL_RANGE, &[index, size], &text);
    });
}

/// The value of an index that is a constant; None if it is negative.
pub fn known(index: Value) -> Option<u64> {
    u64::try_from(integer(index)?).ok()
}

/// The number of sums and differences of loop variables through which the range of an index is followed.
const NESTED: u32 = 8;

/// The least and the greatest value of an index, where it is made of constants and the variables of loops between
/// constants. Such an index needs no check.
fn range(index: Value, nested: u32) -> Option<(i64, i64)> {
    let Some(definition) = ir::defining_operation(index) else {
        let home = ir::home(index)?;
        if ir::name(&home.parent) != "scf.for" || home.argument != 0 {
            return None;
        }
        let constant = |at| integer(ir::operand(home.parent, at));
        let (from, to, step) = (constant(0)?, constant(1)?, constant(2)?);
        // It is not executed at all otherwise.
        return (from < to && step > 0).then_some((from, to - 1));
    };
    if let Some(known) = integer(index) {
        return Some((known, known));
    }
    let mut operands = definition.operands().map(|it| range(it, nested.checked_sub(1)?));
    match ir::name(&definition) {
        "arith.addi" => {
            let ((a, b), (c, d)) = (operands.next()??, operands.next()??);
            Some((a.checked_add(c)?, b.checked_add(d)?))
        }
        "arith.subi" => {
            let ((a, b), (c, d)) = (operands.next()??, operands.next()??);
            Some((a.checked_sub(d)?, b.checked_sub(c)?))
        }
        _ => None,
    }
}

fn integer(index: Value) -> Option<i64> {
    let definition = ir::defining_operation(index)?;
    let value = ops::attribute(&definition, "value")?;
    let is_constant = ir::name(&definition) == "arith.constant";
    is_constant.then(|| IntegerAttribute::try_from(value).ok()).flatten().map(|it| it.value())
}

fn known_number(number: Value) -> Option<f64> {
    let definition = ir::defining_operation(number)?;
    let is_constant = ir::name(&definition) == "arith.constant";
    let value = ops::attribute(&definition, "value").filter(|_| is_constant)?;
    Some(FloatAttribute::try_from(value).ok()?.value())
}

/// The index that a number was made of.
fn index_behind<'c: 'a, 'a>(number: Value<'c, 'a>) -> Option<Value<'c, 'a>> {
    let convert = ir::defining_operation(number)?;
    let cast = match ir::name(&convert) {
        "arith.sitofp" => ir::defining_operation(ir::operand(convert, 0))?,
        _ => return None,
    };
    let index = ir::operand(cast, 0);
    (ir::name(&cast) == "arith.index_cast" && index.r#type().is_index()).then_some(index)
}

/// Checks, at the start of each function of Toy operations that may call itself, that the stack is not full.
pub fn recursion<'c>(pass: &PassContext<'c>, module: &Module<'c>) {
    let functions: Vec<_> =
        ir::block_operations(module.body()).into_iter().filter(ops::is_function).collect();
    let names: HashMap<_, _> = functions
        .iter()
        .enumerate()
        .map(|(at, function)| (ops::symbol_name(function), at))
        .collect();
    let callees: Vec<Vec<usize>> = functions
        .iter()
        .map(|function| {
            let callees = ir::operations(*function).into_iter().filter_map(|it| ops::callee(&it));
            callees.filter_map(|name| names.get(&name).copied()).collect()
        })
        .collect();
    let in_cycle = call_graph::order(&callees).in_cycle;
    for (function, _) in functions.iter().zip(in_cycle).filter(|(_, in_cycle)| *in_cycle) {
        let is_toy = function.has_attribute("toy.specialization")
            || ir::any(*function, |operation| Kind::of(&operation).is_some());
        let first = ops::entry_block(*function).and_then(|block| block.first_operation());
        let Some(first) = first.filter(|_| is_toy) else { continue };
        let code = Code {
            context: pass.session.context(),
            at: Insertion::Before(first),
            location: function.location(),
            files: pass.locations,
        };
        let text = format!("{}: error: recursion is too deep\n", place(code, function.location()));
        texts::call(code, texts::ENTER, &[], &text);
    }
}

/// `FILE:LINE` as messages of a running program show it.
fn place(code: Code, location: Location) -> String {
    match location::place(location) {
        // Locations have other names for the file with debug information, and in `.mlir` input.
        Some(place) if place.file == code.files.file || place.file == "-" => {
            format!("{}:{}", code.files.source.name, place.start.0)
        }
        Some(place) => format!("{}:{}", printed(&place.file), place.start.0),
        None => code.files.source.name.clone(),
    }
}
