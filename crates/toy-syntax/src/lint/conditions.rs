//! Conditions that are always true or always false, and loops that never run.
//!
//! Input: a statement. Output: a warning if numbers alone decide a condition, or a `for`'s iterations. Invariant:
//! variables decide nothing, whatever their values are: a program may have switches.

use crate::ast::{
    BinaryOperator, Expr, ExprKind, For, Precedence, Statement, StatementKind, UnaryOperator, jumps,
};
use crate::variables::Variables;
use toy_diagnostics::source::Span;
use toy_diagnostics::text::clipped;
use toy_diagnostics::{Diagnostic, codes};

pub fn check(statement: &Statement) -> Vec<Diagnostic> {
    match &statement.kind {
        StatementKind::If(branches) => {
            let warning = |condition: &Expr| {
                let holds = value(condition)? != 0.0;
                Some(constant(condition.span, holds).help(if holds {
                    "remove the `if`, and the branches that never run"
                } else {
                    "remove the branch"
                }))
            };
            branches.arms.iter().filter_map(|arm| warning(&arm.condition)).collect()
        }
        StatementKind::While(repeated) => match value(&repeated.condition) {
            Some(value) if value != 0.0 && jumps(&repeated.body.statements).leave_loop() => vec![],
            Some(value) if value != 0.0 => {
                let help = "the loop never ends: use a condition that its body changes, or `break`";
                vec![constant(repeated.condition.span, true).help(help)]
            }
            Some(_) => vec![never_runs(repeated.condition.span, "this condition never holds")],
            None => vec![],
        },
        StatementKind::For(repeated) => counted(repeated).into_iter().collect(),
        _ => vec![],
    }
}

/// Comparisons with `nan`, which hold for no value, or for all.
pub fn with_nan(statement: &Statement, variables: &Variables) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    let is_nan = |expr: &Expr| {
        let is_name = matches!(&expr.kind, ExprKind::Variable(name) if name == "nan");
        is_name && variables.at(expr.span).is_none()
    };
    statement.walk_exprs(|expr| {
        if let ExprKind::Chain(chain) = &expr.kind
            && let [link] = chain.rest.as_slice()
            && link.operator.precedence() == Precedence::Comparison
            && (is_nan(&chain.first) || is_nan(&link.operand))
        {
            let is_true = link.operator == BinaryOperator::NotEqual;
            let warning = constant(expr.span, is_true);
            warnings.push(warning.help("only NaN differs from itself: write `x != x`"));
        }
    });
    warnings
}

fn constant(span: Span, holds: bool) -> Diagnostic {
    let word = if holds { "true" } else { "false" };
    Diagnostic::warning(codes::CONSTANT_CONDITION, format!("this condition is always {word}"))
        .label(span, format!("always {word}"))
}

fn never_runs(span: Span, label: &str) -> Diagnostic {
    Diagnostic::warning(codes::EMPTY_LOOP, "this loop never runs")
        .label(span, label)
        .help("remove the loop")
}

fn counted(repeated: &For) -> Option<Diagnostic> {
    let (first, end) = (value(&repeated.first)?, value(&repeated.end)?);
    let step = repeated.step.as_ref().map_or(Some(1.0), value)?;
    let span = repeated.first.span.to(repeated.end.span);
    let name = clipped(&repeated.variable.text);
    match step {
        _ if step > 0.0 && first >= end => {
            let diagnostic = never_runs(span, "the second bound, which is excluded, is not larger");
            let help = format!("to count down, give a step: `for {name} in {first}..{end}..-1`");
            let is_downward = first > end && repeated.step.is_none();
            Some(if is_downward { diagnostic.help(help) } else { diagnostic })
        }
        _ if step < 0.0 && first <= end => {
            Some(never_runs(span, "the second bound, which is excluded, is not smaller"))
        }
        _ => None,
    }
}

/// The value of an expression of numbers only; None if numbers do not decide it.
fn value(expr: &Expr) -> Option<f64> {
    let truth = |holds: bool| f64::from(u8::from(holds));
    match &expr.kind {
        ExprKind::Number(number) => Some(*number),
        ExprKind::Unary(unary) => {
            let operand = value(&unary.operand)?;
            Some(unary.operators.iter().rev().fold(
                operand,
                |operand, (operator, _)| match operator {
                    UnaryOperator::Negate => -operand,
                    UnaryOperator::Not => truth(operand == 0.0),
                },
            ))
        }
        ExprKind::Chain(chain) => {
            let mut result = value(&chain.first)?;
            for link in &chain.rest {
                match link.operator {
                    // The right side does not matter.
                    BinaryOperator::Or if result != 0.0 => result = 1.0,
                    BinaryOperator::And if result == 0.0 => result = 0.0,
                    operator => result = operator.of_numbers(result, value(&link.operand)?)?,
                }
            }
            Some(result)
        }
        _ => None,
    }
}
