//! Makes values that follow from shapes part of the program: the sizes that it asks for, ranges of numbers, axes, and
//! the bounds of ranges of elements.
//!
//! Input: an operation without an error, whose operands have known shapes. Output: the same value by an operation with
//! the result: `toy.constant` for a size, `toy.reduce` with an axis, `toy.read` with bounds, `arith.constant`.

use super::Specializer;
use crate::dialect::control::{self, Subscript};
use crate::dialect::evaluate::{Evaluated, evaluate};
use crate::dialect::inference::{self, parts};
use crate::dialect::ops::{self, Insertion, Kind};
use crate::dialect::shape::shape_of;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Operation, Type, Value, ValueLike};
use mlir_support::builder::{build, named};
use mlir_support::{constants, ir};

impl<'c, 'a> Specializer<'c, 'a> {
    /// Replaces an operation by its result, if that is found.
    pub(super) fn fold(&mut self, operation: OperationRef<'c, 'a>, kind: Kind) {
        let found = match kind {
            Kind::Shape => self.fold_shape(operation),
            Kind::Range => self.fold_range(operation),
            Kind::ReduceAxis => self.fold_axis(operation),
            Kind::Transpose => self.fold_axes(operation),
            Kind::ReshapeTo => self.fold_sizes(operation),
            Kind::Read | Kind::Update => self.fold_bounds(operation),
            Kind::ToIndex => self.fold_index(operation),
            _ => None,
        };
        let Some(found) = found else { return };
        let operands: Vec<Value> = operation.operands().collect();
        let found = Insertion::Before(operation).insert(found);
        ir::replace_all_uses(ops::result(operation), ops::result(found));
        ir::erase(operation);
        operands.into_iter().for_each(erase_index);
    }

    fn fold_shape(&self, operation: OperationRef<'c, 'a>) -> Option<Operation<'c>> {
        let Evaluated::Number(size) = evaluate(ops::result(operation)) else { return None };
        let ty = control::scalar_type(self.context);
        let value = ops::dense(ty, &[size]);
        Some(ops::constant(self.context, operation.location(), ty, value))
    }

    /// Its numbers are written when it is lowered: a program that is only checked does without.
    fn fold_range(&self, operation: OperationRef<'c, 'a>) -> Option<Operation<'c>> {
        let operand = operation.operand(0).ok()?;
        let is_known = ir::defining_operation(operand)
            .is_some_and(|definition| Kind::of(&definition) == Some(Kind::Constant));
        let count = inference::count(self.locations.at(operation)).ok()?.filter(|_| !is_known)?;
        let (location, scalar) = (operation.location(), control::scalar_type(self.context));
        let count = ops::dense(scalar, &[count as f64]);
        let count = ops::constant(self.context, location, scalar, count);
        let count = ops::result(Insertion::Before(operation).insert(count));
        Some(ops::pure("toy.range", location, &[count], ops::result(operation).r#type()))
    }

    fn fold_axis(&self, operation: OperationRef<'c, 'a>) -> Option<Operation<'c>> {
        let (axis, _) = inference::axis(self.locations.at(operation)).ok()??;
        let (context, location) = (self.context, operation.location());
        let kind = (control::reduction(operation)?, control::keeps(operation));
        let operand = operation.operand(0).ok()?;
        let result = ops::result(operation).r#type();
        Some(control::reduce(context, location, kind, operand, Some(axis), result))
    }

    fn fold_axes(&self, operation: OperationRef<'c, 'a>) -> Option<Operation<'c>> {
        if operation.operand_count() == 1 {
            return None;
        }
        let (axes, _) = inference::axes(self.locations.at(operation)).ok()??;
        let (location, operand) = (operation.location(), operation.operand(0).ok()?);
        let result = ops::result(operation).r#type();
        Some(control::transpose(self.context, location, operand, &axes, result))
    }

    /// Once the operand's shape is known, too, so that the two have been compared.
    fn fold_sizes(&self, operation: OperationRef<'c, 'a>) -> Option<Operation<'c>> {
        let (operand, result) = (operation.operand(0).ok()?, ops::result(operation).r#type());
        let is_known = shape_of(operand.r#type()).is_some() && shape_of(result).is_some();
        is_known.then(|| ops::pure("toy.reshape", operation.location(), &[operand], result))
    }

    /// Folds the bounds of a `toy.read` or `toy.update` with ranges whose bounds are operands.
    fn fold_bounds(&self, operation: OperationRef<'c, 'a>) -> Option<Operation<'c>> {
        if !control::subscripts(operation)?.iter().any(Subscript::is_open) {
            return None;
        }
        let (subscripts, indices) = parts::resolved(self.locations.at(operation))?;
        let before = operation.operand_count() - control::indices(operation).len();
        let operands: Vec<Value> = operation.operands().take(before).chain(indices).collect();
        let attribute = control::subscripts_attribute(self.context, &subscripts);
        let (name, location) = (ir::name(&operation), operation.location());
        let result = ops::result(operation).r#type();
        Some(build(name, location, &operands, &[result], &[attribute], vec![]))
    }

    fn fold_index(&self, operation: OperationRef<'c, 'a>) -> Option<Operation<'c>> {
        let index = inference::index(self.locations.at(operation)).ok()??;
        self.session.load_dialects(&["arith"]);
        let ty = Type::index(self.context);
        let value = [("value", IntegerAttribute::new(ty, index).into())];
        let value = named(self.context, &value);
        Some(build("arith.constant", operation.location(), &[], &[ty], &value, vec![]))
    }
}

/// Erases an index that was only there for a range of elements.
fn erase_index(value: Value) {
    if let Some(definition) = ir::defining_operation(value)
        && constants::index(value).is_some()
        && !ir::has_uses(value)
    {
        ir::erase(definition);
    }
}
