//! The suffixes of a primary: fields and subscripts.
//!
//! Input: the rule for primaries. Output: [`Access`] and [`Index`] around the primary. Invariant: a row of
//! fields is one node; a row of brackets is a loop here, and [`crate::limits`] limits it because it is deep
//! in the tree.

use super::{close, name};
use crate::ast::{Access, Expr, ExprKind, Index, Name, Slice, Subscript};
use crate::foreign::{Context, advised};
use crate::recovery::here;
use crate::rule::*;

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
    let field =
        quiet(Token::Dot).ignore_then(name(program, Expected::FIELD_NAME, &[])).map(Postfix::Field);
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
        let (start, is_damaged) = (base.span, base.kind == ExprKind::Error);
        let (kind, end, is_damaged) = match postfix {
            Postfix::Field(first) => {
                let mut fields = vec![first];
                while let Some(Postfix::Field(next)) =
                    postfixes.next_if(|next| matches!(next, Postfix::Field(_)))
                {
                    fields.push(next);
                }
                let end = fields.last().map_or(start, |field| field.span);
                let is_damaged = is_damaged || fields.iter().any(|field| field.text.is_empty());
                (ExprKind::Access(Box::new(Access { base, fields })), end, is_damaged)
            }
            Postfix::Subscripts(subscripts, end) => {
                let is_damaged = is_damaged || subscripts.is_empty();
                (ExprKind::Index(Box::new(Index { base, subscripts })), end, is_damaged)
            }
        };
        base = Expr { kind: if is_damaged { ExprKind::Error } else { kind }, span: start.to(end) };
    }
    base
}

/// `"[" subscript { "," subscript } "]"`; empty after an error.
fn subscripts<'t>(program: Program<'t>, expression: Rule<'t, Expr>) -> Rule<'t, Vec<Subscript>> {
    let subscript = subscript(program, expression);
    quiet(Token::OpenBracket)
        .ignore_then(subscript.separated_by(just(Token::Comma)).collect::<Vec<_>>())
        .then(close(program, Token::CloseBracket))
        .validate(|(subscripts, is_complete), extra, emitter| {
            if !is_complete {
                return Vec::new();
            }
            if subscripts.is_empty() {
                let message = "a subscript needs at least one index";
                let help =
                    "`x[i]` is an element or a row, `x[0:2]` the first two; all of `x` is `x`";
                let diagnostic =
                    syntax_error(message, extra.span(), "expected an index or a range");
                emitter.emit(diagnostic.help(help).into());
            }
            subscripts
        })
        .boxed()
}

/// `expression`, or `[ expression ] ":" [ expression ] [ ":" expression ]`
fn subscript<'t>(program: Program<'t>, expression: Rule<'t, Expr>) -> Rule<'t, Subscript> {
    let colon = |program| colon(program).labelled(Expected::NOTHING);
    let part = choice((expression.clone().map(Some), here(program).to(None)));
    let range = colon(program).then(part.clone()).then(colon(program).then(part).or_not());
    let open_start = range.clone().map(|range| (None, Some(range)));
    let usual = expression.labelled(Expected::SUBSCRIPT).map(Some).then(range.or_not());
    choice((open_start, usual))
        .validate(|(from, range), extra, emitter| {
            let span: Span = extra.span();
            let Some((((_, is_colon), to), step)) = range else {
                return Subscript::At(from.unwrap_or_else(|| error_expr(span)));
            };
            let has_step = step.is_some();
            let step = step.and_then(|((second, _), step)| {
                if step.is_none() {
                    let message = "a range of a subscript ends with `:`";
                    let help = "`x[a:b:s]` has the step s, and `x[a:b]` every element";
                    let diagnostic = syntax_error(message, second, "expected a step after it");
                    emitter.emit(diagnostic.help(help).into());
                }
                step
            });
            let is_damaged = has_step && step.is_none() || !is_colon;
            let from = if is_damaged { Some(error_expr(span)) } else { from };
            Subscript::Range(Box::new(Slice { from, to, step, span }))
        })
        .boxed()
}

/// The `:` between two bounds, or the `..` of a loop in its place; true if it is a colon.
fn colon<'t>(program: Program<'t>) -> Rule<'t, (Span, bool)> {
    rule(program, |reader| {
        let (token, span) = (reader.token(0)?, reader.span());
        if token == Token::DotDot {
            let message = "the range of a subscript is written with `:`";
            let diagnostic = syntax_error(message, span, "`..` is for loops");
            reader.emit(advised(diagnostic, Context::Slice, "..", span));
        }
        if !matches!(token, Token::Colon | Token::DotDot) {
            return None;
        }
        reader.skip(1);
        Some((span, token == Token::Colon))
    })
}
