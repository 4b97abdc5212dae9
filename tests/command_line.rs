//! The command line: spellings, options, exit codes, what goes to which stream.
//!
//! Input: command lines over one small program. Output: exit codes and texts. Invariants of toyc
//! tested here: results go to standard output or a file, everything else to standard error; 0 is
//! success, 1 a diagnosed program, 2 a mistake on the command line.

use crate::filecheck::bash;
use crate::tools::{Job, Outcome, Run, TOYC, Tests, fail, find, scratch, toyc, trial};
use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};

/// Uses every kind of operation.
const PROGRAM: &str = "\
def f(a, b) {
  return transpose(a) * b + b;
}
def main() {
  var x<2, 3> = [1, 2, 3, 4, 5, 6];
  print(f(x, transpose(x)));
}
";

pub const OUTPUT: &str = "2.000000 20.000000 \n6.000000 30.000000 \n12.000000 42.000000 \n";

pub const STAGES: [&str; 12] = [
    "tokens",
    "ast",
    "toy",
    "shapes",
    "linalg",
    "memref",
    "dealloc",
    "loops",
    "mlir-llvm",
    "llvm",
    "asm",
    "obj",
];

pub fn trials() -> Vec<Trial> {
    let tests: Tests = vec![
        ("spellings_of_emit", spellings_of_emit),
        ("upstream_aliases", upstream_aliases),
        ("every_stage_to_stdout", every_stage_to_stdout),
        ("optimization_levels", optimization_levels),
        ("standard_input", standard_input),
        ("language_of_the_input", language_of_the_input),
        ("version_names_llvm", version_names_llvm),
        ("help_is_complete", help_is_complete),
        ("usage_errors", usage_errors),
        ("input_errors", input_errors),
        ("target_errors", target_errors),
        ("assembly_of_both_targets", assembly_of_both_targets),
        ("linker_errors", linker_errors),
        ("error_format_and_color", error_format_and_color),
        ("colors_on_a_terminal", colors_on_a_terminal),
        ("json_for_every_path", json_for_every_path),
        ("warnings_and_their_options", warnings_and_their_options),
        ("warnings_come_first_and_once", warnings_come_first_and_once),
        ("code_llvm_rejects", code_llvm_rejects),
        ("jit_exit_status", jit_exit_status),
        ("jit_unresolved_symbol", jit_unresolved_symbol),
        ("errors_stop_every_stage", errors_stop_every_stage),
    ];
    tests.into_iter().map(|(name, test)| trial(format!("command_line/{name}"), test)).collect()
}

/// A directory with the program in it.
pub fn workspace(test: &str) -> Result<PathBuf, Failed> {
    let directory = scratch(&format!("command_line/{test}"));
    std::fs::write(directory.join("program.toy"), PROGRAM)?;
    Ok(directory)
}

/// Runs toyc in a directory, the arguments being separated by blanks.
pub fn toyc_in(directory: &Path, arguments: &str) -> Result<Run, Failed> {
    toyc(arguments.split_whitespace()).current_dir(directory).run()
}

fn spellings_of_emit() -> Outcome {
    let directory = workspace("spellings_of_emit")?;
    let expected = toyc_in(&directory, "program.toy --emit=shapes")?.exits(0)?.stdout;
    for arguments in [
        "program.toy -emit=shapes",
        "program.toy -emit shapes",
        "program.toy --emit shapes",
        "-emit=shapes program.toy",
        "-emit shapes program.toy",
        "-emit=llvm -emit=shapes program.toy",
        "-x=toy -emit=shapes program.toy",
    ] {
        toyc_in(&directory, arguments)?.exits(0)?.silent()?.prints(&expected)?;
    }
    Ok(())
}

fn upstream_aliases() -> Outcome {
    let directory = workspace("upstream_aliases")?;
    for (alias, stage) in [("mlir", "toy"), ("mlir-affine", "loops"), ("mlir-llvm", "mlir-llvm")] {
        let expected = toyc_in(&directory, &format!("program.toy -emit={stage}"))?.exits(0)?.stdout;
        toyc_in(&directory, &format!("program.toy -emit={alias}"))?.exits(0)?.prints(expected)?;
    }
    let expected = toyc_in(&directory, "program.toy -emit=mlir -O2")?.stdout;
    toyc_in(&directory, "program.toy -emit=mlir -opt")?.exits(0)?.prints(expected)?;
    Ok(())
}

