//! Values of the functions: next to those of the C library, which is another implementation; exact where the C standard
//! says so; and the same bits as ever.

use toy_math::{cos, cosf, exp, expf, log, logf, pow, powf, sin, sinf, tanh, tanhf};

/// Numbers at which functions have something special.
const SPECIAL: [f64; 27] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.0,
    -2.0,
    3.0,
    -3.0,
    0.5,
    -0.5,
    1.5,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    5e-324,
    -5e-324,
    f64::MAX,
    f64::MIN,
    4_503_599_627_370_496.0,
    -4_503_599_627_370_497.0,
    9_007_199_254_740_991.0,
    709.782712893384,
    709.7827128933841,
    -745.1332191019411,
    -745.1332191019412,
    f64::MIN_POSITIVE,
    1e22,
];

/// The functions of one argument, here and in the C library.
type Pair = (&'static str, fn(f64) -> f64, fn(f64) -> f64);
const ONE: [Pair; 5] = [
    ("exp", exp, f64::exp),
    ("log", log, f64::ln),
    ("sin", sin, f64::sin),
    ("cos", cos, f64::cos),
    ("tanh", tanh, f64::tanh),
];

/// The functions of `f32`, and the C library's of `f64`, which tell one unit of `f32`.
type Single = (&'static str, fn(f32) -> f32, fn(f64) -> f64);
const SINGLE: [Single; 5] = [
    ("expf", expf, f64::exp),
    ("logf", logf, f64::ln),
    ("sinf", sinf, f64::sin),
    ("cosf", cosf, f64::cos),
    ("tanhf", tanhf, f64::tanh),
];

/// True if two numbers are the same, or are finite and at most two units apart.
fn are_near(a: f64, b: f64) -> bool {
    if a.is_nan() || b.is_nan() || a.is_infinite() || b.is_infinite() || a == 0.0 || b == 0.0 {
        return a.is_nan() && b.is_nan() || a.to_bits() == b.to_bits();
    }
    a.to_bits().abs_diff(b.to_bits()) <= 2
}

/// True if a number is the exact one, or finite and next to it.
fn is_single(found: f32, exact: f64) -> bool {
    let nearest = exact as f32;
    if nearest.is_nan() || found.is_nan() {
        return nearest.is_nan() && found.is_nan();
    }
    nearest.to_bits().abs_diff(found.to_bits()) <= u32::from(nearest != 0.0 && nearest.is_finite())
}

/// Numbers of all sizes, from bits that look random.
fn numbers() -> impl Iterator<Item = f64> {
    let spread = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (1..100_000).map(move |number| match number % 3 {
        0 => f64::from_bits(spread(number)),
        1 => (spread(number) >> 11) as f64 / (1u64 << 46) as f64 - 64.0,
        _ => (spread(number) >> 11) as f64 / (1u64 << 52) as f64,
    })
}

#[test]
fn special_values_are_those_of_c() {
    for x in SPECIAL {
        for (name, ours, others) in ONE {
            assert!(are_near(ours(x), others(x)), "{name}({x:e}) is {:e}", ours(x));
        }
        for y in SPECIAL {
            assert!(are_near(pow(x, y), x.powf(y)), "pow({x:e}, {y:e}) is {:e}", pow(x, y));
        }
    }
}

#[test]
fn values_are_next_to_those_of_c() {
    for x in numbers() {
        for (name, ours, others) in ONE {
            assert!(are_near(ours(x), others(x)), "{name}({x:e}) is {:e}", ours(x));
        }
    }
    for (x, y) in numbers().zip(numbers().skip(7)) {
        assert!(are_near(pow(x, y), x.powf(y)), "pow({x:e}, {y:e}) is {:e}", pow(x, y));
        assert!(are_near(pow(-x, y.round()), (-x).powf(y.round())), "pow({:e}, {y:e})", -x);
    }
}

/// `bench/mathematics.py --single` compares all numbers.
#[test]
fn values_of_f32_are_next_to_the_exact_ones() {
    let special = SPECIAL.map(|x| x as f32);
    let special = special.into_iter().chain([
        f32::MIN_POSITIVE,
        1e-45,
        -1e-45,
        f32::MAX,
        -f32::MAX,
        f32::from_bits(0x7f80_0155),
    ]);
    let special: Vec<_> = special.chain([88.722_83, 88.722_84, -103.972_07, -103.972_08]).collect();
    let spread = (0..100_000_u32).map(|number| f32::from_bits(number.wrapping_mul(0x9e37_79b9)));
    let all: Vec<_> = special.iter().copied().chain(spread).collect();
    for x in &all {
        for (name, ours, exact) in SINGLE {
            assert!(is_single(ours(*x), exact((*x).into())), "{name}({x:e}) is {:e}", ours(*x));
        }
    }
    let exponents = special.iter().copied().chain((0..8).map(|at| at as f32 * 1.37 - 4.0));
    for y in exponents {
        for x in special.iter().chain(all.iter().step_by(53)) {
            let exact = f64::from(*x).powf(y.into());
            assert!(is_single(powf(*x, y), exact), "powf({x:e}, {y:e}) is {:e}", powf(*x, y));
        }
    }
}

/// A change of these sums is a change of the language.
#[test]
fn bits_are_the_same_as_ever() {
    let hash = |sum: u64, value: f64| {
        let bits = if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() };
        (sum.rotate_left(5) ^ bits).wrapping_mul(0x0100_0000_01b3)
    };
    let mut found: Vec<_> =
        ONE.iter().map(|(name, ours, _)| (*name, numbers().map(ours).fold(0, hash))).collect();
    let powers = numbers().zip(numbers().skip(7)).map(|(x, y)| pow(x, y));
    found.push(("pow", powers.fold(0, hash)));
    let singles = || numbers().map(|x| x as f32);
    for (name, ours, _) in SINGLE {
        found.push((name, singles().map(|x| f64::from(ours(x))).fold(0, hash)));
    }
    let powers = singles().zip(singles().skip(7)).map(|(x, y)| f64::from(powf(x, y)));
    found.push(("powf", powers.fold(0, hash)));
    let expected = [
        ("exp", 8_415_853_470_142_988_455),
        ("log", 14_766_235_204_777_319_889),
        ("sin", 5_425_039_299_488_023_128),
        ("cos", 3_795_226_067_434_667_219),
        ("tanh", 11_390_550_918_457_853_312),
        ("pow", 5_640_060_705_274_435_524),
        ("expf", 17_084_588_780_818_546_553),
        ("logf", 5_171_059_187_708_987_737),
        ("sinf", 9_106_782_894_208_940_198),
        ("cosf", 12_813_372_492_582_876_727),
        ("tanhf", 7_408_844_693_612_944_937),
        ("powf", 16_481_658_711_941_243_397),
    ];
    assert_eq!(found, expected);
}
