//! Links have targets.
//!
//! Input: a page. Every `](target)` outside of blocks, unless it is a web address, names a file or a folder relative to
//! the page, and `#heading` a heading of the page or of the named file.

use crate::tools::{Outcome, fail};
use regex_lite::Regex;
use std::path::Path;

pub fn check(page: &Path, text: &str) -> Outcome {
    let link = Regex::new(r"\]\(([^)\s]+)\)").expect("a regular expression");
    let prose = prose(text);
    let folder = page.parent().unwrap_or(Path::new("."));
    for found in link.captures_iter(&prose) {
        let target = &found[1];
        if target.starts_with("https://") {
            continue;
        }
        let (file, heading) = match target.split_once('#') {
            Some((file, heading)) => (file, Some(heading)),
            None => (target, None),
        };
        let file = if file.is_empty() { page.to_owned() } else { folder.join(file) };
        if !file.exists() {
            return fail(format!("{}: `{target}` leads nowhere", page.display()));
        }
        if let Some(heading) = heading {
            let text = std::fs::read_to_string(&file)?;
            if !anchors(&text).iter().any(|anchor| anchor == heading) {
                return fail(format!("{}: `{target}` names no heading", page.display()));
            }
        }
    }
    Ok(())
}

/// The page without its blocks.
pub fn prose(text: &str) -> String {
    let mut is_block = false;
    let mut prose = String::new();
    for line in text.lines() {
        if line.starts_with("```") {
            is_block = !is_block;
        } else if !is_block {
            prose.push_str(line);
            prose.push('\n');
        }
    }
    prose
}

/// The names that code hosts give to headings: lower case, words joined by hyphens.
fn anchors(text: &str) -> Vec<String> {
    prose(text)
        .lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| {
            let heading = line.trim_start_matches('#').trim().to_lowercase();
            let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}
