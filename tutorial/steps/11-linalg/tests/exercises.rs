//! The exercises of step 11. Each test fails until you have solved its exercise.

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
fn max() {
    let program = "def larger(a, b) { return max(transpose(a), b) * 2; }
        def main() {
          print(max([1, 5, 3], [4, 2, 3]));
          print(max(2, [1, 5, 3]));
          print(larger([[1, 9], [2, 0]], [[5, 1], [3, 7]]));
          print(max(1, 2));
        }";
    let expected = "4.000000 5.000000 3.000000 2.000000 5.000000 3.000000 \
        10.000000 4.000000 \n18.000000 14.000000 \n2.000000 ";
    assert_eq!(output(program, &[]), expected);
    assert_eq!(output(program, &["-O0"]), expected);
    // It is one loop with the operations around it.
    let linalg = output(program, &["-emit=linalg"]);
    let larger = linalg.split("func.func private @larger").nth(1).unwrap_or_default();
    let larger = larger.split("return").next().unwrap();
    assert_eq!(larger.matches("linalg.generic").count(), 1, "{linalg}");
    // Mistakes are found, as for the operators.
    let printed = output("def main() { print(max([1, 2], [1, 2, 3])); }", &[]);
    assert!(printed.contains("different shapes"), "{printed}");
    let printed = output("def main() { print(max(1)); }", &[]);
    assert!(printed.contains("`max` takes 2 arguments, not 1"), "{printed}");
}

#[test]
fn sum() {
    let program = "def mean(a) { return sum(a) / 6; }
        def main() {
          var a = [[1, 2, 3], [4, 5, 6]];
          print(sum(a));
          print(mean(a));
          print(sum(a * a) - sum(transpose(a) * transpose(a)));
          print(sum([7, 8]) * [1, 2]);
          print(sum(9));
        }";
    let expected =
        "21.000000 3.500000 0.000000 15.000000 30.000000 9.000000 ".to_string();
    assert_eq!(output(program, &[]), expected);
    assert_eq!(output(program, &["-O0"]), expected);
    let linalg = output(program, &["-emit=linalg"]);
    assert!(linalg.contains("reduction"), "{linalg}");
}
