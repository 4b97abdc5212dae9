//! The exercises of step 19. Each test fails until you have solved its exercise.

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
fn and() {
    let program = "def noisy(x) { print(x); return x; }
        def main() {
            if (noisy(0) && noisy(1)) { print(10); }
            if (noisy(2) && noisy(3) == 3) { print(20); }
            var n = 0;
            while (n < 5 && n * n < 8 && 1) { n = n + 1; }
            print(n);
            print(2 && 3);
        }";
    for level in [&[][..], &["-O0"]] {
        let printed = output(program, level);
        let expected = "0.000000 2.000000 3.000000 20.000000 3.000000 1.000000 ";
        assert_eq!(printed, expected);
    }
    let wrong = output("def main() { print([1, 2] && 1); }", &[]);
    assert!(wrong.contains("must be a number"), "{wrong}");
}

#[test]
fn hoist() {
    let program = "def root(a) {
            var x = a;
            while (x * x - a > 1e-9) { x = (x + a / x) / 2; }
            return x;
        }
        def main() { print(root(2)); print(root(10)); }";
    let output = output(program, &["-O0", "--memory"]);
    assert!(output.starts_with("1.414214 3.162278 memory: "), "{output}");
    assert!(output.contains(" 0 bytes never freed"), "{output}");
    let count = output.split("memory: ").nth(1).and_then(|rest| rest.split(' ').next());
    let count: usize = count.and_then(|count| count.parse().ok()).expect("a number");
    assert!(count < 50, "{count} buffers are allocated");
}

#[test]
fn endless() {
    let with = |body: &str| {
        let main =
            "def main() { var n = 0; var m = 3; while (m < n) { BODY } print(m); }";
        output(&main.replace("BODY", body), &[])
    };
    let message = "the condition never changes";
    assert!(with("print(n);").contains(message));
    assert!(with("var k = n; k = k + 1;").contains(message));
    assert_eq!(with("n = n - 1;"), "3.000000 ");
    assert_eq!(with("if (n) { m = m + 1; }"), "3.000000 ");
    assert_eq!(with("while (m) { m = m - 1; }"), "3.000000 ");
    // Of a constant condition, it is true as well.
    assert!(output("def main() { while (2 < 1) { print(1); } }", &[]).contains(message));
}
