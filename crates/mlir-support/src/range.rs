//! Ranges of numbers: the bounds of a value, and a flag for whole numbers.
//!
//! A range is of `f64`, and of integers that `f64` can hold exactly: its bounds are within ±2^53. No number of a
//! range is a NaN or infinite. The operations are `f64`'s, which are monotonic in each operand, rounding
//! included, so the bounds of a result are results of bounds. [`of_index`] follows an index back to constants.

#[cfg(test)]
mod tests;

use crate::func::attribute;
use crate::{constants, ir};
use melior::ir::Value;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::OperationRef;

/// All whole numbers up to it are exact.
pub const EXACT: f64 = (1_u64 << 53) as f64;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    pub low: f64,
    pub high: f64,
    /// Every number of the range is whole.
    pub whole: bool,
    /// -0.0 may be one of them, which no integer can represent.
    pub minus_zero: bool,
}

impl Range {
    /// None if the bounds are not exact numbers in order.
    fn new(low: f64, high: f64, whole: bool, minus_zero: bool) -> Option<Self> {
        let is_range = -EXACT <= low && low <= high && high <= EXACT;
        is_range.then_some(Self { low, high, whole, minus_zero })
    }

    /// A range of whole numbers.
    pub fn of_integers(low: f64, high: f64) -> Option<Self> {
        Self::new(low, high, true, false)
    }

    /// None if `f64` cannot hold it.
    pub fn of_integer(value: i64) -> Option<Self> {
        let is_exact = value.unsigned_abs() <= EXACT as u64;
        is_exact.then(|| Self::of_integers(value as f64, value as f64))?
    }

    pub fn constant(value: f64) -> Option<Self> {
        Self::new(value, value, value.fract() == 0.0, value == 0.0 && value.is_sign_negative())
    }

    /// The only number of the range.
    pub fn single(self) -> Option<f64> {
        (self.low == self.high).then_some(self.low)
    }

    /// True if `i64` can take its place in calculations: it is whole, and its neighbors are exact, too.
    pub fn is_integer(self) -> bool {
        self.whole && -EXACT < self.low && self.high < EXACT
    }

    /// True if `i64` can take its place wherever it is used.
    pub fn is_plain_integer(self) -> bool {
        self.is_integer() && !self.minus_zero
    }

    /// Not below 0, and no -0.0.
    fn is_positive(self) -> bool {
        self.low >= 0.0 && !self.minus_zero
    }

    pub fn join(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            whole: self.whole && other.whole,
            minus_zero: self.minus_zero || other.minus_zero,
        }
    }

    /// The range without the bounds that have grown.
    pub fn widened(self, old: Self) -> Self {
        let low = if self.low < old.low { -EXACT } else { self.low };
        let high = if self.high > old.high { EXACT } else { self.high };
        Self { low, high, ..self }
    }

    pub fn sum(self, other: Self) -> Option<Self> {
        let minus_zero = self.minus_zero && other.minus_zero;
        let whole = self.whole && other.whole;
        Self::new(self.low + other.low, self.high + other.high, whole, minus_zero)
    }

    pub fn difference(self, other: Self) -> Option<Self> {
        let whole = self.whole && other.whole;
        Self::new(self.low - other.high, self.high - other.low, whole, self.minus_zero)
    }

    pub fn product(self, other: Self) -> Option<Self> {
        let whole = self.whole && other.whole;
        self.of_corners(other, whole, |a, b| a * b)
    }

    /// None if the divisor may be 0.
    pub fn quotient(self, other: Self) -> Option<Self> {
        let may_be_zero = other.low <= 0.0 && other.high >= 0.0;
        if may_be_zero { None } else { self.of_corners(other, false, |a, b| a / b) }
    }

    fn of_corners(self, other: Self, whole: bool, of: impl Fn(f64, f64) -> f64) -> Option<Self> {
        let corners = [
            of(self.low, other.low),
            of(self.low, other.high),
            of(self.high, other.low),
            of(self.high, other.high),
        ];
        let low = corners.into_iter().fold(f64::INFINITY, f64::min);
        let high = corners.into_iter().fold(f64::NEG_INFINITY, f64::max);
        // Products of numbers with different signs, also if the result is too small to be told from 0.
        let minus_zero = !(self.is_positive() && other.is_positive());
        Self::new(low, high, whole, minus_zero)
    }

    pub fn negated(self) -> Self {
        let minus_zero = self.low <= 0.0 && self.high >= 0.0;
        Self { low: -self.high, high: -self.low, minus_zero, ..self }
    }

    pub fn abs(self) -> Self {
        let (one, other) = (self.low.abs(), self.high.abs());
        let has_zero = self.low <= 0.0 && self.high >= 0.0;
        let low = if has_zero { 0.0 } else { one.min(other) };
        Self { low, high: one.max(other), whole: self.whole, minus_zero: false }
    }

    pub fn floor(self) -> Self {
        Self { low: self.low.floor(), high: self.high.floor(), whole: true, ..self }
    }

    /// The range after conversion to an integer.
    pub fn truncated(self) -> Self {
        let (low, high) = (self.low.trunc() + 0.0, self.high.trunc() + 0.0);
        Self { low, high, whole: true, minus_zero: false }
    }

    pub fn max(self, other: Self) -> Self {
        Self { low: self.low.max(other.low), high: self.high.max(other.high), ..self.join(other) }
    }

    pub fn min(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.min(other.high), ..self.join(other) }
    }

    /// `x - c * floor(x / c)` of whole numbers with a positive `c`: the remainder that is not negative.
    pub fn remainder(self, divisor: f64) -> Option<Self> {
        let is_exact = self.whole && self.low.abs().max(self.high.abs()) <= EXACT / 2.0;
        (is_exact && is_divisor(divisor))
            .then(|| Self::new(0.0, divisor - 1.0, true, self.minus_zero))?
    }

    /// True if a number has this relation to itself.
    pub fn compare_same(relation: Relation) -> bool {
        use Relation::*;
        matches!(relation, Equal | LessOrEqual | GreaterOrEqual)
    }

    /// The result of comparing any number of the range with any of another; None if it differs.
    pub fn compare(self, relation: Relation, other: Self) -> Option<bool> {
        let (below, above) = (self.high < other.low, self.low > other.high);
        let (not_above, not_below) = (self.high <= other.low, self.low >= other.high);
        let same = self.single().is_some() && self.single() == other.single();
        let (yes, no) = match relation {
            Relation::Equal => (same, below || above),
            Relation::NotEqual => (below || above, same),
            Relation::Less => (below, not_below),
            Relation::LessOrEqual => (not_above, above),
            Relation::Greater => (above, not_above),
            Relation::GreaterOrEqual => (not_below, below),
        };
        if yes { Some(true) } else { no.then_some(false) }
    }
}

