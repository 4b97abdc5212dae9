//! The attributes of the Toy operations around control flow, parts of tensors and functions of tensors: as they are
//! written, and their values.

mod accessors;

pub use crate::dialect::enums::{Function, IndexUse, Predicate, Reduction};
pub use accessors::*;
use melior::Context;
use melior::ir::attribute::DenseI64ArrayAttribute;
use melior::ir::{Attribute, Identifier, Location, Operation, Type, Value};
use mlir_support::Builder;
use mlir_support::builder::build;

/// The attribute of `scf` operations with the names of the variables that they carry, in the order of their results:
/// `toy.carries = ["x", "n"]`.
pub const CARRIES: &str = "toy.carries";

/// The attribute of a `toy.generic_call` of a gradient: the numbers of the parameters.
pub const GRADIENT: &str = "gradient";

/// Another attribute of it, a unit: the value of the function comes before its gradients.
pub const WITH_VALUE: &str = "with_value";

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
    build("toy.transpose", location, &[operand], &[result], &attributes, vec![])
}

/// The attributes of a `toy.print_values`; `end` is written instead of the line feed.
pub fn print_attributes<'c>(
    code: Builder<'c, '_>,
    format: &[Part],
    layout: Layout,
    end: Option<&str>,
) -> Vec<(&'static str, Attribute<'c>)> {
    let parts = format.iter().map(|part| match part {
        Part::Text(text) => code.text(text),
        Part::Value => code.unit(),
    });
    let numbers = [("digits", layout.digits), ("width", layout.width)];
    let numbers = numbers.into_iter().filter_map(|(name, it)| Some((name, code.number(it?))));
    let texts = [("format", code.list(parts))].into_iter();
    texts.chain(end.map(|end| ("end", code.text(end)))).chain(numbers).collect()
}

/// The attribute `subscripts`.
pub fn subscripts_attribute<'c>(
    code: Builder<'c, '_>,
    subscripts: &[Subscript],
) -> (&'static str, Attribute<'c>) {
    let entries = subscripts.iter().map(|subscript| match subscript {
        Subscript::At => code.text("at"),
        Subscript::Nth(at) => code.number(*at),
        Subscript::Range(given) => {
            code.text(RANGES.iter().find(|(_, it)| it == given).map_or("range", |it| it.0))
        }
        Subscript::Slice(low, high, 1) => code.numbers(&[*low, *high]),
        Subscript::Slice(low, high, step) => code.numbers(&[*low, *high, *step]),
        Subscript::Window => code.text("window"),
        Subscript::Sized(count) => code.numbers(&[*count]),
    });
    ("subscripts", code.list(entries))
}
