//! Arguments of a function and its values, for `bench/mathematics.py`: `points NAME COUNT SEED`.
//!
//! Output: for each point x, y (0 unless the function is `pow`) and the value, as three numbers of 8 bytes. A quarter of
//! the points are random bits, and the others are where the function is interesting: around 0 and 1, up to overflow, next
//! to multiples of pi/2.

use std::f64::consts::FRAC_PI_2;
use std::io::Write;
use toy_math::{Function, Native};

#[path = "../tests/random/mod.rs"]
mod random;

use random::Random;

impl Random {
    fn between(&mut self, from: f64, to: f64) -> f64 {
        from + (self.next() >> 11) as f64 / (1u64 << 53) as f64 * (to - from)
    }

    /// A number whose size is 2^0 to 2^-59.
    fn small(&mut self) -> f64 {
        self.between(-1.0, 1.0) / (1u64 << (self.next() % 60)) as f64
    }

    /// A number next to a multiple of a quarter of a turn.
    fn quarters(&mut self) -> f64 {
        let multiple = (self.next() % (1 << 22)) as f64 * FRAC_PI_2;
        f64::from_bits(multiple.to_bits().wrapping_add(self.next() % 5).wrapping_sub(2))
    }
}

fn point(function: Function, kind: u64, random: &mut Random) -> [f64; 2] {
    let bits = f64::from_bits(random.next());
    let x = match (function, kind) {
        (_, 0) => bits,
        (Function::Exp, 1) => random.between(-750.0, 710.0),
        (Function::Exp, 2) => random.between(-1.0, 1.0),
        (Function::Log, 1) => random.between(0.0, 2.0),
        (Function::Log | Function::Pow, 2) => 1.0 + random.small(),
        (Function::Log, _) => random.between(0.0, 1000.0),
        (Function::Tanh, 1) => random.between(-1.0, 1.0),
        (Function::Tanh, 2) => random.between(-20.0, 20.0),
        (Function::Exp | Function::Tanh, _) => random.small(),
        (Function::Pow, 1) => random.between(0.0, 4.0),
        (Function::Sin | Function::Cos, 1) => random.between(-5.0, 5.0),
        (Function::Sin | Function::Cos, 2) => random.between(0.0, 2e6),
        (Function::Sin | Function::Cos, _) => random.quarters(),
        // `fma` is exact, which the tests know; `singles.rs` measures the functions of `f32`.
        _ => bits,
    };
    // Exponents whose powers are neither infinite nor 0, some of them integers.
    let exponent = random.between(-750.0, 750.0) / x.abs().ln();
    let y = match (function, kind) {
        (Function::Pow, 0) => f64::from_bits(random.next()),
        (Function::Pow, 1) => random.between(-20.0, 20.0),
        (Function::Pow, _) if random.next().is_multiple_of(2) => exponent,
        (Function::Pow, _) => exponent.round(),
        _ => 0.0,
    };
    [x, y]
}

fn main() {
    let arguments: Vec<_> = std::env::args().collect();
    let function = Function::ALL
        .into_iter()
        .find(|function| function.name() == arguments[1] && *function != Function::Fma);
    let function = function.expect("a function");
    let count: u64 = arguments[2].parse().expect("a count");
    let mut random = Random(arguments[3].parse().expect("a seed"));
    let mut output = std::io::BufWriter::new(std::io::stdout().lock());
    for number in 0..count {
        let [x, y] = point(function, number % 4, &mut random);
        let value = function.on(&Native, &[x, y][..function.arity()]);
        for number in [x, y, value] {
            output.write_all(&number.to_le_bytes()).expect("a reader");
        }
    }
}
