//! Inlay hints: the shapes of variables, beside their names.

use super::{View, shapes};
use crate::names::Kind;
use lsp_types::{InlayHint, InlayHintKind, InlayHintLabel, InlayHintTooltip, MarkupContent};
use lsp_types::{MarkupKind, Range};

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
            let value = shapes::listed(view, fact);
            let tooltip = MarkupContent { kind: MarkupKind::Markdown, value };
            let tooltip = (!tooltip.value.is_empty()).then_some(tooltip);
            Some(InlayHint {
                position: view.places().position(definition.span.end),
                label: InlayHintLabel::String(format!(": {}", shapes::brief(facts, fact))),
                kind: Some(InlayHintKind::TYPE),
                text_edits: None,
                tooltip: tooltip.map(InlayHintTooltip::MarkupContent),
                padding_left: Some(false),
                padding_right: Some(false),
                data: None,
            })
        })
        .collect()
}
