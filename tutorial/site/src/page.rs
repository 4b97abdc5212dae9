//! A page of the repository as a page of the book.
//!
//! Input: Markdown as a code host shows it. Output: Markdown for mdBook: blocks are HTML with colors, links lead to the
//! site's pages, under the title is how long the page takes, below some commands is the page that they write,
//! programs run, and some comments are figures.

use crate::code;
use crate::figures::{Tools, figure};
use crate::links::Links;
use crate::programs::Programs;
use crate::reports::Reports;
use anyhow::{Result, bail};
use regex::{Captures, Regex};
use std::path::Path;

/// Words a minute, for a text that is to be understood.
const PACE: usize = 180;

/// The title of a page without its `#`.
pub fn title(text: &str) -> Result<&str> {
    match text.lines().next().and_then(|line| line.strip_prefix("# ")) {
        Some(title) => Ok(title),
        None => bail!("a page begins with a title"),
    }
}

/// `reports` gets the pages that blocks of commands ask for, and `programs` the blocks of programs, if the site has any;
/// figures ask the compiler of `tools`.
pub fn converted(
    page: &Path,
    text: &str,
    tools: Option<&Tools>,
    links: &mut Links,
    reports: &mut Option<Reports>,
    programs: &mut Option<Programs>,
) -> Result<String> {
    let link = Regex::new(r"\]\(([^)\s]+)\)").expect("a regular expression");
    let mut result = String::new();
    let mut block: Option<(&str, String)> = None;
    let mut above = String::new();
    for (index, line) in text.lines().enumerate() {
        if block.is_none()
            && let Some(figure) = figure(page, line, &above, tools, reports)?
        {
            result.push_str(&figure);
            continue;
        }
        match (&mut block, line.strip_prefix("```")) {
            (Some((info, body)), Some("")) => {
                let attributes = match programs {
                    Some(programs) => programs.attributes(page, info, body)?,
                    None => String::new(),
                };
                result.push_str(&code::block(info, body, &attributes));
                if let Some(reports) = reports {
                    result.push_str(&reports.frame(page, info, body)?);
                }
                above = std::mem::take(body);
                block = None;
            }
            (Some((_, body)), _) => {
                body.push_str(line);
                body.push('\n');
            }
            (None, Some(info)) => block = Some((info, String::new())),
            (None, None) => {
                let mut error = None;
                let line = link.replace_all(line, |found: &Captures| {
                    let target = links.resolved(page, &found[1]);
                    format!("]({})", target.unwrap_or_else(|e| error.insert(e).to_string()))
                });
                if let Some(error) = error {
                    return Err(error);
                }
                result.push_str(&line);
                result.push('\n');
                if index == 0 {
                    result.push_str(&format!("\n<p class=\"reading\">{}</p>\n", effort(text)));
                }
            }
        }
    }
    match block {
        Some((info, _)) => bail!("{}: a block `{info}` without an end", page.display()),
        None => Ok(result),
    }
}

/// The time that a page takes: minutes to read, and lines to type.
fn effort(text: &str) -> String {
    let (mut words, mut lines) = (0, 0);
    let mut info = None;
    for line in text.lines() {
        match (info, line.strip_prefix("```")) {
            (Some(_), Some("")) => info = None,
            (None, Some(start)) => info = Some(start),
            (Some(info), _) => lines += usize::from(is_typed(info, line)),
            (None, None) => words += line.split_whitespace().count(),
        }
    }
    let minutes = words.div_ceil(PACE);
    let minutes = format!("{minutes} minute{} to read", if minutes == 1 { "" } else { "s" });
    if lines == 0 { minutes } else { format!("{minutes}, {lines} lines to type") }
}

fn is_typed(info: &str, line: &str) -> bool {
    let is_whole = info.contains(" create=") || info.contains(" replace=");
    is_whole || info.contains(" edit=") && line.starts_with('+')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_and_lines() {
        let words = "word ".repeat(PACE);
        assert_eq!(effort(&words), "1 minute to read");
        let text = format!(
            "{words} x\n```diff edit=a.rs\n+let\n-x\n```\n```rust create=b.rs\nmod a;\n```\n"
        );
        assert_eq!(effort(&text), "2 minutes to read, 2 lines to type");
    }

    #[test]
    fn a_page_has_a_title() {
        assert_eq!(title("# Step 1. All\n").unwrap(), "Step 1. All");
        assert!(title("Step 1\n").is_err());
    }
}
