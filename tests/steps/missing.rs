//! What the listings of a chapter still lack, as listings.
//!
//! Input: the files that the listings make, and those of the step. Output: an error with their difference, and a
//! draft of the blocks that would make it, which an author can cut up and explain.

use super::listings::{Files, count};
use super::{Step, shown};
use crate::tools::{Outcome, fail, scratch};
use similar::{ChangeTag, DiffTag, TextDiff};

/// A difference this long is read in the draft, not in the message.
const SHOWN_LINES: usize = 60;

pub fn compare(step: &Step, made: &Files, wanted: &Files) -> Outcome {
    if made == wanted {
        return Ok(());
    }
    let folder = scratch(&format!("steps/{}/missing", step.slug));
    let (draft, difference) = (folder.join("draft.md"), folder.join("difference.diff"));
    std::fs::write(&draft, blocks(made, wanted))?;
    let text = unified(made, wanted);
    std::fs::write(&difference, &text)?;
    let lines = text.lines().count();
    let excerpt: String = text.lines().take(SHOWN_LINES).map(|line| format!("{line}\n")).collect();
    fail(format!(
        "the listings of {} do not lead to {}; {lines} lines of difference are missing:\n{excerpt}{}\
         all of it: {}\nas blocks: {}",
        shown(&step.chapter()),
        shown(&step.folder()),
        if lines > SHOWN_LINES { "...\n" } else { "" },
        shown(&difference),
        shown(&draft),
    ))
}

/// The paths of both, in order.
fn paths<'f>(made: &'f Files, wanted: &'f Files) -> Vec<&'f str> {
    let mut paths: Vec<_> = made.keys().chain(wanted.keys()).map(String::as_str).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

fn unified(made: &Files, wanted: &Files) -> String {
    let mut text = String::new();
    for path in paths(made, wanted) {
        let side = |files: &Files, side: &str| match files.get(path) {
            Some(text) => (text.clone(), format!("{side}/{path}")),
            None => (String::new(), "/dev/null".to_owned()),
        };
        let ((old, old_name), (new, new_name)) = (side(made, "listings"), side(wanted, "step"));
        if old != new {
            let diff = TextDiff::from_lines(&old, &new);
            text.push_str(&diff.unified_diff().header(&old_name, &new_name).to_string());
        }
    }
    text
}

pub fn blocks(made: &Files, wanted: &Files) -> String {
    let mut text = String::new();
    for path in paths(made, wanted) {
        match (made.get(path), wanted.get(path)) {
            (None, Some(new)) => text.push_str(&whole(path, new, "a new file", "create")),
            (Some(_), None) => text.push_str(&format!(
                "We no longer need `{path}`:\n\n```sh remove={path}\nrm {path}\n```\n\n"
            )),
            (Some(old), Some(new)) if old != new => {
                let is_other = TextDiff::from_lines(old, new).ratio() < 0.5;
                let edits = || edits(path, old, new);
                text.push_str(&if is_other { whole(path, new, "now", "replace") } else { edits() });
            }
            _ => {}
        }
    }
    text
}

fn whole(path: &str, text: &str, what: &str, change: &str) -> String {
    format!("`{path}`, {what}:\n\n```{} {change}={path}\n{text}```\n\n", language(path))
}

fn language(path: &str) -> &str {
    match path.rsplit_once('.') {
        Some((_, "rs")) => "rust",
        Some((_, ending)) => ending,
        None => "text",
    }
}

/// One block for each place, from the top, with as much context as it takes to find the place.
fn edits(path: &str, old: &str, new: &str) -> String {
    const MAX_CONTEXT: usize = 12;
    let diff = TextDiff::from_lines(old, new);
    let mut text = String::new();
    // The file with all blocks so far applied: new lines above a place, old lines below.
    for context in 2..=MAX_CONTEXT {
        text.clear();
        let mut is_clear = true;
        for group in diff.grouped_ops(context) {
            let Some(first) = group.first() else { continue };
            let (start, old_start) = (first.new_range().start, first.old_range().start);
            let changes = group.iter().flat_map(|op| diff.iter_changes(op));
            let hunk: String = changes
                .map(|change| {
                    let sign = match change.tag() {
                        ChangeTag::Equal => " ",
                        ChangeTag::Delete => "-",
                        ChangeTag::Insert => "+",
                    };
                    format!("{sign}{}", change.value())
                })
                .collect();
            let moment: String = new.split_inclusive('\n').take(start).collect::<String>()
                + &old.split_inclusive('\n').skip(old_start).collect::<String>();
            is_clear &= count(&moment, &hunk) == 1;
            let change = group.iter().find(|op| op.tag() != DiffTag::Equal).unwrap_or(first);
            let inside = item(new, change.new_range().start);
            text.push_str(&format!(
                "`{path}`, line {}{inside}:\n\n```diff edit={path}\n{hunk}```\n\n",
                start + 1
            ));
        }
        if is_clear {
            break;
        }
    }
    text
}

/// The item that the lines from one on are in, to tell the reader; nothing between two items.
fn item(text: &str, line: usize) -> String {
    const ITEMS: [&str; 6] = ["fn ", "impl ", "struct ", "enum ", "trait ", "mod "];
    let lines: Vec<_> = text.lines().take(line).collect();
    let plain = |line: &str| line.trim_start().trim_start_matches("pub ").to_owned();
    let is_item = |line: &&str| ITEMS.iter().any(|item| plain(line).starts_with(item));
    let Some(at) = lines.iter().rposition(is_item) else { return String::new() };
    let indent: String = lines[at].chars().take_while(|c| *c == ' ').collect();
    let has_ended = lines[at + 1..].iter().any(|line| *line == format!("{indent}}}"));
    if has_ended || lines[at].ends_with([';', '}']) {
        return String::new();
    }
    let line = plain(lines[at]);
    let end = line.find(['(', '{', '<', ';']).unwrap_or(line.len());
    let name = line[..end].trim();
    let name = if name == "impl" { line.trim_end_matches('{').trim() } else { name };
    format!(", in `{name}`")
}
