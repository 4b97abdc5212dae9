//! The exercises of step 10. Each test fails until you have solved its exercise.

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
fn which_call() {
    let product = "def product(a, b) { return a * b; }\n";
    let program =
        "def main() { print(product(1, 2)); print(product([1, 2], [1, 2, 3])); }";
    let printed = output(&(product.to_string() + program), &[]);
    assert!(printed.contains("in `product$2$3`"), "{printed}");
    let printed = output("def main() { print([1, 2] * [1, 2, 3]); }", &[]);
    assert!(
        printed.contains("different shapes") && !printed.contains("in `"),
        "{printed}"
    );
}

#[test]
fn table() {
    let program = "def twice(x) { return x + x; }
        def show(x) { print(twice(x)); }
        def main() { show(1); show([1, 2]); show(twice([[1], [2]])); show(7); }";
    let printed = output(program, &["-emit=table"]);
    let mut lines: Vec<&str> = printed.lines().collect();
    lines.sort();
    let expected = [
        "main 0",
        "show$2 1",
        "show$2x1 1",
        "show$s 2",
        "twice$2 1",
        "twice$2x1 2",
        "twice$s 1",
    ];
    assert_eq!(lines, expected);
}
