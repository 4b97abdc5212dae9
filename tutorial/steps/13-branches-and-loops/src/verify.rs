//! What IRDL cannot say of Toy's operations: which shapes go together.

use crate::dialect::{all_operations, name, result_shape, shape_of};
use crate::errors::Diagnostic;
use crate::source::Source;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Module, ValueLike};

/// A tensor may have 128 MB.
const MAX_ELEMENTS: u64 = 1 << 24;

/// All errors in the shapes of a program.
pub fn verify(module: &Module, source: &Source) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    for operation in all_operations(module) {
        if let Err((message, label)) = check(operation) {
            let span = source.span(operation.location());
            errors.push(Diagnostic::new(span, message).label(label));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The message about an operation and its label, if something is wrong with it.
fn check(operation: OperationRef) -> Result<(), (String, String)> {
    let shapes = operation.operands().map(|operand| shape_of(operand.r#type()));
    let result = operation.results().next().and_then(|result| shape_of(result.r#type()));
    let Some(operands) = shapes.collect::<Option<Vec<_>>>() else { return Ok(()) };
    let name = name(operation);
    match (name.as_str(), operands.as_slice(), &result) {
        (
            "toy.add" | "toy.sub" | "toy.mul" | "toy.div" | "toy.compare",
            [lhs, rhs],
            _,
        ) if lhs != rhs && !lhs.is_empty() && !rhs.is_empty() => {
            let label = format!("this is {}, and that is {}", text(lhs), text(rhs));
            return Err(("the operands have different shapes".to_string(), label));
        }
        ("toy.assign", [now, before], _) if now != before => {
            let label = format!("this is {}, not {}", text(now), text(before));
            return Err(("a variable keeps its shape".to_string(), label));
        }
        ("toy.truth", [condition], _) if !condition.is_empty() => {
            let label = format!("this is {}", text(condition));
            return Err(("a condition must be a number".to_string(), label));
        }
        ("toy.reshape", [from], Some(to)) => {
            let Some(count) = count(to).filter(|count| *count <= MAX_ELEMENTS) else {
                return Err(("this shape is too large".to_string(), text(to)));
            };
            if !from.is_empty() && self::count(from) != Some(count) {
                let message = "a shape cannot change the number of elements".to_string();
                return Err((
                    message,
                    format!("{} cannot become {}", text(from), text(to)),
                ));
            }
        }
        _ => {}
    }
    // Not an error of the program, but of the compiler.
    match result_shape(&name, &operands) {
        Some(expected) if result.as_ref().is_some_and(|result| *result != expected) => {
            Err((format!("`{name}` has a wrong type"), text(&expected)))
        }
        _ => Ok(()),
    }
}

fn count(shape: &[u64]) -> Option<u64> {
    shape.iter().try_fold(1, |count: u64, size| count.checked_mul(*size))
}

/// `2x3`
fn text(shape: &[u64]) -> String {
    let sizes: Vec<String> = shape.iter().map(u64::to_string).collect();
    if sizes.is_empty() { "a number".to_string() } else { sizes.join("x") }
}
