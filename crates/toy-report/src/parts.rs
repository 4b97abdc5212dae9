//! Texts, cut into functions.
//!
//! Input: the text of a stage, with an [`Origin`] for each line. Output: [`Part`]s, each a function or the text between
//! two of them. Invariants: the parts in their order are the text, except for the omissions that they state; equal
//! parts are kept once, so that a function which a pass does not change costs nothing; all characters are printable.

use super::origin::Origin;
use serde::Serialize;
use std::collections::HashMap;
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use toy_diagnostics::text::{printable, printed};

/// The most bytes of a text. Beyond it, only the first lines of functions are kept.
pub const MAX_TEXT: usize = 1 << 20;

/// The most characters of a line.
pub const MAX_LINE: usize = 1_000;

/// The language of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    #[default]
    Toy,
    Tokens,
    Tree,
    Mlir,
    Llvm,
    Assembly,
}

/// A function, or the text between functions.
#[derive(Debug, Default, PartialEq, Serialize)]
pub struct Part {
    /// The symbol of the function.
    pub name: Option<String>,
    /// Lines, without the last line feed.
    pub text: String,
    /// The ranges of source lines of each line, `7,12-14`, with a `;` between two lines.
    pub origins: String,
    /// The number of lines that follow and are not in the text.
    pub left_out: usize,
}

/// The part of a text that a page shows.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Shown {
    pub parts: Vec<u32>,
    /// The number of lines in the whole text.
    pub lines: usize,
    /// The size of the whole text; None if it is never made.
    pub bytes: Option<usize>,
}

/// Lines that are missing from a text.
#[derive(Clone, Copy, Debug)]
pub struct Missing {
    /// The line before them, counted from 0.
    pub line: usize,
    /// The number of missing lines.
    pub more: usize,
}

/// All parts; equal ones are one.
#[derive(Debug, Default, Serialize)]
#[serde(transparent)]
pub struct Pool {
    parts: Vec<Part>,
    #[serde(skip)]
    known: HashMap<u64, u32>,
}

impl Pool {
    pub fn add(&mut self, part: Part) -> u32 {
        let mut hasher = DefaultHasher::new();
        (&part.text, &part.origins, part.left_out).hash(&mut hasher);
        let next = self.parts.len() as u32;
        let index = *self.known.entry(hasher.finish()).or_insert(next);
        if index == next {
            self.parts.push(part);
        }
        index
    }
}

/// Cuts a text.
pub fn cut(text: &str, origins: &[Origin], language: Language, pool: &mut Pool) -> Shown {
    cut_rest(text, origins, language, &[], pool)
}

/// Cuts the text of a module that lacks the ends of some functions.
pub fn cut_rest(
    text: &str,
    origins: &[Origin],
    language: Language,
    missing: &[Missing],
    pool: &mut Pool,
) -> Shown {
    let mut cutter = Cutter { pool, parts: Vec::new(), part: Part::default(), lines: 0, bytes: 0 };
    let mut missing = missing.iter().peekable();
    let mut bytes = Some(text.len());
    let mut lines = text.lines().enumerate().peekable();
    let mut function = None;
    let mut count = 0;
    let mut elsewhere = 0;
    let nowhere = Origin::default();
    while let Some((index, line)) = lines.next() {
        count = index + 1;
        if let Some(name) = typed(line, language) {
            function = Some(name);
        }
        let next = lines.peek().map_or("", |(_, next)| next);
        if let Some(name) = opened(line, next, language, function) {
            cutter.end();
            cutter.part.name = Some(printed(&name));
        }
        cutter.line(line, origins.get(index).unwrap_or(&nowhere));
        if let Some(here) = missing.next_if(|missing| missing.line == index) {
            cutter.part.left_out += here.more;
            elsewhere += here.more;
            bytes = None;
        }
        if cutter.part.name.is_some() && closes(line, language) {
            cutter.end();
        }
    }
    cutter.end();
    Shown { parts: cutter.parts, lines: count + elsewhere, bytes }
}

