//! The display of messages: formats, colors, warnings and their levels, and LLVM's own messages.
//!
//! Input: programs with errors and warnings, `.mlir` text that LLVM rejects. Invariants of toyc
//! tested here: a program that reads the messages gets JSON and nothing else, wherever they come from;
//! of several options about one warning, the last one counts; warnings come before the program's output and
//! change nothing else.

use crate::command_line::{UNDEFINED, toyc_in, workspace};
use crate::filecheck::bash;
use crate::generator::Random;
use crate::tools::{
    Job, Outcome, TOYC, Tests, fail, files, find, scratch, toyc as run_toyc, trial,
};
use libtest_mimic::Trial;
use toy_compiler::diagnostic::{Code, Severity, codes};
use toy_compiler::source::Source;
use toy_syntax::lexer;

pub fn trials() -> Vec<Trial> {
    let tests: Tests = vec![
        ("names_of_files_control_no_terminal", names_of_files_control_no_terminal),
        ("formats_and_colors_are_independent", formats_and_colors_are_independent),
        ("terminals_get_colors", terminals_get_colors),
        ("help_has_the_colors_of_messages", help_has_the_colors_of_messages),
        ("colors_follow_the_environment", colors_follow_the_environment),
        ("every_failure_can_be_json", every_failure_can_be_json),
        ("mistakes_cause_no_errors_in_shapes", mistakes_cause_no_errors_in_shapes),
        ("the_last_option_of_a_warning_wins", the_last_option_of_a_warning_wins),
        ("warnings_come_first_and_once", warnings_come_first_and_once),
        ("code_that_llvm_rejects_is_diagnosed", code_that_llvm_rejects_is_diagnosed),
    ];
    tests.into_iter().map(|(name, test)| trial(format!("messages/{name}"), test)).collect()
}

fn formats_and_colors_are_independent() -> Outcome {
    let directory = workspace("error_format_and_color")?;
    std::fs::write(directory.join("wrong.toy"), "def main() {\n  print(x);\n  print(y);\n}\n")?;
    let run = toyc_in(&directory, "wrong.toy --error-format=short")?.diagnosed("E0201")?;
    if run.stderr.lines().count() != 2 || !run.stderr.starts_with("wrong.toy:2:9: error[E0201]: ") {
        return run.complain("not one line for each error");
    }
    let colored = toyc_in(&directory, "wrong.toy --color=always")?.diagnosed("E0201")?;
    let plain = toyc_in(&directory, "wrong.toy --color=never")?.diagnosed("E0201")?;
    let auto = toyc_in(&directory, "wrong.toy")?.diagnosed("E0201")?;
    if !colored.stderr.contains("\x1b[")
        || plain.stderr.contains("\x1b[")
        || auto.stderr != plain.stderr
    {
        return colored.complain("colors are not where they were asked for");
    }
    Ok(())
}

/// `script` makes standard error a terminal.
fn terminals_get_colors() -> Outcome {
    if find("script").is_none() {
        return fail("script is missing: run ./setup --tests");
    }
    let directory = workspace("colors_on_a_terminal")?;
    std::fs::write(directory.join("wrong.toy"), "def main() { print(x); }\n")?;
    for (no_color, option, expected) in [
        ("", "", true),
        ("1", "", false),
        ("0", "", false),
        ("1", "--color=auto", false),
        ("", "--color=never", false),
        ("1", "--color=always", true),
        ("", "--color=always --error-format=short", false),
        ("", "--color=always --error-format=json", false),
    ] {
        let command = format!("{TOYC} wrong.toy {option}");
        let job = Job::new("script", ["-qec", &command, "/dev/null"]).current_dir(&directory);
        let job = job.env("NO_COLOR", no_color).env("TERM", "xterm");
        let run = job.env("CLICOLOR", "1").env("CLICOLOR_FORCE", "").run()?.exits(1)?;
        if run.out().contains("\x1b[") != expected || !run.out().contains("E0201") {
            return run.complain(format!("NO_COLOR={no_color} {option}: colors {expected}"));
        }
    }
    Ok(())
}

