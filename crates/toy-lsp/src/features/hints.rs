//! Inlay hints: the shapes of variables, beside their names.

use super::{View, markdown, shapes};
use crate::document::Document;
use crate::facts::{Fact, Facts};
use crate::names::Kind;
use crate::positions::Encoding;
use gen_lsp_types::{InlayHint, InlayHintKind, Position, Range};
use toy_diagnostics::source::Span;

/// The hints in a range: where a variable is defined without a shape, and where a parameter is.
pub fn hints(view: &View, range: Range) -> Vec<InlayHint> {
    let hint = |(position, text, fact): (Position, String, &Fact)| {
        let listed = shapes::listed(view, fact);
        InlayHint {
            position,
            label: text.into(),
            kind: Some(InlayHintKind::Type),
            text_edits: None,
            tooltip: (!listed.is_empty()).then(|| markdown(listed).into()),
            padding_left: Some(false),
            padding_right: Some(false),
            data: None,
        }
    };
    texts(view, view.places().span(range)).map(hint).collect()
}

/// The hints of a whole program, for a page: the line from 1, the column in UTF-16 from 0, and the text.
pub fn of_program(text: &str, facts: Facts) -> Vec<(u32, u32, String)> {
    let mut document = Document::new("file:///program.toy".into(), 0, text, true);
    document.know(facts, Vec::new(), 0);
    let view = View::new(&document, Encoding::Utf16);
    let texts = texts(&view, Span::new(0, text.len()));
    texts.map(|(at, text, _)| (at.line + 1, at.character, text)).collect()
}

fn texts<'v>(view: &'v View, wanted: Span) -> impl Iterator<Item = (Position, String, &'v Fact)> {
    let facts = &view.document.facts;
    let definitions = view.analysis.names.definitions.iter().filter(move |it| {
        let is_variable = matches!(it.kind, Kind::Parameter | Kind::Variable);
        let is_wanted = wanted.start <= it.span.end && it.span.start <= wanted.end;
        is_variable && is_wanted && it.declared.is_none()
    });
    definitions.filter_map(|definition| {
        let fact = facts.at(definition.span)?;
        let text = format!(": {}", shapes::brief(facts, fact));
        Some((view.places().position(definition.span.end), text, fact))
    })
}
