//! Adjusts diagnostics for a file that is being edited.
//!
//! Input: the diagnostics of the front end, and the tokens. Output: the diagnostics, some of them moved and some left
//! out. Invariants: an error stays an error until its text is fixed, so that an invalid text does not become a program;
//! suppressed errors reappear once the error beside them is fixed.

use toy_diagnostics::source::Span;
use toy_diagnostics::{Code, Diagnostic, codes};
use toy_syntax::token::Token;

/// Adapts diagnostics to an editor.
pub fn tidy(diagnostics: &mut Vec<Diagnostic>, tokens: &[(Token<'_>, Span)], text: &str) {
    // A file that was just made is not wrong yet.
    if tokens.is_empty() {
        diagnostics.retain(|it| it.code != codes::NO_MAIN);
    }
    diagnostics.iter_mut().for_each(|it| not_a_value(it, tokens, text));
    let mut unfinished = Vec::new();
    for diagnostic in diagnostics.iter_mut().filter(|it| it.code == codes::UNEXPECTED_TOKEN) {
        let Some(label) = diagnostic.labels.first_mut() else { continue };
        let Some((token, span)) = before(tokens, label.span) else { continue };
        unfinished.push(span);
        // Missing text is reported at the end of its line, not at the start of a later line that is right.
        if is_line_between(span, label.span, text) && !ends(token) {
            label.span = Span { start: span.end, end: span.end };
        }
    }
    // A name before the place where the text stops making sense is being typed: it may become any other.
    const OF_NAMES: [Code; 4] = [
        codes::UNKNOWN_VARIABLE,
        codes::DUPLICATE_VARIABLE,
        codes::UNKNOWN_STRUCT,
        codes::UNKNOWN_FIELD,
    ];
    diagnostics.retain(|it| {
        // Either of two variables may be meant: the one in a finished line has its name already.
        let count = if it.code == codes::DUPLICATE_VARIABLE { 2 } else { 1 };
        let mut places = it.labels.iter().take(count).map(|label| label.span);
        !(OF_NAMES.contains(&it.code) && places.any(|span| unfinished.contains(&span)))
    });
}

/// A `print` in a later line is the next statement, and not the value that is missing in this one.
fn not_a_value(diagnostic: &mut Diagnostic, tokens: &[(Token<'_>, Span)], text: &str) {
    let Some(label) = diagnostic.labels.first() else { return };
    let at = tokens.partition_point(|(_, span)| span.start < label.span.start);
    let is_print = tokens.get(at).is_some_and(|(token, _)| *token == Token::Identifier("print"));
    let Some((token, span)) = before(tokens, label.span) else { return };
    let is_next = is_line_between(span, label.span, text) && !ends(token);
    if diagnostic.code == codes::NO_VALUE && is_print && is_next {
        let place = Span { start: span.end, end: span.end };
        *diagnostic =
            Diagnostic::error(codes::UNEXPECTED_TOKEN, "expected an expression, found `print`")
                .label(place, "expected an expression");
    }
}

fn is_line_between(first: Span, second: Span, text: &str) -> bool {
    let between = Span { start: first.end, end: second.start.max(first.end) };
    text[between.within(text)].contains(['\n', '\r'])
}

/// The token before a place.
fn before<'t>(tokens: &[(Token<'t>, Span)], place: Span) -> Option<(Token<'t>, Span)> {
    let count = tokens.partition_point(|(_, span)| span.end <= place.start);
    tokens.get(count.checked_sub(1)?).copied()
}

/// True if nothing is missing after a token: an error after it stands by itself.
fn ends(token: Token<'_>) -> bool {
    matches!(token, Token::Semicolon | Token::OpenBrace | Token::CloseBrace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toy_diagnostics::source::Source;

    /// The codes, with the texts before the places.
    fn tidied(text: &str) -> Vec<(&'static str, String)> {
        let source = Source::new("t", text);
        let (_, mut diagnostics) = toy_syntax::analyze(&source);
        tidy(&mut diagnostics, &toy_syntax::lexer::lex(&source).0, text);
        let shown = |it: &Diagnostic| {
            let before = &text[..it.labels[0].span.start as usize];
            (it.code.id, before.lines().last().unwrap_or_default().trim().to_owned())
        };
        diagnostics.iter().map(shown).collect()
    }

    fn one(code: &'static str, before: &str) -> Vec<(&'static str, String)> {
        vec![(code, before.to_owned())]
    }

    #[test]
    fn what_is_missing_is_missing_where_the_line_ends() {
        assert_eq!(tidied("def main() {\n  var x =\n  print(1);\n}\n"), one("E0103", "var x ="));
        assert_eq!(tidied("def main()\n  print(1);\n}\n")[0], one("E0103", "def main()")[0]);
        // An error that stands by itself stays where it is.
        assert_eq!(
            tidied("def main() { print(1); }\nxyz\n"),
            one("E0103", "def main() { print(1); }")
        );
        assert_eq!(tidied("def main() {\n  print(1 2);\n}\n"), one("E0103", "print(1"));
    }

    #[test]
    fn a_name_that_is_being_typed_is_not_unknown_yet() {
        let typed =
            |part: &str| format!("def main() {{\n  var m = 1;\n  {part}\n  print(m);\n}}\n");
        assert_eq!(tidied(&typed("pri")), one("E0103", "pri"));
        assert_eq!(tidied(&typed("var m")), one("E0103", "var m"));
        // One that was typed before is.
        assert_eq!(tidied(&typed("m = n +"))[0], one("E0201", "m =")[0]);
        assert_eq!(tidied(&typed("print(n);")), one("E0201", "print("));
    }

    #[test]
    fn an_empty_file_needs_no_main() {
        assert_eq!(tidied("# later\n"), []);
        assert_eq!(tidied("def f() { print(1); }"), one("E0208", "def f() { print(1); }"));
    }
}
