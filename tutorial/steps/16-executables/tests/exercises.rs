//! The exercises of step 16. Each test fails until you have solved its exercise.

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

const PROGRAM: &str = "def f(a, b) { return transpose(a) * b + 1; }
    def main() { var x = [[1, 2], [3, 4]]; print(f(x, x)); }";

const X86: [&str; 2] = ["--target", "x86_64-unknown-linux-gnu"];
const ARM: [&str; 2] = ["--target", "aarch64-unknown-linux-gnu"];

/// A file in the folder for temporary ones.
fn temporary(name: &str) -> String {
    let name = format!("exercise-{}-{name}", std::process::id());
    std::env::temp_dir().join(name).to_str().unwrap().to_string()
}

#[test]
fn object() {
    let program = PROGRAM.to_string();
    // The head of a file in the format ELF says what it is, and for which processor.
    for (target, machine) in [(X86, 62), (ARM, 183)] {
        let file = temporary(&format!("{machine}.o"));
        let printed = output(&program, &[&target[..], &["-c", "-o", &file]].concat());
        assert_eq!(printed, "");
        let bytes = std::fs::read(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        assert_eq!(bytes[..4], *b"\x7fELF");
        assert_eq!(bytes[16], 1, "this is no object file");
        assert_eq!(bytes[18], machine);
    }
}

#[test]
fn internal() {
    let source = PROGRAM.to_string();
    let llvm = output(&source, &["-emit=llvm"]);
    assert_eq!(llvm.matches("\ndefine").count(), 1, "{llvm}");
    let program = temporary("program");
    assert_eq!(output(&source, &["-o", &program]), "");
    let run = Command::new(&program).output().unwrap();
    std::fs::remove_file(&program).unwrap();
    assert_eq!(run.stdout, b"2.000000 7.000000 \n7.000000 17.000000 \n");
}

#[test]
fn cpu() {
    let program = "def turned(a, b) { return a * transpose(b) + a; }
        def main() { var a<16, 16> = 2; print(turned(a + 1, a)); print(turned(a, a)); }";
    let assembly =
        |cpu: &[&str]| output(program, &[&X86[..], &["-emit=asm"], cpu].concat());
    assert!(!assembly(&[]).contains("ymm"));
    assert!(assembly(&["--cpu", "x86-64-v3"]).contains("ymm"));
    assert!(assembly(&["--cpu", "x86-64-v4"]).contains("zmm"));
}
