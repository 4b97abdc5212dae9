//! Expressions as statements, and assignments.
//!
//! ```text
//! assignment = name { "." name } [ "[" subscripts "]" ] "=" expression
//! ```
//!
//! Input: the rule for expressions. Output: an [`Assignment`], or the expression. Invariants: the target is
//! read as an expression first; a target that cannot be assigned to is an error here; `x += 1` and `x++` are errors
//! that are read with their meaning in other languages.

use crate::ast::{
    Assignment, BinaryOperator, Chain, Expr, ExprKind, Link, Name, StatementKind, Subscript,
};
use crate::expression::{is_parenthesized, required};
use crate::rule::*;
use toy_diagnostics::text::clipped;

/// The rest of an assignment after its target: the value and, for `+= 1` and `++`, the operator with its place. The
/// value of `++` is at the place of the operator.
type Tail = (Option<(BinaryOperator, Span)>, Expr);

pub fn expression_or_assignment<'t>(
    program: Program<'t>,
    expression: Rule<'t, Expr>,
) -> Rule<'t, StatementKind> {
    let value = required(program, expression.clone());
    let plain = quiet(Token::Equals).ignore_then(value.clone()).map(|value| (None, value));
    let update = updating(program, true).then(value).map(|(update, value)| (Some(update), value));
    let step = updating(program, false).map(|(operator, place)| {
        (Some((operator, place)), Expr { kind: ExprKind::Number(1.0), span: place })
    });
    expression
        .then(choice((plain, update, step)).or_not())
        .validate(move |(target, tail), extra, emitter| {
            let Some(tail) = tail else { return StatementKind::Expr(target) };
            let (kind, error) = assignment(program, target, tail, extra.span());
            error.into_iter().for_each(|diagnostic| emitter.emit(diagnostic.into()));
            kind
        })
        .boxed()
}

/// The two tokens of `+=`, or else of `++`.
fn updating<'t>(program: Program<'t>, is_assignment: bool) -> Rule<'t, (BinaryOperator, Span)> {
    rule(program, move |reader| {
        let operator = BinaryOperator::of_token(reader.token(0)?)?;
        let (next, end) = program.tokens.get(reader.start + 1)?;
        if !program.is_update(reader.start) || (*next == Token::Equals) != is_assignment {
            return None;
        }
        reader.skip(2);
        Some((operator, reader.span().to(*end)))
    })
}

/// The statement, with the error about it.
fn assignment(
    program: Program<'_>,
    target: Expr,
    (update, mut value): Tail,
    span: Span,
) -> (StatementKind, Option<Diagnostic>) {
    let damaged = StatementKind::Expr(error_expr(span));
    let target_span = target.span;
    let text = program.snippet(target_span);
    // `print(1 = 2)`: the call has an error already.
    let is_unclosed = matches!(target.kind, ExprKind::Call(_)) && !text.ends_with(')');
    if target.kind == ExprKind::Error || is_unclosed {
        return (damaged, None);
    }
    let error = update.map(|(operator, place)| {
        let operand = match value.kind {
            _ if value.span == place => "1".to_owned(),
            ExprKind::Chain(_) => format!("({})", program.snippet(value.span)),
            _ => program.snippet(value.span).to_owned(),
        };
        value = linked(
            target.clone(),
            operator,
            place,
            std::mem::replace(&mut value, error_expr(place)),
        );
        let message = format!("Toy has no operator `{}`", program.snippet(place));
        let new = format!("{text} = {text} {} {operand}", operator.symbol());
        let diagnostic = syntax_error(message, place, "expected `=`");
        diagnostic.fix(format!("write `{}`", clipped(&new)), span, new)
    });
    let parts = if is_parenthesized(program, &target) {
        Err(not_assignable(&target, text))
    } else {
        parts(program, target)
    };
    match parts {
        Ok((name, fields, subscripts)) => {
            let assignment = Assignment { name, fields, subscripts, target: target_span, value };
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

/// The variable, the fields and the subscripts of a target.
fn parts(
    program: Program<'_>,
    target: Expr,
) -> Result<(Name, Vec<Name>, Vec<Subscript>), Diagnostic> {
    let text = program.snippet(target.span);
    if let Some((name, fields)) = variable_or_field(program, &target) {
        return Ok((name, fields, Vec::new()));
    }
    match target.kind {
        ExprKind::Index(index) => match variable_or_field(program, &index.base) {
            Some((name, fields)) if !is_parenthesized(program, &index.base) => {
                Ok((name, fields, index.subscripts))
            }
            _ => Err(part_of_part(program, Expr { kind: ExprKind::Index(index), ..target }, text)),
        },
        _ => Err(not_assignable(&target, text)),
    }
}

/// `x` or `x.field.field`
fn variable_or_field(program: Program<'_>, target: &Expr) -> Option<(Name, Vec<Name>)> {
    let (base, fields) = match &target.kind {
        ExprKind::Access(access) if !is_parenthesized(program, &access.base) => {
            (&access.base, access.fields.clone())
        }
        _ => (target, Vec::new()),
    };
    let ExprKind::Variable(text) = &base.kind else { return None };
    Some((Name { text: text.clone(), span: base.span }, fields))
}

/// `x[0][1] = e`.
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
    let Some((name, fields)) = variable_or_field(program, base) else {
        if matches!(base.kind, ExprKind::Variable(_) | ExprKind::Access(_)) {
            return not_assignable(base, text);
        }
        return Diagnostic::error(codes::BAD_TARGET, "only a part of a variable can be assigned")
            .label(base.span, "not a variable")
            .help("define a variable with this value, and assign its part");
    };
    let names: Vec<_> = [&name].into_iter().chain(&fields).map(|name| name.text.as_str()).collect();
    subscripts.reverse();
    let diagnostic = Diagnostic::error(codes::BAD_TARGET, "a part of a part cannot be assigned")
        .label(target.span, "expected a variable with one list of subscripts");
    if !are_indices {
        return diagnostic.help("combine the subscripts in one list: `x[i, j] = ...`");
    }
    let combined = format!("{}[{}]", names.join("."), subscripts.join(", "));
    diagnostic.fix(format!("write `{}`", clipped(&combined)), target.span, combined)
}

fn not_assignable(target: &Expr, text: &str) -> Diagnostic {
    let error = |message: &str, label: &str| {
        Diagnostic::error(codes::BAD_TARGET, message).label(target.span, label)
    };
    match &target.kind {
        ExprKind::Access(access) => {
            error("only a field of a variable can be assigned", "a field of another value").help(
                match &access.base.kind {
                    ExprKind::Variable(_) => "remove the parentheses",
                    _ => "define a variable with the struct, and assign its field",
                },
            )
        }
        ExprKind::Call(_) => error("the result of a call cannot be assigned", "not a variable")
            .help("to compare, write `==`; an element of a variable is `x[i]`"),
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
