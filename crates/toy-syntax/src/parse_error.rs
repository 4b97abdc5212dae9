//! The error type of the parser, and its conversion to diagnostics.
//!
//! Input: the errors of one parse: tokens, and the tokens expected instead. Output: diagnostics, at
//! most one per syntax error. Invariants: of several errors at one token, the first is reported; no
//! error is reported about text that the lexer or an earlier error has covered.

mod advice;
mod braces;

use super::token::Token;
use advice::Advice;
use chumsky::DefaultExpected;
use chumsky::error::{Error, LabelError};
use chumsky::input::Input;
use chumsky::util::MaybeRef;
use toy_diagnostics::source::Span;
use toy_diagnostics::{Diagnostic, codes};

/// An error of the parser.
#[derive(Clone, Debug)]
pub enum ParseError {
    /// The token at `found` (empty at the end of the file) is not an expected one.
    Unexpected { found: Span, expected: Expected },
    /// Recovery skipped the tokens from `start` to before `end` without finding its goal. Not an
    /// error itself, but it suppresses an error about the token at `end`.
    Skipped { start: u32, end: u32 },
    /// A finished diagnostic.
    Reported(Box<Diagnostic>),
}

impl From<Diagnostic> for ParseError {
    fn from(diagnostic: Diagnostic) -> Self {
        ParseError::Reported(Box::new(diagnostic))
    }
}

/// A syntax error, with a label for its place.
pub fn syntax_error(
    message: impl Into<String>,
    span: Span,
    label: impl Into<String>,
) -> Diagnostic {
    Diagnostic::error(codes::UNEXPECTED_TOKEN, message).label(span, label)
}

/// A set of tokens or constructs that the grammar allows next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected(u32);

impl Expected {
    /// Allowed but not worth mentioning, such as the operators that may follow every expression.
    pub const NOTHING: Expected = Expected(0);
    pub const DEFINITION: Expected = Expected(1);
    pub const FUNCTION_NAME: Expected = Expected(1 << 1);
    pub const PARAMETER_NAME: Expected = Expected(1 << 2);
    pub const VARIABLE_NAME: Expected = Expected(1 << 3);
    pub const STATEMENT: Expected = Expected(1 << 4);
    pub const EXPRESSION: Expected = Expected(1 << 5);
    pub const ELEMENT: Expected = Expected(1 << 6);
    pub const DIMENSION: Expected = Expected(1 << 7);
    pub const OPEN_PAREN: Expected = Expected(1 << 8);
    pub const OPEN_BRACE: Expected = Expected(1 << 9);
    pub const EQUALS: Expected = Expected(1 << 10);
    pub const COMMA: Expected = Expected(1 << 11);
    pub const CLOSE_PAREN: Expected = Expected(1 << 12);
    pub const CLOSE_BRACKET: Expected = Expected(1 << 13);
    pub const CLOSE_BRACE: Expected = Expected(1 << 14);
    pub const GREATER: Expected = Expected(1 << 15);
    pub const SEMICOLON: Expected = Expected(1 << 16);

    pub const STRUCT_NAME: Expected = Expected(1 << 17);
    pub const FIELD_NAME: Expected = Expected(1 << 18);
    pub const FIELD: Expected = Expected(1 << 19);
    pub const STRUCT: Expected = Expected(1 << 20);
    pub const SUBSCRIPT: Expected = Expected(1 << 21);
    pub const RANGE: Expected = Expected(1 << 22);
    pub const IN: Expected = Expected(1 << 23);

    const DESCRIPTIONS: [(Expected, &str); 24] = [
        (Expected::DEFINITION, "`def`"),
        (Expected::STRUCT, "`struct`"),
        (Expected::STRUCT_NAME, "the name of the struct"),
        (Expected::FIELD_NAME, "the name of a field"),
        (Expected::FIELD, "a field like `var a;`"),
        (Expected::FUNCTION_NAME, "the name of the function"),
        (Expected::PARAMETER_NAME, "the name of a parameter"),
        (Expected::VARIABLE_NAME, "the name of the variable"),
        (Expected::STATEMENT, "a statement"),
        (Expected::EXPRESSION, "an expression"),
        (Expected::ELEMENT, "an element of the list"),
        (Expected::DIMENSION, "a dimension"),
        (Expected::SUBSCRIPT, "an index or a range"),
        (Expected::RANGE, "`..`"),
        (Expected::IN, "`in`"),
        (Expected::OPEN_PAREN, "`(`"),
        (Expected::OPEN_BRACE, "`{`"),
        (Expected::EQUALS, "`=`"),
        (Expected::COMMA, "`,`"),
        (Expected::CLOSE_PAREN, "`)`"),
        (Expected::CLOSE_BRACKET, "`]`"),
        (Expected::CLOSE_BRACE, "`}`"),
        (Expected::GREATER, "`>`"),
        (Expected::SEMICOLON, "`;`"),
    ];

