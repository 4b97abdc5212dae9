//! Runs each program in `programs/` and compares what it prints with the file beside it.

use std::path::Path;
use std::process::Command;

#[test]
fn programs() {
    let compiler = concat!("CARGO_BIN_EXE_", env!("CARGO_PKG_NAME"));
    let compiler = std::env::var_os(compiler).expect("cargo test sets it");
    // Cargo runs tests in the folder of the crate.
    let mut wrong = Vec::new();
    for entry in Path::new("programs").read_dir().unwrap() {
        let program = entry.unwrap().path();
        if program.extension().is_none_or(|extension| extension != "toy") {
            continue;
        }
        let output = Command::new(&compiler).arg(&program).output().unwrap();
        let printed = [output.stdout, output.stderr].concat();
        let expected = std::fs::read(program.with_extension("out")).unwrap_or_default();
        if printed != expected {
            wrong.push(program);
        }
    }
    assert!(wrong.is_empty(), "these print something else: {wrong:?}");
}
