//! `exp` and `tanh`.
//!
//! e^x = 2^k e^r, where k is the integer next to x / ln 2, and |r| <= ln 2 / 2. e^r = 1 + (r + r^2 q(r)), of which the
//! last sum and the one before are exact pairs.

use crate::machine::Machine;
use crate::number::{BIAS, Integer, MANTISSA, Number, ROUNDER, SIGN};
use crate::pair::Pair;
use std::f64::consts::LOG2_E;

/// The first 42 bits of ln 2, of which a product with an exponent is exact, and the next.
pub const LN_2: [f64; 2] = [0.693_147_180_559_890_3, 5.497_923_018_708_371e-14];

/// (e^r - 1 - r) / r^2; the error of e^r is 2^-64.
const QUOTIENT: [f64; 11] = [
    0.5,
    0.16666666666666685,
    0.04166666666666673,
    0.008333333333316617,
    0.0013888888888858328,
    0.00019841269897362594,
    2.4801587373935103e-05,
    2.7557233928821826e-06,
    2.755723320911272e-07,
    2.5112348681307208e-08,
    2.0926986838966183e-09,
];

/// The constants of `exp`.
pub struct Exponential {
    /// (e^r - 1 - r) / r^2.
    quotient: &'static [f64],
    /// The first bits of ln 2, of which a product with an exponent is exact, and the next.
    ln_2: [f64; 2],
    /// The results of numbers of less than this size are normal.
    usual: f64,
    /// Beyond this size the result is infinite, or 0.
    far: f64,
}

/// For `f64`; the error of e^r is 2^-58.
pub const DOUBLE: Exponential = Exponential {
    quotient: &[
        0.5000000000000011,
        0.16666666666666413,
        0.041666666666529996,
        0.008333333333494656,
        0.0013888888943678285,
        0.00019841269506270685,
        2.480149304344066e-05,
        2.7557586543161865e-06,
        2.7630269909757846e-07,
        2.5000042359210125e-08,
    ],
    ln_2: LN_2,
    usual: 708.0,
    far: 1000.0,
};

/// For `f32`; the error is 2^-28.
pub const SINGLE: Exponential = Exponential {
    quotient: &[0.49999997, 0.166665211, 0.041668281, 0.0083686905, 0.00138195115],
    ln_2: [0.693145751953125, 1.42860677e-6],
    usual: 87.0,
    far: 110.0,
};

/// For `f32` in arithmetic of `f64`; the error is 2^-34.
pub const OF_POWER: Exponential = Exponential {
    quotient: &[
        0.5000000067740302,
        0.16666665868213873,
        0.04166629473168716,
        0.008333497175785506,
        0.0013944675920771902,
        0.00019790324150739037,
    ],
    ..DOUBLE
};

pub fn exp<'m, M: Machine>(x: Number<'m, M>, constants: &Exponential) -> Number<'m, M> {
    let far = constants.far;
    let (r, exponent) = rest(x, constants);
    let sum = Pair::ordered_sum(x.constant(1.0), r);
    let power = sum.high + (sum.low + r * r * r.polynomial(constants.quotient));
    x.abs().less(constants.usual).or_else(power.raised(exponent), || {
        let value = power.scaled(exponent);
        let value = x.less(-far).select(0.0, value);
        // NaN stays.
        x.constant(far).less(x).select(f64::INFINITY, value)
    })
}

/// r and k such that e^x is 2^k e^r.
fn rest<'m, M: Machine>(
    x: Number<'m, M>,
    constants: &Exponential,
) -> (Number<'m, M>, Integer<'m, M>) {
    let rounder = x.format().rounder();
    let rounded = x * LOG2_E + rounder;
    let multiple = rounded - rounder;
    let r = (x - multiple * constants.ln_2[0]) - multiple * constants.ln_2[1];
    (r, rounded.bits() - x.format().rounder_bits())
}

/// e to the power of a pair of at most 1400.
pub fn of_pair<'m, M: Machine>(x: Pair<'m, M>) -> Number<'m, M> {
    let (exponent, minus_one) = reduced(x);
    let sum = Pair::ordered_sum(x.high.constant(1.0), minus_one.high);
    let power = sum.high + (sum.low + minus_one.low);
    x.high.abs().less(DOUBLE.usual).or_else(power.raised(exponent), || power.scaled(exponent))
}

/// k and e^r - 1 such that e^x is 2^k e^r.
fn reduced<'m, M: Machine>(x: Pair<'m, M>) -> (Integer<'m, M>, Pair<'m, M>) {
    let rounded = x.high * LOG2_E + ROUNDER;
    let multiple = rounded - ROUNDER;
    let high = x.high - multiple * LN_2[0];
    let low = multiple * LN_2[1] - x.low;
    let r = high - low;
    let rest = (high - r) - low;
    let minus_one = Pair::ordered_sum(r, r * r * r.polynomial(&QUOTIENT) + rest);
    (rounded.bits() - ROUNDER.to_bits(), minus_one)
}

/// (e^2a - 1) / (e^2a + 1) for a = |x|: numerator, denominator and quotient are pairs.
pub fn tanh<'m, M: Machine>(x: Number<'m, M>) -> Number<'m, M> {
    let a = x.abs();
    // From 20 on, the result is 1; NaN stays.
    let a = a.constant(40.0).less(a).select(40.0, a);
    let (exponent, rest) = reduced(Pair::new(a + a, a.constant(0.0)));
    // 2^k (1 + s) - 1 = (2^k - 1) + 2^k s
    let power = ((exponent + BIAS) << MANTISSA).number();
    let numerator = Pair::sum(power - 1.0, power * rest.high);
    let numerator = Pair::ordered_sum(numerator.high, numerator.low + power * rest.low);
    let denominator = Pair::sum(numerator.high, a.constant(2.0));
    let denominator = Pair::new(denominator.high, denominator.low + numerator.low);
    let quotient = Pair::quotient(numerator, denominator);
    let value = quotient.high + quotient.low;
    ((value.bits() & !SIGN) | x.sign()).number()
}

/// The size up to which [`tanhf`] is a polynomial.
const SMALL: f64 = 0.8;

/// (tanh a - a) / a^3 of a^2; the error is 2^-28 of the whole.
const TANH: [f64; 6] =
    [-0.333332986, 0.133322418, -0.0538535975, 0.0213065278, -0.00741417659, 0.00158704445];

/// tanh for `f32`, with a = |x|: near 0, a + a^3 q(a^2); elsewhere 1 - 2 / (e^2a + 1), where e^2a is 2^k + 2^k r + 2^k r^2 q(r).
pub fn tanhf<'m, M: Machine>(x: Number<'m, M>) -> Number<'m, M> {
    let a = x.abs();
    let square = a * a;
    let small = a + a * square * square.polynomial(&TANH);
    // From 10 on, the result is 1.
    let limited = a.constant(20.0).less(a).select(20.0, a);
    let (r, exponent) = rest(limited + limited, &SINGLE);
    let (one, power) = (a.constant(1.0), exponent.power_of_two());
    let all = ((power + 1.0) + r * power) + r * r * r.polynomial(SINGLE.quotient) * power;
    let large = one - one.constant(2.0) / all;
    // NaN is not larger, and stays.
    let value = a.constant(SMALL).less(a).select(large, small);
    (value.bits() | x.sign()).number()
}
