//! The commands of a chapter, executed as the reader executes them.
//!
//! Input: the blocks `console`, run with the step's compiler, and `console previous`, with the one before; both in a
//! copy of the crate. Output: the page with the true outputs. The reader's `cargo run` builds and runs the crate that
//! the reader has typed; here it runs the compiler that is built already, and `cargo test` the tests that are.
//! Other blocks: a quotation `LANGUAGE PATH` is of a file of the crate; listings are tested elsewhere; `text`, `sh`
//! and `rust` are drawings, commands that take minutes and examples of style.

use super::build::{self, Built};
use super::{files, package, page, shown};
use crate::pages::{self, console, links, listing};
use crate::tools::{Outcome, fail, scratch};
use libtest_mimic::Failed;
use std::path::{Path, PathBuf};
use tutorial::listings::Listing;
use tutorial::markdown::rewritten;
use tutorial::steps::Step;

pub fn check(step: &Step) -> Outcome {
    let _one = page(step);
    let chapter = step.chapter();
    let page = std::fs::read_to_string(&chapter)
        .map_err(|error| format!("{}: {error}", shown(&chapter)))?;
    links::check(&chapter, &page)?;
    let mut places = Places { step, own: None, previous: None };
    let actual = rewritten::<Failed>(&page, |block| {
        if Listing::of(block).is_some() {
            return Ok(block.text.to_owned());
        }
        let result = match block.info.split(' ').collect::<Vec<_>>().as_slice() {
            ["console"] => places.own().and_then(|place| place.executed(block.text)),
            ["console", "previous"] => {
                places.previous().and_then(|place| place.executed(block.text))
            }
            ["text" | "sh" | "rust"] => Ok(block.text.to_owned()),
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

/// The folders in which a chapter's commands run, made when they are needed.
struct Places<'s> {
    step: &'s Step,
    own: Option<Place>,
    previous: Option<Place>,
}

impl Places<'_> {
    fn own(&mut self) -> Result<&Place, Failed> {
        if self.own.is_none() {
            self.own = Some(Place::new(self.step, self.step, "console")?);
        }
        Ok(self.own.as_ref().expect("just made"))
    }

    fn previous(&mut self) -> Result<&Place, Failed> {
        let Some(before) = self.step.before()? else {
            return fail("there is no step before the first");
        };
        if self.previous.is_none() {
            self.previous = Some(Place::new(self.step, &before, "previous")?);
        }
        Ok(self.previous.as_ref().expect("just made"))
    }
}

/// A copy of the crate, and a `cargo` that runs a compiler.
struct Place {
    folder: PathBuf,
    bin: PathBuf,
}

impl Place {
    fn new(step: &Step, compiler: &Step, name: &str) -> Result<Self, Failed> {
        let scratch = scratch(&format!("steps/{}/{name}", step.slug));
        let place = Self { folder: scratch.join("toy"), bin: scratch.join("bin") };
        for (path, text) in files(step)? {
            build::write(&place.folder.join(path), text)?;
        }
        // Where cargo builds, and where chapters put what they only try.
        std::fs::create_dir_all(place.folder.join("target"))?;
        std::fs::create_dir_all(&place.bin)?;
        let script =
            cargo(&build::built(compiler)?, &package(compiler), &build::crate_of(compiler)?);
        console::write_script(&place.bin.join("cargo"), &script)?;
        Ok(place)
    }

    fn executed(&self, commands: &str) -> Result<String, Failed> {
        let path = console::path_with(std::slice::from_ref(&self.bin))?;
        console::executed_with(commands, &self.folder, &[("PATH", &path)])
    }
}

/// `cargo run` and `cargo test` without building.
fn cargo(built: &Built, package: &str, crate_folder: &Path) -> String {
    format!(
        r#"#!/bin/bash
case "$1" in
run)
    while [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done
    shift
    exec {compiler} "$@" ;;
test)
    shift
    cd {crate_folder} && export CARGO_BIN_EXE_{package}={compiler} && exec {tests} "$@" ;;
*)
    echo "a chapter does not run cargo $1" >&2
    exit 101 ;;
esac
"#,
        compiler = built.compiler.display(),
        tests = built.tests.display(),
        crate_folder = crate_folder.display(),
    )
}
