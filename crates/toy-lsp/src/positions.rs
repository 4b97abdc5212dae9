//! Positions of the protocol and byte offsets.
//!
//! Input: a text. Output: its lines, and the conversion between offsets and pairs of a line and a column, which
//! counts the units that client and server have agreed on. Invariants: every position has an offset, on a
//! character boundary: a column after the end of a line is its end, a line after the last one is the end of the
//! text; the two conversions are inverse for every boundary that is not inside a line ending.

use lsp_types::{Position, PositionEncodingKind, Range};
use std::ops;
use toy_diagnostics::source::Span;

/// The unit of columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    /// The encoding that every client supports.
    #[default]
    Utf16,
    Utf32,
}

impl Encoding {
    /// The first of our encodings that the client supports: bytes cost nothing.
    pub fn choose(offered: &[PositionEncodingKind]) -> Self {
        if offered.contains(&PositionEncodingKind::UTF8) {
            Encoding::Utf8
        } else if offered.contains(&PositionEncodingKind::UTF16) || offered.is_empty() {
            Encoding::Utf16
        } else if offered.contains(&PositionEncodingKind::UTF32) {
            Encoding::Utf32
        } else {
            Encoding::Utf16
        }
    }

    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    /// How many units a character takes.
    fn units(self, character: char) -> usize {
        match self {
            Encoding::Utf8 => character.len_utf8(),
            Encoding::Utf16 => character.len_utf16(),
            Encoding::Utf32 => 1,
        }
    }

    /// How many units a text takes.
    pub fn length(self, text: &str) -> u32 {
        match self {
            Encoding::Utf8 => text.len() as u32,
            _ if text.is_ascii() => text.len() as u32,
            _ => text.chars().map(|character| self.units(character)).sum::<usize>() as u32,
        }
    }
}

/// The lines of a text. As in the protocol, they end with `\n`, `\r\n` or `\r`.
#[derive(Clone, Debug)]
pub struct Lines {
    /// The offset of the first character of each line; never empty.
    starts: Vec<u32>,
    /// Places within long lines, so that no column is counted from the start of such a line.
    marks: Vec<Mark>,
}

/// A place in a line, and the units before it in that line.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    offset: u32,
    utf16: u32,
    utf32: u32,
}

/// The bytes between two marks.
const BETWEEN_MARKS: u32 = 1024;

impl Mark {
    /// The column in the line that starts at an offset.
    fn units(self, start: u32, encoding: Encoding) -> u32 {
        match encoding {
            Encoding::Utf8 => self.offset - start,
            Encoding::Utf16 => self.utf16,
            Encoding::Utf32 => self.utf32,
        }
    }
}

/// The marks of a line from its start to the start of the next one.
fn marks(text: &str, start: u32, end: u32) -> Vec<Mark> {
    let mut here = Mark { offset: start, ..Mark::default() };
    let mut marks = Vec::new();
    let mut next = start + BETWEEN_MARKS;
    for character in text[start as usize..end as usize].chars() {
        if here.offset >= next {
            marks.push(here);
            next = here.offset + BETWEEN_MARKS;
        }
        here.offset += character.len_utf8() as u32;
        here.utf16 += character.len_utf16() as u32;
        here.utf32 += 1;
    }
    marks
}

/// The starts of lines after the line ends in a range of a text.
fn starts(text: &str, range: ops::Range<usize>) -> impl Iterator<Item = u32> {
    let (bytes, offset) = (text.as_bytes(), range.start);
    let ends_line = move |at: &usize| bytes[*at] == b'\n' || bytes.get(at + 1) != Some(&b'\n');
    let found = memchr::memchr2_iter(b'\n', b'\r', &bytes[range]).map(move |at| offset + at);
    found.filter(ends_line).map(|at| at as u32 + 1)
}

impl Lines {
    pub fn new(text: &str) -> Self {
        let Self { starts, .. } = Self::unmarked(text);
        let ends = starts.iter().skip(1).copied().chain([text.len() as u32]);
        let long = starts.iter().zip(ends).filter(|(start, end)| end - **start > BETWEEN_MARKS);
        let marks = long.flat_map(|(start, end)| marks(text, *start, end)).collect();
        Self { starts, marks }
    }

    /// The lines without marks, for a text that is about to change.
    pub fn unmarked(text: &str) -> Self {
        let starts = std::iter::once(0).chain(starts(text, 0..text.len())).collect();
        Self { starts, marks: Vec::new() }
    }

