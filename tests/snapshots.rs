//! Every diagnostic as the user sees it.
//!
//! Input: `diagnostics/NAME.toy` and `.mlir`, programs with errors, and the example that has one.
//! Expected: standard error, byte for byte, in `NAME.stderr` (`NAME.mlir.stderr`), with toyc run in the
//! root of the repository. A line `# ARGS: ...` or `// ARGS: ...` adds options. Invariants: the program is refused with
//! this text, whether for the JIT or an executable, with optimization and without; every code that input can trigger
//! has a test. Programs `warning_NAME.toy` compile, but not with `-D warnings`.
//!
//! Most programs are compiled in this process, in all ways, and their errors shown as the command shows them. The first
//! program of each code, and those with options or warnings, are given to the command: exit status 1, nothing on
//! standard output, nothing run and no file written.

use crate::tools::{
    Job, Outcome, Run, compare_with_file, difference, fail, files, is_emulated, root, scratch,
    stem, toyc, trial,
};
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use toy_compiler::diagnostic::codes;
use toy_compiler::source::Source;
use toy_compiler::{Compilation, Config, Language, Stage, with_large_stack};
use toyc::cli::{Color, ErrorFormat, Form};
use toyc::driver::reporter::Reporter;

/// Codes without a snapshot: the test that produces the code, and why it is not a snapshot.
const ELSEWHERE: &[(&str, &str, &str)] = &[
    ("E0001", "command_line/unreadable_inputs_are_diagnosed", "needs a missing file"),
    ("E0002", "files/unwritable_places_are_diagnosed", "needs an unwritable place"),
    ("E0003", "command_line/unreadable_inputs_are_diagnosed", "is not a text file"),
    ("E0004", "files/the_input_is_not_overwritten", "is about the command line"),
    ("E0005", "filecheck/toy_opt/command_line_errors.mlir", "is about the command line of toy-opt"),
    ("E0305", "hostile/too_many_specializations", "needs many specializations"),
    ("E0404", "filecheck/toy_opt/verify_diagnostics_unmet.mlir", "is said by toy-opt"),
    ("E0405", "filecheck/merge_alloc/options.mlir", "needs -O1 and an option of a pass"),
    ("E0406", "filecheck/merge_alloc/verify.mlir", "is said by a pass of toy-opt"),
    ("E0501", "command_line/unusable_targets_are_diagnosed", "is about the command line"),
    (
        "E0504",
        "filecheck/known_bugs/program_crash_is_reported.mlir",
        "needs a program that crashes",
    ),
    (
        "E0502",
        "command_line/failures_of_the_linker_are_diagnosed",
        "shows what this machine's linker says",
    ),
    ("E0503", "command_line/jit_reports_unresolved_symbols", "only the JIT finds it"),
    ("E0505", "messages/code_that_llvm_rejects_is_diagnosed", "shows what LLVM says"),
    ("E0520", "processors/names_are_checked", "is about the command line"),
    ("E0521", "processors/names_are_checked", "is about the command line"),
    ("E0522", "processors/names_are_checked", "is about the command line"),
    ("E0530", "exports/what_cannot_be_exported_is_diagnosed", "is about the command line"),
    ("E0531", "exports/what_cannot_be_exported_is_diagnosed", "is about the command line"),
    ("E0532", "exports/what_cannot_be_exported_is_diagnosed", "is about the command line"),
    ("E0533", "exports/what_cannot_be_exported_is_diagnosed", "is about the command line"),
    ("E0534", "exports/what_cannot_be_exported_is_diagnosed", "is about the command line"),
    ("E0506", "wasm/what_modules_cannot_have_is_diagnosed", "needs a target"),
    ("E0535", "exports/what_mlir_cannot_export_is_diagnosed", "needs exports"),
    ("E0540", "data/numpy_agrees", "needs a file"),
    ("E0541", "data/numpy_agrees", "is about the command line"),
    ("E0550", "bindings/rust_names", "is about the command line"),
    ("W0110", "command_line/threads_without_loop_nests_are_a_warning", "is about the command line"),
    ("R0001", "filecheck/toy_opt/remarks.mlir", "is said by toy-opt"),
    ("R0101", "filecheck/merge_alloc/remarks.mlir", "is not an error"),
    ("R0102", "filecheck/memref/copies.toy", "is not an error"),
    ("R0103", "filecheck/memref/copies.toy", "is not an error"),
    ("R0104", "filecheck/dealloc/decided_at_run_time.toy", "is not an error"),
    ("R0105", "filecheck/canonicalize/remarks.toy", "is not an error"),
    ("R0106", "filecheck/differentiate/loops.toy", "is not an error"),
    ("E0900", "", "would be an internal error of toyc"),
];

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        trial("diagnostics/every_code_has_a_snapshot", every_code_has_a_snapshot),
        trial("diagnostics/every_snapshot_has_a_program", every_snapshot_has_a_program),
        trial("diagnostics/codes_without_a_snapshot_have_a_test", codes_have_tests),
        trial("diagnostics/a_failed_snapshot_shows_what_differs_and_how_to_accept_it", differences),
    ];
    let mut seen = BTreeSet::new();
    for (name, source, expected) in all() {
        let is_first = seen.insert(code_of(&expected));
        let check = move || check(&source, &expected, is_first);
        trials.push(trial(format!("diagnostics/{name}"), check));
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

/// The code of the first message.
fn code_of(expected: &Path) -> Option<String> {
    let text = std::fs::read_to_string(expected).ok()?;
    Some(text.split_once('[')?.1.split_once(']')?.0.to_owned())
}

/// The ways to compile a program that change nothing of its errors: stage, level, debug information.
const WAYS: [(Stage, u8, bool); 4] =
    [(Stage::Exe, 0, false), (Stage::Jit, 0, false), (Stage::Jit, 2, false), (Stage::Jit, 0, true)];

fn check(source: &Path, expected: &Path, is_first: bool) -> Outcome {
    let text = std::fs::read_to_string(source)?;
    let relative = source.strip_prefix(root()).unwrap_or(source);
    let has_options = text.lines().any(|line| options_of_line(line).is_some());
    let has_warnings = stem(source).starts_with("warning_");
    if !(has_options || has_warnings || is_emulated()) {
        let first = refused(relative, &text, WAYS[0])?;
        compare_with_file(first.as_bytes(), expected)?;
        for way in &WAYS[1..] {
            let again = refused(relative, &text, *way)?;
            if again != first {
                return fail(format!("{way:?} says\n{again}\nnot the same as\n{first}"));
            }
        }
        if !is_first {
            return Ok(());
        }
    }
    by_command(relative, &text, expected)
}

/// The errors of a program as the command shows them; Err if it has none.
fn refused(name: &Path, text: &str, way: (Stage, u8, bool)) -> Result<String, Failed> {
    let (stage, optimization_level, debug_info) = way;
    let is_mlir = name.extension().is_some_and(|extension| extension == "mlir");
    let config = Config {
        language: if is_mlir { Language::Mlir } else { Language::Toy },
        optimization_level,
        debug_info,
        ..Config::default()
    };
    let source = Source::new(name.display().to_string(), text);
    with_large_stack(|| {
        let mut compilation = Compilation::new(source, config);
        let Err(errors) = compilation.advance_to(stage, &mut ()) else {
            return fail(format!("{way:?} compiles the program"));
        };
        let all = compilation.with_warnings(errors);
        if all.iter().any(|diagnostic| diagnostic.code.id == "E0900") {
            return fail(format!("an internal error of toyc: {all:?}"));
        }
        let reporter =
            Reporter::new(Form { error_format: ErrorFormat::Human, color: Color::Never });
        Ok(reporter.text(&all, Some(compilation.source())))
    })
}

/// The program given to the command.
fn by_command(relative: &Path, text: &str, expected: &Path) -> Outcome {
    let directory = scratch(&format!("diagnostics/{}", relative.display()));
    let output = directory.join("output");
    let run = |options: &[&str]| {
        let mut arguments = vec![relative.as_os_str(), OsStr::new("--color=never")];
        arguments.extend(text.lines().filter_map(options_of_line).flatten().map(OsStr::new));
        arguments.extend(options.iter().map(OsStr::new));
        toyc(arguments).current_dir(root()).run()
    };
    let executable = ["-o", output.to_str().unwrap_or_default()];
    if stem(relative).starts_with("warning_") {
        return check_warnings(run, &executable, &output, expected);
    }
    let first = run(&executable)?.exits(1)?.prints("")?;
    compare_with_file(first.stderr.as_bytes(), expected)?;
    let again = run(&["-emit=jit", "-O2"])?.exits(1)?.prints("")?;
    if again.stderr != first.stderr {
        return again.complain(format!("not the same as for an executable:\n{}", first.stderr));
    }
    if std::fs::read_dir(&directory)?.next().is_some() {
        return fail("a file was written");
    }
    Ok(())
}

/// Warnings change only the messages, and errors everything.
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

/// The options after `ARGS:` in a comment.
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
        let elsewhere = ELSEWHERE.iter().any(|(id, ..)| *id == code.id);
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

/// The test of a code exists, and its source names the code.
fn codes_have_tests() -> Outcome {
    let tests = Job::new(std::env::current_exe()?, ["--list"]).run()?.exits(0)?.out();
    for (id, test, _) in ELSEWHERE.iter().filter(|(id, ..)| *id != "E0900") {
        if !tests.lines().any(|line| line.strip_suffix(": test") == Some(test)) {
            return fail(format!("{id}: there is no test `{test}`"));
        }
        let sources = match test.split_once('/') {
            Some(("filecheck", _)) => vec![root().join("tests").join(test)],
            Some((module, _)) => {
                [files("tests", &["rs"]), files(&format!("tests/{module}"), &["rs"])]
                    .concat()
                    .into_iter()
                    .filter(|file| {
                        stem(file) == module || file.parent().is_some_and(|it| it.ends_with(module))
                    })
                    .collect()
            }
            None => Vec::new(),
        };
        let names =
            |file: &PathBuf| std::fs::read_to_string(file).is_ok_and(|text| text.contains(id));
        if !sources.iter().any(names) {
            return fail(format!("{id}: the source of `{test}` does not name it"));
        }
    }
    Ok(())
}

fn differences() -> Outcome {
    let (old, new) = ("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nd\nE\nf\n");
    let text = difference(old, new, &root().join("tests/x.out"), "programs/interpreter/x");
    let expected = "--- tests/x.out\n+++ what the test made\n@@ -2,5 +2,5 @@\n b\n c\n d\n-e\n+E\n f\n\
                    to accept it: TOYC_UPDATE=1 cargo test --test suite -- --exact 'programs/interpreter/x'";
    if text == expected { Ok(()) } else { fail(text) }
}

fn every_snapshot_has_a_program() -> Outcome {
    let known: Vec<_> = all().into_iter().map(|(_, _, expected)| expected).collect();
    match files("tests/diagnostics", &["stderr"]).into_iter().find(|file| !known.contains(file)) {
        Some(file) => fail(format!("{} belongs to no program", file.display())),
        None => Ok(()),
    }
}