fn every_stage_to_stdout() -> Outcome {
    let directory = workspace("every_stage_to_stdout")?;
    for stage in STAGES {
        for level in ["-O0", "-O2", "-g", "-O2 -g"] {
            let run = toyc_in(&directory, &format!("program.toy -emit={stage} {level} -o -"))?;
            let run = run.exits(0)?.silent()?;
            if run.stdout.is_empty() {
                return run.complain("nothing was printed");
            }
        }
    }
    // Nothing was written on the way.
    let count = std::fs::read_dir(&directory)?.count();
    if count != 1 { fail(format!("{count} files instead of one")) } else { Ok(()) }
}

fn optimization_levels() -> Outcome {
    let directory = workspace("optimization_levels")?;
    let ir = |level: &str| -> Result<Vec<u8>, Failed> {
        Ok(toyc_in(&directory, &format!("program.toy -emit=llvm {level}"))?.exits(0)?.stdout)
    };
    if ir("")? != ir("-O0")? || ir("-opt")? != ir("-O2")? || ir("--opt")? != ir("-O2")? {
        return fail("the default is not -O0, or -opt is not -O2");
    }
    if ir("-O0")? == ir("-O2")? || ir("-opt -O0")? != ir("-O0")? || ir("-O0 -opt")? != ir("-O2")? {
        return fail("the last of -O and -opt does not decide");
    }
    for level in ["-O0", "-O1", "-O2", "-O3", "-O 1", "-opt", "-O3 -g"] {
        let run = toyc_in(&directory, &format!("program.toy -emit=jit {level}"))?;
        run.exits(0)?.prints(OUTPUT)?.silent()?;
    }
    Ok(())
}

fn standard_input() -> Outcome {
    let directory = workspace("standard_input")?;
    let from_stdin = |arguments: &str| {
        toyc(arguments.split_whitespace()).current_dir(&directory).stdin(PROGRAM).run()
    };
    from_stdin("- -emit=jit")?.exits(0)?.prints(OUTPUT)?.silent()?;
    from_stdin("-emit=jit -x toy -")?.exits(0)?.prints(OUTPUT)?;
    // Without a name there is a name.
    from_stdin("-")?.exits(0)?.prints("")?;
    Job::new(directory.join("a.out"), [""; 0]).run()?.exits(0)?.prints(OUTPUT)?;
    from_stdin("- -emit=obj")?.exits(0)?.prints("")?;
    if !directory.join("a.o").is_file() {
        return fail("no a.o");
    }
    let broken = toyc(["-", "-emit=jit"]).stdin("def main() { print(x); }").run()?;
    broken.diagnosed("E0201")?.says("<stdin>:1:20")?;
    Ok(())
}

fn language_of_the_input() -> Outcome {
    let directory = workspace("language_of_the_input")?;
    let mlir = toyc_in(&directory, "program.toy -emit=linalg")?.exits(0)?.stdout;
    std::fs::write(directory.join("program.mlir"), &mlir)?;
    std::fs::write(directory.join("misnamed"), &mlir)?;
    std::fs::copy(directory.join("program.toy"), directory.join("toy.mlir"))?;
    toyc_in(&directory, "program.mlir -emit=jit")?.exits(0)?.prints(OUTPUT)?;
    toyc_in(&directory, "misnamed -x mlir -emit=jit")?.exits(0)?.prints(OUTPUT)?;
    toyc_in(&directory, "toy.mlir -x toy -emit=jit")?.exits(0)?.prints(OUTPUT)?;
    toyc_in(&directory, "misnamed -emit=jit")?.diagnosed("[E0")?;
    toyc_in(&directory, "toy.mlir -emit=jit")?.diagnosed("E0401")?;
    for stage in ["tokens", "ast"] {
        toyc_in(&directory, &format!("program.mlir -emit={stage}"))?.diagnosed("E0004")?;
    }
    Ok(())
}

fn version_names_llvm() -> Outcome {
    for option in ["--version", "-V"] {
        let run = toyc([option]).run()?.exits(0)?.silent()?;
        if !run.out().starts_with("toyc ") || !run.out().contains("LLVM 22.") {
            return run.complain("no LLVM version");
        }
    }
    Ok(())
}

fn help_is_complete() -> Outcome {
    for option in ["-h", "--help"] {
        let run = toyc([option]).run()?.exits(0)?.silent()?;
        let text = run.out();
        let names = STAGES.iter().chain(&["exe", "jit"]);
        let options = ["-o", "-O", "-opt", "-x", "--target", "-g", "-v", "--save-temps", "--color"];
        let warnings = toyc::diagnostic::codes::warnings().filter_map(|code| code.lint);
        let warnings: Vec<_> = warnings.chain(["-W", "-D", "-w", "--explain", "json"]).collect();
        let more = ["--time-passes", "--print-ir-after-all", "--print-ir-after", "--version", "-h"];
        let codes = ["0 success", "1 the program has errors", "2 the command line has errors"];
        let words = names.chain(&options).chain(&more).chain(&codes).chain(&warnings);
        if let Some(missing) = words.into_iter().find(|word| !text.contains(**word)) {
            return run.complain(format!("`{missing}` is not in the help"));
        }
    }
    Ok(())
}

