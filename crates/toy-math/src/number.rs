//! Values of a machine with Rust's operators.

use crate::machine::{Arithmetic, Bitwise, Machine, Table};
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Not, Shl, Shr, Sub};

/// A number of a machine.
pub struct Number<'m, M: Machine>(&'m M, M::Number);

/// An integer of a machine.
pub struct Integer<'m, M: Machine>(&'m M, M::Integer);

/// A truth value of a machine.
pub struct Truth<'m, M: Machine>(&'m M, M::Truth);

macro_rules! copied {
    ($($name:ident)*) => {$(
        impl<M: Machine> Clone for $name<'_, M> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<M: Machine> Copy for $name<'_, M> {}
    )*};
}

copied!(Number Integer Truth);

impl<'m, M: Machine> Number<'m, M> {
    pub fn new(machine: &'m M, value: M::Number) -> Self {
        Self(machine, value)
    }

    pub fn value(self) -> M::Number {
        self.1
    }

    /// A constant of the same machine.
    pub fn constant(self, value: f64) -> Self {
        Self(self.0, self.0.number(value))
    }

    pub fn bits(self) -> Integer<'m, M> {
        Integer(self.0, self.0.bits(self.1))
    }

    pub fn less(self, other: impl Operand<'m, M>) -> Truth<'m, M> {
        Truth(self.0, self.0.less(self.1, other.on(self.0)))
    }

    pub fn equals(self, other: impl Operand<'m, M>) -> Truth<'m, M> {
        Truth(self.0, self.0.equal(self.1, other.on(self.0)))
    }

    /// The number without its sign.
    pub fn abs(self) -> Self {
        (self.bits() & !SIGN).number()
    }

    /// The sign's bit, and zeros.
    pub fn sign(self) -> Integer<'m, M> {
        self.bits() & SIGN
    }

    /// The polynomial with these coefficients, the constant one first: Estrin's scheme, in which pairs of terms do not
    /// wait for each other. The constant, the largest, is added last, so that it is rounded once.
    pub fn polynomial(self, coefficients: &[f64]) -> Self {
        let (constant, others) = coefficients.split_first().expect("a coefficient");
        let mut power = self;
        let mut terms: Vec<_> = others.iter().map(|it| self.constant(*it)).collect();
        while terms.len() > 1 {
            let pair = |pair: &[Self]| match *pair {
                [low, high] => high * power + low,
                _ => pair[0],
            };
            terms = terms.chunks(2).map(pair).collect();
            power = power * power;
        }
        terms[0] * self + *constant
    }

    /// The number times 2 to the power of an integer, which is -2044 to 2046: rounded once, where the result is
    /// subnormal.
    pub fn scaled(self, exponent: Integer<'m, M>) -> Self {
        let half = exponent.shift_signed(1);
        self * half.power_of_two() * (exponent - half).power_of_two()
    }

    /// The integer that is equal to a whole number of at most 50 bits with a sign.
    pub fn to_integer(self) -> Integer<'m, M> {
        (self + ROUNDER).bits() - ROUNDER.to_bits()
    }
}

pub const SIGN: u64 = 1 << 63;

/// The bits of a number's mantissa.
pub const MANTISSA: u64 = 52;

/// The number that is added to an exponent in the bits of a number.
pub const BIAS: u64 = 1023;

/// A number to which another one is added to be rounded to an integer, which then is in its last bits: 1.5 * 2^52.
pub const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// A number, or a constant.
pub trait Operand<'m, M: Machine> {
    fn on(self, machine: &'m M) -> M::Number;
}

impl<'m, M: Machine> Operand<'m, M> for Number<'m, M> {
    fn on(self, _: &'m M) -> M::Number {
        self.1
    }
}

impl<'m, M: Machine> Operand<'m, M> for f64 {
    fn on(self, machine: &'m M) -> M::Number {
        machine.number(self)
    }
}

macro_rules! arithmetic {
    ($($operator:ident $method:ident $operation:ident)*) => {$(
        impl<'m, M: Machine, T: Operand<'m, M>> $operator<T> for Number<'m, M> {
            type Output = Self;

            fn $method(self, other: T) -> Self {
                let other = other.on(self.0);
                Self(self.0, self.0.arithmetic(Arithmetic::$operation, self.1, other))
            }
        }
    )*};
}

