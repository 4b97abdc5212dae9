//! The constant behind a value: the number, if an `arith.constant` defines it.
//!
//! Input: a value, or the operation that defines it. Output: the constant. None for every other value, also for one
//! that folding would make a constant.

use crate::func::attribute;
use crate::ir;
use melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use melior::ir::operation::OperationRef;
use melior::ir::{Attribute, TypeLike, Value, ValueLike};

/// True if an operation is an `arith.constant`.
pub fn is_constant(operation: OperationRef) -> bool {
    ir::name(&operation) == "arith.constant"
}

/// The attribute of the constant that a value is.
pub fn attribute_of<'c>(value: Value<'c, '_>) -> Option<Attribute<'c>> {
    attribute(&ir::defined_by(value, "arith.constant")?, "value")
}

/// The constant of an integer type or of type `index` that a value is.
pub fn integer(value: Value) -> Option<i64> {
    IntegerAttribute::try_from(attribute_of(value)?).ok().map(|it| it.value())
}

/// The constant of type `index` that a value is.
pub fn index(value: Value) -> Option<i64> {
    integer(value).filter(|_| value.r#type().is_index())
}

/// The constant of type `index` that a value is, if it is not negative: a size, or an offset.
pub fn size(value: Value) -> Option<u64> {
    u64::try_from(index(value)?).ok()
}

/// The constant of a floating-point type that a value is.
pub fn float(value: Value) -> Option<f64> {
    FloatAttribute::try_from(attribute_of(value)?).ok().map(|it| it.value())
}

/// The element of the constant tensor of one `f64` that a value is.
pub fn element(value: Value) -> Option<f64> {
    ir::dense_floats(attribute_of(value)?, 1)?.first().copied()
}
