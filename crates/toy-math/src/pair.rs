//! Numbers of twice as many digits: the sum of two, of which the second is at most half a unit in the last place of the
//! first.
//!
//! The sums are Knuth's and Dekker's, the product is Dekker's with Veltkamp's way to halve a number: "A floating-point
//! technique for extending the available precision", 1971. They are exact where nothing overflows or underflows.

use crate::machine::Machine;
use crate::number::Number;

pub struct Pair<'m, M: Machine> {
    pub high: Number<'m, M>,
    pub low: Number<'m, M>,
}

impl<M: Machine> Clone for Pair<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: Machine> Copy for Pair<'_, M> {}

impl<'m, M: Machine> Pair<'m, M> {
    pub fn new(high: Number<'m, M>, low: Number<'m, M>) -> Self {
        Self { high, low }
    }

    /// a + b, exactly.
    pub fn sum(a: Number<'m, M>, b: Number<'m, M>) -> Self {
        let high = a + b;
        let other = high - a;
        Self { high, low: (a - (high - other)) + (b - other) }
    }

    /// a + b, exactly; a is 0, or not smaller than b.
    pub fn ordered_sum(a: Number<'m, M>, b: Number<'m, M>) -> Self {
        let high = a + b;
        Self { high, low: b - (high - a) }
    }

    /// a * b, exactly.
    pub fn product(a: Number<'m, M>, b: Number<'m, M>) -> Self {
        let high = a * b;
        let (a, b) = (halves(a), halves(b));
        let low = ((a.high * b.high - high) + a.high * b.low + a.low * b.high) + a.low * b.low;
        Self { high, low }
    }

    /// The quotient, with an error in the last bits of the low part: that of the high parts, and what its remainder adds.
    pub fn quotient(a: Self, b: Self) -> Self {
        let high = a.high / b.high;
        let product = Self::product(high, b.high);
        let remainder = (a.high - product.high) - product.low;
        Self { high, low: (remainder + (a.low - high * b.low)) / b.high }
    }
}

/// The first 26 bits of a number, and the rest.
fn halves<'m, M: Machine>(a: Number<'m, M>) -> Pair<'m, M> {
    const SPLITTER: f64 = 134_217_729.0; // 2^27 + 1
    let large = a * SPLITTER;
    let high = large - (large - a);
    Pair { high, low: a - high }
}
