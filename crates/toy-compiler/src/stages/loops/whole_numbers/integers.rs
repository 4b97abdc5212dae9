//! Computes whole numbers with integers.
//!
//! Input: a number of type `f64` whose range consists of integers. Output: an `i64` of the same value. Its
//! operands are computed with integers as far as each step is one in `f64`, too: sums, differences, products,
//! remainders and quotients that are rounded down, of whole numbers. The rest is converted.

use super::analysis::Ranges;
use super::range::is_divisor;
use crate::dialect::ops::{self, Insertion};
use melior::Context;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Identifier, Type, Value, ValueLike};
use mlir_support::ir;
use std::collections::HashMap;

/// The number of steps that an expression is followed back.
const STEPS: u32 = 32;

/// `arith.cmpi`'s numbers of predicates.
const SLT: i64 = 2;
const SGE: i64 = 5;

pub struct Integers<'c, 'a> {
    pub context: &'c Context,
    pub ranges: Ranges<'c, 'a>,
}

/// The insertion point of integers, and the existing integers by number.
struct Code<'c, 'a> {
    before: OperationRef<'c, 'a>,
    made: HashMap<usize, Value<'c, 'a>>,
}

impl<'c, 'a> Integers<'c, 'a> {
    pub fn new(context: &'c Context, ranges: Ranges<'c, 'a>) -> Self {
        Self { context, ranges }
    }

