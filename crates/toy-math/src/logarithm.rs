//! `log`.
//!
//! x = 2^k m, where m is between the roots of 1/2 and 2. With f = m - 1 and s = f / (2 + f), log m is
//! 2 artanh s = 2s + s R(s^2), which is f - (f^2/2 - s (f^2/2 + R)); f is exact, and the rest is small. The sum is that of
//! Sun's fdlibm (e_log.c).

use crate::exponential::LN_2;
use crate::machine::Machine;
use crate::number::Number;
use std::f64::consts::FRAC_1_SQRT_2;

/// The constants of `log`.
pub struct Logarithm {
    /// R(z) / z.
    series: &'static [f64],
    /// The first bits of ln 2, of which a product with an exponent is exact, and the next.
    ln_2: [f64; 2],
}

/// For `f64`; the error of log m is 2^-66.
pub const DOUBLE: Logarithm = Logarithm {
    series: &[
        0.6666666666666666,
        0.40000000000006286,
        0.28571428569072965,
        0.22222222648750284,
        0.18181775508520218,
        0.15387097651817214,
        0.13249961991902082,
        0.1325275522906651,
    ],
    ln_2: LN_2,
};

/// For `f32`; the error is 2^-30.
pub const SINGLE: Logarithm = Logarithm {
    series: &[0.666667759, 0.399775773, 0.298710674],
    ln_2: [0.693145751953125, 1.42860677e-6],
};

/// For `f32` in arithmetic of `f64`; the error is 2^-37.
pub const OF_POWER: Logarithm = Logarithm {
    series: &[0.6666666564534963, 0.40000335217186306, 0.2853730674648543, 0.23582187556789783],
    ln_2: LN_2,
};

pub fn log<'m, M: Machine>(x: Number<'m, M>, constants: &Logarithm) -> Number<'m, M> {
    let usual = of_parts(divided_normal(x, FRAC_1_SQRT_2), constants);
    let is_usual = x.less(f64::INFINITY) & !x.less(x.format().smallest_normal());
    is_usual.or_else(usual, || {
        let value = of_parts(divided(x, FRAC_1_SQRT_2), constants);
        // Infinity and NaN stay.
        let value = x.less(f64::INFINITY).select(value, x);
        let other = x.equals(0.0).select(f64::NEG_INFINITY, x.constant(f64::NAN));
        x.constant(0.0).less(x).select(value, other)
    })
}

/// The logarithm of 2^k m.
fn of_parts<'m, M: Machine>(
    (exponent, m): (Number<'m, M>, Number<'m, M>),
    constants: &Logarithm,
) -> Number<'m, M> {
    let f = m - 1.0;
    let s = f / (f + 2.0);
    let z = s * s;
    let series = z * z.polynomial(constants.series);
    let half = f * f * 0.5;
    let low = s * (half + series) + exponent * constants.ln_2[1];
    exponent * constants.ln_2[0] - ((half - low) - f)
}

/// k and m such that a positive finite number is 2^k m, where m is at least `from` and less than twice as much.
pub fn divided<'m, M: Machine>(x: Number<'m, M>, from: f64) -> (Number<'m, M>, Number<'m, M>) {
    // Makes the smallest number normal.
    let digits = x.format().mantissa + 2;
    let is_subnormal = x.less(x.format().smallest_normal());
    let normal = is_subnormal.select(x * (1_u64 << digits) as f64, x);
    let (exponent, m) = divided_normal(normal, from);
    (is_subnormal.select(exponent - digits as f64, exponent), m)
}

/// The same of a normal number.
fn divided_normal<'m, M: Machine>(x: Number<'m, M>, from: f64) -> (Number<'m, M>, Number<'m, M>) {
    let (bits, mantissa) = (x.bits(), x.format().mantissa);
    let exponent = (bits - x.constant(from).bits()).shift_signed(mantissa);
    let m = (bits - (exponent << mantissa)).number();
    (exponent.to_number(), m)
}
