//! `log`.
//!
//! x = 2^k m, where m is between the roots of 1/2 and 2. With f = m - 1 and s = f / (2 + f), log m is
//! 2 artanh s = 2s + s R(s^2), which is f - (f^2/2 - s (f^2/2 + R)); f is exact, and the rest is small. The sum is that of
//! Sun's fdlibm (e_log.c).

use crate::exponential::LN_2;
use crate::machine::Machine;
use crate::number::{MANTISSA, Number};

/// R(z) / z; the error of log m is 2^-66.
const SERIES: [f64; 8] = [
    0.6666666666666666,
    0.40000000000006286,
    0.28571428569072965,
    0.22222222648750284,
    0.18181775508520218,
    0.15387097651817214,
    0.13249961991902082,
    0.1325275522906651,
];

pub fn log<'m, M: Machine>(x: Number<'m, M>) -> Number<'m, M> {
    let (exponent, m) = divided(x, std::f64::consts::FRAC_1_SQRT_2);
    let f = m - 1.0;
    let s = f / (f + 2.0);
    let z = s * s;
    let series = z * z.polynomial(&SERIES);
    let half = f * f * 0.5;
    let low = s * (half + series) + exponent * LN_2[1];
    let value = exponent * LN_2[0] - ((half - low) - f);
    // Infinity and NaN stay.
    let value = x.less(f64::INFINITY).select(value, x);
    let other = x.equals(0.0).select(f64::NEG_INFINITY, x.constant(f64::NAN));
    x.constant(0.0).less(x).select(value, other)
}

/// k and m such that a positive finite number is 2^k m, where m is at least `from` and less than twice as much.
pub fn divided<'m, M: Machine>(x: Number<'m, M>, from: f64) -> (Number<'m, M>, Number<'m, M>) {
    let is_subnormal = x.less(f64::MIN_POSITIVE);
    let normal = is_subnormal.select(x * SUBNORMALS, x);
    let bits = normal.bits();
    let exponent = (bits - from.to_bits()).shift_signed(MANTISSA);
    let m = (bits - (exponent << MANTISSA)).number();
    let exponent = exponent.to_number();
    (is_subnormal.select(exponent - 54.0, exponent), m)
}

/// Makes the smallest number normal: 2^54.
const SUBNORMALS: f64 = (1u64 << 54) as f64;
