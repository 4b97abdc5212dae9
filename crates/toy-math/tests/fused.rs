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

/// Numbers of 32 bits with exponents that are near each other, and any others.
#[test]
fn fmaf_has_the_bits_of_mul_add() {
    let mut random = Random(7);
    let special = SPECIAL.map(|it| it as f32);
    for round in 0..2_000_000_u32 {
        let any = |random: &mut Random| f32::from_bits(random.next() as u32);
        let mut numbers = [0; 3].map(|_| any(&mut random));
        match round % 4 {
            0 => numbers[(random.next() % 3) as usize] = special[(random.next() % 16) as usize],
            // The product and the sum overlap, and digits are few or many.
            1 | 2 => {
                let digits = |it: f32, random: &mut Random| {
                    it.to_bits() & 0x807f_ffff & !(random.next() as u32 >> (random.next() % 23 + 9))
                };
                let exponents = [100 + random.next() % 60, 100 + random.next() % 60];
                let of_sum = exponents[0] + exponents[1] - 127 + random.next() % 50;
                let exponents = [exponents[0], exponents[1], of_sum.saturating_sub(25).min(254)];
                for (number, exponent) in numbers.iter_mut().zip(exponents) {
                    *number =
                        f32::from_bits(digits(*number, &mut random) | (exponent as u32) << 23);
                }
            }
            // The product is in the middle between two numbers, and the sum next to it.
            3 => {
                let mut odd = || 1.0 + ((random.next() % 4096) | 1) as f32 / 4096.0;
                numbers = [odd(), odd(), if round % 8 < 4 { -1.0 } else { 1.0 }];
                numbers[2] *= (-30.0 - (random.next() % 60) as f32).exp2();
            }
            _ => {}
        }
        let [a, b, c] = numbers;
        let (wanted, found) = (a.mul_add(b, c), toy_math::fmaf(a, b, c));
        let is_same = wanted.to_bits() == found.to_bits() || wanted.is_nan() && found.is_nan();
        assert!(is_same, "{a:e} * {b:e} + {c:e}: {found:e}, not {wanted:e}");
    }
}
