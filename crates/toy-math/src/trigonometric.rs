//! `sin` and `cos`.
//!
//! x is n quarters of a turn and a rest r of at most an eighth, which is a pair, because x may be next to a multiple of
//! such a quarter. n says which of the two polynomials of r is the result, and its sign. Numbers up to 2^20 quarters are
//! reduced with 152 bits of pi/2 (Cody and Waite), larger ones with the bits of 2/pi that matter (Payne and Hanek,
//! "Radian reduction for trigonometric functions", 1983).

use crate::machine::{Machine, Table};
use crate::number::{Integer, MANTISSA, Number, ROUNDER, SIGN};
use crate::pair::Pair;
use std::f64::consts::FRAC_2_PI;

/// pi/2 in parts of 33 bits, of which products with 2^20 are exact, and the rest.
const QUARTER: [f64; 4] =
    [1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32];

/// The largest number that these are enough for: 2^20 quarters.
const MAX: f64 = 1_647_099.0;

/// pi/2 as a pair.
const HALF_PI: [f64; 2] = [std::f64::consts::FRAC_PI_2, 6.123233995736766e-17];

/// (sin r - r) / r^3 of r^2; the error is 2^-58 of r.
const SINE: [f64; 6] = [
    -0.16666666666666632,
    0.008333333333322316,
    -0.00019841269829725191,
    2.755731366205311e-06,
    -2.5050753263888222e-08,
    1.5896504911576313e-10,
];

/// (cos r - 1 + r^2/2) / r^4 of r^2; the error is 2^-64.
const COSINE: [f64; 6] = [
    0.0416666666666666,
    -0.001388888888887399,
    2.4801587289394916e-05,
    -2.755731432602761e-07,
    2.0875719558258904e-09,
    -1.1359448656184689e-11,
];

/// The same for `f32`; the errors are 2^-37 and 2^-33.
const SINE_SINGLE: [f64; 4] =
    [-0.16666666641612474, 0.00833332938422838, -0.0001983933429365713, 2.7183062592723683e-06];
const COSINE_SINGLE: [f64; 3] =
    [0.041666646857840016, -0.0013887367075528512, 2.4438399174615443e-05];

pub fn sin<'m, M: Machine>(x: Number<'m, M>) -> Number<'m, M> {
    let (r, quarters) = reduced(x.abs());
    (turned(r, quarters).bits() ^ x.sign()).number()
}

pub fn cos<'m, M: Machine>(x: Number<'m, M>) -> Number<'m, M> {
    let (r, quarters) = reduced(x.abs());
    turned(r, quarters + 1)
}

/// The sine of a number of quarters of a turn and a rest.
fn turned<'m, M: Machine>(r: Pair<'m, M>, quarters: Integer<'m, M>) -> Number<'m, M> {
    let (r, low) = (r.high, r.low);
    let one = r.constant(1.0);
    let z = r * r;
    let half = z * 0.5;
    let sine = r + (low * (one - half) + z * r * z.polynomial(&SINE));
    let nearly = one - half;
    let cosine = nearly + ((one - nearly - half) + (z * z * z.polynomial(&COSINE) - r * low));
    chosen(sine, cosine, quarters)
}

/// The sine of a number of quarters of a turn and a rest with this sine and cosine.
fn chosen<'m, M: Machine>(
    sine: Number<'m, M>,
    cosine: Number<'m, M>,
    quarters: Integer<'m, M>,
) -> Number<'m, M> {
    // A bit as the sign of a number that is not 0.
    let one = sine.constant(1.0);
    let is_odd = (one.bits() | (quarters << 63)).number().less(0.0);
    let value = is_odd.select(cosine, sine);
    (value.bits() ^ ((quarters << 62) & SIGN)).number()
}

pub fn sinf<'m, M: Machine>(x: Number<'m, M>) -> Number<'m, M> {
    let (r, quarters) = reduced_single(x.abs());
    (turned_single(r, quarters).bits() ^ x.sign()).number()
}

pub fn cosf<'m, M: Machine>(x: Number<'m, M>) -> Number<'m, M> {
    let (r, quarters) = reduced_single(x.abs());
    turned_single(r, quarters + 1)
}

/// [`turned`] for `f32`, in arithmetic of `f64`.
fn turned_single<'m, M: Machine>(r: Number<'m, M>, quarters: Integer<'m, M>) -> Number<'m, M> {
    let z = r * r;
    let sine = r + z * r * z.polynomial(&SINE_SINGLE);
    let cosine = z * z * z.polynomial(&COSINE_SINGLE) - z * 0.5 + 1.0;
    chosen(sine, cosine, quarters)
}

/// [`reduced`] for `f32`, in arithmetic of `f64`: no number is so near to a multiple that the rest needs a pair.
fn reduced_single<'m, M: Machine>(x: Number<'m, M>) -> (Number<'m, M>, Integer<'m, M>) {
    let small = || {
        let rounded = x * FRAC_2_PI + ROUNDER;
        let quarters = rounded - ROUNDER;
        let first = x - quarters * QUARTER[0] - quarters * QUARTER[1];
        (first - quarters * QUARTER[2], x, rounded.bits())
    };
    let (r, _, quarters) = x.less(MAX).branch(small, || large(x));
    (r, quarters)
}

