//! The listings of a chapter, applied to the step before.
//!
//! Input: the blocks of a chapter with one of these info strings, and the files of the step before.
//!
//! | block | effect |
//! |---|---|
//! | `LANGUAGE create=PATH` | a new file |
//! | `LANGUAGE replace=PATH` | the whole file again |
//! | `diff edit=PATH` | one place of a file: lines that begin with a space, `-` or `+` |
//! | `sh copy=PATH` | `cp OTHER PATH` |
//! | `sh remove=PATH` | `rm PATH` |
//! | `sh move=PATH` | `mv PATH OTHER` |
//!
//! Output: the files after all of them, the page with the right line numbers, and what a reader does in order: type, and
//! run commands, with the files that there are at that moment. Invariants: the paragraph above a block names the file as
//! `` `PATH` `` and, for an edit, `line N`, where the first line of the edit is at that moment; the lines that an edit
//! expects occur exactly once in the file.

use crate::markdown::{Block, blocks};
use crate::{Result, fail};
use regex_lite::Regex;
use std::collections::BTreeMap;
use std::ops::Range;

/// Commands that run with what has been typed up to their block.
pub const CONSOLE: &str = "console";

/// Texts by their paths in the crate.
pub type Files = BTreeMap<String, String>;

/// The result of all listings of a page.
pub struct Applied<'p> {
    pub files: Files,
    pub page: String,
    pub events: Vec<Event<'p>>,
}

/// Something that a reader does, with the line of its block.
pub enum Event<'p> {
    Types {
        line: usize,
        lines: usize,
        /// Lines that the file had before the listing took them away.
        again: usize,
    },
    /// The commands of a block `console`, and the files with which they run.
    Runs { line: usize, commands: &'p str, files: Files },
}

/// Applies all listings; an error begins with the line of the page.
pub fn apply<'p>(page: &'p str, before: &Files) -> Result<Applied<'p>> {
    let mut files = before.clone();
    let mut events = Vec::new();
    let mut lines: Vec<String> = page.lines().map(str::to_owned).collect();
    for block in blocks(page)? {
        let (line, at) = (block.line, |error| format!("{}: {error}", block.line));
        let Some(listing) = Listing::of(&block) else {
            if block.info == CONSOLE {
                events.push(Event::Runs { line, commands: block.text, files: files.clone() });
            }
            continue;
        };
        let again = listing.typed_again(&files);
        events.push(Event::Types { line, lines: listing.typed().count(), again });
        let place = listing.apply(&mut files).map_err(at)?;
        let above = paragraph_above(&lines, block.line - 1);
        listing.is_announced(&mut lines[above], place).map_err(at)?;
    }
    let page = lines.iter().map(|line| format!("{line}\n")).collect();
    Ok(Applied { files, page, events })
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

    pub fn path(&self) -> &'p str {
        self.path
    }

    /// The lines that a reader types.
    pub fn typed(&self) -> impl Iterator<Item = &'p str> {
        let (is_whole, is_edit) =
            (["create", "replace"].contains(&self.change), self.change == "edit");
        self.text.lines().filter_map(move |line| match line.strip_prefix('+') {
            _ if is_whole => Some(line),
            added if is_edit => added,
            _ => None,
        })
    }

    /// How many of them were there before, and are taken away by this listing.
    fn typed_again(&self, files: &Files) -> usize {
        let mut removed: Vec<&str> = match (self.change, files.get(self.path)) {
            ("replace", Some(file)) => file.lines().collect(),
            _ => self.text.lines().filter_map(|line| line.strip_prefix('-')).collect(),
        };
        let is_again = |line: &&str| {
            let at = removed.iter().position(|removed| removed == line);
            at.map(|at| removed.swap_remove(at)).is_some()
        };
        if self.change == "create" { 0 } else { self.typed().filter(is_again).count() }
    }

    /// Changes the files; the result is the line of an edit, from 1.
    fn apply(&self, files: &mut Files) -> Result<Option<usize>> {
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
            ("copy", "sh", None) => copy(files, text, path),
            ("copy", ..) => fail(format!("a block `sh copy={path}` makes the file")),
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
            ("move", "sh", Some(_)) => self.moved(files),
            ("remove", ..) => fail(format!("a block `sh remove={path}` says `rm {path}`")),
            _ => fail(format!("what is a block `{} {}={path}`?", self.language, self.change)),
        }
    }

    fn moved(&self, files: &mut Files) -> Result<Option<usize>> {
        let path = self.path;
        let to = self.text.trim().strip_prefix(&format!("mv {path} "));
        let Some(to) = to.filter(|to| is_listed(to) && !files.contains_key(*to)) else {
            return fail(format!("a block `sh move={path}` says `mv {path} ` and a new path"));
        };
        let text = files.remove(path).unwrap_or_default();
        files.insert(to.to_owned(), text);
        Ok(None)
    }

    /// Checks that the paragraph above names the file, and makes the number of the line in it the right one.
    fn is_announced(&self, above: &mut [String], line: Option<usize>) -> Result<()> {
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

/// The files of a crate that the reader types. All others are kept in `steps`.
fn is_listed(name: &str) -> bool {
    ["Cargo.toml", "build.rs", "tests/programs.rs"].contains(&name)
        || name.starts_with("src/")
        || name.starts_with("programs/") && name.ends_with(".toy")
}

/// Copies a file that is there.
fn copy(files: &mut Files, command: &str, path: &str) -> Result<Option<usize>> {
    let from = command.strip_prefix("cp ").and_then(|rest| rest.trim_end().strip_suffix(path));
    let Some(text) = from.and_then(|from| files.get(from.trim_end())) else {
        return fail(format!("a block `sh copy={path}` says `cp OTHER {path}`"));
    };
    files.insert(path.to_owned(), text.clone());
    Ok(None)
}

/// Replaces one place of a file, and says in which line it begins.
fn edit(file: &mut String, hunk: &str, path: &str) -> Result<usize> {
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

/// The range of some lines in a file.
fn place(lines: &[&str], wanted: &[&str], path: &str) -> Result<Range<usize>> {
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

/// The last paragraph before a line.
fn paragraph_above(lines: &[String], line: usize) -> Range<usize> {
    let end = lines[..line].iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    let start = lines[..end].iter().rposition(|line| line.is_empty()).map_or(0, |empty| empty + 1);
    start..end
}
