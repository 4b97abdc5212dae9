//! The exercises of step 13. Each test fails until you have solved its exercise.

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

/// The line of the plan about `main`, which is the first one.
fn plan(program: &str) -> String {
    let printed = output(program, &["-emit=plan"]);
    printed.lines().next().unwrap_or_default().to_string()
}

/// A program whose buffers are born and printed for the last time in this order: a letter
/// and a number for a new buffer of so many lines of 64 bytes, a letter to print it.
fn program(events: &str) -> String {
    let mut text = "def fresh(a, n) { return a + n; }\ndef main() {\n".to_string();
    for (index, event) in events.split_whitespace().enumerate() {
        let (name, lines) = event.split_at(1);
        text += &match lines.parse::<usize>() {
            Ok(lines) => {
                let size = lines * 8;
                let elements = format!("  var {name}{name}<{size}> = {index};\n");
                elements + &format!("  var {name} = fresh({name}{name}, {index});\n")
            }
            Err(_) => format!("  print({name});\n"),
        };
    }
    text + "}\n"
}

#[test]
fn bound() {
    let line = plan(&program("a1 b2 a c3 b c"));
    assert_eq!(line, "main: 320 bytes for 3 buffers of 384, at least 320");
    let line = plan(&program("a2 b3 c3 a b d4 c d"));
    assert!(line.ends_with(" for 4 buffers of 768, at least 512"), "{line}");
}

#[test]
fn planner() {
    for (events, bytes) in
        [("a2 b3 c3 a b d4 c d", 512), ("a2 b4 c3 b d1 a c e2 f4 e f d", 576)]
    {
        let line = plan(&program(events));
        assert!(line.starts_with(&format!("main: {bytes} bytes for ")), "{line}");
        let printed = output(&program(events), &["--memory"]);
        assert!(printed.contains(&format!(" {bytes} bytes at most,")), "{printed}");
    }
    // No plan may change what a program prints.
    let mut state: u64 = 1;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for _ in 0..8 {
        let (mut events, mut alive) = (String::new(), Vec::new());
        for name in 'a'..='l' {
            events += &format!("{name}{} ", 1 + random(5));
            alive.push(name);
            while random(2) == 0 && !alive.is_empty() {
                events += &format!("{} ", alive.swap_remove(random(alive.len())));
            }
        }
        events.extend(alive.iter().map(|name| format!("{name} ")));
        let program = program(&events);
        assert_eq!(output(&program, &[]), output(&program, &["-O0"]), "{program}");
    }
}
