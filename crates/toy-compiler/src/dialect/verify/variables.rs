//! The rules of `toy.variable`: its attributes are defined in [`crate::dialect::variable`], and if the
//! value is a struct, they name its fields.

use super::Problem;
use crate::dialect::ops;
use crate::dialect::structs::{fields, is_struct};
use crate::dialect::variable::{self, Structure};
use melior::ir::operation::OperationLike;
use melior::ir::operation::OperationRef;
use melior::ir::{Type, ValueLike};

pub fn verify(operation: OperationRef) -> Result<(), Problem> {
    let Some(variable) = variable::read(|name| ops::attribute(&operation, name)) else {
        let message = "its `name` is not a string, or its `parameter` or `leaf` not an index";
        return Err(message.to_owned().into());
    };
    if variable.name.is_empty() {
        return Err("its `name` is empty".to_owned().into());
    }
    let ty = operation.operand(0).map(|operand| operand.r#type());
    let of_struct = ty.ok().filter(|ty| is_struct(*ty));
    match (of_struct, variable.structure, variable.leaf) {
        (None, None, None) | (None, Some(_), Some(_)) => Ok(()),
        (Some(ty), Some(attribute), None) => match Structure::read(attribute) {
            Some(structure) if mirrors(&structure, ty) => Ok(()),
            _ => Err("its `struct` does not name the fields of its operand".to_owned().into()),
        },
        (Some(_), _, _) => Err(Problem::helped(
            "its operand is a struct without names",
            "give it a `struct = {name = \"P\", fields = [{name = \"x\"}]}`",
        )),
        (None, _, _) => {
            Err("of `struct` and `leaf`, a tensor has both or neither".to_owned().into())
        }
    }
}

/// Recursion is bounded: the type has no defect, hence limited depth.
fn mirrors(structure: &Structure, ty: Type) -> bool {
    let Some(types) = fields(ty) else { return false };
    types.len() == structure.fields.len()
        && types.into_iter().zip(&structure.fields).all(|(ty, (_, inner))| match inner {
            Some(inner) => mirrors(inner, ty),
            None => !is_struct(ty),
        })
}
