//! The verifier of the Toy dialect: what IRDL cannot say, in the user's words.
//!
//! Input: a module that MLIR's own verifier accepts. Output: one diagnostic per broken rule, at the
//! operation. Rules: operands and results are tensors of f64 with known positive dimensions, or
//! unranked; shapes that are known agree; a callee is a function of the module with as many
//! parameters as there are arguments. Shapes of operands that do not fit together are mistakes a Toy
//! program can have (codes E0301, E0302); everything else (E0402) can only come from `.mlir` input
//! or be a mistake of ours. It runs on `.mlir` input and after every
//! stage that makes Toy IR, where a complaint of the second kind is a mistake of ours.

use crate::diagnostic::{Diagnostic, codes};
use crate::dialect::complaints;
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::{Shape, TensorKind, kind_of, shape_of};
use crate::mlir::{Locations, raw};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::FunctionType;
use melior::ir::{Module, Type, Value, ValueLike};
use std::collections::HashMap;

/// All violations in the module, in program order.
pub fn verify(module: &Module, locations: &Locations) -> Vec<Diagnostic> {
    let operations = raw::operations(module.as_operation());
    let functions: HashMap<String, OperationRef> = operations
        .iter()
        .filter(|operation| ops::is_function(*operation))
        .map(|function| (ops::symbol_name(function), *function))
        .collect();
    let mut diagnostics = Vec::new();
    for operation in operations {
        let Some(kind) = Kind::of(&operation) else { continue };
        if !is_in_function(operation) {
            let outside = "it stands outside of a function".to_owned().into();
            diagnostics.push(diagnostic(operation, outside, locations, &functions));
            continue;
        }
        match verify_operation(operation, kind, &functions) {
            Ok(()) => diagnostics.extend(shape_mistake(operation, kind, locations)),
            Err(problem) => {
                diagnostics.push(diagnostic(operation, problem, locations, &functions));
            }
        }
    }
    diagnostics
}

/// Whether a `func.func` of the module itself is around an operation.
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

