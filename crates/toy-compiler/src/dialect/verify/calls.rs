//! The rules of `toy.generic_call`: the callee exists and accepts the arguments.

use super::Problem;
use crate::dialect::structs::{agree, is_any, shown};
use crate::dialect::{control, ops};
use melior::ir::ValueLike;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::FunctionType;
use std::collections::HashMap;
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
        let by = control::gradient(operation).filter(|by| !by.is_empty());
        let is_known = by.is_some_and(|by| by.iter().all(|number| *number < wanted));
        if !is_known || operation.result_count() != 1 {
            return Err("a `gradient` is a list of numbers of parameters, and has a result"
                .to_owned()
                .into());
        }
    }
    verify_signature(operation, function_type)
        .map_err(|message| here(format!("`@{name}` {message}")))
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
