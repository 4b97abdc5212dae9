//! Builders and accessors of the Toy operations around control flow, parts of tensors and functions of tensors.
//!
//! Builders create operations as IRDL defines them; [`super::verify`] checks that their types are compatible. If a
//! result type is not a parameter, it follows from the operation.

mod accessors;

pub use crate::dialect::enums::{Function, IndexUse, Predicate, Reduction};
use crate::dialect::load_operation;
use crate::dialect::shape::{Shape, tensor_type};
pub use accessors::*;
use melior::Context;
use melior::ir::attribute::{
    ArrayAttribute, DenseI64ArrayAttribute, IntegerAttribute, StringAttribute,
};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Identifier, Location, Operation, Type, Value};
use mlir_support::builder;

/// The attribute of `scf` operations with the names of the variables that they carry, in the order of their results:
/// `toy.carries = ["x", "n"]`.
pub const CARRIES: &str = "toy.carries";

/// The name of the function's result in [`CARRIES`].
pub const RESULT: &str = "$result";

/// One entry of the `subscripts` of `toy.read` and `toy.update`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subscript {
    /// An index, the next operand: the dimension is dropped.
    At,
    /// The same with a known index, which counts from the end if it is negative.
    Nth(i64),
    /// A range whose parts are the next operands, as far as they are given; specialization makes it a `Slice`.
    Range(Given),
    /// A range with known bounds and a step, counted from 0: from the first index up to, not including, the second one.
    Slice(i64, i64, i64),
    /// A first index and a number of elements, the next operands; specialization makes it `Sized`.
    Window,
    /// This number of elements, from the index that is the next operand.
    Sized(i64),
}

/// The parts of a range that are operands: the first index, the one at which it ends, and the step.
pub type Given = [bool; 3];

/// The spellings of ranges.
pub(super) const RANGES: [(&str, Given); 8] = [
    ("range", [true, true, false]),
    ("a:b:s", [true, true, true]),
    ("a:", [true, false, false]),
    (":b", [false, true, false]),
    (":", [false, false, false]),
    ("a::s", [true, false, true]),
    (":b:s", [false, true, true]),
    ("::s", [false, false, true]),
];

impl Subscript {
    /// True if an operand has to be a constant: specialization closes it.
    pub fn is_open(&self) -> bool {
        matches!(self, Subscript::Range(_) | Subscript::Window)
    }

    /// The operands that it takes.
    pub fn operands(self) -> usize {
        match self {
            Subscript::At | Subscript::Sized(_) => 1,
            Subscript::Window => 2,
            Subscript::Range(given) => given.into_iter().filter(|given| *given).count(),
            Subscript::Nth(_) | Subscript::Slice(..) => 0,
        }
    }
}

/// One entry of the `format` of `toy.print_values`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    Text(String),
    /// The next operand.
    Value,
}

/// The form of the numbers that a `toy.print_values` writes, as far as the program says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The digits after the point.
    pub digits: Option<i64>,
    /// The fewest characters.
    pub width: Option<i64>,
}

// --- builders ---

/// `toy.compare`: 1 where the predicate holds, 0 elsewhere.
pub fn compare<'c>(
    context: &'c Context,
    location: Location<'c>,
    predicate: Predicate,
    operands: [Value<'c, '_>; 2],
    result: Type<'c>,
) -> Operation<'c> {
    let predicate = string(context, "predicate", predicate.name());
    build("toy.compare", location, &operands, &[predicate], &[result])
}

/// `toy.truth`: compares a scalar with 0. `what` names the scalar in messages: "condition", or "operand of `&&`".
pub fn truth<'c>(
    context: &'c Context,
    location: Location<'c>,
    operand: Value<'c, '_>,
    what: &str,
) -> Operation<'c> {
    let result = IntegerType::new(context, 1).into();
    build("toy.truth", location, &[operand], &[string(context, "what", what)], &[result])
}

/// `toy.to_index`: a scalar as an index, which is checked when the program runs.
pub fn to_index<'c>(
    context: &'c Context,
    location: Location<'c>,
    operand: Value<'c, '_>,
    what: IndexUse,
) -> Operation<'c> {
    let what = string(context, "what", what.name());
    build("toy.to_index", location, &[operand], &[what], &[Type::index(context)])
}

