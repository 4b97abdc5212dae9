//! Folding ranges: brackets over several lines, and comments in a row.

use super::View;
use gen_lsp_types::{FoldingRange, FoldingRangeKind};
use toy_diagnostics::source::Span;
use toy_syntax::token::Token;

pub fn ranges(view: &View) -> Vec<FoldingRange> {
    let tokens = view.analysis.tokens();
    let mut ranges = Vec::new();
    let mut open: Vec<(Token<'_>, u32)> = Vec::new();
    for (token, span) in &tokens {
        if let Some(closing) = token.closing() {
            open.push((closing, view.line(span.start) - 1));
        } else if token.is_closing() {
            // A bracket that does not match this one was never closed: its contents are not folded.
            while let Some((closing, line)) = open.pop() {
                if closing == *token {
                    let last = view.line(span.start) - 1;
                    // The line of the closing bracket stays.
                    add(&mut ranges, line, last.saturating_sub(1), None);
                    break;
                }
            }
        }
    }
    comments(view, &tokens, &mut ranges);
    ranges.sort_by_key(|range| (range.start_line, range.end_line));
    ranges.dedup_by_key(|range| range.start_line);
    ranges
}

fn add(ranges: &mut Vec<FoldingRange>, first: u32, last: u32, kind: Option<FoldingRangeKind>) {
    if first < last {
        let range = FoldingRange { start_line: first, end_line: last, kind, ..Default::default() };
        ranges.push(range);
    }
}

/// Lines that have nothing but a comment.
fn comments(view: &View, tokens: &[(Token<'_>, Span)], ranges: &mut Vec<FoldingRange>) {
    let is_comment = |line: u32| view.line_text(line).trim_start().starts_with('#');
    let count =
        if tokens.is_empty() && view.text().is_empty() { 0 } else { view.places().line_count() };
    let mut first = None;
    for line in 0..=count {
        match (line < count && is_comment(line), first) {
            (true, None) => first = Some(line),
            (false, Some(start)) => {
                add(ranges, start, line - 1, Some(FoldingRangeKind::Comment));
                first = None;
            }
            _ => {}
        }
    }
}
