//! The verifier of the Toy dialect: the rules that IRDL cannot express, in the user's terms.
//!
//! Input: a module that MLIR's own verifier accepts. Output: one diagnostic per broken rule, at the operation. Rules:
//! operands and results are tensors of one of Toy's element types with known positive dimensions, or unranked, or structs
//! of such tensors; known shapes agree; a callee is a function of the module with as many parameters as there are arguments; structs
//! occur only in Toy operations and in functions with a body, their calls and returns, branches and loops.
//! Incompatible shapes of operands are errors that a Toy program can have ([`SHAPE_ERRORS`]), unless they are in code
//! that is known never to run; all others (E0402) can only come from `.mlir` input or from a bug in the compiler. It
//! runs on the input and, if stages are verified (`compilation::middle`), after stages that make Toy IR: there a
//! diagnostic of the second kind is a bug in the compiler.
//!
//! The rules of each operation: [`tensors`], [`attributes`], [`structs`], [`calls`], [`variables`]; where structs may
//! occur: [`places`].

mod attributes;
mod calls;
mod places;
mod structs;
mod tensors;
mod variables;

pub use places::is_control_flow;

use crate::dialect::dead::never_runs;
use crate::dialect::inference::result_shape;
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::shape_of;
use crate::dialect::shape_errors;
use crate::dialect::structs::{defect, is_any};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Module, Type, TypeLike, Value, ValueLike};
use mlir_support::{Locations, ir};
use std::collections::HashMap;
use toy_diagnostics::{Code, Diagnostic, codes};

/// The codes of errors about incompatible shapes.
pub const SHAPE_ERRORS: &[Code] = &[
    codes::SHAPE_MISMATCH,
    codes::ELEMENT_COUNT,
    codes::TOO_LARGE,
    codes::NOT_A_SCALAR,
    codes::NOT_A_NUMBER,
    codes::UPDATE_SHAPE,
    codes::TOO_MANY_SUBSCRIPTS,
    codes::OUT_OF_RANGE,
    codes::NOT_KNOWN,
    codes::BAD_AXIS,
    codes::PRODUCT_SHAPES,
    codes::BAD_COUNT,
    codes::ELEMENT_TYPES,
    codes::TOO_LARGE_NUMBER,
];

/// All violations in the module, in program order.
pub fn verify(module: &Module, locations: &Locations) -> Vec<Diagnostic> {
    let operations = ir::operations(module.as_operation());
    let functions: HashMap<String, OperationRef> = operations
        .iter()
        .filter(|operation| ops::is_function(*operation))
        .map(|function| (ops::symbol_name(function), *function))
        .collect();
    let mut places = places::Places::default();
    let mut diagnostics = Vec::new();
    for operation in operations {
        let kind = Kind::of(&operation);
        let result = match kind {
            None => places.verify(operation),
            Some(_) if !is_in_function(operation) => {
                Err("it is outside of a function".to_owned().into())
            }
            Some(kind) => verify_operation(operation, kind, &functions, locations),
        };
        match (result, kind) {
            (Err(problem), _) => {
                diagnostics.push(diagnostic(operation, problem, locations, &functions));
            }
            (Ok(()), Some(kind)) => {
                let error = shape_error(operation, kind, locations);
                diagnostics.extend(error.filter(|_| !never_runs(operation)));
            }
            (Ok(()), None) => {}
        }
    }
    diagnostics
}

/// True if an operation is nested in a `func.func` of the module itself.
fn is_in_function(operation: OperationRef) -> bool {
    let mut around = operation.parent_operation();
    while let Some(parent) = around {
        if ops::is_function(&parent) {
            let module = parent.parent_operation();
            return module.is_some_and(|module| module.parent_operation().is_none());
        }
        around = parent.parent_operation();
    }
    false
}

/// Diagnoses operands with incompatible known shapes: errors that a Toy program can have, too.
fn shape_error(operation: OperationRef, kind: Kind, locations: &Locations) -> Option<Diagnostic> {
    let shape = |value: Value| shape_of(value.r#type());
    match kind {
        Kind::Reshape => {
            let (from, to) = (shape(operation.operand(0).ok()?)?, shape(ops::result(operation))?);
            (!from.reshapes_to(&to))
                .then(|| shape_errors::element_count(locations.at(operation), &from, &to))
        }
        _ => result_shape(locations.at(operation), kind).err().map(|diagnostic| *diagnostic),
    }
}

/// A broken rule of one operation.
struct Problem {
    message: String,
    help: Option<String>,
    /// The function whose definition explains the error.
    callee: Option<String>,
}

impl From<String> for Problem {
    fn from(message: String) -> Self {
        Problem { message, help: None, callee: None }
    }
}

impl Problem {
    fn helped(message: impl Into<String>, help: impl Into<String>) -> Self {
        Problem { message: message.into(), help: Some(help.into()), callee: None }
    }
}

fn diagnostic(
    operation: OperationRef,
    problem: Problem,
    locations: &Locations,
    functions: &HashMap<String, OperationRef>,
) -> Diagnostic {
    let message = format!("invalid `{}`: {}", ir::name(&operation), problem.message);
    let at = locations.at(operation);
    let mut diagnostic = at.error(codes::INVALID_TOY_IR, message, "this operation");
    let callee = problem.callee.as_ref().and_then(|name| functions.get(name));
    if let Some(span) = callee.and_then(|function| locations.span(function.location())) {
        diagnostic = diagnostic.label(span, "the function is here");
    }
    match problem.help {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

fn verify_operation(
    operation: OperationRef,
    kind: Kind,
    functions: &HashMap<String, OperationRef>,
    locations: &Locations,
) -> Result<(), Problem> {
    verify_types("operand", operation.operands().map(|value| value.r#type()))?;
    verify_types("result", operation.results().map(|value| value.r#type()))?;
    match kind {
        Kind::StructConstant => structs::verify_constant(operation),
        Kind::StructCreate => structs::verify_create(operation),
        Kind::StructAccess => structs::verify_access(operation),
        Kind::Cast => structs::verify_cast(operation),
        Kind::Assign => structs::verify_assign(operation),
        Kind::GenericCall => calls::verify(operation, functions),
        Kind::Variable => variables::verify(operation),
        _ => {
            attributes::verify(operation, kind)?;
            tensors::verify(operation, kind, locations)
        }
    }
}

fn verify_types<'c>(what: &str, types: impl Iterator<Item = Type<'c>>) -> Result<(), Problem> {
    // IRDL constrains where `!toy.any`, i1 and index may occur.
    let is_constrained = |ty: Type| is_any(ty) || ty.is_index() || ty.is_integer();
    for (index, ty) in types.enumerate().filter(|(_, ty)| !is_constrained(*ty)) {
        if let Some(why) = defect(ty) {
            return Err(Problem::helped(
                format!("its {what} {} has a type Toy does not have: {why}", index + 1),
                TYPES_HELP,
            ));
        }
    }
    Ok(())
}

const TYPES_HELP: &str =
    "use `tensor<*xf64>`, a tensor like `tensor<2x3xf64>` or a struct of tensors";