/// `toy.read`: a part of a tensor. The indices are those that the subscripts take, in order.
pub fn read<'c>(
    context: &'c Context,
    location: Location<'c>,
    operand: Value<'c, '_>,
    subscripts: &[Subscript],
    indices: &[Value<'c, '_>],
    result: Type<'c>,
) -> Operation<'c> {
    let subscripts = subscripts_attribute(context, subscripts);
    let operands = [&[operand], indices].concat();
    build("toy.read", location, &operands, &[subscripts], &[result])
}

/// `toy.update`: the tensor `operand` with one part replaced by `value`.
pub fn update<'c>(
    context: &'c Context,
    location: Location<'c>,
    (value, operand): (Value<'c, '_>, Value<'c, '_>),
    subscripts: &[Subscript],
    indices: &[Value<'c, '_>],
    result: Type<'c>,
) -> Operation<'c> {
    let subscripts = subscripts_attribute(context, subscripts);
    let operands = [&[value, operand], indices].concat();
    build("toy.update", location, &operands, &[subscripts], &[result])
}

/// `toy.reduce`, of all elements or along an axis that is known; `keep`: what is reduced stays, with size 1.
pub fn reduce<'c>(
    context: &'c Context,
    location: Location<'c>,
    (kind, keep): (Reduction, bool),
    operand: Value<'c, '_>,
    axis: Option<usize>,
    result: Type<'c>,
) -> Operation<'c> {
    let mut attributes = vec![string(context, "kind", kind.name())];
    attributes.extend(axis.map(|axis| axis_attribute(context, axis)));
    attributes.extend(keep.then(|| keep_attribute(context)));
    build("toy.reduce", location, &[operand], &attributes, &[result])
}

/// `toy.reduce_axis`: along an axis that is a constant expression.
pub fn reduce_axis<'c>(
    context: &'c Context,
    location: Location<'c>,
    (kind, keep): (Reduction, bool),
    [operand, axis]: [Value<'c, '_>; 2],
    result: Type<'c>,
) -> Operation<'c> {
    let mut attributes = vec![string(context, "kind", kind.name())];
    attributes.extend(keep.then(|| keep_attribute(context)));
    build("toy.reduce_axis", location, &[operand, axis], &attributes, &[result])
}

/// `toy.transpose` with a known order of the operand's dimensions.
pub fn transpose<'c>(
    context: &'c Context,
    location: Location<'c>,
    operand: Value<'c, '_>,
    permutation: &[usize],
    result: Type<'c>,
) -> Operation<'c> {
    let dims: Vec<_> = permutation.iter().map(|dim| *dim as i64).collect();
    let is_reversed = permutation.iter().rev().copied().eq(0..permutation.len());
    let attribute = DenseI64ArrayAttribute::new(context, &dims).into();
    let attribute = (Identifier::new(context, "permutation"), attribute);
    let attributes: Vec<_> = (!is_reversed).then_some(attribute).into_iter().collect();
    build("toy.transpose", location, &[operand], &attributes, &[result])
}

/// `toy.math`.
pub fn math<'c>(
    context: &'c Context,
    location: Location<'c>,
    function: Function,
    operand: Value<'c, '_>,
    result: Type<'c>,
) -> Operation<'c> {
    let function = string(context, "function", function.name());
    build("toy.math", location, &[operand], &[function], &[result])
}

/// `toy.from_elements` of operands that may be tensors, in a list with these dimensions.
pub fn list<'c>(
    context: &'c Context,
    location: Location<'c>,
    dims: &Shape,
    operands: &[Value<'c, '_>],
    result: Type<'c>,
) -> Operation<'c> {
    let dims: Vec<i64> = dims.0.iter().map(|dim| *dim as i64).collect();
    let dims = DenseI64ArrayAttribute::new(context, &dims).into();
    let dims = (Identifier::new(context, "dims"), dims);
    build("toy.from_elements", location, operands, &[dims], &[result])
}

/// `toy.reshape_to`; one of the sizes may be -1 if the shape is open.
pub fn reshape_to<'c>(
    context: &'c Context,
    location: Location<'c>,
    operands: &[Value<'c, '_>],
    is_open: bool,
    result: Type<'c>,
) -> Operation<'c> {
    let open = is_open.then(|| (Identifier::new(context, "open"), Attribute::unit(context)));
    build("toy.reshape_to", location, operands, open.as_slice(), &[result])
}

