//! Challenge: a back end that writes C.
//!
//! Copy this file to `tests/c.rs` of your crate, and say `cargo test --test c`. Each program
//! is compiled with `toy FILE -emit=c`, which has to print a program in C99 that prints the
//! same as `toy FILE -emit=jit`, byte by byte. `cc` compiles it with all warnings as errors,
//! and it runs with checks for leaks and for accesses outside of buffers.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const FLAGS: [&str; 8] = [
    "-std=c99",
    "-pedantic",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-O1",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
];

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// Standard output of a program that has to succeed.
fn output(command: &mut Command) -> String {
    let output = run(command);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{errors}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

fn toy(file: &Path, stage: &str) -> String {
    let toy = std::env::var_os("CARGO_BIN_EXE_toy").expect("cargo test sets it");
    output(Command::new(toy).arg(file).arg(format!("-emit={stage}")))
}

/// Compares a program in C with the program, and returns its text and what it prints.
fn same(name: &str, program: &str) -> (String, String) {
    let folder = std::env::temp_dir().join(format!("toy-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = |extension: &str| -> PathBuf { folder.join(format!("{name}{extension}")) };
    std::fs::write(file(".toy"), program).unwrap();
    let expected = toy(&file(".toy"), "jit");
    let text = toy(&file(".toy"), "c");
    std::fs::write(file(".c"), &text).unwrap();
    let mut compiler = Command::new("cc");
    output(compiler.args(FLAGS).arg(file(".c")).arg("-o").arg(file("")).arg("-lm"));
    let printed = output(&mut Command::new(file("")));
    assert_eq!(printed, expected, "{program}\nin C:\n{text}");
    assert!(!printed.is_empty(), "{program} prints nothing");
    std::fs::remove_dir_all(folder).ok();
    (text, printed)
}

#[test]
fn c1_numbers() {
    same("numbers", "def main() { print(1); print(2.5 * 3 - 1 / 4); print(1e9); }");
}

#[test]
fn c2_tensors() {
    let program = "def main() {
        var a<2, 3> = [1, 2, 3, 4, 5, 6];
        print(a);
        print(transpose(a) * 2 - 1);
        print(a / (a + a) + 10);
    }";
    same("tensors", program);
}

#[test]
fn c3_functions() {
    let program = "def product(a, b) { return transpose(a) * transpose(b); }
        def twice(x) { return product(x, x); }
        def same(x) { return x; }
        def main() {
            var a = [[1, 2, 3], [4, 5, 6]];
            print(product(a, a + 1));
            print(twice(transpose(a)));
            print(same(a) + same(a));
            print(product(3, 4));
        }";
    let (text, _) = same("functions", program);
    assert!(text.contains("product"), "the functions are gone:\n{text}");
}

#[test]
fn c4_branches_and_loops() {
    let program = "def root(a) {
            var x = a;
            while (x * x - a > 1e-9) { x = (x + a / x) / 2; }
            return x;
        }
        def larger(a, b) { var m = a; if (a < b) { m = b; } else { m = a; } return m; }
        def main() { print(root(2)); print(larger(root(9), 4)); print(larger(5, 4)); }";
    same("loops", program);
}

#[test]
fn c5_buffers_around_a_loop() {
    let program = "def turned(a, n) {
            var x = a;
            while (n > 0) { x = transpose(x) + a; n = n - 1; }
            return x;
        }
        def main() {
            var a = [[1, 2], [3, 4]];
            print(turned(a, 0));
            print(turned(a, 1000));
            print(a);
        }";
    same("turned", program);
}

#[test]
fn c6_not_the_numbers_themselves() {
    // A program that prints much from little: its text in C is short, too.
    let program = "def main() {
            var a = [[1, 2], [3, 4]];
            var n = 0;
            while (n < 2000) { print(a * n); n = n + 1; }
        }";
    let (text, printed) = same("short", program);
    assert!(text.len() < printed.len() / 5, "{} bytes of C", text.len());
    let program = "def main() { var a<100, 100> = 1.5; print(transpose(a) * a + a); }";
    let (text, printed) = same("large", program);
    assert!(text.len() < printed.len() / 5, "{} bytes of C", text.len());
}
