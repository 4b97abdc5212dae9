//! The listings of a chapter, applied to the step before.
//!
//! Input: the blocks of a chapter with one of these info strings, and the files of the step before.
//!
//! | block | what it does |
//! |---|---|
//! | `LANGUAGE create=PATH` | a new file |
//! | `LANGUAGE replace=PATH` | the whole file again |
//! | `diff edit=PATH` | one place of a file: lines that begin with a space, `-` or `+` |
//! | `sh remove=PATH` | `rm PATH` |
//!
//! Output: the files after all of them, and the page with the right line numbers. Invariants: the paragraph above a
//! block names the file as `` `PATH` `` and, for an edit, `line N`, where the first line of the edit is at that
//! moment; the lines that an edit expects occur exactly once in the file.

use super::{Step, missing, shown};
use crate::markdown::{Block, blocks};
use crate::tools::{Outcome, fail, is_update};
use libtest_mimic::Failed;
use regex_lite::Regex;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// Texts by their paths in the crate.
pub type Files = BTreeMap<String, String>;

/// What follows in a Cargo.toml is about the repository, and not part of what the reader types.
const ONLY_HERE: &str = "# Only in the repository:";

pub fn check(step: &Step) -> Outcome {
    let before = match step.before()? {
        Some(before) => files(&before.folder())?,
        None => Files::new(),
    };
    let _one = step.page.lock();
    let page = std::fs::read_to_string(step.chapter()).unwrap_or_default();
    let applied = match apply(&page, &before) {
        Ok(applied) => applied,
        Err(error) => {
            let error = error.message().unwrap_or_default();
            return fail(format!("{}:{error}", shown(&step.chapter())));
        }
    };
    missing::compare(step, &applied.files, &files(&step.folder())?)?;
    if applied.page == page {
        return Ok(());
    }
    if is_update() {
        return Ok(std::fs::write(step.chapter(), applied.page)?);
    }
    let lines = page.lines().zip(applied.page.lines()).enumerate();
    let wrong = lines.filter(|(_, (old, new))| old != new).map(|(index, (old, new))| {
        format!("{}:{}: `{old}`: now `{new}`\n", shown(&step.chapter()), index + 1)
    });
    fail(format!("{}(TOYC_UPDATE=1 corrects line numbers)", wrong.collect::<String>()))
}

/// What the reader of a step has in the folder of the crate.
pub fn files(folder: &Path) -> Result<Files, Failed> {
    let mut files = Files::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next)? {
            let path = entry?.path();
            let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
            if path.is_dir() && !["target", "solutions"].contains(&name.as_str()) {
                folders.push(path);
            } else if is_listed(&name) {
                let text = std::fs::read_to_string(&path)?;
                files.insert(
                    name.clone(),
                    if name == "Cargo.toml" { manifest(&text) } else { text },
                );
            }
        }
    }
    Ok(files)
}

fn is_listed(name: &str) -> bool {
    ["Cargo.toml", "build.rs", "tests/programs.rs"].contains(&name)
        || name.starts_with("src/")
        || name.starts_with("programs/") && name.ends_with(".toy")
}

/// The manifest that the reader types. The name of the package is the reader's choice.
fn manifest(text: &str) -> String {
    let text = match text.split_once(ONLY_HERE) {
        Some((text, _)) => format!("{}\n", text.trim_end()),
        None => text.to_owned(),
    };
    let name = Regex::new(r#"(?m)^name = "step\d\d"$"#).expect("a regular expression");
    name.replace_all(&text, "name = \"toy\"").into_owned()
}

/// What the listings of a page make of files.
pub struct Applied {
    pub files: Files,
    pub page: String,
}

/// Applies all listings; an error begins with the line of the page.
pub fn apply(page: &str, before: &Files) -> Result<Applied, Failed> {
    let mut files = before.clone();
    let mut lines: Vec<String> = page.lines().map(str::to_owned).collect();
    for block in blocks(page)? {
        let at = |error: Failed| {
            Failed::from(format!("{}: {}", block.line, error.message().unwrap_or_default()))
        };
        let Some(listing) = Listing::of(&block) else { continue };
        let place = listing.apply(&mut files).map_err(at)?;
        let above = paragraph_above(&lines, block.line - 1);
        listing.is_announced(&mut lines[above], place).map_err(at)?;
    }
    if let Some(text) = files.get_mut("Cargo.toml") {
        *text = manifest(text);
    }
    let page = lines.iter().map(|line| format!("{line}\n")).collect();
    Ok(Applied { files, page })
}

/// A block that changes a file.
pub struct Listing<'p> {
    change: &'p str,
    path: &'p str,
    text: &'p str,
    language: &'p str,
}

impl<'p> Listing<'p> {
    /// None for a block that is not a listing.
    pub fn of(block: &Block<'p>) -> Option<Self> {
        let (language, rest) = block.info.split_once(' ')?;
        let (change, path) = rest.split_once('=')?;
        Some(Self { change, path, text: block.text, language })
    }

