//! The length of each step, as the tutorial's front page says before a reader begins.
//!
//! Input: the crates, their chapters, and the table of steps in `tutorial/README.md`. Output: an error that shows the
//! first row which is not true. A row ends with the lines that the chapter has its reader type, the words to read, the
//! hours that both take at the stated pace, and the lines of Rust that the compiler has then. Above it, [`PROMISE`] says
//! after how many hours there is something to run. With TOYC_UPDATE=1 the numbers are rewritten.

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

/// The hours of the first step, and of all up to the executables.
const PROMISE: &str =
    "After [0-9.]+ hours your compiler runs programs; after [0-9.]+, it makes executables";
const EXECUTABLES: &str = "-executables";

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
    let hours = hours(words / WORDS + typed / LINES);
    let lines = form::lines_of_rust(files(step)?);
    Ok(format!(" {} | {} | {hours} | {} |", grouped(typed), grouped(words), grouped(lines)))
}

/// In half hours.
fn hours(minutes: usize) -> String {
    let halves = minutes.div_ceil(30);
    format!("{}{}", halves / 2, if halves % 2 == 1 { ".5" } else { "" })
}

/// The page with the true hours in its promise.
fn promise(page: &str, steps: &[Step]) -> Result<String, Failed> {
    let mut minutes = Vec::new();
    for step in steps {
        let chapter = std::fs::read_to_string(step.chapter())?;
        minutes.push(form::words(&prose(&chapter)) / WORDS + typed(&chapter)? / LINES);
    }
    let promise = Regex::new(PROMISE).expect("a regular expression");
    let last = steps.iter().position(|step| step.slug.ends_with(EXECUTABLES));
    let (Some(last), true) = (last, promise.is_match(page)) else {
        return fail("the tutorial's README does not say when there are executables");
    };
    // To the hour: it is a sum of many.
    let (first, all) = (hours(minutes[0]), minutes[..=last].iter().sum::<usize>().div_ceil(60));
    let actual = format!(
        "After {first} hours your compiler runs programs; after {all}, it makes executables"
    );
    Ok(promise.replace(page, actual.as_str()).into_owned())
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
