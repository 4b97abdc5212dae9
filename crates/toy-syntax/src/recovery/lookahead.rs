//! Rules that need more than one token to recognize a statement or a declaration.
//!
//! Input: a position. Output: the tokens that decide. Invariants: each rule looks at a few tokens only; a rule that
//! does not apply fails without an error of its own.

use crate::ast::Name;
use crate::builtins::is_builtin;
use crate::rule::*;
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
pub fn type_before_name<'t>(program: Program<'t>, place: TypePosition) -> Rule<'t, Name> {
    rule(program, move |reader| {
        let next = reader.token(2);
        let is_name = match reader.token(1)? {
            Token::Identifier(_) => true,
            // The name is an error.
            token if token.is_keyword() => {
                matches!(next, Some(Token::Equals | Token::Comma | Token::CloseParen))
            }
            _ => false,
        };
        let Some(Token::Identifier(text)) = reader.token(0).filter(|_| is_name) else {
            return None;
        };
        let is_type = match (place, next) {
            (TypePosition::Declaration, _) => true,
            (TypePosition::Function, next) => next == Some(Token::OpenParen),
            (TypePosition::Statement, Some(Token::Equals)) => true,
            // Without a value it is not a definition, but intended as one.
            (TypePosition::Statement, Some(Token::Less | Token::Semicolon)) => {
                !program.is_on_new_line(reader.start + 1) && !is_builtin(text)
            }
            _ => false,
        };
        let name = Name { text: text.to_owned(), span: reader.span() };
        is_type.then(|| reader.skip(1)).map(|()| name)
    })
}

/// `var` before a name.
pub fn var_before_name<'t>(program: Program<'t>) -> Rule<'t, ()> {
    rule(program, |reader| match (reader.token(0)?, reader.token(1)?) {
        (Token::Var, Token::Identifier(_)) => {
            reader.skip(1);
            Some(())
        }
        _ => None,
    })
}

/// Succeeds where a struct cannot be defined inside a function. One at the start of a line is outside: a
/// brace is missing before it.
pub fn nested_struct<'t>(program: Program<'t>) -> Rule<'t, ()> {
    rule(program, move |reader| {
        let is_nested =
            reader.token(0) == Some(Token::Struct) && !program.is_definition(reader.start);
        let has_body = (1..3).any(|n| reader.token(n) == Some(Token::OpenBrace));
        (is_nested && has_body).then_some(())
    })
}

/// A misspelled `return`, before a token that can only start a value; `returnx[0]` is part of a tensor.
pub fn misspelled_return<'t>(program: Program<'t>) -> Rule<'t, Span> {
    rule(program, move |reader| {
        let is_apart = program.start_of(reader.start + 1) > reader.span().end;
        match (reader.token(0)?, reader.token(1)?) {
            (
                Token::Identifier(word),
                Token::Identifier(_) | Token::Number(_) | Token::OpenBracket,
            ) if is_apart
                && is_misspelled(word, "return")
                && reader.token(2) != Some(Token::Equals) =>
            {
                reader.skip(1);
                Some(reader.span())
            }
            _ => None,
        }
    })
}

/// Succeeds unless an opening brace comes next.
pub fn no_brace<'t>(program: Program<'t>) -> Rule<'t, ()> {
    rule(program, |reader| (reader.token(0) != Some(Token::OpenBrace)).then_some(()))
}

/// A token that cannot be a name but is in the position of one, as the next token shows.
pub fn instead_of_name<'t>(
    program: Program<'t>,
    followers: &'static [Token<'static>],
) -> Rule<'t, Span> {
    rule(program, move |reader| {
        let token = reader
            .token(0)
            .filter(|_| reader.token(1).is_some_and(|next| followers.contains(&next)))?;
        let is_like_a_name = matches!(token, Token::Number(_) | Token::Invalid);
        (is_like_a_name || token.is_keyword()).then(|| reader.skip(1)).map(|()| reader.span())
    })
}