/// A number without sign as quarters of a turn, of which the last two bits count, and a rest.
fn reduced<'m, M: Machine>(x: Number<'m, M>) -> (Pair<'m, M>, Integer<'m, M>) {
    let (high, low, quarters) = x.less(MAX).branch(|| small(x), || large(x));
    (Pair::new(high, low), quarters)
}

fn small<'m, M: Machine>(x: Number<'m, M>) -> (Number<'m, M>, Number<'m, M>, Integer<'m, M>) {
    let rounded = x * FRAC_2_PI + ROUNDER;
    let quarters = rounded - ROUNDER;
    let first = x - quarters * QUARTER[0];
    let zero = x.constant(0.0);
    let second = Pair::sum(first, zero - quarters * QUARTER[1]);
    let third = Pair::sum(second.high, zero - quarters * QUARTER[2]);
    let low = (second.low + third.low) - quarters * QUARTER[3];
    let r = Pair::ordered_sum(third.high, low);
    (r.high, r.low, rounded.bits())
}

/// The bits of 2/pi, after 64 zeros.
const TWO_OVER_PI: &Table = &Table {
    name: "two_over_pi",
    entries: &[
        0,
        0xa2f9836e4e441529,
        0xfc2757d1f534ddc0,
        0xdb6295993c439041,
        0xfe5163abdebbc561,
        0xb7246e3a424dd2e0,
        0x06492eea09d1921c,
        0xfe1deb1cb129a73e,
        0xe88235f52ebb4484,
        0xe99c7026b45f7e41,
        0x3991d639835339f4,
        0x9c845f8bbdf9283b,
        0x1ff897ffde05980f,
        0xef2f118b5a0a6d1f,
        0x6d367ecf27cb09b7,
        0x4f463f669e5fea2d,
        0x7527bac7ebe5f17b,
        0x3d0739f78a5292ea,
        0x6bfb5fb11f8d5d08,
        0x56033046fc7b6bab,
        0xf0cfbc209af4361d,
    ],
};

/// x is m 2^e. The bits of 2/pi that make multiples of four quarters are left out, and so are those after the next 192,
/// which make less than 2^-137.
fn large<'m, M: Machine>(x: Number<'m, M>) -> (Number<'m, M>, Number<'m, M>, Integer<'m, M>) {
    let bits = x.bits();
    let m = (bits & ((1 << MANTISSA) - 1)) | (1 << MANTISSA);
    // The first bit that counts: e - 2, where e is the exponent less 1075, after the 64 zeros.
    let first = (bits >> MANTISSA) - (1075 + 2 - 64);
    let (word, shift) = (first >> 6, first & 63);
    let at = |offset: u64| {
        let high = (word + offset).entry_of(TWO_OVER_PI) << shift;
        let low = (word + (offset + 1)).entry_of(TWO_OVER_PI) >> 1;
        high | (low >> (shift ^ 63))
    };
    // The last 192 bits of the product, of which the first two are quarters.
    let (p2, carry2) = m.times(at(2));
    let (p1, carry1) = m.times(at(1));
    let (p0, _) = m.times(at(0));
    let middle = p1 + carry2;
    let carry = ((p1 & carry2) | ((p1 | carry2) & !middle)) >> 63;
    let high = p0 + carry1 + carry;
    let fraction = (high << 2) | (middle >> 62);
    let rest = (middle << 2) | (p2 >> 62);
    // From a half on, it is the next quarter, less the rest. The sign is all ones then.
    let sign = fraction.shift_signed(63);
    let quarters = (high >> 62) - sign;
    let (fraction, rest) = (fraction ^ sign, rest ^ sign);
    // 128 bits as numbers of 32 bits each.
    let part = |bits: Integer<'m, M>, scale: f64| (bits & 0xffff_ffff).to_number() * scale;
    let [a, b, c, d] = [
        part(fraction >> 32, 1.0 / (1u64 << 32) as f64),
        part(fraction, 1.0 / (1u128 << 64) as f64),
        part(rest >> 32, 1.0 / (1u128 << 96) as f64),
        part(rest, 1.0 / (1u128 << 64) as f64 / (1u128 << 64) as f64),
    ];
    let sum = Pair::ordered_sum(a, b);
    let sum2 = Pair::ordered_sum(sum.high, c);
    let turn = Pair::ordered_sum(sum2.high, (sum.low + sum2.low) + d);
    let product = Pair::product(turn.high, x.constant(HALF_PI[0]));
    let low = product.low + (turn.high * HALF_PI[1] + turn.low * HALF_PI[0]);
    let r = Pair::ordered_sum(product.high, low);
    let signed = |number: Number<'m, M>| (number.bits() ^ (sign & SIGN)).number();
    // Infinity has no sine.
    let high = x.less(f64::INFINITY).select(signed(r.high), x.constant(f64::NAN));
    (high, signed(r.low), quarters)
}
