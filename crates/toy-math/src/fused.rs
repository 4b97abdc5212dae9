//! `fma`: a * b + c, rounded once, for processors without the instruction.
//!
//! The product is a pair, and the three numbers are added as Boldo and Melquiond do ("Emulation of a FMA and correctly
//! rounded sums: proved algorithms using rounding to odd", 2008): a sum that is rounded to odd still tells, when it is
//! rounded again, on which side of the middle between two numbers the exact one is. Where that could overflow, or lose
//! digits in numbers next to 0, the same is done with mantissas and exponents by themselves.

use crate::logarithm::divided;
use crate::machine::Machine;
use crate::number::{BIAS, MANTISSA, Number, Truth};
use crate::pair::Pair;

/// A product of at least this size has a low part that is exact.
const LARGE: f64 = f64::from_bits((BIAS - 900) << MANTISSA);

/// A number of which a sum with one 2^DISTANCE times as large has only the sign.
const DISTANCE: f64 = 120.0;

pub fn fma<'m, M: Machine>(a: Number<'m, M>, b: Number<'m, M>, c: Number<'m, M>) -> Number<'m, M> {
    let product = Pair::product(a, b);
    let sum = sum(product, c);
    let value = sum.high + sum.low;
    // A sum of zeros, or of numbers that cancel, has the sign of ordinary arithmetic.
    let value = value.equals(0.0).select(product.high + c, value);
    let is_exact = a.constant(LARGE).less(product.high.abs());
    // All that overflows on the way ends as NaN.
    let is_exact = (is_exact | a.equals(0.0) | b.equals(0.0)) & value.equals(value);
    is_exact.or_else(value, || careful(a, b, c))
}

/// The same of numbers of 32 bits: the product is exact, and the sum rounded to odd is on the right side of the middle
/// between two of them.
pub fn fmaf<'m, M: Machine>(a: Number<'m, M>, b: Number<'m, M>, c: Number<'m, M>) -> Number<'m, M> {
    let product = a * b;
    let sum = product + c;
    // An infinite sum has no rest.
    is_finite(sum).select(odd_sum(product, c), sum)
}

/// A pair, of which the low number is rounded to odd, and the high one to nearest.
fn sum<'m, M: Machine>(product: Pair<'m, M>, c: Number<'m, M>) -> Pair<'m, M> {
    let low = Pair::sum(c, product.low);
    let high = Pair::sum(product.high, low.high);
    Pair::new(high.high, odd_sum(low.low, high.low))
}

/// The sum if it is a number; otherwise, of the two next to it, the one whose last bit is 1.
fn odd_sum<'m, M: Machine>(a: Number<'m, M>, b: Number<'m, M>) -> Number<'m, M> {
    let Pair { high, low } = Pair::sum(a, b);
    // The one next to 0 is the number before `high` if the rest has the other sign.
    let before = high.bits() - ((high.bits() ^ low.bits()) >> 63);
    low.equals(0.0).select(high, (before | 1).number())
}

/// The same value for all numbers.
fn careful<'m, M: Machine>(a: Number<'m, M>, b: Number<'m, M>, c: Number<'m, M>) -> Number<'m, M> {
    let ((exponent_a, a_mantissa), (exponent_b, b_mantissa)) = (parts(a), parts(b));
    let (exponent_c, c_mantissa) = parts(c);
    let of_product = exponent_a + exponent_b;
    // The exponent of both summands: that of the product, unless it is of no account next to c.
    let far = exponent_c - DISTANCE;
    let exponent = of_product.less(far).select(far, of_product);
    let of_c = exponent_c - exponent;
    let of_c = of_c.less(-DISTANCE).select(-DISTANCE, of_c);
    let scaled = c_mantissa * of_c.to_integer().power_of_two();
    let scaled = c.equals(0.0).select(c, scaled);
    let sum = sum(Pair::product(a_mantissa, b_mantissa), scaled);
    // Rounded as if no number was too small; 0 only if the exact sum is.
    let unbounded = sum.high + sum.low;
    // Where the result is subnormal, a number is added that has its last bit in the last place there.
    let least = exponent.constant(-1022.0) - exponent;
    let least = least.less(-1000.0).select(-1000.0, least).to_integer().power_of_two();
    let with_sign = (least.bits() | unbounded.sign()).number();
    let added = unbounded.abs().less(least).select(with_sign, a.constant(0.0));
    let high = Pair::ordered_sum(added, sum.high);
    let rounded = high.high + odd_sum(high.low, sum.low);
    let value = (rounded - added).scaled(exponent.to_integer()).abs();
    let value = (value.bits() | unbounded.sign()).number();
    let are_finite = is_finite(a) & is_finite(b);
    let ordinary = (are_finite & !is_finite(c)).select(c, a * b + c);
    let is_ordinary = !(are_finite & is_finite(c)) | a.equals(0.0) | b.equals(0.0);
    is_ordinary.select(ordinary, value)
}

/// The exponent of a number, and the rest, which is at least 1 and less than 2, with its sign.
fn parts<'m, M: Machine>(x: Number<'m, M>) -> (Number<'m, M>, Number<'m, M>) {
    let (exponent, mantissa) = divided(x.abs(), 1.0);
    (exponent, (mantissa.bits() | x.sign()).number())
}

fn is_finite<'m, M: Machine>(x: Number<'m, M>) -> Truth<'m, M> {
    x.abs().less(f64::INFINITY)
}
