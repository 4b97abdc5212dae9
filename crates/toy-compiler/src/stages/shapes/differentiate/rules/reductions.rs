//! The rules of reductions: of all elements, or along an axis.
//!
//! | reduction | contribution, with g the cotangent of the result r | where several are possible |
//! |---|---|---|
//! | `sum` | g, to each | |
//! | `mean` | g, divided by their number, to each | |
//! | `max`, `min` | g | to the first of equals |
//! | `prod` | g times the product of the others | |
//! | `cumsum` | the sums of g from each element to the end | |
//! | `sort` | g from the place that the element gets | equals keep their order |
//! | `argmax`, `argmin` | none | |

use super::tensors::along;
use super::{Step, convert};
use crate::dialect::control::{self, IndexUse, Predicate, Reduction, Subscript};
use crate::dialect::ops::{Kind, ToyBuilder};
use crate::dialect::shape::{Shape, element_of};
use crate::stages::shapes::differentiate::code::{Code, shape, tensor};
use crate::stages::shapes::differentiate::cotangents::stretched_to;
use melior::ir::Value;
use melior::ir::ValueLike;

impl<'c, 'a> Step<'c, 'a, '_, '_> {
    pub(super) fn reduction(&mut self) {
        let Some(kind) = control::reduction(self.operation).filter(|_| self.wants(0)) else {
            return;
        };
        let (code, x) = (self.code, self.operand(0));
        let axis = control::axis(self.operation);
        let value = match kind {
            Reduction::Sum => self.kept(self.cotangent.value, axis),
            Reduction::Mean => {
                let dims = shape(x).0;
                let count = match axis {
                    Some(axis) => dims[axis],
                    None => dims.iter().product(),
                };
                let g = self.kept(self.cotangent.value, axis);
                code.div(g, code.number(count as f64, g))
            }
            Reduction::Max | Reduction::Min => return self.extreme(kind, axis),
            Reduction::Prod => return self.product_of_all(axis),
            Reduction::CumSum => self.cumulative(axis),
            Reduction::Sort => sorted(code, x, self.full(), axis.unwrap_or(0)),
            Reduction::ArgMax | Reduction::ArgMin => return,
        };
        self.put(0, value);
    }

    /// A value in the shape of the result, with what is reduced as dimensions of size 1: it stretches to the operand.
    fn kept(&self, value: Value<'c, 'a>, axis: Option<usize>) -> Value<'c, 'a> {
        let code = self.code;
        if shape(value).0.is_empty() {
            return value;
        }
        let mut dims = shape(self.operand(0)).0;
        match axis {
            Some(axis) => dims[axis] = 1,
            // Without an axis, the reduction has one element, whatever it keeps.
            None => dims.fill(1),
        }
        code.reshape(stretched_to(code, value, &shape(self.result())), &Shape(dims))
    }

    /// To the first of the extreme elements: at its place, which is known only when the program runs.
    fn extreme(&mut self, kind: Reduction, axis: Option<usize>) {
        let (code, x) = (self.code, self.operand(0));
        let place = if kind == Reduction::Max { Reduction::ArgMax } else { Reduction::ArgMin };
        let Some(axis) = axis else {
            let count = shape(x).element_count().unwrap_or(1);
            let place = code.reduce(place, x, None, false);
            let what = ("what", code.builder.text(IndexUse::Index.name()));
            let place = code.builder.toy(Kind::ToIndex, &[place], &[what]);
            let g = code.sum(self.cotangent.value);
            let flat = code.reshape(code.number(0.0, x), &Shape(vec![count]));
            let flat = code.update(g, flat, &[Subscript::At], &[place]);
            let value = code.reshape(flat, &shape(x));
            return self.put(0, value);
        };
        let place = code.reduce(place, x, Some(axis), true);
        let mut places = [code.places(x, axis), place];
        // Comparing numbers of the operand's size, a vector of it has its own mask.
        if (shape(x).0[axis] as f64) < element_of(x.r#type()).exact() {
            places = places.map(|it| convert(code, it, x));
        }
        let is_first = code.compare(Predicate::Eq, places[0], places[1]);
        let g = self.kept(self.cotangent.value, Some(axis));
        let value = code.select(is_first, g, code.number(0.0, x));
        self.put(0, value);
    }