/// True if a number can be the divisor of [`Range::remainder`]: quotients by it, and products with it, of whole
/// numbers up to 2^52 are rounded to numbers of the same floor.
pub fn is_divisor(number: f64) -> bool {
    number.fract() == 0.0 && (1.0..=EXACT / 2.0).contains(&number)
}

/// The relation of two numbers that are not NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Relation {
    /// The relation that a comparison of numbers tests, if neither is NaN; None for an unsigned comparison.
    pub fn of(compare: OperationRef) -> Option<Self> {
        use Relation::*;
        Some(match (ir::name(&compare), predicate(compare)?) {
            ("arith.cmpf", 1 | 8) | ("arith.cmpi", 0) => Equal,
            ("arith.cmpf", 6 | 13) | ("arith.cmpi", 1) => NotEqual,
            ("arith.cmpf", 4 | 11) | ("arith.cmpi", 2) => Less,
            ("arith.cmpf", 5 | 12) | ("arith.cmpi", 3) => LessOrEqual,
            ("arith.cmpf", 2 | 9) | ("arith.cmpi", 4) => Greater,
            ("arith.cmpf", 3 | 10) | ("arith.cmpi", 5) => GreaterOrEqual,
            _ => return None,
        })
    }

    /// The relation of an unsigned comparison.
    pub fn of_unsigned(compare: OperationRef) -> Option<Self> {
        use Relation::*;
        Some(match (ir::name(&compare), predicate(compare)?) {
            ("arith.cmpi", 6) => Less,
            ("arith.cmpi", 7) => LessOrEqual,
            ("arith.cmpi", 8) => Greater,
            ("arith.cmpi", 9) => GreaterOrEqual,
            _ => return None,
        })
    }
}

/// MLIR's number of the predicate of a comparison.
pub fn predicate(compare: OperationRef) -> Option<i64> {
    IntegerAttribute::try_from(attribute(&compare, "predicate")?).ok().map(|it| it.value())
}

/// The range of an index that is computed from constants, and from values whose ranges are `known`, through at most
/// `nested` operations after each other.
pub fn of_index<'c: 'a, 'a>(
    index: Value<'c, 'a>,
    nested: u32,
    known: &dyn Fn(Value<'c, 'a>) -> Option<Range>,
) -> Option<Range> {
    let constant = constants::integer(index).and_then(Range::of_integer);
    if let Some(range) = constant.or_else(|| known(index)) {
        return Some(range);
    }
    let definition = ir::defining_operation(index)?;
    let nested = nested.checked_sub(1)?;
    let range =
        |of: OperationRef<'c, 'a>, place| of_index(ir::operand_if_any(of, place)?, nested, known);
    let operand = |place| range(definition, place);
    match ir::name(&definition) {
        "arith.addi" => operand(0)?.sum(operand(1)?),
        "arith.subi" => operand(0)?.difference(operand(1)?),
        "arith.maxsi" => Some(operand(0)?.max(operand(1)?)),
        "arith.divsi" => {
            let (dividend, divisor) = (operand(0)?.single()?, operand(1)?.single()?);
            Range::of_integer((dividend as i64).checked_div(divisor as i64)?)
        }
        "arith.select" => {
            let compare = ir::defining_operation(ir::operand(definition, 0))?;
            let relation = Relation::of(compare)?;
            let holds = range(compare, 0)?.compare(relation, range(compare, 1)?)?;
            operand(if holds { 1 } else { 2 })
        }
        _ => None,
    }
}
