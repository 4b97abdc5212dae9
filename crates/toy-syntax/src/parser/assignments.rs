//! Expressions as statements, and assignments.
//!
//! ```text
//! assignment = name [ "[" subscripts "]" ] "=" expression
//! ```
//!
//! Input: the rule for expressions. Output: an [`Assignment`], or the expression. Invariants: the target is
//! read as an expression first; a target that cannot be assigned to is an error here; `x += 1` and `x++` are errors
//! that are read with their meaning in other languages.

use crate::ast::{
    Assignment, BinaryOperator, Chain, Expr, ExprKind, Link, Name, StatementKind, Subscript,
};
use crate::expression::{Rule, error_expr, is_parenthesized, required};
use crate::parse_error::{Expected, ParseError};
use crate::recovery::{Program, position};
use crate::token::Token;
use chumsky::prelude::*;
use toy_diagnostics::source::Span;
use toy_diagnostics::text::clipped;
use toy_diagnostics::{Diagnostic, codes};

/// The rest of an assignment after its target.
enum Tail {
    Value(Expr),
    /// `+= 1`, with the place of `+=`.
    Update(BinaryOperator, Span, Expr),
    /// `++`
    Step(BinaryOperator, Span),
}

pub fn expression_or_assignment<'t>(
    program: Program<'t>,
    expression: Rule<'t, Expr>,
) -> Rule<'t, StatementKind> {
    let value = required(program, expression.clone());
    let plain =
        just(Token::Equals).labelled(Expected::NOTHING).ignore_then(value.clone()).map(Tail::Value);
    let update = operator_with(program, Update::Assignment)
        .then(value)
        .map(|((operator, span), value)| Tail::Update(operator, span, value));
    let step =
        operator_with(program, Update::Step).map(|(operator, span)| Tail::Step(operator, span));
    expression
        .then(choice((plain, update, step)).or_not())
        .validate(move |(target, tail), extra, emitter| {
            let Some(tail) = tail else { return StatementKind::Expr(target) };
            let span = extra.span();
            let (kind, error) = assignment(program, target, tail, span);
            if let Some(diagnostic) = error {
                emitter.emit(ParseError::Reported(Box::new(diagnostic)));
            }
            kind
        })
        .boxed()
}

#[derive(Clone, Copy, PartialEq)]
enum Update {
    /// `+=`
    Assignment,
    /// `++`
    Step,
}

/// The two tokens of an update.
fn operator_with<'t>(program: Program<'t>, update: Update) -> Rule<'t, (BinaryOperator, Span)> {
    custom(move |input| {
        let index = position(input);
        let silent = || program.silent_error(index);
        let operator =
            program.token(index).and_then(BinaryOperator::of_token).ok_or_else(silent)?;
        let is_assignment = program.token(index + 1) == Some(Token::Equals);
        if !program.is_update(index) || is_assignment != (update == Update::Assignment) {
            return Err(silent());
        }
        input.skip();
        input.skip();
        Ok((operator, program.tokens[index].1.to(program.tokens[index + 1].1)))
    })
    .boxed()
}

/// The statement, with the error about it.
fn assignment(
    program: Program<'_>,
    target: Expr,
    tail: Tail,
    span: Span,
) -> (StatementKind, Option<Diagnostic>) {
    let damaged = StatementKind::Expr(error_expr(span));
    let target_span = target.span;
    let text = program.snippet(target_span);
    let (value, update) = match tail {
        Tail::Value(value) => (value, None),
        Tail::Update(operator, place, value) => {
            let operand = program.snippet(value.span);
            let is_chain = matches!(value.kind, ExprKind::Chain(_));
            let operand = if is_chain { format!("({operand})") } else { operand.to_owned() };
            let value = linked(target.clone(), operator, place, value);
            (value, Some((operator, place, operand)))
        }
        Tail::Step(operator, place) => {
            let one = Expr { kind: ExprKind::Number(1.0), span: place };
            let value = linked(target.clone(), operator, place, one);
            (value, Some((operator, place, "1".to_owned())))
        }
    };
    let error = update.map(|(operator, place, operand)| {
        let found = program.snippet(place);
        let new = format!("{text} = {text} {} {operand}", operator.symbol());
        Diagnostic::error(codes::UNEXPECTED_TOKEN, format!("Toy has no operator `{found}`"))
            .label(place, "expected `=`")
            .fix(format!("write `{}`", clipped(&new)), span, new)
    });
    if target.kind == ExprKind::Error {
        return (damaged, None);
    }
    let parts = if is_parenthesized(program, &target) {
        Err(not_assignable(&target, text))
    } else {
        parts(program, target)
    };
    match parts {
        Ok((name, subscripts)) => {
            let assignment = Assignment { name, subscripts, target: target_span, value };
            (StatementKind::Assign(Box::new(assignment)), error)
        }
        Err(diagnostic) => (damaged, Some(diagnostic)),
    }
}

