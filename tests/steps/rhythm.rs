//! The rhythm of each chapter: something happens every [`MAX_LINES`] typed lines.
//!
//! Input: the chapters. Output: an error for the longest stretch between two states that compile, or between two results,
//! if it is longer than that, for more than [`MAX_AGAIN`] percent of lines that are typed again, and for a step that takes
//! more than [`MAX_MINUTES`] minutes; each with its place.
//! Invariants: a state is a block `console`, whose crate [`states`](super::states) builds; a chapter begins with what was
//! typed since the last result of the step before.

use super::{before, shown, sizes};
use crate::tools::{Outcome, fail};
use libtest_mimic::Failed;
use tutorial::listings::apply;
use tutorial::rhythm::{Rhythm, Stretch};
use tutorial::steps::Step;

pub const MAX_LINES: usize = 120;
const MAX_AGAIN: usize = 10;
const MAX_MINUTES: usize = 90;

pub fn check(step: &Step) -> Outcome {
    let rhythm = of(step)?;
    let chapter = shown(&step.chapter());
    let minutes = sizes::minutes(&step.page()?)?;
    let too_long = (minutes > MAX_MINUTES)
        .then(|| format!("1: the step takes {minutes} minutes; {MAX_MINUTES} are the most"));
    let wrong = wrong(&rhythm).into_iter().chain(too_long);
    let wrong: Vec<_> = wrong.map(|wrong| format!("{chapter}:{wrong}\n")).collect();
    if wrong.is_empty() { Ok(()) } else { fail(wrong.concat()) }
}

/// The measure of a chapter, after the steps before it.
fn of(step: &Step) -> Result<Rhythm, Failed> {
    let pending =
        step.before()?.map_or(Ok(0), |before| of(&before).map(|rhythm| rhythm.pending()))?;
    let page = std::fs::read_to_string(step.chapter())?;
    Ok(Rhythm::of(&apply(&page, &before(step)?)?, pending))
}

/// The stretches that are too long, each with the line where it ends.
pub fn wrong(rhythm: &Rhythm) -> Vec<String> {
    let too_long = |stretches: &[Stretch], what: &str| {
        let long = stretches.iter().filter(|stretch| stretch.lines > MAX_LINES);
        let shown = long.map(|Stretch { lines, begin, end }| {
            format!(
                "{end}: {lines} lines are typed since line {begin} {what}; {MAX_LINES} are the most"
            )
        });
        shown.collect::<Vec<_>>()
    };
    let mut wrong = too_long(&rhythm.compiles, "without a crate that compiles");
    wrong.extend(too_long(&rhythm.results, "without anything to see"));
    if rhythm.again * 100 > rhythm.typed * MAX_AGAIN {
        wrong.push(format!(
            "1: {} of {} lines are typed again; {MAX_AGAIN} % are the most",
            rhythm.again, rhythm.typed
        ));
    }
    wrong
}
