//! What a pass of ours needs to have been done before it: the pipeline sees to that, a user of toy-opt may
//! not.
//!
//! Input: a module that the verifier accepts. Output: nothing, or what the pass would not know how to
//! handle, and which pass does.

use crate::diagnostic::{Diagnosed, Diagnostic, codes};
use crate::dialect::ops::Kind;
use crate::mlir::pass::PassContext;
use crate::mlir::raw;
use crate::transform::specialize;
use melior::ir::Module;
use melior::ir::operation::OperationLike;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Needs {
    Nothing,
    /// Everything about every Toy value is known.
    Inferred,
    /// That, and no value is a struct.
    Tensors,
}

/// Whether a pass has what it needs.
pub fn check(pass: &str, needs: Needs, context: &PassContext, module: &Module) -> Diagnosed<()> {
    if needs >= Needs::Inferred
        && let Some(open) = specialize::not_inferred(context, module).into_iter().next()
    {
        let message = format!("`{pass}` needs a program in which all shapes are known");
        let mut open = open;
        for label in &mut open.labels {
            label.message = "its shapes are not known yet".to_owned();
        }
        return Err(missing(open, message, "toy-specialize"));
    }
    if needs < Needs::Tensors {
        return Ok(());
    }
    let is_of_structs = |kind| {
        matches!(kind, Kind::Cast | Kind::StructConstant | Kind::StructCreate | Kind::StructAccess)
    };
    let operations = raw::operations(module.as_operation());
    let Some(found) = operations.iter().find(|op| Kind::of(*op).is_some_and(is_of_structs)) else {
        return Ok(());
    };
    let message = format!("`{pass}` needs a program without structs");
    let mut diagnostic = Diagnostic::error(codes::MLIR_REJECTED, "");
    if let Some(span) = context.locations.span(found.location()) {
        diagnostic = diagnostic.label(span, "this works on a struct");
    }
    Err(missing(diagnostic, message, "toy-flatten-structs"))
}

fn missing(at: Diagnostic, message: String, before: &str) -> Vec<Diagnostic> {
    let code = codes::MLIR_REJECTED;
    Diagnostic { code, message, ..at }.help(format!("run `{before}` before it")).into()
}
