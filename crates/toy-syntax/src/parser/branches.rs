//! `if` and `while`: statements with conditions.
//!
//! ```text
//! if    = "if" "(" expression ")" block { "else" "if" "(" expression ")" block } [ "else" block ]
//! while = "while" "(" expression ")" block
//! ```
//!
//! Input: the rules for expressions and blocks. Output: [`If`] and [`While`]. Invariants: a chain of
//! `else if` is a loop here; a condition without parentheses is an error, and read nevertheless.

use super::loops::{Control, report_jumps};
use crate::ast::{Arm, Body, Expr, If, StatementKind, Struct, While};
use crate::expression::{Rule, close, error_expr, required};
use crate::parse_error::{Expected, ParseError};
use crate::recovery::{
    Program, condition_in_parentheses, conditional_word, no_brace, position, word,
};
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
    let else_if = choice((
        word(program, "else").ignore_then(word(program, "if")).ignored(),
        foreign_else_if(program),
    ));
    conditional_word(program, "if")
        .ignore_then(arm.clone())
        .then(else_if.ignore_then(arm).repeated().collect::<Vec<_>>())
        .then(word(program, "else").ignore_then(body).or_not())
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
    conditional_word(program, "while")
        .ignore_then(condition(program, expression, "while"))
        .then(body)
        .validate(|(condition, (mut body, structs)), _, emitter| {
            report_jumps(&mut body, &mut |error| emitter.emit(error));
            (StatementKind::While(Box::new(While { condition, body })), structs)
        })
        .boxed()
}

/// `elif` and the like after the `}` of an `if`.
fn foreign_else_if<'t>(program: Program<'t>) -> Rule<'t, ()> {
    custom(move |input| {
        let index = position(input);
        let word = match program.token(index) {
            Some(Token::Identifier(word @ ("elif" | "elsif" | "elseif")))
                if program.is_conditional(index, word) =>
            {
                word
            }
            _ => return Err(program.silent_error(index)),
        };
        let span = program.tokens[index].1;
        let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, format!("Toy has no `{word}`"))
            .label(span, "expected `else`")
            .fix("write `else if`", span, "else if");
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
        // Then there is an error already.
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