/// Help has only colors that are legible on light and dark terminals, as the renderer's own tests measure.
fn help_has_the_colors_of_messages() -> Outcome {
    let palette = toy_compiler::diagnostic::render::colors::PALETTE;
    let directory = workspace("colors_of_help")?;
    for arguments in ["--help", "run --help", "program.toy -emit=nonsense", "--bogus"] {
        let command = format!("env -u NO_COLOR TERM=xterm CLICOLOR_FORCE=1 {TOYC} {arguments}");
        let run = bash(&command, &directory)?;
        let text = format!("{}{}", run.out(), run.stderr);
        let mut sequences = text.split("\x1b[").skip(1).peekable();
        if sequences.peek().is_none() {
            return run.complain("no colors");
        }
        for sequence in sequences {
            let codes = sequence.split('m').next().unwrap_or_default();
            let hue: Option<u8> = codes.strip_prefix("38;5;").and_then(|hue| hue.parse().ok());
            let is_known = match hue {
                Some(hue) => palette.iter().any(|known| known.0 == hue),
                None => ["0", "1", "4", ""].contains(&codes),
            };
            if !is_known {
                return run.complain(format!("another color: {codes}"));
            }
        }
    }
    Ok(())
}

/// TERM, NO_COLOR, CLICOLOR and CLICOLOR_FORCE have the same effect as on clap's own messages.
fn colors_follow_the_environment() -> Outcome {
    if find("script").is_none() {
        return fail("script is missing: run ./setup --tests");
    }
    let directory = workspace("colors_follow_the_environment")?;
    std::fs::write(directory.join("wrong.toy"), "def main() { print(x); }\n")?;
    for (variables, option, on_a_terminal, in_a_pipe) in [
        ("TERM=xterm", "", true, false),
        ("TERM=dumb", "", false, false),
        ("", "", false, false),
        ("TERM=dumb CLICOLOR=1", "", true, false),
        ("TERM=xterm CLICOLOR=0", "", false, false),
        ("TERM=dumb CLICOLOR_FORCE=1", "", true, true),
        ("TERM=xterm CLICOLOR=0 CLICOLOR_FORCE=1", "", true, true),
        ("TERM=xterm CLICOLOR_FORCE=1 NO_COLOR=1", "", false, false),
        ("TERM=xterm CLICOLOR_FORCE=1", "--color=never", false, false),
        ("TERM=dumb NO_COLOR=1", "--color=always", true, true),
    ] {
        let unset = "-u TERM -u NO_COLOR -u CLICOLOR -u CLICOLOR_FORCE -u CI";
        // With `-Wbogus` the message is clap's.
        for (arguments, status) in [("wrong.toy", 1), ("wrong.toy -Wbogus", 2)] {
            if status == 2 && !option.is_empty() {
                continue;
            }
            let command = format!("env {unset} {variables} {TOYC} {arguments} {option}");
            let job = Job::new("script", ["-qec", &command, "/dev/null"]);
            let terminal = job.current_dir(&directory).run()?.exits(status)?;
            let pipe = bash(&command, &directory)?.exits(status)?;
            if terminal.out().contains("\x1b[") != on_a_terminal {
                return terminal.complain(format!("{command}: colors on a terminal"));
            }
            if pipe.stderr.contains("\x1b[") != in_a_pipe {
                return pipe.complain(format!("{command}: colors in a pipe"));
            }
        }
    }
    Ok(())
}

