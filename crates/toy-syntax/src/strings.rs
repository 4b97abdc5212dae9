//! The text of a string token and its value.
//!
//! Input: a string as written, with its quotes. Output: its value, or the error in it. `literal` is the
//! inverse. Invariant: the value has no control characters but line feeds and tabs, which are written as
//! `\n` and `\t`.

use toy_diagnostics::source::Span;
use toy_diagnostics::{Diagnostic, codes};

/// The value of a string token.
pub fn value(text: &str, span: Span) -> Result<String, Diagnostic> {
    let error = |message: String| Diagnostic::error(codes::BAD_STRING, message);
    let mut value = String::with_capacity(text.len());
    // Without the opening quote; the token ends with the closing one, if there is one.
    let mut rest = text.char_indices().skip(1);
    while let Some((at, character)) = rest.next() {
        let part = |len: usize| {
            let start = span.start as usize + at;
            Span::new(start, start + len)
        };
        match character {
            '"' => return Ok(value),
            '\\' => match rest.next() {
                Some((_, 'n')) => value.push('\n'),
                Some((_, 't')) => value.push('\t'),
                Some((_, escaped @ ('"' | '\\'))) => value.push(escaped),
                Some((_, other)) => {
                    let other = other.escape_debug();
                    let diagnostic = error(format!("unknown escape `\\{other}` in a string"))
                        .label(
                            part(1 + text[at + 1..].chars().next().map_or(0, char::len_utf8)),
                            "no such escape",
                        );
                    return Err(diagnostic.help(r#"the escapes are `\n`, `\t`, `\"` and `\\`"#));
                }
                None => break,
            },
            character if character.is_control() && character != '\t' => {
                let message =
                    format!("control character `{}` in a string", character.escape_debug());
                return Err(error(message).label(
                    part(character.len_utf8()),
                    "invisible characters are not part of strings",
                ));
            }
            character => value.push(character),
        }
    }
    let end = Span { start: span.end, ..span };
    Err(error("a string that does not end".to_owned())
        .label(span, "the line ends, and the string does not")
        .fix("end it with `\"`, or write `\\n` for a line end", end, "\""))
}

/// The string as a program writes it.
pub fn literal(value: &str) -> String {
    let mut text = String::with_capacity(value.len() + 2);
    text.push('"');
    for character in value.chars() {
        match character {
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            '"' | '\\' => text.extend(['\\', character]),
            _ => text.push(character),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_has_the_value_that_its_escapes_say() {
        let span = Span::new(0, 0);
        for text in ["", "plain", "ä \u{1f600}", "a\nb\tc", "\"quoted\" \\ n", "#"] {
            assert_eq!(value(&literal(text), span), Ok(text.to_owned()));
        }
        for bad in
            ["\"", "\"abc", "\"abc\\", "\"abc\\\"", "\"a\\qb\"", "\"\\é\"", "\"\u{1b}\"", "\"\0\""]
        {
            assert!(value(bad, span).is_err(), "{bad}");
        }
    }
}
