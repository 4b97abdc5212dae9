//! The exercises of step 8. Each test fails until you have solved its exercise.

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

/// How often an operation is in the Toy dialect's form of a program.
fn count(program: &str, operation: &str) -> usize {
    output(program, &["-emit=toy"]).matches(&format!("\"toy.{operation}\"")).count()
}

#[test]
fn times_one() {
    let program = "def main() { var a = [1, 2] + 3; print(a * 1); print(1 * a); }";
    assert_eq!(count(program, "mul"), 0);
    assert_eq!(output(program, &[]), "4.000000 5.000000 4.000000 5.000000 ");
    // The result is a tensor.
    let program = "def main() { var a = 2 + 3; var ones<2> = 1; print(a * ones); }";
    assert_eq!(output(program, &[]), "5.000000 5.000000 ");
    let program = "def main() { var a = 2 + 3; print(a * [1, 1]); print([1, 1] * a); }";
    assert_eq!(output(program, &[]), "5.000000 5.000000 5.000000 5.000000 ");
}

/// A random expression. `state` makes the next random number.
fn expression(depth: usize, state: &mut u64) -> String {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    let choice = *state >> 33;
    if depth == 0 || choice.is_multiple_of(4) {
        return ["0", "1", "[0, 2]", "n", "0"][choice as usize / 4 % 5].to_string();
    }
    let lhs = expression(depth - 1, state);
    let rhs = expression(depth - 1, state);
    format!("({lhs} {} {rhs})", ["+", "-", "*"][choice as usize / 4 % 3])
}

#[test]
fn zero() {
    let program = "def main() { var a = [1, 2] * 3; print(a - 0); }";
    assert_eq!(count(program, "sub"), 0);
    let mut state = 1;
    let prints: Vec<String> =
        (0..100).map(|_| format!("  print({});\n", expression(3, &mut state))).collect();
    // `n` is a negative zero: it prints as -0.000000.
    let program =
        |prints: &str| format!("def main() {{\n  var n = 0 * (0 - 1);\n{prints}}}\n");
    let outputs = |prints: &str| {
        let program = program(prints);
        (output(&program, &[]), output(&program, &["-O0"]))
    };
    let (fast, slow) = outputs(&prints.concat());
    assert!(slow.contains("-0.000000"), "{slow}");
    if fast != slow {
        // The shortest line that shows the difference alone.
        let differs = |print: &&String| outputs(print).0 != outputs(print).1;
        let print = prints.iter().filter(differs).min_by_key(|print| print.len());
        let print = print.cloned().unwrap_or(prints.concat());
        let (fast, slow) = outputs(&print);
        panic!("-O0 prints\n{slow}\nand without it\n{fast}\nfor\n{}", program(&print));
    }
}

#[test]
fn fold() {
    let program = "def main() { print(2 * 3 + 1); print([1, 2] + 3 * 4); }";
    assert_eq!(output(program, &[]), "7.000000 13.000000 14.000000 ");
    assert_eq!((count(program, "mul"), count(program, "add")), (0, 1));
    assert_eq!(count(program, "constant"), 3);
}
