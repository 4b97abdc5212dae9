//! Replaces whole numbers by integers where loops, branches and calls pass them on.
//!
//! Input: conversions to integers. Output: the converted numbers are integers wherever they are passed on, if all
//! numbers passed there are whole and not -0.0. A place has values, which receive the numbers, and sources, the
//! operands that are passed:
//!
//! | place | values | sources |
//! |---|---|---|
//! | carried by `scf.for` | argument of the body, result | operand, operand of the yield |
//! | yielded by `scf.if` | result | operands of both yields |
//! | carried by `scf.while` | argument before | operand, operand of the yield |
//! | passed on by `scf.condition` | argument after, result | operand of the condition |
//! | parameter | argument | operands of the calls |
//! | result of a function | results of the calls | operands of the returns |

use super::analysis::is_number;
use super::integers::Integers;
use crate::dialect::ops;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::r#type::IntegerType;
use melior::ir::{Value, ValueLike};
use mlir_support::builder::{Builder, Insertion};
use mlir_support::control_flow::{predecessors, result_number, successors};
use mlir_support::ir;
use std::collections::HashSet;

/// An operand: the operation and its number.
type Source<'c, 'a> = (OperationRef<'c, 'a>, usize);

/// A place that passes a number on.
#[derive(Clone, Copy)]
enum Place<'c, 'a> {
    /// A loop or a branch: the first of its sources.
    Region(Source<'c, 'a>),
    /// The numbers of a function and of its parameter.
    Parameter(usize, usize),
    /// The numbers of a function and of its result.
    Result(usize, usize),
}

