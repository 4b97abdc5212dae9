//! The exercises of step 5. Each test fails until you have solved its exercise.

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
fn twice() {
    let printed = output("def main() {\n  var a = 1;\n  var a = 2;\n  print(a);\n}");
    assert!(printed.contains("there is already a variable `a`"), "{printed}");
    assert!(printed.contains("choose another name"), "{printed}");
    assert!(printed.contains(":3:7 ]"), "{printed}");
    let printed = output("def f(x) { var x = 2; return x; } def main() { print(f(1)); }");
    assert!(printed.contains("there is already a variable `x`"), "{printed}");
    let printed = output("def f(x) { return x; } def main() { var x = f(3); print(x); }");
    assert_eq!(printed, "3.000000 ");
}

#[test]
fn habit() {
    let printed = output("def main() {\n  let a = 1;\n  var b = 2;\n  print(b);\n}");
    assert!(printed.contains("variables are declared with `var`"), "{printed}");
    let printed = output("def main() {\n  var let = 1;\n  print(let);\n}");
    assert_eq!(printed, "1.000000 ");
}

#[test]
fn warning() {
    let printed = output("def main() {\n  var a = 1;\n  var _b = 2;\n  print(3);\n}");
    assert!(printed.starts_with("3.000000 "), "{printed}");
    assert!(printed.contains("Warning: `a` is never read"), "{printed}");
    assert!(!printed.contains("_b`"), "{printed}");
    let printed = output("def main() {\n  var a = 1;\n  var b = a + 1;\n  print(b);\n}");
    assert_eq!(printed, "2.000000 ");
}
