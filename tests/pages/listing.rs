//! Quotations of files, compared with the files.
//!
//! Input: the text of a block, and `PATH` or `PATH#ITEM`, where an item is a Rust item by its name:
//! `run`, `Body::new` for one inside of an `impl`, a trait or a module, `impl Views` for the whole
//! `impl`. Its documentation belongs to it, its indentation does not. A line `// ...`, `# ...` or
//! `...` stands for omitted lines. Invariant: the other lines of the block are lines of the file or
//! item, in the same order, and all of them if none is marked as omitted.
//!
//! The line above a block says where it is from: `` `FILE`, line N: ``. It is written and rewritten like the block.
//! The files are formatted by rustfmt, so an item ends where a line of its indentation closes it.

use crate::tools::{Outcome, fail};
use libtest_mimic::Failed;
use std::ops::Range;
use std::path::Path;

/// The expected quotation.
pub struct Quotation {
    pub text: String,
    /// Its source, as in the line above it: file and line.
    pub caption: String,
}

/// The caption of the quotation of a file from a line on, from 0.
fn caption(file: &str, line: usize) -> String {
    format!("`{file}`, line {}:", line + 1)
}

/// True if a line of a page is the caption of a quotation.
pub fn is_caption(line: &str) -> bool {
    let middle = line.strip_prefix('`').and_then(|line| line.strip_suffix(':'));
    let number = middle.and_then(|middle| middle.split_once("`, line "));
    number.is_some_and(|(_, number)| number.bytes().all(|digit| digit.is_ascii_digit()))
}

/// The quotation as it should be: the same if it is right. A quotation with omitted lines can only be corrected if the
/// first and the last line of each of its parts are still there.
pub fn actual(block: &str, place: &str, root: &Path) -> Result<Quotation, Failed> {
    let (file, name) = match place.split_once('#') {
        Some((file, name)) => (file, Some(name)),
        None => (place, None),
    };
    let source = match std::fs::read_to_string(root.join(file)) {
        Ok(source) => source,
        Err(error) => return fail(format!("{file}: {error}")),
    };
    let lines: Vec<&str> = source.lines().collect();
    let (start, whole): (usize, Vec<String>) = match name {
        None => (0, lines.iter().map(|line| (*line).to_owned()).collect()),
        Some(name) => match item(&lines, name) {
            Some(item) => item,
            None => return fail(format!("{file} has no item `{name}`")),
        },
    };
    let shown: Vec<&str> = block.lines().collect();
    if !shown.iter().any(|line| is_elision(line)) {
        return Ok(Quotation { text: joined(&whole), caption: caption(file, start) });
    }
    let mut first = None;
    let mut result: Vec<String> = Vec::new();
    let (mut at, mut is_behind_gap) = (0, false);
    for piece in shown.split_inclusive(|line| is_elision(line)) {
        let (piece, elision) = match piece.split_last() {
            Some((last, piece)) if is_elision(last) => (piece, Some(*last)),
            _ => (piece, None),
        };
        if !piece.is_empty() {
            let place = Place { at, is_first: !is_behind_gap, is_last: elision.is_none() };
            let range = match find(&whole, piece, &place) {
                Some(range) => range,
                None => again(&whole, piece, &place)?,
            };
            first.get_or_insert(start + range.start);
            result.extend_from_slice(&whole[range.clone()]);
            at = range.end;
        }
        result.extend(elision.map(str::to_owned));
        is_behind_gap = true;
    }
    Ok(Quotation { text: joined(&result), caption: caption(file, first.unwrap_or(start)) })
}

/// The required place of a piece.
struct Place {
    /// The first possible line.
    at: usize,
    /// True if it starts there.
    is_first: bool,
    /// True if it reaches the end.
    is_last: bool,
}

fn is_elision(line: &str) -> bool {
    matches!(line.trim(), "// ..." | "# ..." | "...")
}

