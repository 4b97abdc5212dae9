//! Variables, calls with their arguments, and strings.
//!
//! Input: the rule for expressions. Output: [`Call`]s. Invariants: a string is in the tree only as an
//! argument of `print`; arguments with names follow the others.

use super::{Rule, error_expr, items};
use crate::ast::{BinaryOperator, Call, Expr, ExprKind, Name};
use crate::parse_error::{Expected, ParseError};
use crate::recovery::{Program, position};
use crate::strings;
use crate::token::Token;
use chumsky::prelude::*;
use toy_diagnostics::source::Span;
use toy_diagnostics::{Diagnostic, codes};

type Argument = (Option<Name>, Expr);

/// `name [ "(" [ argument { "," argument } ] ")" ]`
pub fn variable_or_call<'t>(program: Program<'t>, expression: Rule<'t, Expr>) -> Rule<'t, Expr> {
    let name = select! { Token::Identifier(text) => text };
    let arguments = just(Token::OpenParen)
        .labelled(Expected::NOTHING)
        .ignore_then(items(program, argument(program, expression), Token::CloseParen))
        .map_with(|(mut arguments, is_complete), extra| {
            if !is_complete {
                arguments.push((None, error_expr(extra.span())));
            }
            arguments
        });
    name.map_with(|text, extra| (text, extra.span()))
        .then(arguments.or_not())
        .validate(|((text, name_span), arguments), extra, emitter| {
            let callee = || Name { text: text.to_owned(), span: name_span };
            match arguments {
                None => Expr { kind: ExprKind::Variable(text.to_owned()), span: name_span },
                Some(arguments) => {
                    let (call, diagnostics) = call(callee(), arguments);
                    let reported = |diagnostic| ParseError::Reported(Box::new(diagnostic));
                    diagnostics.into_iter().for_each(|error| emitter.emit(reported(error)));
                    Expr { kind: ExprKind::Call(Box::new(call)), span: extra.span() }
                }
            }
        })
        .boxed()
}

fn call(callee: Name, given: Vec<Argument>) -> (Call, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let mut arguments = Vec::with_capacity(given.len());
    let mut named: Vec<(Name, Expr)> = Vec::new();
    for (name, mut value) in given {
        // The value of a named argument is for the checker: `print` has `end = "..."`.
        if matches!(value.kind, ExprKind::String(_)) && callee.text != "print" {
            diagnostics.push(misplaced(value.span));
            value = error_expr(value.span);
        }
        match (name, named.first()) {
            (Some(name), _) => named.push((name, value)),
            (None, Some((first, _))) => {
                let message = "an argument without a name after one with a name";
                diagnostics.push(
                    Diagnostic::error(codes::UNEXPECTED_TOKEN, message)
                        .label(value.span, "this argument has no name")
                        .label(first.span, "an argument with a name")
                        .help("arguments with names come last: `sum(x, axis = 1)`"),
                );
                arguments.push(value);
            }
            (None, _) => arguments.push(value),
        }
    }
    (Call { callee, arguments, named }, diagnostics)
}

fn argument<'t>(program: Program<'t>, expression: Rule<'t, Expr>) -> Rule<'t, Argument> {
    let name = custom(move |input| {
        let index = position(input);
        match (program.token(index), program.token(index + 1)) {
            (Some(Token::Identifier(text)), Some(Token::Equals)) => {
                input.skip();
                input.skip();
                Ok(Name { text: text.to_owned(), span: program.tokens[index].1 })
            }
            _ => Err(program.silent_error(index)),
        }
    });
    let value = choice((string(program), expression));
    choice((
        name.map(Some).then(super::required(program, value.clone().boxed())),
        value.map(|value| (None, value)),
    ))
    .boxed()
}

/// A string that is a whole argument.
fn string<'t>(program: Program<'t>) -> Rule<'t, Expr> {
    custom(move |input| {
        let index = position(input);
        let Some((Token::String(text), span)) = program.tokens.get(index) else {
            return Err(program.silent_error(index));
        };
        let goes_on = program.token(index + 1).is_some_and(|next| {
            BinaryOperator::of_token(next).is_some()
                || matches!(next, Token::Dot | Token::OpenBracket)
        });
        if goes_on {
            return Err(program.silent_error(index));
        }
        input.skip();
        // The lexer has checked it.
        let kind = strings::value(text, *span).map_or(ExprKind::Error, ExprKind::String);
        Ok(Expr { kind, span: *span })
    })
    .boxed()
}

/// A string that is not an argument.
pub fn misplaced_string<'t>() -> Rule<'t, Expr> {
    let string = select! { Token::String(_) => () };
    string
        .labelled(Expected::NOTHING)
        .validate(|(), extra, emitter| {
            emitter.emit(ParseError::Reported(Box::new(misplaced(extra.span()))));
            error_expr(extra.span())
        })
        .boxed()
}

fn misplaced(span: Span) -> Diagnostic {
    Diagnostic::error(codes::MISPLACED_STRING, "a string is not a value")
        .label(span, "only `print` takes strings")
        .help("print it next to the values it explains: `print(\"sum:\", x);`")
}
