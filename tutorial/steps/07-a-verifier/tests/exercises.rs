//! The exercises of step 7. Each test fails until you have solved its exercise.

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
fn enormous() {
    let row = format!("[{}]", vec!["1"; 500].join(", "));
    let program = |rows: usize| {
        let rows = vec![row.as_str(); rows].join(", ");
        format!("def main() {{ var a = [{rows}]; print(2); }}")
    };
    assert_eq!(output(&program(2), &[]), "2.000000 ");
    let printed = output(&program(3), &[]);
    assert!(printed.contains("this literal is too large"), "{printed}");
    assert!(!output("def main() { var a<40, 40> = 1; }", &[]).contains("literal"));
}

#[test]
fn larger() {
    let program = "def main() { var a = [[1, 5], [7, 3]]; print(max(a, transpose(a))); }";
    assert_eq!(output(program, &[]), "1.000000 7.000000 \n7.000000 3.000000 \n");
    let toy = output(program, &["-emit=toy"]);
    assert!(toy.contains("\"toy.max\""), "{toy}");
    let wrong = output("def main() { print(max([1, 2], [[1, 2]])); }", &[]);
    assert!(wrong.contains("the operands have different shapes"), "{wrong}");
    let wrong = output("def main() { print(max(1)); }", &[]);
    assert!(wrong.contains("`max` takes 2 arguments, not 1"), "{wrong}");
}

#[test]
fn locations() {
    let program = "def main() {\n  var a = [1, 2];\n  print(a + a);\n}";
    let expected = "2:11 toy.constant\n3:9 toy.add\n3:3 toy.print\n";
    assert_eq!(output(program, &["-emit=locations"]), expected);
}
