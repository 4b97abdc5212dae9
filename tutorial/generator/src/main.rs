//! Writes the finished crate of a step: `cargo run -p tutorial -- step NUMBER [--into FOLDER]`. `check NUMBER [--in FOLDER]`
//! says how far the crate in FOLDER is, by default the current one; its exit status is 1 unless everything passes. For
//! writers of chapters, `rhythm` prints how much is typed before something happens.
//!
//! Input: the tutorial in the repository that this program is part of. Output: the files that the reader of the step's
//! chapter has, in FOLDER, by default `target/steps/NN-SLUG`, with the files that chapter 1 copies from the repository.
//! Invariant: a file with other contents is not overwritten; then nothing is written, and the exit status is 1.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tutorial::check::check;
use tutorial::rhythm::{Rhythm, Stretch};
use tutorial::steps::{self, Step};
use tutorial::{Result, listings};

const USAGE: &str = "usage: tutorial step NUMBER [--into FOLDER]
       tutorial check NUMBER [--in FOLDER]
       tutorial rhythm [NUMBER]";

/// The version of Rust, and where LLVM is.
const COPIED: [&str; 3] =
    ["rust-toolchain.toml", ".cargo/config.toml", "tools/llvm-22/bin/llvm-config"];

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().unwrap_or(root);
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let result = match arguments.as_slice() {
        ["--help"] => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        ["check", number] => return checked(&root, number, "."),
        ["check", number, "--in", folder] | ["check", "--in", folder, number] => {
            return checked(&root, number, folder);
        }
        ["rhythm"] => rhythm(&root.join("tutorial"), None),
        ["rhythm", number] => rhythm(&root.join("tutorial"), Some(number)),
        ["step", number] => written(&root, number, None),
        ["step", number, "--into", folder] | ["step", "--into", folder, number] => {
            written(&root, number, Some(folder))
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::FAILURE;
        }
    };
    match result {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints how far a reader's crate is.
fn checked(root: &Path, number: &str, folder: &str) -> ExitCode {
    let report = steps::all(&root.join("tutorial"))
        .and_then(|steps| check(&named(number, steps)?, Path::new(folder)));
    match report {
        Ok(report) => {
            print!("{}", report.text);
            if report.passes { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes the crate of a step, and returns its folder.
fn written(root: &Path, number: &str, folder: Option<&str>) -> Result<String> {
    let step = named(number, steps::all(&root.join("tutorial"))?)?;
    let folder = folder.map_or_else(|| root.join("target/steps").join(&step.slug), PathBuf::from);
    let mut files = step.files()?;
    for path in COPIED {
        let text = fs::read_to_string(root.join(path));
        files.insert(path.to_owned(), text.map_err(|error| format!("{path}: {error}"))?);
    }
    let is_other = |(path, text): &(&String, &String)| {
        fs::read(folder.join(path)).is_ok_and(|found| found != text.as_bytes())
    };
    let others: Vec<_> = files.iter().filter(is_other).map(|(path, _)| path.as_str()).collect();
    if !others.is_empty() {
        return Err(format!(
            "nothing is written, because files in {} are not those of step {number}: {}\n\
             (remove them, or choose another folder with --into)",
            folder.display(),
            others.join(", ")
        ));
    }
    for (path, text) in &files {
        write(&folder.join(path), text).map_err(|error| format!("{path}: {error}"))?;
    }
    for path in COPIED {
        // With its permissions: llvm-config is a program.
        let copied = fs::copy(root.join(path), folder.join(path));
        copied.map_err(|error| format!("{path}: {error}"))?;
    }
    Ok(folder.display().to_string())
}

/// A table of the longest stretches of each chapter, or all stretches of one.
fn rhythm(tutorial: &Path, of: Option<&str>) -> Result<String> {
    let mut table =
        "| chapter | typed | again | until it compiles | until there is something to see |\n\
         |---|--:|--:|--:|--:|"
            .to_owned();
    let mut pending = 0;
    for step in steps::all(tutorial)? {
        let page = step.page()?;
        let rhythm = Rhythm::of(&listings::apply(&page, &step.files_before()?)?, pending);
        pending = rhythm.pending();
        if of.is_some_and(|number| number.parse() == Ok(step.number)) {
            return Ok(format!("{rhythm:#?}"));
        }
        let longest = |stretches: &[Stretch]| {
            let longest = stretches.iter().max().copied().unwrap_or_default();
            format!("{} (lines {} to {})", longest.lines, longest.begin, longest.end)
        };
        let percent = rhythm.again * 100 / rhythm.typed.max(1);
        let (compiles, results) = (longest(&rhythm.compiles), longest(&rhythm.results));
        let row =
            format!("{} | {} | {percent} % | {compiles} | {results}", step.slug, rhythm.typed);
        table += &format!("\n| {row} |");
    }
    Ok(table)
}

/// Writes a file, and makes the folder that it is in.
fn write(file: &Path, text: &str) -> std::io::Result<()> {
    fs::create_dir_all(file.parent().unwrap_or(file))?;
    fs::write(file, text)
}

/// The step with a number.
fn named(number: &str, steps: Vec<Step>) -> Result<Step> {
    if let Some(step) = steps.iter().find(|step| number.parse() == Ok(step.number)) {
        return Ok(step.clone());
    }
    let list: String = steps.iter().map(|step| format!("\n  {}", step.slug)).collect();
    Err(format!("there is no step {number}; the steps are{list}"))
}
