//! Rewrites of operations on structs.

use super::{first_operand, may_refine, replace, replace_with_constant};
use crate::dialect::ops::{self, Kind};
use crate::dialect::structs::{field, refines, struct_type};
use melior::ir::attribute::ArrayAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, ValueLike};
use mlir_support::ir;
use mlir_support::rewrite::Rewriter;

pub fn access_of_create(rewriter: &Rewriter, operation: OperationRef) -> bool {
    let Some(create) = struct_from(operation, Kind::StructCreate) else { return false };
    let operand = ops::field_index(&operation).and_then(|index| create.operand(index).ok());
    let Some(value) = operand.map(ops::source) else { return false };
    // The access may know more of the field than the operand says by itself.
    refines(value.r#type(), ops::result(operation).r#type()) && replace(rewriter, operation, value)
}

pub fn access_of_constant(rewriter: &Rewriter, operation: OperationRef) -> bool {
    let Some(constant) = struct_from(operation, Kind::StructConstant) else { return false };
    let Some(index) = ops::field_index(&operation) else { return false };
    let fields = ops::attribute(&constant, "value")
        .and_then(|value| ArrayAttribute::try_from(value).ok())
        .and_then(|fields| fields.element(index).ok());
    let (Some(value), Some(ty)) = (fields, field(ops::result(constant).r#type(), index)) else {
        return false;
    };
    may_refine(operation, ty) && replace_with_constant(rewriter, operation, ty, value)
}

pub fn create_of_constants(rewriter: &Rewriter, operation: OperationRef) -> bool {
    let constant = |operand| {
        let operand = ops::source(operand);
        let constant = ir::defining_operation(operand)
            .filter(|op| matches!(Kind::of(op), Some(Kind::Constant | Kind::StructConstant)))?;
        Some((operand.r#type(), ops::attribute(&constant, "value")?))
    };
    let constants: Option<Vec<_>> = operation.operands().map(constant).collect();
    let Some(constants) = constants else { return false };
    let (types, values): (Vec<_>, Vec<Attribute>) = constants.into_iter().unzip();
    let ty = struct_type(rewriter.context, &types);
    if !refines(ty, ops::result(operation).r#type()) || !may_refine(operation, ty) {
        return false;
    }
    let value = ArrayAttribute::new(rewriter.context, &values).into();
    replace_with_constant(rewriter, operation, ty, value)
}

/// The operation of a kind that makes the struct an access reads.
fn struct_from<'c, 'a>(access: OperationRef<'c, 'a>, kind: Kind) -> Option<OperationRef<'c, 'a>> {
    ir::defining_operation(ops::source(first_operand(access)))
        .filter(|operation| Kind::of(operation) == Some(kind))
}