    pub fn i64_type(&self) -> Type<'c> {
        IntegerType::new(self.context, 64).into()
    }

    /// Replaces an `arith.fptosi` of whole numbers.
    pub fn replace(&self, conversion: OperationRef<'c, 'a>) {
        let integer = self.integer(self.ranges.converted(conversion), conversion);
        ir::replace_all_uses(ops::result(conversion), integer);
    }

    /// A number as an integer, computed before an operation. Its range must consist of integers.
    pub fn integer(&self, number: Value<'c, 'a>, before: OperationRef<'c, 'a>) -> Value<'c, 'a> {
        self.steps(number, &mut Code { before, made: HashMap::new() }, STEPS)
    }

    fn steps(&self, number: Value<'c, 'a>, code: &mut Code<'c, 'a>, left: u32) -> Value<'c, 'a> {
        let key = ir::id(number);
        if let Some(made) = code.made.get(&key) {
            return *made;
        }
        let computed = left.checked_sub(1).and_then(|left| self.computed(number, code, left));
        let integer = computed
            .unwrap_or_else(|| self.value("arith.fptosi", &[number], self.i64_type(), code.before));
        code.made.insert(key, integer);
        integer
    }

    /// The integer, if the number is made of others by a step that integers can do.
    fn computed(
        &self,
        number: Value<'c, 'a>,
        code: &mut Code<'c, 'a>,
        left: u32,
    ) -> Option<Value<'c, 'a>> {
        let definition = ir::defining_operation(number)?;
        let operand = |place| ir::operand(definition, place);
        let is_integer = |value| self.ranges.range(value).is_some_and(|range| range.is_integer());
        let before = code.before;
        match ir::name(&definition) {
            "arith.constant" => {
                let value = self.ranges.range(number)?.single()?;
                Some(self.constant(value as i64, before))
            }
            "arith.sitofp" => {
                (ir::signless_width(operand(0).r#type()) == Some(64)).then(|| operand(0))
            }
            "arith.uitofp" if ir::signless_width(operand(0).r#type()) == Some(1) => {
                Some(self.value("arith.extui", &[operand(0)], self.i64_type(), before))
            }
            "arith.negf" if is_integer(operand(0)) => {
                let of = self.steps(operand(0), code, left);
                Some(self.of_two("arith.subi", self.constant(0, before), of, before))
            }
            "arith.select" => match self.ranges.clamped(definition) {
                Some(inside) => Some(self.steps(inside, code, left)),
                None if is_integer(operand(1)) && is_integer(operand(2)) => {
                    let [yes, no] = [1, 2].map(|place| self.steps(operand(place), code, left));
                    Some(self.value(
                        "arith.select",
                        &[operand(0), yes, no],
                        self.i64_type(),
                        before,
                    ))
                }
                None => None,
            },
            "math.floor" if is_integer(operand(0)) => Some(self.steps(operand(0), code, left)),
            "math.floor" => self.quotient(operand(0), code, left),
            name => {
                if let Some((of, divisor)) = self.ranges.remainder(definition) {
                    return Some(self.remainder(of, divisor, code, left));
                }
                let name = match name {
                    "arith.addf" => "arith.addi",
                    "arith.subf" => "arith.subi",
                    "arith.mulf" => "arith.muli",
                    _ => return None,
                };
                if !is_integer(operand(0)) || !is_integer(operand(1)) {
                    return None;
                }
                let [one, other] = [0, 1].map(|place| self.steps(operand(place), code, left));
                Some(self.of_two(name, one, other, before))
            }
        }
    }

    /// The quotient, rounded down, of a whole number and a constant.
    fn quotient(
        &self,
        quotient: Value<'c, 'a>,
        code: &mut Code<'c, 'a>,
        left: u32,
    ) -> Option<Value<'c, 'a>> {
        let division =
            ir::defining_operation(quotient).filter(|it| ir::name(it) == "arith.divf")?;
        let number = ir::operand(division, 0);
        let range = self.ranges.range(number)?;
        let divisor = self.ranges.range(ir::operand(division, 1))?.single()?;
        // A quotient is rounded exactly if the remainder has a range.
        if !is_divisor(divisor) || range.remainder(divisor).is_none() {
            return None;
        }
        let before = code.before;
        let of = self.steps(number, code, left);
        if let Some(bits) = power_of_two(divisor) {
            let bits = self.constant(bits, before);
            return Some(self.of_two("arith.shrsi", of, bits, before));
        }
        let by = self.constant(divisor as i64, before);
        let truncated = self.of_two("arith.divsi", of, by, before);
        if range.low >= 0.0 {
            return Some(truncated);
        }
        let product = self.of_two("arith.muli", truncated, by, before);
        let is_above = self.compare(SLT, of, product, before);
        let one = self.constant(1, before);
        let below = self.of_two("arith.subi", truncated, one, before);
        Some(self.value("arith.select", &[is_above, below, truncated], self.i64_type(), before))
    }

    /// The remainder of a division that is rounded down.
    fn remainder(
        &self,
        of: Value<'c, 'a>,
        divisor: f64,
        code: &mut Code<'c, 'a>,
        left: u32,
    ) -> Value<'c, 'a> {
        let before = code.before;
        let range = self.ranges.range(of);
        let number = self.steps(of, code, left);
        if power_of_two(divisor).is_some() {
            let mask = self.constant(divisor as i64 - 1, before);
            return self.of_two("arith.andi", number, mask, before);
        }
        let by = self.constant(divisor as i64, before);
        let zero = self.constant(0, before);
        let ty = self.i64_type();
        let (low, high) = range.map_or((f64::MIN, f64::MAX), |range| (range.low, range.high));
        // Around at most once: no division.
        if -divisor <= low && high < 2.0 * divisor {
            let mut rest = number;
            if high >= divisor {
                let is_above = self.compare(SGE, rest, by, before);
                let below = self.of_two("arith.subi", rest, by, before);
                rest = self.value("arith.select", &[is_above, below, rest], ty, before);
            }
            if low < 0.0 {
                let is_below = self.compare(SLT, rest, zero, before);
                let above = self.of_two("arith.addi", rest, by, before);
                rest = self.value("arith.select", &[is_below, above, rest], ty, before);
            }
            return rest;
        }
        let rest = self.of_two("arith.remsi", number, by, before);
        if low >= 0.0 {
            return rest;
        }
        let is_below = self.compare(SLT, rest, zero, before);
        let above = self.of_two("arith.addi", rest, by, before);
        self.value("arith.select", &[is_below, above, rest], ty, before)
    }

    fn constant(&self, value: i64, before: OperationRef<'c, 'a>) -> Value<'c, 'a> {
        let value = IntegerAttribute::new(self.i64_type(), value).into();
        self.with("arith.constant", &[], self.i64_type(), &[("value", value)], before)
    }

    /// A constant of type `i1`.
    pub fn truth(&self, value: bool, before: OperationRef<'c, 'a>) -> Value<'c, 'a> {
        let ty = IntegerType::new(self.context, 1).into();
        let value = IntegerAttribute::new(ty, value.into()).into();
        self.with("arith.constant", &[], ty, &[("value", value)], before)
    }

    fn of_two(
        &self,
        name: &str,
        one: Value<'c, 'a>,
        other: Value<'c, 'a>,
        before: OperationRef<'c, 'a>,
    ) -> Value<'c, 'a> {
        self.value(name, &[one, other], self.i64_type(), before)
    }

    fn compare(
        &self,
        predicate: i64,
        one: Value<'c, 'a>,
        other: Value<'c, 'a>,
        before: OperationRef<'c, 'a>,
    ) -> Value<'c, 'a> {
        let predicate = IntegerAttribute::new(self.i64_type(), predicate).into();
        let ty = IntegerType::new(self.context, 1).into();
        let attributes = [("predicate", predicate)];
        self.with("arith.cmpi", &[one, other], ty, &attributes, before)
    }

    fn value(
        &self,
        name: &str,
        operands: &[Value<'c, 'a>],
        ty: Type<'c>,
        before: OperationRef<'c, 'a>,
    ) -> Value<'c, 'a> {
        self.with(name, operands, ty, &[], before)
    }

    fn with(
        &self,
        name: &str,
        operands: &[Value<'c, 'a>],
        ty: Type<'c>,
        attributes: &[(&str, Attribute<'c>)],
        before: OperationRef<'c, 'a>,
    ) -> Value<'c, 'a> {
        let attributes: Vec<_> = attributes
            .iter()
            .map(|(name, value)| (Identifier::new(self.context, name), *value))
            .collect();
        let operation = OperationBuilder::new(name, before.location())
            .add_operands(operands)
            .add_results(&[ty])
            .add_attributes(&attributes)
            .build()
            .expect("a well-formed operation on integers");
        ops::result(Insertion::Before(before).insert(operation))
    }
}

/// The exponent of a power of two.
fn power_of_two(number: f64) -> Option<i64> {
    let number = number as u64;
    number.is_power_of_two().then(|| i64::from(number.ilog2()))
}
