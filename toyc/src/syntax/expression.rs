//! The grammar of expressions, and of the bracketed lists they share with parameters and shapes.
//!
//! Input: tokens. Output: an [`Expr`]. Invariants: no rule looks at a token twice (there is no
//! backtracking); once a rule has read its first token it succeeds, with [`ExprKind::Error`] for
//! what it could not read; a chain of operators is parsed by a loop, only brackets recurse.

use super::ast::{BinaryOperator, Call, Chain, Expr, ExprKind, Link, Name};
use super::complaint::{Complaint, Wanted};
use super::recovery::{Extra, Goal, Program, Tokens, here, skip_to};
use super::token::Token;
use crate::diagnostic::{Diagnostic, codes};
use crate::source::Span;
use chumsky::prelude::*;
use std::iter::Peekable;
use std::vec::IntoIter;

/// A rule of the grammar. Boxed: unboxed ones make types whose names alone take seconds to compile.
pub type Rule<'t, T> = Boxed<'t, 't, Tokens<'t>, T, Extra>;

/// `operand { ( "+" | "*" ) operand }`
///
/// Bad text counts as an operator as well, one that makes its operands [`ExprKind::Error`]: the
/// lexer has said what there is to say, and the expression goes on behind it.
pub fn expression<'t>(program: Program<'t>) -> Rule<'t, Expr> {
    recursive(|expression| {
        let operand = operand(program, expression.boxed());
        let operator = select! {
            Token::Plus => Some(BinaryOperator::Add),
            Token::Star => Some(BinaryOperator::Mul),
            Token::Invalid => None,
        };
        let link = operator
            .map_with(|operator, extra| (operator, extra.span()))
            .labelled(Wanted::NOTHING)
            .then(required(program, operand.clone()));
        operand.then(link.repeated().collect::<Vec<_>>()).map(|(first, links)| chains(first, links))
    })
    .boxed()
}

/// The expression if there is one, or else a complaint and [`ExprKind::Error`].
pub fn required<'t>(program: Program<'t>, expression: Rule<'t, Expr>) -> Rule<'t, Expr> {
    let missing = here(program).map(lost);
    expression.recover_with(via_parser(missing)).boxed()
}

/// `[item { "," item }] closing`, the opening bracket being read. The flag tells whether all of
/// it was read; if not, some items are missing.
pub fn items<'t, T: 't>(
    program: Program<'t>,
    item: Rule<'t, T>,
    closing: Token<'static>,
) -> Rule<'t, (Vec<T>, bool)> {
    item.separated_by(just(Token::Comma)).collect().then(close(program, closing)).boxed()
}

/// The closing bracket, looked for behind whatever stands before it. Whether it came at once.
fn close<'t>(program: Program<'t>, closing: Token<'static>) -> Rule<'t, bool> {
    let skip = skip_to(program, Goal::Closing(closing)).to(false);
    just(closing).to(true).recover_with(via_parser(skip)).boxed()
}

/// The chain of sums, its operands being chains of products. The rule for expressions leaves the
/// precedence to this loop, because every rule on the way to the next bracket costs stack.
fn chains(mut first: Expr, links: Vec<((Option<BinaryOperator>, Span), Expr)>) -> Expr {
    let mut rest: Vec<Link> = Vec::with_capacity(links.len());
    for ((operator, operator_span), operand) in links {
        let Some(operator) = operator else {
            let before = rest.last_mut().map_or(&mut first, |link| &mut link.operand);
            *before = lost(before.span.to(operand.span));
            continue;
        };
        rest.push(Link { operator, operator_span, operand });
    }
    let mut links = rest.into_iter().peekable();
    let first = product(first, &mut links);
    let mut sum = Vec::new();
    // A product takes all the multiplications: what comes next is an addition.
    while let Some(Link { operator, operator_span, operand }) = links.next() {
        let operand = product(operand, &mut links);
        sum.push(Link { operator, operator_span, operand });
    }
    chain(first, sum)
}

fn product(first: Expr, links: &mut Peekable<IntoIter<Link>>) -> Expr {
    let mut rest = Vec::new();
    while let Some(link) = links.next_if(|link| link.operator == BinaryOperator::Mul) {
        rest.push(link);
    }
    chain(first, rest)
}

fn chain(first: Expr, rest: Vec<Link>) -> Expr {
    let Some(last) = rest.last() else { return first };
    let span = first.span.to(last.operand.span);
    Expr { kind: ExprKind::Chain(Box::new(Chain { first, rest })), span }
}

