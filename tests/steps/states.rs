//! The crate in the middle of a chapter: as its reader has typed it up to a block `console`.
//!
//! Input: a chapter with its listings and commands. Output: for each block `console`, the files of that moment, and the
//! compiler. Invariants: every file below `src` is compiled, without a warning; the programs of a chapter are removed
//! after use, because each of them holds all of LLVM; a state that differs from the finished crate in programs alone
//! is not built.

use super::build::{self, Built};
use super::{files, shown};
use crate::tools::{fail, scratch};
use libtest_mimic::Failed;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tutorial::listings::{Applied, Event, Files};
use tutorial::rhythm;
use tutorial::steps::Step;

/// The states of a chapter. Their programs are removed when they are dropped.
pub struct States {
    folder: PathBuf,
    /// The keys are the lines of the blocks.
    pub states: BTreeMap<usize, State>,
}

/// The reader's folder at a block.
#[derive(Clone)]
pub struct State {
    pub files: Files,
    pub compiler: PathBuf,
    pub crate_folder: PathBuf,
}

impl States {
    /// Builds the states of a chapter.
    pub fn new(step: &Step, chapter: &Applied) -> Result<Self, Failed> {
        let folder = scratch(&format!("steps/{}/states", step.slug));
        let mut made = Self { folder, states: BTreeMap::new() };
        let finished = State {
            files: files(step)?.clone(),
            compiler: build::compiler(step)?,
            crate_folder: build::crate_of(step)?,
        };
        let mut known = vec![finished];
        for event in &chapter.events {
            let Event::Runs { line, files, .. } = event else { continue };
            let files = with_outputs(files, &known[0].files);
            let state = match known.iter().find(|known| code(&known.files) == code(&files)) {
                Some(known) => State { files, ..known.clone() },
                None => {
                    let folder = made.folder.join(line.to_string());
                    let state = built(files, &folder).map_err(|error| {
                        let error = error.message().unwrap_or_default();
                        Failed::from(format!("{}:{line}: {error}", shown(&step.chapter())))
                    })?;
                    known.push(state.clone());
                    state
                }
            };
            made.states.insert(*line, state);
        }
        Ok(made)
    }
}

/// The crate of a block, built.
fn built(files: Files, folder: &Path) -> Result<State, Failed> {
    if let Some(unused) = rhythm::unused(&files)?.first() {
        return fail(format!("no `mod` leads to {unused}"));
    }
    let crate_folder = folder.join("crate");
    build::write_crate(&files, &crate_folder)?;
    let compiler = Built::new(&crate_folder, folder, &[])?.compiler;
    Ok(State { files, compiler, crate_folder })
}

impl Drop for States {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
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
