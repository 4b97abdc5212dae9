//! The exercises of step 4. Each test fails until you have solved its exercise.

use std::process::Command;

/// The output of the compiler for a program, standard error last.
fn output(program: &str) -> String {
    let compiler = concat!("CARGO_BIN_EXE_", env!("CARGO_PKG_NAME"));
    let compiler = std::env::var_os(compiler).expect("cargo test sets it");
    let name = format!("exercise-{}-{:p}.toy", std::process::id(), program);
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, program).unwrap();
    let output = Command::new(compiler).arg(&file).output().unwrap();
    std::fs::remove_file(&file).unwrap();
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

#[test]
fn remainder() {
    let program =
        "def main() { print([7, 9.5, 3] % 4); print(2 * 7 % 4); print((0 - 1) % 4); }";
    assert_eq!(output(program), "3.000000 1.500000 3.000000 2.000000 3.000000 ");
}

#[test]
fn rows() {
    let program = "def count(a) { return rows(a); }
        def main() { print(count([[1, 2], [3, 4], [5, 6]])); print(rows([7, 8]) / 4); }";
    assert_eq!(output(program), "3.000000 0.500000 ");
    let wrong = output("def main() {\n print(rows(5)); }");
    assert!(wrong.contains(":2: a number has no rows"), "{wrong}");
}
