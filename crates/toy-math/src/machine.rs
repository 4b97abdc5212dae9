//! The operations that the functions consist of.

/// Operations on two numbers, each rounded to the nearest `f64`, ties to even.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// Operations on two integers of 64 bits, which wrap around. A shift is by 0 to 63 bits.
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

/// A machine with IEEE 754's arithmetic on `f64`, or on vectors of them.
pub trait Machine {
    type Number: Copy;
    type Integer: Copy;
    type Truth: Copy;

    fn number(&self, value: f64) -> Self::Number;
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
