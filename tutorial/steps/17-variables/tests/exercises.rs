//! The exercises of step 17. Each test fails until you have solved its exercise.

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
fn short() {
    let program = "def main() {
            var x = [1, 2];
            x += 1;
            print(x);
            x *= x - 1;
            print(x);
            x -= [1, 1];
            x /= 5;
            print(x);
        }";
    let expected = "2.000000 3.000000 2.000000 6.000000 0.200000 1.000000 ";
    assert_eq!(output(program, &[]), expected);
    // It is an assignment: its variable is there already, and keeps its shape.
    assert!(output("def main() { x += 1; }", &[]).contains("`x` is not defined"));
    let shape = output("def main() { var x = 1; x += [1, 2]; }", &[]);
    assert!(shape.contains("a variable keeps its shape"), "{shape}");
}

#[test]
fn fixed() {
    let program =
        "def main() { let x = 1; var y = x; y = y + x; let z<2> = y; print(z); }";
    assert_eq!(output(program, &[]), "2.000000 2.000000 ");
    let wrong = output("def main() { let x = 1; x = 2; }", &[]);
    assert!(wrong.contains("`x` cannot change"), "{wrong}");
    // In another function, the name may be a variable.
    let other = "def f() { let x = 1; print(x); } def main() { var x = 2; x = 3; f(); }";
    assert_eq!(output(other, &[]), "1.000000 ");
}