    /// Follows a change of the text, without looking at all of it: one notification may have thousands.
    pub fn replaced(&mut self, old: Span, length: usize, text: &str) {
        self.marks.clear();
        // The characters on both sides of a place decide whether a line starts there.
        let first = self.starts.partition_point(|start| *start < old.start.max(1));
        let last = self.starts.partition_point(|start| *start <= old.end).max(first);
        let end = old.start as usize + length;
        for start in &mut self.starts[last..] {
            *start = *start - old.end + end as u32;
        }
        let looked_at = (old.start as usize).saturating_sub(1)..end;
        self.starts.splice(first..last, starts(text, looked_at));
    }

    /// The last mark in a line for which `holds` is true, as it is for all marks before it, or the line's start.
    fn mark(&self, line: Span, holds: impl Fn(&Mark) -> bool) -> Mark {
        let next = self.marks.partition_point(|mark| mark.offset <= line.start || holds(mark));
        let last = next.checked_sub(1).map(|last| self.marks[last]);
        let start = Mark { offset: line.start, ..Mark::default() };
        last.filter(|mark| mark.offset > line.start).unwrap_or(start)
    }

    /// The number of lines, at least 1.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The line of an offset, from 0.
    pub fn line(&self, offset: u32) -> u32 {
        self.starts.partition_point(|start| *start <= offset) as u32 - 1
    }

    /// The span of a line without its end.
    pub fn span(&self, text: &str, line: u32) -> Span {
        let length = text.len() as u32;
        let start = self.starts.get(line as usize).copied().unwrap_or(length);
        let end = self.starts.get(line as usize + 1).copied().unwrap_or(length);
        let inner = text.get(start as usize..end as usize).unwrap_or_default();
        let trimmed = inner.strip_suffix('\n').unwrap_or(inner);
        let trimmed = trimmed.strip_suffix('\r').unwrap_or(trimmed);
        Span { start, end: start + trimmed.len() as u32 }
    }

    pub fn offset(&self, text: &str, position: Position, encoding: Encoding) -> u32 {
        let line = self.span(text, position.line);
        let is_before = |mark: &Mark| {
            mark.offset <= line.end && mark.units(line.start, encoding) <= position.character
        };
        let mark = self.mark(line, is_before);
        let rest = &text[mark.offset as usize..line.end as usize];
        let mut units = mark.units(line.start, encoding);
        for (at, character) in rest.char_indices() {
            units += encoding.units(character) as u32;
            if units > position.character {
                return mark.offset + at as u32;
            }
        }
        line.end
    }

    pub fn position(&self, text: &str, offset: u32, encoding: Encoding) -> Position {
        let offset = text.floor_char_boundary(offset as usize) as u32;
        let line = self.line(offset);
        let span = self.span(text, line);
        let offset = offset.min(span.end).max(span.start);
        let mark = self.mark(span, |mark| mark.offset <= offset);
        let units = encoding.length(&text[mark.offset as usize..offset as usize]);
        Position { line, character: mark.units(span.start, encoding) + units }
    }
}

/// A text with its lines, in the units of the client; turns spans into ranges.
#[derive(Clone, Copy)]
pub struct Places<'t> {
    pub text: &'t str,
    pub lines: &'t Lines,
    pub encoding: Encoding,
}

