//! Every diagnostic as the user sees it.
//!
//! Input: `diagnostics/NAME.toy` and `.mlir`, programs with errors, and the example that has one.
//! Expected: standard error, byte for byte, in `NAME.stderr` (`NAME.mlir.stderr`), with toyc run in the
//! root of the repository. A line `# ARGS: ...` or `// ARGS: ...` adds options. Invariants:
//! exit status 1, nothing on standard output, nothing run and no file written, whether for the JIT
//! or an executable, with optimization and without; every code that input can trigger has a test.
//! Programs `warning_NAME.toy` compile, but not with `-D warnings`.

use crate::tools::{
    Outcome, Run, compare_with_file, fail, files, root, scratch, stem, toyc, trial,
};
use libtest_mimic::{Failed, Trial};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use toyc::diagnostic::codes;

/// Codes without a snapshot, and why.
const ELSEWHERE: &[(&str, &str)] = &[
    ("E0001", "needs a missing file: command_line/input_errors"),
    ("E0002", "needs an unwritable place: files/unwritable_places"),
    ("E0003", "is no text file: command_line/input_errors"),
    ("E0004", "is about the command line: files/output_is_the_input"),
    ("E0005", "is about the command line of toy-opt: filecheck/toy_opt"),
    ("E0305", "needs 200,000 specializations: hostile/too_many_specializations"),
    ("E0404", "is said by toy-opt: filecheck/toy_opt/verify_diagnostics_unmet.mlir"),
    ("E0405", "needs -O1 and an option of a pass: filecheck/merge_alloc/options.mlir"),
    ("E0406", "is said by a pass of toy-opt: filecheck/merge_alloc/verify.mlir"),
    ("E0501", "is about the command line: command_line/target_errors"),
    ("E0504", "needs a program that crashes: filecheck/known_bugs/program_crash_is_reported"),
    ("E0502", "shows what this machine's linker says: command_line/linker_errors"),
    ("E0503", "only the JIT finds it: command_line/jit_unresolved_symbol"),
    ("E0505", "shows what LLVM says: messages/code_llvm_rejects"),
    ("E0520", "is about the command line: processors/names_are_checked"),
    ("E0521", "is about the command line: processors/names_are_checked"),
    ("E0522", "is about the command line: processors/names_are_checked"),
    ("E0530", "is about the command line: exports/what_cannot_be_exported_is_diagnosed"),
    ("E0531", "is about the command line: exports/what_cannot_be_exported_is_diagnosed"),
    ("E0532", "is about the command line: exports/what_cannot_be_exported_is_diagnosed"),
    ("E0533", "is about the command line: exports/what_cannot_be_exported_is_diagnosed"),
    ("E0534", "is about the command line: exports/what_cannot_be_exported_is_diagnosed"),
    ("E0535", "needs exports: exports/what_mlir_cannot_export_is_diagnosed"),
    ("E0550", "is about the command line: bindings/rust_names"),
    ("W0110", "is about the command line: command_line/threads_need_optimization"),
    ("R0001", "is said by toy-opt: filecheck/toy_opt/remarks.mlir"),
    ("R0101", "is no error: filecheck/merge_alloc/remarks.mlir"),
    ("R0102", "is no error: filecheck/memref/copies.toy"),
    ("R0103", "is no error: filecheck/memref/copies.toy"),
    ("R0104", "is no error: filecheck/dealloc/decided_at_run_time.toy"),
    ("E0900", "would be an internal error of toyc"),
];

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        trial("diagnostics/every_code_has_a_snapshot", every_code_has_a_snapshot),
        trial("diagnostics/every_snapshot_has_a_program", every_snapshot_has_a_program),
    ];
    for (name, source, expected) in all() {
        trials.push(trial(format!("diagnostics/{name}"), move || check(&source, &expected)));
    }
    trials
}

/// Names, programs, expectations.
fn all() -> Vec<(String, PathBuf, PathBuf)> {
    let own = files("tests/diagnostics", &["toy", "mlir"]).into_iter().map(|source| {
        let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let expected = match name.strip_suffix(".toy") {
            Some(stem) => source.with_file_name(format!("{stem}.stderr")),
            None => source.with_file_name(format!("{name}.stderr")),
        };
        (name, source, expected)
    });
    let examples = files("examples", &["toy"]).into_iter().filter_map(|source| {
        let expected = mistake_of_example(&source)?;
        Some((format!("examples/{}", stem(&source)), source, expected))
    });
    own.chain(examples).collect()
}

