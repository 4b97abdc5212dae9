//! Formatting, as edits of the lines that change.

use super::View;
use lsp_types::TextEdit;
use similar::{DiffOp, TextDiff};
use toy_diagnostics::source::Span;

/// The edits; None for a program with syntax errors, which is left alone.
pub fn format(view: &View) -> Option<Vec<TextEdit>> {
    if !view.analysis.can_format() {
        return None;
    }
    let formatted = toy_format::format(&view.analysis.source).ok()?;
    Some(edits(view, &formatted))
}

fn edits(view: &View, formatted: &str) -> Vec<TextEdit> {
    let old: Vec<&str> = view.text().split_inclusive('\n').collect();
    let new: Vec<&str> = formatted.split_inclusive('\n').collect();
    let starts = |lines: &[&str]| {
        let ends = lines.iter().scan(0, |at, line| {
            *at += line.len();
            Some(*at)
        });
        std::iter::once(0).chain(ends).collect::<Vec<usize>>()
    };
    let (old_starts, new_starts) = (starts(&old), starts(&new));
    let diff = TextDiff::from_slices(&old, &new);
    let changed = diff.ops().iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
    changed
        .map(|op| {
            let (from, to) = (op.old_range(), op.new_range());
            let span = Span::new(old_starts[from.start], old_starts[from.end]);
            let text = &formatted[new_starts[to.start]..new_starts[to.end]];
            TextEdit { range: view.range(span), new_text: text.to_owned() }
        })
        .collect()
}
