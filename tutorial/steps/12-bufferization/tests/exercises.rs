//! The exercises of step 12. Each test fails until you have solved its exercise.

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

/// How often a function allocates and copies.
fn counts(program: &str, function: &str) -> String {
    let printed = output(program, &["-emit=memref"]);
    let start = format!("// {function}: ");
    let line = printed.lines().find_map(|line| line.strip_prefix(&start));
    line.unwrap_or_else(|| panic!("no line {start:?} in\n{printed}")).to_string()
}

/// Offers must never change what a program prints.
fn same_output(program: &str) {
    assert_eq!(output(program, &[]), output(program, &["-O0"]), "{program}");
}

#[test]
fn harm() {
    let program = "def same(a) { return a; }
        def main() {
          var a = [[1, 2], [3, 4]] + 1;
          print(a);
          print(same(a) * 2);
          print(a);
        }";
    assert_eq!(counts(program, "main"), "2 allocated, 0 copied");
    same_output(program);
    let program = "def second(a, b) { return b; }
        def main() {
          var a = [[1, 2], [3, 4]];
          print(second(a, a) - second(a, transpose(a)));
          print(a);
        }";
    assert!(counts(program, "main").ends_with(" 0 copied"));
    same_output(program);
    // The result of this function is new: it is overwritten.
    let program = "def turn(a) { return transpose(a); }
        def main() { print(turn([[1, 2], [3, 4]]) * 2); }";
    assert_eq!(counts(program, "main"), "1 allocated, 0 copied");
    same_output(program);
}

#[test]
fn better() {
    for difference in ["x - y", "y - x"] {
        let program = format!(
            "def turn(a) {{ return transpose(a); }}
            def main() {{
              var x = turn([[1, 2], [3, 4]]);
              var y = turn(x);
              print({difference});
              print(x);
            }}"
        );
        assert_eq!(counts(&program, "main"), "2 allocated, 0 copied", "{difference}");
        same_output(&program);
    }
}
