//! The edits that convert an operand to another element type, where it is written.
//!
//! Input: an operation with its place in the source. Output: edits, for quick fixes; none where the operand has no place of
//! its own. Only the text of the operation is parsed: the IR knows where a value is defined, and not where it is used.

use crate::dialect::ops::Kind;
use crate::dialect::shape::Element;
use mlir_support::Located;
use toy_diagnostics::Edit;
use toy_diagnostics::source::{Source, Span};
use toy_syntax::ast::{Expr, ExprKind, StatementKind};

const BEFORE: &str = "def f() { ";

/// The edits that convert an operand of an operation, or the value of an assignment.
pub fn of_operand(at: Located, place: usize, element: Element) -> Vec<Edit> {
    let Some(span) = written(at, place) else { return Vec::new() };
    let before = format!("{}(", element.name());
    vec![Edit::new(Span::at(span.start), before), Edit::new(Span::at(span.end), ")")]
}

fn written(at: Located, place: usize) -> Option<Span> {
    let all = at.span()?;
    let text = at.locations.source.snippet(all);
    let (module, diagnostics) = toy_syntax::parse(&Source::new("", format!("{BEFORE}{text}; }}")));
    let statement = module.functions.first()?.body.first()?;
    let span = match &statement.kind {
        _ if !diagnostics.is_empty() => return None,
        StatementKind::Assign(assignment) if place == 0 => assignment.value.span,
        StatementKind::VarDecl { value, .. } if place == 0 => value.span,
        StatementKind::Expr(value) => operand(value, at, place)?,
        _ => return None,
    };
    let moved = |offset: u32| offset + all.start - BEFORE.len() as u32;
    Some(Span { start: moved(span.start), end: moved(span.end) })
}

fn operand(expr: &Expr, at: Located, place: usize) -> Option<Span> {
    let ExprKind::Chain(chain) = &expr.kind else {
        // The first operand of `concat` is its axis, which may be written after the others.
        let is_join = Kind::of(&*at) == Some(Kind::Join);
        return Some(expr.children().nth(place.checked_sub(usize::from(is_join))?)?.span);
    };
    // The operation is the last of the chain, and the left operand is what is before it.
    let (last, others) = chain.rest.split_last()?;
    let before =
        others.last().map_or(chain.first.span, |link| chain.first.span.to(link.operand.span));
    [before, last.operand.span].get(place).copied()
}
