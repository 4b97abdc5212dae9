//! Loops and branches that Toy does not have, or that are in wrong places.
//!
//! Input: a position at which a statement may start. Output: the word, and its place; all of the statement
//! is skipped.

use super::{Extra, OpenBrackets, Program, Tokens, position};
use crate::foreign::{Context, advice};
use crate::token::Token;
use chumsky::prelude::*;
use toy_diagnostics::source::Span;

/// A loop or a branch as other languages write them: a word and, before the statement ends, a block.
/// It is skipped as a whole; the result is the word with its place. (Such words are names in Toy, but for `else`.)
pub fn foreign_statement<'t>(
    program: Program<'t>,
) -> impl Parser<'t, Tokens<'t>, (&'t str, Span), Extra> + Clone {
    custom(move |input| {
        let start = position(input);
        let Some(mut end) = program.end_of_foreign_statement(start) else {
            return Err(program.silent_error(start));
        };
        // A chain of branches is one statement.
        while matches!(program.token(end), Some(Token::Else | Token::Identifier("elif")))
            && let Some(next) = program.end_of_foreign_statement(end)
        {
            end = next;
        }
        // The condition of `do { ... } while (c);`.
        if program.token(start) == Some(Token::Identifier("do"))
            && matches!(program.token(end), Some(Token::While | Token::Identifier("until")))
        {
            let is_end = |index: &usize| {
                let token = program.token(*index);
                matches!(token, None | Some(Token::Semicolon | Token::CloseBrace | Token::Def))
            };
            end = (end..).find(is_end).unwrap_or(end);
            end += usize::from(program.token(end) == Some(Token::Semicolon));
        }
        (start..end).for_each(|_| input.skip());
        let (token, span) = program.tokens[start];
        Ok((token.spelling(), span))
    })
}

impl Program<'_> {
    /// The brace of the block of such a loop or branch that starts at the token, if any.
    pub fn foreign_block(&self, start: usize) -> Option<usize> {
        self.token(start).filter(is_foreign_word)?;
        let mut open = OpenBrackets::default();
        let mut index = start + 1;
        loop {
            let token = self.token(index)?;
            let outside = open.closing.is_empty();
            match token {
                Token::Equals if index == start + 1 => return None,
                Token::Semicolon | Token::CloseBrace if outside => return None,
                Token::OpenBrace if outside && !self.is_in_expression(index) => return Some(index),
                // The next statement, so that looking ahead is linear.
                token if self.is_on_new_line(index) && is_foreign_word(&token) => return None,
                Token::If | Token::In | Token::Var => {}
                token if token.is_keyword() => return None,
                _ => open.pass(token),
            }
            index += 1;
        }
    }

    /// The index of the token after the block.
    fn end_of_foreign_statement(&self, start: usize) -> Option<usize> {
        let mut open = OpenBrackets::default();
        let mut index = self.foreign_block(start)?;
        loop {
            match self.token(index) {
                None | Some(Token::Def) => return Some(index),
                Some(token) => open.pass(token),
            }
            index += 1;
            if open.closing.is_empty() {
                return Some(index);
            }
        }
    }
}

/// True for words that start a loop or a branch in another language, or that follow an `if`.
fn is_foreign_word(token: &Token<'_>) -> bool {
    let has_row = |context| advice(context, token.spelling()).is_some();
    *token == Token::Else || has_row(Context::Else) || has_row(Context::Statement)
}
