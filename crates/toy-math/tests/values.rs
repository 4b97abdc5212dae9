//! Values of the functions: next to those of the C library, which is another implementation; exact where the C standard
//! says so; and the same bits as ever.

use toy_math::{cos, exp, log, pow, sin, tanh};

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

/// True if two numbers are the same, or are finite and at most two units apart.
fn are_near(a: f64, b: f64) -> bool {
    if a.is_nan() || b.is_nan() || a.is_infinite() || b.is_infinite() || a == 0.0 || b == 0.0 {
        return a.is_nan() && b.is_nan() || a.to_bits() == b.to_bits();
    }
    a.to_bits().abs_diff(b.to_bits()) <= 2
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
    let expected = [
        ("exp", 10_049_736_524_776_421_058),
        ("log", 14_766_235_204_777_319_889),
        ("sin", 5_425_039_299_488_023_128),
        ("cos", 3_795_226_067_434_667_219),
        ("tanh", 11_390_550_918_457_853_312),
        ("pow", 5_640_060_705_274_435_524),
    ];
    assert_eq!(found, expected);
}