impl Places<'_> {
    pub fn position(&self, offset: u32) -> Position {
        self.lines.position(self.text, offset, self.encoding)
    }

    pub fn offset(&self, position: Position) -> u32 {
        self.lines.offset(self.text, position, self.encoding)
    }

    pub fn range(&self, span: Span) -> Range {
        let range = span.within(self.text);
        Range { start: self.position(range.start as u32), end: self.position(range.end as u32) }
    }

    /// The span of a range; one whose ends are exchanged is the same.
    pub fn span(&self, range: Range) -> Span {
        let (one, other) = (self.offset(range.start), self.offset(range.end));
        Span { start: one.min(other), end: one.max(other) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "ab\r\nc\u{e9}\u{1f600}d\rx\n\n\u{4e16}";

    #[test]
    fn positions_are_the_inverse_of_offsets() {
        let lines = Lines::new(TEXT);
        assert_eq!(lines.count(), 5);
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            for (offset, _) in TEXT.char_indices().chain([(TEXT.len(), ' ')]) {
                let position = lines.position(TEXT, offset as u32, encoding);
                let back = lines.offset(TEXT, position, encoding);
                let is_inside_line_end = TEXT[..offset].ends_with('\r');
                if !is_inside_line_end || offset == TEXT.find('x').unwrap() {
                    assert_eq!(back, offset as u32, "{encoding:?} {position:?}");
                }
            }
        }
    }

    #[test]
    fn columns_count_units_of_the_encoding() {
        let lines = Lines::new(TEXT);
        let at = TEXT.find('d').unwrap() as u32;
        let column = |encoding| lines.position(TEXT, at, encoding).character;
        assert_eq!(column(Encoding::Utf8), 7);
        assert_eq!(column(Encoding::Utf16), 4);
        assert_eq!(column(Encoding::Utf32), 3);
        // The middle of a character that takes two units is its start.
        let middle = Position { line: 1, character: 3 };
        let smile = TEXT.find('\u{1f600}').unwrap() as u32;
        assert_eq!(lines.offset(TEXT, middle, Encoding::Utf16), smile);
    }

    #[test]
    fn columns_of_long_lines_are_those_of_short_ones() {
        let long = |length: usize| "ab\u{e9}\u{1f600}\u{4e16}".chars().cycle().take(length);
        let text: String = [long(2_000).collect(), "x".repeat(3_000), "\u{1f600}".repeat(1_100)]
            .into_iter()
            .flat_map(|line: String| [line, "short \u{e9}".to_owned()])
            .collect::<Vec<_>>()
            .join("\r\n");
        let lines = Lines::new(&text);
        assert!(lines.marks.len() > 8, "{:?}", lines.marks);
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            let (mut line, mut column) = (0, 0);
            for (offset, character) in text.char_indices() {
                let position = Position { line, character: column };
                if !text[..offset].ends_with('\r') {
                    assert_eq!(lines.position(&text, offset as u32, encoding), position);
                    assert_eq!(lines.offset(&text, position, encoding), offset as u32);
                }
                column += encoding.units(character) as u32;
                if character == '\n' {
                    (line, column) = (line + 1, 0);
                }
            }
            let far = Position { line: 0, character: u32::MAX };
            assert_eq!(lines.offset(&text, far, encoding), text.find('\r').unwrap() as u32);
        }
    }

    #[test]
    fn lines_follow_changes() {
        let mut text = "a\r\nb\rc\n".to_owned();
        let mut lines = Lines::unmarked(&text);
        let mut random = 0x9e37_79b9_7f4a_7c15u64;
        let mut below = |limit: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random >> 11) as usize % limit
        };
        for _ in 0..5_000 {
            let (one, other) = (below(text.len() + 1), below(text.len() + 1));
            let other = if text.len() < 40 { one } else { other };
            let (start, end) = (one.min(other), one.max(other));
            let new = ["", "\r", "\n", "\r\n", "x\r", "\ny", "x\n\ny", "\r\r\n"][below(8)];
            text.replace_range(start..end, new);
            lines.replaced(Span::new(start, end), new.len(), &text);
            assert_eq!(lines.starts, Lines::new(&text).starts, "{start}..{end} {new:?} {text:?}");
        }
    }

    #[test]
    fn every_position_has_an_offset() {
        let lines = Lines::new(TEXT);
        let far = Position { line: u32::MAX, character: u32::MAX };
        assert_eq!(lines.offset(TEXT, far, Encoding::Utf16), TEXT.len() as u32);
        let after = Position { line: 0, character: 99 };
        assert_eq!(lines.offset(TEXT, after, Encoding::Utf16), 2);
        assert_eq!(Lines::new("").offset("", far, Encoding::Utf8), 0);
    }

    #[test]
    fn an_encoding_that_the_client_has_is_chosen() {
        assert_eq!(Encoding::choose(&[]), Encoding::Utf16);
        let offered = [PositionEncodingKind::UTF16, PositionEncodingKind::UTF8];
        assert_eq!(Encoding::choose(&offered), Encoding::Utf8);
        assert_eq!(Encoding::choose(&[PositionEncodingKind::UTF32]), Encoding::Utf32);
        assert_eq!(Encoding::choose(&[PositionEncodingKind::new("x")]), Encoding::Utf16);
    }
}
