//! Diagnostics as the protocol has them.

use super::View;
use gen_lsp_types::{
    Diagnostic as Shown, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag,
    PublishDiagnosticsParams,
};
use toy_diagnostics::source::Span;
use toy_diagnostics::{Diagnostic, Severity, codes};

/// The most diagnostics of one document: more are not read, and slow editors down.
const MAX_SHOWN: usize = 500;

/// All diagnostics of a document.
pub fn publish(view: &View) -> PublishDiagnosticsParams {
    let all = view.document.diagnostics();
    PublishDiagnosticsParams {
        uri: view.document.uri.clone(),
        diagnostics: all.iter().take(MAX_SHOWN).map(|it| shown(view, it)).collect(),
        version: Some(view.document.version),
    }
}

pub fn shown(view: &View, diagnostic: &Diagnostic) -> Shown {
    let span = diagnostic.labels.first().map_or(Span::new(0, 0), |label| label.span);
    let related = diagnostic.labels.iter().skip(1).map(|label| DiagnosticRelatedInformation {
        location: view.location(label.span),
        message: label.message.clone(),
    });
    let related: Vec<_> = related.collect();
    let fades = [codes::UNUSED_VARIABLE, codes::UNUSED_FUNCTION, codes::UNREACHABLE_CODE];
    Shown {
        range: view.range(span),
        severity: Some(match diagnostic.severity {
            Severity::Error => DiagnosticSeverity::Error,
            Severity::Warning => DiagnosticSeverity::Warning,
            Severity::Remark => DiagnosticSeverity::Information,
            Severity::Note => DiagnosticSeverity::Hint,
        }),
        code: Some(diagnostic.code.id.into()),
        source: Some("toyc".to_owned()),
        message: message(diagnostic).into(),
        related_information: (!related.is_empty()).then_some(related),
        tags: fades.contains(&diagnostic.code).then(|| vec![DiagnosticTag::Unnecessary]),
        ..Shown::default()
    }
}

/// The message, with the label, notes and help that a terminal shows around it.
fn message(diagnostic: &Diagnostic) -> String {
    let mut lines = vec![diagnostic.message.clone()];
    let label = diagnostic.labels.first().map(|label| label.message.clone());
    // Beside the place, the label `expected X` repeats the message `expected X, found Y`.
    lines.extend(label.filter(|label| !diagnostic.message.contains(label.as_str())));
    lines.extend(diagnostic.notes.iter().map(|note| format!("note: {note}")));
    lines.extend(diagnostic.help.iter().map(|help| format!("help: {}", help.message)));
    lines.join("\n")
}
