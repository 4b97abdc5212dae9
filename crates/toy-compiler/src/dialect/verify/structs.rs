//! The rules of structs: fields, their number and their types agree, and a constant mirrors its type.

use super::Problem;
use crate::dialect::ops;
use crate::dialect::structs::{agree, field, fields, is_any, is_open, shown};
use melior::ir::attribute::{ArrayAttribute, AttributeLike};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, Type, ValueLike};
use toy_diagnostics::text::counted;

pub fn verify_constant(operation: OperationRef) -> Result<(), Problem> {
    let ty = ops::result(operation).r#type();
    if is_open(ty) {
        let message = "its result has a field without a shape, but its value has all shapes";
        return Err(message.to_owned().into());
    }
    let value = ops::attribute(&operation, "value").ok_or("it has no `value`".to_owned())?;
    verify_value(value, ty, &mut Vec::new()).map_err(Problem::from)
}

/// Recursion is bounded: the type has no defect, hence limited depth.
fn verify_value<'c>(
    value: Attribute<'c>,
    ty: Type<'c>,
    path: &mut Vec<usize>,
) -> Result<(), String> {
    let Some(fields) = fields(ty) else {
        let value_type = value.is_dense_elements().then(|| value.r#type());
        return match value_type {
            Some(value) if ops::same_type(value, ty) => Ok(()),
            Some(value) => Err(format!(
                "{}its value is a `{}`, but its result a `{}`",
                prefix(path),
                shown(value),
                shown(ty)
            )),
            None => Err(format!("{}its value is not a `dense<...>` attribute", prefix(path))),
        };
    };
    let Ok(elements) = ArrayAttribute::try_from(value) else {
        return Err(format!(
            "{}its value is not a list like `[dense<...>, dense<...>]`",
            prefix(path)
        ));
    };
    if elements.len() != fields.len() {
        return Err(format!(
            "{}its value has {}, but its result {}",
            prefix(path),
            counted(elements.len(), "field"),
            fields.len()
        ));
    }
    for (index, field) in fields.into_iter().enumerate() {
        let element = elements.element(index).map_err(|error| error.to_string())?;
        path.push(index);
        verify_value(element, field, path)?;
        path.pop();
    }
    Ok(())
}

/// `in field 0.1, `
fn prefix(path: &[usize]) -> String {
    if path.is_empty() {
        return String::new();
    }
    let path: Vec<_> = path.iter().map(usize::to_string).collect();
    format!("in field {}, ", path.join("."))
}

pub fn verify_create(operation: OperationRef) -> Result<(), Problem> {
    let fields = fields(ops::result(operation).r#type()).unwrap_or_default();
    let given = operation.operand_count();
    if given != fields.len() {
        return Err(format!(
            "it has {}, but its result has {}",
            counted(given, "operand"),
            counted(fields.len(), "field")
        )
        .into());
    }
    for (index, (operand, field)) in operation.operands().zip(fields).enumerate() {
        let given = ops::source(operand).r#type();
        if !is_any(given) && !agree(given, field) {
            return Err(format!(
                "its operand {} is a `{}`, but field {index} of its result a `{}`",
                index + 1,
                shown(given),
                shown(field)
            )
            .into());
        }
    }
    Ok(())
}

pub fn verify_access(operation: OperationRef) -> Result<(), Problem> {
    let Some(index) = ops::field_index(&operation) else {
        return Err("its `index` is not a number like `0 : i64`".to_owned().into());
    };
    let operand = operation.operand(0).map_err(|error| error.to_string())?;
    let Some(field) = field(operand.r#type(), index) else {
        let fields = fields(operand.r#type()).unwrap_or_default();
        return Err(format!(
            "there is no field {index}: the struct has {}, counted from 0",
            counted(fields.len(), "field")
        )
        .into());
    };
    let result = ops::result(operation).r#type();
    if !agree(field, result) {
        let (field, result) = (shown(field), shown(result));
        return Err(format!("field {index} is a `{field}`, but its result a `{result}`").into());
    }
    Ok(())
}

pub fn verify_cast(operation: OperationRef) -> Result<(), Problem> {
    let operand = operation.operand(0).map_err(|error| error.to_string())?.r#type();
    let result = ops::result(operation).r#type();
    if is_any(result) || agree(operand, result) {
        return Ok(());
    }
    let (operand, result) = (shown(operand), shown(result));
    Err(format!("its operand is a `{operand}`, but its result a `{result}`").into())
}

/// Known shapes that differ are an error that a Toy program can have; all other differences are not.
pub fn verify_assign(operation: OperationRef) -> Result<(), Problem> {
    let (Ok(new), Ok(old)) = (operation.operand(0), operation.operand(1)) else { return Ok(()) };
    let (new, old) = (new.r#type(), old.r#type());
    let result = ops::result(operation).r#type();
    if !is_alike(new, old) || !agree(old, result) {
        let (new, old, result) = (shown(new), shown(old), shown(result));
        return Err(format!("it makes a `{result}` of a `{new}` and an old `{old}`").into());
    }
    Ok(())
}

/// True if two types are tensors, or structs of such pairs. Recursion is bounded: the types have no defect,
/// hence limited depth.
fn is_alike(a: Type, b: Type) -> bool {
    match (fields(a), fields(b)) {
        (Some(a), Some(b)) => {
            a.len() == b.len() && a.into_iter().zip(b).all(|(a, b)| is_alike(a, b))
        }
        (a, b) => a.is_none() && b.is_none(),
    }
}
