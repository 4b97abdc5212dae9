//! `pow`.
//!
//! x^y = e^(y log x), where the logarithm has 68 correct bits, because y log x may be as large as 745. It is
//! log x = k ln 2 + log c + 2 artanh s with s = (m - c) / (m + c), where c is 1 or 3/2, so that |s| is at most 0.101;
//! 2s and s^3 2/3 are pairs, and the rest of the series is a number.

use crate::exponential::{self, LN_2};
use crate::logarithm::{self, divided};
use crate::machine::Machine;
use crate::number::{Number, Truth};
use crate::pair::Pair;

/// The root of 3/4, where c becomes 1, and of 3/2, where it becomes 3/2.
const FROM: [f64; 2] = [0.866_025_403_784_438_6, 1.224_744_871_391_589];
/// The logarithm of 3/2.
const LN_3_2: [f64; 2] = [0.4054651081081644, -2.8811380259626426e-18];
const TWO_THIRDS: [f64; 2] = [0.6666666666666666, 3.700743415417188e-17];

/// An even integer.
const LARGE: f64 = (1u128 << 64) as f64;

/// (2 artanh s - 2s - s^3 2/3) / s^5 of s^2; the error is 2^-80 of the whole.
const SERIES: [f64; 7] = [
    0.4,
    0.28571428571426166,
    0.22222222223748095,
    0.18181817690060043,
    0.15384703890855186,
    0.13324324211410102,
    0.12248539738853312,
];

pub fn pow<'m, M: Machine>(x: Number<'m, M>, y: Number<'m, M>) -> Number<'m, M> {
    let exponent = limited(y);
    let log = logarithm(x.abs());
    let estimate = exponent * log.high;
    let exact = Pair::product(exponent, log.high);
    // Beyond these the result is infinite, or 0. NaN is not.
    let is_far = x.constant(1100.0).less(estimate.abs());
    let far = (x.constant(1100.0).bits() | estimate.sign()).number();
    let high = is_far.select(far, exact.high);
    let low = is_far.select(0.0, exact.low + exponent * log.low);
    let value = exponential::of_pair(Pair::ordered_sum(high, low));
    with_sign(value, x, y)
}

/// The power for `f32`, in arithmetic of `f64`, which has the digits that y log x needs.
pub fn powf<'m, M: Machine>(x: Number<'m, M>, y: Number<'m, M>) -> Number<'m, M> {
    let log = logarithm::log(x.abs(), &logarithm::OF_POWER);
    with_sign(exponential::exp(limited(y) * log, &exponential::OF_POWER), x, y)
}

/// An exponent, or a large one in its place.
fn limited<'m, M: Machine>(y: Number<'m, M>) -> Number<'m, M> {
    // A power of a number other than 1 is infinite then, or 0; half of it is still a number.
    let large = (y.constant(LARGE).bits() | y.sign()).number();
    y.constant(LARGE).less(y.abs()).select(large, y)
}

/// x^y, from the value for |x|.
fn with_sign<'m, M: Machine>(
    value: Number<'m, M>,
    x: Number<'m, M>,
    y: Number<'m, M>,
) -> Number<'m, M> {
    let is_positive = x.constant(0.0).less(x) & x.less(f64::INFINITY);
    (is_positive & y.abs().less(LARGE)).or_else(value, || any_with_sign(value, x, y))
}

/// The same where x is not a positive number, or y is large.
fn any_with_sign<'m, M: Machine>(
    value: Number<'m, M>,
    x: Number<'m, M>,
    y: Number<'m, M>,
) -> Number<'m, M> {
    let (one, size) = (x.constant(1.0), y.abs());
    let is_whole = is_whole(size);
    let is_odd = is_whole & !self::is_whole(size * 0.5);
    let negative = (value.bits() ^ x.sign()).number();
    let value = is_odd.select(negative, value);
    // A negative number has roots that are not real.
    let is_negative = x.less(0.0) & x.constant(f64::NEG_INFINITY).less(x);
    let value = (is_negative & !is_whole).select(f64::NAN, value);
    let is_one = x.equals(1.0) | y.equals(0.0);
    is_one.select(one, value)
}

/// The logarithm of a number without sign.
fn logarithm<'m, M: Machine>(x: Number<'m, M>) -> Pair<'m, M> {
    let (exponent, m) = divided(x, FROM[0]);
    let is_one = m.less(FROM[1]);
    let constant = |one: f64, other: f64| is_one.select(one, x.constant(other));
    let c = constant(1.0, 1.5);

    // s = (m - c) / (m + c)
    let difference = Pair::new(m - c, x.constant(0.0));
    let Pair { high: s, low: s_low } = Pair::quotient(difference, Pair::sum(m, c));

    let square = Pair::product(s, s);
    let square_low = square.low + s * s_low * 2.0;
    let cube = Pair::product(square.high, s);
    let cube_low = cube.low + (square_low * s + square.high * s_low);
    let third = Pair::product(cube.high, x.constant(TWO_THIRDS[0]));
    let third_low = third.low + (cube.high * TWO_THIRDS[1] + cube_low * TWO_THIRDS[0]);
    let fifth = cube.high * square.high * square.high.polynomial(&SERIES);

    let artanh = Pair::ordered_sum(s * 2.0, third.high);
    let artanh_low = artanh.low + (s_low * 2.0 + (third_low + fifth));
    let scale = Pair::sum(exponent * LN_2[0], constant(0.0, LN_3_2[0]));
    let scale_low = scale.low + (exponent * LN_2[1] + constant(0.0, LN_3_2[1]));
    let all = Pair::sum(scale.high, artanh.high);
    let all = Pair::ordered_sum(all.high, all.low + (scale_low + artanh_low));

    // Infinity and NaN stay.
    let is_finite = x.less(f64::INFINITY);
    let high = is_finite.select(all.high, x);
    let is_zero = x.equals(0.0);
    let low = (is_finite & !is_zero).select(all.low, x.constant(0.0));
    Pair::new(is_zero.select(f64::NEG_INFINITY, high), low)
}

/// True if a number without sign is an integer, as all large ones are.
fn is_whole<'m, M: Machine>(x: Number<'m, M>) -> Truth<'m, M> {
    // Numbers from 2^52 on are integers.
    let first_whole = x.constant((1u64 << 52) as f64);
    let rounded = (x + first_whole) - first_whole;
    rounded.equals(x) | !x.less(first_whole)
}
