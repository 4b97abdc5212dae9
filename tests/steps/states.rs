//! The crate in the middle of a chapter: as its reader has typed it up to a block `console`.
//!
//! Input: a chapter with its listings and commands. Output: for each block `console`, the files of that moment, and the
//! compiler. Invariants: every file below `src` is compiled, without a warning; a state whose compiler does not run is
//! only checked, because a program holds all of LLVM; the states of a chapter are built by one cargo, and their programs
//! are removed after use; one that differs from the finished crate in programs alone is not built.

use super::build::{self, WITH_ALL_FEATURES};
use super::{files, package, shown};
use crate::tools::{Outcome, fail};
use libtest_mimic::Failed;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tutorial::listings::{Applied, Event, Files};
use tutorial::rhythm;
use tutorial::steps::Step;

/// The states of a chapter. Their programs are removed when it is dropped.
pub struct States {
    /// The keys are the lines of the blocks.
    pub states: BTreeMap<usize, State>,
    crates: Vec<Crate>,
}

/// The reader's folder at a block.
pub struct State {
    pub files: Files,
    pub compiler: PathBuf,
    pub crate_folder: PathBuf,
}

/// A crate between two finished ones.
struct Crate {
    package: String,
    folder: PathBuf,
    files: Files,
    /// The line of the first block.
    line: usize,
    is_run: bool,
}

impl States {
    /// Builds the states of a chapter.
    pub fn new(step: &Step, chapter: &Applied) -> Result<Self, Failed> {
        let (finished, finished_folder) = (files(step)?, build::crate_of(step)?);
        let workspace =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("steps/states").join(&step.slug);
        let mut made = Self { states: BTreeMap::new(), crates: Vec::new() };
        for event in &chapter.events {
            let Event::Runs { line, commands, files } = event else { continue };
            let files = with_outputs(files, finished);
            let (name, crate_folder) = if code(&files) == code(finished) {
                (package(step), finished_folder.clone())
            } else {
                let known = made.crates.iter_mut().find(|known| code(&known.files) == code(&files));
                let is_run = commands.contains("cargo run") || commands.contains("cargo test");
                if let Some(known) = known {
                    known.is_run |= is_run;
                    (known.package.clone(), known.folder.clone())
                } else {
                    let package = format!("{}_{}", package(step), made.crates.len() + 1);
                    let folder = workspace.join(&package);
                    let (line, files) = (*line, files.clone());
                    let (name, place) = (package.clone(), folder.clone());
                    made.crates.push(Crate { package, folder, files, line, is_run });
                    (name, place)
                }
            };
            let compiler = build::folder().join(name);
            made.states.insert(*line, State { files, compiler, crate_folder });
        }
        made.build(&workspace).map_err(|error| {
            let error = error.message().unwrap_or_default();
            Failed::from(format!("{}: {error}", shown(&step.chapter())))
        })?;
        Ok(made)
    }

    fn build(&self, workspace: &Path) -> Outcome {
        let mut members = Vec::new();
        for state in &self.crates {
            if let Some(unused) = rhythm::unused(&state.files)?.first() {
                return fail(format!("line {}: no `mod` leads to {unused}", state.line));
            }
            build::write_crate(&state.package, &state.files, &state.folder)?;
            members.push(state.package.as_str());
        }
        build::write_workspace(workspace, &members)?;
        for (is_run, command) in [(false, "check"), (true, "build")] {
            let states = self.crates.iter().filter(|state| state.is_run == is_run);
            // Named one by one: the package that is there for its features has programs, too.
            let packages: Vec<_> = states
                .flat_map(|state| ["-p", state.package.as_str(), "--bin", state.package.as_str()])
                .collect();
            if packages.is_empty() {
                continue;
            }
            let arguments = [command, "-q", "--keep-going", "-p", WITH_ALL_FEATURES];
            let run = build::cargo(&[&arguments, packages.as_slice()].concat(), workspace, true)?;
            if run.status != Some(0) {
                let lines = self.crates.iter().map(|state| {
                    format!("{} is what has been typed up to line {}\n", state.package, state.line)
                });
                return fail(run.stderr + &lines.collect::<String>());
            }
        }
        Ok(())
    }
}

impl Drop for States {
    fn drop(&mut self) {
        for state in self.crates.iter().filter(|state| state.is_run) {
            let _ = build::remove(&state.package);
        }
    }
}

/// With what programs print, which readers save: those that no later listing changes.
fn with_outputs(files: &Files, finished: &Files) -> Files {
    let mut all = files.clone();
    for (path, text) in finished.iter().filter(|(path, _)| path.ends_with(".out")) {
        let program = path.replace(".out", ".toy");
        if files.contains_key(&program) && files.get(&program) == finished.get(&program) {
            all.insert(path.clone(), text.clone());
        }
    }
    all
}

/// The files that a build reads.
fn code(files: &Files) -> Vec<(&String, &String)> {
    files.iter().filter(|(path, _)| !path.starts_with("programs/")).collect()
}
