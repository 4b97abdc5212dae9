//! MLIR's diagnostics as ours: the same renderer, a code, and a word on whose mistake it is.

use crate::diagnostic::{Code, Diagnostic, REPORT, Severity, codes};
use crate::dialect::spelling::{self, Advice};
use crate::mlir::pass::PassContext;
use crate::mlir::session::{DiagnosticSeverity, MlirDiagnostic};
use crate::mlir::{Locations, Session};
use crate::source::Span;

/// MLIR text that does not parse.
pub fn syntax(session: &Session, locations: &Locations) -> Vec<Diagnostic> {
    let mut diagnostics = errors(session, locations, codes::MLIR_SYNTAX);
    if diagnostics.is_empty() {
        diagnostics.push(silent_rejection(&locations.source.text));
    }
    diagnostics
}

/// LLVM 22 rejects the custom form of an operation that is defined in IRDL without a word: the first
/// Toy operation that is not in quotes is it.
pub fn silent_rejection(text: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error(codes::MLIR_SYNTAX, "the input is not valid MLIR");
    let custom = spelling::first_custom_form(text)
        .and_then(|range| Some((spelling::of_operation(&text[range.clone()])?, range)));
    match custom {
        Some((Advice { label, help }, range)) => {
            diagnostic.label(Span::new(range.start, range.end), label).help(help)
        }
        None => diagnostic.note("MLIR gives no reason"),
    }
}

/// MLIR's verifier rejects the program: a mistake in `.mlir` input, or one of a pass of ours.
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

/// The LLVM dialect cannot be translated, mostly because something of another dialect is left.
pub fn translation(session: &Session, locations: &Locations) -> Vec<Diagnostic> {
    rejected(errors(session, locations, codes::MLIR_REJECTED))
        .into_iter()
        .map(|diagnostic| diagnostic.note("in the translation to LLVM IR"))
        .collect()
}

/// Marks a diagnostic as our own mistake, with what to do about it.
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

/// MLIR's errors since they were last asked for.
fn errors(session: &Session, locations: &Locations, code: Code) -> Vec<Diagnostic> {
    let all = session.take_diagnostics();
    all.iter().filter(|d| d.is_error()).map(|d| convert(d, locations, code)).collect()
}

/// What MLIR said, in our form; the code is that of an error.
pub fn convert(diagnostic: &MlirDiagnostic, locations: &Locations, code: Code) -> Diagnostic {
    let mut message = diagnostic.message.as_str();
    // MLIR prefixes what it knows to be an error of an operation with the operation's name.
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
            result = match advice(first, &locations.source.text[..span.start as usize]) {
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

/// What MLIR does not know of Toy's syntax; `before` is the text before the place of its message.
fn advice(message: &str, before: &str) -> Option<Advice> {
    let is_field =
        ["expected base attribute 'builtin.array'", "expected 1 type arguments, but had"];
    if before.ends_with("!toy.") && is_field.iter().any(|start| message.starts_with(start)) {
        return Some(spelling::of_struct());
    }
    let rest = message
        .strip_prefix("custom op '")
        .filter(|_| message.ends_with("' is unknown"))
        .or_else(|| message.strip_prefix("unregistered operation '"))?;
    spelling::of_operation(rest.split('\'').next()?)
}
