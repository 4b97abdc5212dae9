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
use super::builder::Builder;
use super::nest::Nest;
use melior::ir::Value;
use mlir_support::ir;
use std::collections::HashMap;

pub fn build<'c, 'a>(
    builder: Builder<'_, 'c, 'a>,
    nest: &Nest<'c, 'a>,
    is_past_caches: bool,
    options: &Options,
) {
    let flat = Flat {
        body: Body::new(builder, nest),
        buffers: Buffers::of(builder, nest),
        vector: options.vector(nest),
    };
    let count = nest.sizes[0];
    let step = (flat.vector * options.unroll).min(count.next_power_of_two());
    let elements = options.parallel.then_some(count);
    if is_past_caches {
        return flat.past_caches(builder, nest, step, elements);
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

struct Flat<'c, 'a> {
    body: Body<'c, 'a>,
    buffers: Buffers<'c, 'a>,
    vector: u64,
}

impl<'c, 'a> Flat<'c, 'a> {
    /// Elements from an index on.
    fn iteration(&self, builder: Builder<'_, 'c, 'a>, at: Value<'c, 'a>, count: u64) {
        let mut results = Vec::new();
        let mut offset = 0;
        for length in split(count, self.vector) {
            let index = builder.plus(at, offset);
            let given = self.buffers.load(builder, index, length);
            let value = self.body.compute(builder, self.body.result, &given, length);
            results.push((index, value, length));
            offset += length;
        }
        for (index, value, length) in results {
            builder.store(value, self.buffers.output, &[index], length);
        }
    }

    /// Non-temporal stores are aligned: single elements come before and after them.
    fn past_caches(
        &self,
        builder: Builder<'_, 'c, 'a>,
        nest: &Nest<'c, 'a>,
        step: u64,
        elements: Option<u64>,
    ) {
        let alignment = self.vector * nest.element_bytes;
        let from = builder.misalignment(self.buffers.output, alignment, nest.element_bytes);
        let [zero, one, end] = [0, 1, nest.sizes[0]].map(|value| builder.index(value));
        let left = builder.on_indices("arith.subi", end, from);
        let left = builder.on_indices("arith.remui", left, builder.index(step));
        let to = builder.on_indices("arith.subi", end, left);
        builder.each([zero, from, one], |builder, at| self.iteration(builder, at, 1));
        let range = [from, to, builder.index(step)];
        builder.parallel(elements).each(range, |builder, at| {
            self.iteration(builder.past_caches(alignment), at, step);
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

struct Buffers<'c, 'a> {
    inputs: Vec<(usize, Value<'c, 'a>)>,
    output: Value<'c, 'a>,
}

impl<'c, 'a> Buffers<'c, 'a> {
    fn of(builder: Builder<'_, 'c, 'a>, nest: &Nest<'c, 'a>) -> Self {
        let tensors = nest.inputs.iter().filter(|operand| !operand.is_scalar());
        let inputs =
            tensors.map(|operand| (ir::id(operand.argument), builder.collapse(operand))).collect();
        Self { inputs, output: builder.collapse(&nest.output) }
    }

    fn load(
        &self,
        builder: Builder<'_, 'c, 'a>,
        index: Value<'c, 'a>,
        length: u64,
    ) -> HashMap<usize, Value<'c, 'a>> {
        let load = |buffer| builder.load(buffer, &[index], length);
        self.inputs.iter().map(|(argument, buffer)| (*argument, load(*buffer))).collect()
    }
}