/// A primary; behind bad text it may be missing, or be part of what is bad (`-1`).
fn operand<'t>(program: Program<'t>, expression: Rule<'t, Expr>) -> Rule<'t, Expr> {
    let primary = primary(program, expression);
    let invalid = just(Token::Invalid).labelled(Wanted::NOTHING).repeated().at_least(1);
    let bad = invalid.ignore_then(primary.clone().or_not()).to_span().map(lost);
    choice((primary, bad)).labelled(Wanted::EXPRESSION).boxed()
}

/// `number | list | name | name "(" arguments ")" | "(" expression ")"`
fn primary<'t>(program: Program<'t>, expression: Rule<'t, Expr>) -> Rule<'t, Expr> {
    let number = select! {
        // The lexer has checked it; should that ever be wrong, nothing may be made up.
        Token::Number(text) => text.parse().map_or(ExprKind::Error, ExprKind::Number),
    };
    let number = number.map_with(|kind, extra| Expr { kind, span: extra.span() });
    choice((
        number,
        literal(program, expression.clone()),
        variable_or_call(program, expression.clone()),
        parenthesised(program, expression),
    ))
    .boxed()
}

fn variable_or_call<'t>(program: Program<'t>, expression: Rule<'t, Expr>) -> Rule<'t, Expr> {
    let name = select! { Token::Identifier(text) => text };
    let arguments = just(Token::OpenParen)
        .labelled(Wanted::NOTHING)
        .ignore_then(items(program, expression, Token::CloseParen))
        .map_with(|(mut arguments, is_complete), extra| {
            if !is_complete {
                arguments.push(lost(extra.span()));
            }
            arguments
        });
    name.map_with(|text, extra| (text, extra.span()))
        .then(arguments.or_not())
        .map_with(|((text, name_span), arguments), extra| match arguments {
            None => Expr { kind: ExprKind::Variable(text.to_owned()), span: name_span },
            Some(arguments) => {
                let callee = Name { text: text.to_owned(), span: name_span };
                let kind = ExprKind::Call(Box::new(Call { callee, arguments }));
                Expr { kind, span: extra.span() }
            }
        })
        .boxed()
}

/// Parentheses make no node, but they belong to the span of what stands in them.
fn parenthesised<'t>(program: Program<'t>, expression: Rule<'t, Expr>) -> Rule<'t, Expr> {
    just(Token::OpenParen)
        .ignore_then(required(program, expression))
        .then(close(program, Token::CloseParen))
        .map_with(|(inner, is_complete), extra| {
            let kind = if is_complete { inner.kind } else { ExprKind::Error };
            Expr { kind, span: extra.span() }
        })
        .boxed()
}

/// `"[" element { "," element } "]"`, an element being a number or a list.
fn literal<'t>(program: Program<'t>, expression: Rule<'t, Expr>) -> Rule<'t, Expr> {
    let element = expression.labelled(Wanted::ELEMENT).validate(move |element, _, emitter| {
        if is_element(program, &element) {
            return element;
        }
        if has_lost_operand(&element) {
            return lost(element.span);
        }
        let message = "elements of a literal must be numbers or lists";
        let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, message)
            .label(element.span, "neither a number nor a list");
        emitter.emit(Complaint::Made(Box::new(diagnostic)));
        lost(element.span)
    });
    just(Token::OpenBracket)
        .ignore_then(items(program, element.boxed(), Token::CloseBracket))
        .validate(|(mut elements, is_complete), extra, emitter| {
            let span: Span = extra.span();
            if !is_complete {
                elements.push(lost(span));
            } else if elements.is_empty() {
                let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, "an empty list")
                    .label(span, "expected at least one number or list in it");
                emitter.emit(Complaint::Made(Box::new(diagnostic)));
                elements.push(lost(span));
            }
            Expr { kind: ExprKind::Literal(elements), span }
        })
        .boxed()
}

fn is_element(program: Program<'_>, element: &Expr) -> bool {
    let first = program.text.as_bytes().get(element.span.start as usize);
    match element.kind {
        ExprKind::Number(_) | ExprKind::Literal(_) => first != Some(&b'('),
        ExprKind::Error => true,
        _ => false,
    }
}

fn has_lost_operand(expr: &Expr) -> bool {
    let is_lost = |expr: &Expr| expr.kind == ExprKind::Error;
    let ExprKind::Chain(chain) = &expr.kind else { return false };
    is_lost(&chain.first) || chain.rest.iter().any(|link| is_lost(&link.operand))
}

/// What could not be read.
pub fn lost(span: Span) -> Expr {
    Expr { kind: ExprKind::Error, span }
}
