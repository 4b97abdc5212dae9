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

pub fn exp<'m, M: Machine>(x: Number<'m, M>) -> Number<'m, M> {
    // Beyond these the result is infinite, or 0; NaN stays.
    let x = x.less(-1000.0).select(-1000.0, x);
    let x = x.constant(1000.0).less(x).select(1000.0, x);
    let zero = x.constant(0.0);
    of_pair(Pair::new(x, zero))
}

/// e to the power of a pair of at most 1400.
pub fn of_pair<'m, M: Machine>(x: Pair<'m, M>) -> Number<'m, M> {
    let (exponent, minus_one) = reduced(x);
    let sum = Pair::ordered_sum(x.high.constant(1.0), minus_one.high);
    (sum.high + (sum.low + minus_one.low)).scaled(exponent)
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