    /// The product of the elements before, times that of the elements after: of all others, also if some are 0.
    fn product_of_all(&mut self, axis: Option<usize>) {
        let (code, x) = (self.code, self.operand(0));
        let (dims, kept) = (shape(x), self.kept(self.cotangent.value, axis));
        let (x, axis) = match axis {
            Some(axis) => (x, axis),
            None => (code.reshape(x, &Shape(vec![dims.element_count().unwrap_or(1)])), 0),
        };
        let size = shape(x).0[axis];
        let part = along(&shape(x), axis, Subscript::Sized(1));
        let [zero, one, end, last] =
            [0, 1, size, size - 1].map(|number| code.builder.index(number));
        let mut line = shape(x);
        line.0[axis] = 1;
        let ones = code.reshape(code.number(1.0, x), &line);
        let products = |others: Option<Value<'c, 'a>>| {
            let carried = [ones, code.zeros(x.r#type())];
            let loops =
                code.builder.for_each([zero, end, one], &carried, &[], |builder, at, carried| {
                    let code = Code { builder, ..code };
                    let at = match others {
                        Some(_) => builder.computed("arith.subi", &[last, at]),
                        None => at,
                    };
                    let read = |of| code.read(of, &part, &[at]);
                    let found =
                        others.map_or(carried[0], |others| code.mul(read(others), carried[0]));
                    let next = code.mul(carried[0], read(x));
                    vec![next, code.update(found, carried[1], &part, &[at])]
                });
            loops[1]
        };
        let others = code.reshape(products(Some(products(None))), &dims);
        self.put(0, self.cotangent.with(kept).times(code, others).value);
    }

    /// Sums from the other end: of the elements in reverse order, and in reverse order again.
    fn cumulative(&mut self, axis: Option<usize>) -> Value<'c, 'a> {
        let (code, g) = (self.code, self.full());
        let along_axis = axis.unwrap_or(0);
        let size = shape(g).0[along_axis] as i64;
        let reversed = |x| {
            let subscripts = along(&shape(x), along_axis, Subscript::Slice(size - 1, -1, -1));
            if size == 1 { x } else { code.read(x, &subscripts, &[]) }
        };
        let sums = reversed(code.reduce(Reduction::CumSum, reversed(g), Some(along_axis), false));
        code.reshape(sums, &shape(self.operand(0)))
    }
}

/// For each element in turn, the number of those that come before it is its place, where its cotangent is.
fn sorted<'c, 'a>(
    code: Code<'c, 'a, '_>,
    x: Value<'c, 'a>,
    g: Value<'c, 'a>,
    axis: usize,
) -> Value<'c, 'a> {
    let size = shape(x).0[axis];
    let places = code.places(x, axis);
    let [zero, one, end] = [0, 1, size].map(|number| code.builder.index(number));
    let results = code.builder.for_each(
        [zero, end, one],
        &[code.zeros(x.r#type())],
        &[],
        |builder, at, carried| {
            let code = Code { builder, ..code };
            let part = along(&shape(x), axis, Subscript::Sized(1));
            let element = code.read(x, &part, &[at]);
            let less = code.compare(Predicate::Lt, x, element);
            let equal = code.compare(Predicate::Eq, x, element);
            let own = builder.toy(Kind::FromIndex, &[at], &[]);
            let earlier = code.compare(Predicate::Lt, places, own);
            let before = code.add(less, code.mul(equal, convert(code, earlier, x)));
            let place = code.reduce(Reduction::Sum, before, Some(axis), true);
            let is_place = code.compare(Predicate::Eq, places, convert(code, place, places));
            let found = code.select(is_place, g, code.number(0.0, g));
            let found = code.reduce(Reduction::Sum, found, Some(axis), true);
            vec![code.update(found, carried[0], &part, &[at])]
        },
    );
    debug_assert_eq!(tensor(results[0]), tensor(x));
    results[0]
}
