//! Quick fixes: the edits that diagnostics suggest.

use super::View;
use super::diagnostics::shown;
use gen_lsp_types::{CodeAction, CodeActionKind, CodeActionParams, TextEdit};
use toy_diagnostics::Diagnostic;
use toy_diagnostics::source::Span;

/// The fixes of the diagnostics that touch a range.
pub fn actions(
    view: &View,
    params: &CodeActionParams,
    has_document_changes: bool,
) -> Vec<CodeAction> {
    let quick_fix = CodeActionKind::QuickFix.to_string();
    let is_wanted = |only: &Vec<CodeActionKind>| {
        only.iter().any(|kind| quick_fix.starts_with(&kind.to_string()))
    };
    if !params.context.only.as_ref().is_none_or(is_wanted) {
        return Vec::new();
    }
    let wanted = view.places().span(params.range);
    let all = view.document.diagnostics();
    let actions_at = |wanted: Span| -> Vec<CodeAction> {
        let touching = all.iter().filter(|diagnostic| touches(diagnostic, wanted));
        touching.filter_map(|it| action(view, it, has_document_changes)).collect()
    };
    let at_place = actions_at(wanted);
    if !at_place.is_empty() {
        return at_place;
    }
    // With nothing at the cursor, the diagnostics that the client shows beside these lines.
    let places = view.places();
    let line = |offset| places.line_span(places.line(offset));
    actions_at(line(wanted.start).to(line(wanted.end)))
}

/// True if the primary place or an edit of a diagnostic touches a span.
fn touches(diagnostic: &Diagnostic, wanted: Span) -> bool {
    let primary = diagnostic.labels.first().map(|label| label.span);
    let edits = diagnostic.help.iter().flat_map(|help| &help.edits).map(|edit| edit.span);
    let touches = |span: Span| span.start <= wanted.end && wanted.start <= span.end;
    primary.into_iter().chain(edits).any(touches)
}

fn action(view: &View, diagnostic: &Diagnostic, has_document_changes: bool) -> Option<CodeAction> {
    let help = diagnostic.help.as_ref().filter(|help| !help.edits.is_empty())?;
    let edits = help
        .edits
        .iter()
        .map(|edit| TextEdit { range: view.range(edit.span), new_text: edit.replacement.clone() });
    Some(CodeAction {
        title: help.message.clone(),
        kind: Some(CodeActionKind::QuickFix),
        diagnostics: Some(vec![shown(view, diagnostic)]),
        edit: Some(view.workspace_edit(edits.collect(), has_document_changes)),
        is_preferred: Some(true),
        ..CodeAction::default()
    })
}
