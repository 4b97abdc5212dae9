//! The exercises of step 20. Each test fails until you have solved its exercise.

use std::process::Command;

/// The output of the compiler for a program, standard error last.
fn output(program: &str, arguments: &[&str]) -> String {
    let compiler = concat!("CARGO_BIN_EXE_", env!("CARGO_PKG_NAME"));
    let compiler = std::env::var_os(compiler).expect("cargo test sets it");
    let name = format!("exercise-{}-{:p}.toy", std::process::id(), program);
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, program).unwrap();
    let output = Command::new(compiler).arg(&file).args(arguments).output().unwrap();
    std::fs::remove_file(&file).unwrap();
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

#[test]
fn one() {
    let program = "def f(x) { return x * x * x; }
        def main() {
            print(grad(f)(5));
            print([1, 1] * [2, 3]);
            print([[1, 1], [1, 1]] * 4);
            print([1, 2] * [3, 4]);
        }";
    for level in [&[][..], &["-O0"]] {
        let printed = output(program, level);
        let expected = "75.000000 2.000000 3.000000 \n4.000000 4.000000 \n4.000000 4.000000 \n3.000000 8.000000 \n";
        let lines =
            |text: &str| text.split_whitespace().map(String::from).collect::<Vec<_>>();
        assert_eq!(lines(&printed), lines(expected));
    }
    let shapes = output(program, &["-emit=shapes"]);
    let gradient = shapes.split("@\"grad(f)").last().unwrap();
    assert!(!gradient.contains("dense<1.0"), "{gradient}");
    assert_eq!(gradient.matches("toy.mul").count(), 3, "{gradient}");
}

#[test]
fn second() {
    let program = "def f(x, y) { return sum(x * x) / y; }
        def g(x, y) { return grad(f, 1)(x, y) + sum(grad(f)(x, y)); }
        def main() {
            print(grad(f)([1, 2], 2));
            print(grad(f, 0)([1, 2], 2));
            print(grad(f, 1)([1, 2], 2));
            print(grad(g, 1)([1, 2], 2));
        }";
    let printed = output(program, &[]);
    let printed: Vec<f64> =
        printed.split_whitespace().map(|it| it.parse().expect(&printed)).collect();
    // The last one is 2 * 5 / 2**3 - 2 * 3 / 2**2.
    assert_eq!(printed, [1., 2., 1., 2., -1.25, -0.25]);
    let wrong = "def f(x) { return x; } def main() { print(grad(f, 1)(2)); }";
    assert!(output(wrong, &[]).contains("`grad` takes a function"));
}

#[test]
fn product() {
    let program = "def loss(w, x, y) {
            var error = x @ w - y;
            return sum(error * error);
        }
        def main() {
            var x = [[1, 0], [1, 1], [1, 2]];
            print(x @ [[1, 2, 3], [4, 5, 6]]);
            var w<2, 1> = 0;
            var n = 0;
            while (n < 200) {
                w = w - 0.05 * grad(loss)(w, x, [[1], [3], [5]]);
                n = n + 1;
            }
            print(w);
        }";
    for level in [&[][..], &["-O0"]] {
        let printed = output(program, level);
        let printed: Vec<f64> =
            printed.split_whitespace().map(|it| it.parse().expect(&printed)).collect();
        let expected = [1., 2., 3., 5., 7., 9., 9., 12., 15., 1., 2.];
        assert!(printed.len() == 11, "{printed:?}");
        let is_near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-3;
        assert!(printed.iter().zip(&expected).all(is_near), "{printed:?}");
    }
    let wrong = "def main() { print([[1, 2], [3, 4]] @ [[1, 2, 3]]); }";
    let wrong = output(wrong, &[]);
    assert!(wrong.contains("2x2") && wrong.contains("1x3"), "{wrong}");
}
