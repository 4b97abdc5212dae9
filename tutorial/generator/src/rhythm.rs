//! The rhythm of a chapter: how much its reader types before something happens.
//!
//! Input: a chapter, and what was typed since the last result of the step before. Output: the stretches between two
//! states that compile and between two results, in typed lines, and the lines that are typed again. A block `console`
//! is a state that compiles; it is a result if one of its commands does more than compile, and if something was typed
//! since the one before. The end of a chapter compiles as well, but is not a result.

use crate::Result;
use crate::listings::{Applied, Event, Files};
use regex_lite::Regex;

/// Lines that are typed without a break: the number, and the lines of the chapter where they begin and end.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, PartialOrd, Ord)]
pub struct Stretch {
    pub lines: usize,
    pub begin: usize,
    pub end: usize,
}

/// The measure of a chapter.
#[derive(Debug, Default)]
pub struct Rhythm {
    pub typed: usize,
    pub again: usize,
    /// Up to each state that compiles, and to the end of the chapter.
    pub compiles: Vec<Stretch>,
    /// Up to each result; the last one, up to the end of the chapter, may have no lines.
    pub results: Vec<Stretch>,
}

impl Rhythm {
    /// `pending` lines have been typed since the last result of the step before.
    pub fn of(chapter: &Applied, pending: usize) -> Self {
        let mut rhythm = Rhythm::default();
        let mut compiled = Stretch { begin: 1, ..Stretch::default() };
        let mut shown = Stretch { lines: pending, ..compiled };
        for event in &chapter.events {
            match event {
                Event::Types { lines, again, .. } => {
                    rhythm.typed += lines;
                    rhythm.again += again;
                    compiled.lines += lines;
                    shown.lines += lines;
                }
                Event::Runs { line, commands, .. } => {
                    if compiled.lines > 0 {
                        rhythm.compiles.push(Stretch { end: *line, ..compiled });
                    }
                    compiled = Stretch { lines: 0, begin: *line, end: 0 };
                    if shown.lines > 0 && is_result(commands) {
                        rhythm.results.push(Stretch { end: *line, ..shown });
                        shown = compiled;
                    }
                }
            }
        }
        let end = chapter.page.lines().count();
        rhythm.compiles.push(Stretch { end, ..compiled });
        rhythm.results.push(Stretch { end, ..shown });
        rhythm
    }

    /// The lines after the last result.
    pub fn pending(&self) -> usize {
        self.results.last().map_or(0, |last| last.lines)
    }
}

/// True if a block shows more than that the crate compiles.
fn is_result(commands: &str) -> bool {
    let mut commands = commands.lines().filter_map(|line| line.strip_prefix("$ "));
    commands
        .any(|command| !command.starts_with("cargo check") && !command.starts_with("cargo build"))
}

/// The files below `src` that no `mod` leads to, so that nothing compiles them.
pub fn unused(files: &Files) -> Result<Vec<&str>> {
    let declared =
        Regex::new(r"(?m)^ *(?:pub(?:\([a-z]+\))? )?mod (\w+);").map_err(|e| e.to_string())?;
    let mut used = vec!["src/main.rs".to_owned()];
    for at in 0.. {
        let Some(path) = used.get(at) else { break };
        let stem = path
            .trim_end_matches(".rs")
            .trim_end_matches("/main")
            .trim_end_matches("/mod")
            .to_owned();
        let text = files.get(path).map_or("", String::as_str);
        for found in declared.captures_iter(text) {
            used.extend([
                format!("{stem}/{}.rs", &found[1]),
                format!("{stem}/{}/mod.rs", &found[1]),
            ]);
        }
    }
    let sources = files.keys().filter(|path| path.starts_with("src/") && path.ends_with(".rs"));
    Ok(sources.filter(|path| !used.contains(path)).map(String::as_str).collect())
}
