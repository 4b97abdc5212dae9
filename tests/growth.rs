//! Twice the program takes about twice the time: compile time has no cliffs.
//!
//! Input: `growth.txt`, a family of programs of alike parts on each line, with a size, and for programs of vectors the
//! bytes of object code that a character of the program may become. Output: an error for a family whose time grows with an
//! exponent above 1.5 if the size doubles. `bench/growth.py` writes the programs and measures; `bench/run.py` shows
//! larger sizes.

use crate::tools::{Job, Outcome, TOYC, is_emulated, root, trial, trial_unless};
use libtest_mimic::Trial;

pub fn trials() -> Vec<Trial> {
    let families = std::fs::read_to_string(root().join("tests/growth.txt")).unwrap_or_default();
    let lines = families.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let missing = is_emulated().then_some("processor of its own");
    let family = |line: &str| {
        let words: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
        let name = format!("growth/{}", words.first().map_or("", String::as_str));
        trial_unless(missing, name, move || doubled(TOYC, &words).map(drop))
    };
    let mut trials: Vec<_> = lines.map(family).collect();
    trials.push(trial("growth/a_cliff_is_found", cliff));
    trials
}

fn doubled(compiler: &str, words: &[String]) -> Result<Run, Failed> {
    let script = root().join("bench/growth.py");
    let arguments = [script.as_os_str(), compiler.as_ref()];
    let words = words.iter().map(AsRef::as_ref);
    Job::new("python3", arguments.into_iter().chain(words)).run()?.exits(0)
}
