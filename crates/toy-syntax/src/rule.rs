//! The vocabulary of the grammar: the type of its rules, and the program that they read.
//!
//! Input: tokens and their text. Output: for each rule, the position it has reached, the tokens there, and its error
//! if it does not apply. Nothing here knows the grammar.

use super::ast::{Expr, ExprKind};
use chumsky::input::{InputRef, MappedInput};

pub use super::parse_error::{Expected, ParseError, syntax_error};
pub use super::token::Token;
pub use chumsky::prelude::*;
pub use toy_diagnostics::source::Span;
pub use toy_diagnostics::{Diagnostic, Edit, codes};

pub type TokenSlice<'t> = &'t [(Token<'t>, Span)];
pub type Tokens<'t> = MappedInput<'t, Token<'t>, Span, TokenSlice<'t>>;
pub type Extra = extra::Err<ParseError>;

/// A rule of the grammar. Boxed, because the types of unboxed rules take seconds to compile.
pub type Rule<'t, T> = Boxed<'t, 't, Tokens<'t>, T, Extra>;

/// The whole program, for rules that look beyond the current token.
#[derive(Clone, Copy)]
pub struct Program<'t> {
    pub tokens: TokenSlice<'t>,
    pub text: &'t str,
}

impl<'t> Program<'t> {
    /// The text of a span.
    pub fn snippet(&self, span: Span) -> &'t str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// True if a line ends between a token and the one before it.
    pub fn is_on_new_line(&self, index: usize) -> bool {
        let before = index.checked_sub(1).and_then(|before| self.tokens.get(before));
        before.is_none_or(|(_, before)| {
            let between = self.text.get(before.end as usize..self.start_of(index) as usize);
            between.is_none_or(|between| between.contains(['\n', '\r']))
        })
    }

    pub fn start_of(&self, index: usize) -> u32 {
        self.tokens.get(index).map_or(self.text.len() as u32, |(_, span)| span.start)
    }

    pub fn token(&self, index: usize) -> Option<Token<'t>> {
        self.tokens.get(index).map(|(token, _)| *token)
    }
}

/// The tokens from the current one on, for a rule that reads them itself.
pub struct Reader<'r, 't: 'p, 'p> {
    /// The index of the current token, when the rule started.
    pub start: usize,
    program: Program<'t>,
    input: &'r mut InputRef<'t, 'p, Tokens<'t>, Extra>,
}

impl<'t> Reader<'_, 't, '_> {
    /// The token that is `count` after the one that the rule started at.
    pub fn token(&self, count: usize) -> Option<Token<'t>> {
        self.program.token(self.start + count)
    }

    /// The span of the token that the rule started at; empty at the end of the text.
    pub fn span(&self) -> Span {
        let end = Span::at(self.program.text.len() as u32);
        self.program.tokens.get(self.start).map_or(end, |(_, span)| *span)
    }

    pub fn skip(&mut self, count: usize) {
        (0..count).for_each(|_| self.input.skip());
    }

    pub fn emit(&mut self, error: impl Into<ParseError>) {
        self.input.emit(error.into());
    }
}

/// A rule that reads tokens itself; it does not apply if `read` returns None, which is not an error to report.
pub fn rule<'t, T: 't>(
    program: Program<'t>,
    read: impl Fn(&mut Reader<'_, 't, '_>) -> Option<T> + 't,
) -> Rule<'t, T> {
    custom(move |input: &mut InputRef<'t, '_, Tokens<'t>, Extra>| {
        let start = input.cursor().inner().0;
        let mut reader = Reader { start, program, input };
        let found = reader.span();
        let silent = ParseError::Unexpected { found, expected: Expected::NOTHING };
        read(&mut reader).ok_or(silent)
    })
    .boxed()
}

/// A token that is allowed, but not worth mentioning where it is missing.
pub fn quiet<'t>(token: Token<'static>) -> Rule<'t, Span> {
    just(token).to_span().labelled(Expected::NOTHING).boxed()
}

/// Any number of `;`.
pub fn semicolons<'t>() -> Rule<'t, ()> {
    quiet(Token::Semicolon).repeated().boxed()
}

/// An expression that could not be parsed.
pub fn error_expr(span: Span) -> Expr {
    Expr { kind: ExprKind::Error, span }
}
