//! Measures the functions of `f32` for `bench/mathematics.py --single`: `singles NAME COUNT SEED`.
//!
//! Output: the line of `bench/mathematics.c`: the number of points, how many are wrong altogether, and the largest
//! distance from the true value in units, with its place. The points are all numbers of `f32`; for `powf`, COUNT pairs. The
//! true values are what the C library computes for `f64`, whose error is less than 2^-28 of a unit.

use toy_math::{Function, Native, NativeSingle, SINGLE};

#[path = "../tests/random/mod.rs"]
mod random;

use random::Random;

/// The distance of neighboring numbers of `f32` at a number.
fn unit(number: f64) -> f64 {
    let exponent = (number.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    f64::from(exponent.max(-126) - 23).exp2()
}

/// Two functions: the one here, and the C library's.
struct Measured {
    function: Function,
    exact: fn(f64, f64) -> f64,
    count: u64,
    wrong: u64,
    worst: f64,
    place: [f32; 2],
}

impl Measured {
    fn point(&mut self, x: f32, y: f32) {
        let numbers = &[x, y][..self.function.arity()];
        let found = if *self.function.format() == SINGLE {
            self.function.on(&NativeSingle, numbers)
        } else {
            let wide: Vec<_> = numbers.iter().copied().map(f64::from).collect();
            self.function.on(&Native, &wide) as f32
        };
        let exact = (self.exact)(x.into(), y.into());
        let nearest = exact as f32;
        self.count += 1;
        if nearest.is_finite() && found.is_finite() && (nearest != 0.0 || found != 0.0) {
            let distance =
                (exact - f64::from(found)).abs() / unit(exact.abs().min(found.abs().into()));
            if distance > self.worst {
                (self.worst, self.place) = (distance, [x, y]);
            }
        } else if nearest.to_bits() != found.to_bits() && !(nearest.is_nan() && found.is_nan()) {
            // Next to the largest number, one of them may be infinite.
            let is_near = nearest.abs() >= f32::MAX && found.abs() >= f32::MAX;
            self.wrong += u64::from(!is_near || nearest.signum() != found.signum());
        }
    }
}

fn main() {
    let arguments: Vec<_> = std::env::args().collect();
    let named = |it: &Function| it.name().strip_suffix('f') == Some(&arguments[1]);
    let exact: fn(f64, f64) -> f64 = match arguments[1].as_str() {
        "exp" => |x, _| x.exp(),
        "log" => |x, _| x.ln(),
        "sin" => |x, _| x.sin(),
        "cos" => |x, _| x.cos(),
        "tanh" => |x, _| x.tanh(),
        _ => f64::powf,
    };
    let function = Function::ALL.into_iter().find(named).expect("a function");
    let mut measured =
        Measured { function, exact, count: 0, wrong: 0, worst: 0.0, place: [0.0; 2] };
    if function == Function::Powf {
        let count: u64 = arguments[2].parse().expect("a count");
        let mut random = Random(arguments[3].parse().expect("a seed"));
        for number in 0..count {
            let x = f32::from_bits(random.next() as u32);
            // Half of the exponents are such that the power is neither infinite nor 0, some of them integers.
            let size = 105.0 * ((random.next() >> 11) as f32 / (1_u64 << 52) as f32 - 1.0);
            let y = match number % 4 {
                0 => size / x.abs().ln(),
                1 => (size / x.abs().ln()).round(),
                2 => f32::from_bits(random.next() as u32),
                _ => size,
            };
            let x = if number % 8 == 3 { 1.0 + x % 1.0 } else { x };
            measured.point(x, y);
        }
    } else {
        (0..=u32::MAX).for_each(|bits| measured.point(f32::from_bits(bits), 0.0));
    }
    let Measured { count, wrong, worst, place: [x, y], .. } = measured;
    println!("{count} {wrong} {worst:.4} {x:e} {y:e}");
}
