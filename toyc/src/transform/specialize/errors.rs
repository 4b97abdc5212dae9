//! The diagnostics of specialization: errors that show the operands' shapes and the chain of calls that
//! led to the function they are in.

use super::Specializer;
use crate::dialect::shape_errors::primary;
use crate::dialect::structs::shown;
use crate::lower::exports;
use melior::ir::Type;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::{Locations, raw};
use toy_diagnostics::text::clipped;
use toy_diagnostics::{Diagnostic, codes};

/// Calls shown in full above an error; of a longer chain, the first and the last ones.
const SHOWN_CALLS: usize = 8;

pub(super) fn recursion(
    operation: OperationRef,
    path: &[String],
    specializer: &Specializer,
) -> Diagnostic {
    let callee = path.first().cloned().unwrap_or_default();
    let mut shown: Vec<_> = path.to_vec();
    shown.push(callee.clone());
    if shown.len() > 2 * SHOWN_CALLS {
        let omitted = shown.len() - 2 * SHOWN_CALLS;
        shown.splice(SHOWN_CALLS..SHOWN_CALLS + omitted, [format!("... {omitted} more ...")]);
    }
    let diagnostic =
        Diagnostic::error(codes::RECURSION, format!("`{callee}` calls itself endlessly"));
    let diagnostic =
        primary(diagnostic, operation, "this call closes the cycle".into(), &specializer.locations);
    diagnostic
        .note(format!("the call cycle is {}", shown.join(" -> ")))
        .help("Toy has no branches, so a recursive call never returns: remove it")
}

pub(super) fn not_inferred(operation: OperationRef, locations: &Locations) -> Diagnostic {
    let message = format!("the shapes of this `{}` are unknown", raw::name(&operation));
    let diagnostic = Diagnostic::error(codes::INVALID_TOY_IR, message);
    primary(diagnostic, operation, "its shapes cannot be inferred".into(), locations)
        .help("give its operands ranked types, or call its function with ranked arguments")
}

/// The written type of a value contradicts the inferred one. Only in `.mlir` input: a Toy program has
/// no types that could be wrong.
pub(super) fn contradiction(
    operation: OperationRef,
    written: Type,
    found: Type,
    locations: &Locations,
) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        codes::INVALID_TOY_IR,
        format!(
            "invalid `{}`: it says `{}`, but shape inference finds `{}`",
            raw::name(&operation),
            shown(written),
            shown(found)
        ),
    );
    primary(diagnostic, operation, "this operation".into(), locations)
        .help("write the type that is found, or `tensor<*xf64>`")
}

pub(super) fn too_many(operation: OperationRef, limit: usize, locations: &Locations) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        codes::TOO_MANY_SPECIALIZATIONS,
        format!("the program needs more than {limit} specializations"),
    );
    primary(diagnostic, operation, "one more is needed for this call".into(), locations)
        .help("call functions with fewer different shapes")
}

/// Labels the calls, innermost first, that led from `main` to the function on top of the stack.
pub(super) fn with_call_chain(mut diagnostic: Diagnostic, specializer: &Specializer) -> Diagnostic {
    let frames = &specializer.stack;
    let calls: Vec<_> = (1..frames.len())
        .rev()
        .map(|index| {
            let caller = &frames[index - 1];
            let callee = &specializer.entries[frames[index].entry].key;
            let name = match callee.list() {
                none if none.is_empty() => format!("in `{}`", callee.callee),
                list => format!("in `{}` for {list}", callee.callee),
            };
            (name, caller.operations.get(caller.next).copied())
        })
        .collect();
    let omitted = calls.len().saturating_sub(2 * SHOWN_CALLS);
    for (index, (message, call)) in calls.into_iter().enumerate() {
        if omitted > 0 && (SHOWN_CALLS..SHOWN_CALLS + omitted).contains(&index) {
            continue;
        }
        match call.and_then(|call| specializer.locations.span(call.location())) {
            Some(span) => diagnostic = diagnostic.label(span, format!("{message}, called here")),
            None => {
                let option = call.and_then(|call| exports::option(call.location()));
                let option = option.map(|option| format!(", exported by `{}`", clipped(&option)));
                diagnostic = diagnostic.note(message + &option.unwrap_or_default());
            }
        }
    }
    if omitted > 0 {
        diagnostic = diagnostic.note(format!("{omitted} more calls are not shown"));
    }
    diagnostic
}
