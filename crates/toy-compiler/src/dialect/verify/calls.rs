//! The rules of `toy.generic_call`: the callee exists and accepts the arguments.

use super::Problem;
use crate::dialect::structs::{agree, fields, is_any, shown};
use crate::dialect::{control, ops};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::FunctionType;
use melior::ir::{Type, ValueLike};
use std::collections::{HashMap, HashSet};
use toy_diagnostics::text::counted;

pub fn verify(
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
        let wanted = counted(wanted, "argument");
        return Err(here(format!("`@{name}` takes {wanted}, {given} given")));
    }
    if operation.has_attribute(control::GRADIENT) {
        let by = control::gradient(operation).unwrap_or_default();
        let distinct: HashSet<_> = by.iter().filter(|number| **number < wanted).collect();
        if by.is_empty() || distinct.len() != by.len() || operation.result_count() != 1 {
            let message =
                "a `gradient` is a list of numbers of parameters, each once, and has a result";
            return Err(message.to_owned().into());
        }
        let result = ops::result(operation).r#type();
        if !is_gradient(result, &by, control::with_value(operation), function_type) {
            let message = format!(
                "its result is a `{}`: one gradient is like its parameter, and several values are a struct",
                shown(result)
            );
            return Err(here(message));
        }
    }
    verify_signature(operation, function_type)
        .map_err(|message| here(format!("`@{name}` {message}")))
}

/// True if a result may be the gradients by these parameters: one alone is like its parameter, several are a struct, after
/// the function's value if it is there, too.
fn is_gradient(result: Type, by: &[usize], with_value: bool, function: FunctionType) -> bool {
    let inputs = ops::inputs(function);
    let first = usize::from(with_value);
    if is_any(result) {
        return true;
    }
    if by.len() + first == 1 {
        return agree(result, inputs[by[0]]);
    }
    let are_gradients = |fields: &[Type]| {
        fields.iter().zip(by).all(|(field, number)| agree(*field, inputs[*number]))
    };
    fields(result).is_some_and(|it| it.len() == by.len() + first && are_gradients(&it[first..]))
}

/// Argument and result types must be compatible with the type of the function.
fn verify_signature(operation: OperationRef, function: FunctionType) -> Result<(), String> {
    for (index, (argument, wanted)) in operation.operands().zip(ops::inputs(function)).enumerate() {
        let given = ops::source(argument).r#type();
        if !is_any(given) && !agree(given, wanted) {
            let (wanted, given) = (shown(wanted), shown(given));
            return Err(format!("wants a `{wanted}` as argument {}, `{given}` given", index + 1));
        }
    }
    let results = ops::results(function);
    if operation.has_attribute(control::GRADIENT) {
        return Ok(());
    }
    match (operation.result_count(), results.len()) {
        (0, 0 | 1) => Ok(()),
        (1, 1) if agree(ops::result(operation).r#type(), results[0]) => Ok(()),
        (1, 1) => Err(format!("returns a `{}`", shown(results[0]))),
        (1, 0) => Err("returns no value".to_owned()),
        (_, count) => Err(format!("returns {count} values; a Toy function returns at most one")),
    }
}
