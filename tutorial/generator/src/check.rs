//! How far a reader's crate is.
//!
//! Input: a step, and the folder of a crate. Output: the programs of the step, and the exercises if their tests are in
//! the crate, each passed or failed, and where to look next: the first listing of the chapter that the crate does not
//! have, or the section that a failed program or exercise belongs to. Invariant: nothing in the crate is changed but in
//! its `target`, where it is built.

use crate::listings::{Files, Listing};
use crate::markdown::blocks;
use crate::steps::Step;
use crate::{Result, fail};
use regex_lite::Regex;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The text to print, and whether everything passes.
pub struct Report {
    pub text: String,
    pub passes: bool,
}

/// A program or an exercise that fails, and the heading of its section.
struct Failure {
    what: String,
    place: Option<String>,
}

pub fn check(step: &Step, folder: &Path) -> Result<Report> {
    if !folder.join("Cargo.toml").is_file() {
        return fail(format!("{} has no Cargo.toml: --in names your crate", folder.display()));
    }
    let mut text = String::new();
    let mut failures = Vec::new();
    match compiler(folder)? {
        Some(compiler) => {
            failures.extend(programs(step, folder, &compiler, &mut text)?);
            failures.extend(exercises(step, folder, &mut text)?);
        }
        None => {
            failures.push(Failure { what: "the crate does not compile".to_owned(), place: None })
        }
    }
    let Some(first) = failures.first() else {
        text += &format!("everything of step {} passes\n", step.number);
        return Ok(Report { text, passes: true });
    };
    let next = missing(step, folder)?.or(first.place.clone());
    let next = next.unwrap_or_else(|| format!("all listings of {} are there", shown(step)));
    text += &format!("{}\nlook at {next}\n", first.what);
    Ok(Report { text, passes: false })
}

/// Builds the crate; its errors go to standard error.
fn compiler(folder: &Path) -> Result<Option<PathBuf>> {
    let build = ["build", "-q", "--bins", "--message-format=json-render-diagnostics"];
    let mut cargo = cargo(folder, &build);
    let output = cargo.stderr(Stdio::inherit()).output().map_err(|error| error.to_string())?;
    let executable = Regex::new(r#""executable":"([^"]+)""#).map_err(|error| error.to_string())?;
    let messages = String::from_utf8_lossy(&output.stdout).into_owned();
    let program = executable.captures(&messages).map(|found| PathBuf::from(&found[1]));
    Ok(program.filter(|_| output.status.success()))
}

fn cargo(folder: &Path, arguments: &[&str]) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.args(arguments).current_dir(folder);
    cargo
}

/// Runs the step's programs with the reader's compiler, in a folder of their own.
fn programs(
    step: &Step,
    folder: &Path,
    compiler: &Path,
    text: &mut String,
) -> Result<Vec<Failure>> {
    let files = step.files()?;
    let place = folder.join("target/check");
    let mut failures = Vec::new();
    for (path, source) in files.iter().filter(|(path, _)| path.ends_with(".toy")) {
        let Some(expected) = files.get(&path.replace(".toy", ".out")) else { continue };
        let written = std::fs::create_dir_all(place.join("programs"))
            .and_then(|()| std::fs::write(place.join(path), source));
        written.map_err(|error| format!("{path}: {error}"))?;
        let run = Command::new(compiler).arg(path).current_dir(&place).output();
        let run = run.map_err(|error| format!("{}: {error}", compiler.display()))?;
        let printed = [run.stdout, run.stderr].concat();
        let printed = String::from_utf8_lossy(&printed);
        let passes = printed == expected.as_str();
        text.push_str(&line(passes, path));
        if !passes {
            let what = difference(path, expected, &printed);
            failures.push(Failure { what, place: section_of(step, path)? });
        }
    }
    Ok(failures)
}

fn line(passes: bool, what: &str) -> String {
    format!("{}  {what}\n", if passes { "passed" } else { "FAILED" })
}

/// The first line that is different.
fn difference(path: &str, expected: &str, printed: &str) -> String {
    let (mut expected, mut printed) = (expected.lines(), printed.lines());
    loop {
        match (expected.next(), printed.next()) {
            (Some(expected), Some(printed)) if expected == printed => {}
            (expected, printed) => {
                let [expected, printed] = [expected, printed].map(|line| line.unwrap_or("nothing"));
                return format!("{path} should print\n    {expected}\nand prints\n    {printed}");
            }
        }
    }
}

/// Runs the tests of the exercises, if they are in the crate.
fn exercises(step: &Step, folder: &Path, text: &mut String) -> Result<Vec<Failure>> {
    if !folder.join("tests/exercises.rs").is_file() {
        return Ok(Vec::new());
    }
    let output = cargo(folder, &["test", "--test", "exercises"]).output();
    let output = output.map_err(|error| error.to_string())?;
    let mut failures = Vec::new();
    for result in String::from_utf8_lossy(&output.stdout).lines() {
        let Some((name, result)) =
            result.strip_prefix("test ").and_then(|rest| rest.split_once(" ... "))
        else {
            continue;
        };
        text.push_str(&line(result == "ok", &format!("exercise `{name}`")));
        if result != "ok" {
            let place = Some(format!("{}, \"Exercises\"", shown(step)));
            failures.push(Failure { what: format!("the exercise `{name}` fails"), place });
        }
    }
    Ok(failures)
}

/// The section that lists a file.
fn section_of(step: &Step, path: &str) -> Result<Option<String>> {
    let mut step = Some(step.clone());
    while let Some(current) = step {
        let page = current.page()?;
        let blocks = blocks(&page)?;
        let of = blocks.iter().rfind(|block| Listing::of(block).is_some_and(|l| l.path() == path));
        if let Some(block) = of {
            return Ok(Some(place(&current, block.line, block.section)));
        }
        step = current.before()?;
    }
    Ok(None)
}

/// The first listing whose lines are not in the crate; lines that later listings take away do not count.
fn missing(step: &Step, folder: &Path) -> Result<Option<String>> {
    let (page, finished) = (step.page()?, step.files()?);
    for block in blocks(&page)? {
        let Some(listing) = Listing::of(&block) else { continue };
        let own = std::fs::read_to_string(folder.join(listing.path())).unwrap_or_default();
        if let Some(line) = lines(&listing, &finished).find(|line| !has(&own, line)) {
            let place = place(step, block.line, block.section);
            return Ok(Some(format!("{place}: `{}` has no line\n    {line}", listing.path())));
        }
    }
    Ok(None)
}

/// The lines of a listing that are still in the finished crate.
fn lines<'l>(listing: &'l Listing, finished: &'l Files) -> impl Iterator<Item = &'l str> {
    let file = finished.get(listing.path()).map_or("", String::as_str);
    listing.typed().filter(|line| !line.trim().is_empty() && has(file, line))
}

fn has(file: &str, wanted: &str) -> bool {
    file.lines().any(|line| line.trim() == wanted.trim())
}

fn place(step: &Step, line: usize, section: &str) -> String {
    format!("{}:{line}, \"{}\"", shown(step), section.trim_start_matches('#').trim())
}

fn shown(step: &Step) -> String {
    format!("tutorial/build/{}.md", step.slug)
}
