//! Renders diagnostics as JSON, one object per line.
//!
//! Input: diagnostics and the source they refer to. Output: lines of JSON. Invariants: every offset
//! lies within the text and on a character boundary, `start <= end`; lines and columns are 1-based,
//! columns count bytes; the lines contain printable characters only, whatever the program contains,
//! so that they are safe in a log or a terminal, and a JSON parser restores the original text.

use crate::source::{Source, Span};
use crate::text::printable;
use crate::{Diagnostic, Edit, Help};
use serde::Serialize;
use std::fmt::Write;

/// One JSON object per diagnostic, each on a line of its own. Without a source, there are no spans.
pub fn render_json(diagnostics: &[Diagnostic], source: Option<&Source>) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        let object = JsonDiagnostic::new(diagnostic, source);
        // Strings, numbers and lists can always be serialized.
        let line = serde_json::to_string(&object).unwrap_or_default();
        push_printable(&mut text, &line);
        text.push('\n');
    }
    text
}

#[derive(Serialize)]
struct JsonDiagnostic<'d> {
    code: &'d str,
    severity: &'d str,
    message: &'d str,
    file: Option<&'d str>,
    spans: Vec<JsonLabel<'d>>,
    notes: &'d [String],
    help: Option<JsonHelp<'d>>,
}

#[derive(Serialize)]
struct JsonLabel<'d> {
    #[serde(flatten)]
    span: JsonSpan,
    label: &'d str,
    primary: bool,
}

#[derive(Serialize)]
struct JsonHelp<'d> {
    message: &'d str,
    edits: Vec<JsonEdit<'d>>,
}

#[derive(Serialize)]
struct JsonEdit<'d> {
    #[serde(flatten)]
    span: JsonSpan,
    replacement: &'d str,
}

#[derive(Serialize)]
struct JsonSpan {
    start: usize,
    end: usize,
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
}

impl<'d> JsonDiagnostic<'d> {
    fn new(diagnostic: &'d Diagnostic, source: Option<&'d Source>) -> Self {
        let labels = diagnostic.labels.iter().enumerate().filter_map(|(index, label)| {
            let span = JsonSpan::new(label.span, source?);
            Some(JsonLabel { span, label: &label.message, primary: index == 0 })
        });
        let edit = |edit: &'d Edit| {
            let span = JsonSpan::new(edit.span, source?);
            Some(JsonEdit { span, replacement: &edit.replacement })
        };
        let help = |help: &'d Help| JsonHelp {
            message: &help.message,
            edits: help.edits.iter().filter_map(edit).collect(),
        };
        Self {
            code: diagnostic.code.id,
            severity: diagnostic.severity.name(),
            message: &diagnostic.message,
            file: source.map(|source| source.name.as_str()),
            spans: labels.collect(),
            notes: &diagnostic.notes,
            help: diagnostic.help.as_ref().map(help),
        }
    }
}

impl JsonSpan {
    fn new(span: Span, source: &Source) -> Self {
        let range = span.within(&source.text);
        let start = source.line_column(range.start as u32);
        let end = source.line_column(range.end as u32);
        Self {
            start: range.start,
            end: range.end,
            start_line: start.line,
            start_column: start.column,
            end_line: end.line,
            end_column: end.column,
        }
    }
}

/// Escapes more than JSON requires: other control characters affect a terminal, too.
fn push_printable(text: &mut String, json: &str) {
    for character in json.chars() {
        if printable(character) == character {
            text.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            let _ = write!(text, "\\u{unit:04x}");
        }
    }
}
