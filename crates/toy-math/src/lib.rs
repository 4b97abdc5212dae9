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

pub use machine::{Arithmetic, Bitwise, DOUBLE, Format, Machine, SINGLE, Table};
pub use native::{Native, NativeSingle};

use number::Number;

/// A function of this crate, of `f64`; or, with an f in its name, of `f32`.
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
    Expf,
    Logf,
    Sinf,
    Cosf,
    Tanhf,
    Powf,
    Fmaf,
}

impl Function {
    pub const ALL: [Self; 14] = [
        Self::Exp,
        Self::Log,
        Self::Sin,
        Self::Cos,
        Self::Tanh,
        Self::Pow,
        Self::Fma,
        Self::Expf,
        Self::Logf,
        Self::Sinf,
        Self::Cosf,
        Self::Tanhf,
        Self::Powf,
        Self::Fmaf,
    ];

    /// The name in C, which for functions of `f64` is that in Toy.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exp => "exp",
            Self::Log => "log",
            Self::Sin => "sin",
            Self::Cos => "cos",
            Self::Tanh => "tanh",
            Self::Pow => "pow",
            Self::Fma => "fma",
            Self::Expf => "expf",
            Self::Logf => "logf",
            Self::Sinf => "sinf",
            Self::Cosf => "cosf",
            Self::Tanhf => "tanhf",
            Self::Powf => "powf",
            Self::Fmaf => "fmaf",
        }
    }

    /// The function of `f32` that is called like this one of `f64`.
    pub fn of_single(self) -> Option<Self> {
        let name = self.name();
        Self::ALL.into_iter().find(|other| other.name().strip_suffix('f') == Some(name))
    }

    /// The numbers that the function computes with. For functions of `f32` that compute with `f64`, the arguments are
    /// converted, and the result is rounded.
    pub fn format(self) -> &'static Format {
        match self {
            Self::Expf | Self::Logf | Self::Tanhf => &SINGLE,
            _ => &DOUBLE,
        }
    }

    /// The number of arguments.
    pub fn arity(self) -> usize {
        match self {
            Self::Fma | Self::Fmaf => 3,
            Self::Pow | Self::Powf => 2,
            _ => 1,
        }
    }

    /// The value on a machine, which has the function's [format](Self::format).
    ///
    /// # Panics
    ///
    /// If there are fewer arguments than [`Self::arity`].
    pub fn on<M: Machine>(self, machine: &M, arguments: &[M::Number]) -> M::Number {
        let argument = |at: usize| Number::new(machine, arguments[at]);
        let x = argument(0);
        let value = match self {
            Self::Exp => exponential::exp(x, &exponential::DOUBLE),
            Self::Log => logarithm::log(x, &logarithm::DOUBLE),
            Self::Sin => trigonometric::sin(x),
            Self::Cos => trigonometric::cos(x),
            Self::Tanh => exponential::tanh(x),
            Self::Pow => power::pow(x, argument(1)),
            Self::Fma => fused::fma(x, argument(1), argument(2)),
            Self::Expf => exponential::exp(x, &exponential::SINGLE),
            Self::Logf => logarithm::log(x, &logarithm::SINGLE),
            Self::Sinf => trigonometric::sinf(x),
            Self::Cosf => trigonometric::cosf(x),
            Self::Tanhf => exponential::tanhf(x),
            Self::Powf => power::powf(x, argument(1)),
            Self::Fmaf => fused::fmaf(x, argument(1), argument(2)),
        };
        value.value()
    }

    /// The value of a function of `f32`.
    fn of_numbers<const N: usize>(self, arguments: &[f32; N]) -> f32 {
        if *self.format() == SINGLE {
            self.on(&NativeSingle, arguments)
        } else {
            self.on(&Native, &arguments.map(f64::from)) as f32
        }
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

/// The functions of `f32`.
macro_rules! single {
    ($($name:ident $function:ident ($($argument:ident),*) $doc:literal;)*) => {$(
        #[doc = $doc]
        pub fn $name($($argument: f32),*) -> f32 {
            Function::$function.of_numbers(&[$($argument),*])
        }
    )*};
}

single! {
    expf Expf(x) "e to the power of x.";
    logf Logf(x) "The natural logarithm; NaN of a negative number.";
    sinf Sinf(x) "The sine of an angle in radians.";
    cosf Cosf(x) "The cosine of an angle in radians.";
    tanhf Tanhf(x) "The hyperbolic tangent.";
    powf Powf(x, y) "x to the power of y.";
    fmaf Fmaf(a, b, c) "a * b + c, rounded once.";
}
