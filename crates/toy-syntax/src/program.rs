//! The program that the parser reads: its tokens and its text.
//!
//! Input: an index of a token, or a span. Output: what is there; None or nothing behind the end of the text.

use super::token::Token;
use toy_diagnostics::source::Span;

pub type TokenSlice<'t> = &'t [(Token<'t>, Span)];

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
