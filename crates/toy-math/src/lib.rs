//! The functions of Toy that are not arithmetic: `exp`, `log`, `sin`, `cos`, `tanh` and `pow`, written as arithmetic; and
//! `fma`, for processors that do not have it.
//!
//! Input: a [`Machine`], which has IEEE 754's operations on `f64` and those of integers of 64 bits. Output: the functions
//! on its numbers. The machine of Rust ([`exp`] and the other functions here) computes them at once; the compiler's writes
//! operations of MLIR. Invariants: both have the same bits, on every processor, because each operation is rounded once,
//! none is fused, and their order is fixed; the distance to the true value is less than one unit in the last place
//! (`bench/mathematics.py` measures it); special values are those of the C standard's Annex F.
//!
//! No function has a table or a branch but sines of large arguments, so that loops can compute several at a time.
//! A result that is rounded once needs more digits inside: a [`Pair`](pair::Pair) of numbers has twice as many.
//!
//! The coefficients of polynomials are the best approximations (Remez exchange, in 300 bits, rounded to `f64`).

mod exponential;
mod fused;
mod logarithm;
mod machine;
mod native;
mod number;
mod pair;
mod power;
mod trigonometric;

pub use machine::{Arithmetic, Bitwise, Machine, Table};
pub use native::Native;

use number::Number;

/// A function of this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Exp,
    Log,
    Sin,
    Cos,
    Tanh,
    Pow,
    /// a * b + c, rounded once.
    Fma,
    /// The same of numbers of 32 bits: a number that has the result's bits when it is rounded to 32.
    Fmaf,
}

impl Function {
    pub const ALL: [Self; 8] =
        [Self::Exp, Self::Log, Self::Sin, Self::Cos, Self::Tanh, Self::Pow, Self::Fma, Self::Fmaf];

    /// The name in Toy and in C.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exp => "exp",
            Self::Log => "log",
            Self::Sin => "sin",
            Self::Cos => "cos",
            Self::Tanh => "tanh",
            Self::Pow => "pow",
            Self::Fma => "fma",
            Self::Fmaf => "fmaf",
        }
    }

    /// The number of arguments.
    pub fn arity(self) -> usize {
        match self {
            Self::Fma | Self::Fmaf => 3,
            Self::Pow => 2,
            _ => 1,
        }
    }

    /// The value on a machine.
    ///
    /// # Panics
    ///
    /// If there are fewer arguments than [`Self::arity`].
    pub fn on<M: Machine>(self, machine: &M, arguments: &[M::Number]) -> M::Number {
        let argument = |at: usize| Number::new(machine, arguments[at]);
        let x = argument(0);
        let value = match self {
            Self::Exp => exponential::exp(x),
            Self::Log => logarithm::log(x),
            Self::Sin => trigonometric::sin(x),
            Self::Cos => trigonometric::cos(x),
            Self::Tanh => exponential::tanh(x),
            Self::Pow => power::pow(x, argument(1)),
            Self::Fma => fused::fma(x, argument(1), argument(2)),
            Self::Fmaf => fused::fmaf(x, argument(1), argument(2)),
        };
        value.value()
    }
}

/// e to the power of x.
pub fn exp(x: f64) -> f64 {
    Function::Exp.on(&Native, &[x])
}

/// The natural logarithm; NaN of a negative number.
pub fn log(x: f64) -> f64 {
    Function::Log.on(&Native, &[x])
}

/// The sine of an angle in radians.
pub fn sin(x: f64) -> f64 {
    Function::Sin.on(&Native, &[x])
}

/// The cosine of an angle in radians.
pub fn cos(x: f64) -> f64 {
    Function::Cos.on(&Native, &[x])
}

/// The hyperbolic tangent.
pub fn tanh(x: f64) -> f64 {
    Function::Tanh.on(&Native, &[x])
}

/// x to the power of y.
pub fn pow(x: f64, y: f64) -> f64 {
    Function::Pow.on(&Native, &[x, y])
}

/// a * b + c, rounded once.
pub fn fma(a: f64, b: f64, c: f64) -> f64 {
    Function::Fma.on(&Native, &[a, b, c])
}

/// a * b + c, rounded once.
pub fn fmaf(a: f32, b: f32, c: f32) -> f32 {
    Function::Fmaf.on(&Native, &[a, b, c].map(f64::from)) as f32
}
