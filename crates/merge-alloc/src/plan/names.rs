//! Names of buffers for readers.
//!
//! Input: the text of the program and the span that an allocation comes from. Output: the variable
//! that is defined there, the SSA name in MLIR text, or the expression itself. Names are made for
//! reading: one line, printable, not long.

use super::SourcePlace;
use std::collections::{HashMap, HashSet};
use toy_diagnostics::source::{Source, Span};
use toy_diagnostics::text::printable;

/// The most characters of an expression that is used as a name.
const NAME: usize = 25;

/// The most characters of a source line.
const LINE: usize = 120;

/// The distance in which to look for the ends of a line: lines can be as long as a program.
const WINDOW: usize = 4 * LINE;

/// The name of the value that is computed at a span.
pub fn name(source: &Source, span: Span) -> Option<String> {
    let range = span.within(&source.text);
    let snippet = source.text[range.clone()].trim();
    if snippet.is_empty() {
        return None;
    }
    if let Some(name) = declared(snippet) {
        return Some(name);
    }
    let before = window_before(&source.text, range.start);
    let name = ssa_name(before).or_else(|| variable(before, after(&source.text, range.end)));
    Some(name.unwrap_or_else(|| clipped(snippet, NAME)))
}

/// The start of a span, for readers.
pub fn place(source: &Source, span: Span) -> SourcePlace {
    let range = span.within(&source.text);
    let at = source.line_column(range.start as u32);
    let before = window_before(&source.text, range.start);
    let start = before.rfind('\n').map(|newline| range.start - before.len() + newline + 1);
    let start = start.or_else(|| (before.len() == range.start).then_some(0));
    let rest = after(&source.text, start.unwrap_or(range.start));
    let line = rest.split('\n').next().unwrap_or("").trim();
    let is_short = start.is_some() && line.chars().nth(LINE).is_none();
    let text = if is_short {
        clipped(line, LINE)
    } else {
        let rest = after(&source.text, range.start);
        clipped(rest.split('\n').next().unwrap_or(""), LINE)
    };
    SourcePlace { line: at.line, column: at.column, text }
}

/// Makes names unique: repeated names get a number.
#[derive(Default)]
pub struct Unique {
    taken: HashSet<String>,
    counts: HashMap<String, usize>,
}

impl Unique {
    pub fn name(&mut self, name: &str) -> String {
        let count = self.counts.entry(name.to_owned()).or_insert(0);
        loop {
            *count += 1;
            let unique = if *count == 1 { name.to_owned() } else { format!("{name} #{count}") };
            if self.taken.insert(unique.clone()) {
                return unique;
            }
        }
    }
}

/// One printable line of at most `limit` characters; `...` replaces the rest.
pub fn clipped(text: &str, limit: usize) -> String {
    let mut line = String::new();
    // No more of a large text than is needed.
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().take(limit + 1).map(printable));
        if line.chars().nth(limit).is_some() {
            let kept: String = line.chars().take(limit.saturating_sub(3)).collect();
            return format!("{}...", kept.trim_end());
        }
    }
    line
}

/// `b` of `var b<2, 3> = ...`: a reshape comes from its whole statement.
fn declared(snippet: &str) -> Option<String> {
    let (kind, rest) = snippet.split_once(char::is_whitespace)?;
    (kind == "var").then(|| identifier(rest.trim_start())).flatten()
}

/// `c` of `var c = ` or `Struct c = ` before an expression, if that is all up to the `;`.
fn variable(before: &str, after: &str) -> Option<String> {
    let opened = before.trim_end_matches(|c: char| c.is_whitespace() || c == '(');
    let closed = after.trim_start_matches(|c: char| c.is_whitespace() || c == ')');
    let parentheses = |text: &str, of: char| text.chars().filter(|c| *c == of).count();
    let (left, right) = (&before[opened.len()..], &after[..after.len() - closed.len()]);
    if parentheses(left, '(') != parentheses(right, ')') || !closed.starts_with(';') {
        return None;
    }
    let target = opened.strip_suffix('=')?.trim_end();
    let start = target.rfind(|c: char| !is_part(c)).map_or(0, |at| at + 1);
    // A word before it: `var`, or a struct.
    let declares = target[..start].trim_end().ends_with(is_part) && start > 0;
    declares.then(|| identifier(&target[start..])).flatten()
}

/// `%a` of `%a = ` or `%a:2 = ` before an operation of MLIR text.
fn ssa_name(before: &str) -> Option<String> {
    let line = before.rsplit('\n').next().unwrap_or("").trim();
    let target = line.strip_suffix('=')?.trim_end();
    let name = target.rsplit_once(':').map_or(target, |(name, _)| name);
    let rest = name.strip_prefix('%')?;
    let is_name = !rest.is_empty() && rest.chars().all(|c| is_part(c) || ".$-".contains(c));
    is_name.then(|| clipped(name, NAME))
}

fn identifier(text: &str) -> Option<String> {
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    (end > 0).then(|| clipped(&text[..end], NAME))
}

fn is_part(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

fn window_before(text: &str, end: usize) -> &str {
    &text[text.ceil_char_boundary(end.saturating_sub(WINDOW))..end]
}

fn after(text: &str, start: usize) -> &str {
    &text[start..text.floor_char_boundary(start + WINDOW)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str, part: &str) -> Option<String> {
        let start = text.find(part).expect(part);
        name(&Source::new("t", text), Span::new(start, start + part.len()))
    }

    #[test]
    fn buffers_are_named_after_what_is_declared() {
        for (text, part, expected) in [
            ("var c = a * b;", "a * b", "c"),
            ("var c = (a * b) ;", "a * b", "c"),
            ("var c =\n  ((a) + (b));", "(a) + (b)", "c"),
            ("var c = a * b + d;", "a * b", "a * b"),
            ("var c = (a * b) + d;", "a * b", "a * b"),
            ("var b<2, 3> = [1, 2];", "var b<2, 3> = [1, 2]", "b"),
            ("Layer l = scale(x);", "scale(x)", "l"),
            ("print(a *\n\t b);", "a *\n\t b", "a * b"),
            ("  %a0 = linalg.fill x", "linalg.fill", "%a0"),
            ("  %7:2 = call @f()", "call", "%7"),
            ("  linalg.copy x", "linalg.copy", "linalg.copy"),
            (
                "return transpose(a) * transpose(b) * c;",
                "transpose(a) * transpose(b) * c",
                "transpose(a) * transpo...",
            ),
        ] {
            assert_eq!(named(text, part).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(named(" ", " "), None);
    }

    #[test]
    fn places_have_their_line_of_text() {
        let of = |text: &str, part: &str| {
            let start = text.find(part).expect(part);
            place(&Source::new("t", text), Span::new(start, start + part.len()))
        };
        let place = of("x\n  var c = a * b; # \u{1b}é\r\ny", "a * b");
        assert_eq!((place.line, place.column), (2, 11));
        assert_eq!(place.text, "var c = a * b; # ␛é");
        let long = format!("{}a * b;{}\nrest", "é".repeat(1000), "x".repeat(1000));
        let text = of(&long, "a * b").text;
        assert!(text.starts_with("a * b;x") && text.ends_with("x..."), "{text}");
        let long = format!("{}a * b;", "é".repeat(100));
        assert!(of(&long, "a * b").text.starts_with("éé"));
    }

    #[test]
    fn names_are_unique() {
        let mut unique = Unique::default();
        let names: Vec<_> =
            ["a", "a #2", "a", "b", "a"].iter().map(|name| unique.name(name)).collect();
        assert_eq!(names, ["a", "a #2", "a #3", "b", "a #4"]);
    }
}
