//! The rules of the operations on tensors: known shapes of operands and results agree.

use super::Problem;
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::{Shape, TensorType, type_of};
use crate::dialect::{control, inference};
use melior::ir::ValueLike;
use melior::ir::attribute::AttributeLike;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::Locations;
use toy_diagnostics::text::counted;

/// Verifies an operation whose operands and results have types that Toy has.
pub fn verify(operation: OperationRef, kind: Kind, locations: &Locations) -> Result<(), Problem> {
    // Not `result(0)`: where there is none, melior formats the whole operation into its error.
    let result = operation.results().next().and_then(|result| type_of(result.r#type()));
    match kind {
        Kind::Constant => verify_constant(operation, result),
        Kind::Reshape if result.is_none() => Err("its result must be ranked".to_owned().into()),
        Kind::FromElements => {
            verify_elements(operation.operand_count(), control::list_dims(operation))?;
            verify_inferred(operation, kind, result, locations)
        }
        // Operations with operands but no result, or with rules of their own.
        _ => verify_inferred(operation, kind, result, locations),
    }
}

/// The result has the shape that follows from the operands, if one does.
fn verify_inferred(
    operation: OperationRef,
    kind: Kind,
    result: Option<TensorType>,
    locations: &Locations,
) -> Result<(), Problem> {
    match (inference::result_shape(locations.at(operation), kind), result) {
        (Ok(Some(found)), Some(result)) => {
            let found = inference::typed(locations.at(operation), kind, found);
            if found == result {
                return Ok(());
            }
            Err(format!("its result has shape {found}, and not {result}").into())
        }
        _ => Ok(()),
    }
}

fn verify_constant(operation: OperationRef, result: Option<TensorType>) -> Result<(), Problem> {
    let value = ops::attribute(&operation, "value").filter(|value| value.is_dense_elements());
    let Some(value_type) = value.map(|value| value.r#type()) else {
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

fn verify_elements(given: usize, result: Option<Shape>) -> Result<(), Problem> {
    let Some(result) = result else {
        return Err("its result must be ranked, or it must have `dims`".to_owned().into());
    };
    let wanted = result.element_count().unwrap_or(u64::MAX);
    if given as u64 != wanted {
        return Err(format!(
            "it has {}, but {result} has {}",
            counted(given, "operand"),
            counted(wanted, "element")
        )
        .into());
    }
    Ok(())
}
