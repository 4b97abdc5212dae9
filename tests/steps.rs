//! Part one of the tutorial: chapters whose listings lead from one small compiler to the next.
//!
//! Input: the chapters `tutorial/build/NN-SLUG.md`, and their exercises and expected outputs in
//! `tutorial/steps/NN-SLUG/`. The crates are made by [`tutorial::steps`], as they are for readers. For each step, tests
//! named `steps/NN-SLUG/…` say whether
//!
//! | test | claim |
//! |---|---|
//! | `listings` | the chapter's listings apply to the step before, and say where: see [`listings`] |
//! | `programs` | the step's crate builds, and passes its own tests: see [`build`] |
//! | `console` | its commands print the page's output, with what has been typed up to there: see [`console`] and [`states`] |
//! | `rhythm` | something happens every [`rhythm::MAX_LINES`] typed lines: see [`rhythm`] |
//! | `form` | it has its title, pictures, quiz and link, and is short enough to read: see [`form`] |
//! | `examples` | the step's compiler runs an example as toyc does, or refuses it with a message: see [`examples`] |
//! | `exercises` | each exercise fails before its solution is applied and passes after: see [`exercises`] |
//!
//! `steps/lints` is about the format and the lints of all crates, `steps/command` and `steps/progress` about the
//! commands that write and check one, and `steps/sizes` about the lengths of the steps on the front page: see [`sizes`].
//! `console` and `exercises` run with TOYC_TEST_ALL=1: they build some ninety compilers more.
//!
//! Invariant: a reader who types a chapter has the program that is tested. With TOYC_UPDATE=1, line numbers, outputs of
//! commands and the records of examples are rewritten.

mod build;
mod can_fail;
mod command;
mod console;
mod examples;
mod exercises;
mod form;
mod listings;
mod rhythm;
mod sizes;
mod states;

use crate::tools::{Outcome, fail, find, long_trial, root, trial, trial_unless};
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use tutorial::listings::Files;
use tutorial::steps::{Step, all};

fn folder() -> PathBuf {
    root().join("tutorial")
}

/// The crates, made before any chapter is rewritten.
static CRATES: LazyLock<BTreeMap<String, Result<Files, String>>> = LazyLock::new(|| {
    let steps = all(&folder()).unwrap_or_default();
    steps.into_iter().map(|step| (step.slug.clone(), step.files())).collect()
});

/// The files of a step's crate.
fn files(step: &Step) -> Result<&'static Files, Failed> {
    match CRATES.get(&step.slug) {
        Some(files) => files.as_ref().map_err(|error| error.into()),
        None => fail(format!("there is no step {}", step.slug)),
    }
}

/// The files of the step that a step starts from.
fn before(step: &Step) -> Result<Files, Failed> {
    step.before()?.map_or(Ok(Files::new()), |before| files(&before).cloned())
}

/// A lock for a chapter that is read and perhaps rewritten.
fn page(step: &Step) -> MutexGuard<'static, ()> {
    static PAGES: [Mutex<()>; 16] = [const { Mutex::new(()) }; 16];
    PAGES[step.number % PAGES.len()].lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn trials() -> Vec<Trial> {
    type Test = fn(&Step) -> Outcome;
    let tests: [(&str, bool, Test); 7] = [
        ("listings", false, listings::check),
        ("form", false, form::check),
        ("rhythm", false, rhythm::check),
        ("programs", false, build::check),
        ("examples", false, examples::check),
        ("console", true, console::check),
        ("exercises", true, exercises::check),
    ];
    let mut trials = can_fail::trials();
    trials.push(trial("steps/in_order", || in_order(&folder())));
    trials.push(trial("steps/sizes", || sizes::check(&folder())));
    trials.push(trial("steps/examples_stay", || examples::stay(&folder())));
    trials.push(trial("steps/command", command::check));
    trials.push(trial("steps/progress", command::progress));
    let no_clippy = find("cargo-clippy").is_none().then_some("clippy");
    trials.push(trial_unless(no_clippy, "steps/lints", build::lints));
    let steps = all(&folder()).unwrap_or_default();
    // Not step by step: two tests of one page would wait for each other.
    for (name, is_long, test) in tests {
        for step in &steps {
            let of = step.clone();
            let name = format!("steps/{}/{name}", step.slug);
            // These build three or four more compilers for each step.
            trials.push(match is_long {
                true => long_trial(name, move || test(&of)),
                false => trial(name, move || test(&of)),
            });
        }
    }
    trials
}

/// Steps are numbered from 1 without a gap, and whatever belongs to a chapter has one.
fn in_order(tutorial: &Path) -> Outcome {
    let steps = all(tutorial)?;
    for (index, step) in steps.iter().enumerate() {
        if step.number != index + 1 {
            return fail(format!("`{}` should be step {}", step.slug, index + 1));
        }
    }
    let folders = std::fs::read_dir(tutorial.join("steps")).into_iter().flatten().flatten();
    for folder in folders.map(|entry| entry.path()).filter(|path| path.is_dir()) {
        if !steps.iter().any(|step| step.folder() == folder) {
            return fail(format!("{} belongs to no chapter", shown(&folder)));
        }
    }
    match steps.is_empty() {
        true => fail("the tutorial has no steps"),
        false => Ok(()),
    }
}

/// A file by its path in the repository.
fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}
