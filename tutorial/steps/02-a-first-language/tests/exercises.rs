//! The exercises of step 2. Each test fails until you have solved its exercise.

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
fn subtraction() {
    let program = "def main() { print([9, 7] - [1, 2] - [3, 3]); print(1 - 2 * 3); }";
    assert_eq!(output(program, &[]), "5.000000 2.000000 -5.000000 ");
}

#[test]
fn larger() {
    let program = "def main() { var a = [[1, 5], [7, 3]]; print(max(a, transpose(a))); }";
    assert_eq!(output(program, &[]), "1.000000 7.000000 \n7.000000 3.000000 \n");
    let wrong = output("def main() { print(max([1, 2], [[1, 2]])); }", &[]);
    assert!(wrong.contains("the shapes differ"), "{wrong}");
}

#[test]
fn tokens() {
    let program = "def main() { # the smallest program\n  print(1.5);\n}";
    let expected = "1 def\n1 main\n1 (\n1 )\n1 {\n2 print\n2 (\n2 1.5\n2 )\n2 ;\n3 }\n";
    assert_eq!(output(program, &["-emit=tokens"]), expected);
}
