//! The operations of the Toy dialect in Rust: builders and accessors. Control flow is in [`super::control`].
//!
//! Builders create operations as IRDL defines them; [`super::verify`] checks whether their types are
//! compatible. Accessors expect verified operations and return None otherwise.

use crate::dialect::load_operation;
use crate::dialect::shape::shape_of;
pub use crate::dialect::table::Kind;
use melior::Context;
use melior::ir::attribute::{AttributeLike, DenseElementsAttribute, IntegerAttribute};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Identifier, Location, Operation, Type, Value, ValueLike};
pub use mlir_support::builder::Insertion;
use mlir_support::builder::{build, named};
use mlir_support::control_flow::predecessor_values;
pub use mlir_support::func::*;
use mlir_support::ir;

/// `toy.constant`; `value` is a dense attribute of the tensor type `ty`.
pub fn constant<'c>(
    context: &'c Context,
    location: Location<'c>,
    ty: Type<'c>,
    value: Attribute<'c>,
) -> Operation<'c> {
    constant_like("toy.constant", context, location, ty, value)
}

/// `toy.struct_constant`; `value` is an array attribute that mirrors the struct type `ty`.
pub fn struct_constant<'c>(
    context: &'c Context,
    location: Location<'c>,
    ty: Type<'c>,
    value: Attribute<'c>,
) -> Operation<'c> {
    constant_like("toy.struct_constant", context, location, ty, value)
}

fn constant_like<'c>(
    name: &str,
    context: &'c Context,
    location: Location<'c>,
    ty: Type<'c>,
    value: Attribute<'c>,
) -> Operation<'c> {
    build(name, location, &[], &[ty], &named(context, &[("value", value)]), vec![])
}

/// `toy.from_elements` of operands of one type, in row-major order.
pub fn from_elements<'c>(
    location: Location<'c>,
    operands: &[Value<'c, '_>],
    result: Type<'c>,
) -> Operation<'c> {
    pure("toy.from_elements", location, operands, result)
}

/// `toy.struct_create` of operands of one type, one per field.
pub fn struct_create<'c>(
    location: Location<'c>,
    operands: &[Value<'c, '_>],
    result: Type<'c>,
) -> Operation<'c> {
    pure("toy.struct_create", location, operands, result)
}

/// `toy.struct_access` of the field with an index.
pub fn struct_access<'c>(
    context: &'c Context,
    location: Location<'c>,
    operand: Value<'c, '_>,
    index: usize,
    result: Type<'c>,
) -> Operation<'c> {
    let index = IntegerAttribute::new(IntegerType::new(context, 64).into(), index as i64).into();
    let index = named(context, &[("index", index)]);
    build("toy.struct_access", location, &[operand], &[result], &index, vec![])
}

/// A Toy operation with operands, one result and no attributes: `toy.add`, `toy.neg`, `toy.cast`, ...
pub fn pure<'c>(
    name: &str,
    location: Location<'c>,
    operands: &[Value<'c, '_>],
    result: Type<'c>,
) -> Operation<'c> {
    load_operation(location.context(), name);
    build(name, location, operands, &[result], &[], vec![])
}

pub fn print<'c>(location: Location<'c>, operand: Value<'c, '_>) -> Operation<'c> {
    build("toy.print", location, &[operand], &[], &[], vec![])
}

/// `toy.variable`: from here on, a variable of the program has this value. [`super::variable`] defines
/// the attributes.
pub fn variable<'c>(
    location: Location<'c>,
    operand: Value<'c, '_>,
    attributes: &[(Identifier<'c>, Attribute<'c>)],
) -> Operation<'c> {
    build("toy.variable", location, &[operand], &[], attributes, vec![])
}

/// `toy.generic_call` of arguments of one type.
pub fn generic_call<'c>(
    context: &'c Context,
    location: Location<'c>,
    callee: &str,
    arguments: &[Value<'c, '_>],
    result: Option<Type<'c>>,
) -> Operation<'c> {
    call_like("toy.generic_call", context, location, callee, arguments, result.as_slice())
}

/// A dense attribute of elements in row-major order; one element makes a splat.
pub fn dense<'c>(ty: Type<'c>, elements: &[f64]) -> Attribute<'c> {
    DenseElementsAttribute::f64_values(ty, elements).into()
}

/// The field that a verified `toy.struct_access` reads.
pub fn field_index<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> Option<usize> {
    let index = IntegerAttribute::try_from(attribute(operation, "index")?).ok()?;
    // MLIR's accessor is for integers of at most 64 bits.
    let is_i64 = ir::signless_width(index.r#type()) == Some(64);
    is_i64.then(|| usize::try_from(index.value()).ok()).flatten()
}

/// A splat with more elements than this is computed, not stored: an object file has no compact form
/// for it.
const LARGE_SPLAT: u64 = 4096;

/// The value of a `toy.constant` that is computed when the program runs.
pub fn large_splat(constant: &OperationRef) -> Option<f64> {
    let count = shape_of(result(*constant).r#type())?.element_count()?;
    let value = attribute(constant, "value").filter(|_| count > LARGE_SPLAT)?;
    match ir::dense_floats(value, usize::try_from(count).ok()?)?.as_slice() {
        [element] => Some(*element),
        _ => None,
    }
}

/// The value before casts.
pub fn source<'c: 'a, 'a>(value: Value<'c, 'a>) -> Value<'c, 'a> {
    let mut value: Value<'c, 'a> = value;
    // A bound: in unreachable code, casts may form a cycle.
    for _ in 0..64 {
        let cast = ir::defining_operation(value).filter(|op| Kind::of(op) == Some(Kind::Cast));
        let Some(cast) = cast.filter(|cast| cast.operand_count() > 0) else { break };
        value = ir::operand(cast, 0);
    }
    value
}

/// The origin of a value that a loop carries or a branch yields: a value from before the loop, or from the first
/// branch. Looks through casts.
pub fn origin<'c: 'a, 'a>(value: Value<'c, 'a>) -> Value<'c, 'a> {
    let mut value = source(value);
    // A bound: in unreachable code, values may form a cycle.
    for _ in 0..64 {
        let from = predecessor_values(value).and_then(|values| values.first().copied());
        match from {
            Some(from) => value = source(from),
            None => break,
        }
    }
    value
}
