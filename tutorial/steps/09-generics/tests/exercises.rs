//! The exercises of step 9. Each test fails until you have solved its exercise.

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
fn calls() {
    let program = "def twice(x) { return x + x; }
        def show(x) { print(twice(x)); print(twice(1)); }
        def main() { show(1); show(twice([1, 2])); }";
    let expected = "twice: \nshow: twice\nmain: show, twice\n";
    assert_eq!(output(program, &["-emit=calls"]), expected);
}

#[test]
fn known() {
    let program = "def f(x) { return x + 1; }
        def main() { print(transpose([[1, 2, 3]] * 2)); print(f(1) + f(2)); }";
    let toy = output(program, &["-emit=toy"]);
    assert!(toy.contains("(tensor<1x3xf64>) -> tensor<3x1xf64>"), "{toy}");
    assert!(toy.contains("(tensor<*xf64>, tensor<f64>) -> tensor<*xf64>"), "{toy}");
    assert!(toy.contains("(tensor<*xf64>, tensor<*xf64>) -> tensor<*xf64>"), "{toy}");
}
