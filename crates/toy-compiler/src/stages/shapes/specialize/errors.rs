//! The diagnostics of specialization: errors that show the operands' shapes and the chain of calls that
//! led to the function they are in.

use super::key::Key;
use super::{MAX_COPIED, MAX_NESTED, Specializer, TENSOR_WORK};
use crate::dialect::inference::MAX_RANGE;
use crate::dialect::shape::{TensorType, type_of};
use crate::dialect::structs::shown;
use crate::dialect::{control, ops};
use crate::interface::MAIN;
use crate::stages::toy::exports;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Type, Value, ValueLike};
use mlir_support::{Located, ir};
use toy_diagnostics::source::Span;
use toy_diagnostics::text::clipped;
use toy_diagnostics::{Diagnostic, codes};

/// The number of calls shown in full above an error; of a longer chain, the first and the last ones.
const SHOWN_CALLS: usize = 8;

/// The number of functions that a message names: the functions with the most specializations.
const SHOWN_FUNCTIONS: usize = 3;

pub(super) fn recursion(at: Located, path: &[String]) -> Diagnostic {
    let callee = path.first().cloned().unwrap_or_default();
    let message = format!("`{callee}` calls itself endlessly");
    at.error(codes::RECURSION, message, "this call closes the cycle")
        .note(format!("the call cycle is {}", closed(path)))
        .help("every path through these functions makes the call again: let one end without it")
}

/// `f(2) -> g(2) -> f(2)`
fn closed(path: &[String]) -> String {
    let mut shown: Vec<_> = path.iter().chain(path.first()).cloned().collect();
    if shown.len() > 2 * SHOWN_CALLS {
        let omitted = shown.len() - 2 * SHOWN_CALLS;
        shown.splice(SHOWN_CALLS..SHOWN_CALLS + omitted, [format!("... {omitted} more ...")]);
    }
    shown.join(" -> ")
}

/// An error if no path through some functions determines the shape of the first one's result.
pub(super) fn shape_of_itself(at: Located, path: &[String]) -> Diagnostic {
    let callee = path.first().cloned().unwrap_or_default();
    let message = format!("the shape of the result of `{callee}` follows from nothing but itself");
    at.error(codes::SHAPE_OF_ITSELF, message, "this call needs it")
        .note(format!("the call cycle is {}", closed(path)))
        .help("return a value that does not come from this call in one of the branches")
}

/// A function calls itself with other shapes again and again.
pub(super) fn endless_shapes(
    operation: OperationRef,
    key: &Key,
    specializer: &Specializer,
) -> Diagnostic {
    let name = &key.callee;
    let frames = specializer.stack.iter().map(|frame| &specializer.entries[frame.entry].key);
    let same = frames.filter(|other| other.callee == *name).map(Key::to_string);
    let mut path: Vec<String> = same.collect();
    if path.last() != Some(&key.to_string()) {
        path.push(key.to_string());
    }
    let omitted = path.len().saturating_sub(6);
    path.splice(3..3 + omitted, [format!("... {omitted} more ...")]);
    let message = format!("`{name}` calls itself with ever new shapes");
    let label = format!("here with {}", key.list());
    let at = specializer.locations.at(operation);
    let mut diagnostic = at.error(codes::ENDLESS_SHAPES, message, label);
    let first =
        specializer.stack.iter().position(|f| specializer.entries[f.entry].key.callee == *name);
    if let Some(caller) = first.and_then(|first| specializer.stack.get(first.checked_sub(1)?)) {
        let call = caller.operations.get(caller.next);
        if let Some(span) = call.and_then(|call| specializer.locations.span(call.location())) {
            diagnostic = diagnostic.label(span, format!("`{name}` is called here first"));
        }
    }
    diagnostic
        .note(format!("the calls are {}", path.join(" -> ")))
        .note(format!(
            "a function is compiled once for each combination of shapes; at most {MAX_NESTED} nested calls may have \
             new shapes that are not smaller"
        ))
        .help("let the recursive call have the same shapes or smaller ones, or end it by a condition on `shape`")
}

/// The name of the value that an operation of `scf` carries at a place.
fn carried(operation: OperationRef, place: usize) -> String {
    match control::carried_name(operation, place) {
        Some(name) if name == control::RESULT => "the returned value".to_owned(),
        Some(name) => format!("`{}`", clipped(&name)),
        None => format!("result {} of this `{}`", place + 1, ir::name(&operation)),
    }
}

/// `is a scalar`, `has shape 2x3`, `is a struct of ...`
fn described(ty: Type) -> String {
    match type_of(ty) {
        Some(ty) if ty == TensorType::default() => "is a scalar".to_owned(),
        Some(ty) => format!("has shape {ty}"),
        None => format!("is a `{}`", shown(ty)),
    }
}

