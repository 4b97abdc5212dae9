//! The exercises of step 1. Each test fails until you have solved its exercise.

use std::process::Command;

/// The output of the compiler for a program, standard error last.
fn output(program: &str, extension: &str, arguments: &[&str]) -> String {
    let compiler = concat!("CARGO_BIN_EXE_", env!("CARGO_PKG_NAME"));
    let compiler = std::env::var_os(compiler).expect("cargo test sets it");
    let name = format!("exercise-{}-{:p}.{extension}", std::process::id(), program);
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, program).unwrap();
    let output = Command::new(compiler).arg(&file).args(arguments).output().unwrap();
    std::fs::remove_file(&file).unwrap();
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

#[test]
fn mlir() {
    let program = r#"
        func.func private @toy_print(
            tensor<*xf64> {bufferization.access = "read"}
        ) attributes {llvm.emit_c_interface}
        func.func @main() attributes {llvm.emit_c_interface} {
            %0 = arith.constant dense<[4.0, 5.5]> : tensor<2xf64>
            %1 = tensor.cast %0 : tensor<2xf64> to tensor<*xf64>
            call @toy_print(%1) : (tensor<*xf64>) -> ()
            return
        }"#;
    assert_eq!(output(program, "mlir", &[]), "4.000000 5.500000 ");
    assert_eq!(output("1 2", "numbers", &[]), "1.000000 2.000000 ");
}

#[test]
fn squares() {
    assert_eq!(
        output("1 2.5 4", "numbers", &["squared"]),
        "1.000000 6.250000 16.000000 "
    );
    assert_eq!(output("1 2.5 4", "numbers", &[]), "1.000000 2.500000 4.000000 ");
}
