//! The inference of one operation's result from its operands.

use super::constants::converted;
use super::{Specializer, TENSOR_WORK, errors};
use crate::dialect::gradients;
use crate::dialect::inference::{MAX_RANGE, elements};
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::{Shape, is_tensor, shape_of, tensor_type, type_of};
use crate::dialect::structs::{
    agree, agree_in_shape, field, is_any, is_of_dialect, is_open, struct_type,
};
use crate::dialect::unify::unify;
use crate::dialect::{inference, shape_errors};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{Type, Value, ValueLike};
use mlir_support::{Builder, ir};

impl<'c, 'a> Specializer<'c, 'a> {
    /// Infers the result of an operation that is not a call.
    pub(super) fn infer_operation(&mut self, operation: OperationRef<'c, 'a>, kind: Kind) {
        match kind {
            Kind::Reshape => self.reshape(operation),
            Kind::Cast => self.cast(operation),
            Kind::Assign => self.assign(operation),
            Kind::StructCreate => self.struct_create(operation),
            Kind::StructAccess => {
                let operand = operation.operand(0).ok();
                let index = ops::field_index(&operation);
                let found = operand.zip(index).and_then(|(s, index)| field(s.r#type(), index));
                if let Some(found) = found {
                    self.set_type(operation, found);
                }
            }
            Kind::Constant | Kind::StructConstant => {}
            Kind::Print | Kind::Variable | Kind::GenericCall => {}
            Kind::PrintValues => self.unify(operation, 0),
            _ => match inference::result_shape(self.locations.at(operation), kind) {
                Ok(shape) => {
                    self.adapt(operation, kind);
                    if let Some(shape) = shape {
                        let at = self.locations.at(operation);
                        let ty = inference::typed(at, kind, shape.clone());
                        self.set_type(operation, tensor_type(self.context, &ty));
                        self.weigh(operation, kind);
                        if kind == Kind::Range {
                            self.stored(operation, &shape);
                        }
                    }
                    match kind {
                        Kind::FromElements => self.settle_elements(operation),
                        Kind::Join => self.unify(operation, 1),
                        Kind::Stop => gradients::needed(self.context, self.module),
                        _ => {}
                    }
                    self.fold(operation, kind);
                }
                Err(diagnostic) => {
                    self.report_shape(*diagnostic);
                    // The whole has this shape, whatever the part is.
                    let whole = operation.operand(1).ok().filter(|_| kind == Kind::Update);
                    if let Some(whole) = whole.filter(|whole| type_of(whole.r#type()).is_some()) {
                        self.set_type(operation, whole.r#type());
                    }
                }
            },
        }
    }

    /// Counts operations that take the compiler more time than others, in copies of functions.
    fn weigh(&mut self, operation: OperationRef<'c, 'a>, kind: Kind) {
        let computes = kind.is_element_wise()
            || matches!(kind, Kind::Transpose | Kind::Matmul | Kind::Reduce | Kind::ReduceAxis);
        let has_tensor = || {
            let mut shapes = operation.operands().filter_map(|it| shape_of(it.r#type()));
            shapes.any(|shape| !shape.0.is_empty())
        };
        let frame = self.stack.last().expect("visiting a function");
        let copies = self.copies.get(&self.entries[frame.entry].key.callee);
        if computes && copies.is_some_and(|copies| *copies > 1) && has_tensor() {
            self.copied += TENSOR_WORK - 1;
        }
    }

    /// Counts the numbers of a range, which are stored with the program: once for each length.
    fn stored(&mut self, operation: OperationRef<'c, 'a>, shape: &Shape) {
        let count = shape.element_count().unwrap_or(0);
        let is_full = self.stored > MAX_RANGE;
        if self.ranges.insert(count) && !is_full {
            self.stored += count;
            if self.stored > MAX_RANGE {
                self.report(errors::too_many_numbers(self.locations.at(operation)));
            }
        }
    }

    fn reshape(&mut self, operation: OperationRef<'c, 'a>) {
        let result = shape_of(ops::result(operation).r#type());
        let at = self.locations.at(operation);
        let (Some(from), Some(to)) = (operand_shape(operation, 0), result) else { return };
        if !from.reshapes_to(&to) {
            return self.report(shape_errors::element_count(at, &from, &to));
        }
        let ty = inference::typed(at, Kind::Reshape, to);
        self.set_type(operation, tensor_type(self.context, &ty));
    }

    /// Gives the operands that an operation combines one element type: scalars adapt.
    fn adapt(&mut self, operation: OperationRef<'c, 'a>, kind: Kind) {
        let Ok(element) = elements::common(self.locations.at(operation), kind) else { return };
        for place in elements::combined(operation, kind) {
            let operand = ops::source(ir::operand(operation, place));
            if type_of(operand.r#type()).is_some_and(|ty| ty.element != element) {
                let code = Builder::before(self.context, operation);
                match converted(self.locations.at(operation), code, operand, element) {
                    Ok(converted) => ir::mutable(operation).set_operand(place, converted),
                    Err(diagnostic) => self.report(*diagnostic),
                }
            }
        }
    }

    /// Casts are removed once the operands are known; until then, they have the locations of the elements.
    fn settle_elements(&mut self, operation: OperationRef<'c, 'a>) {
        let operands: Vec<Value> = operation.operands().map(ops::source).collect();
        set_operands(operation, &operands);
    }

    fn cast(&mut self, operation: OperationRef<'c, 'a>) {
        let (result, Ok(operand)) = (ops::result(operation), operation.operand(0)) else { return };
        if !is_open(operand.r#type()) && !fits(operand.r#type(), result.r#type()) {
            let (written, found) = (result.r#type(), operand.r#type());
            self.report(errors::contradiction(self.locations.at(operation), written, found));
        }
        for user in ir::users(result) {
            if Kind::of(&user) != Some(Kind::FromElements) {
                ir::mutable(user).replace_uses_of_with(result, operand);
            }
        }
        if ir::has_uses(result) {
            self.stack.last_mut().expect("visiting a function").casts.push(operation);
        } else {
            ir::erase(operation);
        }
    }

    fn struct_create(&mut self, operation: OperationRef<'c, 'a>) {
        let types: Vec<Type> =
            operation.operands().map(|operand| ops::source(operand).r#type()).collect();
        self.set_type(operation, struct_type(self.context, &types));
        self.unify(operation, 0);
    }

    /// Gives the operands of a variadic group one type, by casts; it begins with the operand of this number.
    fn unify(&mut self, operation: OperationRef<'c, 'a>, first: usize) {
        let mut operands: Vec<Value> = operation.operands().map(ops::source).collect();
        let code = Builder::before(self.context, operation);
        unify(code, &mut operands[first..], |_| operation.location());
        set_operands(operation, &operands);
    }

    /// Sets the inferred type of the result, which must not contradict the written type.
    fn set_type(&mut self, operation: OperationRef<'c, 'a>, found: Type<'c>) {
        let result = ops::result(operation);
        let written = result.r#type();
        if !replaces(found, written) {
            self.report(errors::contradiction(self.locations.at(operation), written, found));
        }
        result.set_type(found);
    }
}

fn set_operands<'c>(operation: OperationRef<'c, '_>, operands: &[Value<'c, '_>]) {
    for (index, operand) in operands.iter().enumerate() {
        ir::mutable(operation).set_operand(index, *operand);
    }
}

fn operand_shape(operation: OperationRef, index: usize) -> Option<Shape> {
    shape_of(ir::operand_if_any(operation, index)?.r#type())
}

/// True if a value of the inferred type may replace one whose type was written before inference: its elements are the
/// default ones there.
pub fn replaces(found: Type, written: Type) -> bool {
    fits(found, written) || agree_in_shape(found, written)
}

/// True if a value of the inferred type may replace one of the written type. Types that are not Toy's
/// are left to MLIR's own verifier.
pub fn fits(found: Type, written: Type) -> bool {
    let is_ours = |ty| is_tensor(ty) || is_of_dialect(ty);
    // Tensors that Toy does not have agree with nothing but themselves.
    ops::same_type(found, written)
        || is_any(written)
        || !is_ours(found)
        || !is_ours(written)
        || agree(found, written)
}
