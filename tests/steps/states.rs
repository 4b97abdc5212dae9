//! The crate in the middle of a chapter: as its reader has typed it up to a block `console`.
//!
//! Input: a chapter with its listings and commands. Output: for each block `console`, the files of that moment, and the
//! compiler. Invariants: every file below `src` is compiled, without a warning; the states of a
//! chapter are libraries of one program, because each program would hold all of LLVM, and linking it takes as long as
//! compiling the state; the program is removed after use; a state that differs from the finished crate in programs alone
//! is not built.

use super::build::{self, WITH_ALL_FEATURES};
use super::{files, package, shown};
use crate::tools::{Outcome, fail};
use libtest_mimic::Failed;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tutorial::listings::{Applied, Event, Files};
use tutorial::rhythm;
use tutorial::steps::Step;

/// Says which of its states a program runs.
pub const STATE: &str = "TOY_STATE";

/// The states of a chapter. Their program is removed when it is dropped.
pub struct States {
    /// The package of the program that has all states.
    program: String,
    /// The keys are the lines of the blocks.
    pub states: BTreeMap<usize, State>,
    crates: Vec<Crate>,
}

/// The reader's folder at a block.
pub struct State {
    pub files: Files,
    pub compiler: PathBuf,
    /// The value of [`STATE`] for it.
    pub name: String,
    pub crate_folder: PathBuf,
}

/// A crate between two finished ones.
struct Crate {
    package: String,
    folder: PathBuf,
    files: Files,
    /// The line of the first block.
    line: usize,
}

impl States {
    /// Builds the states of a chapter.
    pub fn new(step: &Step, chapter: &Applied) -> Result<Self, Failed> {
        let (finished, finished_folder) = (files(step)?, build::crate_of(step)?);
        let workspace =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("steps/states").join(&step.slug);
        let program = format!("{}_states", package(step));
        let mut made = Self { program, states: BTreeMap::new(), crates: Vec::new() };
        for event in &chapter.events {
            let Event::Runs { line, files, .. } = event else { continue };
            let files = with_outputs(files, finished);
            let mut compiler = build::folder().join(&made.program);
            let (name, crate_folder) = if code(&files) == code(finished) {
                compiler.set_file_name(package(step));
                (package(step), finished_folder.clone())
            } else {
                let known = made.crates.iter().find(|known| code(&known.files) == code(&files));
                if let Some(known) = known {
                    (known.package.clone(), known.folder.clone())
                } else {
                    let package = format!("{}_{}", package(step), made.crates.len() + 1);
                    let folder = workspace.join(&package);
                    let (line, files) = (*line, files.clone());
                    let (name, place) = (package.clone(), folder.clone());
                    made.crates.push(Crate { package, folder, files, line });
                    (name, place)
                }
            };
            made.states.insert(*line, State { files, compiler, name, crate_folder });
        }
        made.build(&workspace).map_err(|error| {
            let error = error.message().unwrap_or_default();
            Failed::from(format!("{}: {error}", shown(&step.chapter())))
        })?;
        Ok(made)
    }

    fn build(&self, workspace: &Path) -> Outcome {
        if self.crates.is_empty() {
            return Ok(());
        }
        let mut members = vec![self.program.as_str()];
        for state in &self.crates {
            if let Some(unused) = rhythm::unused(&state.files)?.first() {
                return fail(format!("line {}: no `mod` leads to {unused}", state.line));
            }
            build::write_crate(&state.package, &as_library(&state.files), &state.folder)?;
            members.push(state.package.as_str());
        }
        build::write_crate(&self.program, &self.files(), &workspace.join(&self.program))?;
        build::write_workspace(workspace, &members)?;
        // The program is named: the package that is there for its features has some, too.
        let program = ["-p", &self.program, "--bin", &self.program];
        let arguments = ["build", "-q", "--keep-going", "-p", WITH_ALL_FEATURES];
        let run = build::cargo(&[arguments.as_slice(), &program].concat(), workspace, true)?;
        if run.status == Some(0) {
            return Ok(());
        }
        let lines = self.crates.iter().map(|state| {
            format!("{} is what has been typed up to line {}\n", state.package, state.line)
        });
        fail(run.stderr + &lines.collect::<String>())
    }

    /// The program that runs one of the states.
    fn files(&self) -> Files {
        let mut manifest = format!(
            "[package]\nname = \"{}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n",
            self.program
        );
        let mut arms = String::new();
        for Crate { package, .. } in &self.crates {
            manifest += &format!("{package} = {{ path = \"../{package}\" }}\n");
            arms += &format!("        \"{package}\" => {package}::main().report(),\n");
        }
        let main = format!(
            "#![allow(clippy::unit_arg, reason = \"an early `main` returns nothing\")]\n\n\
             use std::process::Termination;\n\n\
             fn main() -> std::process::ExitCode {{\n    match std::env::var(\"{STATE}\").as_deref().unwrap_or_default() {{\n\
             {arms}        state => panic!(\"there is no state `{{state}}`\"),\n    }}\n}}\n"
        );
        [("Cargo.toml", manifest), ("src/main.rs", main)]
            .map(|(path, text)| (path.to_owned(), text))
            .into()
    }
}

/// The crate of a program, as a library whose `main` can be called.
fn as_library(files: &Files) -> Files {
    let mut files = files.clone();
    for (path, program, library) in [
        ("Cargo.toml", "\n[[bin]]\n", "\n[lib]\n"),
        ("src/main.rs", "\nfn main()", "\npub fn main()"),
    ] {
        if let Some(text) = files.get_mut(path) {
            *text = format!("\n{text}").replace(program, library).split_off(1);
        }
    }
    files
}

impl Drop for States {
    fn drop(&mut self) {
        let _ = build::remove(&self.program);
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
