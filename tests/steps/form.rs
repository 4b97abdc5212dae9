//! The parts that every chapter of part one has, and how long it may be.
//!
//! Input: a chapter and its crate. Output: an error for a part that is missing or too long. Invariants: a title with
//! the step's number, at most [`MAX_WORDS`] words outside of blocks and hints, lines of listings and commands of at most
//! [`MAX_WIDTH`] characters, at least [`MIN_PICTURES`] pictures with a text for those who cannot see them, three
//! questions with folded answers, [`HINTS`] folded hints and a link to a solution for each exercise, and a link to part
//! two in the last section; a crate of [`LINES`] lines of Rust.

use super::{exercises, files, page, shown};
use crate::pages::links::prose;
use crate::tools::{Outcome, fail};
use libtest_mimic::Failed;
use regex_lite::{Captures, Regex};
use std::ops::RangeInclusive;
use tutorial::listings::Files;
use tutorial::markdown::{Block, blocks};
use tutorial::steps::Step;

const MAX_WORDS: usize = 2000;
const MAX_WIDTH: usize = 92;
const MIN_PICTURES: usize = 2;
const QUESTIONS: usize = 3;
/// A small one, and a larger one.
const HINTS: usize = 2;
const LINES: RangeInclusive<usize> = 100..=2800;

const FOLDED: &str = "<details><summary>";
/// The line before each folded answer.
const ANSWER: &str = "<details><summary>Answer</summary>";

pub fn check(step: &Step) -> Outcome {
    let _one = page(step);
    let chapter = step.chapter();
    let page = std::fs::read_to_string(&chapter)
        .map_err(|error| format!("{}: {error}", shown(&chapter)))?;
    let mut wrong = wrong(&page, step.number)?;
    let solutions = exercises::solutions(step)?;
    wrong.extend(without_link(&page, &step.slug, &solutions));
    wrong.extend(without_hints(&page, solutions.len()));
    let lines = lines_of_rust(files(step)?);
    if !LINES.contains(&lines) {
        wrong.push(format!("the crate has {lines} lines of Rust, not {LINES:?}"));
    }
    let wrong: Vec<_> = wrong.iter().map(|what| format!("{}: {what}", shown(&chapter))).collect();
    if wrong.is_empty() { Ok(()) } else { fail(wrong.join("\n")) }
}

/// The solutions that no link of a page leads to.
pub fn without_link(page: &str, slug: &str, solutions: &[String]) -> Vec<String> {
    let paths = solutions.iter().map(|name| format!("../steps/{slug}/solutions/{name}"));
    let missing = paths.filter(|path| !page.contains(&format!("]({path})")));
    missing.map(|path| format!("no link to the solution `{path}`")).collect()
}

/// Each exercise has its hints, folded like the answers.
pub fn without_hints(page: &str, exercises: usize) -> Option<String> {
    let is_hint = |line: &&str| line.trim_start().starts_with(FOLDED) && !line.starts_with(ANSWER);
    let hints = page.lines().filter(is_hint).count();
    (hints != HINTS * exercises)
        .then(|| format!("{hints} folded hints; {exercises} exercises have {HINTS} each"))
}

/// All other errors of a page.
pub fn wrong(page: &str, number: usize) -> Result<Vec<String>, Failed> {
    let prose = prose(page);
    let mut wrong = Vec::new();
    let title = page.lines().next().unwrap_or_default();
    if !title.starts_with(&format!("# Step {number}. ")) {
        wrong.push(format!("the title `{title}` is not `# Step {number}. ...`"));
    }
    let words = words(&prose);
    if words > MAX_WORDS {
        wrong.push(format!("{words} words of prose are more than {MAX_WORDS}"));
    }
    let pictures = Regex::new(r"!\[[^\]]{10,}\]\([^)]+\.svg\)").expect("a regular expression");
    let pictures = pictures.find_iter(&prose).count();
    if pictures < MIN_PICTURES {
        wrong.push(format!(
            "{pictures} pictures `![what it shows](../pictures/NAME.svg)`; {MIN_PICTURES} are the least"
        ));
    }
    wrong.extend(quiz(page));
    let last = prose.rsplit("\n#").next().unwrap_or_default();
    let link = Regex::new(r"\]\(\.\./\d\d-[^)]+\.md").expect("a regular expression");
    if !link.is_match(last) {
        wrong.push("the last section has no link to a chapter of part two".to_owned());
    }
    for block in blocks(page)? {
        wrong.extend(too_wide(&block));
    }
    Ok(wrong)
}

/// The words that are read: without markup and targets of links, and without hints, which are for those who need them.
pub fn words(prose: &str) -> usize {
    let hint = Regex::new(r"(?s)\n {3}<details>.*?\n {3}</details>").expect("a regular expression");
    let prose = hint.replace_all(prose, "");
    // The `<` in code begins no markup.
    let code = Regex::new("`[^`]*`").expect("a regular expression");
    let prose = code.replace_all(&prose, |code: &Captures| code[0].replace(['<', '>'], ""));
    let markup =
        Regex::new(r"<[^>]*>|!\[[^\]]*\]\([^)]*\)|\]\([^)]*\)").expect("a regular expression");
    let text = markup.replace_all(&prose, " ");
    text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

fn quiz(page: &str) -> Option<String> {
    let lines: Vec<_> = page.lines().collect();
    let answers: Vec<_> = (0..lines.len()).filter(|at| lines[*at].starts_with(ANSWER)).collect();
    if answers.len() != QUESTIONS {
        return Some(format!(
            "{} folded answers; a chapter has {QUESTIONS} questions",
            answers.len()
        ));
    }
    for at in answers {
        let next = lines[at + 1..].iter().position(|line| line.contains("details>"));
        let end = next.map(|next| at + 1 + next).filter(|end| lines[*end] == "</details>");
        let Some(end) = end else {
            return Some(format!("line {}: the answer is not closed by `</details>`", at + 1));
        };
        // Without the empty lines, Markdown in the answer is not read as such.
        let is_open = lines[at] == ANSWER && lines[at + 1].is_empty() && lines[end - 1].is_empty();
        if !is_open || end < at + 4 {
            return Some(format!(
                "line {}: an answer is `{ANSWER}`, an empty line, text, an empty line, `</details>`",
                at + 1
            ));
        }
    }
    None
}

/// Lines of a block that are too wide for a page; outputs of commands may be wider.
fn too_wide(block: &Block) -> Vec<String> {
    let is_command = |line: &&str| line.starts_with("$ ") || line.starts_with("> ");
    let is_console = block.info.starts_with("console");
    let lines = block.text.lines().enumerate().filter(|(_, line)| !is_console || is_command(line));
    let wide = lines.filter(|(_, line)| line.chars().count() > MAX_WIDTH);
    wide.map(|(at, line)| {
        format!(
            "line {}: {} characters, at most {MAX_WIDTH}",
            block.line + 1 + at,
            line.chars().count()
        )
    })
    .collect()
}

/// The lines of the crate's Rust, without its unit tests.
pub fn lines_of_rust(files: &Files) -> usize {
    let sources =
        files.iter().filter(|(path, _)| path.starts_with("src/") && path.ends_with(".rs"));
    sources
        .flat_map(|(_, text)| text.split("#[cfg(test)]").next().unwrap_or_default().lines())
        .map(str::trim_start)
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .count()
}
