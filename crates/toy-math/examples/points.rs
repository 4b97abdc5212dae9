use std::io::Write;
use toy_math::{Function, Native};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let f = Function::ALL.into_iter().find(|f| f.name() == a[1]).unwrap();
    let n: u64 = a[2].parse().unwrap();
    let mut s: u64 = a[3].parse().unwrap();
    let mut next = || {
        s = s.wrapping_add(0x9e3779b97f4a7c15);
        let mut z = s;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
        z ^ (z >> 31)
    };
    let mut out = std::io::BufWriter::with_capacity(1 << 20, std::io::stdout().lock());
    let unit = |b: u64| (b >> 11) as f64 / (1u64 << 53) as f64;
    for i in 0..n {
        let (b, c) = (next(), next());
        let u = unit(b);
        let x = match (f, i % 4) {
            (_, 0) => f64::from_bits(b),
            (Function::Exp, 1) => u * 1460.0 - 750.0,
            (Function::Exp, 2) => u * 2.0 - 1.0,
            (Function::Exp, _) => (u * 20. - 10.) * (1.0 / (1u64 << (c % 60)) as f64),
            (Function::Log, 1) => u * 2.0,
            (Function::Log, 2) => 1.0 + (u - 0.5) / (1u64 << (c % 52)) as f64,
            (Function::Log, _) => u * 1000.,
            (Function::Tanh, 1) => u * 2.0 - 1.0,
            (Function::Tanh, 2) => u * 40. - 20.,
            (Function::Tanh, _) => u / (1u64 << (c % 60)) as f64,
            (Function::Pow, 1) => u * 4.0,
            (Function::Pow, 2) => 1.0 + (u - 0.5) / (1u64 << (c % 52)) as f64,
            (Function::Pow, _) => f64::from_bits(b),
            (_, 1) => u * 10. - 5.,
            (_, 2) => u * 2e6,
            (_, _) => {
                let q = (next() % (1 << 22)) as f64;
                let base = q * std::f64::consts::FRAC_PI_2;
                f64::from_bits(base.to_bits().wrapping_add(c % 5).wrapping_sub(2))
            }
        };
        let mut y = 0.0;
        if f == Function::Pow {
            let v = unit(c);
            y = match i % 4 {
                0 => f64::from_bits(c),
                1 => v * 40. - 20.,
                2 => {
                    let l = x.abs().ln();
                    (v * 1500. - 750.) / l
                }
                _ => {
                    let l = x.abs().ln();
                    if c & 1 == 0 {
                        (v * 1500. - 750.) / l
                    } else {
                        ((v * 1500. - 750.) / l).round()
                    }
                }
            };
        }
        let r = if f == Function::Pow { f.on(&Native, &[x, y]) } else { f.on(&Native, &[x]) };
        for v in [x, y, r] {
            out.write_all(&v.to_le_bytes()).unwrap();
        }
    }
}