    /// Changes the files; the result is the line of an edit, from 1.
    fn apply(&self, files: &mut Files) -> Result<Option<usize>, Failed> {
        let Self { path, text, .. } = *self;
        if !is_listed(path) {
            return fail(format!("`{path}` is not one of the files that a chapter lists"));
        }
        match (self.change, self.language, files.get_mut(path)) {
            ("create", "diff", _) | ("replace", "diff", _) => {
                fail("a whole file is shown in its own language, not as `diff`")
            }
            ("create", _, None) => {
                files.insert(path.to_owned(), text.to_owned());
                Ok(None)
            }
            ("create", _, Some(_)) => {
                fail(format!("`{path}` is there already: `edit=` or `replace=`"))
            }
            (_, _, None) => fail(format!("there is no `{path}` yet: `create=` makes it")),
            ("replace", _, Some(file)) => {
                text.clone_into(file);
                Ok(None)
            }
            ("edit", "diff", Some(file)) => edit(file, text, path).map(Some),
            ("remove", "sh", Some(_)) if text.trim() == format!("rm {path}") => {
                files.remove(path);
                Ok(None)
            }
            ("remove", ..) => fail(format!("a block `sh remove={path}` says `rm {path}`")),
            _ => fail(format!("what is a block `{} {}={path}`?", self.language, self.change)),
        }
    }

    /// Whether the paragraph above names the file; the number of the line in it becomes the right one.
    fn is_announced(&self, above: &mut [String], line: Option<usize>) -> Outcome {
        let name = format!("`{}`", self.path);
        let Some(named) = above.iter().rposition(|line| line.contains(&name)) else {
            return fail(format!("the paragraph above the block does not name {name}"));
        };
        let Some(actual) = line else { return Ok(()) };
        let number = Regex::new(r"\bline \d+").expect("a regular expression");
        for text in above[named..].iter_mut().rev() {
            if let Some(found) = number.find_iter(text).last().map(|found| found.range()) {
                text.replace_range(found, &format!("line {actual}"));
                return Ok(());
            }
        }
        fail(format!("the paragraph above the block does not say `{name}, line {actual}`"))
    }
}

/// Replaces one place of a file, and says in which line it begins.
fn edit(file: &mut String, hunk: &str, path: &str) -> Result<usize, Failed> {
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for line in hunk.lines() {
        match (line.get(..1), line.get(1..).unwrap_or_default()) {
            // Editors remove a space at the end of a line.
            (Some(" ") | None, rest) => {
                old.push(rest);
                new.push(rest);
            }
            (Some("-"), rest) => old.push(rest),
            (Some("+"), rest) => new.push(rest),
            _ => return fail(format!("`{line}` begins with neither a space nor `-` nor `+`")),
        }
    }
    if old == new {
        return fail("the block changes nothing");
    }
    let lines: Vec<&str> = file.lines().collect();
    let at = place(&lines, &old, path)?;
    let changed = [&lines[..at.start], new.as_slice(), &lines[at.end..]].concat();
    *file = changed.iter().map(|line| format!("{line}\n")).collect();
    Ok(at.start + 1)
}

/// Where lines are in a file.
fn place(lines: &[&str], wanted: &[&str], path: &str) -> Result<Range<usize>, Failed> {
    if wanted.is_empty() {
        return fail("the block has no line of the file, so where is it?");
    }
    let windows = lines.windows(wanted.len()).enumerate();
    let places: Vec<usize> =
        windows.filter(|(_, window)| *window == wanted).map(|(at, _)| at).collect();
    match places.as_slice() {
        [at] => Ok(*at..*at + wanted.len()),
        [] => match wanted.iter().find(|line| !lines.contains(line)) {
            Some(line) => {
                fail(format!("`{path}` has no line `{line}` at this point of the chapter"))
            }
            None => {
                fail(format!("the lines of the block are in `{path}`, but not next to each other"))
            }
        },
        more => {
            let more: Vec<_> = more.iter().map(|at| (at + 1).to_string()).collect();
            fail(format!(
                "the lines of the block are in `{path}` at lines {}: add context",
                more.join(", ")
            ))
        }
    }
}

/// How often the lines that a hunk expects are in a file; for the drafts.
pub fn count(file: &str, hunk: &str) -> usize {
    let lines: Vec<_> = file.lines().collect();
    let expected = hunk.lines().filter(|line| !line.starts_with('+'));
    let wanted: Vec<_> = expected.map(|line| line.get(1..).unwrap_or_default()).collect();
    lines.windows(wanted.len().max(1)).filter(|window| *window == wanted).count()
}

/// The last paragraph before a line.
fn paragraph_above(lines: &[String], line: usize) -> Range<usize> {
    let end = lines[..line].iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    let start = lines[..end].iter().rposition(|line| line.is_empty()).map_or(0, |empty| empty + 1);
    start..end
}
