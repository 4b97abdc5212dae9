//! `fma` has the bits of Rust's `mul_add`, for numbers of all sizes: where the result is subnormal, overflows, cancels, or
//! is next to the middle between two numbers.

#[path = "random/mod.rs"]
mod random;

use random::Random;
use toy_math::fma;

const SPECIAL: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    5e-324,
    -5e-324,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    2.225_073_858_507_201e-308,
    1e300,
    -1e-300,
];

impl Random {
    /// An integer from a range of `count`.
    fn from(&mut self, first: i64, count: u64) -> i64 {
        first + (self.next() % count) as i64
    }

    fn special(&mut self) -> f64 {
        SPECIAL[(self.next() % 16) as usize]
    }

    /// A number with this exponent; of its digits, many may be 0, or 1.
    fn sized(&mut self, exponent: i64) -> f64 {
        let digits = match self.next() % 5 {
            0 => 0,
            1 => 1 << (self.next() % 52),
            2 => !(1 << (self.next() % 52)),
            3 => self.next() << (self.next() % 52),
            _ => self.next(),
        };
        let exponent = (exponent + 1023).clamp(0, 2046) as u64;
        f64::from_bits(self.next() & 1 << 63 | exponent << 52 | digits & ((1 << 52) - 1))
    }

    /// Three numbers, the exponent of the product within some of the last one's.
    fn related(&mut self, first: i64, count: u64, of_sum: i64) -> [f64; 3] {
        let exponent = self.from(-1022, 2046);
        let other = of_sum - exponent + self.from(first, count);
        [self.sized(exponent), self.sized(other), self.sized(of_sum)]
    }

    fn numbers(&mut self, kind: u64) -> [f64; 3] {
        match kind {
            0 => [0; 3].map(|_| f64::from_bits(self.next())),
            1 => [0; 3].map(|_| self.special()),
            2 => [self.special(), f64::from_bits(self.next()), self.special()],
            3 => {
                let of_sum = self.from(-1023, 2046);
                self.related(-112, 220, of_sum)
            }
            // Subnormal results, and sums.
            4 => {
                let of_sum = self.from(-1080, 64);
                self.related(-60, 120, of_sum)
            }
            // Next to the largest number.
            5 => self.related(-2, 4, 1023),
            // The middle between two numbers.
            6 => {
                let of_sum = self.from(-1000, 2000);
                self.related(-55, 4, of_sum)
            }
            // The rounding error of a product, or a few units more.
            _ => {
                let exponent = self.from(-600, 1200);
                let other = self.from(-exponent - 1070, 2000);
                let [a, b] = [self.sized(exponent), self.sized(other)];
                let near = (a * b).to_bits().wrapping_add(self.next() % 5).wrapping_sub(2);
                [a, b, -f64::from_bits(near)]
            }
        }
    }
}

#[test]
fn fma_is_exact() {
    let mut random = Random(1);
    for number in 0..500_000 {
        let [a, b, c] = random.numbers(number % 8);
        let (ours, exact) = (fma(a, b, c), a.mul_add(b, c));
        let is_same = ours.to_bits() == exact.to_bits() || ours.is_nan() && exact.is_nan();
        assert!(is_same, "{a:e} * {b:e} + {c:e} is {exact:e}, not {ours:e}");
    }
}
