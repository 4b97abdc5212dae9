//! The commands of a chapter, executed as the reader executes them.
//!
//! Input: the blocks `console`, run in a folder with what the reader has typed up to there ([`States`]), and
//! `console previous`, there as well, with the finished crate and the compiler of the step before. Output: the page with the true
//! outputs. The reader's `cargo run` builds and runs the crate; here it runs the compiler that is built already, and
//! `cargo test` the tests that are.
//! Other blocks: a quotation `LANGUAGE PATH` is of a file of the crate; listings are tested elsewhere; `text`, `sh`, `toy`
//! and `rust` are drawings, commands that take minutes and examples of style.

use super::build::{self, COMPILER};
use super::states::{State, States};
use super::{before, files, page, shown};
use crate::pages::{self, console, links, listing};
use crate::tools::{Outcome, fail, scratch};
use libtest_mimic::Failed;
use std::path::{Path, PathBuf};
use tutorial::listings::{CONSOLE, Files, Listing, apply};
use tutorial::markdown::rewritten;
use tutorial::steps::Step;

pub fn check(step: &Step) -> Outcome {
    let _one = page(step);
    let chapter = step.chapter();
    let page = std::fs::read_to_string(&chapter)
        .map_err(|error| format!("{}: {error}", shown(&chapter)))?;
    links::check(&chapter, &page)?;
    let applied = apply(&page, &before(step)?)?;
    let states = States::new(step, &applied)?;
    let mut place = Place::new(step)?;
    let actual = rewritten::<Failed>(&page, |block| {
        if Listing::of(block).is_some() {
            return Ok(block.text.to_owned());
        }
        let result = match block.info.split(' ').collect::<Vec<_>>().as_slice() {
            [CONSOLE] => {
                place.enter(step, &states.states[&block.line])?;
                place.executed(block.text)
            }
            [CONSOLE, "previous"] => {
                let (before, state) = previous(step)?;
                place.enter(&before, &state)?;
                place.executed(block.text)
            }
            ["text" | "sh" | "rust" | "toy"] => Ok(block.text.to_owned()),
            [_, path] => {
                listing::actual(block.text, path, &build::crate_of(step)?).map(|found| found.text)
            }
            _ => fail(format!("what is a block `{}`?", block.info)),
        };
        result.map_err(|error| {
            let error = error.message().unwrap_or_default();
            format!("{}:{}: {error}", shown(&chapter), block.line).into()
        })
    })?;
    pages::compare(&chapter, &page, &actual)
}

/// The finished crate, with the compiler of the step before.
fn previous(step: &Step) -> Result<(Step, State), Failed> {
    let Some(before) = step.before()? else {
        return fail("there is no step before the first");
    };
    let state = State {
        files: files(step)?.clone(),
        compiler: build::compiler(&before)?,
        crate_folder: build::crate_of(&before)?,
    };
    Ok((before, state))
}

/// The reader's folder, and a `cargo` that runs a compiler.
struct Place {
    folder: PathBuf,
    bin: PathBuf,
    files: Files,
}

impl Place {
    fn new(step: &Step) -> Result<Self, Failed> {
        let scratch = scratch(&format!("steps/{}/console", step.slug));
        let (folder, bin) = (scratch.join("toy"), scratch.join("bin"));
        // Where cargo builds, and where chapters put what they only try.
        std::fs::create_dir_all(folder.join("target"))?;
        std::fs::create_dir_all(&bin)?;
        Ok(Self { folder, bin, files: Files::new() })
    }

    /// Makes the folder a state; files that commands have made stay.
    fn enter(&mut self, step: &Step, state: &State) -> Outcome {
        for path in self.files.keys().filter(|path| !state.files.contains_key(*path)) {
            std::fs::remove_file(self.folder.join(path))?;
        }
        for (path, text) in
            state.files.iter().filter(|(path, text)| self.files.get(*path) != Some(*text))
        {
            build::write(&self.folder.join(path), text)?;
        }
        self.files.clone_from(&state.files);
        let script = cargo(state, &build::built(step)?.tests);
        console::write_script(&self.bin.join("cargo"), &script)
    }

    fn executed(&self, commands: &str) -> Result<String, Failed> {
        let path = console::path_with(std::slice::from_ref(&self.bin))?;
        console::executed_with(commands, &self.folder, &[("PATH", &path)])
    }
}

/// `cargo run` and `cargo test` without building.
fn cargo(state: &State, tests: &Path) -> String {
    format!(
        r#"#!/bin/bash
case "$1" in
run)
    while [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done
    shift
    exec {compiler} "$@" ;;
test)
    shift
    cd {crate_folder} && export {COMPILER}={compiler} && exec {tests} "$@" ;;
check | build) ;;
*)
    echo "a chapter does not run cargo $1" >&2
    exit 101 ;;
esac
"#,
        compiler = state.compiler.display(),
        tests = tests.display(),
        crate_folder = state.crate_folder.display(),
    )
}
