//! `vector`: vectors of one dimension.

use super::Builder;
use crate::ir;
use melior::ir::attribute::ArrayAttribute;
use melior::ir::{Type, Value, ValueLike};

impl<'c, 'a> Builder<'c, 'a> {
    /// A vector of numbers.
    pub fn vector_of(self, numbers: &[Value<'c, 'a>]) -> Value<'c, 'a> {
        self.context.get_or_load_dialect("vector");
        let ty = Type::vector(&[numbers.len() as u64], numbers[0].r#type());
        self.value("vector.from_elements", numbers, ty, &[])
    }

    /// A number in every element of a vector; a vector of one element is the number.
    pub fn splat(self, number: Value<'c, 'a>, length: u64) -> Value<'c, 'a> {
        if length == 1 {
            return number;
        }
        self.context.get_or_load_dialect("vector");
        self.value("vector.broadcast", &[number], vector_type(number.r#type(), length), &[])
    }

    /// An element of a vector.
    pub fn element_of_vector(self, vector: Value<'c, 'a>, at: u64) -> Value<'c, 'a> {
        let position = [("static_position", self.numbers(&[at as i64]))];
        self.value("vector.extract", &[vector], element(vector), &position)
    }

    /// The elements of a vector.
    pub fn elements_of_vector(self, vector: Value<'c, 'a>, count: u64) -> Vec<Value<'c, 'a>> {
        (0..count).map(|at| self.element_of_vector(vector, at)).collect()
    }

    /// Neighbors in a vector, as a vector.
    pub fn part_of_vector(self, vector: Value<'c, 'a>, first: u64, count: u64) -> Value<'c, 'a> {
        let list =
            |number: u64| ArrayAttribute::new(self.context, &[self.number(number as i64)]).into();
        let attributes = [("offsets", list(first)), ("sizes", list(count)), ("strides", list(1))];
        let ty = Type::vector(&[count], element(vector));
        self.value("vector.extract_strided_slice", &[vector], ty, &attributes)
    }

    /// A vector of elements of two vectors of one length: the indices of the first start at 0, the second's follow.
    pub fn shuffle(self, pair: [Value<'c, 'a>; 2], mask: &[i64]) -> Value<'c, 'a> {
        let ty = Type::vector(&[mask.len() as u64], element(pair[0]));
        self.value("vector.shuffle", &pair, ty, &[("mask", self.numbers(mask))])
    }
}

/// The type of a vector of one dimension; a vector of one element is the element.
pub fn vector_type(element: Type, length: u64) -> Type {
    if length == 1 { element } else { Type::vector(&[length], element) }
}

fn element<'c>(vector: Value<'c, '_>) -> Type<'c> {
    ir::element(vector.r#type()).expect("a vector has elements")
}
