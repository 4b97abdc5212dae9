//! Facts about a module that are preconditions of passes: the pipeline establishes them, but a user of toy-opt may
//! not.
//!
//! Input: a module that the verifier accepts. Output: nothing, or a diagnostic that names the unmet
//! precondition and the pass that establishes it.

use crate::dialect::control::{self, Subscript};
use crate::dialect::evaluate::{Evaluated, evaluate};
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::shape_of;
use crate::dialect::structs::{is_of_dialect, is_open};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Module, Value, ValueLike};
use mlir_support::pass::{PassContext, Requirement};
use mlir_support::{Locations, ir};
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

/// The type of every Toy value is fully inferred.
pub const INFERRED: Requirement = Requirement { pass: "toy-specialize", check: inferred };

/// The same, and no value is a struct.
pub const TENSORS: Requirement = Requirement { pass: "toy-flatten-structs", check: tensors };

fn inferred(pass: &str, context: &PassContext, module: &Module) -> Diagnosed<()> {
    let Some(mut open) = not_inferred(context, module).into_iter().next() else {
        return Ok(());
    };
    let message = format!("`{pass}` needs a program in which all shapes are known");
    for label in &mut open.labels {
        label.message = "its shapes are not known yet".to_owned();
    }
    Err(missing(open, message, INFERRED.pass))
}

fn tensors(pass: &str, context: &PassContext, module: &Module) -> Diagnosed<()> {
    inferred(pass, context, module)?;
    let is_of_structs = |operation: &&OperationRef| match Kind::of(*operation) {
        Some(Kind::StructConstant | Kind::StructCreate | Kind::StructAccess) => true,
        // Others are only for printed values.
        Some(Kind::Cast | Kind::Unset) => {
            let types = operation.operands().map(|operand| operand.r#type());
            types.chain(operation.results().map(|result| result.r#type())).any(is_of_dialect)
        }
        _ => false,
    };
    let operations = ir::operations(module.as_operation());
    let Some(found) = operations.iter().find(is_of_structs) else {
        return Ok(());
    };
    let message = format!("`{pass}` needs a program without structs");
    let diagnostic = Diagnostic::error(codes::MLIR_REJECTED, "");
    let label = "this works on a struct";
    let diagnostic = context.locations.label(diagnostic, found.location(), label);
    Err(missing(diagnostic, message, TENSORS.pass))
}

fn missing(at: Diagnostic, message: String, before: &str) -> Vec<Diagnostic> {
    let code = codes::MLIR_REJECTED;
    Diagnostic { code, message, ..at }.help(format!("run `{before}` before it")).into()
}

/// A diagnostic for each Toy operation that is not fully inferred.
pub fn not_inferred(context: &PassContext, module: &Module) -> Vec<Diagnostic> {
    ir::operations(module.as_operation())
        .into_iter()
        .filter(|operation| !is_inferred(*operation))
        .map(|operation| complaint(operation, &context.locations))
        .collect()
}

/// True if every Toy operation of a module is fully inferred.
pub fn is_inferred_everywhere(module: &Module) -> bool {
    !ir::any(module.as_operation(), |operation| !is_inferred(operation))
}

/// True if nothing about a Toy operation, or a branch or a loop, is left to infer. In `.mlir` input, something may be:
/// values of other dialects may be unranked, and inference may not reach an operation.
fn is_inferred(operation: OperationRef) -> bool {
    let is_known = |value: Value| !is_open(value.r#type());
    let Some(kind) = Kind::of(&operation) else {
        return !ir::name(&operation).starts_with("scf.")
            || operation.results().all(|result| is_known(result.into()));
    };
    let operands = operation.operands().all(is_known);
    let results = operation.results().all(|result| is_known(result.into()));
    let takes_casts = |user: &OperationRef| {
        matches!(Kind::of(user), Some(Kind::StructCreate | Kind::PrintValues | Kind::Join))
    };
    match kind {
        Kind::GenericCall => results && control::gradient(operation).is_some(),
        Kind::Shape | Kind::ReduceAxis | Kind::ReshapeTo => false,
        Kind::Range => {
            let count = ir::operand_if_any(operation, 0).map(evaluate);
            let length = shape_of(ops::result(operation).r#type()).map(|shape| shape.0);
            matches!((count, length.as_deref()), (Some(Evaluated::Number(count)), Some([length]))
                if count == *length as f64)
        }
        Kind::Read | Kind::Update => {
            let subscripts = control::subscripts(operation).unwrap_or_default();
            operands && results && !subscripts.iter().any(Subscript::is_open)
        }
        // The fields of a struct may differ in type, and so may printed values; the operands may not.
        Kind::Cast => operands && ir::users(ops::result(operation)).iter().all(takes_casts),
        Kind::StructCreate => results,
        Kind::PrintValues => operation.operands().map(ops::source).all(is_known),
        Kind::Join => results && operation.operands().map(ops::source).all(is_known),
        _ => operands && results,
    }
}

fn complaint(operation: OperationRef, locations: &Locations) -> Diagnostic {
    let message = format!("the shapes of this `{}` are unknown", ir::name(&operation));
    locations
        .at(operation)
        .error(codes::INVALID_TOY_IR, message, "its shapes cannot be inferred")
        .help("give its operands ranked types, or call its function with ranked arguments")
}
