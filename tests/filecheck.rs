//! The output of the stages: files with RUN lines, as in LLVM's own tests.
//!
//! Input: every `.toy` and `.mlir` file under `filecheck/`. A line `# RUN: command` or `// RUN: command` is run by bash
//! with `toyc`, `toy-opt`, `FileCheck`, `not` and `mlir-opt` in the PATH; every command of a pipeline has to succeed.
//! `%s` is the file, `%t` a path for temporary files of its own, `%irdl` the definition of the Toy dialect, `%%` a
//! percent sign; a `\` at the end continues a RUN line on the next one. Invariant: a file without a RUN line fails.

use crate::tools::{Job, Outcome, TOYC, fail, llvm_bin, root, scratch, trial};
use libtest_mimic::Trial;
use regex_lite::Regex;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub fn trials() -> Vec<Trial> {
    let directory = root().join("tests/filecheck");
    let mut trials: Vec<_> = files()
        .into_iter()
        .map(|file| {
            let name = file.strip_prefix(&directory).unwrap_or(&file).display().to_string();
            trial(format!("filecheck/{name}"), move || check(&file, &name))
        })
        .collect();
    trials.push(trial("filecheck/the_harness_can_fail", the_harness_can_fail));
    trials
        .push(trial("filecheck/every_check_line_is_read_by_a_run_line", every_check_line_is_read));
    trials
}

/// Every file of the suite, sorted.
pub fn files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    collect(&root().join("tests/filecheck"), &mut files);
    files.sort();
    files
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "toy" || extension == "mlir")
        {
            files.push(path);
        }
    }
}

fn check(file: &Path, name: &str) -> Outcome {
    let Ok(text) = std::fs::read_to_string(file) else {
        return fail(format!("{} cannot be read", file.display()));
    };
    let commands = run_lines(&text)?;
    let directory = scratch(&format!("filecheck/{name}"));
    for command in commands {
        let command = substitute(&command, file, &directory);
        let run = bash(&command, &directory)?;
        if run.status != Some(0) {
            return run.complain(format!("this RUN line of {} failed", file.display()));
        }
    }
    Ok(())
}

/// The commands of the RUN lines.
fn run_lines(text: &str) -> Result<Vec<String>, libtest_mimic::Failed> {
    let mut commands: Vec<String> = Vec::new();
    let mut continues = false;
    for line in text.lines() {
        let comment = line.trim_start().trim_start_matches(['#', '/']);
        let Some(command) = comment.trim_start().strip_prefix("RUN:") else { continue };
        let command = command.trim();
        let (part, goes_on) = match command.strip_suffix('\\') {
            Some(part) => (part, true),
            None => (command, false),
        };
        match commands.last_mut() {
            Some(last) if continues => last.push_str(part),
            _ => commands.push(part.to_owned()),
        }
        continues = goes_on;
    }
    if commands.is_empty() || commands.iter().any(|command| command.trim().is_empty()) || continues
    {
        return fail("no RUN line, or one without a command: this file tests nothing");
    }
    Ok(commands)
}

fn substitute(command: &str, file: &Path, directory: &Path) -> String {
    let mut result = String::new();
    let mut rest = command;
    while let Some(at) = rest.find('%') {
        let (before, variable) = rest.split_at(at);
        result.push_str(before);
        let (value, length) = if variable.starts_with("%irdl") {
            (
                root().join("crates/toy-compiler/src/dialect/toy.irdl.mlir").display().to_string(),
                "%irdl".len(),
            )
        } else if variable.starts_with("%s") {
            (file.display().to_string(), 2)
        } else if variable.starts_with("%t") {
            (directory.join("tmp").display().to_string(), 2)
        } else if variable.starts_with("%%") {
            ("%".to_owned(), 2)
        } else {
            ("%".to_owned(), 1)
        };
        result.push_str(&value);
        rest = &variable[length..];
    }
    result + rest
}

/// Runs a command with the tools under test on the path.
pub fn bash(command: &str, directory: &Path) -> Result<crate::tools::Run, libtest_mimic::Failed> {
    let toyc = Path::new(TOYC).parent().unwrap_or(Path::new("."));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(
        [toyc.to_owned(), llvm_bin()].into_iter().chain(std::env::split_paths(&path)),
    );
    Job::new("bash", ["-o", "pipefail", "-c", command])
        .current_dir(directory)
        .env("PATH", path.unwrap_or_default())
        // FileCheck's explanation of a mismatch is all there is to see of it.
        .env("FILECHECK_OPTS", "--dump-input-context=12")
        .run()
}

fn every_check_line_is_read() -> Outcome {
    for file in files() {
        if let Some((number, line)) = unread(&std::fs::read_to_string(&file)?) {
            return fail(format!("{}:{number}: no FileCheck reads `{line}`", file.display()));
        }
    }
    // And this test can fail.
    for (text, line) in [
        ("// RUN: toy-opt %s\n// CHECK: a", 2),
        ("// RUN: FileCheck %s --check-prefix=A < x && true\n// A-NEXT: a\n// B-NOT: b", 3),
    ] {
        if unread(text).is_none_or(|(number, _)| number != line) {
            return fail(format!("line {line} is not read:\n{text}"));
        }
    }
    Ok(())
}

/// The first line with a check whose prefix no RUN line has, and its number.
fn unread(text: &str) -> Option<(usize, &str)> {
    let regex = |text| Regex::new(text).expect("a regular expression");
    let call = regex(r"FileCheck ([^|&;<]*)");
    let option = regex(r"-check-prefix(?:es)?[= ](\S+)");
    let check = regex(
        r"^\s*(?:#|//)\s*([A-Z][A-Z0-9_-]*?)(?:-NEXT|-SAME|-NOT|-DAG|-LABEL|-EMPTY|-COUNT-\d+)?(?:\{LITERAL\})?:",
    );
    let mut prefixes = BTreeSet::from(["RUN"]);
    for line in text.lines().filter(|line| line.contains("RUN:")) {
        for call in call.captures_iter(line) {
            let options = call.get(1).map_or("", |options| options.as_str());
            let given: Vec<_> =
                option.captures_iter(options).filter_map(|found| found.get(1)).collect();
            prefixes.extend(given.iter().flat_map(|names| names.as_str().split(',')));
            if given.is_empty() {
                prefixes.insert("CHECK");
            }
        }
    }
    let is_unread = |line: &str| check.captures(line).is_some_and(|it| !prefixes.contains(&it[1]));
    text.lines().enumerate().find(|(_, line)| is_unread(line)).map(|(at, line)| (at + 1, line))
}

/// A mismatch, a failing command anywhere in a pipeline and a missing RUN line are failures.
fn the_harness_can_fail() -> Outcome {
    let directory = scratch("filecheck/the_harness_can_fail");
    let program = "def main() { print(1); }\n";
    for (name, lines) in [
        ("mismatch", "# RUN: toyc %s -emit=toy | FileCheck %s\n# CHECK: toy.add\n"),
        ("second_line", "# RUN: true\n# RUN: toyc %s -emit=toy | FileCheck %s\n# CHECK: toy.add\n"),
        ("pipeline", "# RUN: toyc -emit=nonsense %s | cat\n"),
        ("no_run_line", "# CHECK: toy.print\n"),
        ("empty_run_line", "# RUN:\n"),
        ("continued_into_nothing", "# RUN: true \\\n"),
    ] {
        let file = directory.join(format!("{name}.toy"));
        std::fs::write(&file, format!("{lines}{program}"))?;
        if check(&file, &format!("the_harness_can_fail_{name}")).is_ok() {
            return fail(format!("`{name}` should have failed"));
        }
    }
    Ok(())
}