    fn of(token: &Token<'_>) -> Expected {
        match token {
            Token::Def => Expected::DEFINITION,
            Token::Struct => Expected::STRUCT,
            Token::OpenParen => Expected::OPEN_PAREN,
            Token::OpenBrace => Expected::OPEN_BRACE,
            Token::Equals => Expected::EQUALS,
            Token::Comma => Expected::COMMA,
            Token::CloseParen => Expected::CLOSE_PAREN,
            Token::CloseBracket => Expected::CLOSE_BRACKET,
            Token::CloseBrace => Expected::CLOSE_BRACE,
            Token::Greater => Expected::GREATER,
            Token::Semicolon => Expected::SEMICOLON,
            Token::DotDot => Expected::RANGE,
            _ => Expected::NOTHING,
        }
    }

    fn has(self, other: Expected) -> bool {
        self.0 & other.0 != 0
    }

    const fn and(self, other: Expected) -> Expected {
        Expected(self.0 | other.0)
    }

    /// `a`, `a or b`, `a, b or c`.
    fn description(self) -> String {
        let expected: Vec<&str> = Self::DESCRIPTIONS
            .iter()
            .filter(|(one, _)| self.has(*one))
            .map(|(_, words)| *words)
            .collect();
        match expected.split_last() {
            None => "something else".to_owned(),
            Some((last, [])) => (*last).to_owned(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
        }
    }
}

impl<'t, I: Input<'t, Token = Token<'t>, Span = Span>> Error<'t, I> for ParseError {
    fn merge(self, other: Self) -> Self {
        match (self, other) {
            (
                ParseError::Unexpected { found, expected },
                ParseError::Unexpected { expected: others, .. },
            ) => ParseError::Unexpected { found, expected: expected.and(others) },
            (first, _) => first,
        }
    }
}

impl<'t, I> LabelError<'t, I, DefaultExpected<'t, Token<'t>>> for ParseError
where
    I: Input<'t, Token = Token<'t>, Span = Span>,
{
    fn expected_found<E: IntoIterator<Item = DefaultExpected<'t, Token<'t>>>>(
        expected: E,
        _: Option<MaybeRef<'t, Token<'t>>>,
        found: Span,
    ) -> Self {
        let expected = expected.into_iter().fold(Expected::NOTHING, |expected, one| match one {
            DefaultExpected::Token(token) => expected.and(Expected::of(&token)),
            _ => expected,
        });
        ParseError::Unexpected { found, expected }
    }
}

impl<'t, I> LabelError<'t, I, Expected> for ParseError
where
    I: Input<'t, Token = Token<'t>, Span = Span>,
{
    fn expected_found<E: IntoIterator<Item = Expected>>(
        expected: E,
        _: Option<MaybeRef<'t, Token<'t>>>,
        found: Span,
    ) -> Self {
        let expected = expected.into_iter().fold(Expected::NOTHING, Expected::and);
        ParseError::Unexpected { found, expected }
    }

    fn label_with(&mut self, label: Expected) {
        if let ParseError::Unexpected { expected, .. } = self {
            *expected = label;
        }
    }
}

/// The diagnostics of one parse.
pub fn into_diagnostics(
    errors: Vec<ParseError>,
    tokens: &[(Token<'_>, Span)],
    text: &str,
) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut skips = Vec::new();
    let mut unexpected = Vec::new();
    for error in errors {
        match error {
            ParseError::Reported(diagnostic) => diagnostics.push(*diagnostic),
            ParseError::Skipped { start, end } => skips.push((end, start)),
            ParseError::Unexpected { found, expected } => unexpected.push((found, expected)),
        }
    }
    skips.sort_unstable();
    // A stable sort: of several errors at a token, the innermost rule's comes first.
    unexpected.sort_by_key(|(found, _)| found.start);
    let mut last: Option<u32> = None;
    for (found, expected) in unexpected {
        let at = found.start;
        let skip = skips.partition_point(|(end, _)| *end < at);
        let reached_by_skipping = skips[skip..]
            .iter()
            .take_while(|(end, _)| *end == at)
            .any(|(_, start)| last.is_some_and(|last| last >= *start && last < at));
        let index = tokens.partition_point(|(_, span)| span.start < at);
        let is_silent = |index: usize| matches!(tokens.get(index), Some((Token::Invalid, _)));
        let known = last == Some(at)
            || reached_by_skipping
            || is_silent(index)
            || index.checked_sub(1).is_some_and(is_silent);
        last = Some(at);
        if !known {
            diagnostics.push(Mismatch { tokens, text, index, found, expected }.describe());
        }
    }
    diagnostics
}

/// True if a line ends between a token and the one before it.
pub fn is_on_new_line(tokens: &[(Token<'_>, Span)], text: &str, index: usize) -> bool {
    let Some(before) = index.checked_sub(1).and_then(|before| tokens.get(before)) else {
        return true;
    };
    let start = tokens.get(index).map_or(text.len(), |(_, span)| span.start as usize);
    text.get(before.1.end as usize..start).is_none_or(|between| between.contains(['\n', '\r']))
}

/// An unexpected token, with its context.
struct Mismatch<'t> {
    tokens: &'t [(Token<'t>, Span)],
    text: &'t str,
    index: usize,
    found: Span,
    expected: Expected,
}

impl<'t> Mismatch<'t> {
    fn describe(&self) -> Diagnostic {
        if self.lacks_semicolon() {
            return self.missing_semicolon();
        }
        if let Some(open) = self.unclosed_bracket() {
            return self.unclosed(open);
        }
        let diagnostic = self
            .error(self.expected)
            .label(self.found_or_end(), format!("expected {}", self.expected.description()));
        match advice::advice(self) {
            Some((help, edit)) => diagnostic.fixes(help, edit.into_iter().collect()),
            None => diagnostic,
        }
    }

