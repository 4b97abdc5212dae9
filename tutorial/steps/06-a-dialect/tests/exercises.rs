//! The exercises of step 6. Each test fails until you have solved its exercise.

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

/// How often a text is in the Toy dialect's form of a program.
fn count(program: &str, text: &str) -> usize {
    output(program, &["-emit=toy"]).matches(text).count()
}

#[test]
fn once() {
    let program = "def one(x) { return x + 1; } def main() { print(1 - one(2) * 1); }";
    assert_eq!(count(program, "\"toy.constant\""), 2);
    assert_eq!(count(program, "\"toy.mul\""), 1);
    let program = "def main() { print([1, 2] + [1, 2]); print(1); }";
    assert_eq!(count(program, "\"toy.constant\""), 3);
}

#[test]
fn named() {
    let program = "def show(x) { print(x); } def main() { var a = 1; print(a); show(a + 1); print(2); }";
    assert_eq!(count(program, "name = \"a\""), 1);
    assert_eq!(count(program, "name = \"x\""), 1);
    assert_eq!(count(program, "name = \"\""), 1);
    // IRDL knows the attribute.
    let dialect = std::fs::read_to_string("src/toy.irdl.mlir").unwrap();
    assert!(dialect.contains("#builtin.string"), "{dialect}");
}
