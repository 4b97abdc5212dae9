//! MLIR's diagnostics as ours: the same renderer, a code, and the culprit: the program or the compiler.

use crate::pass_context::PassContext;
use crate::session::{Advice, DiagnosticSeverity, MlirDiagnostic, Spelling};
use crate::{Locations, Session};
use toy_diagnostics::{Code, Diagnostic, REPORT, Severity, codes};

/// MLIR text that does not parse.
pub fn syntax(session: &Session, locations: &Locations) -> Vec<Diagnostic> {
    let mut diagnostics = errors(session, locations, codes::MLIR_SYNTAX);
    if diagnostics.is_empty() {
        diagnostics.push(silent_rejection(session, &locations.source.text));
    }
    diagnostics
}

/// LLVM 22 rejects the custom form of an operation that is defined in IRDL without a message. The
/// dialect's [`Spelling`] may know the place.
pub fn silent_rejection(session: &Session, text: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error(codes::MLIR_SYNTAX, "the input is not valid MLIR");
    match session.spelling().and_then(|spelling| (spelling.of_text)(text)) {
        Some((span, Advice { label, help })) => diagnostic.label(span, label).help(help),
        None => diagnostic.note("MLIR gives no reason"),
    }
}

/// MLIR's verifier rejects the program: an error in `.mlir` input, or in one of our passes.
pub fn verification(context: &PassContext, stage: &str, is_ours: bool) -> Vec<Diagnostic> {
    let diagnostics = errors(context.session, &context.locations, codes::MLIR_SYNTAX);
    if !is_ours {
        return diagnostics;
    }
    let diagnostics = diagnostics.into_iter().map(|diagnostic| internal(diagnostic, stage));
    let mut diagnostics: Vec<_> = diagnostics.collect();
    if diagnostics.is_empty() {
        let invalid = Diagnostic::error(codes::INTERNAL, "the program became invalid");
        diagnostics.push(internal(invalid, stage));
    }
    diagnostics
}

/// A pass of MLIR's cannot handle the program.
pub fn pass(context: &PassContext, pass: &str) -> Vec<Diagnostic> {
    rejected(errors(context.session, &context.locations, codes::MLIR_REJECTED))
        .into_iter()
        .map(|diagnostic| diagnostic.note(format!("in the pass `{pass}`")))
        .collect()
}

/// The LLVM dialect cannot be translated, usually because an operation of another dialect is left.
pub fn translation(session: &Session, locations: &Locations) -> Vec<Diagnostic> {
    rejected(errors(session, locations, codes::MLIR_REJECTED))
        .into_iter()
        .map(|diagnostic| diagnostic.note("in the translation to LLVM IR"))
        .collect()
}

/// Marks a diagnostic as an internal error, with how to report it.
pub fn internal(diagnostic: Diagnostic, stage: &str) -> Diagnostic {
    let message = format!("toyc made an invalid program: {}", diagnostic.message);
    Diagnostic { code: codes::INTERNAL, message, ..diagnostic }
        .note(format!("after the stage `{stage}`"))
        .help(REPORT)
}

fn rejected(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    if diagnostics.is_empty() {
        let message = "MLIR cannot compile this program and does not say why";
        diagnostics.push(Diagnostic::error(codes::MLIR_REJECTED, message));
    }
    diagnostics
}

/// MLIR's errors since the last call.
fn errors(session: &Session, locations: &Locations, code: Code) -> Vec<Diagnostic> {
    let all = session.take_diagnostics();
    let spelling = session.spelling();
    all.iter().filter(|d| d.is_error()).map(|d| convert(d, locations, code, spelling)).collect()
}

/// MLIR's diagnostics in our form; the code is the code of errors.
pub fn convert(
    diagnostic: &MlirDiagnostic,
    locations: &Locations,
    code: Code,
    spelling: Option<Spelling>,
) -> Diagnostic {
    let mut message = diagnostic.message.as_str();
    // MLIR prefixes the errors of an operation with the operation's name.
    if message.is_empty() {
        message = "MLIR reports an error";
    }
    let mut lines = message.lines();
    let first = lines.next().unwrap_or_default();
    let mut result = match diagnostic.severity {
        DiagnosticSeverity::Error => Diagnostic::error(code, first),
        DiagnosticSeverity::Warning => Diagnostic::warning(codes::MLIR_REMARK, first),
        DiagnosticSeverity::Remark => Diagnostic::remark(codes::MLIR_REMARK, first),
        DiagnosticSeverity::Note => {
            let severity = Severity::Note;
            Diagnostic { severity, ..Diagnostic::remark(codes::MLIR_REMARK, first) }
        }
    };
    let span = |place: &Option<_>| place.as_ref().and_then(|p| locations.span_of_place(p));
    match (span(&diagnostic.place), &diagnostic.place) {
        (Some(span), _) => {
            let before = &locations.source.text[..span.start as usize];
            result = match spelling.and_then(|spelling| (spelling.of_message)(first, before)) {
                Some(Advice { label, help }) => result.label(span, label).help(help),
                None => result.label(span, "here"),
            };
        }
        (None, Some(place)) => {
            result = result.note(format!("at {}:{}:{}", place.file, place.start.0, place.start.1));
        }
        (None, None) => {}
    }
    for line in lines {
        result = result.note(line);
    }
    for (note, place) in &diagnostic.notes {
        result = match span(place) {
            Some(span) => result.label(span, note),
            None => result.note(note),
        };
    }
    result
}