    fn token(&self, index: usize) -> Option<Token<'t>> {
        self.tokens.get(index).map(|(token, _)| *token)
    }

    fn error(&self, expected: Expected) -> Diagnostic {
        let found = match self.token(self.index) {
            Some(token) => token.to_string(),
            None => "the end of the file".to_owned(),
        };
        let message = format!("expected {}, found {found}", expected.description());
        Diagnostic::error(codes::UNEXPECTED_TOKEN, message)
    }

    /// The location to report: for the end of the file, after the last token, not the last newline.
    fn found_or_end(&self) -> Span {
        match self.tokens.get(self.index) {
            Some(_) => self.found,
            None => self.after_previous(),
        }
    }

    fn after_previous(&self) -> Span {
        let previous = self.index.checked_sub(1).and_then(|before| self.tokens.get(before));
        let end = previous.map_or(self.found.start, |(_, span)| span.end) as usize;
        Span::new(end, end)
    }

    fn lacks_semicolon(&self) -> bool {
        let ends_here = self.statement_ends();
        self.expected.has(Expected::SEMICOLON)
            && (ends_here || !self.expected.has(Expected::EXPRESSION))
    }

    /// True if the token can only start another statement or end the block.
    fn statement_ends(&self) -> bool {
        match self.token(self.index) {
            None | Some(Token::CloseBrace | Token::Def | Token::Struct) => true,
            Some(Token::Var | Token::Return) => true,
            Some(_) => is_on_new_line(self.tokens, self.text, self.index),
        }
    }

    fn missing_semicolon(&self) -> Diagnostic {
        let diagnostic = self.error(Expected::SEMICOLON);
        match advice::instead_of_semicolon(self) {
            Some(Advice { label, help, edit }) => {
                let diagnostic = match label == advice::CALL {
                    true => self.error(Expected::OPEN_PAREN),
                    false => diagnostic,
                };
                let diagnostic = diagnostic.label(self.found_or_end(), label);
                diagnostic.fixes(help, edit.into_iter().collect())
            }
            None => {
                let end = self.after_previous();
                let diagnostic = diagnostic.label(end, "expected `;`");
                // In the middle of a line, something else may be wrong.
                if !self.statement_ends() && !self.starts_statement() {
                    return diagnostic;
                }
                diagnostic.fix("add `;` here", end, ";")
            }
        }
    }

    /// The innermost open bracket, if the token found cannot be inside it.
    fn unclosed_bracket(&self) -> Option<(Expected, Token<'_>, usize)> {
        let closing = [
            (Expected::CLOSE_PAREN, Token::CloseParen),
            (Expected::CLOSE_BRACKET, Token::CloseBracket),
            (Expected::CLOSE_BRACE, Token::CloseBrace),
        ];
        let (expected, closing) =
            closing.into_iter().find(|(expected, _)| self.expected.has(*expected))?;
        // A struct literal could go on with a comma.
        let in_block = closing == Token::CloseBrace && !self.expected.has(Expected::COMMA);
        let found_ends_it = match self.token(self.index) {
            None | Some(Token::Def | Token::Struct) => true,
            Some(Token::Semicolon | Token::Var | Token::Return | Token::OpenBrace) => !in_block,
            Some(token) if token.starts_control() => !in_block && self.statement_ends(),
            Some(token) => token.is_closing() && !in_block,
        };
        // Only brackets of this kind count: others may be unbalanced because of earlier errors.
        let mut closed = 0usize;
        let before = self.tokens.get(..self.index).filter(|_| found_ends_it)?;
        for (index, (token, _)) in before.iter().enumerate().rev() {
            if *token == closing {
                closed += 1;
            } else if token.closing() == Some(closing) {
                match closed.checked_sub(1) {
                    None => return Some((expected, *token, index)),
                    Some(rest) => closed = rest,
                }
            }
        }
        None
    }

    fn unclosed(&self, (expected, token, open): (Expected, Token<'_>, usize)) -> Diagnostic {
        // More is allowed here, but most likely the closing bracket is missing.
        let diagnostic = self
            .error(expected)
            .label(self.found_or_end(), format!("expected {}", expected.description()));
        let span = self.tokens[open].1;
        let is_brace = token == Token::OpenBrace;
        let inner = braces::most_likely_unclosed(self.tokens, self.text, open..self.index);
        match inner.filter(|(inner, _)| is_brace && *inner != span) {
            Some((inner, next)) => diagnostic
                .label(inner, "most likely this `{` is not closed")
                .label(self.tokens[next].1, "its block seems to end before this line"),
            None => diagnostic.label(span, format!("this {token} is never closed")),
        }
    }
}
