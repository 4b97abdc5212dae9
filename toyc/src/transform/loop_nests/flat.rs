//! Operations without transpositions: one loop over all elements, whatever the shape.
//!
//! ```text
//!   0        16       32                             N
//!   ├────────┼────────┼────────┼── … ──┼────┼──┼┼
//!   2 vectors per iteration             8    4  1   then the rest, without a loop
//! ```
//!
//! All operands of an iteration are read before any element is written: the result may be one of them.

use super::Options;
use super::body::{Body, id};
use super::builder::Builder;
use super::nest::Nest;
use melior::ir::Value;
use std::collections::HashMap;

pub fn build<'c, 'a>(builder: Builder<'_, 'c, 'a>, nest: &Nest<'c, 'a>, options: &Options) {
    let body = Body::new(builder, nest);
    let buffers = Buffers::of(builder, nest);
    let vector = options.vector(nest);
    let count = nest.sizes[0];
    let step = (vector * options.unroll).min(count.next_power_of_two());
    let whole = count / step * step;
    let iteration = |builder: Builder<'_, 'c, 'a>, at: Value<'c, 'a>, lengths: &[u64]| {
        let mut results = Vec::new();
        let mut offset = 0;
        for length in lengths {
            let index = builder.plus(at, offset);
            let given = buffers.load(builder, index, *length);
            results.push((index, body.compute(builder, body.result, &given, *length), *length));
            offset += length;
        }
        for (index, value, length) in results {
            builder.store(value, buffers.output, &[index], length);
        }
    };
    if whole > step {
        let lengths = split(step, vector);
        let range = [builder.index(0), builder.index(whole), builder.index(step)];
        builder.each(range, |builder, at| iteration(builder, at, &lengths));
    } else if whole > 0 {
        iteration(builder, builder.index(0), &split(whole, vector));
    }
    if count > whole {
        iteration(builder, builder.index(whole), &split(count - whole, vector));
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
            tensors.map(|operand| (id(operand.argument), builder.collapse(operand))).collect();
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
