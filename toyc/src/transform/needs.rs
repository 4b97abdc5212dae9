//! Preconditions of passes: the pipeline establishes them, but a user of toy-opt may not.
//!
//! Input: a module that the verifier accepts. Output: nothing, or a diagnostic that names the unmet
//! precondition and the pass that establishes it.

use crate::dialect::ops::Kind;
use crate::dialect::structs::is_of_dialect;
use crate::transform::specialize;
use melior::ir::Module;
use melior::ir::ValueLike;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::pass::{PassContext, Requirement};
use mlir_support::raw;
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

/// The type of every Toy value is fully inferred.
pub const INFERRED: Requirement = Requirement { pass: "toy-specialize", check: inferred };

/// The same, and no value is a struct.
pub const TENSORS: Requirement = Requirement { pass: "toy-flatten-structs", check: tensors };

fn inferred(pass: &str, context: &PassContext, module: &Module) -> Diagnosed<()> {
    let Some(mut open) = specialize::not_inferred(context, module).into_iter().next() else {
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
        // Others are there for what is printed.
        Some(Kind::Cast | Kind::Unset) => {
            let types = operation.operands().map(|operand| operand.r#type());
            types.chain(operation.results().map(|result| result.r#type())).any(is_of_dialect)
        }
        _ => false,
    };
    let operations = raw::operations(module.as_operation());
    let Some(found) = operations.iter().find(is_of_structs) else {
        return Ok(());
    };
    let message = format!("`{pass}` needs a program without structs");
    let mut diagnostic = Diagnostic::error(codes::MLIR_REJECTED, "");
    if let Some(span) = context.locations.span(found.location()) {
        diagnostic = diagnostic.label(span, "this works on a struct");
    }
    Err(missing(diagnostic, message, TENSORS.pass))
}

fn missing(at: Diagnostic, message: String, before: &str) -> Vec<Diagnostic> {
    let code = codes::MLIR_REJECTED;
    Diagnostic { code, message, ..at }.help(format!("run `{before}` before it")).into()
}