arithmetic! {
    Add add Add
    Sub sub Subtract
    Mul mul Multiply
    Div div Divide
}

impl<'m, M: Machine> Integer<'m, M> {
    /// The number with these bits.
    pub fn number(self) -> Number<'m, M> {
        Number(self.0, self.0.of_bits(self.1))
    }

    /// The number that is equal to an integer of at most 50 bits with a sign.
    pub fn to_number(self) -> Number<'m, M> {
        (self + ROUNDER.to_bits()).number() - ROUNDER
    }

    /// 2 to the power of an integer, which is -1022 to 1023.
    pub fn power_of_two(self) -> Number<'m, M> {
        ((self + BIAS) << MANTISSA).number()
    }

    pub fn times(self, other: Self) -> (Self, Self) {
        (self.with(Bitwise::Multiply, other), self.with(Bitwise::MultiplyHigh, other))
    }

    pub fn shift_signed(self, by: u64) -> Self {
        self.with(Bitwise::ShiftRightSigned, by)
    }

    pub fn entry_of(self, table: &'static Table) -> Self {
        Self(self.0, self.0.entry(table, self.1))
    }

    fn with(self, operation: Bitwise, other: impl Bits<'m, M>) -> Self {
        Self(self.0, self.0.bitwise(operation, self.1, other.on(self.0)))
    }
}

impl<M: Machine> Not for Integer<'_, M> {
    type Output = Self;

    fn not(self) -> Self {
        self ^ u64::MAX
    }
}

/// An integer, or a constant.
pub trait Bits<'m, M: Machine> {
    fn on(self, machine: &'m M) -> M::Integer;
}

impl<'m, M: Machine> Bits<'m, M> for Integer<'m, M> {
    fn on(self, _: &'m M) -> M::Integer {
        self.1
    }
}

impl<'m, M: Machine> Bits<'m, M> for u64 {
    fn on(self, machine: &'m M) -> M::Integer {
        machine.integer(self)
    }
}

macro_rules! bitwise {
    ($($operator:ident $method:ident $operation:ident)*) => {$(
        impl<'m, M: Machine, T: Bits<'m, M>> $operator<T> for Integer<'m, M> {
            type Output = Self;

            fn $method(self, other: T) -> Self {
                self.with(Bitwise::$operation, other)
            }
        }
    )*};
}

bitwise! {
    Add add Add
    Sub sub Subtract
    BitAnd bitand And
    BitOr bitor Or
    BitXor bitxor Xor
    Shl shl ShiftLeft
    Shr shr ShiftRight
}

/// A number in two parts, and an integer.
type Parts<'m, M> = (Number<'m, M>, Number<'m, M>, Integer<'m, M>);

impl<'m, M: Machine> Truth<'m, M> {
    pub fn select(self, yes: impl Operand<'m, M>, no: Number<'m, M>) -> Number<'m, M> {
        Number(self.0, self.0.select(self.1, yes.on(self.0), no.1))
    }

    pub fn branch(
        self,
        yes: impl FnOnce() -> Parts<'m, M>,
        no: impl FnOnce() -> Parts<'m, M>,
    ) -> Parts<'m, M> {
        let values = |(high, low, integer): Parts<'m, M>| (high.1, low.1, integer.1);
        let (high, low, integer) = self.0.branch(self.1, || values(yes()), || values(no()));
        (Number(self.0, high), Number(self.0, low), Integer(self.0, integer))
    }

    /// A number if this is true; otherwise another one, which need not be computed if it is.
    pub fn or_else(self, yes: Number<'m, M>, no: impl FnOnce() -> Number<'m, M>) -> Number<'m, M> {
        let alone = |number: Number<'m, M>| (number, number, number.bits());
        self.branch(|| alone(yes), || alone(no())).0
    }
}

impl<M: Machine> BitAnd for Truth<'_, M> {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0, self.0.and(self.1, other.1))
    }
}

impl<M: Machine> BitOr for Truth<'_, M> {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0, self.0.or(self.1, other.1))
    }
}

impl<M: Machine> Not for Truth<'_, M> {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0, self.0.not(self.1))
    }
}
