//! Formatting, as edits of the lines that change: of the whole document, or within a range.

use super::View;
use gen_lsp_types::{Range, TextEdit};
use toy_diagnostics::source::Span;
use toy_format::{Change, changes};

/// The edits; None for a program with syntax errors, which is left alone.
pub fn format(view: &View) -> Option<Vec<TextEdit>> {
    formatted(view, Span::new(0, view.text().len()))
}

/// The edits that change nothing outside of the lines of a range: edits that reach beyond them are left out.
pub fn format_range(view: &View, range: Range) -> Option<Vec<TextEdit>> {
    formatted(view, lines(view, range))
}

fn formatted(view: &View, within: Span) -> Option<Vec<TextEdit>> {
    if !view.analysis.is_short_enough() {
        return None;
    }
    let all = changes(&view.analysis.source).ok()?.into_iter();
    let inside = all.filter(|it| within.start <= it.span.start && it.span.end <= within.end);
    let edit = |it: Change| TextEdit { range: view.range(it.span), new_text: it.text };
    Some(joined(inside).into_iter().map(edit).collect())
}

/// Changes without a line between them, as one: clients treat two edits at one place differently.
fn joined(changes: impl Iterator<Item = Change>) -> Vec<Change> {
    let mut joined: Vec<Change> = Vec::new();
    for change in changes {
        match joined.last_mut() {
            Some(last) if last.span.end == change.span.start => {
                last.span.end = change.span.end;
                last.text += &change.text;
            }
            _ => joined.push(change),
        }
    }
    joined
}

/// The lines that a range touches. One that ends where a line starts does not touch that line: so editors select lines.
fn lines(view: &View, range: Range) -> Span {
    let wanted = view.places().span(range);
    let places = view.places();
    let start = |line| places.line_span(line).start;
    let last = places.line(wanted.end);
    let is_whole = wanted.start < wanted.end && wanted.end == start(last);
    let end = if is_whole { wanted.end } else { start(last + 1) };
    Span { start: start(places.line(wanted.start)), end }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::positions::Encoding;
    use gen_lsp_types::Position;

    const NONE: [&str; 0] = [];

    fn document(text: &str) -> Document {
        Document::new("file:///t.toy".into(), 1, text, true)
    }

    fn range(start: (u32, u32), end: (u32, u32)) -> Range {
        Range::new(Position::new(start.0, start.1), Position::new(end.0, end.1))
    }

    /// `line:column-line:column text` of each edit.
    fn shown(edits: Option<Vec<TextEdit>>) -> Vec<String> {
        let one = |it: TextEdit| {
            let Range { start, end } = it.range;
            let (from, to) = (start.character, end.character);
            format!("{}:{from}-{}:{to} {}", start.line, end.line, it.new_text)
        };
        edits.expect("a program").into_iter().map(one).collect()
    }

    #[test]
    fn a_range_is_the_lines_that_it_touches() {
        let text = "def main() {\r\n print(\"\u{1f600}\");  print(1);\r\n\tprint( 2 );\r\n}";
        let first = "  print(\"\u{1f600}\");\r\n  print(1);\r\n";
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            let document = document(text);
            let view = View::new(&document, encoding);
            let of = |start, end| shown(format_range(&view, range(start, end)));
            let (one, two) = (format!("1:0-2:0 {first}"), "2:0-3:0   print(2);\r\n".to_owned());
            assert_eq!(of((1, 9), (1, 9)), [one.as_str()]);
            assert_eq!(of((1, 0), (2, 0)), [one.as_str()]);
            assert_eq!(of((2, 1), (2, 0)), [two.as_str()]);
            assert_eq!(of((2, 0), (2, 0)), [two.as_str()]);
            assert_eq!(of((1, 9), (2, 1)), [format!("1:0-3:0 {first}  print(2);\r\n")]);
            assert_eq!(of((0, 0), (0, 99)), NONE);
            assert_eq!(of((3, 0), (u32::MAX, u32::MAX)), ["3:0-3:1 }\r\n"]);
            let all = of((0, 0), (u32::MAX, 0));
            assert_eq!(all, shown(format(&view)));
            assert_eq!(all, [format!("1:0-3:1 {first}  print(2);\r\n}}\r\n")]);
        }
    }

    #[test]
    fn what_reaches_beyond_the_range_stays() {
        let document = document("def main() {\n  print(1\n    + 2);\n    print(3);\n}\n");
        let view = View::new(&document, Encoding::Utf16);
        let of = |first, last| shown(format_range(&view, range((first, 0), (last, 9))));
        assert_eq!(of(1, 1), NONE);
        assert_eq!(of(2, 2), NONE);
        assert_eq!(of(1, 2), ["1:0-3:0   print(1 + 2);\n"]);
        assert_eq!(of(2, 3), ["3:0-4:0   print(3);\n"]);
    }

    #[test]
    fn a_program_with_syntax_errors_has_no_edits() {
        let document = document("def main() {\nprint(1)\n}\n");
        let view = View::new(&document, Encoding::Utf16);
        assert_eq!(format_range(&view, range((0, 0), (9, 0))), None);
    }
}
