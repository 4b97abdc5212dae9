//! Conversions between numbers and indices, and the checks that a program makes when it runs.
//!
//! A check is a branch that calls a function of the runtime that does not return. Calls of the runtime have texts as
//! attributes ([`crate::runtime_calls::texts`]): here the place, the function and the first words of the message.

use super::element_wise::converted;
use crate::dialect::control::{self, IndexUse};
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::Element;
use crate::runtime_calls::texts::{self, Site};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, Module, Type, TypeLike, Value, ValueLike};
use mlir_support::builder::{Builder, EQ, OGT, OLT, SLT, UGE, UNE};
use mlir_support::pass::PassContext;
use mlir_support::range::{self, Range};
use mlir_support::{Locations, call_graph, constants, ir};
use std::collections::HashMap;

/// Lowers a `toy.to_index`.
pub fn to_index<'c, 'a>(
    code: Builder<'c, 'a>,
    files: &Locations,
    operation: OperationRef<'c, 'a>,
) -> Option<Value<'c, 'a>> {
    let what = control::index_use(operation)?;
    let number = converted(code, code.element_of(operation.operand(0).ok()?), Element::DEFAULT);
    let (ty, index, i64) = (number.r#type(), Type::index(code.context), code.i64_type());
    // All whole numbers below it are exact.
    let limit = Element::DEFAULT.exact();
    if let Some(index) = index_behind(number)
        && what != IndexUse::Step
    {
        return Some(index);
    }
    if let Some(known) = constants::float(number).filter(|known| known.abs() < limit)
        && known.fract() == 0.0
        && (what != IndexUse::Step || known != 0.0)
    {
        return Some(code.integer(index, known as i64));
    }
    // The range first: the conversion of a number that does not fit is poison.
    let below = code.compare(OLT, [number, code.float(ty, limit)]);
    let above = code.compare(OGT, [number, code.float(ty, -limit)]);
    let fits = code.computed("arith.andi", &[below, above]);
    let small = code.computed("arith.select", &[fits, number, code.float(ty, 0.0)]);
    let integer = code.value("arith.fptosi", &[small], i64, &[]);
    let back = code.value("arith.sitofp", &[integer], ty, &[]);
    let site = site(files, operation);
    let is_bad = code.compare(UNE, [back, number]);
    code.when(is_bad, |code| {
        texts::check(code, texts::FAIL_WHOLE, &[number], &site, &format!("{} ", what.name()));
    });
    if what == IndexUse::Step {
        let is_zero = code.compare(EQ, [integer, code.integer(i64, 0)]);
        code.when(is_zero, |code| {
            texts::check(code, texts::FAIL, &[], &site, "the step of the range is 0\n");
        });
    }
    Some(code.value("arith.index_cast", &[integer], index, &[]))
}

/// Lowers a `toy.from_index` to a scalar of a type.
pub fn from_index<'c, 'a>(
    code: Builder<'c, 'a>,
    index: Value<'c, 'a>,
    ty: Type<'c>,
) -> Value<'c, 'a> {
    let integer = code.value("arith.index_cast", &[index], code.i64_type(), &[]);
    scalar(code, "arith.sitofp", integer, ty)
}

/// Lowers a `toy.truth`.
pub fn truth<'c, 'a>(code: Builder<'c, 'a>, scalar: Value<'c, 'a>) -> Value<'c, 'a> {
    let number = code.element_of(scalar);
    match ir::defined_by(number, "arith.uitofp") {
        Some(made_of_truth) => ir::operand(made_of_truth, 0),
        None => code.is_not_zero(number),
    }
}

/// Lowers a `toy.from_truth` to a scalar of a type.
pub fn from_truth<'c, 'a>(
    code: Builder<'c, 'a>,
    truth: Value<'c, 'a>,
    ty: Type<'c>,
) -> Value<'c, 'a> {
    scalar(code, "arith.uitofp", truth, ty)
}

/// A scalar of a type, converted from an integer.
fn scalar<'c, 'a>(
    code: Builder<'c, 'a>,
    conversion: &str,
    integer: Value<'c, 'a>,
    ty: Type<'c>,
) -> Value<'c, 'a> {
    let number = ir::element(ty).expect("verified: a tensor");
    code.scalar(code.value(conversion, &[integer], number, &[]))
}

/// Checks that an index is in a dimension of this size; `site` is in the message.
pub fn in_range<'c, 'a>(code: Builder<'c, 'a>, site: &Site, index: Value<'c, 'a>, size: u64) {
    window_in_range(code, site, index, 1, size);
}

/// Checks that as many elements from an index on are in a dimension of a size, which is not smaller.
pub fn window_in_range<'c, 'a>(
    code: Builder<'c, 'a>,
    site: &Site,
    index: Value<'c, 'a>,
    length: u64,
    size: u64,
) {
    let most = size.saturating_sub(length) + 1;
    // An index that is made of constants and the variables of loops between constants may need no check.
    let range = range::of_index(index, NESTED, &of_variable);
    if range.is_some_and(|range| range.low >= 0.0 && range.high < most as f64) {
        return;
    }
    // A negative index is a large one.
    let is_bad = code.compare(UGE, [index, code.index(most)]);
    code.when(is_bad, |code| {
        let size = code.index(size);
        let (index, words) = match length {
            1 => (index, "index ".to_owned()),
            // The last one, unless the first one is negative.
            _ => {
                let last =
                    code.value("arith.addi", &[index, code.index(length - 1)], index.r#type(), &[]);
                let is_negative = code.compare(SLT, [index, code.index(0)]);
                let index = code.computed("arith.select", &[is_negative, index, last]);
                (index, format!("a range of {length} elements with index "))
            }
        };
        texts::check(code, texts::FAIL_RANGE, &[index, size], site, &words);
    });
}

/// The number of sums and differences of loop variables through which the range of an index is followed.
const NESTED: u32 = 8;

/// The range of the variable of a loop between constants.
fn of_variable(value: Value) -> Option<Range> {
    let home = ir::home(value)?;
    if ir::name(&home.parent) != "scf.for" || home.argument != 0 {
        return None;
    }
    let constant = |at| constants::integer(ir::operand(home.parent, at));
    let (from, to, step) = (constant(0)?, constant(1)?, constant(2)?);
    // It is not executed at all otherwise.
    (from < to && step > 0).then(|| Range::of_integers(from as f64, (to - 1) as f64))?
}

/// The index that a number was made of.
fn index_behind<'c: 'a, 'a>(number: Value<'c, 'a>) -> Option<Value<'c, 'a>> {
    let integer = ir::operand(ir::defined_by(number, "arith.sitofp")?, 0);
    let index = ir::operand(ir::defined_by(integer, "arith.index_cast")?, 0);
    index.r#type().is_index().then_some(index)
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
        let code = Builder::before(pass.session.context(), first).located(function.location());
        let site = site(&pass.locations, *function);
        texts::check(code, texts::ENTER, &[], &site, "recursion is too deep\n");
    }
}

/// The place of an operation and its function, as failures show them.
pub fn site<'c: 'a, 'a>(files: &Locations, operation: OperationRef<'c, 'a>) -> Site {
    let mut function = Some(operation);
    while let Some(inner) = function.filter(|it| !ops::is_function(it)) {
        function = inner.parent_operation();
    }
    // A specialization has the key that people read.
    let name = function.map(|it| {
        ops::string_attribute(&it, "toy.specialization").unwrap_or_else(|| ops::symbol_name(&it))
    });
    Site::new(files, operation.location(), &name.unwrap_or_default())
}
