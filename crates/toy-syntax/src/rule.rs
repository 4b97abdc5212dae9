//! The vocabulary of the grammar: the type of its rules, and the tokens that they read.
//!
//! Input: tokens and their text. Output: for each rule, the position it has reached, the tokens there, and its error
//! if it does not apply. Nothing here knows the grammar.

use super::ast::{Expr, ExprKind};
use chumsky::input::{InputRef, MappedInput};

pub use super::parse_error::{Expected, ParseError, syntax_error};
pub use super::program::{Program, TokenSlice};
pub use super::token::Token;
pub use chumsky::prelude::*;
pub use toy_diagnostics::source::Span;
pub use toy_diagnostics::{Diagnostic, Edit, codes};

pub type Tokens<'t> = MappedInput<'t, Token<'t>, Span, TokenSlice<'t>>;
pub type Extra = extra::Err<ParseError>;

/// A rule of the grammar. Boxed, because the types of unboxed rules take seconds to compile.
pub type Rule<'t, T> = Boxed<'t, 't, Tokens<'t>, T, Extra>;

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
