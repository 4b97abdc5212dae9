//! The operations of the Toy dialect in Rust: builders and accessors. Control flow is in [`super::control`].
//!
//! Builders create operations as IRDL defines them; [`super::verify`] checks whether their types are
//! compatible. Accessors expect verified operations and return None otherwise.

use crate::dialect::load_operation;
use crate::dialect::shape::{Element, Shape, is_tensor, shape_of, tensor_type, unranked_type};
pub use crate::dialect::table::Kind;
use melior::Context;
use melior::ir::attribute::{AttributeLike, IntegerAttribute};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, Identifier, Location, Operation, Type, Value, ValueLike};
pub use mlir_support::builder::Insertion;
use mlir_support::builder::{Builder, build, named};
use mlir_support::control_flow::predecessor_values;
pub use mlir_support::func::*;
use mlir_support::ir;

/// Toy operations, made by a builder. Types are those before shape inference, where no others are given.
pub trait ToyBuilder<'c: 'a, 'a>: Sized {
    fn builder(self) -> Builder<'c, 'a>;

    fn toy_operation(
        self,
        kind: Kind,
        operands: &[Value<'c, '_>],
        results: &[Type<'c>],
        attributes: &[(&str, Attribute<'c>)],
    ) -> OperationRef<'c, 'a> {
        let code = self.builder();
        load_operation(code.location.context(), kind.name());
        code.op(kind.name(), operands, results, attributes)
    }

    /// An operation with a result of this type.
    fn typed(
        self,
        kind: Kind,
        operands: &[Value<'c, '_>],
        ty: Type<'c>,
        attributes: &[(&str, Attribute<'c>)],
    ) -> Value<'c, 'a> {
        result(self.toy_operation(kind, operands, &[ty], attributes))
    }

    /// An operation whose result has the type that the kind says, without a shape.
    fn toy(
        self,
        kind: Kind,
        operands: &[Value<'c, '_>],
        attributes: &[(&str, Attribute<'c>)],
    ) -> Value<'c, 'a> {
        let code = self.builder();
        let ty = match kind.definition().signature.rsplit(' ').next() {
            Some("scalar") => scalar_type(code.context),
            Some("index") => Type::index(code.context),
            Some("i1") => code.truth_type(),
            _ => unranked_type(code.context, Element::DEFAULT),
        };
        code.typed(kind, operands, ty, attributes)
    }

    /// An operation without attributes, likewise.
    fn pure(self, kind: Kind, operands: &[Value<'c, '_>]) -> Value<'c, 'a> {
        self.toy(kind, operands, &[])
    }

    /// `toy.constant` of a tensor or `toy.struct_constant`.
    fn toy_constant(self, ty: Type<'c>, value: Attribute<'c>) -> Value<'c, 'a> {
        let code = self.builder();
        result(code.insert(constant(code.context, code.location, ty, value)))
    }

    /// A scalar that is known.
    fn scalar_constant(self, number: f64) -> Value<'c, 'a> {
        let code = self.builder();
        let ty = scalar_type(code.context);
        code.toy_constant(ty, ir::dense(ty, &[number]))
    }

    /// 0 of the element type of what it is combined with, scalars included.
    fn adapting_zero(self) -> Value<'c, 'a> {
        let code = self.builder();
        let zero = code.scalar_constant(0.0);
        let operation = ir::defining_operation(zero).expect("a constant");
        let unit = Attribute::unit(code.context);
        ir::set_attribute(operation, ADAPTS, unit);
        zero
    }
}

impl<'c: 'a, 'a> ToyBuilder<'c, 'a> for Builder<'c, 'a> {
    fn builder(self) -> Builder<'c, 'a> {
        self
    }
}

/// On a scalar constant: it has the element type of the scalars that it is combined with.
pub const ADAPTS: &str = "toy.adapts";

/// The attribute of a `toy.unset` of which only what has been written is read: it needs no zeros.
pub const TAPE: &str = "toy.tape";

/// `toy.constant` of a dense attribute; `toy.struct_constant` of an array attribute that mirrors a struct type.
pub fn constant<'c>(
    context: &'c Context,
    location: Location<'c>,
    ty: Type<'c>,
    value: Attribute<'c>,
) -> Operation<'c> {
    let kind = if is_tensor(ty) { Kind::Constant } else { Kind::StructConstant };
    build(kind.name(), location, &[], &[ty], &named(context, &[("value", value)]), vec![])
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

/// `toy.variable`: from here on, a variable of the program has this value. [`super::variable`] defines
/// the attributes.
pub fn variable<'c>(
    location: Location<'c>,
    operand: Value<'c, '_>,
    attributes: &[(Identifier<'c>, Attribute<'c>)],
) -> Operation<'c> {
    build("toy.variable", location, &[operand], &[], attributes, vec![])
}

/// A scalar of the default element: `tensor<f64>`.
pub fn scalar_type(context: &Context) -> Type<'_> {
    tensor_type(context, &Shape::default().into())
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
