//! `arith`: constants, sums and comparisons.

use super::Builder;
use crate::ir;
use melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Type, TypeLike, Value, ValueLike};

/// Predicates of `arith.cmpf`: ordered, but for those with a U, which hold for a NaN.
pub const OEQ: i64 = 1;
pub const OGT: i64 = 2;
pub const OGE: i64 = 3;
pub const OLT: i64 = 4;
pub const OLE: i64 = 5;
pub const UGT: i64 = 9;
pub const UNE: i64 = 13;

/// Predicates of `arith.cmpi`.
pub const EQ: i64 = 0;
pub const SLT: i64 = 2;
pub const SGT: i64 = 4;
pub const SGE: i64 = 5;
pub const UGE: i64 = 9;

impl<'c, 'a> Builder<'c, 'a> {
    /// `arith.constant`.
    pub fn constant(self, ty: Type<'c>, value: Attribute<'c>) -> Value<'c, 'a> {
        self.value("arith.constant", &[], ty, &[("value", value)])
    }

    /// A constant of a floating-point type.
    pub fn float(self, ty: Type<'c>, value: f64) -> Value<'c, 'a> {
        self.constant(ty, FloatAttribute::new(self.context, ty, value).into())
    }

    /// A constant of an integer type, or of type `index`.
    pub fn integer(self, ty: Type<'c>, value: i64) -> Value<'c, 'a> {
        self.constant(ty, IntegerAttribute::new(ty, value).into())
    }

    pub fn index(self, value: u64) -> Value<'c, 'a> {
        self.integer(Type::index(self.context), value as i64)
    }

    /// A constant of type `i1`.
    pub fn truth(self, value: bool) -> Value<'c, 'a> {
        self.integer(self.truth_type(), value.into())
    }

    pub fn truth_type(self) -> Type<'c> {
        IntegerType::new(self.context, 1).into()
    }

    /// An index and a constant.
    pub fn plus(self, index: Value<'c, 'a>, constant: u64) -> Value<'c, 'a> {
        match constant {
            0 => index,
            _ => self.computed("arith.addi", &[index, self.index(constant)]),
        }
    }

    /// `arith.cmpf` or `arith.cmpi` with the number of its predicate, of numbers or of vectors.
    pub fn compare(self, predicate: i64, operands: [Value<'c, '_>; 2]) -> Value<'c, 'a> {
        let ty = operands[0].r#type();
        let (number, truth) = match ir::fixed_vector(ty) {
            Some((number, sizes)) => (number, Type::vector(&sizes, self.truth_type())),
            None => (ty, self.truth_type()),
        };
        let name = if number.is_float() { "arith.cmpf" } else { "arith.cmpi" };
        self.value(name, &operands, truth, &[("predicate", self.number(predicate))])
    }

    /// Compares a number with 0: true if it differs, also for a NaN.
    pub fn is_not_zero(self, number: Value<'c, '_>) -> Value<'c, 'a> {
        self.compare(UNE, [number, self.float(number.r#type(), 0.0)])
    }
}
