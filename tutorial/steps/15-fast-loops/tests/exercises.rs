//! The exercises of step 15. Each test fails until you have solved its exercise.

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

/// A program that transposes a matrix of this size, in a function.
fn program(rows: usize, columns: usize) -> String {
    format!(
        "def turned(a, b) {{ return a * transpose(b) + a; }}
         def main() {{
           var a<{rows}, {columns}> = 2.5;
           var b<{columns}, {rows}> = 1.5;
           print(turned(a + 1, b - 1));
         }}"
    )
}

#[test]
fn rest() {
    let large = program(100, 45);
    let loops = output(&large, &["-emit=loops"]);
    assert!(loops.contains("scf.for") && loops.contains("c32"), "{loops}");
    assert!(output(&large, &[]) == output(&large, &["-O0"]));
    // This is one tile at most, in one direction.
    let small = output(&program(100, 31), &["-emit=loops"]);
    assert!(!small.contains("scf.for"), "{small}");
    // And this one has tiles anyway.
    let even = output(&program(48, 48), &["-emit=loops"]);
    assert!(even.contains("vector"), "{even}");
}

#[test]
fn size() {
    let program = program(48, 48);
    let loops = output(&program, &["-emit=loops", "--tile=16"]);
    assert!(loops.contains("step %c16") && !loops.contains("step %c24"), "{loops}");
    assert!(output(&program, &["--tile=8"]) == output(&program, &["-O0"]));
    for wrong in ["--tile=12", "--tile=0", "--tile=x"] {
        let printed = output(&program, &[wrong]);
        assert!(printed.contains("multiple of 8"), "{printed}");
    }
}
