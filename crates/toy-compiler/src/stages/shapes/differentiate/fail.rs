//! The errors of differentiation that depend on shapes.

use super::bounds::Plan;
use super::code::Code;
use melior::ir::Location;
use melior::ir::operation::OperationRef;
use mlir_support::{Located, ir};
use toy_diagnostics::text::counted;
use toy_diagnostics::{Diagnostic, codes};

/// An operation without a rule, in MLIR text.
pub fn operation(code: Code, operation: OperationRef) -> Box<Diagnostic> {
    let name = ir::name(&operation);
    let message = format!("`{name}` cannot be differentiated");
    let at = code.locations.at(operation);
    at.error(codes::NOT_DIFFERENTIABLE, message, "the gradient goes through this").into()
}

/// A loop whose tape has no size.
pub fn bound(code: Code, operation: OperationRef) -> Box<Diagnostic> {
    let what = match ir::name(&operation) {
        "scf.for" => "the bounds of this loop follow from values",
        _ => "this loop may have any number of iterations",
    };
    let message = "the memory of a gradient through this loop is not known";
    let at = code.locations.at(operation);
    at.error(codes::NOT_DIFFERENTIABLE, message, what)
        .note("a gradient goes backward through a loop, from values that the loop saves in each iteration")
        .help("give it a constant bound, and leave it earlier: `for i in 0..1000 { if (...) { break; } ... }`")
        .into()
}

/// A remark on a tape.
pub fn taped(code: Code, at: Location, plan: Plan) -> Diagnostic {
    let message = format!("a gradient saves {} in this loop", bytes(plan.all()));
    let label = format!("the values of up to {}", counted(plan.most, "iteration"));
    code.locations.label(Diagnostic::remark(codes::TAPE, message), at, label)
}

/// A remark on a loop that computes iterations again.
pub fn checkpoints(code: Code, at: Location, plan: Plan, every: u64) -> Diagnostic {
    let message = format!(
        "a gradient saves {} in this loop, and computes up to {} again",
        bytes(plan.bytes(every)),
        counted(plan.most, "iteration"),
    );
    let label = format!("its variables before every {every} iterations, and the values of {every}");
    let diagnostic = code.locations.label(Diagnostic::remark(codes::TAPE, message), at, label);
    diagnostic.note(format!("saving the values of all iterations takes {}", bytes(plan.all())))
}

fn bytes(count: u64) -> String {
    counted(count, "byte")
}

/// A warning about a parameter that does not matter, where the gradient is called.
pub fn unused(at: Located, readable: &str, number: usize) -> Diagnostic {
    let message = format!(
        "`{readable}` by parameter {number} is 0: the result depends on it in steps, like those of `floor`, or not at all"
    );
    let diagnostic = Diagnostic::warning(codes::ZERO_GRADIENT, message);
    at.label(diagnostic, "this gradient is always 0")
}

/// A tape that no memory has room for.
pub fn tape(code: Code, operation: OperationRef, iterations: u64) -> Box<Diagnostic> {
    let message = "a gradient through this loop needs too much memory";
    let label = format!("it saves its variables in each of up to {iterations} iterations");
    let at = code.locations.at(operation);
    at.error(codes::TOO_LARGE, message, label)
        .help("let it compute some again, with `--tape-memory BYTES`, or use fewer iterations or elements")
        .into()
}

/// A tape that the memory for it has no room for, whatever is computed again.
pub fn memory(
    code: Code,
    operation: OperationRef,
    (plan, least): (Plan, u64),
    memory: u64,
) -> Box<Diagnostic> {
    let message = format!("a gradient through this loop needs more than {}", bytes(memory));
    let label = format!("it saves its variables in each of up to {} iterations", plan.most);
    let needed = format!("the least is `--tape-memory {}`", plan.bytes(least));
    let how = format!("it saves the variables before every {least} iterations");
    let at = code.locations.at(operation);
    at.error(codes::TOO_LARGE, message, label).help(format!("{needed}: {how}")).into()
}
