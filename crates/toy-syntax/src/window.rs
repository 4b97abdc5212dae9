//! Ranges of a constant length that may start anywhere: `x[i - 1:i + 2]`.
//!
//! Input: the range of a subscript. Output: the terms of its length, if the two bounds have a term in common that is
//! not a number. What is left of both are the terms: they have to be constants. Invariant: the common terms only
//! compute, so that it does not matter that they run once.

use crate::ast::{BinaryOperator, Expr, ExprKind, Slice};
use crate::unparse;

/// A term of a sum, and true if it is subtracted.
pub type Term<'e> = (bool, &'e Expr);

/// Bounds with more terms are not compared.
const MOST_TERMS: usize = 32;

/// The terms of the length; None if the bounds have nothing in common. `is_pure` says if a call of a name only computes.
pub fn length<'e>(slice: &'e Slice, is_pure: &dyn Fn(&str) -> bool) -> Option<Vec<Term<'e>>> {
    let (Some(from), Some(to), None) = (&slice.from, &slice.to, &slice.step) else { return None };
    let (mut first, mut last) = (Vec::new(), Vec::new());
    terms(from, false, &mut first);
    terms(to, false, &mut last);
    if first.len().max(last.len()) > MOST_TERMS {
        return None;
    }
    let texts = |terms: &[Term]| -> Vec<String> {
        terms.iter().map(|(_, term)| unparse::sizes(std::slice::from_ref(*term))).collect()
    };
    let (mut ends, mut length, mut has_common) = (texts(&last), Vec::new(), false);
    for (text, (is_negative, term)) in texts(&first).into_iter().zip(first) {
        let same = last.iter().zip(&ends).position(|((negative, _), end)| {
            *negative == is_negative && *end == text && only_computes(term, is_pure)
        });
        match same {
            Some(at) => {
                last.remove(at);
                ends.remove(at);
                has_common |= !matches!(term.kind, ExprKind::Number(_));
            }
            None => length.push((!is_negative, term)),
        }
    }
    // A difference begins with a term that is added, if there is one.
    has_common.then(|| last.into_iter().chain(length).collect())
}

fn terms<'e>(expr: &'e Expr, is_negative: bool, found: &mut Vec<Term<'e>>) {
    let is_sum = |operator| matches!(operator, BinaryOperator::Add | BinaryOperator::Sub);
    match &expr.kind {
        ExprKind::Chain(chain) if chain.rest.iter().all(|link| is_sum(link.operator)) => {
            terms(&chain.first, is_negative, found);
            for link in &chain.rest {
                let is_subtracted = link.operator == BinaryOperator::Sub;
                terms(&link.operand, is_negative != is_subtracted, found);
            }
        }
        ExprKind::Unary(unary) if unary.is_negative().is_some() => {
            terms(&unary.operand, unary.is_negative() != Some(is_negative), found);
        }
        _ => found.push((is_negative, expr)),
    }
}

fn only_computes(expr: &Expr, is_pure: &dyn Fn(&str) -> bool) -> bool {
    let mut is_pure_so_far = true;
    expr.walk(|part| match &part.kind {
        ExprKind::Call(call) => is_pure_so_far &= is_pure(&call.callee.text),
        ExprKind::Error => is_pure_so_far = false,
        _ => {}
    });
    is_pure_so_far
}