/// A misspelled name, or a token too few or too many, causes no error in shapes in a right program, and hides such an
/// error only if it touches it.
fn mistakes_cause_no_errors_in_shapes() -> Outcome {
    const CALL: &str = "def main() { print(zq([1, 2, 3]));";
    const WRONG: &str = "\ndef zq(x) { return x + [1, 2]; }\n";
    const TOKENS: [&str; 6] = ["}", "{", ")", ";", "var", "zq1"];
    let mut random = Random::new(7);
    let (mut hidden, mut shown) = (0, 0);
    let errors = |text: &str| {
        let diagnostics = toy_compiler::check(&Source::new("t", text));
        let errors = diagnostics.iter().filter(|it| it.severity == Severity::Error);
        errors.map(|error| error.code).collect::<Vec<_>>()
    };
    let is_about_shapes = |code: &&Code| code.id.starts_with("E03") && **code != codes::RECURSION;
    for file in files("tests/programs", &["toy"]) {
        let text = std::fs::read_to_string(&file)?.replacen("def main() {", CALL, 1);
        let source = Source::new("t", text.as_str());
        let (tokens, _) = lexer::lex(&source);
        if text.len() > 1500 || !random.chance(70) {
            continue;
        }
        let place = tokens[random.below(tokens.len())].1.within(&text);
        let (before, token, after) =
            (&text[..place.start], &text[place.clone()], &text[place.end..]);
        let token = match random.below(3) {
            0 => String::new(),
            1 => format!("{token}zq"),
            _ => format!("{token} {}", random.pick(&TOKENS)),
        };
        let right = format!("{before}{token}{after}\ndef zq(x) {{ return x; }}\n");
        let found = errors(&right);
        if found.is_empty() {
            continue;
        }
        if let Some(code) = found.iter().find(is_about_shapes) {
            let front = found.iter().any(|code| !is_about_shapes(&code));
            if front {
                return fail(format!("{} is not caused by shapes:\n{right}", code.id));
            }
        }
        let wrong = errors(&format!("{before}{token}{after}{WRONG}"));
        *(if wrong.iter().any(|code| is_about_shapes(&code)) {
            &mut shown
        } else {
            &mut hidden
        }) += 1;
    }
    if shown < hidden || shown < 20 {
        return fail(format!("{shown} errors are shown and {hidden} hidden"));
    }
    Ok(())
}

/// A program that reads the messages gets JSON and nothing else, whatever fails.
fn every_failure_can_be_json() -> Outcome {
    let directory = workspace("json_for_every_path")?;
    let wrong = "def main() {\n  var unused = 1;\n  print([1, 2, 3] + [1, 2]);\n}\n";
    std::fs::write(directory.join("wrong.toy"), wrong)?;
    std::fs::write(directory.join("latin1.toy"), b"# \xe9")?;
    std::fs::write(directory.join("undefined.mlir"), UNDEFINED)?;
    std::fs::write(directory.join("assembly.mlir"), ASSEMBLY)?;
    std::fs::write(directory.join("crash.mlir"), CRASH)?;
    std::fs::write(directory.join("fatal.mlir"), FATAL)?;
    for (arguments, codes) in [
        ("wrong.toy", ["W0101", "E0301"].as_slice()),
        ("wrong.toy -emit=jit -Werror", &["W0101", "E0301"]),
        ("missing.toy", &["E0001"]),
        ("missing.mlir", &["E0001"]),
        ("latin1.toy", &["E0003"]),
        ("program.toy -o missing/program", &["E0002"]),
        ("program.toy -o program.toy", &["E0004"]),
        ("program.toy --target=vax", &["E0501"]),
        ("program.toy --linker=false", &["E0502"]),
        ("undefined.mlir -emit=jit", &["E0503"]),
        ("undefined.mlir -emit=ast", &["E0004"]),
        ("crash.mlir -emit=jit", &["E0504"]),
        ("assembly.mlir -emit=obj", &["E0505"]),
        ("fatal.mlir -emit=obj", &["E0505"]),
        ("--explain=E9999", &["E0004"]),
    ] {
        let run = toyc_in(&directory, &format!("{arguments} --error-format=json"))?;
        let mut found = Vec::new();
        for line in run.stderr.lines() {
            match serde_json::from_str::<serde_json::Value>(line) {
                Ok(object) => found.push(object["code"].as_str().unwrap_or_default().to_owned()),
                Err(error) => return run.complain(format!("`{line}` is not JSON: {error}")),
            }
        }
        if found != codes || run.status == Some(0) {
            return run.complain(format!("expected {codes:?}, got {found:?}"));
        }
    }
    let full = bash("toyc -V --error-format=json > /dev/full", &directory)?.exits(1)?;
    full.says("{\"code\":\"E0002\"")?;
    Ok(())
}

