//! The error type of the parser, and its conversion to diagnostics.
//!
//! Input: the errors of one parse: tokens, and the tokens expected instead. Output: diagnostics, at
//! most one per syntax error. Invariants: of several errors at one token, the first is reported; no
//! error is reported about text that the lexer or an earlier error has covered.

mod advice;
mod braces;

use super::program::Program;
use super::token::Token;
use crate::foreign::{self, Context};
use chumsky::DefaultExpected;
use chumsky::error::{Error, LabelError};
use chumsky::input::Input;
use chumsky::util::MaybeRef;
use toy_diagnostics::source::Span;
use toy_diagnostics::text::joined;
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

/// The sets of one construct: their names, their descriptions in the order of a list of several, and their tokens.
macro_rules! constructs {
    ($($name:ident: $description:literal $(= $token:ident)?,)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "named like the constants")]
        enum Bit {
            $($name,)*
        }

        impl Expected {
            $(pub const $name: Expected = Expected(1 << Bit::$name as u32);)*

            const DESCRIPTIONS: &[(Expected, &str)] = &[$((Expected::$name, $description),)*];

            fn of(token: &Token<'_>) -> Expected {
                match token {
                    $($(Token::$token => Expected::$name,)?)*
                    _ => Expected::NOTHING,
                }
            }
        }
    };
}

constructs! {
    DEFINITION: "`def`" = Def,
    STRUCT: "`struct`" = Struct,
    STRUCT_NAME: "the name of the struct",
    FIELD_NAME: "the name of a field",
    FIELD: "a field like `var a;`",
    FUNCTION_NAME: "the name of the function",
    PARAMETER_NAME: "the name of a parameter",
    VARIABLE_NAME: "the name of the variable",
    STATEMENT: "a statement",
    EXPRESSION: "an expression",
    ELEMENT: "an element of the list",
    DIMENSION: "a dimension",
    SUBSCRIPT: "an index or a range",
    RANGE: "`..`" = DotDot,
    IN: "`in`",
    OPEN_PAREN: "`(`" = OpenParen,
    OPEN_BRACE: "`{`" = OpenBrace,
    EQUALS: "`=`" = Equals,
    COMMA: "`,`" = Comma,
    CLOSE_PAREN: "`)`" = CloseParen,
    CLOSE_BRACKET: "`]`" = CloseBracket,
    CLOSE_BRACE: "`}`" = CloseBrace,
    GREATER: "`>`" = Greater,
    SEMICOLON: "`;`" = Semicolon,
}

impl Expected {
    /// Allowed but not worth mentioning, such as the operators that may follow every expression.
    pub const NOTHING: Expected = Expected(0);

    fn has(self, other: Expected) -> bool {
        self.0 & other.0 != 0
    }

    const fn and(self, other: Expected) -> Expected {
        Expected(self.0 | other.0)
    }

    /// `a`, `a or b`, `a, b or c`.
    fn description(self) -> String {
        let expected = Self::DESCRIPTIONS.iter().filter(|(one, _)| self.has(*one));
        let expected: Vec<&str> = expected.map(|(_, description)| *description).collect();
        if expected.is_empty() { "something else".to_owned() } else { joined(&expected, "or") }
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
pub fn into_diagnostics(errors: Vec<ParseError>, program: Program<'_>) -> Vec<Diagnostic> {
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
        let index = program.tokens.partition_point(|(_, span)| span.start < at);
        let is_silent = |index: usize| program.token(index) == Some(Token::Invalid);
        let known = last == Some(at)
            || reached_by_skipping
            || is_silent(index)
            || index.checked_sub(1).is_some_and(is_silent);
        last = Some(at);
        if !known {
            diagnostics.push(Mismatch { program, index, found, expected }.describe());
        }
    }
    diagnostics
}

/// An unexpected token, with its context.
struct Mismatch<'t> {
    program: Program<'t>,
    index: usize,
    found: Span,
    expected: Expected,
}

