//! Values of a machine with Rust's operators.

use crate::machine::{Arithmetic, Bitwise, DOUBLE, Format, Machine, Table};
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

    pub fn format(self) -> &'static Format {
        self.0.format()
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
        (self.bits() & !self.format().sign).number()
    }

    /// The sign's bit, and zeros.
    pub fn sign(self) -> Integer<'m, M> {
        self.bits() & self.format().sign
    }

    /// The polynomial with these coefficients, the constant one first, and at most 16 others: Estrin's scheme, in which pairs of terms do not
    /// wait for each other. The constant, the largest, is added last, so that it is rounded once.
    pub fn polynomial(self, coefficients: &[f64]) -> Self {
        let (constant, others) = coefficients.split_first().expect("a coefficient");
        let (mut power, mut terms, mut count) = (self, [self; 16], others.len());
        for (term, other) in terms.iter_mut().zip(others) {
            *term = self.constant(*other);
        }
        while count > 1 {
            for at in 0..count / 2 {
                terms[at] = terms[2 * at + 1] * power + terms[2 * at];
            }
            if count % 2 == 1 {
                terms[count / 2] = terms[count - 1];
            }
            count = count.div_ceil(2);
            power = power * power;
        }
        terms[0] * self + *constant
    }

    /// The number times 2 to the power of an integer of which the last bits count: both are normal.
    pub fn raised(self, exponent: Integer<'m, M>) -> Self {
        (self.bits() + (exponent << self.format().mantissa)).number()
    }

    /// The number times 2 to the power of an integer, which is twice what an exponent may be: rounded once, where the
    /// result is subnormal.
    pub fn scaled(self, exponent: Integer<'m, M>) -> Self {
        let half = exponent.shift_signed(1);
        self * half.power_of_two() * (exponent - half).power_of_two()
    }

    /// The integer that is equal to a whole number of at least two bits less than the mantissa has.
    pub fn to_integer(self) -> Integer<'m, M> {
        (self + self.format().rounder()).bits() - self.format().rounder_bits()
    }
}

/// The constants of `f64`.
pub const SIGN: u64 = DOUBLE.sign;
pub const MANTISSA: u64 = DOUBLE.mantissa;
pub const BIAS: u64 = DOUBLE.bias;
pub const ROUNDER: f64 = DOUBLE.rounder();

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

    /// The number that is equal to an integer of at least two bits less than the mantissa has.
    pub fn to_number(self) -> Number<'m, M> {
        let format = self.0.format();
        (self + format.rounder_bits()).number() - format.rounder()
    }

    /// 2 to the power of an integer, which is the exponent of a normal number.
    pub fn power_of_two(self) -> Number<'m, M> {
        let format = self.0.format();
        ((self + format.bias) << format.mantissa).number()
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