/// `toy.print_values` of operands of one type ([`unify`](super::unify::unify)), one per [`Part::Value`]. `end` is
/// written instead of the line feed.
pub fn print_values<'c>(
    context: &'c Context,
    location: Location<'c>,
    (format, layout, end): (&[Part], Layout, Option<&str>),
    operands: &[Value<'c, '_>],
) -> Operation<'c> {
    let parts = format.iter().map(|part| match part {
        Part::Text(text) => StringAttribute::new(context, text).into(),
        Part::Value => Attribute::unit(context),
    });
    let format = ArrayAttribute::new(context, &parts.collect::<Vec<_>>()).into();
    let format = (Identifier::new(context, "format"), format);
    let end = end.map(|end| string(context, "end", end));
    let number = |name, value: Option<i64>| {
        value.map(|value| (Identifier::new(context, name), i64_attribute(context, value)))
    };
    let layout = [number("digits", layout.digits), number("width", layout.width)];
    let attributes: Vec<_> =
        [format].into_iter().chain(end).chain(layout.into_iter().flatten()).collect();
    build("toy.print_values", location, operands, &attributes, &[])
}

/// `toy.assign`: the new value of a variable, which must have the shape of the old one.
pub fn assign<'c>(
    context: &'c Context,
    location: Location<'c>,
    (new, old): (Value<'c, '_>, Value<'c, '_>),
    name: &str,
    result: Type<'c>,
) -> Operation<'c> {
    build("toy.assign", location, &[new, old], &[string(context, "name", name)], &[result])
}

/// The attribute `subscripts`.
pub fn subscripts_attribute<'c>(
    context: &'c Context,
    subscripts: &[Subscript],
) -> (Identifier<'c>, Attribute<'c>) {
    let entries = subscripts.iter().map(|subscript| match subscript {
        Subscript::At => StringAttribute::new(context, "at").into(),
        Subscript::Nth(at) => i64_attribute(context, *at),
        Subscript::Range(given) => {
            let name = RANGES.iter().find(|(_, it)| it == given).map_or("range", |it| it.0);
            StringAttribute::new(context, name).into()
        }
        Subscript::Slice(low, high, 1) => {
            DenseI64ArrayAttribute::new(context, &[*low, *high]).into()
        }
        Subscript::Slice(low, high, step) => {
            DenseI64ArrayAttribute::new(context, &[*low, *high, *step]).into()
        }
        Subscript::Window => StringAttribute::new(context, "window").into(),
        Subscript::Sized(count) => DenseI64ArrayAttribute::new(context, &[*count]).into(),
    });
    let entries: Vec<Attribute> = entries.collect();
    (Identifier::new(context, "subscripts"), ArrayAttribute::new(context, &entries).into())
}

/// The attribute [`CARRIES`] of an `scf` operation.
pub fn carries<'c>(context: &'c Context, names: &[&str]) -> (Identifier<'c>, Attribute<'c>) {
    let names: Vec<Attribute> =
        names.iter().map(|name| StringAttribute::new(context, name).into()).collect();
    (Identifier::new(context, CARRIES), ArrayAttribute::new(context, &names).into())
}

/// A scalar of the default element: `tensor<f64>`.
pub fn scalar_type(context: &Context) -> Type<'_> {
    tensor_type(context, &Shape::default().into())
}

fn axis_attribute(context: &Context, axis: usize) -> (Identifier<'_>, Attribute<'_>) {
    (Identifier::new(context, "axis"), i64_attribute(context, axis as i64))
}

fn i64_attribute(context: &Context, number: i64) -> Attribute<'_> {
    IntegerAttribute::new(IntegerType::new(context, 64).into(), number).into()
}

fn keep_attribute(context: &Context) -> (Identifier<'_>, Attribute<'_>) {
    (Identifier::new(context, "keep"), Attribute::unit(context))
}

fn string<'c>(context: &'c Context, name: &str, text: &str) -> (Identifier<'c>, Attribute<'c>) {
    (Identifier::new(context, name), StringAttribute::new(context, text).into())
}

fn build<'c>(
    name: &str,
    location: Location<'c>,
    operands: &[Value<'c, '_>],
    attributes: &[(Identifier<'c>, Attribute<'c>)],
    results: &[Type<'c>],
) -> Operation<'c> {
    load_operation(location.context(), name);
    builder::build(name, location, operands, results, attributes, vec![])
}