/// The same of two that differ: `is f32` if only the element types do.
fn described_pair(values: [Value; 2]) -> [String; 2] {
    match different_elements(values) {
        Some(names) => names.map(|name| format!("is {name}")),
        None => values.map(|value| described(value.r#type())),
    }
}

/// The element types of two tensors of one shape.
fn different_elements(values: [Value; 2]) -> Option<[&'static str; 2]> {
    let [one, other] = values.map(|value| type_of(value.r#type()));
    let (one, other) = one.zip(other).filter(|(one, other)| one.shape == other.shape)?;
    Some([one, other].map(|ty| ty.element.name()))
}

/// Two branches yield values of different shapes.
pub(super) fn branch_shapes(at: Located, place: usize, values: [Value; 2]) -> Diagnostic {
    let name = carried(*at, place);
    let [one, other] = described_pair(values);
    let message = format!("{name} {one} in one branch and {other} in the other");
    let mut diagnostic = Diagnostic::error(codes::BRANCH_SHAPES, message);
    let mut is_shown = false;
    for (value, described) in values.into_iter().zip([&one, &other]) {
        let span = at.span_of(ops::origin(value));
        if let Some(span) = span.filter(|span| !diagnostic.labels.iter().any(|l| l.span == *span)) {
            diagnostic = diagnostic.label(span, format!("this {described}"));
            is_shown = true;
        }
    }
    if !is_shown {
        diagnostic = at.label(diagnostic, "this branch");
    }
    diagnostic.help(match different_elements(values) {
        Some(names) => {
            format!("convert one of them: {}", names.map(|it| format!("`{it}(...)`")).join(" or "))
        }
        None => {
            "after the branches it must have one shape: use two variables, or reshape it".to_owned()
        }
    })
}

/// A loop changes a variable's shape: its values before, and at the end of an iteration.
pub(super) fn loop_shape(at: Located, place: usize, [before, after]: [Value; 2]) -> Diagnostic {
    let name = carried(*at, place);
    let [was, is] = described_pair([before, after]);
    let message = format!(
        "the loop changes the shape of {name}: before, it {was}; after an iteration, it {is}"
    );
    let diagnostic = Diagnostic::error(codes::LOOP_SHAPE, message);
    let (whole, span) = (at.span(), at.span_of(after));
    let is_inside = |(whole, span): (Span, Span)| {
        whole.start <= span.start && span.end <= whole.end || whole.end <= span.start
    };
    let diagnostic = match whole.zip(span).filter(|pair| is_inside(*pair)) {
        Some((_, span)) => diagnostic.label(span, format!("at the end of an iteration it {is}")),
        None => at.label(diagnostic, format!("in this loop it {is}")),
    };
    let label = format!("before the loop it {was}");
    at.label_value(diagnostic, ops::origin(before), label)
        .help("a variable keeps its shape: define another one in the loop, or reshape the value")
}

/// A function uses its own gradient for the same shapes.
pub(super) fn gradient_of_itself(at: Located, callee: &str) -> Diagnostic {
    let message = format!("the gradient of `{callee}` needs itself");
    at.error(codes::NOT_DIFFERENTIABLE, message, "this is in the function that it differentiates")
        .help("take the gradient outside of the function, or of another one")
}

/// A gradient of a function whose result is not a scalar.
pub(super) fn gradient_of_tensor(at: Located, callee: &str, result: Option<Type>) -> Diagnostic {
    let result = result.map_or("returns no value".to_owned(), |ty| {
        described(ty).replacen("has", "returns a tensor of", 1).replacen("is", "returns", 1)
    });
    let message = format!("`{callee}` {result}, and a gradient is of a scalar");
    at.error(codes::NOT_DIFFERENTIABLE, message, "this gradient")
        .help("let it return a scalar, for example a `sum` or one element")
}

/// The written type of a value contradicts the inferred one. Only in `.mlir` input: a Toy program has
/// no types that could be wrong.
pub(super) fn contradiction(at: Located, written: Type, found: Type) -> Diagnostic {
    let (name, written, found) = (ir::name(&*at), shown(written), shown(found));
    let message =
        format!("invalid `{name}`: it says `{written}`, but shape inference finds `{found}`");
    at.error(codes::INVALID_TOY_IR, message, "this operation")
        .help("write the type that is found, or `tensor<*xf64>`")
}

pub(super) fn too_many(operation: OperationRef, specializer: &Specializer) -> Diagnostic {
    let mut copies: Vec<_> = specializer.copies.iter().filter(|(_, count)| **count > 1).collect();
    copies.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), name.as_str()));
    let most = copies.iter().take(SHOWN_FUNCTIONS).enumerate().map(|(place, (name, count))| {
        let times = if place == 0 { " combinations of shapes" } else { "" };
        format!("`{}` for {count}{times}", clipped(name))
    });
    let most = most.collect::<Vec<_>>().join(", ");
    let message = "the program needs too many specializations";
    let at = specializer.locations.at(operation);
    at.error(codes::TOO_MANY_SPECIALIZATIONS, message, "one more is needed for this call")
    .note(format!("so far, {most}"))
    .note(format!(
        "copies of functions for further shapes may have {MAX_COPIED} operations together; one on tensors counts as \
             {TENSOR_WORK}"
    ))
    .help("call functions with fewer different shapes")
}

/// One more range than may be stored.
pub(super) fn too_many_numbers(at: Located) -> Diagnostic {
    let message = "the ranges of this program have too many numbers";
    at.error(codes::TOO_LARGE, message, "with this one, there are too many")
    .note(format!(
        "the numbers of a `range` are stored with the program, once for each length: {MAX_RANGE} at most"
    ))
    .help("use ranges of the same length, or loops: `for i in 0..n` stores nothing")
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
                list if callee.has_list() => {
                    // `2` alone would read as a number.
                    let shapes = if callee.arguments.len() == 1 { "shape" } else { "shapes" };
                    format!("in `{}` for {shapes} {list}", callee.callee)
                }
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
                let option = option.map(|option| match option.starts_with(MAIN) {
                    true => format!(", as the main function of `{}`", clipped(&option)),
                    false => format!(", exported by `{}`", clipped(&option)),
                });
                diagnostic = diagnostic.note(message + &option.unwrap_or_default());
            }
        }
    }
    if omitted > 0 {
        diagnostic = diagnostic.note(format!("{omitted} more calls are not shown"));
    }
    diagnostic
}
