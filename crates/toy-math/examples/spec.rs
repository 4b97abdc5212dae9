fn main() {
    use toy_math::*;
    let v = [
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
        2f64.powi(52),
        -2f64.powi(52) - 1.0,
        2f64.powi(53),
        9007199254740993.0,
        709.782712893384,
        709.7827128933841,
        -745.1332191019411,
        -745.1332191019412,
        f64::MIN_POSITIVE,
        1e22,
    ];
    let mut bad = 0;
    let same = |a: f64, b: f64| {
        (a.is_nan() && b.is_nan())
            || a == b && a.is_sign_negative() == b.is_sign_negative()
            || a.is_finite()
                && b.is_finite()
                && (a.to_bits() as i64 - b.to_bits() as i64).abs() <= 1
    };
    for &x in &v {
        for (n, a, b) in [
            ("exp", exp(x), x.exp()),
            ("log", log(x), x.ln()),
            ("sin", sin(x), x.sin()),
            ("cos", cos(x), x.cos()),
            ("tanh", tanh(x), x.tanh()),
        ] {
            if !same(a, b) {
                bad += 1;
                println!("{n}({x:e})={a:e} want {b:e}");
            }
        }
        for &y in &v {
            let (a, b) = (pow(x, y), x.powf(y));
            if !same(a, b) {
                bad += 1;
                println!("pow({x:e},{y:e})={a:e} want {b:e}");
            }
        }
    }
    println!("bad {bad}");
}
