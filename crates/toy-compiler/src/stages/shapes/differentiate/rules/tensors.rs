//! The rules of operations that move elements: a read of a part is the reverse of an update, and an update of a read.

use super::Step;
use crate::dialect::control::{self, Function, Predicate, Subscript};
use crate::dialect::evaluate::{Evaluated, axis_of, evaluate};
use crate::dialect::ops;
use crate::dialect::shape::Shape;
use crate::stages::shapes::differentiate::code::shape;
use crate::stages::shapes::differentiate::cotangents::{Cotangent, sum, unstretched};
use melior::ir::operation::OperationLike;
use melior::ir::{Value, ValueLike};

impl<'c, 'a> Step<'c, 'a, '_, '_> {
    pub(super) fn transpose(&mut self) {
        let Some(permutation) = control::permutation(self.operation) else { return };
        if self.wants(0) {
            let mut inverse = vec![0; permutation.len()];
            permutation.iter().enumerate().for_each(|(to, from)| inverse[*from] = to);
            let value = self.code.transpose(self.full(), &inverse);
            self.put(0, value);
        }
    }

    pub(super) fn reshape(&mut self) {
        if self.wants(0) {
            let to = shape(self.operand(0));
            let value = match to.0.is_empty() {
                true => self.code.sum(self.full()),
                false => self.code.reshape(self.full(), &to),
            };
            self.put(0, value);
        }
    }

    /// The elements of a list are its parts.
    pub(super) fn elements(&mut self) {
        let Some(dims) = control::list_dims(self.operation) else { return };
        let full = self.full();
        for place in 0..self.operation.operand_count() {
            if !self.wants(place) {
                continue;
            }
            let (mut rest, mut subscripts) = (place as u64, Vec::new());
            for size in dims.0.iter().rev() {
                subscripts.insert(0, Subscript::Nth((rest % size) as i64));
                rest /= size;
            }
            let value = self.code.read(full, &subscripts, &[]);
            self.put(place, value);
        }
    }

    pub(super) fn join(&mut self) {
        let rank = shape(self.result()).0.len();
        let Evaluated::Number(axis) = evaluate(self.operand(0)) else { return };
        let Some(axis) = axis_of(axis, rank) else { return };
        self.joined(axis, 1);
    }

    /// The operands from one on are one after the other along an axis.
    pub(super) fn joined(&mut self, axis: usize, first: usize) {
        let (full, mut from) = (self.full(), 0);
        for place in first..self.operation.operand_count() {
            let to = from + shape(self.operand(place)).0[axis] as i64;
            if self.wants(place) {
                let subscripts = along(&shape(self.result()), axis, Subscript::Slice(from, to, 1));
                let value = self.code.read(full, &subscripts, &[]);
                self.put(place, value);
            }
            from = to;
        }
    }

    /// Adds to a part of the cotangent, in place.
    pub(super) fn read(&mut self) {
        let Some(subscripts) = control::subscripts(self.operation).filter(|_| self.wants(0)) else {
            return;
        };
        let (code, operand) = (self.code, self.operand(0));
        let (indices, part) = (control::indices(self.operation), self.full());
        let value = match self.cotangents.full(code, operand) {
            Some(whole) => {
                let before = code.read(whole, &subscripts, &indices);
                code.update(code.add(before, part), whole, &subscripts, &indices)
            }
            None => code.update(part, code.zeros(operand.r#type()), &subscripts, &indices),
        };
        let is_hidden = self.cotangent.is_hidden || self.cotangents.is_hidden(operand);
        self.cotangents.set(operand, Cotangent { value, is_hidden });
    }

    pub(super) fn update(&mut self) {
        let Some(subscripts) = control::subscripts(self.operation) else { return };
        let (code, full) = (self.code, self.full());
        let indices = control::indices(self.operation);
        if self.wants(0) {
            let part = code.read(full, &subscripts, &indices);
            // More dimensions than the part's are of size 1.
            let (whole, given) = (shape(part), shape(self.operand(0)));
            let more = given.0.len().saturating_sub(whole.0.len());
            let own = Shape(given.0[more..].to_vec());
            let value = code.reshape(unstretched(code, part, &whole, &own), &given);
            self.put(0, value);
        }
        if self.wants(1) {
            let value = code.update(code.number(0.0, full), full, &subscripts, &indices);
            self.put(1, value);
        }
    }

    pub(super) fn structure(&mut self) {
        let Some(fields) = self.code.fields(self.cotangent.value) else { return };
        for (place, field) in fields.into_iter().enumerate() {
            if self.wants(place) {
                self.put(place, field);
            }
        }
    }

    /// Adds to a field of the cotangent.
    pub(super) fn field(&mut self) {
        let Some(index) = ops::field_index(&self.operation).filter(|_| self.wants(0)) else {
            return;
        };
        let (code, operand) = (self.code, self.operand(0));
        let zeros = |it: &Self| it.code.zeros(operand.r#type());
        let before = self.cotangents.full(code, operand);
        let whole = before.unwrap_or_else(|| zeros(self));
        let Some(mut fields) = code.fields(whole) else { return };
        let full = self.full();
        fields[index] = match before {
            Some(_) => sum(code, fields[index], full),
            None => full,
        };
        let is_hidden = self.cotangent.is_hidden || self.cotangents.is_hidden(operand);
        let value = code.structure(&fields);
        self.cotangents.set(operand, Cotangent { value, is_hidden });
    }

    /// The operand, or if the cotangent is hidden, its finite elements: 0 times the others is 0.
    fn finite(&self, operand: Value<'c, 'a>) -> Value<'c, 'a> {
        let code = self.code;
        if !self.cotangent.is_hidden {
            return operand;
        }
        let size = code.math(Function::Abs, operand);
        let is_finite = code.compare(Predicate::Lt, size, code.number(f64::INFINITY, operand));
        code.select(is_finite, operand, code.number(0.0, operand))
    }

    pub(super) fn product(&mut self) {
        let (code, g) = (self.code, self.full());
        let [x, y] = [0, 1].map(|place| self.finite(self.operand(place)));
        let (ranks, matrix) = ([x, y].map(|it| shape(it).0.len()), |it| code.matrix_transpose(it));
        let [by_x, by_y]: [&dyn Fn() -> Value<'c, 'a>; 2] = match ranks {
            [1, 1] => [&|| code.mul(g, y), &|| code.mul(g, x)],
            [2, 1] => [&|| code.mul(column(self, g), y), &|| code.product(g, x)],
            [1, 2] => [&|| code.product(y, g), &|| code.mul(column(self, x), g)],
            _ => [&|| code.product(g, matrix(y)), &|| code.product(matrix(x), g)],
        };
        let wanted = [self.wants(0), self.wants(1)];
        let found = [wanted[0].then(by_x), wanted[1].then(by_y)];
        for (place, value) in found.into_iter().enumerate() {
            if let Some(value) = value {
                // Batches are stretched.
                let operand = shape(self.operand(place));
                let value = unstretched(code, value, &shape(value), &operand);
                self.put(place, value);
            }
        }
    }
}

fn column<'c, 'a>(step: &Step<'c, 'a, '_, '_>, list: Value<'c, 'a>) -> Value<'c, 'a> {
    step.code.reshape(list, &Shape(vec![shape(list).0[0], 1]))
}

/// The subscripts that take everything but along an axis.
pub fn along(shape: &Shape, axis: usize, subscript: Subscript) -> Vec<Subscript> {
    let whole = |size: &u64| Subscript::Slice(0, *size as i64, 1);
    let before = shape.0[..axis].iter().map(whole);
    before.chain([subscript]).collect()
}
