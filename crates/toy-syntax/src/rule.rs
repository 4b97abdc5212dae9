//! The type of the grammar's rules, and the program that they read.
//!
//! Input: tokens and their text. Output: for each rule, the position it has reached, the tokens there, and its error
//! if it does not apply. Nothing here knows the grammar.

use super::ast::{Expr, ExprKind};
use super::parse_error::{Expected, ParseError, is_on_new_line};
use super::token::Token;
use chumsky::input::{InputRef, MappedInput};
use chumsky::prelude::*;
use toy_diagnostics::source::Span;

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

    pub fn is_on_new_line(&self, index: usize) -> bool {
        is_on_new_line(self.tokens, self.text, index)
    }

    pub fn start_of(&self, index: usize) -> u32 {
        self.tokens.get(index).map_or(self.text.len() as u32, |(_, span)| span.start)
    }

    /// For a rule that does not apply, where chumsky needs an error but none is to be reported.
    pub fn silent_error(&self, index: usize) -> ParseError {
        let end = Span::new(self.text.len(), self.text.len());
        let found = self.tokens.get(index).map_or(end, |(_, span)| *span);
        ParseError::Unexpected { found, expected: Expected::NOTHING }
    }

    pub fn token(&self, index: usize) -> Option<Token<'t>> {
        self.tokens.get(index).map(|(token, _)| *token)
    }
}

pub fn position<'t>(input: &InputRef<'t, '_, Tokens<'t>, Extra>) -> usize {
    input.cursor().inner().0
}

/// An expression that could not be parsed.
pub fn error_expr(span: Span) -> Expr {
    Expr { kind: ExprKind::Error, span }
}
