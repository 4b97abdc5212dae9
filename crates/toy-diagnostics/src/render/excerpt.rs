//! The excerpt of a program that a diagnostic shows.
//!
//! Input: a source and spans, which may be invalid. Output: a small text with the lines in which
//! the spans start and end, and the same spans in it, widened if ariadne would show them in the
//! wrong line. Invariants: the spans lie on character boundaries within the text; the text is safe
//! to print: no control characters except line ends and tabs, no line longer than a few windows
//! around the ends of the spans.

use crate::source::{Source, Span};
use crate::text::printable;
use std::collections::BTreeSet;
use std::ops::Range;

/// Lines up to this length in bytes are shown whole.
const WHOLE_LINE: usize = 200;
/// The bytes of a longer line that are shown on either side of the start or end of a span.
const WINDOW: usize = 60;
const ELLIPSIS: char = '…';

pub struct Excerpt {
    pub text: String,
    /// The number of each line in the source; `None` for a line that replaces omitted ones.
    pub lines: Vec<Option<u32>>,
    /// The spans, as byte offsets in `text`.
    pub spans: Vec<Range<usize>>,
}

pub fn excerpt(source: &Source, spans: &[Span]) -> Excerpt {
    let spans: Vec<Range<usize>> = spans.iter().map(|span| span.within(&source.text)).collect();
    let line_of = |offset: usize| source.line_column(offset as u32).line;
    let lines_of =
        |span: &Range<usize>| (line_of(span.start), line_of(span.start.max(span.end.max(1) - 1)));
    let needed: BTreeSet<u32> =
        spans.iter().map(lines_of).flat_map(|(first, last)| [first, last]).collect();
    let mut writer = Writer::default();
    let mut previous: Option<u32> = None;
    for line in needed {
        if previous.is_some_and(|previous| previous + 1 < line) {
            writer.gap();
        }
        let starts = spans.iter().filter(|span| lines_of(span).0 == line).map(|span| span.start);
        let ends = spans.iter().filter(|span| lines_of(span).1 == line).map(|span| span.end);
        let points: BTreeSet<usize> = starts.chain(ends).collect();
        writer.line(&source.text, line, line_range(source, line), &points);
        previous = Some(line);
    }
    let place = |offset: usize| {
        let known = writer.places.binary_search_by_key(&offset, |(point, _)| *point);
        known.map_or(0, |index| writer.places[index].1)
    };
    let spans = spans
        .iter()
        .map(|span| {
            let (start, end) = (place(span.start), place(span.end));
            visible(start..end.max(start), &writer.text)
        })
        .collect();
    Excerpt { text: writer.text, lines: writer.lines, spans }
}

/// Widens an empty span at the start of a line to the first character of that line: ariadne looks
/// for the line of the character before the end, and would show the line above.
fn visible(span: Range<usize>, text: &str) -> Range<usize> {
    let is_at_start = text[..span.start].ends_with('\n');
    let first = text[span.start..].chars().next().filter(|_| is_at_start && span.is_empty());
    span.start..span.end + first.map_or(0, char::len_utf8)
}

/// The bytes of the line without its line end.
fn line_range(source: &Source, line: u32) -> Range<usize> {
    let start = source.offset(line, 1) as usize;
    let next = source.offset(line + 1, 1) as usize;
    // The last line has no next one, and does not end with a line end.
    let end = if source.text[start..next].ends_with('\n') { next - 1 } else { next };
    let end = if source.text[start..end].ends_with('\r') { end - 1 } else { end };
    start..end
}

#[derive(Default)]
struct Writer {
    text: String,
    lines: Vec<Option<u32>>,
    /// Offsets in the source with those in the excerpt, ascending.
    places: Vec<(usize, usize)>,
}

impl Writer {
    fn gap(&mut self) {
        self.text.push('\n');
        self.lines.push(None);
    }

    fn line(&mut self, source: &str, number: u32, line: Range<usize>, points: &BTreeSet<usize>) {
        let windows = if line.len() <= WHOLE_LINE {
            vec![line.clone()]
        } else {
            windows(source, &line, points)
        };
        let start = self.text.len();
        let mut points = points.iter().copied().peekable();
        let mut shown = line.start;
        for window in &windows {
            if window.start > shown {
                self.text.push(ELLIPSIS);
            }
            for (offset, character) in source[window.clone()].char_indices() {
                while points.next_if(|point| *point <= window.start + offset).is_some_and(|point| {
                    self.places.push((point, self.text.len()));
                    true
                }) {}
                self.text.push(printable(character));
            }
            shown = window.end;
            // Points at the end of the window, and after the last window the points in the line end.
            let is_last = window.end == line.end;
            while let Some(point) = points.next_if(|point| is_last || *point <= window.end) {
                self.places.push((point, self.text.len()));
            }
        }
        if shown < line.end {
            self.text.push(ELLIPSIS);
        }
        // ariadne drops an empty line at the end of the text.
        if self.text.len() == start {
            self.text.push(' ');
        }
        self.text.push('\n');
        self.lines.push(Some(number));
    }
}

/// The parts of a long line around the points; they do not touch.
fn windows(source: &str, line: &Range<usize>, points: &BTreeSet<usize>) -> Vec<Range<usize>> {
    let mut windows: Vec<Range<usize>> = Vec::new();
    for point in points {
        let point = (*point).clamp(line.start, line.end);
        let start = source.floor_char_boundary(point.saturating_sub(WINDOW)).max(line.start);
        let end = source.ceil_char_boundary((point + WINDOW).min(line.end));
        match windows.last_mut() {
            Some(last) if start <= last.end + 1 => last.end = end,
            _ => windows.push(start..end),
        }
    }
    windows
}
