//! The length of each step, as the tutorial's front page says before a reader begins.
//!
//! Input: the crates, their chapters, and the table of steps in `tutorial/README.md`. Output: an error that shows the
//! first row which is not true. A row ends with the lines that the chapter has its reader type, the words to read, the
//! hours that both take at the stated pace, and the lines of Rust that the compiler has then. Above it, [`PROMISE`] says
//! after how many hours there is something to run. With TOYC_UPDATE=1 the numbers are rewritten. The minutes of one step
//! are limited by [`rhythm`](super::rhythm).

use super::{files, form};
use crate::pages;
use crate::pages::links::prose;
use crate::tools::{Outcome, fail};
use libtest_mimic::Failed;
use regex_lite::Regex;
use std::path::Path;
use tutorial::listings::Listing;
use tutorial::markdown::blocks;
use tutorial::steps::{Step, all};

/// A minute's reading and typing, as the front page says.
const WORDS: usize = 180;
const LINES: usize = 4;

/// The hours of the steps up to these, and the words between them.
const PROMISE: [(&str, &str); 3] = [
    ("-machine-code", "hours you run machine code of your own; after "),
    ("-a-first-language", ", your compiler runs programs; after "),
    ("-executables", ", it makes executables"),
];

pub fn check(tutorial: &Path) -> Outcome {
    let readme = tutorial.join("README.md");
    let text = std::fs::read_to_string(&readme)?;
    let steps = all(tutorial)?;
    let actual = promise(&table(&text, &steps)?, &steps)?;
    pages::compare(&readme, &text, &actual)
}

/// The page with the true numbers at the end of each step's row.
pub fn table(page: &str, steps: &[Step]) -> Result<String, Failed> {
    let mut lines: Vec<String> = page.split_inclusive('\n').map(str::to_owned).collect();
    for step in steps {
        let link = format!("](build/{}.md) |", step.slug);
        let Some(line) = lines.iter_mut().find(|line| line.contains(&link)) else {
            return fail(format!("the tutorial's README has no row for step {}", step.number));
        };
        let cells: Vec<_> = line.trim_end().trim_matches('|').split('|').collect();
        let [number, title, what, ..] = cells.as_slice() else {
            return fail(format!("the row of step {} has too few cells", step.number));
        };
        *line = format!("|{number}|{title}|{what}|{}\n", numbers(step)?);
    }
    Ok(lines.concat())
}

fn numbers(step: &Step) -> Result<String, Failed> {
    let page = std::fs::read_to_string(step.chapter())?;
    let (typed, words) = (typed(&page)?, form::words(&prose(&page)));
    let hours = hours(minutes(&page)?);
    let lines = form::lines_of_rust(files(step)?);
    Ok(format!(" {} | {} | {hours} | {} |", grouped(typed), grouped(words), grouped(lines)))
}

/// The minutes that a chapter takes at the stated pace.
pub fn minutes(page: &str) -> Result<usize, Failed> {
    Ok(form::words(&prose(page)) / WORDS + typed(page)? / LINES)
}

/// In half hours.
fn hours(minutes: usize) -> String {
    let halves = minutes.div_ceil(30);
    format!("{}{}", halves / 2, if halves % 2 == 1 { ".5" } else { "" })
}

/// The page with the true hours in its promise.
fn promise(page: &str, steps: &[Step]) -> Result<String, Failed> {
    let (mut pattern, mut actual) = ("After ".to_owned(), "After ".to_owned());
    let (mut minutes, mut steps) = (0, steps.iter());
    for (last, words) in PROMISE {
        for step in &mut steps {
            minutes += self::minutes(&std::fs::read_to_string(step.chapter())?)?;
            if step.slug.ends_with(last) {
                break;
            }
        }
        // To the hour, if it is a sum of many.
        let hours = if minutes < 300 { hours(minutes) } else { minutes.div_ceil(60).to_string() };
        let space = if words.starts_with(',') { "" } else { " " };
        pattern += &format!("[0-9.]+{space}{words}");
        actual += &format!("{hours}{space}{words}");
    }
    let pattern = Regex::new(&pattern).expect("a regular expression");
    if !pattern.is_match(page) {
        return fail("the tutorial's README does not say after how many hours there is something");
    }
    Ok(pattern.replace(page, actual.as_str()).into_owned())
}

/// The lines that a chapter's listings add.
fn typed(page: &str) -> Result<usize, Failed> {
    let blocks = blocks(page)?;
    Ok(blocks.iter().filter_map(Listing::of).map(|listing| listing.typed().count()).sum())
}

/// The number with a comma between thousands.
fn grouped(number: usize) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", number / 1000, number % 1000),
    }
}