fn usage_errors() -> Outcome {
    let directory = workspace("usage_errors")?;
    for arguments in [
        "",
        "-emit=toy",
        "program.toy -emit=nonsense",
        "program.toy -emit=",
        "program.toy -emit",
        "program.toy -O4",
        "program.toy -O-1",
        "program.toy -Ofast",
        "program.toy -x c",
        "program.toy --color=perhaps",
        "program.toy --print-ir-after=nonsense",
        "program.toy --print-ir-after=",
        "program.toy --no-such-option",
        "program.toy --error-format=xml",
        "program.toy -W nonsense",
        "program.toy -Wno-",
        "program.toy -D no-shadowing",
        "program.toy -Werror=nonsense",
        "program.toy -D",
        "--explain",
        "program.toy -o",
        "program.toy second.toy",
    ] {
        let run = toyc_in(&directory, arguments)?.exits(2)?.prints("")?;
        if !run.stderr.starts_with("error: ") {
            return run.complain("no `error: ` on stderr");
        }
    }
    let count = std::fs::read_dir(&directory)?.count();
    if count != 1 { fail("a wrong command line wrote a file") } else { Ok(()) }
}

fn input_errors() -> Outcome {
    let directory = workspace("input_errors")?;
    std::fs::write(directory.join("latin1.toy"), b"def main() {\n  print(1); # \xe9\n}\n")?;
    for emit in ["-emit=ast", "-emit=toy", "-emit=jit", "-emit=exe", ""] {
        toyc_in(&directory, &format!("missing.toy {emit}"))?.diagnosed("E0001")?;
        toyc_in(&directory, &format!("missing.mlir {emit}"))?.diagnosed("E0001")?;
        toyc_in(&directory, &format!(". {emit}"))?.diagnosed("E0001")?.says("directory")?;
        let run = toyc_in(&directory, &format!("latin1.toy {emit}"))?;
        run.diagnosed("E0003")?.says("latin1.toy:2:15")?.says("0xE9")?;
    }
    toyc_in(&directory, "missing.toy")?.says("No such file")?;
    // A file name is not an option.
    toyc_in(&directory, "-- -missing.toy")?.diagnosed("E0001")?;
    Ok(())
}

fn target_errors() -> Outcome {
    let directory = workspace("target_errors")?;
    for triple in ["riscv64-unknown-linux-gnu", "nonsense", "", "wasm32-unknown-unknown"] {
        let run = toyc(["program.toy", "-emit=asm", "-o", "-", "--target", triple]);
        run.current_dir(&directory).run()?.diagnosed("E0501")?;
    }
    let other = crate::programs::Cross::other().triple;
    let run = toyc_in(&directory, &format!("program.toy -emit=jit --target {other}"))?;
    run.diagnosed("E0004")?.says(other)?;
    Ok(())
}

fn assembly_of_both_targets() -> Outcome {
    let directory = workspace("assembly_of_both_targets")?;
    for (triple, instruction, machine) in
        [("x86_64-unknown-linux-gnu", "mulsd", 62), ("aarch64-unknown-linux-gnu", "fmul", 183)]
    {
        let run = toyc_in(&directory, &format!("program.toy -emit=asm -o - --target {triple}"))?;
        let run = run.exits(0)?.silent()?;
        if !run.out().contains(instruction) {
            return run.complain(format!("no `{instruction}`"));
        }
        toyc_in(&directory, &format!("program.toy -emit=obj -o x.o --target {triple}"))?
            .exits(0)?;
        // The machine in the header of an ELF file.
        let object = std::fs::read(directory.join("x.o"))?;
        if !object.starts_with(b"\x7fELF") || object.get(18) != Some(&machine) {
            return fail(format!("no object file for {triple}"));
        }
    }
    Ok(())
}

