//! Part one of the tutorial: chapters whose listings lead from one small compiler to the next.
//!
//! Input: the crates `tutorial/steps/NN-SLUG/` and the chapters `tutorial/build/NN-SLUG.md`. For each step, tests
//! named `steps/NN-SLUG/…` say whether
//!
//! | test | claim |
//! |---|---|
//! | `listings` | the chapter's listings, applied to the step before, give this step byte for byte: see [`listings`] |
//! | `console` | its commands print what the page shows, with this step's compiler or the one before: see [`console`] |
//! | `form` | it has its title, pictures, quiz and link, and is short enough to read: see [`form`] |
//! | `examples` | the step's compiler runs an example as toyc does, or refuses it with a message: see [`examples`] |
//! | `exercises` | each exercise fails before its solution is applied and passes after: see [`exercises`] |
//!
//! `steps/sizes` says whether the front page tells the truth about how long each step is: see [`sizes`].
//!
//! Invariant: a reader who types a chapter has the program that the repository has. With TOYC_UPDATE=1, line numbers,
//! outputs of commands and the records of examples are rewritten.

mod build;
mod can_fail;
mod console;
mod examples;
mod exercises;
mod form;
mod listings;
mod missing;
mod sizes;

use crate::tools::{Outcome, fail, root, stem, trial};
use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Steps with greater numbers are the reader's choice: each of them starts from this one.
const LAST_IN_ORDER: usize = 12;

/// Where part one is; the tests of the tests have one of their own.
#[derive(Clone)]
struct Part {
    /// The folder of `steps` and `build`.
    folder: PathBuf,
}

/// One step: a crate and its chapter.
#[derive(Clone)]
struct Step {
    number: usize,
    /// `04-a-dialect`: the name of the crate's folder and of the chapter's file.
    slug: String,
    part: Part,
    /// Held while the chapter is read and perhaps rewritten.
    page: Arc<Mutex<()>>,
}

impl Part {
    fn new() -> Self {
        Self { folder: root().join("tutorial") }
    }

    /// The steps there are, in order.
    fn steps(&self) -> Vec<Step> {
        let entries = std::fs::read_dir(self.folder.join("steps")).into_iter().flatten().flatten();
        let folders = entries.map(|entry| entry.path()).filter(|path| path.is_dir());
        let mut steps: Vec<_> = folders
            .filter_map(|path| {
                let slug = path.file_name()?.to_str()?.to_owned();
                let number = slug.split_once('-')?.0.parse().ok()?;
                Some(Step { number, slug, part: self.clone(), page: Arc::default() })
            })
            .collect();
        steps.sort_by(|a, b| a.slug.cmp(&b.slug));
        steps
    }
}

impl Step {
    fn folder(&self) -> PathBuf {
        self.part.folder.join("steps").join(&self.slug)
    }

    fn chapter(&self) -> PathBuf {
        self.part.folder.join("build").join(format!("{}.md", self.slug))
    }

    /// The name of the package, and of its program.
    fn package(&self) -> String {
        format!("step{:02}", self.number)
    }

    /// The step that the chapter starts from; the first one starts from nothing.
    fn before(&self) -> Result<Option<Step>, Failed> {
        let number = (self.number - 1).min(LAST_IN_ORDER);
        if number == 0 {
            return Ok(None);
        }
        match self.part.steps().into_iter().find(|step| step.number == number) {
            Some(step) => Ok(Some(step)),
            None => {
                fail(format!("there is no step {number}, from which step {} starts", self.number))
            }
        }
    }
}

pub fn trials() -> Vec<Trial> {
    type Test = fn(&Step) -> Outcome;
    let tests: [(&str, Test); 5] = [
        ("listings", listings::check),
        ("form", form::check),
        ("examples", examples::check),
        ("console", console::check),
        ("exercises", exercises::check),
    ];
    let mut trials = can_fail::trials();
    trials.push(trial("steps/in_order", || in_order(&Part::new())));
    trials.push(trial("steps/sizes", || sizes::check(&Part::new())));
    trials.push(trial("steps/examples_stay", || examples::stay(&Part::new())));
    let steps = Part::new().steps();
    // Not step by step: two tests of one page would wait for each other.
    for (name, test) in tests {
        for step in &steps {
            let of = step.clone();
            trials.push(trial(format!("steps/{}/{name}", step.slug), move || test(&of)));
        }
    }
    trials
}

/// Steps are numbered from 1 without a gap, and every chapter is about one.
fn in_order(part: &Part) -> Outcome {
    let steps = part.steps();
    for (index, step) in steps.iter().enumerate() {
        if step.number != index + 1 {
            return fail(format!("`{}` should be step {}", step.slug, index + 1));
        }
    }
    let chapters = std::fs::read_dir(part.folder.join("build")).into_iter().flatten().flatten();
    for chapter in chapters.map(|entry| entry.path()) {
        let is_numbered = stem(&chapter).starts_with(|c: char| c.is_ascii_digit());
        if is_numbered && !steps.iter().any(|step| step.chapter() == chapter) {
            return fail(format!("{} is about no step", shown(&chapter)));
        }
    }
    Ok(())
}

/// A file by its path in the repository.
fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}