fn linked(first: Expr, operator: BinaryOperator, operator_span: Span, operand: Expr) -> Expr {
    let span = first.span.to(operand.span);
    let rest = vec![Link { operator, operator_span, operand }];
    Expr { kind: ExprKind::Chain(Box::new(Chain { first, rest })), span }
}

/// The variable and the subscripts of a target.
fn parts(program: Program<'_>, target: Expr) -> Result<(Name, Vec<Subscript>), Diagnostic> {
    let text = program.snippet(target.span);
    match target.kind {
        ExprKind::Variable(text) => Ok((Name { text, span: target.span }, Vec::new())),
        ExprKind::Index(index) => match index.base.kind {
            ExprKind::Variable(text) if !is_parenthesized(program, &index.base) => {
                Ok((Name { text, span: index.base.span }, index.subscripts))
            }
            _ => Err(part_of_part(program, Expr { kind: ExprKind::Index(index), ..target }, text)),
        },
        _ => Err(not_assignable(&target, text)),
    }
}

/// `x[0][1] = e` and `s.x[0] = e`.
fn part_of_part(program: Program<'_>, target: Expr, text: &str) -> Diagnostic {
    let mut subscripts = Vec::new();
    let mut base = &target;
    let mut are_indices = true;
    while let ExprKind::Index(index) = &base.kind {
        let at = |subscript: &Subscript| matches!(subscript, Subscript::At(_));
        are_indices &= index.subscripts.iter().all(at);
        let written = Span { start: index.base.span.end, ..base.span };
        let written = program.snippet(written).trim();
        subscripts.push(written.trim_start_matches('[').trim_end_matches(']').trim().to_owned());
        base = &index.base;
    }
    let ExprKind::Variable(name) = &base.kind else { return not_assignable(base, text) };
    subscripts.reverse();
    let diagnostic = Diagnostic::error(codes::BAD_TARGET, "a part of a part cannot be assigned")
        .label(target.span, "expected a variable with one list of subscripts");
    if !are_indices {
        return diagnostic.help("combine the subscripts in one list: `x[i, j] = ...`");
    }
    let combined = format!("{name}[{}]", subscripts.join(", "));
    diagnostic.fix(format!("write `{}`", clipped(&combined)), target.span, combined)
}

fn not_assignable(target: &Expr, text: &str) -> Diagnostic {
    let error = |message: &str, label: &str| {
        Diagnostic::error(codes::BAD_TARGET, message).label(target.span, label)
    };
    match &target.kind {
        ExprKind::Access(access) => {
            let diagnostic = error("a field cannot be assigned", "a field of a struct");
            match &access.base.kind {
                ExprKind::Variable(name) => {
                    let name = clipped(name);
                    diagnostic.help(format!(
                        "assign a new struct with the values of all fields: `{name} = {{...}};`"
                    ))
                }
                _ => diagnostic.help("assign a new struct with the values of all fields"),
            }
        }
        ExprKind::Call(_) => error("the result of a call cannot be assigned", "not a variable")
            .help("to compare, write `==`"),
        ExprKind::Literal(_) | ExprKind::StructLiteral(_) => {
            error("a literal cannot be assigned", "not a variable")
                .help("assign to one variable after the other")
        }
        ExprKind::Variable(name) => error("expected a variable before `=`", "not a variable").fix(
            "remove the parentheses",
            target.span,
            name.clone(),
        ),
        _ => error(&format!("`{}` cannot be assigned", clipped(text)), "not a variable")
            .help("to compare, write `==`"),
    }
}
