//! The command line: spellings, options, exit codes, output streams.
//!
//! Input: command lines over one small program. Output: exit codes and texts. Invariants of toyc
//! tested here: results go to standard output or a file, everything else to standard error; 0 is
//! success, 1 a diagnosed program, 2 an error on the command line.

mod answers;
mod commands;

use crate::tools::{Job, Outcome, Run, Tests, fail, scratch, toyc, trial};
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

pub const STAGES: [&str; 15] = [
    "tokens",
    "ast",
    "toy-source",
    "toy",
    "shapes",
    "linalg",
    "memref",
    "merged",
    "memory-plan",
    "dealloc",
    "loops",
    "mlir-llvm",
    "llvm",
    "asm",
    "obj",
];

pub fn trials() -> Vec<Trial> {
    let tests: Tests = vec![
        ("emit_has_several_spellings", emit_has_several_spellings),
        ("upstreams_names_of_stages_work", upstreams_names_of_stages_work),
        ("every_stage_can_be_printed", every_stage_can_be_printed),
        ("the_last_level_option_wins", the_last_level_option_wins),
        ("a_dash_reads_standard_input", a_dash_reads_standard_input),
        ("without_a_file_standard_input_is_read", without_a_file_standard_input_is_read),
        ("the_extension_or_x_gives_the_language", the_extension_or_x_gives_the_language),
        ("version_names_llvm", version_names_llvm),
        ("help_is_complete", help_is_complete),
        ("usage_errors_exit_with_2", usage_errors_exit_with_2),
        ("unreadable_inputs_are_diagnosed", unreadable_inputs_are_diagnosed),
        ("unusable_targets_are_diagnosed", unusable_targets_are_diagnosed),
        ("both_targets_give_assembly", both_targets_give_assembly),
        ("failures_of_the_linker_are_diagnosed", failures_of_the_linker_are_diagnosed),
        ("jit_exits_with_the_status_of_the_program", jit_exits_with_the_status_of_the_program),
        ("jit_reports_unresolved_symbols", jit_reports_unresolved_symbols),
        ("errors_stop_every_stage", errors_stop_every_stage),
        ("what_options_ask_for_is_an_error_of_the_program", errors_of_requests),
        ("endless_input_is_diagnosed", endless_input_is_diagnosed),
        ("threads_without_loop_nests_are_a_warning", threads_without_loop_nests),
    ];
    let tests = tests.into_iter().chain(commands::tests()).chain(answers::tests());
    tests.map(|(name, test)| trial(format!("command_line/{name}"), test)).collect()
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

fn emit_has_several_spellings() -> Outcome {
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

fn upstreams_names_of_stages_work() -> Outcome {
    let directory = workspace("upstream_aliases")?;
    for (alias, stage) in [("mlir", "toy"), ("mlir-affine", "loops"), ("mlir-llvm", "mlir-llvm")] {
        let expected = toyc_in(&directory, &format!("program.toy -emit={stage}"))?.exits(0)?.stdout;
        toyc_in(&directory, &format!("program.toy -emit={alias}"))?.exits(0)?.prints(expected)?;
    }
    let expected = toyc_in(&directory, "program.toy -emit=mlir -O2")?.stdout;
    toyc_in(&directory, "program.toy -emit=mlir -opt")?.exits(0)?.prints(expected)?;
    Ok(())
}

fn every_stage_can_be_printed() -> Outcome {
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
    // Nothing was written.
    let count = std::fs::read_dir(&directory)?.count();
    if count != 1 { fail(format!("{count} files instead of one")) } else { Ok(()) }
}

fn the_last_level_option_wins() -> Outcome {
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

fn a_dash_reads_standard_input() -> Outcome {
    let directory = workspace("standard_input")?;
    let from_stdin = |arguments: &str| {
        toyc(arguments.split_whitespace()).current_dir(&directory).stdin(PROGRAM).run()
    };
    from_stdin("- -emit=jit")?.exits(0)?.prints(OUTPUT)?.silent()?;
    from_stdin("-emit=jit -x toy -")?.exits(0)?.prints(OUTPUT)?;
    // There is a default name.
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

/// `toyc < file`: without the name of a program, one is read from standard input if that is not a terminal.
fn without_a_file_standard_input_is_read() -> Outcome {
    let directory = workspace("no_file_is_standard_input")?;
    let from_stdin = |arguments: &str, text: &str| {
        toyc(arguments.split_whitespace()).current_dir(&directory).stdin(text).run()
    };
    from_stdin("-emit=jit", PROGRAM)?.exits(0)?.prints(OUTPUT)?.silent()?;
    from_stdin("", PROGRAM)?.exits(0)?.prints("")?;
    Job::new(directory.join("a.out"), [""; 0]).run()?.exits(0)?.prints(OUTPUT)?;
    let mlir = from_stdin("-emit=linalg", PROGRAM)?.exits(0)?.out();
    from_stdin("-x mlir -emit=jit", &mlir)?.exits(0)?.prints(OUTPUT)?;
    from_stdin("-emit=jit", "def main() { print(x); }")?
        .diagnosed("E0201")?
        .says("<stdin>:1:20")?;
    // An empty program that was named has no `main`; one that was not is a forgotten file name.
    from_stdin("- -emit=jit", "")?.exits(1)?.prints("")?;
    for arguments in ["-emit=jit", "-x mlir -emit=jit", ""] {
        let run = from_stdin(arguments, "")?.exits(2)?.prints("")?;
        run.says("no FILE is named, and standard input is empty")?.says("Usage: toyc")?;
    }
    // `script` gives it a terminal.
    if crate::tools::find("script").is_none() {
        return fail("script is missing: run ./setup --tests");
    }
    let command = format!("{} -emit=jit", crate::tools::TOYC);
    let run = Job::new("script", ["-qec", &command, "/dev/null"]).run()?.exits(2)?;
    if !run.out().contains("<FILE>") || !run.out().contains("required") {
        return run.complain("toyc does not say that FILE is missing");
    }
    Ok(())
}

fn the_extension_or_x_gives_the_language() -> Outcome {
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
    let run = toyc(["--version", "-v"]).run()?.exits(0)?.silent()?;
    for line in ["commit: ", "LLVM: 22.", "host: ", "targets: x86_64-unknown-linux-gnu, aarch64"] {
        if !run.out().lines().any(|other| other.starts_with(line)) {
            return run.complain(format!("no `{line}`"));
        }
    }
    Ok(())
}

fn help_is_complete() -> Outcome {
    for option in ["help", "--help"] {
        let run = toyc([option]).run()?.exits(0)?.silent()?;
        let text = run.out().split_whitespace().collect::<Vec<_>>().join(" ");
        let names = STAGES.iter().chain(&["exe", "jit"]);
        let options = ["-o", "-O", "-opt", "-x", "--target", "-g", "-v", "--save-temps", "--color"];
        let warnings = toy_compiler::diagnostic::codes::warnings().filter_map(|code| code.lint);
        let warnings: Vec<_> =
            warnings.chain(["-W", "-D", "-w", "-R", "--explain", "json"]).collect();
        let more = [
            "--function",
            "--time-passes",
            "--print-ir-after-all",
            "--print-ir-after",
            "--memory-plan",
            "--cpu",
            "--features",
            "--fast-math",
            "--print",
            "files are for `x86-64` (AArch64: `generic`)",
            "--version",
            "-h",
        ];
        let codes = ["0 success", "1 the program has errors", "2 the command line has errors"];
        let words = names.chain(&options).chain(&more).chain(&codes).chain(&warnings);
        if let Some(missing) = words.into_iter().find(|word| !text.contains(**word)) {
            return run.complain(format!("`{missing}` is not in the help"));
        }
    }
    Ok(())
}

fn usage_errors_exit_with_2() -> Outcome {
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

fn unreadable_inputs_are_diagnosed() -> Outcome {
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

fn unusable_targets_are_diagnosed() -> Outcome {
    let directory = workspace("target_errors")?;
    for triple in ["riscv64-unknown-linux-gnu", "nonsense", "", "wasm64-unknown-unknown"] {
        let run = toyc(["program.toy", "-emit=asm", "-o", "-", "--target", triple]);
        run.current_dir(&directory).run()?.diagnosed("E0501")?;
    }
    let other = crate::programs::Cross::other().triple;
    let run = toyc_in(&directory, &format!("program.toy -emit=jit --target {other}"))?;
    run.diagnosed("E0004")?.says(other)?;
    Ok(())
}

fn both_targets_give_assembly() -> Outcome {
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

fn failures_of_the_linker_are_diagnosed() -> Outcome {
    let directory = workspace("linker_errors")?;
    let run = toyc_in(&directory, "program.toy --linker ./no-such-program")?;
    run.diagnosed("E0502")?.says("`./no-such-program`: No such file or directory\n")?;
    let job = toyc(["program.toy"]).current_dir(&directory).env("TMPDIR", "/nowhere");
    job.run()?.diagnosed("E0002")?.says("in `/nowhere`")?.says("TMPDIR")?;
    toyc_in(&directory, "program.toy --linker false")?.diagnosed("E0502")?;
    // A linker that does nothing.
    for options in ["", "-emit=lib --export f(2x3,3x2)", "-emit=python --export f(2x3,3x2)"] {
        let run = toyc_in(&directory, &format!("program.toy --linker true {options}"))?;
        run.diagnosed("E0502")?.says("`true` has written no file")?;
    }
    std::fs::write(directory.join("undefined.mlir"), UNDEFINED)?;
    let run = toyc_in(&directory, "undefined.mlir")?;
    run.diagnosed("E0502")?.says("toy_test_undefined")?;
    let count = std::fs::read_dir(&directory)?.count();
    if count != 2 { fail("a failed link left a file") } else { Ok(()) }
}

/// Calls a function that is defined nowhere.
pub const UNDEFINED: &str = "\
func.func private @toy_test_undefined()
func.func @main() {
  func.call @toy_test_undefined() : () -> ()
  return
}
";

fn jit_exits_with_the_status_of_the_program() -> Outcome {
    let program = "llvm.func @main() -> i32 {\n %0 = llvm.mlir.constant(STATUS : i32) : i32\n \
                   llvm.return %0 : i32\n}\n";
    for status in [0, 1, 7, 255] {
        let program = program.replace("STATUS", &status.to_string());
        toyc(["-x", "mlir", "-", "-emit=jit"]).stdin(program).run()?.exits(status)?.silent()?;
    }
    Ok(())
}

/// The command line can be parsed, so it is not an error of usage.
fn errors_of_requests() -> Outcome {
    let directory = workspace("errors_of_requests")?;
    for (options, code) in [
        ("--cpu nonsense", "E0520"),
        ("--features +nonsense", "E0521"),
        ("--target nonsense", "E0501"),
        ("--export f( -emit=lib", "E0530"),
        ("--export g() -emit=lib", "E0531"),
    ] {
        toyc_in(&directory, &format!("program.toy {options}"))?.diagnosed(code)?;
    }
    Ok(())
}

fn endless_input_is_diagnosed() -> Outcome {
    for file in ["/dev/zero", "/dev/full"] {
        toyc([file, "-emit=jit"]).run()?.diagnosed("E0001")?.says("has more than")?;
    }
    let command = format!("yes | {} - -emit=jit", crate::tools::TOYC);
    let run = Job::new("sh", ["-c", &command]).run()?;
    run.diagnosed("E0001")?.says("<stdin>")?.says("regular file")?;
    Ok(())
}

fn threads_without_loop_nests() -> Outcome {
    let directory = workspace("threads_without_loop_nests")?;
    for level in ["-O0", "-O1"] {
        let run = toyc_in(&directory, &format!("program.toy -emit=jit --threads 2 {level}"))?;
        run.exits(0)?.prints(OUTPUT)?.says("[W0110]")?.says(level)?;
        let export = format!(
            "program.toy --export f(900x900,900x900) -emit=header -o - --threads 2 {level}"
        );
        let run = toyc_in(&directory, &export)?.exits(0)?;
        if run.out().contains("threads, which are started") {
            return run.complain("the header tells of threads");
        }
    }
    for options in ["-O2 --threads 2", "--threads 1", "-O1 --threads 2 -W no-ignored-option"] {
        toyc_in(&directory, &format!("program.toy -emit=jit {options}"))?.exits(0)?.silent()?;
    }
    let run = toyc_in(&directory, "program.toy -emit=jit --threads 2 -D ignored-option")?;
    run.diagnosed("W0110")?;
    Ok(())
}

fn jit_reports_unresolved_symbols() -> Outcome {
    let run = toyc(["-x", "mlir", "-", "-emit=jit"]).stdin(UNDEFINED).run()?;
    run.diagnosed("E0503")?.says("toy_test_undefined")?;
    Ok(())
}

fn errors_stop_every_stage() -> Outcome {
    let directory = workspace("errors_stop_every_stage")?;
    // Each error is found from this stage on; nothing is printed, run or written.
    for (program, code, first) in [
        ("def main() { print(1); } def f() { $ }", "E0101", "tokens"),
        ("def main() { print(1); } def f() { return", "E0103", "ast"),
        ("def main() { print(1); print(x); }", "E0201", "toy"),
        ("def main() { print(1); print([1, 2, 3] + [1, 2]); }", "E0301", "shapes"),
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
