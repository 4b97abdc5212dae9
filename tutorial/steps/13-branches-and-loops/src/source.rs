//! The text of a program, and places in it: as spans, and as MLIR's locations.

use crate::errors::Span;
use melior::Context;
use melior::ir::Location;

pub struct Source {
    pub file: String,
    pub text: String,
    /// Where the lines start.
    lines: Vec<usize>,
}

impl Source {
    pub fn new(file: String, text: String) -> Self {
        let after_breaks = text.match_indices('\n').map(|(index, _)| index + 1);
        let lines = std::iter::once(0).chain(after_breaks).collect();
        Self { file, text, lines }
    }

    /// Every operation gets one, and passes keep it: errors can be shown at any stage.
    pub fn location<'c>(&self, context: &'c Context, span: Span) -> Location<'c> {
        let (start, end) = (self.position(span.start), self.position(span.end));
        Location::file_line_col_range(context, &self.file, start.0, start.1, end.0, end.1)
    }

    pub fn span(&self, location: Location) -> Span {
        if !location.is_file_line_col_range() {
            return Span::from(0..0);
        }
        let offset = |line: usize, column: usize| self.lines[line - 1] + column - 1;
        let start = offset(
            location.file_line_col_range_start_line(),
            location.file_line_col_range_start_column(),
        );
        let end = offset(
            location.file_line_col_range_end_line(),
            location.file_line_col_range_end_column(),
        );
        Span::from(start..end)
    }

    /// Line and column, which count from 1.
    fn position(&self, offset: usize) -> (usize, usize) {
        let line = self.lines.partition_point(|start| *start <= offset);
        (line, offset - self.lines[line - 1] + 1)
    }
}
