//! Variables, calls with their arguments, and strings.
//!
//! Input: the rule for expressions. Output: [`Call`]s. Invariants: a string is in the tree only as an
//! argument of `print`; arguments with names follow the others.

use super::{items, required};
use crate::ast::{BinaryOperator, Call, Expr, ExprKind, Name};
use crate::rule::*;
use crate::strings;

type Argument = (Option<Name>, Expr);

/// `name [ "(" [ argument { "," argument } ] ")" ]`
pub fn variable_or_call<'t>(program: Program<'t>, expression: Rule<'t, Expr>) -> Rule<'t, Expr> {
    let name = select! { Token::Identifier(text) => text };
    let arguments = quiet(Token::OpenParen)
        .ignore_then(items(program, argument(program, expression), Token::CloseParen))
        .map_with(|(mut arguments, is_complete), extra| {
            if !is_complete {
                arguments.push((None, error_expr(extra.span())));
            }
            arguments
        });
    name.map_with(|text, extra| (text, extra.span()))
        .then(arguments.or_not())
        .validate(|((text, span), arguments), extra, emitter| {
            let text: &str = text;
            let Some(arguments) = arguments else {
                return Expr { kind: ExprKind::Variable(text.to_owned()), span };
            };
            let (call, errors) = call(Name { text: text.to_owned(), span }, arguments);
            errors.into_iter().for_each(|error| emitter.emit(error.into()));
            Expr { kind: ExprKind::Call(Box::new(call)), span: extra.span() }
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
                    syntax_error(message, value.span, "this argument has no name")
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
    let name = rule(program, |reader| match (reader.token(0)?, reader.token(1)?) {
        (Token::Identifier(text), Token::Equals) => {
            reader.skip(2);
            Some(Name { text: text.to_owned(), span: reader.span() })
        }
        _ => None,
    });
    let value = choice((string(program), expression));
    choice((
        name.map(Some).then(required(program, value.clone().boxed())),
        value.map(|value| (None, value)),
    ))
    .boxed()
}

/// A string that is a whole argument.
fn string<'t>(program: Program<'t>) -> Rule<'t, Expr> {
    rule(program, |reader| {
        let (Token::String(text), span) = (reader.token(0)?, reader.span()) else { return None };
        let goes_on = reader.token(1).is_some_and(|next| {
            BinaryOperator::of_token(next).is_some()
                || matches!(next, Token::Dot | Token::OpenBracket)
        });
        if goes_on {
            return None;
        }
        reader.skip(1);
        // The lexer has checked it.
        let kind = strings::value(text, span).map_or(ExprKind::Error, ExprKind::String);
        Some(Expr { kind, span })
    })
}

/// A string that is not an argument.
pub fn misplaced_string<'t>() -> Rule<'t, Expr> {
    let string = select! { Token::String(_) => () };
    string
        .labelled(Expected::NOTHING)
        .validate(|(), extra, emitter| {
            emitter.emit(misplaced(extra.span()).into());
            error_expr(extra.span())
        })
        .boxed()
}

fn misplaced(span: Span) -> Diagnostic {
    Diagnostic::error(codes::MISPLACED_STRING, "a string is not a value")
        .label(span, "only `print` takes strings")
        .help("print it next to the values it explains: `print(\"sum:\", x);`")
}
