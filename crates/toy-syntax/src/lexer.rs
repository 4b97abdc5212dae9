//! Text to tokens.
//!
//! Input: a [`Source`]. Output: its tokens with their spans, and a diagnostic for each invalid token,
//! which remains in the list as [`Token::Invalid`], so that the parser knows about it. Invariants:
//! the spans ascend and do not overlap; a run of unknown characters is one diagnostic.

use super::foreign::{Context, advised};
use super::strings;
use super::token::Token;
use logos::Logos;
use std::fmt::Write;
use toy_diagnostics::source::{Source, Span};
use toy_diagnostics::text::clipped;
use toy_diagnostics::{Diagnostic, codes};

/// The tokens between which the end of a shape is looked for.
const MOST_OF_A_SHAPE: usize = 256;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Splits the text into tokens.
pub fn lex(source: &Source) -> (Vec<(Token<'_>, Span)>, Vec<Diagnostic>) {
    let mut lexer = Token::lexer(&source.text);
    if source.text.starts_with(BYTE_ORDER_MARK) {
        lexer.bump(BYTE_ORDER_MARK.len_utf8());
    }
    let mut tokens: Vec<(Token<'_>, Span)> = Vec::with_capacity(capacity(&source.text));
    let mut diagnostics = Vec::new();
    while let Some(result) = lexer.next() {
        let mut span = Span::new(lexer.span().start, lexer.span().end);
        let Ok(token) = result else {
            // A run of unknown characters is one token.
            let mut ahead = lexer.clone();
            while ahead.next() == Some(Err(())) && ahead.span().start == span.end as usize {
                span.end = ahead.span().end as u32;
                lexer = ahead.clone();
            }
            tokens.push((Token::Invalid, span));
            let diagnostic = unknown_characters(source.snippet(span), span);
            // A name with such a letter is one mistake, wherever it is used.
            let is_letter = source.snippet(span).chars().all(char::is_alphabetic);
            let is_known = |other: &Diagnostic| {
                other.code == codes::UNKNOWN_CHARACTER && other.message == diagnostic.message
            };
            if !(is_letter && diagnostics.iter().rev().take(RECENT).any(is_known)) {
                diagnostics.push(diagnostic);
            }
            continue;
        };
        let error = match token {
            Token::Number(text) => bad_number(text, span),
            Token::Invalid if is_quotient(source, &tokens, span) => {
                span.end = span.start + 2;
                lexer = Token::lexer(&source.text);
                lexer.bump(span.end as usize);
                Some(foreign_token("//", span))
            }
            Token::Invalid if lexer.slice().starts_with('/') => {
                // A comment of another language is an error, but still white space.
                diagnostics.push(foreign_comment(source.snippet(span), span));
                continue;
            }
            Token::String(text) => strings::value(text, span).err(),
            Token::Invalid => Some(foreign_token(source.snippet(span), span)),
            Token::GreaterEqual if ends_a_shape(&tokens) => {
                tokens.push((Token::Greater, Span { end: span.start + 1, ..span }));
                tokens.push((Token::Equals, Span { start: span.start + 1, ..span }));
                continue;
            }
            _ => None,
        };
        tokens.push((if error.is_some() { Token::Invalid } else { token }, span));
        diagnostics.extend(error);
    }
    (tokens, diagnostics)
}

/// True if the tokens end in `var name<2, shape(x, 0)`, so that a `>=` is the end of the shape and a `=`.
fn ends_a_shape(tokens: &[(Token<'_>, Span)]) -> bool {
    // In brackets of a size, it is a comparison.
    let mut open = 0_usize;
    for (at, (token, _)) in tokens.iter().enumerate().rev().take(MOST_OF_A_SHAPE) {
        match token {
            Token::Less if open == 0 => {
                let before = |count: usize| Some(tokens[at.checked_sub(count)?].0);
                return matches!(before(1), Some(Token::Identifier(_)))
                    && matches!(before(2), Some(Token::Var | Token::Identifier(_)));
            }
            token if token.is_closing() => open += 1,
            token if token.closing().is_some() => match open.checked_sub(1) {
                Some(fewer) => open = fewer,
                None => return false,
            },
            Token::Semicolon | Token::Var | Token::Equals => return false,
            _ => {}
        }
    }
    false
}

/// How many tokens to reserve memory for. Unused capacity costs addresses only, but growing the
/// list would leave memory behind that the allocator keeps.
fn capacity(text: &str) -> usize {
    const MOST: usize = 1 << 24;
    (text.len() / 2 + 16).min(MOST)
}

/// The output of `-emit=tokens`: one line per token, `line:column  KIND  text`.
pub fn dump_tokens(source: &Source) -> (String, Vec<Diagnostic>) {
    let (tokens, diagnostics) = lex(source);
    let place = |span: &Span| {
        let at = source.line_column(span.start);
        format!("{}:{}", at.line, at.column)
    };
    let place_width = tokens.iter().map(|(_, span)| place(span).len()).max().unwrap_or(0);
    let kind_width = tokens.iter().map(|(token, _)| token.kind().len()).max().unwrap_or(0);
    let mut text = String::new();
    for (token, span) in &tokens {
        let (place, kind, snippet) = (place(span), token.kind(), source.snippet(*span));
        let shown = if *token == Token::Invalid { escaped(snippet) } else { snippet.to_owned() };
        let _ = writeln!(text, "{place:<place_width$}  {kind:<kind_width$}  {shown}");
    }
    (text, diagnostics)
}

/// The error in a number, if it is not valid.
fn bad_number(text: &str, span: Span) -> Option<Diagnostic> {
    // Most numbers are so plain that nothing has to be computed to accept them.
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let points = text.bytes().filter(|byte| *byte == b'.').count();
    if points <= 1 && digits + points == text.len() && digits <= 300 {
        return None;
    }
    if let Ok(value) = text.parse::<f64>() {
        let diagnostic = Diagnostic::error(codes::BAD_NUMBER, "this number is too large")
            .label(span, "more than a 64-bit floating-point number can hold")
            .help("the largest is about `1.8e308`");
        return (!value.is_finite()).then_some(diagnostic);
    }
    let message = format!("`{}` is not a number", clipped(text));
    let diagnostic = Diagnostic::error(codes::BAD_NUMBER, message);
    if text.starts_with("0x") || text.starts_with("0X") {
        let value = u64::from_str_radix(&text[2..], 16).ok().filter(|value| *value < 1 << 53);
        let diagnostic = diagnostic.label(span, "Toy's numbers are decimal");
        return Some(match value {
            Some(value) => diagnostic.fix(format!("write `{value}`"), span, value.to_string()),
            None => diagnostic,
        });
    }
    let mut dims = text.split('x');
    if text.contains('x')
        && dims.all(|dim| !dim.is_empty() && dim.bytes().all(|b| b.is_ascii_digit()))
    {
        let list = text.replace('x', ", ");
        let diagnostic =
            diagnostic.label(span, "the dimensions of a shape are separated by commas");
        return Some(diagnostic.fix(format!("write `{}`", clipped(&list)), span, list));
    }
    let mantissa = text.trim_end_matches(['e', 'E', '+', '-']);
    if mantissa.len() < text.len() && mantissa.parse::<f64>().is_ok() {
        let diagnostic = diagnostic.label(span, "an exponent needs digits: `1e5`, `1e-5`");
        return Some(diagnostic);
    }
    let digits = text.replace('_', "");
    if digits.len() < text.len() && bad_number(&digits, span).is_none() {
        let diagnostic = diagnostic.label(span, "digits are not grouped");
        return Some(diagnostic.fix(format!("write `{}`", clipped(&digits)), span, digits));
    }
    let letter =
        text.find(|c: char| c.is_ascii_alphabetic() && !matches!(c, 'e' | 'E') || c == '_');
    Some(match letter {
        Some(letter) => diagnostic.label(span, "digits followed by letters").help(format!(
            "a name starts with a letter; a number ends before `{}`",
            clipped(&text[letter..])
        )),
        None => diagnostic.label(span, "a number has at most one decimal point and one exponent"),
    })
}

/// True if a `//` and the rest of its line are an operator and code, not a comment: an operand precedes it on the line,
/// which goes on like a statement.
fn is_quotient(source: &Source, tokens: &[(Token<'_>, Span)], span: Span) -> bool {
    let Some((before, place)) = tokens.last() else { return false };
    let ends_operand = matches!(
        before,
        Token::Number(_) | Token::Identifier(_) | Token::CloseParen | Token::CloseBracket
    );
    let between = Span { start: place.end, end: span.start };
    let Some(rest) = source.snippet(span).strip_prefix("//") else { return false };
    let mut codes = rest.split('#').next().unwrap_or_default().split("//");
    ends_operand
        && !source.snippet(between).contains('\n')
        && codes.any(|code| code.trim_end().ends_with([';', '{', '}', ',']))
}

/// A token of another language: `'text'`, `...`, `=>`, `=<` or `//`.
fn foreign_token(text: &str, span: Span) -> Diagnostic {
    let unknown = |kind: &str, context: Context, meant: &str| {
        let message = format!("unknown {kind} `{}`", clipped(text));
        let diagnostic = Diagnostic::error(codes::UNKNOWN_CHARACTER, message)
            .label(span, "no Toy token is written like this");
        advised(diagnostic, context, meant, span)
    };
    match text.as_bytes().first() {
        Some(b'=' | b'/') => return unknown("operator", Context::Operator, text),
        Some(b'.') => return unknown("token", Context::Range, "..."),
        _ => {}
    }
    let inner = text.trim_matches('\'').replace('"', "\\\"");
    Diagnostic::error(codes::UNKNOWN_CHARACTER, "a string is written in double quotes")
        .label(span, "no Toy token starts with `'`")
        .fix(format!("write `\"{}\"`", clipped(&inner)), span, format!("\"{inner}\""))
}

fn foreign_comment(text: &str, span: Span) -> Diagnostic {
    let help = "a comment starts with `#` and ends with the line";
    let diagnostic =
        Diagnostic::error(codes::UNKNOWN_CHARACTER, "this is not how Toy writes comments")
            .label(span, "`/` is division and does not start a comment");
    if text.starts_with("//") {
        return diagnostic.fix(help, Span { end: span.start + 2, ..span }, "#");
    }
    diagnostic.help(help)
}

/// The number of recent diagnostics that are searched for the same letters.
const RECENT: usize = 16;

fn unknown_characters(text: &str, span: Span) -> Diagnostic {
    let characters = if text.chars().nth(1).is_none() { "character" } else { "characters" };
    let message = format!("unknown {characters} `{}`", escaped(&clipped(text)));
    let diagnostic = Diagnostic::error(codes::UNKNOWN_CHARACTER, message)
        .label(span, "no Toy token starts like this");
    match text {
        _ if text.starts_with(['\'', '`', '“', '”', '‘', '’']) => {
            diagnostic.help("a string is written in double quotes: `\"text\"`")
        }
        _ if text.chars().all(char::is_alphabetic) => {
            diagnostic.help("names have the letters `a` to `z` and `A` to `Z`, digits and `_`")
        }
        _ => advised(diagnostic, Context::Character, text, span),
    }
}

/// Text that is safe to print: control characters and invisible characters are escaped.
fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut shown, character| {
        match character {
            '\0' => shown.push_str("\\0"),
            // `escape_debug` escapes unprintable characters, and also these.
            '"' | '\'' | '\\' => shown.push(character),
            _ => shown.extend(character.escape_debug()),
        }
        shown
    })
}

#[cfg(test)]
mod tests;