/// Operands whose known shapes do not fit together: the mistakes that a Toy program can have, too.
fn shape_mistake(operation: OperationRef, kind: Kind, locations: &Locations) -> Option<Diagnostic> {
    let shape = |value: Value| shape_of(value.r#type());
    let operand = |index| shape(operation.operand(index).ok()?);
    match kind {
        Kind::Add | Kind::Mul => {
            let (lhs, rhs) = (operand(0)?, operand(1)?);
            (lhs != rhs).then(|| complaints::shape_mismatch(operation, &lhs, &rhs, locations))
        }
        Kind::Reshape => {
            let (from, to) = (operand(0)?, shape(ops::result(operation))?);
            (!from.reshapes_to(&to))
                .then(|| complaints::element_count(operation, &from, &to, locations))
        }
        _ => None,
    }
}

/// What is wrong with one operation.
struct Problem {
    message: String,
    help: Option<String>,
    /// The function whose definition explains the complaint.
    callee: Option<String>,
}

impl From<String> for Problem {
    fn from(message: String) -> Self {
        Problem { message, help: None, callee: None }
    }
}

fn diagnostic(
    operation: OperationRef,
    problem: Problem,
    locations: &Locations,
    functions: &HashMap<String, OperationRef>,
) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(
        codes::INVALID_TOY_IR,
        format!("invalid `{}`: {}", raw::name(&operation), problem.message),
    );
    match locations.span(operation.location()) {
        Some(span) => diagnostic = diagnostic.label(span, "this operation"),
        None => diagnostic = diagnostic.note(format!("at {}", operation.location())),
    }
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
) -> Result<(), Problem> {
    let operands = kinds("operand", operation.operands().map(|value| value.r#type()))?;
    let results = kinds("result", operation.results().map(|value| value.r#type()))?;
    let shape = |tensor: Option<&TensorKind>| match tensor {
        Some(TensorKind::Ranked(shape)) => Some(shape.clone()),
        _ => None,
    };
    let operand = shape(operands.first());
    let result = shape(results.first());
    match kind {
        Kind::Print => Ok(()),
        Kind::Constant => verify_constant(operation, result),
        Kind::Add | Kind::Mul => verify_element_wise(operand, shape(operands.get(1)), result),
        Kind::Transpose => verify_transpose(operand, result),
        Kind::Cast => match (operand, result) {
            (Some(operand), Some(result)) if operand != result => {
                Err(format!("its operand is {operand}, but its result is {result}").into())
            }
            _ => Ok(()),
        },
        Kind::Reshape if result.is_none() => Err("its result must be ranked".to_owned().into()),
        Kind::Reshape => Ok(()),
        Kind::GenericCall => verify_call(operation, functions),
    }
}

fn kinds<'c>(
    what: &str,
    types: impl Iterator<Item = Type<'c>>,
) -> Result<Vec<TensorKind>, Problem> {
    let kinds: Vec<_> = types.map(kind_of).collect();
    for (index, kind) in kinds.iter().enumerate() {
        if let TensorKind::Invalid(why) = kind {
            return Err(Problem {
                message: format!("its {what} {} has a type Toy does not have: {why}", index + 1),
                help: Some("use `tensor<*xf64>` or a tensor like `tensor<2x3xf64>`".to_owned()),
                callee: None,
            });
        }
    }
    Ok(kinds)
}

fn verify_constant(operation: OperationRef, result: Option<Shape>) -> Result<(), Problem> {
    let value = ops::attribute(&operation, "value");
    let value_type = value.and_then(|value| {
        use melior::ir::attribute::AttributeLike;
        if !value.is_dense_elements() {
            return None;
        }
        Some(value.r#type())
    });
    let Some(value_type) = value_type else {
        return Err("its `value` is not a `dense<...>` attribute".to_owned().into());
    };
    let result_type = ops::result(operation).r#type();
    if result.is_none() || !ops::same_type(value_type, result_type) {
        return Err(
            format!("its value is a `{value_type}`, but its result a `{result_type}`").into()
        );
    }
    Ok(())
}

fn verify_element_wise(
    lhs: Option<Shape>,
    rhs: Option<Shape>,
    result: Option<Shape>,
) -> Result<(), Problem> {
    if lhs.is_some() && rhs.is_some() && lhs != rhs {
        return Ok(()); // [`shape_mistake`] says more about that.
    }
    if let (Some(operand), Some(result)) = (lhs.or(rhs), result)
        && operand != result
    {
        return Err(format!("its operands are {operand}, but its result is {result}").into());
    }
    Ok(())
}

fn verify_transpose(operand: Option<Shape>, result: Option<Shape>) -> Result<(), Problem> {
    match (operand, result) {
        (Some(operand), Some(result)) if operand.transposed() != result => Err(format!(
            "the transpose of {operand} is {}, but its result is {result}",
            operand.transposed()
        )
        .into()),
        _ => Ok(()),
    }
}

fn verify_call(
    operation: OperationRef,
    functions: &HashMap<String, OperationRef>,
) -> Result<(), Problem> {
    let Some(name) = ops::callee(&operation) else {
        return Err("its `callee` is not a plain symbol like `@f`".to_owned().into());
    };
    let function_type = functions.get(&name).and_then(ops::function_type);
    let Some(function_type) = function_type else {
        return Err(format!("there is no function `@{name}` in this module").into());
    };
    let here = |message: String| Problem { message, help: None, callee: Some(name.clone()) };
    let (given, wanted) = (operation.operand_count(), function_type.input_count());
    if given != wanted {
        let s = if wanted == 1 { "" } else { "s" };
        return Err(here(format!("`@{name}` takes {wanted} argument{s}, {given} given")));
    }
    verify_signature(operation, function_type)
        .map_err(|message| here(format!("`@{name}` {message}")))
}

/// Ranked argument and result types must be the function's where that has ranked ones, too.
fn verify_signature(operation: OperationRef, function: FunctionType) -> Result<(), String> {
    for (index, (argument, wanted)) in operation.operands().zip(ops::inputs(function)).enumerate() {
        let given = argument.r#type();
        if !agree(given, wanted) {
            return Err(format!("wants a `{wanted}` as argument {}, `{given}` given", index + 1));
        }
    }
    let results = ops::results(function);
    match (operation.result_count(), results.len()) {
        (0, 0 | 1) => Ok(()),
        (1, 1) if agree(ops::result(operation).r#type(), results[0]) => Ok(()),
        (1, 1) => Err(format!("returns a `{}`", results[0])),
        (1, 0) => Err("returns no value".to_owned()),
        (_, count) => Err(format!("returns {count} values; a Toy function returns at most one")),
    }
}

fn agree(a: Type, b: Type) -> bool {
    match (kind_of(a), kind_of(b)) {
        (TensorKind::Ranked(a), TensorKind::Ranked(b)) => a == b,
        (TensorKind::Invalid(_), _) | (_, TensorKind::Invalid(_)) => false,
        _ => true,
    }
}
