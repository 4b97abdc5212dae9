//! Inlay hints: the shapes of variables, beside their names.

use super::{View, markdown, shapes};
use crate::names::Kind;
use gen_lsp_types::{InlayHint, InlayHintKind, Range};

/// The hints in a range: where a variable is defined without a shape, and where a parameter is.
pub fn hints(view: &View, range: Range) -> Vec<InlayHint> {
    let wanted = view.places().span(range);
    let facts = &view.document.facts;
    let definitions = view.analysis.names.definitions.iter().filter(|it| {
        let is_variable = matches!(it.kind, Kind::Parameter | Kind::Variable);
        let is_wanted = wanted.start <= it.span.end && it.span.start <= wanted.end;
        is_variable && is_wanted && it.declared.is_none()
    });
    definitions
        .filter_map(|definition| {
            let fact = facts.at(definition.span)?;
            let listed = shapes::listed(view, fact);
            Some(InlayHint {
                position: view.places().position(definition.span.end),
                label: format!(": {}", shapes::brief(facts, fact)).into(),
                kind: Some(InlayHintKind::Type),
                text_edits: None,
                tooltip: (!listed.is_empty()).then(|| markdown(listed).into()),
                padding_left: Some(false),
                padding_right: Some(false),
                data: None,
            })
        })
        .collect()
}