impl<'t> Mismatch<'t> {
    fn describe(&self) -> Diagnostic {
        // `var(x)` is meant as a function.
        let is_call = self.after(0) == Some(Token::Var) && self.after(1) == Some(Token::OpenParen);
        if self.lacks_semicolon() && !is_call {
            return self.missing_semicolon();
        }
        if let Some(open) = self.unclosed_bracket().filter(|_| !is_call) {
            return self.unclosed(open);
        }
        if self.expected.has(Expected::DEFINITION)
            && let Some(diagnostic) = self.surplus_brace()
        {
            return diagnostic;
        }
        let diagnostic = self
            .error(self.expected)
            .label(self.found_or_end(), format!("expected {}", self.expected.description()));
        match advice::advice(self) {
            Some((help, edit)) => diagnostic.fixes(help, edit.into_iter().collect()),
            None => diagnostic,
        }
    }

    /// The token that is `count` after the one found.
    fn after(&self, count: usize) -> Option<Token<'t>> {
        self.program.token(self.index + count)
    }

    fn error(&self, expected: Expected) -> Diagnostic {
        let found = self.after(0).map(|token| token.to_string());
        let found = found.as_deref().unwrap_or("the end of the file");
        let message = format!("expected {}, found {found}", expected.description());
        Diagnostic::error(codes::UNEXPECTED_TOKEN, message)
    }

    /// The location to report: for the end of the file, after the last token, not the last newline.
    fn found_or_end(&self) -> Span {
        if self.after(0).is_some() { self.found } else { self.after_previous() }
    }

    fn after_previous(&self) -> Span {
        Span::at(self.span_before().map_or(self.found.start, |span| span.end))
    }

    fn lacks_semicolon(&self) -> bool {
        let ends_here = self.statement_ends();
        self.expected.has(Expected::SEMICOLON)
            && (ends_here || !self.expected.has(Expected::EXPRESSION))
    }

    /// True if the token can only start another statement or end the block.
    fn statement_ends(&self) -> bool {
        match self.after(0) {
            None | Some(Token::CloseBrace | Token::Def | Token::Struct) => true,
            Some(Token::Var | Token::Return) => true,
            Some(_) => self.program.is_on_new_line(self.index),
        }
    }

    fn missing_semicolon(&self) -> Diagnostic {
        let diagnostic = self.error(Expected::SEMICOLON);
        match advice::instead_of_semicolon(self) {
            Some((label, help, edit)) => {
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
        let found_ends_it = match self.after(0) {
            None | Some(Token::Def | Token::Struct) => true,
            Some(Token::Semicolon | Token::Var | Token::Return | Token::OpenBrace) => !in_block,
            Some(token) if token.starts_control() => !in_block && self.statement_ends(),
            Some(token) => token.is_closing() && !in_block,
        };
        // Only brackets of this kind count: others may be unbalanced because of earlier errors.
        let mut closed = 0usize;
        let before = self.program.tokens.get(..self.index).filter(|_| found_ends_it)?;
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
        let span = self.program.tokens[open].1;
        let is_brace = token == Token::OpenBrace;
        let inner = braces::most_likely_unclosed(self.program, open..self.index);
        let label = format!("expected {}", expected.description());
        match inner.filter(|_| is_brace) {
            Some((inner, next)) => {
                syntax_error("a block without its `}`", inner, "this `{` is most likely not closed")
                    .label(self.program.tokens[next].1, "its block seems to end before this line")
                    .label(self.found_or_end(), label)
            }
            // More is allowed here, but most likely the closing bracket is missing.
            None => {
                let diagnostic = self
                    .error(expected)
                    .label(self.found_or_end(), label)
                    .label(span, format!("this {token} is never closed"));
                // A definition at the start of a line is most likely not meant to be inside.
                let is_indented =
                    braces::indentation(self.program.text, self.found.start as usize) > 0;
                let is_nested = is_brace && self.after(0) == Some(Token::Def) && is_indented;
                match foreign::advice(Context::CloseBrace, "def").filter(|_| is_nested) {
                    Some((help, _)) => diagnostic.help(help),
                    None => diagnostic,
                }
            }
        }
    }

    /// A `}` without a `{`, here or, as the indentation says, before.
    fn surplus_brace(&self) -> Option<Diagnostic> {
        let is_here = self.after(0) == Some(Token::CloseBrace);
        let surplus = braces::most_likely_surplus(self.program, self.index);
        let span = surplus.or(is_here.then_some(self.found))?;
        let diagnostic =
            syntax_error("a `}` that closes nothing", span, "most likely this `}` is one too many");
        let diagnostic = match span == self.found {
            true => diagnostic,
            false => diagnostic.label(self.found, "outside of the function, which ends too early"),
        };
        Some(diagnostic.help("remove the `}`"))
    }
}
