//! The exercises of step 3. Each test fails until you have solved its exercise.

use std::process::Command;

/// The tree of an expression, standard error last.
fn tree(program: &str) -> String {
    let compiler = concat!("CARGO_BIN_EXE_", env!("CARGO_PKG_NAME"));
    let compiler = std::env::var_os(compiler).expect("cargo test sets it");
    let name = format!("exercise-{}-{:p}.toy", std::process::id(), program);
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, program).unwrap();
    let output = Command::new(compiler).arg(&file).arg("-emit=tree").output().unwrap();
    std::fs::remove_file(&file).unwrap();
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

#[test]
fn comments() {
    let program = "// above\n8 / 2 // 4 //\n// at the end";
    assert_eq!(tree(program), "div  9..14\n  8  9..10\n  2  13..14\n");
}

#[test]
fn sign() {
    let expected = "sub  0..11\n  mul  0..6\n    2  0..1\n    neg  4..6\n      3  5..6\n  \
                    neg  9..11\n    a  10..11\n";
    assert_eq!(tree("2 * -3 - -a"), expected);
    let many = format!("{}1", "-".repeat(900));
    assert_eq!(tree(&many), "1  900..901\n");
}
