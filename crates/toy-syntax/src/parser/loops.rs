//! `for`, and its forms in other languages.
//!
//! ```text
//! for = "for" name "in" expression ".." expression [ ".." expression ] block
//! ```
//!
//! Input: the rules for expressions and blocks. Output: a [`For`]. Invariant: the loop variable of a damaged
//! loop is known in its body.

use crate::ast::{Body, Expr, ExprKind, For, Name, StatementKind, Struct};
use crate::expression::{Rule, close, error_expr, error_name, name, required};
use crate::foreign::{Context, advice, advised};
use crate::parse_error::{Expected, ParseError};
use crate::recovery::{Program, c_header, no_brace, position};
use crate::token::Token;
use chumsky::prelude::*;
use toy_diagnostics::source::Span;
use toy_diagnostics::{Diagnostic, Edit, codes};

/// A statement with the structs defined in it.
pub type Control = (StatementKind, Vec<Struct>);

struct Header {
    variable: Name,
    first: Expr,
    end: Expr,
    step: Option<Expr>,
}

pub fn for_loop<'t>(
    program: Program<'t>,
    expression: Rule<'t, Expr>,
    body: Rule<'t, (Body, Vec<Struct>)>,
) -> Rule<'t, Control> {
    let header = header(program, expression);
    let parenthesized = just(Token::OpenParen)
        .labelled(Expected::NOTHING)
        .to_span()
        .then(header.clone())
        .then(close(program, Token::CloseParen))
        .validate(|((open, header), _), extra, emitter| {
            let span: Span = extra.span();
            let message = "the range of a loop is written without parentheses";
            let last = Span { start: span.end.saturating_sub(1), ..span };
            let removed = |span| Edit { span, replacement: String::new() };
            let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, message)
                .label(open, "expected the loop variable")
                .fixes("remove them", vec![removed(open), removed(last)]);
            emitter.emit(ParseError::Reported(Box::new(diagnostic)));
            header
        });
    let of_c = c_header(program).map(|(name, span)| Header {
        variable: name.unwrap_or_else(|| error_name(span)),
        first: error_expr(span),
        end: error_expr(span),
        step: None,
    });
    just(Token::For)
        .ignore_then(choice((of_c, parenthesized, header)))
        .then(body)
        .map(|(Header { variable, first, end, step }, (body, structs))| {
            (StatementKind::For(Box::new(For { variable, first, end, step, body })), structs)
        })
        .boxed()
}

/// `name "in" expression ".." expression [ ".." expression ]`
fn header<'t>(program: Program<'t>, expression: Rule<'t, Expr>) -> Rule<'t, Header> {
    let bound = no_brace(program).labelled(Expected::EXPRESSION).ignore_then(expression);
    let bound = required(program, bound.boxed());
    let variable = name(program, Expected::VARIABLE_NAME, &[Token::In]);
    let var = just(Token::Var).labelled(Expected::NOTHING).validate(|_, extra, emitter| {
        let removed: Span = extra.span();
        let message = "a loop variable is declared without `var`";
        let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, message)
            .label(removed, "expected the name of the variable");
        emitter.emit(ParseError::Reported(Box::new(diagnostic.fix("remove it", removed, ""))));
    });
    let more = dots(program).ignore_then(bound.clone());
    var.or_not()
        .ignore_then(variable)
        .then_ignore(in_word(program))
        .then(bound)
        .then(more.clone().or_not())
        .then(more.or_not())
        .validate(move |(((variable, first), end), step), _, emitter| {
            let end = end.unwrap_or_else(|| {
                if first.kind != ExprKind::Error {
                    let diagnostic = no_range(program, &first);
                    emitter.emit(ParseError::Reported(Box::new(diagnostic)));
                }
                error_expr(first.span)
            });
            Header { variable, first, end, step }
        })
        .boxed()
}

/// The `in` of a loop, or another language's word for it.
fn in_word<'t>(program: Program<'t>) -> Rule<'t, ()> {
    custom(move |input| {
        let index = position(input);
        let token = program.token(index);
        match token {
            Some(Token::In) => input.skip(),
            Some(token) if advice(Context::In, token.spelling()).is_some() => {
                let span = program.tokens[index].1;
                let message = format!("expected `in`, found {token}");
                let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, message)
                    .label(span, "expected `in`");
                let diagnostic = advised(diagnostic, Context::In, token.spelling(), span);
                input.emit(ParseError::Reported(Box::new(diagnostic)));
                input.skip();
            }
            _ => {
                let ParseError::Unexpected { found, .. } = program.silent_error(index) else {
                    return Ok(());
                };
                input.emit(ParseError::Unexpected { found, expected: Expected::IN });
            }
        }
        Ok(())
    })
    .boxed()
}

/// The `..` of a range, or another language's spelling of it.
fn dots<'t>(program: Program<'t>) -> Rule<'t, ()> {
    custom(move |input| {
        let index = position(input);
        let Some((token, span)) = program.tokens.get(index) else {
            return Err(program.silent_error(index));
        };
        let error = |message: &str, label: &str, found: Token<'_>, span: Span| {
            let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, message).label(span, label);
            let diagnostic = advised(diagnostic, Context::Range, found.spelling(), span);
            ParseError::Reported(Box::new(diagnostic))
        };
        match token {
            Token::DotDot => {
                input.skip();
                if let Some((Token::Equals, equals)) = program.tokens.get(index + 1) {
                    let message = "a range does not include its end";
                    let label = "expected the end of the range";
                    input.emit(error(message, label, Token::Equals, *equals));
                    input.skip();
                }
                Ok(())
            }
            Token::Colon => {
                let message = "the range of a loop is written with `..`";
                input.emit(error(message, "expected `..`", Token::Colon, *span));
                input.skip();
                Ok(())
            }
            _ => Err(program.silent_error(index)),
        }
    })
    .boxed()
}

/// A loop over something that is not a range.
fn no_range(program: Program<'_>, expr: &Expr) -> Diagnostic {
    let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, "a loop runs over a range")
        .label(expr.span, "expected a range such as `0..n`");
    let text = |expr: &Expr| program.snippet(expr.span).to_owned();
    let range = match &expr.kind {
        ExprKind::Number(_) => format!("0..{}", text(expr)),
        ExprKind::Call(call) if call.callee.text == "range" => match &call.arguments[..] {
            [end] => format!("0..{}", text(end)),
            [first, end] => format!("{}..{}", text(first), text(end)),
            [first, end, step] => format!("{}..{}..{}", text(first), text(end), text(step)),
            _ => return diagnostic,
        },
        _ => return diagnostic.help("to visit all elements of `x`: `for i in 0..shape(x, 0)`"),
    };
    diagnostic.fix(format!("write `{range}`"), expr.span, range)
}
