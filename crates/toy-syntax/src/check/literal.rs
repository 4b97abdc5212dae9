//! Checks that literals are rectangular.
//!
//! Input: a literal, whose innermost elements count as scalars. Output: one error for each list whose
//! elements differ in shape. Invariant: a list that contains such a list is not reported as well.

use crate::ast::{Expr, ExprKind};
use toy_diagnostics::{Diagnostic, codes};

pub fn check(literal: &Expr, diagnostics: &mut Vec<Diagnostic>) {
    dims(literal, diagnostics);
}

/// The dimensions, innermost first; `None` if they are not known because of an error.
fn dims(element: &Expr, diagnostics: &mut Vec<Diagnostic>) -> Option<Vec<usize>> {
    let elements = match &element.kind {
        ExprKind::Literal(elements) => elements,
        ExprKind::Error => return None,
        // Shape inference checks that it is a scalar.
        _ => return Some(Vec::new()),
    };
    // Most lists consist of numbers: do not compare a million of them one by one.
    if !elements.is_empty() && elements.iter().all(|e| matches!(e.kind, ExprKind::Number(_))) {
        return Some(vec![elements.len()]);
    }
    let (first, others) = elements.split_first()?;
    let first_dims = dims(first, diagnostics);
    // Check all elements, even after the first one that differs, for errors inside them.
    let mut offender = None;
    let mut all_known = first_dims.is_some();
    for other in others {
        let other_dims = dims(other, diagnostics);
        all_known &= other_dims.is_some();
        if all_known && offender.is_none() && is_different(&other_dims, &first_dims) {
            offender = other_dims.map(|dims| (other, dims));
        }
    }
    let mut first_dims = first_dims?;
    if let Some((offender, offender_dims)) = offender {
        diagnostics.push(
            Diagnostic::error(codes::RAGGED_LITERAL, "the elements of a literal differ in shape")
                .label(offender.span, format!("this is {}", words(offender, &offender_dims)))
                .label(first.span, format!("the first element is {}", words(first, &first_dims))),
        );
        return None;
    }
    first_dims.push(elements.len());
    all_known.then_some(first_dims)
}

/// `!=`, but without `memcmp` for scalars: on zero bytes it is as slow as on 64, and with AVX-512 a
/// masked read at the dangling address of an empty list takes hundreds of cycles.
fn is_different(one: &Option<Vec<usize>>, other: &Option<Vec<usize>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) if one.is_empty() && other.is_empty() => false,
        _ => one != other,
    }
}

fn words(element: &Expr, dims: &[usize]) -> String {
    match element.kind {
        ExprKind::Literal(_) => {
            let dims: Vec<String> = dims.iter().rev().map(usize::to_string).collect();
            format!("a list of shape {}", dims.join("x"))
        }
        ExprKind::Number(_) => "a number".to_owned(),
        // Rows must be written out, whatever the value is.
        _ => "not written as a list, so it has to be a scalar".to_owned(),
    }
}