/// Cuts the text of an operation of a module, which has its indentation there.
pub fn cut_operation(text: &str, origins: &[Origin], pool: &mut Pool) -> Vec<u32> {
    let mut indented = String::with_capacity(text.len() + text.len() / 16);
    indent(text, &mut indented);
    cut(&indented, origins, Language::Mlir, pool).parts
}

/// Adds lines with the indentation that operations have in a module.
pub fn indent(text: &str, to: &mut String) {
    for line in text.lines() {
        to.extend(["  ", line, "\n"]);
    }
}

/// The source, with its lines clipped.
pub fn source(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for line in text.split('\n') {
        if !shown.is_empty() || line.as_ptr() != text.as_ptr() {
            shown.push('\n');
        }
        push_clipped(&mut shown, line);
    }
    shown
}

struct Cutter<'p> {
    pool: &'p mut Pool,
    parts: Vec<u32>,
    part: Part,
    /// The number of lines in the text of the part.
    lines: usize,
    /// The bytes of all parts.
    bytes: usize,
}

impl Cutter<'_> {
    fn line(&mut self, line: &str, origin: &Origin) {
        // The first line of a function is always shown. Only its end is left out.
        let is_first = self.lines == 0 && self.part.name.is_some();
        if self.part.left_out > 0 || (self.bytes > MAX_TEXT && !is_first) {
            self.part.left_out += 1;
            return;
        }
        if self.lines > 0 {
            self.part.text.push('\n');
            self.part.origins.push(';');
        }
        push_clipped(&mut self.part.text, line);
        if !origin.is_empty() {
            // Writing to a string does not fail.
            let _ = write!(self.part.origins, "{origin}");
        }
        self.lines += 1;
        self.bytes += line.len().min(MAX_LINE);
    }

    /// Ends the part, if there is anything in it.
    fn end(&mut self) {
        if self.lines > 0 || self.part.left_out > 0 {
            self.parts.push(self.pool.add(std::mem::take(&mut self.part)));
            self.lines = 0;
        }
    }
}

fn visible(character: char) -> char {
    match character {
        '\t' => '\t',
        // They are not characters, and XML and HTML do not allow them.
        '\u{fffe}' | '\u{ffff}' => char::REPLACEMENT_CHARACTER,
        _ => printable(character),
    }
}

/// Adds the shown characters of a line.
fn push_clipped(text: &mut String, line: &str) {
    let end = match line.len() {
        0..=MAX_LINE => None,
        _ => line.char_indices().nth(MAX_LINE).map(|(end, _)| end),
    };
    let shown = &line[..end.unwrap_or(line.len())];
    // Without a way out of the loop, it takes many bytes at once.
    let is_plain = |byte| byte == b'\t' || (b' '..0x7f).contains(&byte);
    if shown.bytes().fold(true, |all, byte| all & is_plain(byte)) {
        text.push_str(shown);
    } else {
        text.extend(shown.chars().map(visible));
    }
    if let Some(end) = end {
        let _ = write!(text, " … ({} more characters)", line[end..].chars().count());
    }
}

/// The function that a directive of assembly announces.
fn typed(line: &str, language: Language) -> Option<&str> {
    let directive = line.strip_prefix("\t.type\t").filter(|_| language == Language::Assembly)?;
    directive.strip_suffix(",@function").or_else(|| directive.strip_suffix(",%function"))
}

/// The name of the function that begins with a line; `function` is what assembly has announced.
fn opened(line: &str, next: &str, language: Language, function: Option<&str>) -> Option<String> {
    match language {
        Language::Mlir => {
            let rest = line.strip_prefix("  ").filter(|rest| !rest.starts_with([' ', '}']))?;
            rest.ends_with('{').then(|| symbol(rest)).flatten()
        }
        Language::Llvm => line.strip_prefix("define ").and_then(symbol),
        Language::Assembly => {
            let label = line.strip_suffix(':')?;
            (Some(label) == function).then(|| label.trim_matches('"').to_owned())
        }
        Language::Tree => {
            let name = next.trim_start().strip_prefix("Proto '")?;
            line.starts_with("    Function")
                .then(|| name.split('\'').next())
                .flatten()
                .map(Into::into)
        }
        Language::Toy | Language::Tokens => None,
    }
}