fn linker_errors() -> Outcome {
    let directory = workspace("linker_errors")?;
    let run = toyc_in(&directory, "program.toy --linker ./no-such-program")?;
    run.diagnosed("E0502")?.says("no-such-program")?;
    toyc_in(&directory, "program.toy --linker false")?.diagnosed("E0502")?;
    std::fs::write(directory.join("undefined.mlir"), UNDEFINED)?;
    let run = toyc_in(&directory, "undefined.mlir")?;
    run.diagnosed("E0502")?.says("toy_test_undefined")?;
    let count = std::fs::read_dir(&directory)?.count();
    if count != 2 { fail("a failed link left a file") } else { Ok(()) }
}

/// Calls a function that is defined nowhere.
const UNDEFINED: &str = "\
func.func private @toy_test_undefined()
func.func @main() {
  func.call @toy_test_undefined() : () -> ()
  return
}
";

fn error_format_and_color() -> Outcome {
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

/// Standard error is a terminal only if somebody makes one.
fn colors_on_a_terminal() -> Outcome {
    if find("script").is_none() {
        return fail("script is missing: run ./setup");
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
        let run = job.env("NO_COLOR", no_color).run()?.exits(1)?;
        if run.out().contains("\x1b[") != expected || !run.out().contains("E0201") {
            return run.complain(format!("NO_COLOR={no_color} {option}: colors {expected}"));
        }
    }
    Ok(())
}

/// Whatever goes wrong wherever, a program that reads the messages gets JSON and nothing else.
fn json_for_every_path() -> Outcome {
    let directory = workspace("json_for_every_path")?;
    let wrong = "def main() {\n  var unused = 1;\n  print([1] + [1, 2]);\n}\n";
    std::fs::write(directory.join("wrong.toy"), wrong)?;
    std::fs::write(directory.join("latin1.toy"), b"# \xe9")?;
    std::fs::write(directory.join("undefined.mlir"), UNDEFINED)?;
    std::fs::write(directory.join("assembly.mlir"), ASSEMBLY)?;
    std::fs::write(directory.join("crash.mlir"), CRASH)?;
    std::fs::write(directory.join("fatal.mlir"), FATAL)?;
    for (arguments, codes) in [
        ("wrong.toy", ["W0101", "E0301"].as_slice()),
        ("wrong.toy -emit=jit -Werror", &["W0101"]),
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

fn warnings_and_their_options() -> Outcome {
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
        // These show a program whatever its names mean.
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

/// Before what the program prints, and beside the errors of later stages, in the order of the text.
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
    let wrong = "def main() {\n  print([1] + [1, 2]);\n  var a = 1;\n  print([1] + [1, 2]);\n}\n";
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

/// Inline assembly that is none, for the assembler and for the register allocator.
const ASSEMBLY: &str = r#"llvm.func @main() -> i32 {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.inline_asm has_side_effects "no instruction", "" : () -> ()
  llvm.return %0 : i32
}
"#;

/// Reads from nowhere.
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

fn code_llvm_rejects() -> Outcome {
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

fn jit_exit_status() -> Outcome {
    let program = "llvm.func @main() -> i32 {\n %0 = llvm.mlir.constant(STATUS : i32) : i32\n \
                   llvm.return %0 : i32\n}\n";
    for status in [0, 1, 7, 255] {
        let program = program.replace("STATUS", &status.to_string());
        toyc(["-x", "mlir", "-", "-emit=jit"]).stdin(program).run()?.exits(status)?.silent()?;
    }
    Ok(())
}

fn jit_unresolved_symbol() -> Outcome {
    let run = toyc(["-x", "mlir", "-", "-emit=jit"]).stdin(UNDEFINED).run()?;
    run.diagnosed("E0503")?.says("toy_test_undefined")?;
    Ok(())
}

fn errors_stop_every_stage() -> Outcome {
    let directory = workspace("errors_stop_every_stage")?;
    // Each mistake is met from this stage on; nothing is printed, run or written.
    for (program, code, first) in [
        ("def main() { print(1); } def f() { $ }", "E0101", "tokens"),
        ("def main() { print(1); } def f() { return", "E0103", "ast"),
        ("def main() { print(1); print(x); }", "E0201", "toy"),
        ("def main() { print(1); print([1] + [1, 2]); }", "E0301", "shapes"),
    ] {
        std::fs::write(directory.join("wrong.toy"), program)?;
        let from = STAGES.iter().position(|stage| *stage == first).unwrap_or(0);
        for stage in STAGES[from..].iter().chain(&["exe", "jit"]) {
            for level in ["-O0", "-O2"] {
                let run = toyc_in(&directory, &format!("wrong.toy -emit={stage} {level}"))?;
                run.diagnosed(code)?;
            }
        }
    }
    let count = std::fs::read_dir(&directory)?.count();
    if count != 2 { fail("a program with errors left a file") } else { Ok(()) }
}