fn joined(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The place of an unchanged run of lines.
fn find(whole: &[String], piece: &[&str], place: &Place) -> Option<Range<usize>> {
    let last = whole.len().checked_sub(piece.len())?;
    let first = if place.is_last { last } else { place.at };
    let last = if place.is_first { place.at } else { last };
    (first.max(place.at)..=last)
        .map(|at| at..at + piece.len())
        .find(|range| whole.get(range.clone()).is_some_and(|lines| lines == piece))
}

/// The place of a changed run of lines: from its first line to its last.
fn again(whole: &[String], piece: &[&str], place: &Place) -> Result<Range<usize>, Failed> {
    let found = |line: &str, from: usize| (from..whole.len()).find(|at| whole[*at] == line);
    let start = if place.is_first { Some(place.at) } else { found(piece[0], place.at) };
    let end = match start {
        Some(_) if place.is_last => Some(whole.len()),
        Some(start) => found(piece[piece.len() - 1], start).map(|at| at + 1),
        None => None,
    };
    match (start, end) {
        (Some(start), Some(end)) if start < end => Ok(start..end),
        _ => fail(format!(
            "the quotation from `{}` to `{}` is not there any more",
            piece[0].trim(),
            piece[piece.len() - 1].trim()
        )),
    }
}

/// The line of an item, and all of its lines without the indentation that they share.
fn item(lines: &[&str], name: &str) -> Option<(usize, Vec<String>)> {
    let (outer, inner) = match name.rsplit_once("::") {
        Some((outer, inner)) => (Some(outer), inner),
        None => (None, name),
    };
    let range = match outer {
        None => locate(lines, inner, 0..lines.len())?,
        Some(outer) => containers(lines, outer).find_map(|range| locate(lines, inner, range))?,
    };
    let indent = indent(lines[range.start]);
    let line = range.start;
    let shown = lines[range].iter().map(|line| line.get(indent..).unwrap_or("").to_owned());
    Some((line, shown.collect()))
}

/// The `impl`s, traits, enums and modules of a name.
fn containers<'l>(lines: &'l [&str], name: &'l str) -> impl Iterator<Item = Range<usize>> + 'l {
    (0..lines.len()).filter_map(move |start| {
        let words = words(lines[start]);
        let is_container = match words.iter().position(|word| is_keyword(word)) {
            Some(at) => words[at + 1..].contains(&name) && lines[start].ends_with('{'),
            None => false,
        };
        (is_container && words.iter().any(|word| ["impl", "trait", "enum", "mod"].contains(word)))
            .then(|| start + 1..end(lines, start))
    })
}

/// An item in a range of lines, its documentation and attributes included.
fn locate(lines: &[&str], name: &str, range: Range<usize>) -> Option<Range<usize>> {
    let start = range.clone().find(|at| {
        let words = words(lines[*at]);
        let Some(keyword) = words.iter().position(|word| is_keyword(word)) else { return false };
        let is_item = words[..keyword].iter().all(|word| {
            ["pub", "crate", "super", "in", "const", "unsafe", "extern", "async", "C"]
                .contains(word)
        });
        is_item
            && match name.strip_prefix("impl ") {
                Some(name) => words[keyword] == "impl" && words[keyword + 1..].contains(&name),
                None => words[keyword] != "impl" && words.get(keyword + 1) == Some(&name),
            }
    })?;
    let is_before = |line: &str| {
        let line = line.trim_start();
        line.starts_with("///") || line.starts_with("#[")
    };
    let first = (range.start..start).rev().take_while(|at| is_before(lines[*at])).last();
    Some(first.unwrap_or(start)..end(lines, start))
}

/// The line after the last one of the item that starts here.
fn end(lines: &[&str], start: usize) -> usize {
    let first = lines[start];
    if first.ends_with(';') || first.ends_with('}') || first.ends_with(',') {
        return start + 1;
    }
    let closes = |line: &str| {
        indent(line) == indent(first)
            && line.trim_start().starts_with(['}', ')', ']'])
            && !line.ends_with(['{', '(', '['])
            || indent(first) < indent(line) && first.ends_with('=') && line.ends_with(';')
    };
    (start + 1..lines.len()).find(|at| closes(lines[*at])).map_or(lines.len(), |at| at + 1)
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "fn" | "struct" | "enum" | "trait" | "impl" | "type" | "static" | "mod" | "macro_rules"
    ) || word == "const"
}

/// The identifiers of a line.
fn words(line: &str) -> Vec<&str> {
    let line = line.split("//").next().unwrap_or_default();
    let words: Vec<_> = line
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .collect();
    // `const fn` is a function.
    match words.iter().position(|word| *word == "fn") {
        Some(at) => {
            words[..at].iter().filter(|w| **w != "const").chain(&words[at..]).copied().collect()
        }
        None => words,
    }
}

/// Items are found from their documentation to their end.
pub fn items() -> Outcome {
    let source = "\
/// A pair.
#[derive(Clone)]
pub struct Pair(u8, u8);

impl Pair {
    /// The sum.
    pub fn sum(&self) -> u8 {
        self.0 + self.1
    }
}

pub const fn long(
    a: u8,
) -> u8 {
    a
}

const ALL: [u8; 2] = [
    1,
    2,
];
type Other =
    Pair;
";
    let lines: Vec<_> = source.lines().collect();
    for (name, at, expected) in [
        ("Pair", 0, "/// A pair.\n#[derive(Clone)]\npub struct Pair(u8, u8);\n"),
        ("Pair::sum", 5, "/// The sum.\npub fn sum(&self) -> u8 {\n    self.0 + self.1\n}\n"),
        ("long", 11, "pub const fn long(\n    a: u8,\n) -> u8 {\n    a\n}\n"),
        ("ALL", 17, "const ALL: [u8; 2] = [\n    1,\n    2,\n];\n"),
        ("Other", 21, "type Other =\n    Pair;\n"),
    ] {
        let found = item(&lines, name).map(|(line, lines)| (line, joined(&lines)));
        if found != Some((at, expected.to_owned())) {
            return fail(format!("{name}: {found:?}"));
        }
    }
    match item(&lines, "sum2") {
        None => Ok(()),
        Some(_) => fail("an item that is not there"),
    }
}
