//! The glossary: every term is in bold in the chapter that it names.
//!
//! Input: `tutorial/glossary.md`, a table of `| **term** | what it is | [chapter](file) |`, `A` being an appendix and `step 1`
//! a chapter of part one, in alphabetical order. In the chapter, the term may be in the plural.

use crate::tools::{Outcome, fail, root};
use regex_lite::Regex;

pub fn names_chapters() -> Outcome {
    let folder = root().join("tutorial");
    let page = std::fs::read_to_string(folder.join("glossary.md"))?;
    let row = Regex::new(r"(?m)^\| \*\*(.+)\*\* \| .+ \| \[(?:\d+|A|step \d+)\]\((.+)\) \|$")
        .expect("valid");
    let bold = Regex::new(r"\*\*([^*]+)\*\*").expect("valid");
    let mut before = String::new();
    let mut count = 0;
    for found in row.captures_iter(&page) {
        let term = found[1].to_lowercase();
        let chapter = std::fs::read_to_string(folder.join(&found[2]))?;
        let chapter = chapter.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let is_there = bold.captures_iter(&chapter).any(|bold| {
            let rest = bold[1].strip_prefix(term.trim_end_matches('y'));
            matches!(rest, Some("" | "s" | "es" | "y" | "ies"))
        });
        if !is_there {
            return fail(format!("`{term}` is not in bold in {}", &found[2]));
        }
        if term < before {
            return fail(format!("`{term}` comes after `{before}`"));
        }
        before = term;
        count += 1;
    }
    let rows = page.lines().filter(|line| line.starts_with("| **")).count();
    if count == rows && count > 0 {
        Ok(())
    } else {
        fail(format!("{count} of {rows} rows have the form of a term"))
    }
}
