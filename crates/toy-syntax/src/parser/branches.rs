//! `if` and `while`: statements with conditions.
//!
//! ```text
//! if    = "if" "(" expression ")" block { "else" "if" "(" expression ")" block } [ "else" block ]
//! while = "while" "(" expression ")" block
//! ```
//!
//! Input: the rules for expressions and blocks. Output: [`If`] and [`While`]. Invariants: a chain of
//! `else if` is a loop here; a condition without parentheses is an error, and read nevertheless.

use super::loops::Control;
use crate::ast::{Arm, Body, Expr, If, StatementKind, Struct, While};
use crate::expression::{Rule, close, error_expr, required};
use crate::foreign::{Context, advice, advised};
use crate::parse_error::{Expected, ParseError};
use crate::recovery::{Program, condition_in_parentheses, no_brace, position};
use crate::token::Token;
use chumsky::prelude::*;
use toy_diagnostics::source::Span;
use toy_diagnostics::{Diagnostic, Edit, codes};

type Block = (Body, Vec<Struct>);

pub fn branch<'t>(
    program: Program<'t>,
    expression: Rule<'t, Expr>,
    body: Rule<'t, Block>,
) -> Rule<'t, Control> {
    let condition = condition(program, expression, "if");
    let arm = condition.then(body.clone()).boxed();
    let else_if =
        choice((just(Token::Else).then(just(Token::If)).ignored(), foreign_else_if(program)));
    just(Token::If)
        .ignore_then(arm.clone())
        .then(else_if.ignore_then(arm).repeated().collect::<Vec<_>>())
        .then(just(Token::Else).ignore_then(body).or_not())
        .map(|((first, others), otherwise)| {
            let mut structs = Vec::new();
            let arms = std::iter::once(first).chain(others).map(|(condition, (body, nested))| {
                structs.extend(nested);
                Arm { condition, body }
            });
            let arms = arms.collect();
            let otherwise = otherwise.map(|(body, nested)| {
                structs.extend(nested);
                body
            });
            (StatementKind::If(Box::new(If { arms, otherwise })), structs)
        })
        .boxed()
}

pub fn while_loop<'t>(
    program: Program<'t>,
    expression: Rule<'t, Expr>,
    body: Rule<'t, Block>,
) -> Rule<'t, Control> {
    just(Token::While)
        .ignore_then(condition(program, expression, "while"))
        .then(body)
        .map(|(condition, (body, structs))| {
            (StatementKind::While(Box::new(While { condition, body })), structs)
        })
        .boxed()
}

/// `elif` and the like after the `}` of an `if`.
fn foreign_else_if<'t>(program: Program<'t>) -> Rule<'t, ()> {
    custom(move |input| {
        let index = position(input);
        let Some((Token::Identifier(word), span)) = program.tokens.get(index) else {
            return Err(program.silent_error(index));
        };
        if advice(Context::Else, word).is_none() || program.foreign_block(index).is_none() {
            return Err(program.silent_error(index));
        }
        let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, format!("Toy has no `{word}`"))
            .label(*span, "expected `else`");
        let diagnostic = advised(diagnostic, Context::Else, word, *span);
        input.emit(ParseError::Reported(Box::new(diagnostic)));
        input.skip();
        Ok(())
    })
    .boxed()
}

/// `"(" expression ")"`
fn condition<'t>(
    program: Program<'t>,
    expression: Rule<'t, Expr>,
    word: &'static str,
) -> Rule<'t, Expr> {
    let assigned = just(Token::Equals)
        .labelled(Expected::NOTHING)
        .to_span()
        .then(required(program, expression.clone()));
    let inner = expression
        .clone()
        .then(assigned.or_not())
        .validate(|(expr, assigned), extra, emitter| {
            let Some((equals, _)) = assigned else { return expr };
            let diagnostic =
                Diagnostic::error(codes::UNEXPECTED_TOKEN, "an assignment is not a condition")
                    .label(equals, "`=` assigns")
                    .fix("write `==` to compare", equals, "==");
            emitter.emit(ParseError::Reported(Box::new(diagnostic)));
            error_expr(extra.span())
        })
        .boxed();
    let usual = condition_in_parentheses(program)
        .ignore_then(just(Token::OpenParen))
        .ignore_then(required(program, inner.clone()))
        .then(close(program, Token::CloseParen))
        .map_with(
            |(condition, is_complete), extra| {
                if is_complete { condition } else { error_expr(extra.span()) }
            },
        );
    let bare = no_brace(program).labelled(Expected::EXPRESSION).ignore_then(inner).boxed();
    let bare = required(program, bare).validate(move |condition, _, emitter| {
        let span: Span = condition.span;
        // An empty condition has been reported already.
        if span.start < span.end {
            let edit = |at: u32, text: &str| Edit {
                span: Span { start: at, end: at },
                replacement: text.to_owned(),
            };
            let message = format!("the condition of `{word}` is written in parentheses");
            let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, message)
                .label(span, "expected `(`")
                .fixes(
                    format!("write `{word} (...) {{ ... }}`"),
                    vec![edit(span.start, "("), edit(span.end, ")")],
                );
            emitter.emit(ParseError::Reported(Box::new(diagnostic)));
        }
        condition
    });
    choice((usual, bare)).boxed()
}
