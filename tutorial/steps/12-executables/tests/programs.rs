//! Runs each program in `programs/` and compares what it prints with the file beside it.

use std::path::Path;
use std::process::Command;

/// This crate's compiler.
const COMPILER: &str = env!(concat!("CARGO_BIN_EXE_", env!("CARGO_PKG_NAME")));

#[test]
fn programs() {
    // Cargo runs tests in the folder of the crate.
    let mut wrong = Vec::new();
    for entry in Path::new("programs").read_dir().unwrap() {
        let program = entry.unwrap().path();
        if program.extension().is_none_or(|extension| extension != "toy") {
            continue;
        }
        let output = Command::new(COMPILER).arg(&program).output().unwrap();
        let printed = [output.stdout, output.stderr].concat();
        let expected = std::fs::read(program.with_extension("out")).unwrap_or_default();
        if printed != expected {
            wrong.push(program);
        }
    }
    assert!(wrong.is_empty(), "these print something else: {wrong:?}");
}
