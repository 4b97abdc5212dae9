//! Positions of the protocol and byte offsets.
//!
//! Input: a text. Output: its lines, and the conversion between offsets and pairs of a line and a column, which
//! counts the units that client and server have agreed on. Invariants: every position has an offset, on a
//! character boundary: a column after the end of a line is its end, a line after the last one is the end of the
//! text; the two conversions are inverse for every boundary that is not inside a line ending.

use lsp_types::{Position, PositionEncodingKind, Range};
use toy_diagnostics::source::Span;

/// What a column counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    /// What every client knows.
    #[default]
    Utf16,
    Utf32,
}

impl Encoding {
    /// The first of ours that the client has: bytes cost nothing.
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

/// The lines of a text. They end as the protocol says: with `\n`, `\r\n` or `\r`.
#[derive(Clone, Debug)]
pub struct Lines {
    /// The offset of the first character of each line; never empty.
    starts: Vec<u32>,
}

impl Lines {
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends_line = |at: usize| {
            bytes[at] == b'\n' || bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n')
        };
        let ends = (0..bytes.len()).filter(|at| ends_line(*at)).map(|at| at as u32 + 1);
        Self { starts: std::iter::once(0).chain(ends).collect() }
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
        let inside = &text[line.start as usize..line.end as usize];
        let wanted = position.character as usize;
        if encoding == Encoding::Utf8 || inside.is_ascii() {
            let at = wanted.min(inside.len());
            return line.start + inside.floor_char_boundary(at) as u32;
        }
        let mut units = 0;
        for (at, character) in inside.char_indices() {
            units += encoding.units(character);
            if units > wanted {
                return line.start + at as u32;
            }
        }
        line.end
    }

    pub fn position(&self, text: &str, offset: u32, encoding: Encoding) -> Position {
        let offset = text.floor_char_boundary(offset as usize) as u32;
        let line = self.line(offset);
        let span = self.span(text, line);
        let before = &text[span.start as usize..offset.min(span.end).max(span.start) as usize];
        Position { line, character: encoding.length(before) }
    }
}

/// A text with its lines, in the units of the client: what turns spans into ranges.
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
