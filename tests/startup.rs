//! Small programs start fast: how many instructions the compiler needs for a program of one line.
//!
//! Input: `startup.txt`, a line for each command: its options, and millions of instructions as callgrind counts them in
//! a debug build for x86-64. Output: an error for a command that needs a tenth more, or a tenth less, which is to be
//! recorded; TOYC_UPDATE=1 does. `bench/run.py` has the limits of a release build.

use crate::tools::{Job, is_update};
use crate::tools::{Outcome, TOYC, compare_with_file, fail, find, root, scratch, trial_unless};
use libtest_mimic::{Failed, Trial};
use std::path::Path;

const PROGRAM: &str = "def main() {\n  print([[1, 2], [3, 4]]);\n}\n";

const EXPECTATIONS: &str = "tests/startup.txt";

pub fn trials() -> Vec<Trial> {
    let is_debug = Path::new(TOYC).parent().is_some_and(|folder| folder.ends_with("debug"));
    let missing = match (find("valgrind"), cfg!(target_arch = "x86_64") && is_debug) {
        (None, _) => Some("valgrind"),
        (_, false) => Some("debug build for x86-64"),
        _ => None,
    };
    vec![
        trial_unless(missing, "startup/instructions", instructions),
        trial_unless(missing, "startup/a_slower_start_is_found", slower),
    ]
}

fn instructions() -> Outcome {
    let file = root().join(EXPECTATIONS);
    let expected = std::fs::read_to_string(&file)?;
    let mut counted = String::new();
    for line in expected.lines() {
        let (options, _) = line.rsplit_once(": ").ok_or("a line is `OPTIONS: MILLIONS`")?;
        counted += &format!("{options}: {:.1}\n", millions("instructions", options)?);
    }
    let is_within = expected.lines().zip(counted.lines()).all(|(old, new)| is_near(old, new));
    if is_within && !is_update() {
        return Ok(());
    }
    compare_with_file(counted.as_bytes(), &file)
}

/// Millions of instructions of one run of toyc, for a test of this name.
fn millions(test: &str, options: &str) -> Result<f64, Failed> {
    let directory = scratch(&format!("startup/{test}"));
    std::fs::write(directory.join("literal.toy"), PROGRAM)?;
    let arguments = ["--tool=callgrind", "--callgrind-out-file=/dev/null", TOYC, "literal.toy"];
    let run = Job::new("valgrind", arguments.into_iter().chain(options.split(' ')))
        .current_dir(&directory)
        .run()?
        .exits(0)?;
    let count = run.stderr.split("Collected : ").nth(1).and_then(|rest| rest.lines().next());
    match count.and_then(|count| count.trim().parse::<f64>().ok()) {
        Some(count) => Ok(count / 1e6),
        None => run.complain("callgrind gives no count"),
    }
}

/// True if the counts of two lines about one command differ by less than a tenth.
fn is_near(old: &str, new: &str) -> bool {
    let count = |line: &str| line.rsplit_once(": ")?.1.parse::<f64>().ok();
    match (count(old), count(new)) {
        (Some(old), Some(new)) => (new - old).abs() < old / 10.0,
        _ => false,
    }
}

fn slower() -> Outcome {
    for (old, new, expected) in [
        ("-emit=ast: 6.0", "-emit=ast: 6.5", true),
        ("-emit=ast: 6.0", "-emit=ast: 6.7", false),
        ("-emit=ast: 6.0", "-emit=ast: 5.3", false),
        ("-emit=ast: ?", "-emit=ast: 6.0", false),
    ] {
        if is_near(old, new) != expected {
            return fail(format!("{old} and {new}"));
        }
    }
    // The command line of a subcommand with all options is what every start once paid for.
    let (small, large) =
        (millions("slower", "-emit=ast")?, millions("slower", "-emit=ast --help")?);
    match is_near(&format!(": {small}"), &format!(": {large}")) {
        false => Ok(()),
        true => fail(format!("{large} million instructions are taken for {small}")),
    }
}
