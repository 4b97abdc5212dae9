//! Rules that need more than one token to recognize a statement or a declaration.
//!
//! Input: a position. Output: the tokens that decide. Invariants: each rule looks at a few tokens only; a rule that
//! does not apply fails without an error of its own.

use super::{Extra, Program, Tokens, position};
use crate::ast::Name;
use crate::builtins::is_builtin;
use crate::token::Token;
use chumsky::prelude::*;
use toy_diagnostics::source::Span;
use toy_diagnostics::suggest::is_misspelled;

/// The context of two adjacent names.
#[derive(Clone, Copy, PartialEq)]
pub enum TypePosition {
    /// In a list of parameters or fields: the first one is a struct.
    Declaration,
    /// After `def`: the second one is the name of the function.
    Function,
    /// At the start of a statement, where a `;` or an operator may be missing instead.
    Statement,
}

/// The name of a struct in a declaration, recognized by the name after it.
pub fn type_before_name<'t>(
    program: Program<'t>,
    position_kind: TypePosition,
) -> impl Parser<'t, Tokens<'t>, Name, Extra> + Clone {
    custom(move |input| {
        let index = position(input);
        let (first, second) = (program.token(index), program.token(index + 1));
        let next = program.token(index + 2);
        let is_name = match second {
            Some(Token::Identifier(_)) => true,
            // The name is an error.
            Some(token) if token.is_keyword() => {
                matches!(next, Some(Token::Equals | Token::Comma | Token::CloseParen))
            }
            _ => false,
        };
        let Some(Token::Identifier(text)) = first.filter(|_| is_name) else {
            return Err(program.silent_error(index));
        };
        let is_type = match next {
            _ if position_kind == TypePosition::Declaration => true,
            next if position_kind == TypePosition::Function => next == Some(Token::OpenParen),
            Some(Token::Equals) => true,
            // Without a value it is not a definition, but intended as one.
            Some(Token::Less | Token::Semicolon) => {
                !program.is_on_new_line(index + 1) && !is_builtin(text)
            }
            _ => false,
        };
        if !is_type {
            return Err(program.silent_error(index));
        }
        input.skip();
        Ok(Name { text: text.to_owned(), span: program.tokens[index].1 })
    })
}

/// `var` before a name.
pub fn var_before_name<'t>(program: Program<'t>) -> impl Parser<'t, Tokens<'t>, (), Extra> + Clone {
    custom(move |input| {
        let index = position(input);
        match (program.token(index), program.token(index + 1)) {
            (Some(Token::Var), Some(Token::Identifier(_))) => {
                input.skip();
                Ok(())
            }
            _ => Err(program.silent_error(index)),
        }
    })
}

/// Succeeds where a struct cannot be defined inside a function. One at the start of a line is outside: a
/// brace is missing before it.
pub fn nested_struct<'t>(program: Program<'t>) -> impl Parser<'t, Tokens<'t>, (), Extra> + Clone {
    custom(move |input| {
        let index = position(input);
        let is_nested =
            program.token(index) == Some(Token::Struct) && !program.is_definition(index);
        let has_body = (1..3).any(|n| program.token(index + n) == Some(Token::OpenBrace));
        if is_nested && has_body { Ok(()) } else { Err(program.silent_error(index)) }
    })
}

/// A misspelled `return`, before a token that can only start a value.
pub fn misspelled_return<'t>(
    program: Program<'t>,
) -> impl Parser<'t, Tokens<'t>, Span, Extra> + Clone {
    custom(move |input| {
        let index = position(input);
        let starts_value =
            |token| matches!(token, Token::Identifier(_) | Token::Number(_) | Token::OpenBracket);
        match (program.token(index), program.token(index + 1)) {
            (Some(Token::Identifier(word)), Some(next))
                if is_misspelled(word, "return")
                    && starts_value(next)
                    && program.token(index + 2) != Some(Token::Equals) =>
            {
                input.skip();
                Ok(program.tokens[index].1)
            }
            _ => Err(program.silent_error(index)),
        }
    })
}

/// Succeeds unless an opening brace comes next.
pub fn no_brace<'t>(program: Program<'t>) -> impl Parser<'t, Tokens<'t>, (), Extra> + Clone {
    custom(move |input| match program.token(position(input)) {
        Some(Token::OpenBrace) => Err(program.silent_error(position(input))),
        _ => Ok(()),
    })
}

/// A token that cannot be a name but is in the position of one, as the next token shows.
pub fn instead_of_name<'t>(
    program: Program<'t>,
    followers: &'static [Token<'static>],
) -> impl Parser<'t, Tokens<'t>, Span, Extra> + Clone {
    custom(move |input| {
        let index = position(input);
        let (token, next) = (program.token(index), program.token(index + 1));
        match token.filter(|_| next.is_some_and(|next| followers.contains(&next))) {
            Some(token) if token.is_keyword() || is_like_a_name(token) => {
                input.skip();
                Ok(program.tokens[index].1)
            }
            _ => Err(program.silent_error(index)),
        }
    })
}

fn is_like_a_name(token: Token<'_>) -> bool {
    matches!(token, Token::Number(_) | Token::Invalid)
}
