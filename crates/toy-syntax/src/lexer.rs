//! Text to tokens.
//!
//! Input: a [`Source`]. Output: its tokens with their spans, and a diagnostic for each invalid token,
//! which remains in the list as [`Token::Invalid`], so that the parser knows about it. Invariants:
//! the spans ascend and do not overlap; a run of unknown characters is one diagnostic.

use super::strings;
use super::token::Token;
use logos::Logos;
use std::fmt::Write;
use toy_diagnostics::source::{Source, Span};
use toy_diagnostics::text::clipped;
use toy_diagnostics::{Diagnostic, codes};

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Splits the text into tokens.
pub fn lex(source: &Source) -> (Vec<(Token<'_>, Span)>, Vec<Diagnostic>) {
    let mut lexer = Token::lexer(&source.text);
    if source.text.starts_with(BYTE_ORDER_MARK) {
        lexer.bump(BYTE_ORDER_MARK.len_utf8());
    }
    let mut tokens: Vec<(Token<'_>, Span)> = Vec::with_capacity(capacity(&source.text));
    let mut diagnostics = Vec::new();
    // The current run of unknown characters.
    let mut unknown: Option<Span> = None;
    while let Some(result) = lexer.next() {
        let span = Span::new(lexer.span().start, lexer.span().end);
        let Ok(token) = result else {
            unknown = match unknown {
                Some(run) if run.end == span.start => Some(run.to(span)),
                run => {
                    report_unknown(run, source, &mut tokens, &mut diagnostics);
                    Some(span)
                }
            };
            continue;
        };
        report_unknown(unknown.take(), source, &mut tokens, &mut diagnostics);
        let error = match token {
            Token::Number(text) => bad_number(text, span),
            Token::Invalid if lexer.slice().starts_with('/') => {
                // A comment of another language is an error, but still white space.
                diagnostics.push(foreign_comment(source.snippet(span), span));
                continue;
            }
            Token::String(text) if !strings::is_closed(text) => {
                // What closes brackets at the end of the line is most likely not part of it.
                let inner = text.trim_end_matches([')', ']', '}', ';', ' ', '\t']);
                let end = span.start + inner.len() as u32;
                let inside = Span { end, ..span };
                tokens.push((Token::Invalid, inside));
                diagnostics.extend(strings::value(inner, inside).err());
                let rest = Token::lexer(&text[inner.len()..]).spanned();
                tokens.extend(rest.filter_map(|(token, range)| {
                    let at = |offset: usize| end as usize + offset;
                    Some((token.ok()?, Span::new(at(range.start), at(range.end))))
                }));
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
    report_unknown(unknown, source, &mut tokens, &mut diagnostics);
    (tokens, diagnostics)
}

/// Whether the tokens end in `var name<2, 3`, so that a `>=` is the end of the shape and a `=`.
fn ends_a_shape(tokens: &[(Token<'_>, Span)]) -> bool {
    let is_size = |token: &Token<'_>| matches!(token, Token::Number(_) | Token::Comma);
    let sizes = tokens.iter().rev().take_while(|(token, _)| is_size(token)).count();
    let before: Vec<Token<'_>> =
        tokens.iter().rev().skip(sizes).take(3).map(|(token, _)| *token).collect();
    matches!(before[..], [Token::Less, Token::Identifier(_), Token::Var | Token::Identifier(_)])
}

/// How many tokens to reserve memory for. What is not used costs addresses only, where growing the
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
    let bad = |message: String| Diagnostic::error(codes::BAD_NUMBER, message);
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => return None,
        Ok(_) => {
            let diagnostic = bad("this number is too large".to_owned());
            let label = "more than a 64-bit floating-point number can hold";
            return Some(diagnostic.label(span, label).help("the largest is about `1.8e308`"));
        }
        Err(_) => {}
    }
    let diagnostic = bad(format!("`{}` is not a number", clipped(text)));
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

/// A token of another language: `'text'`, `...`, `=>` or `=<`.
fn foreign_token(text: &str, span: Span) -> Diagnostic {
    if let Some(other) = text.strip_prefix('=') {
        let right = format!("{other}=");
        let message = format!("unknown operator `{text}`");
        return Diagnostic::error(codes::UNKNOWN_CHARACTER, message)
            .label(span, "no Toy token is written like this")
            .fix(format!("write `{right}`"), span, right);
    }
    if text.starts_with('.') {
        return Diagnostic::error(
            codes::UNKNOWN_CHARACTER,
            format!("unknown token `{}`", clipped(text)),
        )
        .label(span, "no Toy token is written like this")
        .fix("a range is written with two points: `0..4`", span, "..");
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

fn report_unknown(
    run: Option<Span>,
    source: &Source,
    tokens: &mut Vec<(Token<'_>, Span)>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let Some(span) = run else { return };
    tokens.push((Token::Invalid, span));
    diagnostics.push(unknown_characters(source.snippet(span), span));
}

fn unknown_characters(text: &str, span: Span) -> Diagnostic {
    let characters = if text.chars().nth(1).is_none() { "character" } else { "characters" };
    let message = format!("unknown {characters} `{}`", escaped(&clipped(text)));
    let diagnostic = Diagnostic::error(codes::UNKNOWN_CHARACTER, message)
        .label(span, "no Toy token starts like this");
    match text {
        "−" | "–" => diagnostic.fix("write `-`", span, "-"),
        "×" | "·" => diagnostic.fix("write `*`", span, "*"),
        "÷" => diagnostic.fix("write `/`", span, "/"),
        "≤" => diagnostic.fix("write `<=`", span, "<="),
        "≥" => diagnostic.fix("write `>=`", span, ">="),
        "≠" => diagnostic.fix("write `!=`", span, "!="),
        "&" => diagnostic.fix("write `&&`", span, "&&"),
        "|" => diagnostic.fix("write `||`", span, "||"),
        "?" => diagnostic.help("`where(c, a, b)` is `a` where `c` is not 0, and `b` elsewhere"),
        "^" => diagnostic.help("`pow(a, b)` raises `a` to the power of `b`"),
        "%" => diagnostic.help("the remainder is `a - floor(a / b) * b`"),
        "~" => diagnostic.help("`!` negates a condition"),
        _ if text.starts_with(['\'', '`', '“', '”', '‘', '’']) => {
            diagnostic.help("a string is written in double quotes: `\"text\"`")
        }
        _ => diagnostic,
    }
}

/// Text that is safe to print: control characters and invisible characters are escaped.
fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut shown, character| {
        match character {
            '\0' => shown.push_str("\\0"),
            // `escape_debug` escapes what is not printable, and also these.
            '"' | '\'' | '\\' => shown.push(character),
            _ => shown.extend(character.escape_debug()),
        }
        shown
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<&'static str> {
        lex(&Source::new("t", text)).0.iter().map(|(token, _)| token.kind()).collect()
    }

    /// `id@start-end message` of every diagnostic.
    fn errors(text: &str) -> Vec<String> {
        let (_, diagnostics) = lex(&Source::new("t", text));
        let show = |d: &Diagnostic| {
            let span = d.labels[0].span;
            format!("{}@{}-{} {}", d.code.id, span.start, span.end, d.message)
        };
        diagnostics.iter().map(show).collect()
    }

    #[test]
    fn every_token_is_recognized() {
        assert_eq!(
            kinds(
                "def var return struct define _x 1 2.5 3. .5 1e5 2.E-3 (){}[]<>,;=+-*/ . .. : <= >= == != && || ! @ \"a\\\"b\""
            ),
            [
                "Def",
                "Var",
                "Return",
                "Struct",
                "Identifier",
                "Identifier",
                "Number",
                "Number",
                "Number",
                "Number",
                "Number",
                "Number",
                "OpenParen",
                "CloseParen",
                "OpenBrace",
                "CloseBrace",
                "OpenBracket",
                "CloseBracket",
                "Less",
                "Greater",
                "Comma",
                "Semicolon",
                "Equals",
                "Plus",
                "Minus",
                "Star",
                "Slash",
                "Dot",
                "DotDot",
                "Colon",
                "LessEqual",
                "GreaterEqual",
                "EqualEqual",
                "NotEqual",
                "AndAnd",
                "OrOr",
                "Not",
                "At",
                "String",
            ]
        );
        assert_eq!(kinds("a # b ; \n c # d \r e # f"), ["Identifier"; 3]);
        assert_eq!(kinds("\u{feff}def\r\n\tvar"), ["Def", "Var"]);
        assert!(errors("\u{feff}def").is_empty());
        assert!(kinds("").is_empty() && kinds("# only\n\n").is_empty());
    }

    #[test]
    fn each_invalid_token_is_one_error() {
        let table: &[(&str, &[&str])] = &[
            ("1.2.3.4", &["E0102@0-7 `1.2.3.4` is not a number"]),
            ("1..2 ..5 a..b 1.5...5 0..-1", &["E0101@17-20 unknown token `...`"]),
            ("1.2.3..4", &["E0102@0-5 `1.2.3` is not a number"]),
            ("1e5.0", &["E0102@0-5 `1e5.0` is not a number"]),
            ("1e 1e+", &["E0102@0-2 `1e` is not a number", "E0102@3-5 `1e` is not a number"]),
            ("0x1F", &["E0102@0-4 `0x1F` is not a number"]),
            ("12_", &["E0102@0-3 `12_` is not a number"]),
            ("1+5 -1 1-1 a-b 1e-3-1 .5e-3 a.b a/b 7/2", &[]),
            ("\"hello (1);\nb", &["E0107@0-9 a string without end"]),
            ("\"a\\\"\nb", &["E0107@0-4 a string without end"]),
            ("\"a\\qb\" \"c\"", &["E0107@2-4 unknown escape `\\q` in a string"]),
            (
                "'a' 'b",
                &[
                    "E0101@0-3 a string is written in double quotes",
                    "E0101@4-6 unknown characters `'b`",
                ],
            ),
            (
                "a => b =< c",
                &["E0101@2-4 unknown operator `=>`", "E0101@7-9 unknown operator `=<`"],
            ),
            ("a // b c\nd", &["E0101@2-8 this is not how Toy writes comments"]),
            ("$$ \\", &["E0101@0-2 unknown characters `$$`", "E0101@3-4 unknown character `\\`"]),
            ("café1", &["E0101@3-5 unknown character `é`"]),
            ("a\0\u{1b}[m", &["E0101@1-3 unknown characters `\\0\\u{1b}`"]),
            ("a \u{feff}", &["E0101@2-5 unknown character `\\u{feff}`"]),
        ];
        for (text, expected) in table {
            assert_eq!(errors(text), *expected, "{text:?}");
        }
    }

    #[test]
    fn invalid_numbers_have_help_and_a_limit() {
        let help = |text: &str| {
            lex(&Source::new("t", text)).1[0]
                .help
                .clone()
                .map_or(String::new(), |help| help.message)
        };
        assert_eq!(help("0x10"), "write `16`");
        assert_eq!(help("12ab"), "a name starts with a letter; a number ends before `ab`");
        assert_eq!(errors("1e308 1e-400"), [""; 0]);
        assert_eq!(errors("1e309"), ["E0102@0-5 this number is too large"]);
        assert_eq!(errors(&"9".repeat(308)), [""; 0]);
        assert_eq!(errors(&"9".repeat(400)), ["E0102@0-400 this number is too large"]);
        assert_eq!(errors(&format!("0.{}", "9".repeat(400))), [""; 0]);
    }

    #[test]
    fn an_invalid_token_remains_one_token() {
        assert_eq!(kinds("1 $$ 2"), ["Number", "Invalid", "Number"]);
        assert_eq!(kinds("1.2.3 \"x"), ["Invalid", "Invalid"]);
        assert_eq!(kinds("1 // 2\n3"), ["Number", "Number"], "a comment is not a token");
    }

    #[test]
    fn points_are_told_apart() {
        assert_eq!(kinds("0..4"), ["Number", "DotDot", "Number"]);
        assert_eq!(kinds("0...4"), ["Number", "Invalid", "Number"]);
        assert_eq!(kinds("0. ..4."), ["Number", "DotDot", "Number"]);
        assert_eq!(kinds(".5.. .5"), ["Number", "DotDot", "Number"]);
        assert_eq!(
            kinds("n..m a.b"),
            ["Identifier", "DotDot", "Identifier", "Identifier", "Dot", "Identifier"]
        );
        assert_eq!(kinds("1e5..2e-3..x"), ["Number", "DotDot", "Number", "DotDot", "Identifier"]);
    }

    #[test]
    fn the_end_of_a_shape_is_no_comparison() {
        for text in ["var a<2,3>=1", "var a<>=1", "P a<2>=1"] {
            let found = kinds(text);
            assert_eq!(found[found.len() - 3..], ["Greater", "Equals", "Number"], "{text}");
        }
        for text in ["var a<b>=1", "a<2>=1", "print(a<2>=1", "a>=1", "return a<2>=1"] {
            assert!(kinds(text).contains(&"GreaterEqual"), "{text}");
        }
    }

    #[test]
    fn large_and_unusual_texts_are_lexed() {
        assert_eq!(kinds(&format!("#{}", "é".repeat(100_000))), [""; 0]);
        assert_eq!(kinds(&"# comment\n".repeat(1_000_000)), [""; 0]);
        assert_eq!(kinds(&"1".repeat(10_000_000)), ["Invalid"], "infinite");
        assert_eq!(kinds(&"a".repeat(10_000_000)), ["Identifier"]);
        assert_eq!(kinds(&"€".repeat(100_000)), ["Invalid"]);
        assert_eq!(kinds(&format!("\"{}", "é".repeat(100_000))), ["Invalid"]);
    }

    #[test]
    fn the_token_dump_is_aligned() {
        let (text, diagnostics) = dump_tokens(&Source::new("t", "def f\n  \u{1b};\n"));
        assert_eq!(
            text,
            "1:1  Def         def\n\
             1:5  Identifier  f\n\
             2:3  Invalid     \\u{1b}\n\
             2:4  Semicolon   ;\n"
        );
        assert_eq!(diagnostics.len(), 1);
    }
}