/// The expected message, if the example is there to show an error.
pub fn mistake_of_example(source: &Path) -> Option<PathBuf> {
    let expected = root().join("tests/programs/examples").join(stem(source));
    Some(expected.with_extension("stderr")).filter(|expected| expected.exists())
}

fn check(source: &Path, expected: &Path) -> Outcome {
    let text = String::from_utf8_lossy(&std::fs::read(source)?).into_owned();
    let relative = source.strip_prefix(root()).unwrap_or(source);
    let directory = scratch(&format!("diagnostics/{}", relative.display()));
    let output = directory.join("output");
    let run = |options: &[&str]| {
        let mut arguments = vec![relative.as_os_str(), OsStr::new("--color=never")];
        arguments.extend(text.lines().filter_map(options_of_line).flatten().map(OsStr::new));
        arguments.extend(options.iter().map(OsStr::new));
        toyc(arguments).current_dir(root()).run()
    };
    let executable = ["-o", output.to_str().unwrap_or_default()];
    if stem(source).starts_with("warning_") {
        return check_warnings(run, &executable, &output, expected);
    }
    let first = run(&executable)?.exits(1)?.prints("")?;
    if first.stderr.contains("E0900") {
        return first.complain("an internal error of toyc");
    }
    compare_with_file(first.stderr.as_bytes(), expected)?;
    // The JIT and the optimizer change nothing of it.
    for options in [["-emit=jit", "-O0"], ["-emit=jit", "-O2"], ["-emit=jit", "-g"]] {
        let again = run(&options)?.exits(1)?.prints("")?;
        if again.stderr != first.stderr {
            return again.complain(format!("not the same as for an executable:\n{}", first.stderr));
        }
    }
    if std::fs::read_dir(&directory)?.next().is_some() {
        return fail("a file was written");
    }
    Ok(())
}

/// Warnings change nothing but what is shown, and errors everything.
fn check_warnings(
    run: impl Fn(&[&str]) -> Result<Run, Failed>,
    executable: &[&str],
    output: &Path,
    expected: &Path,
) -> Outcome {
    let first = run(executable)?.exits(0)?.prints("")?;
    compare_with_file(first.stderr.as_bytes(), expected)?;
    if !output.is_file() {
        return first.complain("no executable was made");
    }
    std::fs::remove_file(output)?;
    let silent = run(&["-emit=jit", "-w"])?.exits(0)?.silent()?;
    for options in [["-emit=jit", "-O0"], ["-emit=jit", "-O2"], ["-emit=jit", "-g"]] {
        let again = run(&options)?.exits(0)?.prints(&silent.stdout)?;
        if again.stderr != first.stderr {
            return again.complain(format!("not the same as for an executable:\n{}", first.stderr));
        }
    }
    for denied in ["-Dwarnings", "-Werror"] {
        let run = run(&[executable, &[denied]].concat())?.diagnosed("[W0")?.says("error[W")?;
        if output.exists() {
            return run.complain("a file was written");
        }
    }
    Ok(())
}

/// What follows `ARGS:` in a comment.
fn options_of_line(line: &str) -> Option<impl Iterator<Item = &str>> {
    let comment = line.strip_prefix("# ").or_else(|| line.strip_prefix("// "))?;
    Some(comment.strip_prefix("ARGS:")?.split_whitespace())
}

fn every_code_has_a_snapshot() -> Outcome {
    let mut shown = String::new();
    for (_, _, expected) in all() {
        shown += &std::fs::read_to_string(&expected).unwrap_or_default();
    }
    for code in codes::ALL {
        let elsewhere = ELSEWHERE.iter().any(|(id, _)| *id == code.id);
        match (shown.contains(&format!("[{}]", code.id)), elsewhere) {
            (false, false) => return fail(format!("no snapshot of {}: {}", code.id, code.title)),
            (true, true) => {
                return fail(format!("{} has a snapshot: take it off the list", code.id));
            }
            _ => {}
        }
    }
    Ok(())
}

fn every_snapshot_has_a_program() -> Outcome {
    let known: Vec<_> = all().into_iter().map(|(_, _, expected)| expected).collect();
    match files("tests/diagnostics", &["stderr"]).into_iter().find(|file| !known.contains(file)) {
        Some(file) => fail(format!("{} belongs to no program", file.display())),
        None => Ok(()),
    }
}
