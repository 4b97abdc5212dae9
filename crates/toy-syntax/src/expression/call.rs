//! Variables, calls with their arguments, and strings.
//!
//! Input: the rule for expressions. Output: [`Call`]s. Invariants: a string is in the tree only as an
//! argument of `print`; arguments with names follow the others.

use super::{items, required};
use crate::ast::{BinaryOperator, Call, Derivative, Expr, ExprKind, Name};
use crate::rule::*;
use crate::strings;

type Argument = (Option<Name>, Expr);

/// `name [ "(" [ argument { "," argument } ] ")" ]`, and after the arguments of a derivative, those of its function.
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
    let derived = derivative(program).then(arguments.clone()).validate(
        |(head, arguments), extra, emitter| {
            let Some((derivative, callee)) = head else { return error_expr(extra.span()) };
            let (mut call, errors) = call(callee, arguments);
            call.derivative = Some(derivative);
            errors.into_iter().for_each(|error| emitter.emit(error.into()));
            Expr { kind: ExprKind::Call(Box::new(call)), span: extra.span() }
        },
    );
    let plain = name
        .map_with(|text, extra| (text, extra.span()))
        .then(arguments.or_not())
        .validate(|((text, span), arguments), extra, emitter| {
            let text: &str = text;
            let Some(arguments) = arguments else {
                return Expr { kind: ExprKind::Variable(text.to_owned()), span };
            };
            let (call, errors) = call(Name { text: text.to_owned(), span }, arguments);
            errors.into_iter().for_each(|error| emitter.emit(error.into()));
            Expr { kind: ExprKind::Call(Box::new(call)), span: extra.span() }
        });
    choice((derived, plain)).boxed()
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
    (Call { derivative: None, callee, arguments, named }, diagnostics)
}

/// `name "(" name { "," number } ")"`, if another `(` follows. None after an error.
fn derivative<'t>(program: Program<'t>) -> Rule<'t, Option<(Derivative, Name)>> {
    rule(program, move |reader| {
        let Token::Identifier(name) = reader.token(0)? else { return None };
        let span = |at: usize| program.tokens.get(reader.start + at).map(|(_, span)| *span);
        let found = derived(reader, &span);
        let (close, derivative) = match found {
            Some((callee, written, close)) => {
                let name = Name { text: name.to_owned(), span: reader.span() };
                (close, Some((Derivative { name, written }, callee)))
            }
            None if Derivative::NAMES.contains(&name) => {
                let close = closing(reader)?;
                let first = span(2).unwrap_or(reader.span());
                reader.emit(match (reader.token(2), reader.token(3), span(4)) {
                    (Some(Token::Identifier(_)), Some(Token::Comma), Some(second)) => {
                        not_a_parameter(name, second)
                    }
                    _ => not_a_function(name, first),
                });
                (close, None)
            }
            None => return None,
        };
        reader.skip(close + 1);
        Some(derivative)
    })
}

/// The number of a parameter, and its place.
type Parameter = (f64, Span);

/// The function and the parameters of a derivative, and the place of its `)`, if another `(` follows it.
fn derived<'t>(
    reader: &Reader<'_, 't, '_>,
    span: &dyn Fn(usize) -> Option<Span>,
) -> Option<(Name, Vec<Parameter>, usize)> {
    let (Token::OpenParen, Token::Identifier(callee)) = (reader.token(1)?, reader.token(2)?) else {
        return None;
    };
    let (mut written, mut at) = (Vec::new(), 3);
    while let (Token::Comma, Token::Number(text)) = (reader.token(at)?, reader.token(at + 1)?) {
        written.push((text.parse().ok()?, span(at + 1)?));
        at += 2;
    }
    let ends = [Token::CloseParen, Token::OpenParen];
    let is_called = [reader.token(at)?, reader.token(at + 1)?] == ends;
    is_called.then_some((Name { text: callee.to_owned(), span: span(2)? }, written, at))
}

/// The `)` of the `(` after the current token, counted from here, if another `(` follows it.
fn closing(reader: &Reader) -> Option<usize> {
    let (mut open, mut at) = (0, 1);
    loop {
        match reader.token(at)? {
            Token::OpenParen => open += 1,
            Token::CloseParen => open -= 1,
            Token::Semicolon | Token::OpenBrace | Token::CloseBrace => return None,
            _ => {}
        }
        if open == 0 {
            break;
        }
        at += 1;
    }
    (at > 1 && reader.token(at + 1)? == Token::OpenParen).then_some(at)
}

fn not_a_function(name: &str, span: Span) -> Diagnostic {
    syntax_error(format!("`{name}` takes the name of a function"), span, "this is not a name alone")
        .help(format!(
            "define a function for it: `def g(x) {{ return ...; }}`, and write `{name}(g)(x)`"
        ))
}

fn not_a_parameter(name: &str, span: Span) -> Diagnostic {
    syntax_error("a parameter of a gradient is a number", span, "expected 0, 1, 2 or so on").help(
        format!(
            "`{name}(f, 1)` is by the second parameter of `f`, `{name}(f, 0, 1)` by the first two"
        ),
    )
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