fn the_last_option_of_a_warning_wins() -> Outcome {
    let directory = workspace("warnings_and_their_options")?;
    let program = "def f() {\n  print(2);\n}\ndef main() {\n  var f = 1;\n  print(3);\n}\n";
    std::fs::write(directory.join("odd.toy"), program)?;
    let all = ["W0102 warning", "W0101 warning", "W0104 warning"];
    let errors = ["W0102 error", "W0101 error", "W0104 error"];
    for (options, expected) in [
        ("", all.as_slice()),
        ("-Wall", &all),
        ("-w", &[]),
        ("-Wno-all", &[]),
        ("-W no-all -W unused-function", &all[..1]),
        ("-W unused-function -W no-all", &[]),
        ("-w -Wall", &all),
        ("-W no-unused-function -Wno-W0104", &all[1..2]),
        ("-D unused-function", &["W0102 error", "W0101 warning", "W0104 warning"]),
        ("-D unused-function -W unused-function", &all),
        ("-D unused-function -W no-unused-function", &all[1..]),
        ("-Werror=shadowing", &["W0102 warning", "W0101 warning", "W0104 error"]),
        ("-Werror", &errors),
        ("-D warnings", &errors),
        ("-D warnings -W no-error", &all),
        ("-D warnings -w", &[]),
        ("-Wno-all -D shadowing", &errors[2..]),
    ] {
        let fails = expected.iter().any(|warning| warning.ends_with("error"));
        for emit in ["toy", "llvm", "jit"] {
            let arguments = format!("odd.toy -emit={emit} --error-format=short {options}");
            let run = toyc_in(&directory, &arguments)?.exits(i32::from(fails))?;
            let found: Vec<String> = run.stderr.lines().map(code_and_severity).collect();
            if found != expected || run.stdout.is_empty() != fails {
                return run.complain(format!("expected {expected:?}, got {found:?}"));
            }
        }
        // These stages show a program whatever its names mean.
        for emit in ["tokens", "ast"] {
            toyc_in(&directory, &format!("odd.toy -emit={emit} {options}"))?.exits(0)?.silent()?;
        }
    }
    let run = toyc_in(&directory, "odd.toy -W unused-varable")?.exits(2)?;
    run.says("unused-variable")?;
    Ok(())
}

/// `W0101 error` from a line of the short format.
fn code_and_severity(line: &str) -> String {
    let mut words = line.split(": ").nth(1).unwrap_or_default().split(['[', ']']);
    let severity = words.next().unwrap_or_default().to_owned();
    format!("{} {severity}", words.next().unwrap_or_default())
}

/// Warnings come before the program's output, and beside the errors of later stages, in the order of the text.
fn warnings_come_first_and_once() -> Outcome {
    let directory = workspace("warnings_come_first_and_once")?;
    std::fs::write(directory.join("odd.toy"), "def main() {\n  var a = 1;\n  print(3);\n}\n")?;
    let jit = "toyc odd.toy -emit=jit --error-format=short 2>&1";
    let warning = "odd.toy:2:7: warning[W0101]: the variable `a` is never used\n";
    bash(jit, &directory)?.exits(0)?.prints(format!("{warning}3.000000 "))?;
    let run = toyc_in(&directory, "odd.toy --linker=false")?.diagnosed("E0502")?;
    if run.stderr.matches("W0101").count() != 2 || run.stderr.matches("--explain").count() != 1 {
        return run.complain("the warning or the hint is not there once");
    }
    let wrong = "def main() {\n  print([1, 2, 3] + [1, 2]);\n  var a = 1;\n  print([1, 2, 3] + [1, 2]);\n}\n";
    std::fs::write(directory.join("wrong.toy"), wrong)?;
    let run =
        toyc_in(&directory, "wrong.toy --error-format=short -emit=jit")?.diagnosed("E0301")?;
    let found: Vec<String> = run.stderr.lines().map(code_and_severity).collect();
    if found != ["E0301 error", "W0101 warning", "E0301 error"] {
        return run.complain(format!("got {found:?}"));
    }
    toyc_in(&directory, "wrong.toy")?.says("\n2 errors, 1 warning\n")?;
    Ok(())
}

/// Invalid inline assembly, for the assembler and for the register allocator.
const ASSEMBLY: &str = r#"llvm.func @main() -> i32 {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.inline_asm has_side_effects "no instruction", "" : () -> ()
  llvm.return %0 : i32
}
"#;

/// A read from nowhere.
const CRASH: &str = "llvm.func @main() -> i32 {
  %null = llvm.mlir.zero : !llvm.ptr
  %value = llvm.load volatile %null : !llvm.ptr -> i32
  llvm.return %value : i32
}
";

