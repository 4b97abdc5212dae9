//! The part of a program that its errors do not touch, so that its shapes are known while the rest is wrong.
//!
//! Input: a text with errors that need no shapes. Output: the text with spaces in place of the statements that have
//! them, and of those that use their variables, until it is a program; None if it does not become one. Invariant: all
//! that is left is at its place.

use crate::settings::Settings;
use crate::unfinished;
use toy_diagnostics::source::{Source, Span};
use toy_diagnostics::{Diagnostic, Severity, codes};
use toy_syntax::ast::{Module, Statement, walk_all};
use toy_syntax::lexer;

/// A statement that is left out may take others with it. More rounds than this are not worth their time.
const ROUNDS: usize = 16;

/// The text without the statements that have errors, with its warnings; None if nothing is left of the program.
pub fn without_errors(
    name: &str,
    text: &str,
    settings: &Settings,
) -> Option<(String, Vec<Diagnostic>)> {
    let mut text = text.to_owned();
    for _ in 0..ROUNDS {
        let source = Source::new(name, &*text);
        let (module, mut diagnostics) = settings.analyze(&source);
        let tokens = lexer::lex(&source).0;
        if tokens.is_empty() {
            return None;
        }
        unfinished::tidy(&mut diagnostics, &tokens, &text);
        let is_error = |it: &&Diagnostic| it.severity == Severity::Error;
        let mut errors = diagnostics.iter().filter(is_error).peekable();
        if errors.peek().is_none() {
            return Some((text, diagnostics));
        }
        let mut bytes = text.clone().into_bytes();
        for error in errors {
            let place = error.labels.first()?.span;
            // Text that the parser could not read is part of the wrong statement, or of none.
            let is_read = error.code != codes::UNEXPECTED_TOKEN;
            let statement = statement_at(&module, place).filter(|_| is_read);
            let wrong = statement.unwrap_or_else(|| line_at(&text, place));
            for byte in &mut bytes[wrong.within(&text)] {
                if !matches!(byte, b'\n' | b'\r') {
                    *byte = b' ';
                }
            }
        }
        let rest = String::from_utf8(bytes).ok()?;
        if rest == text {
            return None;
        }
        text = rest;
    }
    None
}

/// The innermost statement around a place, with its semicolon.
fn statement_at(module: &Module, place: Span) -> Option<Span> {
    let mut found: Option<Span> = None;
    for function in module.functions.iter().filter(|it| contains(it.span, place)) {
        walk_all(&function.body, |statement: &Statement| {
            let is_inside = |outer: Span| contains(outer, statement.span);
            if contains(statement.span, place) && found.is_none_or(is_inside) {
                found = Some(statement.span);
            }
        });
    }
    found
}

/// The line that a place begins in.
fn line_at(text: &str, place: Span) -> Span {
    let at = (place.start as usize).min(text.len());
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
    Span::new(start, end)
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_with_errors_are_left_out() {
        for (text, expected) in [
            ("def main() { print(1); }", Some("def main() { print(1); }")),
            // With the uses of what they define.
            (
                "def main() {\n  var a = b;\n  var c = a;\n  var d = 2;\n  print(d);\n}",
                Some("def main() { ; ; var d = 2; print(d); }"),
            ),
            (
                "def main() {\n  if (1) { print(x); print(2); }\n}",
                Some("def main() { if (1) { ; print(2); } }"),
            ),
            // Text that the parser cannot read.
            ("def main() {\n  var a = \n  print(2);\n}\nxyz\n", Some("def main() { print(2); }")),
            ("def other() { return 1; }", None),
            ("\u{e9}", None),
        ] {
            let rest = without_errors("t", text, &Settings::default()).map(|(rest, _)| rest);
            assert!(rest.as_ref().is_none_or(|rest| rest.len() == text.len()), "{rest:?}");
            let words = |rest: String| rest.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(rest.map(words).as_deref(), expected, "{text}");
        }
    }
}
