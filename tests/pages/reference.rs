//! The reference of the command line is complete: it has every option, stage and warning that `toyc --help` has.

use crate::tools::{Outcome, fail, root, toyc};
use regex_lite::Regex;

pub fn is_complete() -> Outcome {
    let page = std::fs::read_to_string(root().join("docs/command-line.md"))?;
    let Some((_, reference)) = page.split_once("## Reference\n") else {
        return fail("docs/command-line.md has no reference");
    };
    let quoted = Regex::new("`([^`]*)`").expect("a regular expression");
    // `-emit=STAGE` is the option `-emit`, `-W no-NAME` the option `-W`.
    let named: Vec<&str> = quoted
        .captures_iter(reference)
        .filter_map(|found| found.get(1)?.as_str().split([' ', '=']).next())
        .collect();
    let help = toyc(["--help"]).run()?.exits(0)?.out();
    let missing: Vec<&str> =
        words(&help).into_iter().filter(|word| !named.contains(word)).collect();
    if missing.is_empty() { Ok(()) } else { fail(format!("the reference lacks {missing:?}")) }
}

/// The options, and the names in the lists of stages and warnings.
fn words(help: &str) -> Vec<&str> {
    let option = Regex::new(r"^ +(-\w)?,? *(--[\w-]+)?").expect("a regular expression");
    let item = Regex::new(r"^  ([a-z][a-z-]*)  ?").expect("a regular expression");
    let mut section = "";
    let mut words = Vec::new();
    for line in help.lines() {
        if !line.starts_with(' ') {
            section = line;
        }
        let found = match section {
            "Options:" => option.captures(line),
            "Stages:" | "Warnings:" => item.captures(line),
            _ => None,
        };
        if let Some(found) = found {
            words.extend(found.iter().skip(1).flatten().map(|word| word.as_str()));
        }
    }
    words
}
