//! Checks for recursive functions.
//!
//! Input: the call graph of a module. Output: one error for each cycle. Invariant: shapes do not
//! matter; Toy has no branches, so a recursive call never returns.

use crate::ast::Module;
use crate::call_graph::{CallGraph, Cycle};
use toy_diagnostics::text::clipped;
use toy_diagnostics::{Diagnostic, codes};

/// Of a longer cycle, only this many calls at its start and at its end are shown.
const SHOWN_CALLS: usize = 4;

pub fn check(module: &Module, calls: &CallGraph) -> Vec<Diagnostic> {
    calls.cycles.iter().filter_map(|cycle| describe(module, cycle)).collect()
}

fn describe(module: &Module, cycle: &Cycle) -> Option<Diagnostic> {
    let name = |function: usize| clipped(&module.functions[function].name.text).into_owned();
    let (first, (last, closing)) = (cycle.path.first()?.0, cycle.path.last()?);
    let diagnostic =
        Diagnostic::error(codes::RECURSION, format!("`{}` calls itself endlessly", name(first)));
    let mut diagnostic = match cycle.path.as_slice() {
        [_] => diagnostic.label(closing.span, "this call never returns"),
        _ => diagnostic
            .label(closing.span, format!("this call in `{}` closes the cycle", name(*last))),
    };
    let between = &cycle.path[..cycle.path.len() - 1];
    let omitted = cycle.path.len().saturating_sub(2 * SHOWN_CALLS);
    let is_shown = |index: usize| !(SHOWN_CALLS..SHOWN_CALLS + omitted).contains(&index);
    let shown = between.iter().enumerate().filter(|(index, _)| is_shown(*index));
    for (_, (caller, call)) in shown {
        let message = format!("`{}` calls `{}` here", name(*caller), name(call.callee));
        diagnostic = diagnostic.label(call.span, message);
    }
    let mut path: Vec<_> = (0..cycle.path.len())
        .filter(|index| is_shown(*index))
        .map(|index| name(cycle.path[index].0))
        .chain([name(first)])
        .collect();
    if omitted > 0 {
        path.insert(SHOWN_CALLS, format!("... {omitted} more ..."));
    }
    Some(
        diagnostic
            .note(format!("the call cycle is {}", path.join(" -> ")))
            .help("Toy has no branches, so a recursive call never returns: remove it"),
    )
}
