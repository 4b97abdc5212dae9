//! The operations that the functions consist of.

/// The way in which numbers are written in bits.
#[derive(Debug, PartialEq, Eq)]
pub struct Format {
    /// The bits of a mantissa.
    pub mantissa: u64,
    /// The number that is added to an exponent.
    pub bias: u64,
    /// The sign's bit.
    pub sign: u64,
}

/// `f64`.
pub const DOUBLE: Format = Format { mantissa: 52, bias: 1023, sign: 1 << 63 };
/// `f32`.
pub const SINGLE: Format = Format { mantissa: 23, bias: 127, sign: 1 << 31 };

impl Format {
    /// A number to which another one is added to be rounded to an integer, which then is in its last bits:
    /// 1.5 * 2^mantissa.
    pub const fn rounder(&self) -> f64 {
        (3_u64 << (self.mantissa - 1)) as f64
    }

    /// The bits of the rounder.
    pub const fn rounder_bits(&self) -> u64 {
        (self.mantissa + self.bias) << self.mantissa | 1 << (self.mantissa - 1)
    }

    /// The smallest number that is not subnormal.
    pub const fn smallest_normal(&self) -> f64 {
        f64::from_bits((DOUBLE.bias + 1 - self.bias) << DOUBLE.mantissa)
    }
}

/// Operations on two numbers, each rounded to the nearest one, ties to even.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// Operations on two integers of as many bits as a number has, which wrap around. A shift is by less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bitwise {
    Add,
    Subtract,
    /// The low half of the product of two integers without sign.
    Multiply,
    /// Its high half.
    MultiplyHigh,
    And,
    Or,
    Xor,
    ShiftLeft,
    /// Zeros come in.
    ShiftRight,
    /// Copies of the sign come in.
    ShiftRightSigned,
}

/// A table of integers, for programs that have it once.
#[derive(Debug)]
pub struct Table {
    pub name: &'static str,
    pub entries: &'static [u64],
}

/// A machine with IEEE 754's arithmetic on numbers of a format, or on vectors of them.
pub trait Machine {
    type Number: Copy;
    type Integer: Copy;
    type Truth: Copy;

    fn format(&self) -> &'static Format;

    /// The nearest number.
    fn number(&self, value: f64) -> Self::Number;
    /// The last bits.
    fn integer(&self, value: u64) -> Self::Integer;

    fn arithmetic(&self, operation: Arithmetic, a: Self::Number, b: Self::Number) -> Self::Number;
    fn bitwise(&self, operation: Bitwise, a: Self::Integer, b: Self::Integer) -> Self::Integer;

    /// The bits of a number.
    fn bits(&self, number: Self::Number) -> Self::Integer;
    /// The number with these bits.
    fn of_bits(&self, bits: Self::Integer) -> Self::Number;

    /// a < b; false if one is NaN.
    fn less(&self, a: Self::Number, b: Self::Number) -> Self::Truth;
    /// a == b; false if one is NaN.
    fn equal(&self, a: Self::Number, b: Self::Number) -> Self::Truth;
    fn and(&self, a: Self::Truth, b: Self::Truth) -> Self::Truth;
    fn not(&self, a: Self::Truth) -> Self::Truth;
    fn or(&self, a: Self::Truth, b: Self::Truth) -> Self::Truth;
    /// One of two numbers, both of which are computed.
    fn select(&self, truth: Self::Truth, yes: Self::Number, no: Self::Number) -> Self::Number;

    /// The results of one of two computations, of which the other one need not run.
    fn branch(
        &self,
        truth: Self::Truth,
        yes: impl FnOnce() -> (Self::Number, Self::Number, Self::Integer),
        no: impl FnOnce() -> (Self::Number, Self::Number, Self::Integer),
    ) -> (Self::Number, Self::Number, Self::Integer);
    /// An entry of a table; the index is less than its length.
    fn entry(&self, table: &'static Table, at: Self::Integer) -> Self::Integer;
}
