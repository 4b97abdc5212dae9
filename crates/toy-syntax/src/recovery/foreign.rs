//! Loops and branches that Toy does not have, and those in wrong places.
//!
//! Input: a position at which a statement may start. Output: the word, and its place; all of the statement
//! is skipped.

use super::{Extra, OpenBrackets, Program, Tokens, position};
use crate::token::Token;
use chumsky::prelude::*;
use toy_diagnostics::source::Span;

/// Words that start loops and branches in other languages, and an `else` that follows no `if`.
const FOREIGN_STATEMENTS: [&str; 10] =
    ["else", "elif", "do", "loop", "switch", "match", "unless", "until", "repeat", "foreach"];

/// A loop or a branch as other languages write them: a word and, before the statement ends, a block.
/// All of it is skipped; the result is the word with its place. (Such words are names in Toy.)
pub fn foreign_statement<'t>(
    program: Program<'t>,
) -> impl Parser<'t, Tokens<'t>, (&'t str, Span), Extra> + Clone {
    custom(move |input| {
        let start = position(input);
        let Some(mut end) = program.end_of_foreign_statement(start) else {
            return Err(program.silent_error(start));
        };
        // A chain of branches is one statement.
        while matches!(program.token(end), Some(Token::Identifier("else" | "elif")))
            && let Some(next) = program.end_of_foreign_statement(end)
        {
            end = next;
        }
        // The condition of `do { ... } while (c);`.
        if program.token(start) == Some(Token::Identifier("do"))
            && matches!(program.token(end), Some(Token::Identifier("while" | "until")))
        {
            let is_end = |index: &usize| {
                let token = program.token(*index);
                matches!(token, None | Some(Token::Semicolon | Token::CloseBrace | Token::Def))
            };
            end = (end..).find(is_end).unwrap_or(end);
            end += usize::from(program.token(end) == Some(Token::Semicolon));
        }
        (start..end).for_each(|_| input.skip());
        match program.tokens[start] {
            (Token::Identifier(word), span) => Ok((word, span)),
            (_, span) => Ok(("", span)),
        }
    })
}

impl Program<'_> {
    /// If a loop or a branch starts at the token, the index of the token after its block.
    fn end_of_foreign_statement(&self, start: usize) -> Option<usize> {
        match self.token(start) {
            Some(Token::Identifier(word)) if FOREIGN_STATEMENTS.contains(&word) => {}
            _ => return None,
        }
        let mut open = OpenBrackets::default();
        let mut index = start + 1;
        loop {
            let token = self.token(index)?;
            let outside = open.closing.is_empty();
            match token {
                Token::Def | Token::Struct => return None,
                // The next statement, so that looking ahead is linear.
                Token::Identifier(word)
                    if FOREIGN_STATEMENTS.contains(&word) && self.is_on_new_line(index) =>
                {
                    return None;
                }
                Token::Equals if index == start + 1 => return None,
                Token::Semicolon | Token::CloseBrace if outside => return None,
                Token::OpenBrace if outside && !self.is_in_expression(index) => break,
                _ => open.pass(token),
            }
            index += 1;
        }
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
