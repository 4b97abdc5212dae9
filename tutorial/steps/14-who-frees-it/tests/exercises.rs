//! The exercises of step 14. Each test fails until you have solved its exercise.

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

/// What `--memory` says without optimizations: allocations, bytes at most, bytes not freed.
fn memory(program: &str) -> Vec<usize> {
    let printed = output(program, &["--memory", "-O0"]);
    let (_, report) = printed.split_once("memory: ").expect("there is a report");
    let numbers = report.split(|c: char| !c.is_ascii_digit());
    numbers.filter_map(|number| number.parse().ok()).collect()
}

#[test]
fn sooner() {
    // Each buffer has 9,600 bytes, and not more than two are needed at a time.
    let program = "def turn(a) { return transpose(a); }
        def main() {
          var a<30, 40> = 1.5;
          var b = turn(a + 1);
          var c = turn(b * 2);
          var d = turn(c - 3);
          print(turn(d / 4));
        }";
    let memory = memory(program);
    assert!(memory[1] <= 3 * 9600, "{} bytes at most", memory[1]);
    assert_eq!(memory[2], 0);
    let last = format!("{}\n", "0.500000 ".repeat(40)).repeat(30);
    assert_eq!(output(program, &["-O0"]), last);
}

#[test]
fn stack() {
    let program = |size: usize| {
        format!("def main() {{ var a<{size}> = 1; print(a + 1); print(a * 2); }}")
    };
    let small = memory(&program(128));
    assert_eq!(small, [0, 0, 0]);
    let large = memory(&program(129));
    assert!(large[0] > 0, "this is too much for the stack");
    assert_eq!(large[2], 0);
}

#[test]
fn balance() {
    let program = "def f(a) { print(a + a); }
        def main() { var a<200> = 1; f(a + 1); f(a * 2); }";
    for arguments in [&["-emit=dealloc"][..], &["-emit=dealloc", "-O0"]] {
        let printed = output(program, arguments);
        let lines: Vec<_> =
            printed.lines().take_while(|line| line.starts_with("//")).collect();
        assert_eq!(lines.len(), 2, "one line for each function:\n{printed}");
        for line in lines {
            let words: Vec<_> = line.split([' ', ',']).collect();
            let freed = words.iter().position(|word| *word == "freed");
            let freed = freed.map(|at| words[at - 1]);
            assert!(words[2] != "0" && freed == Some(words[2]), "{line}");
        }
    }
}
