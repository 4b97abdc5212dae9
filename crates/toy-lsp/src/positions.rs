//! Positions of the protocol and byte offsets.
//!
//! Input: a text, whose lines and columns `ropey` counts. Output: the conversion between offsets and pairs of a line and
//! a column, which counts the units that client and server have agreed on. Invariants: every position has an offset, on
//! a character boundary: a column after the end of a line is its end, a line after the last one is the end of the
//! text; the two conversions are inverse for every boundary that is not inside a line ending; a conversion takes no
//! longer in a long line than in a short one.

use gen_lsp_types::{Position, PositionEncodingKind, Range};
use ropey::Rope;
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
        let is_offered = |it: &Self| offered.contains(&it.kind());
        [Self::Utf8, Self::Utf16, Self::Utf32].into_iter().find(is_offered).unwrap_or_default()
    }

    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    /// How many units a text takes.
    pub fn length(self, text: &str) -> u32 {
        match self {
            Encoding::Utf8 => text.len() as u32,
            Encoding::Utf16 => text.encode_utf16().count() as u32,
            Encoding::Utf32 => text.chars().count() as u32,
        }
    }
}

/// A text in the units of the client. As in the protocol, lines end with `\n`, `\r\n` or `\r`.
#[derive(Clone, Copy)]
pub struct Places<'t> {
    pub text: &'t Rope,
    pub encoding: Encoding,
}

impl Places<'_> {
    /// The number of lines, at least 1.
    pub fn line_count(&self) -> u32 {
        self.text.len_lines() as u32
    }

    /// The line of an offset, from 0.
    pub fn line(&self, offset: u32) -> u32 {
        self.text.byte_to_line((offset as usize).min(self.text.len_bytes())) as u32
    }

    /// The span of a line without its end.
    pub fn line_span(&self, line: u32) -> Span {
        let start = |line: u32| match self.text.try_line_to_byte(line as usize) {
            Ok(start) => start,
            Err(_) => self.text.len_bytes(),
        };
        let (start, mut end) = (start(line), start(line.saturating_add(1)));
        for last in [b'\n', b'\r'] {
            if end > start && self.text.byte(end - 1) == last {
                end -= 1;
            }
        }
        Span::new(start, end)
    }

    pub fn offset(&self, position: Position) -> u32 {
        let span = self.line_span(position.line);
        let line = self.text.byte_slice(span.start as usize..span.end as usize);
        let column = position.character as usize;
        let character = match self.encoding {
            Encoding::Utf8 => line.byte_to_char(column.min(line.len_bytes())),
            Encoding::Utf16 => line.utf16_cu_to_char(column.min(line.len_utf16_cu())),
            Encoding::Utf32 => column.min(line.len_chars()),
        };
        span.start + line.char_to_byte(character) as u32
    }

    pub fn position(&self, offset: u32) -> Position {
        let offset = (offset as usize).min(self.text.len_bytes());
        let line = self.line(offset as u32);
        let span = self.line_span(line);
        let end = self.text.char_to_byte(self.text.byte_to_char(offset)).min(span.end as usize);
        let before = self.text.byte_slice(span.start as usize..end);
        let column = match self.encoding {
            Encoding::Utf8 => before.len_bytes(),
            Encoding::Utf16 => before.len_utf16_cu(),
            Encoding::Utf32 => before.len_chars(),
        };
        Position::new(line, column as u32)
    }

    pub fn range(&self, span: Span) -> Range {
        Range::new(self.position(span.start), self.position(span.end.max(span.start)))
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
    const ALL: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

    fn position(text: &Rope, offset: usize, encoding: Encoding) -> Position {
        Places { text, encoding }.position(offset as u32)
    }

    fn offset(text: &Rope, line: u32, character: u32, encoding: Encoding) -> usize {
        Places { text, encoding }.offset(Position { line, character }) as usize
    }

    #[test]
    fn positions_are_the_inverse_of_offsets() {
        let text = Rope::from(TEXT);
        assert_eq!(Places { text: &text, encoding: Encoding::Utf8 }.line_count(), 5);
        for encoding in ALL {
            for (at, _) in TEXT.char_indices().chain([(TEXT.len(), ' ')]) {
                let Position { line, character } = position(&text, at, encoding);
                let is_inside_line_end = TEXT[..at].ends_with('\r');
                if !is_inside_line_end || at == TEXT.find('x').unwrap() {
                    assert_eq!(offset(&text, line, character, encoding), at, "{encoding:?}");
                }
            }
        }
    }

    #[test]
    fn columns_count_units_of_the_encoding() {
        let text = Rope::from(TEXT);
        let at = TEXT.find('d').unwrap();
        let columns = ALL.map(|encoding| position(&text, at, encoding).character);
        assert_eq!(columns, [7, 4, 3]);
        // The middle of a character that takes two units is its start.
        let smile = TEXT.find('\u{1f600}').unwrap();
        assert_eq!(offset(&text, 1, 3, Encoding::Utf16), smile);
    }

    #[test]
    fn columns_of_long_lines_are_those_of_short_ones() {
        let long = |length: usize| "ab\u{e9}\u{1f600}\u{4e16}".chars().cycle().take(length);
        let text: String = [long(2_000).collect(), "x".repeat(3_000), "\u{1f600}".repeat(1_100)]
            .into_iter()
            .flat_map(|line: String| [line, "short \u{e9}".to_owned()])
            .collect::<Vec<_>>()
            .join("\r\n");
        let rope = Rope::from(text.as_str());
        for encoding in ALL {
            let (mut line, mut column) = (0, 0);
            for (at, character) in text.char_indices() {
                if !text[..at].ends_with('\r') {
                    assert_eq!(position(&rope, at, encoding), Position::new(line, column));
                    assert_eq!(offset(&rope, line, column, encoding), at);
                }
                column += encoding.length(character.encode_utf8(&mut [0; 4]));
                if character == '\n' {
                    (line, column) = (line + 1, 0);
                }
            }
            assert_eq!(offset(&rope, 0, u32::MAX, encoding), text.find('\r').unwrap());
        }
    }

    #[test]
    fn every_position_has_an_offset() {
        let (text, far) = (Rope::from(TEXT), u32::MAX);
        for encoding in ALL {
            assert_eq!(offset(&text, far, far, encoding), TEXT.len());
            assert_eq!(offset(&text, 0, 99, encoding), 2);
            assert_eq!(offset(&Rope::new(), far, far, encoding), 0);
            assert_eq!(position(&text, usize::MAX >> 32, encoding).line, 4);
        }
    }

    #[test]
    fn an_encoding_that_the_client_has_is_chosen() {
        assert_eq!(Encoding::choose(&[]), Encoding::Utf16);
        let offered = [PositionEncodingKind::UTF16, PositionEncodingKind::UTF8];
        assert_eq!(Encoding::choose(&offered), Encoding::Utf8);
        assert_eq!(Encoding::choose(&[PositionEncodingKind::UTF32]), Encoding::Utf32);
        assert_eq!(
            Encoding::choose(&[PositionEncodingKind::from("x".to_owned())]),
            Encoding::Utf16
        );
    }
}
