//! Computes whole numbers with integers.
//!
//! Input: a number of type `f64` whose range consists of integers. Output: an `i64` of the same value. Its
//! operands are computed with integers as far as each step is one in `f64`, too: sums, differences, products,
//! remainders and quotients that are rounded down, of whole numbers. The rest is converted.

use super::analysis::Ranges;
use crate::dialect::ops;
use melior::Context;
use melior::ir::operation::OperationRef;
use melior::ir::{Value, ValueLike};
use mlir_support::builder::{Builder, SGE, SLT};
use mlir_support::ir;
use mlir_support::range::is_divisor;
use std::collections::HashMap;

/// The number of steps that an expression is followed back.
const STEPS: u32 = 32;

pub struct Integers<'c, 'a> {
    pub context: &'c Context,
    pub ranges: Ranges<'c, 'a>,
}

impl<'c, 'a> Integers<'c, 'a> {
    pub fn new(context: &'c Context, ranges: Ranges<'c, 'a>) -> Self {
        Self { context, ranges }
    }

    /// Replaces an `arith.fptosi` of whole numbers.
    pub fn replace(&self, conversion: OperationRef<'c, 'a>) {
        let integer = self.integer(self.ranges.converted(conversion), conversion);
        ir::replace_all_uses(ops::result(conversion), integer);
    }

    /// A number as an integer, computed before an operation. Its range must consist of integers.
    pub fn integer(&self, number: Value<'c, 'a>, before: OperationRef<'c, 'a>) -> Value<'c, 'a> {
        let code = Builder::before(self.context, before);
        Steps { code, ranges: &self.ranges, made: HashMap::new() }.integer(number, STEPS)
    }
}

/// The calculation of an integer.
struct Steps<'r, 'c, 'a> {
    code: Builder<'c, 'a>,
    ranges: &'r Ranges<'c, 'a>,
    /// The integers by number.
    made: HashMap<usize, Value<'c, 'a>>,
}

impl<'c, 'a> Steps<'_, 'c, 'a> {
    fn integer(&mut self, number: Value<'c, 'a>, left: u32) -> Value<'c, 'a> {
        let key = ir::id(number);
        if let Some(made) = self.made.get(&key) {
            return *made;
        }
        let computed = left.checked_sub(1).and_then(|left| self.computed(number, left));
        let i64 = self.code.i64_type();
        let converted = || self.code.value("arith.fptosi", &[number], i64, &[]);
        let integer = computed.unwrap_or_else(converted);
        self.made.insert(key, integer);
        integer
    }

    /// The integer, if the number is made of others by a step that integers can do.
    fn computed(&mut self, number: Value<'c, 'a>, left: u32) -> Option<Value<'c, 'a>> {
        let definition = ir::defining_operation(number)?;
        let operand = |place| ir::operand(definition, place);
        let (code, ranges) = (self.code, self.ranges);
        let is_integer = |value| ranges.range(value).is_some_and(|range| range.is_integer());
        let is_of_bits = |bits| ir::signless_width(operand(0).r#type()) == Some(bits);
        match ir::name(&definition) {
            "arith.constant" => Some(self.constant(ranges.range(number)?.single()?)),
            "arith.sitofp" => is_of_bits(64).then(|| operand(0)),
            "arith.uitofp" if is_of_bits(1) => {
                Some(code.value("arith.extui", &[operand(0)], code.i64_type(), &[]))
            }
            "arith.negf" if is_integer(operand(0)) => {
                let of = self.integer(operand(0), left);
                Some(code.computed("arith.subi", &[self.constant(0.0), of]))
            }
            "arith.select" => match ranges.clamped(definition) {
                Some(inside) => Some(self.integer(inside, left)),
                None if is_integer(operand(1)) && is_integer(operand(2)) => {
                    let [yes, no] = [1, 2].map(|place| self.integer(operand(place), left));
                    Some(self.select(operand(0), yes, no))
                }
                None => None,
            },
            "math.fma" if (0..3).all(|place| is_integer(operand(place))) => {
                let [a, b, c] = [0, 1, 2].map(|place| self.integer(operand(place), left));
                Some(code.computed("arith.addi", &[c, code.computed("arith.muli", &[a, b])]))
            }
            "math.floor" if is_integer(operand(0)) => Some(self.integer(operand(0), left)),
            "math.floor" => self.quotient(operand(0), left),
            name => {
                if let Some((of, divisor)) = ranges.remainder(definition) {
                    return Some(self.remainder(of, divisor, left));
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
                let operands = [0, 1].map(|place| self.integer(operand(place), left));
                Some(code.computed(name, &operands))
            }
        }
    }

    /// The quotient, rounded down, of a whole number and a constant.
    fn quotient(&mut self, quotient: Value<'c, 'a>, left: u32) -> Option<Value<'c, 'a>> {
        let code = self.code;
        let division = ir::defined_by(quotient, "arith.divf")?;
        let number = ir::operand(division, 0);
        let range = self.ranges.range(number)?;
        let divisor = self.ranges.range(ir::operand(division, 1))?.single()?;
        // A quotient is rounded exactly if the remainder has a range.
        if !is_divisor(divisor) || range.remainder(divisor).is_none() {
            return None;
        }
        let of = self.integer(number, left);
        if let Some(bits) = power_of_two(divisor) {
            return Some(code.computed("arith.shrsi", &[of, self.constant(bits)]));
        }
        let by = self.constant(divisor);
        let truncated = code.computed("arith.divsi", &[of, by]);
        if range.low >= 0.0 {
            return Some(truncated);
        }
        let product = code.computed("arith.muli", &[truncated, by]);
        let is_above = code.compare(SLT, [of, product]);
        let below = code.computed("arith.subi", &[truncated, self.constant(1.0)]);
        Some(self.select(is_above, below, truncated))
    }

    /// The remainder of a division that is rounded down.
    fn remainder(&mut self, of: Value<'c, 'a>, divisor: f64, left: u32) -> Value<'c, 'a> {
        let code = self.code;
        let range = self.ranges.range(of);
        let number = self.integer(of, left);
        if power_of_two(divisor).is_some() {
            return code.computed("arith.andi", &[number, self.constant(divisor - 1.0)]);
        }
        let by = self.constant(divisor);
        let zero = self.constant(0.0);
        let (low, high) = range.map_or((f64::MIN, f64::MAX), |range| (range.low, range.high));
        // Around at most once: no division.
        let is_near = -divisor <= low && high < 2.0 * divisor;
        let mut rest = match is_near {
            true => number,
            false => code.computed("arith.remsi", &[number, by]),
        };
        if is_near && high >= divisor {
            let is_above = code.compare(SGE, [rest, by]);
            let below = code.computed("arith.subi", &[rest, by]);
            rest = self.select(is_above, below, rest);
        }
        if low < 0.0 {
            let is_below = code.compare(SLT, [rest, zero]);
            let above = code.computed("arith.addi", &[rest, by]);
            rest = self.select(is_below, above, rest);
        }
        rest
    }

    fn constant(&self, value: f64) -> Value<'c, 'a> {
        self.code.integer(self.code.i64_type(), value as i64)
    }

    fn select(
        &self,
        condition: Value<'c, 'a>,
        yes: Value<'c, 'a>,
        no: Value<'c, 'a>,
    ) -> Value<'c, 'a> {
        self.code.computed("arith.select", &[condition, yes, no])
    }
}

/// The exponent of a power of two.
fn power_of_two(number: f64) -> Option<f64> {
    let number = number as u64;
    number.is_power_of_two().then(|| f64::from(number.ilog2()))
}
