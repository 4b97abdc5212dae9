//! The crate in the middle of a chapter: as its reader has typed it up to a block `console`.
//!
//! Input: a chapter with its listings and commands. Output: for each block `console`, the files of that moment, and the
//! compiler. Invariants: every file below `src` is compiled, without a warning; a state whose compiler does not run is
//! only checked; those that run are libraries of one program, because each program would hold all of LLVM, and linking it
//! takes as long as compiling the state; the program is removed after use; a state that differs from the finished crate
//! in programs alone is not built.

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
    is_run: bool,
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
            let Event::Runs { line, commands, files } = event else { continue };
            let files = with_outputs(files, finished);
            let mut compiler = build::folder().join(&made.program);
            let (name, crate_folder) = if code(&files) == code(finished) {
                compiler.set_file_name(package(step));
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
            made.states.insert(*line, State { files, compiler, name, crate_folder });
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
            let files = if state.is_run { as_library(&state.files) } else { state.files.clone() };
            build::write_crate(&state.package, &files, &state.folder)?;
            members.push(state.package.as_str());
        }
        build::write_crate(&self.program, &self.files(), &workspace.join(&self.program))?;
        members.push(self.program.as_str());
        build::write_workspace(workspace, &members)?;
        let (run, checked): (Vec<_>, Vec<_>) = self.crates.iter().partition(|state| state.is_run);
        let program = (!run.is_empty()).then_some(self.program.as_str());
        let checked = checked.iter().map(|state| state.package.as_str()).collect();
        for (command, programs) in [("check", checked), ("build", Vec::from_iter(program))] {
            // Named one by one: the package that is there for its features has programs, too.
            let packages: Vec<_> =
                programs.iter().flat_map(|program| ["-p", program, "--bin", program]).collect();
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

    /// The program that runs one of the states.
    fn files(&self) -> Files {
        let mut manifest = format!(
            "[package]\nname = \"{}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n",
            self.program
        );
        let mut arms = String::new();
        for Crate { package, .. } in self.crates.iter().filter(|state| state.is_run) {
            manifest += &format!("{package} = {{ path = \"../{package}\" }}\n");
            arms += &format!("        \"{package}\" => {package}::main(),\n");
        }
        let main = format!(
            "fn main() -> std::process::ExitCode {{\n    match std::env::var(\"{STATE}\").as_deref().unwrap_or_default() {{\n\
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
            *text = text.replace(program, library);
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