/// Turns the numbers that the conversions need into integers.
pub fn convert<'c, 'a>(integers: &mut Integers<'c, 'a>, conversions: &[OperationRef<'c, 'a>]) {
    let places = demanded(integers, conversions);
    let context = integers.context;
    let i64 = IntegerType::new(context, 64).into();
    let values: Vec<_> = places.iter().flat_map(|place| place.values(integers)).collect();
    for value in values {
        let (ty, uses) = (value.r#type(), ir::uses(value));
        // The sources of the place get the same type below, and so does the type of its function.
        value.set_type(i64);
        let code = Builder::new(context, Insertion::after_definition(value), value.location());
        let number = code.value("arith.sitofp", &[value], ty, &[]);
        integers.ranges.set_same(number, value);
        for (user, operand) in uses {
            ir::mutable(user).set_operand(operand, number);
        }
    }
    for (operation, operand) in places.iter().flat_map(|place| place.sources(integers)) {
        let integer = integers.integer(ir::operand(operation, operand), operation);
        ir::mutable(operation).set_operand(operand, integer);
    }
    for place in &places {
        if let Place::Parameter(at, _) | Place::Result(at, _) = place {
            set_type(integers, *at);
        }
    }
}

/// Gives a function the type of its arguments and returned values.
fn set_type(integers: &Integers, at: usize) {
    let function = &integers.ranges.functions[at];
    let Some(block) = ops::entry_block(function.operation) else { return };
    let parameters: Vec<_> = ir::arguments(block).iter().map(|it| it.r#type()).collect();
    let end = function.body.iter().find(|it| ir::name(*it) == "func.return");
    let results: Vec<_> = match end {
        Some(end) => end.operands().map(|value| value.r#type()).collect(),
        None => ops::function_type(&function.operation).map(ops::results).unwrap_or_default(),
    };
    let ty = ops::function_type_of(integers.context, &parameters, &results);
    ir::set_attribute(function.operation, "function_type", ty);
}

/// The places that the converted numbers come from, directly or through other places.
fn demanded<'c, 'a>(
    integers: &Integers<'c, 'a>,
    conversions: &[OperationRef<'c, 'a>],
) -> Vec<Place<'c, 'a>> {
    let mut places = Vec::new();
    let (mut seen, mut seen_places) = (HashSet::new(), HashSet::new());
    let mut pending: Vec<_> =
        conversions.iter().map(|conversion| integers.ranges.converted(*conversion)).collect();
    while let Some(number) = pending.pop() {
        if !seen.insert(ir::id(number)) {
            continue;
        }
        let Some(place) = Place::of(integers, number) else {
            pending.extend(parts(integers, number));
            continue;
        };
        let is_plain = |value: &Value<'c, 'a>| integers.ranges.is_plain_integer(*value);
        let sources = place.sources(integers);
        let is_whole = !sources.is_empty() && place.values(integers).iter().all(is_plain);
        if seen_places.insert(place.key()) && is_whole {
            pending.extend(
                sources.into_iter().map(|(operation, operand)| ir::operand(operation, operand)),
            );
            places.push(place);
        }
    }
    places
}

/// The whole numbers that a number is computed from, if integers may compute it.
fn parts<'c, 'a>(integers: &Integers<'c, 'a>, number: Value<'c, 'a>) -> Vec<Value<'c, 'a>> {
    const STEPS: [&str; 8] = [
        "arith.addf",
        "arith.subf",
        "arith.mulf",
        "arith.divf",
        "arith.negf",
        "arith.select",
        "math.floor",
        "math.fma",
    ];
    let Some(definition) = ir::defining_operation(number) else { return Vec::new() };
    if let Some((of, _)) = integers.ranges.remainder(definition) {
        return vec![of];
    }
    if !STEPS.contains(&ir::name(&definition)) {
        return Vec::new();
    }
    let is_number = |value: &Value| is_number(value.r#type());
    let may_be_whole = |value: &Value<'c, 'a>| {
        ir::defined_by(*value, "arith.divf").is_some()
            || integers.ranges.range(*value).is_some_and(|range| range.is_integer())
    };
    definition.operands().filter(is_number).filter(may_be_whole).collect()
}

impl<'c, 'a> Place<'c, 'a> {
    /// The place that a value stands for.
    fn of(integers: &Integers<'c, 'a>, value: Value<'c, 'a>) -> Option<Self> {
        let (around, place) = match ir::defining_operation(value) {
            Some(definition) => (definition, result_number(definition, value)?),
            None => {
                let home = ir::home(value).filter(|home| home.block == 0)?;
                (home.parent, home.argument)
            }
        };
        match ir::name(&around) {
            "scf.for" | "scf.if" | "scf.while" => {
                Some(Self::Region(*predecessors(value)?.first()?))
            }
            "func.call" => Some(Self::Result(integers.ranges.callee(around)?, place)),
            "func.func" => {
                let at = *integers.ranges.named.get(&ops::symbol_name(&around))?;
                integers.ranges.functions[at].is_known.then_some(Self::Parameter(at, place))
            }
            _ => None,
        }
    }

    fn key(&self) -> (u8, usize, usize) {
        match self {
            Self::Region((operation, operand)) => (0, ir::id(*operation), *operand),
            Self::Parameter(function, place) => (1, *function, *place),
            Self::Result(function, place) => (2, *function, *place),
        }
    }

    fn values(&self, integers: &Integers<'c, 'a>) -> Vec<Value<'c, 'a>> {
        match *self {
            Self::Region((operation, operand)) => {
                successors(operation, operand).unwrap_or_default()
            }
            Self::Parameter(function, place) => {
                let entry = ops::entry_block(integers.ranges.functions[function].operation);
                entry.and_then(|entry| ir::argument_if_any(entry, place)).into_iter().collect()
            }
            Self::Result(function, place) => {
                let calls = &integers.ranges.functions[function].calls;
                calls.iter().filter_map(|(call, _)| Some(call.result(place).ok()?.into())).collect()
            }
        }
    }

    fn sources(&self, integers: &Integers<'c, 'a>) -> Vec<Source<'c, 'a>> {
        match *self {
            Self::Region(_) => {
                let value = self.values(integers).first().copied();
                value.and_then(predecessors).unwrap_or_default()
            }
            Self::Parameter(function, place) => {
                let calls = &integers.ranges.functions[function].calls;
                calls.iter().map(|(call, _)| (*call, place)).collect()
            }
            Self::Result(function, place) => {
                let body = integers.ranges.functions[function].body.iter();
                body.filter(|it| ir::name(*it) == "func.return").map(|end| (*end, place)).collect()
            }
        }
    }
}