/// True if a function ends with a line.
fn closes(line: &str, language: Language) -> bool {
    match language {
        Language::Mlir => line.starts_with("  }") && !line.ends_with('{'),
        Language::Llvm => line == "}",
        Language::Assembly => line.starts_with(".Lfunc_end"),
        Language::Toy | Language::Tokens | Language::Tree => false,
    }
}

/// The first symbol of a line: `f` of `@f(` and of `@"f"`.
fn symbol(line: &str) -> Option<String> {
    let (_, rest) = line.split_once('@')?;
    if let Some(quoted) = rest.strip_prefix('"') {
        return quoted.split('"').next().map(str::to_owned);
    }
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_.$-".contains(c)));
    Some(rest[..end.unwrap_or(rest.len())].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str, language: Language) -> Vec<(String, String, usize)> {
        let mut pool = Pool::default();
        let shown = cut(text, &[], language, &mut pool);
        let part = |index: &u32| {
            let part = &pool.parts[*index as usize];
            (part.name.clone().unwrap_or_default(), part.text.clone(), part.left_out)
        };
        shown.parts.iter().map(part).collect()
    }

    #[test]
    fn functions_are_parts() {
        let text = "#map = x\nmodule {\n  func.func @f() {\n    a.b {\n    }\n  }\n  func.func private @g()\n  llvm.func @\"h i\"() {\n    c\n  }\n}\n";
        let names: Vec<_> = parts(text, Language::Mlir).into_iter().map(|part| part.0).collect();
        assert_eq!(names, ["", "f", "", "h i", ""]);
        let joined: Vec<_> = parts(text, Language::Mlir).into_iter().map(|part| part.1).collect();
        assert_eq!(joined.join("\n") + "\n", text);
        let text = "\t.text\n\t.type\tf,@function\nf:\n\tret\n.Lfunc_end0:\n\t.size\tf\nx:\n\t.type\tr,@function\nr:\n\tret\n.Lfunc_end1:\n";
        let found = parts(text, Language::Assembly);
        let names: Vec<_> = found.iter().map(|part| part.0.as_str()).collect();
        assert_eq!(names, ["", "f", "", "r"]);
    }

    #[test]
    fn lines_that_a_text_does_not_have_are_the_end_of_a_function() {
        let text = "define void @f() {\n}\n\ndefine void @g() {\n  ret void\n}\n";
        let mut pool = Pool::default();
        let missing = [Missing { line: 0, more: 7 }];
        let shown = cut_rest(text, &[], Language::Llvm, &missing, &mut pool);
        let part = |index: &u32| &pool.parts[*index as usize];
        let found: Vec<_> = shown.parts.iter().map(part).collect();
        let found: Vec<_> = found.iter().map(|part| (part.text.as_str(), part.left_out)).collect();
        let all = "define void @g() {\n  ret void\n}";
        assert_eq!(found, [("define void @f() {", 8), ("", 0), (all, 0)]);
        assert_eq!((shown.lines, shown.bytes), (13, None));
    }

    #[test]
    fn equal_parts_are_one() {
        let mut pool = Pool::default();
        let text = "define void @f() {\n}\n";
        let first = cut(text, &[], Language::Llvm, &mut pool);
        let second = cut(text, &[], Language::Llvm, &mut pool);
        assert_eq!((first.parts, pool.parts.len()), (second.parts, 1));
    }

    #[test]
    fn text_is_printable_and_clipped() {
        assert_eq!(source("a\u{202e}b\tc\n\nd"), "a\u{fffd}b\tc\n\nd");
        assert_eq!(source("\n"), "\n");
        assert!(source(&"x".repeat(1_002)).ends_with("x … (2 more characters)"));
    }
}
