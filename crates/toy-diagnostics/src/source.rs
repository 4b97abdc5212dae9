//! The source text, its name, and the conversion between byte offsets and lines and columns.
//!
//! Input: the bytes of a file or of standard input. Output: a [`Source`] that every later stage
//! borrows. Invariants: the text is valid UTF-8, and the [`Span`]s of tokens and of the tree lie
//! within it (spans are byte offsets; `start <= end <= text.len()`). Lines and columns are 1-based, columns count bytes,
//! as upstream's lexer and MLIR's locations do.

use crate::text::printed;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A half-open range of byte offsets in the [`Source`].
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct Span {
    /// The offset of the first byte.
    pub start: u32,
    /// The offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` to before `end`. Offsets must fit into 32 bits (see
    /// [`Source::MAX_LEN`]).
    pub fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    /// The empty span at an offset.
    pub fn at(offset: u32) -> Self {
        Self { start: offset, end: offset }
    }

    /// The span clamped to the text and widened to character boundaries.
    pub fn within(self, text: &str) -> Range<usize> {
        let start = text.floor_char_boundary(self.start as usize);
        let end = text.ceil_char_boundary((self.end as usize).min(text.len()));
        start..end.max(start)
    }

    /// The smallest span that contains both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// Spans of chumsky parsers.
#[cfg(feature = "chumsky")]
impl chumsky::span::Span for Span {
    type Context = ();
    type Offset = u32;

    fn new((): (), range: Range<u32>) -> Self {
        Span { start: range.start, end: range.end }
    }

    fn context(&self) {}

    fn start(&self) -> u32 {
        self.start
    }

    fn end(&self) -> u32 {
        self.end
    }
}

/// A 1-based line and a 1-based column counted in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineColumn {
    /// The line, from 1.
    pub line: u32,
    /// The column in bytes, from 1.
    pub column: u32,
}

/// The text of a program and its name.
#[derive(Clone, Debug)]
pub struct Source {
    /// The name that locations and diagnostics show, usually a path; its characters are printable.
    pub name: String,
    /// The text, at most [`Source::MAX_LEN`] bytes.
    pub text: String,
    /// Byte offset of the first character of each line; never empty.
    line_starts: Vec<u32>,
}

impl Source {
    /// The largest text in bytes: spans are 32 bits wide.
    pub const MAX_LEN: usize = u32::MAX as usize - 1;

    /// Takes the text and finds its lines.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let line_starts = std::iter::once(0)
            .chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end as u32 + 1))
            .collect();
        Self { name: printed(&name.into()), text, line_starts }
    }

    /// The line and column of a byte offset.
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let line = self.line_starts.partition_point(|start| *start <= offset);
        LineColumn { line: line as u32, column: offset - self.line_starts[line - 1] + 1 }
    }

    /// The byte offset of a line and column, clamped to the text (locations in MLIR may be arbitrary).
    pub fn offset(&self, line: u32, column: u32) -> u32 {
        let Some(start) = self.line_starts.get((line.max(1) - 1) as usize) else {
            return self.text.len() as u32;
        };
        (start + column.max(1) - 1).min(self.text.len() as u32)
    }

    /// The text of a span; empty if the span does not lie within the text.
    pub fn snippet(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offset_is_the_inverse_of_line_column() {
        let source = Source::new("t", "ab\n\ncé\r\nx");
        for offset in 0..=source.text.len() as u32 {
            let at = source.line_column(offset);
            assert_eq!(source.offset(at.line, at.column), offset, "{at:?}");
        }
        assert_eq!(source.line_column(4), LineColumn { line: 3, column: 1 });
        assert_eq!(source.offset(99, 1), source.text.len() as u32);
    }
}
