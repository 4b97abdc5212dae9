//! Operations without transpositions: one loop over all elements, whatever the shape.
//!
//! ```text
//!   0        16       32                             N
//!   ├────────┼────────┼────────┼── … ──┼────┼──┼┼
//!   2 vectors per iteration             8    4  1   then the rest, without a loop
//! ```
//!
//! All operands of an iteration are read before any element is written: the result may be one of them.
//!
//! Results larger than the caches are written with non-temporal stores, unless they are also operands:
//! their lines are not read first, and evict no others.

use super::Options;
use super::body::Body;
use super::builder::NestBuilder;
use super::nest::{Nest, Operand};
use melior::ir::Value;
use mlir_support::ir;

pub fn build<'c, 'a>(
    builder: NestBuilder<'_, 'c, 'a>,
    nest: &Nest<'c, 'a>,
    is_past_caches: bool,
    options: &Options,
) {
    let flat = Flat { nest, body: Body::new(builder, nest), vector: options.vector(nest) };
    builder.collapse_all(nest.tensors().chain([&nest.output]));
    let count = nest.sizes[0];
    let step = (flat.vector * options.unroll).min(count.next_power_of_two());
    let elements = options.parallel.then_some(count);
    if is_past_caches {
        return flat.past_caches(builder, step, elements);
    }
    let whole = count / step * step;
    if whole > step {
        let range = [builder.index(0), builder.index(whole), builder.index(step)];
        let builder = builder.parallel(elements);
        builder.each(range, |builder, at| flat.iteration(builder, at, step));
    } else if whole > 0 {
        flat.iteration(builder, builder.index(0), step);
    }
    if count > whole {
        flat.iteration(builder, builder.index(whole), count - whole);
    }
}

struct Flat<'n, 'c, 'a> {
    nest: &'n Nest<'c, 'a>,
    body: Body<'c, 'a>,
    vector: u64,
}

impl<'c, 'a> Flat<'_, 'c, 'a> {
    /// Elements from an index on.
    fn iteration(&self, builder: NestBuilder<'_, 'c, 'a>, at: Value<'c, 'a>, count: u64) {
        let mut results = Vec::new();
        let mut offset = 0;
        for length in split(count, self.vector) {
            let index = builder.plus(at, offset);
            let read = |it: &Operand<'c, 'a>| builder.read(it, &[index], length);
            let given = self.nest.tensors().map(|it| (ir::id(it.argument), read(it))).collect();
            let value = self.body.compute(builder, self.body.result, &given, length);
            results.push((index, value, length));
            offset += length;
        }
        for (index, value, length) in results {
            builder.write(value, &self.nest.output, &[index], length);
        }
    }

    /// Non-temporal stores are aligned: single elements come before and after them.
    fn past_caches(&self, builder: NestBuilder<'_, 'c, 'a>, step: u64, elements: Option<u64>) {
        let Nest { element_bytes, ref output, ref sizes, .. } = *self.nest;
        let alignment = self.vector * element_bytes;
        let from = builder.misalignment(builder.collapse(output), alignment, element_bytes);
        let [zero, one, end] = [0, 1, sizes[0]].map(|value| builder.index(value));
        let left = builder.difference(end, from);
        let left = builder.on_indices("arith.remui", left, builder.index(step));
        let to = builder.difference(end, left);
        builder.each([zero, from, one], |builder, at| self.iteration(builder, at, 1));
        let range = [from, to, builder.index(step)];
        builder.parallel(elements).each(range, |builder, at| {
            self.iteration(builder.past_caches(Some(alignment)), at, step);
        });
        builder.each([to, end, one], |builder, at| self.iteration(builder, at, 1));
    }
}

/// A number as a sum of vectors' lengths: the largest ones first.
fn split(mut count: u64, vector: u64) -> Vec<u64> {
    let mut lengths = Vec::new();
    let mut length = vector;
    while count > 0 {
        while length > count {
            length /= 2;
        }
        lengths.push(length);
        count -= length;
    }
    lengths
}
