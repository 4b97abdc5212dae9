//! The exercises of step 18. Each test fails until you have solved its exercise.

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
fn else_if() {
    let program = "def sign(x) {
            if (x < 0) { print(0 - 1); } else if (x > 0) { print(1); } else { print(7); }
            if (x > 2) { } else if (x > 1) { print(5); }
        }
        def main() { sign(0 - 3); sign(3); sign(0); sign(2); }";
    assert_eq!(output(program, &[]), "-1.000000 1.000000 7.000000 1.000000 5.000000 ");
    // It is no statement that an `else` could do without.
    assert!(output("def main() { if (1) { } else print(1); }", &[]).contains("expected"));
}

#[test]
fn never() {
    let message = "this block never runs";
    let with =
        |branch: &str| output(&format!("def main() {{ var a = 1; {branch} }}"), &[]);
    assert!(with("if (0) { print(a); }").contains(message));
    assert!(with("if (1) { print(a); } else { print(2); }").contains(message));
    assert!(with("if (a) { if (0) { print(a); } }").contains(message));
    // An empty block has nothing to run, and the value of a variable may change.
    assert_eq!(with("if (1) { print(a); }"), "1.000000 ");
    assert_eq!(with("if (0) { } else { print(a); }"), "1.000000 ");
    assert_eq!(with("if (a) { print(a); } else { print(2); }"), "1.000000 ");
}