/// An intrinsic that no target toyc has can select.
const FATAL: &str = r#"llvm.func @main() -> i32 {
  %0 = llvm.mlir.constant(0 : i32) : i32
  %1 = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.tid.x"() : () -> i32
  llvm.return %1 : i32
}
"#;

fn code_that_llvm_rejects_is_diagnosed() -> Outcome {
    let directory = workspace("code_llvm_rejects")?;
    std::fs::write(directory.join("assembly.mlir"), ASSEMBLY)?;
    std::fs::write(directory.join("fatal.mlir"), FATAL)?;
    for emit in ["asm", "obj", "exe", "jit"] {
        let run = toyc_in(&directory, &format!("assembly.mlir -emit={emit} -o out"))?;
        run.diagnosed("error[E0505]")?.says("invalid instruction mnemonic 'no'")?;
        let run = toyc_in(&directory, &format!("fatal.mlir -emit={emit} -o out"))?;
        run.diagnosed("error[E0505]: LLVM gives up: ")?.says("in the step `")?;
    }
    let count = std::fs::read_dir(&directory)?.count();
    if count != 3 { fail("code that cannot be generated left a file") } else { Ok(()) }
}

/// Whatever a directory contains: messages, run-time errors, differences, lists of files, commands.
fn names_of_files_control_no_terminal() -> Outcome {
    let directory = scratch("messages/names");
    let name = "e\x1b[31m\x07\u{9b}\u{202e}l";
    let [good, bad, mlir] = ["good.toy", "bad.toy", "x.mlir"].map(|end| format!("{name}{end}"));
    let stops = "def main() { var s = 0; for i in 0..5 { s = s+[1, 2][i]; } print(s); }\n";
    std::fs::write(directory.join(&good), stops)?;
    std::fs::write(directory.join(&bad), "def main() { print(x); }\n")?;
    run_toyc([&good, "-emit=linalg", "-o", &mlir]).current_dir(&directory).run()?.exits(0)?;
    let toy_opt = env!("CARGO_BIN_EXE_toy-opt");
    let option = format!("--{name}");
    let linker = format!("--linker={name}");
    let export = format!("--export={name}(2)");
    for (program, arguments) in [
        (TOYC, vec!["run", &good]),
        (TOYC, vec!["run", &mlir]),
        (TOYC, vec![&good, "-v", "-o", &good[..good.len() - 4]]),
        (TOYC, vec!["fmt", "--check", &good]),
        (TOYC, vec!["fmt", "--check", &good, "--color=never"]),
        (TOYC, vec!["fmt", &mlir, name]),
        (TOYC, vec!["check", &bad, name]),
        (TOYC, vec![&bad, "--error-format=short"]),
        (TOYC, vec![&bad, "--error-format=json"]),
        (TOYC, vec![&good, "-emit=ast"]),
        (TOYC, vec![&good, "-emit=shapes", "--print-locations"]),
        (TOYC, vec![&good, "-emit=memory-plan"]),
        (TOYC, vec![&good, "-emit=llvm", "-g"]),
        (TOYC, vec![&good, "--report=-", "-o", "x"]),
        (TOYC, vec![&good, &bad]),
        (TOYC, vec![&option]),
        (TOYC, vec![&good, &linker]),
        (TOYC, vec![&good, &export]),
        (TOYC, vec!["manuals", name]),
        (toy_opt, vec![&mlir, "--canonicalize"]),
        (toy_opt, vec![&mlir, &option]),
        (toy_opt, vec![&bad]),
        (toy_opt, vec!["--plan", name]),
    ] {
        let run = Job::new(program, &arguments).current_dir(&directory).run()?;
        let text = run.out() + &run.stderr;
        if text.chars().any(|c| c != '\n' && c.is_control() || c == '\u{202e}') {
            return run.complain("this would reach a terminal");
        }
    }
    let executable = directory.join(&good[..good.len() - 4]);
    let run = Job::new(executable, [""; 0]).run()?.says("index 2 is out of range")?;
    match run.stderr.contains('\x1b') {
        false => Ok(()),
        true => run.complain("a run-time error has it"),
    }
}
