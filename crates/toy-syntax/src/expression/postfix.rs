//! The suffixes of a primary: fields and subscripts.
//!
//! Input: the rule for primaries. Output: [`Access`] and [`Index`] around the primary. Invariant: a row of
//! fields is one node; a row of brackets is a loop here, and [`crate::limits`] limits it because it is deep
//! in the tree.

use super::{Rule, close, error_expr, name};
use crate::ast::{Access, Expr, ExprKind, Index, Name, Subscript};
use crate::foreign::{Context, advised};
use crate::parse_error::{Expected, ParseError};
use crate::recovery::{Program, here, position};
use crate::token::Token;
use chumsky::prelude::*;
use toy_diagnostics::source::Span;
use toy_diagnostics::{Diagnostic, codes};

enum Postfix {
    Field(Name),
    /// Empty if they could not be read. With the place of the brackets.
    Subscripts(Vec<Subscript>, Span),
}

/// `primary { "." name | "[" subscripts "]" }`
pub fn postfix<'t>(
    program: Program<'t>,
    primary: Rule<'t, Expr>,
    expression: Rule<'t, Expr>,
) -> Rule<'t, Expr> {
    let field = just(Token::Dot)
        .labelled(Expected::NOTHING)
        .ignore_then(name(program, Expected::FIELD_NAME, &[]))
        .map(Postfix::Field);
    let subscripts = subscripts(program, expression)
        .map_with(|subscripts, extra| Postfix::Subscripts(subscripts, extra.span()));
    primary
        .then(choice((field, subscripts)).repeated().collect::<Vec<_>>())
        .map(|(base, postfixes)| applied(base, postfixes))
        .boxed()
}

fn applied(mut base: Expr, postfixes: Vec<Postfix>) -> Expr {
    let mut postfixes = postfixes.into_iter().peekable();
    while let Some(postfix) = postfixes.next() {
        let (kind, end) = match postfix {
            Postfix::Field(first) => {
                let mut fields = vec![first];
                while let Some(Postfix::Field(next)) =
                    postfixes.next_if(|next| matches!(next, Postfix::Field(_)))
                {
                    fields.push(next);
                }
                let end = fields.last().map_or(base.span, |field| field.span);
                let is_damaged = fields.iter().any(|field| field.text.is_empty());
                (access(&mut base, fields, is_damaged), end)
            }
            Postfix::Subscripts(subscripts, end) => {
                let is_damaged = subscripts.is_empty() || base.kind == ExprKind::Error;
                let taken = error_expr(base.span);
                let base = std::mem::replace(&mut base, taken);
                let index = || ExprKind::Index(Box::new(Index { base, subscripts }));
                (if is_damaged { ExprKind::Error } else { index() }, end)
            }
        };
        base = Expr { kind, span: base.span.to(end) };
    }
    base
}

fn access(base: &mut Expr, fields: Vec<Name>, is_damaged: bool) -> ExprKind {
    let taken = error_expr(base.span);
    let base = std::mem::replace(base, taken);
    if is_damaged || base.kind == ExprKind::Error {
        return ExprKind::Error;
    }
    ExprKind::Access(Box::new(Access { base, fields }))
}

/// `"[" subscript { "," subscript } "]"`; empty after an error.
fn subscripts<'t>(program: Program<'t>, expression: Rule<'t, Expr>) -> Rule<'t, Vec<Subscript>> {
    let subscript = subscript(program, expression);
    just(Token::OpenBracket)
        .labelled(Expected::NOTHING)
        .ignore_then(subscript.separated_by(just(Token::Comma)).collect::<Vec<_>>())
        .then(close(program, Token::CloseBracket))
        .validate(|(subscripts, is_complete), extra, emitter| {
            if !is_complete {
                return Vec::new();
            }
            if subscripts.is_empty() {
                let message = "a subscript needs at least one index";
                let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, message)
                    .label(extra.span(), "expected an index or a range")
                    .help(
                        "`x[i]` is an element or a row, `x[0:2]` the first two; all of `x` is `x`",
                    );
                emitter.emit(ParseError::Reported(Box::new(diagnostic)));
            }
            subscripts
        })
        .boxed()
}

/// `expression [ ":" expression ]`
fn subscript<'t>(program: Program<'t>, expression: Rule<'t, Expr>) -> Rule<'t, Subscript> {
    let bound = choice((expression.clone().map(Some), here(program).to(None)));
    let colon = |program| colon(program).labelled(Expected::NOTHING);
    let to = colon(program).then(bound.clone());
    // A step, as in other languages.
    let step = colon(program).then(bound);
    let range = to.then(step.or_not());
    let open_start = range.clone().map(|range| (None, Some(range)));
    let usual = expression.labelled(Expected::SUBSCRIPT).map(Some).then(range.or_not());
    choice((open_start, usual))
        .validate(|(from, range), extra, emitter| {
            let span: Span = extra.span();
            let Some((((colon, is_colon), to), step)) = range else {
                return Subscript::At(from.unwrap_or_else(|| error_expr(span)));
            };
            let mut error = |message: &str, at: Span, label: &str, help: &str| {
                let diagnostic =
                    Diagnostic::error(codes::UNEXPECTED_TOKEN, message).label(at, label).help(help);
                emitter.emit(ParseError::Reported(Box::new(diagnostic)));
            };
            if let Some(((second, _), _)) = step {
                error(
                    "a range of a subscript has no step",
                    second,
                    "expected `,` or `]`",
                    "it is `x[first:end]`, each element of it",
                );
            } else if is_colon && (from.is_none() || to.is_none()) {
                error(
                    "a range of a subscript has two bounds",
                    colon,
                    if from.is_none() { "no bound before it" } else { "no bound after it" },
                    "write `0:n`, where `n` may be `shape(x, 0)`; a dimension after the last \
                     subscript is whole",
                );
            }
            let bound = |bound: Option<Expr>| bound.unwrap_or_else(|| error_expr(colon));
            Subscript::Range(bound(from), bound(to))
        })
        .boxed()
}

/// The `:` between two bounds, or the `..` of a loop in its place; true if it is a colon.
fn colon<'t>(program: Program<'t>) -> Rule<'t, (Span, bool)> {
    custom(move |input| {
        let index = position(input);
        let span = program.tokens.get(index).map(|(_, span)| *span);
        match (program.token(index), span) {
            (Some(Token::Colon), Some(span)) => {
                input.skip();
                Ok((span, true))
            }
            (Some(Token::DotDot), Some(span)) => {
                let message = "the range of a subscript is written with `:`";
                let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, message)
                    .label(span, "`..` is for loops");
                let diagnostic = advised(diagnostic, Context::Slice, "..", span);
                input.emit(ParseError::Reported(Box::new(diagnostic)));
                input.skip();
                Ok((span, false))
            }
            _ => Err(program.silent_error(index)),
        }
    })
    .boxed()
}
