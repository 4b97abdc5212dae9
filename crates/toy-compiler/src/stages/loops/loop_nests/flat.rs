//! Operations without transpositions: one loop over all elements, whatever the shape. If some operands lack dimensions
//! of the result, there is such a loop for each row: an element that is the same in all of it is read once.
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
    let j = nest.sizes.len() - 1;
    let (along, held) = nest.tensors().partition(|operand| operand.dimensions.contains(&j));
    let vector = options.vector(nest);
    let flat = Flat { nest, body: Body::new(builder, nest), along, held, vector, j };
    builder.collapse_all(nest.tensors().chain([&nest.output]));
    let count = nest.sizes[j];
    let step = (flat.vector * options.unroll).min(count.next_power_of_two());
    let elements = options.parallel_work(nest);
    // All rows begin as the first one does, or the stores of some would not be aligned.
    let is_past_caches = is_past_caches && (j == 0 || count.is_multiple_of(flat.vector));
    let from = is_past_caches.then(|| {
        let (buffer, bytes) = (builder.collapse(&nest.output), nest.element_bytes);
        builder.misalignment(buffer, flat.vector * bytes, bytes)
    });
    let outer: Vec<usize> = (0..j).collect();
    let start = vec![builder.index(0); nest.sizes.len()];
    builder.parallel(elements).nested(&outer, &nest.sizes, start, &mut |builder, indices| {
        let held = flat.held.iter().map(|it| (ir::id(it.argument), builder.read(it, indices, 1)));
        let row = Row { indices: indices.to_vec(), held: held.collect() };
        match from {
            Some(from) => flat.past_caches(builder, &row, from, step),
            None => flat.row(builder, &row, step),
        }
    });
}

struct Flat<'n, 'c, 'a> {
    nest: &'n Nest<'c, 'a>,
    body: Body<'c, 'a>,
    /// The operands with elements along a row of the result, and those with one for all of it.
    along: Vec<&'n Operand<'c, 'a>>,
    held: Vec<&'n Operand<'c, 'a>>,
    vector: u64,
    /// The dimension of the rows.
    j: usize,
}

/// A row of the result; all of it, if the result and the operands are in one order.
struct Row<'c, 'a> {
    indices: Vec<Value<'c, 'a>>,
    /// The elements that are the same in all of the row, by the address of the body's argument.
    held: Vec<(usize, Value<'c, 'a>)>,
}

impl<'c, 'a> Flat<'_, 'c, 'a> {
    fn row(&self, builder: NestBuilder<'_, 'c, 'a>, row: &Row<'c, 'a>, step: u64) {
        let count = self.nest.sizes[self.j];
        let whole = count / step * step;
        if whole > step {
            let range = [builder.index(0), builder.index(whole), builder.index(step)];
            builder.each(range, |builder, at| self.iteration(builder, row, at, step));
        } else if whole > 0 {
            self.iteration(builder, row, builder.index(0), step);
        }
        if count > whole {
            self.iteration(builder, row, builder.index(whole), count - whole);
        }
    }

    /// Elements from an index on.
    fn iteration(
        &self,
        builder: NestBuilder<'_, 'c, 'a>,
        row: &Row<'c, 'a>,
        at: Value<'c, 'a>,
        count: u64,
    ) {
        let mut results = Vec::new();
        let mut offset = 0;
        let mut indices = row.indices.clone();
        for length in split(count, self.vector) {
            indices[self.j] = builder.plus(at, offset);
            let read = |it: &Operand<'c, 'a>| builder.read(it, &indices, length);
            let along = self.along.iter().map(|it| (ir::id(it.argument), read(it)));
            let held = row.held.iter().map(|(id, number)| (*id, builder.splat(*number, length)));
            let given = along.chain(held).collect();
            let value = self.body.compute(builder, self.body.result, &given, length);
            results.push((indices.clone(), value, length));
            offset += length;
        }
        for (indices, value, length) in results {
            builder.write(value, &self.nest.output, &indices, length);
        }
    }

    /// Non-temporal stores are aligned: single elements come before and after them.
    fn past_caches(
        &self,
        builder: NestBuilder<'_, 'c, 'a>,
        row: &Row<'c, 'a>,
        from: Value<'c, 'a>,
        step: u64,
    ) {
        let (ordered, alignment) = (builder.parallel(None), self.vector * self.nest.element_bytes);
        let [zero, one, end] = [0, 1, self.nest.sizes[self.j]].map(|value| builder.index(value));
        let left = builder.difference(end, from);
        let left = builder.on_indices("arith.remui", left, builder.index(step));
        let to = builder.difference(end, left);
        ordered.each([zero, from, one], |builder, at| self.iteration(builder, row, at, 1));
        let range = [from, to, builder.index(step)];
        builder.each(range, |builder, at| {
            self.iteration(builder.past_caches(Some(alignment)), row, at, step);
        });
        ordered.each([to, end, one], |builder, at| self.iteration(builder, row, at, 1));
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
