//! Checks that literals are rectangular.
//!
//! Input: a literal. Output: one error for each list whose elements differ in shape, as far as they are written out:
//! shape inference knows the others. Invariant: a list that contains such a list is not reported as well.

use crate::ast::{Expr, ExprKind};
use toy_diagnostics::{Diagnostic, codes};

pub fn check(literal: &Expr, diagnostics: &mut Vec<Diagnostic>) {
    written(literal, diagnostics);
}

/// The dimensions of an element that are written out.
struct Written {
    /// Outermost first.
    dims: Vec<usize>,
    /// True if these are all dimensions.
    is_all: bool,
}

/// None if nothing is known because of an error.
fn written(element: &Expr, diagnostics: &mut Vec<Diagnostic>) -> Option<Written> {
    let elements = match &element.kind {
        ExprKind::Literal(elements) => elements,
        ExprKind::Error => return None,
        ExprKind::Number(_) => return Some(Written { dims: Vec::new(), is_all: true }),
        _ => return Some(Written { dims: Vec::new(), is_all: false }),
    };
    // Most lists consist of numbers: do not compare a million of them one by one.
    if !elements.is_empty() && elements.iter().all(|e| matches!(e.kind, ExprKind::Number(_))) {
        return Some(Written { dims: vec![elements.len()], is_all: true });
    }
    // The element of which most is known, and one that differs from it.
    let mut known: Option<(&Expr, Written)> = None;
    let mut offender: Option<(&Expr, Written)> = None;
    let mut is_damaged = false;
    // All elements are checked, even after the first one that differs, for errors inside them.
    for element in elements {
        let Some(found) = written(element, diagnostics) else {
            is_damaged = true;
            continue;
        };
        match &known {
            _ if offender.is_some() => {}
            Some((_, best)) if !agree(best, &found) => offender = Some((element, found)),
            Some((_, best)) if best.is_all || best.dims.len() > found.dims.len() => {}
            Some((_, best)) if best.dims.len() == found.dims.len() && !found.is_all => {}
            _ => known = Some((element, found)),
        }
    }
    let (first, mut first_dims) = known?;
    if is_damaged {
        return None;
    }
    if let Some((offender, dims)) = offender {
        let which = if elements[0].span == first.span { "the first" } else { "another" };
        diagnostics.push(
            Diagnostic::error(codes::RAGGED_LITERAL, "the elements of a literal differ in shape")
                .label(offender.span, format!("this is {}", words(&dims)))
                .label(first.span, format!("{which} element is {}", words(&first_dims))),
        );
        return None;
    }
    first_dims.dims.insert(0, elements.len());
    Some(first_dims)
}

/// True if two elements may have the same shape.
fn agree(one: &Written, other: &Written) -> bool {
    let ends = |one: &Written, other: &Written| !one.is_all || one.dims.len() >= other.dims.len();
    one.dims.iter().zip(&other.dims).all(|(a, b)| a == b) && ends(one, other) && ends(other, one)
}

fn words(written: &Written) -> String {
    match written.dims.as_slice() {
        [] => "a number".to_owned(),
        dims => {
            let dims: Vec<String> = dims.iter().map(usize::to_string).collect();
            let rest = if written.is_all { "" } else { "x..." };
            format!("a list of shape {}{rest}", dims.join("x"))
        }
    }
}
