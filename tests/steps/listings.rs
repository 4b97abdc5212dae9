//! The listings of a chapter, applied to the step before.
//!
//! Input: a chapter, the files of the step before, and the expected outputs that are kept for the step. Output: an error for a
//! listing that does not apply or is not announced, for a line number that is not the true one, and for an expected output
//! that belongs to no program or is the same as before. With TOYC_UPDATE=1, line numbers are rewritten.

use super::{before, page, shown};
use crate::tools::{Outcome, fail, is_update};
use tutorial::listings::{Files, apply};
use tutorial::steps::Step;

pub fn check(step: &Step) -> Outcome {
    let before = before(step)?;
    let _one = page(step);
    let page = std::fs::read_to_string(step.chapter())?;
    let applied =
        apply(&page, &before).map_err(|error| format!("{}:{error}", shown(&step.chapter())))?;
    if let Some(wrong) = needless(&step.outputs()?, &before, &applied.files) {
        return fail(format!("{}/{wrong}", shown(&step.folder())));
    }
    if applied.page == page {
        return Ok(());
    }
    if is_update() {
        return Ok(std::fs::write(step.chapter(), applied.page)?);
    }
    let lines = page.lines().zip(applied.page.lines()).enumerate();
    let wrong = lines.filter(|(_, (old, new))| old != new).map(|(index, (old, new))| {
        format!("{}:{}: `{old}`: now `{new}`\n", shown(&step.chapter()), index + 1)
    });
    fail(format!("{}(TOYC_UPDATE=1 corrects line numbers)", wrong.collect::<String>()))
}

/// An expected output that is the same as before, or belongs to no program.
pub fn needless(outputs: &Files, before: &Files, after: &Files) -> Option<String> {
    outputs.iter().find_map(|(path, text)| {
        let program = path.strip_suffix(".out").map(|name| format!("{name}.toy"));
        if before.get(path) == Some(text) {
            Some(format!("{path} is the same in the step before: remove it"))
        } else if !program.is_some_and(|program| after.contains_key(&program)) {
            Some(format!("{path} belongs to no program"))
        } else {
            None
        }
    })
}
