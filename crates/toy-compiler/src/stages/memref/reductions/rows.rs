//! The loops of a reduction: over the rows of its result, and over the elements of a few rows at a time.
//!
//! Several rows are reduced together, because the partial results of one row wait for each other.
//!
//! If the reduced dimensions are not one, lane `l` of the partial results belongs to element `l` of the innermost row at
//! hand: after a row of 13 elements, they turn by 5 places, and in the end they turn back.

use super::body::compute;
use super::partial_results::{self, LANES};
use super::{PARALLEL, Reduction};
use melior::ir::attribute::Attribute;
use melior::ir::{Type, Value, ValueLike};
use mlir_support::builder::{Builder, tensor_type};
use mlir_support::ir;
use std::collections::HashMap;

/// The number of neighboring rows that are reduced together.
const ROWS: u64 = 4;

/// A matrix with at least this many elements is divided into parts, and one row of each is reduced together: 4 parts
/// if it does not fit into any cache, 2 if it does not fit into the cache of one core.
const PARTS: [(u64, u64); 2] = [(1 << 21, 4), (1 << 18, 2)];

/// The result of a reduction: a number if no dimension is kept.
pub enum Reduced<'c, 'a> {
    Number(Value<'c, 'a>),
    Tensor(Value<'c, 'a>),
}

/// Builds the loops; those over rows say that they are independent if `parallel`.
pub fn reduce<'c, 'a>(
    code: Builder<'c, 'a>,
    reduction: &Reduction<'c, 'a>,
    parallel: bool,
) -> Reduced<'c, 'a> {
    let loops = Loops { reduction, parallel };
    if reduction.kept == 0 {
        return Reduced::Number(loops.together(code, &[vec![]])[0]);
    }
    let empty = code.empty(tensor_type(reduction.number, &reduction.sizes[..reduction.kept]));
    Reduced::Tensor(loops.outer(code, vec![], empty))
}

struct Loops<'r, 'c, 'a> {
    reduction: &'r Reduction<'c, 'a>,
    parallel: bool,
}

impl<'c, 'a> Loops<'_, 'c, 'a> {
    /// Loops over the dimensions of the result, and returns the result; `row` has the indices so far.
    fn outer(
        &self,
        code: Builder<'c, 'a>,
        row: Vec<Value<'c, 'a>>,
        results: Value<'c, 'a>,
    ) -> Value<'c, 'a> {
        let size = self.reduction.sizes[row.len()];
        if row.len() + 1 == self.reduction.kept {
            return self.rows(code, &row, results);
        }
        let range = [0, size, 1].map(|it| code.index(it));
        let attributes = self.reduction.attributes(code, row.len());
        code.for_each(range, &[results], &attributes, |code, index, results| {
            vec![self.outer(code, [row.as_slice(), &[index]].concat(), results[0])]
        })[0]
    }

    /// Loops over the last dimension of the result.
    fn rows(
        &self,
        code: Builder<'c, 'a>,
        outer: &[Value<'c, 'a>],
        results: Value<'c, 'a>,
    ) -> Value<'c, 'a> {
        let Together { offsets, part, step } = Together::of(self.reduction);
        let range = [0, part, step].map(|it| code.index(it));
        // Each row once: two threads do not write one result.
        let is_once = part * offsets.len() as u64 / step == self.reduction.sizes[outer.len()]
            && part.is_multiple_of(step);
        let mut attributes = self.reduction.attributes(code, outer.len());
        if self.parallel && is_once {
            let elements = self.reduction.sizes[outer.len()..].iter().product::<u64>();
            attributes.push((PARALLEL, code.number(elements.cast_signed())));
        }
        code.for_each(range, &[results], &attributes, |code, first, results| {
            // The last ones once more, if fewer are left.
            let first = match part % step {
                0 => first,
                _ => code.computed("arith.minui", &[first, code.index(part - step)]),
            };
            let row = |offset: &u64| [outer, &[code.plus(first, *offset)]].concat();
            let rows: Vec<_> = offsets.iter().map(row).collect();
            let numbers = self.together(code, &rows);
            let insert = |results: Value<'c, 'a>, (number, row): (Value<'c, 'a>, &Vec<_>)| {
                let operands = [&[number, results], row.as_slice()].concat();
                code.value("tensor.insert", &operands, results.r#type(), &[])
            };
            vec![numbers.into_iter().zip(&rows).fold(results[0], insert)]
        })[0]
    }

    /// The results of some rows, given their indices.
    fn together(&self, code: Builder<'c, 'a>, rows: &[Vec<Value<'c, 'a>>]) -> Vec<Value<'c, 'a>> {
        let reduction = self.reduction;
        let start = partial_results::start(reduction.combined).expect("recognized");
        let start = code.float(reduction.number, start);
        let step = partial_results::step(reduction.combined);
        let count = reduction.sizes[reduction.last()];
        if reduction.kept == reduction.last() && count < LANES {
            return rows
                .iter()
                .map(|row| self.short_row(code, row, (start, count), step))
                .collect();
        }
        let none = code.vector_of(&[start; LANES as usize]);
        let partial = self.reduced(code, rows, &vec![none; rows.len()]);
        partial_results::in_order(code, step, &partial)
    }

    /// The result of a row in which each element has a partial result of its own.
    fn short_row(
        &self,
        code: Builder<'c, 'a>,
        row: &[Value<'c, 'a>],
        (start, count): (Value<'c, 'a>, u64),
        step: &str,
    ) -> Value<'c, 'a> {
        let partial = |at| match at < count {
            true => self.next(code, row, &Lanes::one(code.index(at)), start),
            false => start,
        };
        (1..LANES).fold(partial(0), |so_far, at| code.computed(step, &[so_far, partial(at)]))
    }

    /// Reduces the dimensions from the next one on, given the indices before it and the partial results of each row.
    fn reduced(
        &self,
        code: Builder<'c, 'a>,
        rows: &[Vec<Value<'c, 'a>>],
        partial: &[Value<'c, 'a>],
    ) -> Vec<Value<'c, 'a>> {
        let (sizes, dim) = (&self.reduction.sizes, rows[0].len());
        if dim == self.reduction.last() {
            return self.innermost(code, rows, partial);
        }
        let inner: u64 = sizes[dim + 1..].iter().map(|size| size % LANES).product();
        let turned = |code: Builder<'c, 'a>, partial: Vec<Value<'c, 'a>>, by: u64| {
            partial.into_iter().map(|it| turned(code, it, by % LANES)).collect::<Vec<_>>()
        };
        let range = [0, sizes[dim], 1].map(|it| code.index(it));
        let attributes = self.reduction.attributes(code, dim);
        let partial = code.for_each(range, partial, &attributes, |code, index, partial| {
            let rows: Vec<_> = rows.iter().map(|row| [row, [index].as_slice()].concat()).collect();
            turned(code, self.reduced(code, &rows, partial), inner)
        });
        turned(code, partial, LANES - inner * (sizes[dim] % LANES) % LANES)
    }

    /// Reduces the innermost dimension.
    fn innermost(
        &self,
        code: Builder<'c, 'a>,
        rows: &[Vec<Value<'c, 'a>>],
        partial: &[Value<'c, 'a>],
    ) -> Vec<Value<'c, 'a>> {
        let count = self.reduction.sizes[self.reduction.last()];
        let (whole, rest) = (count / LANES * LANES, count % LANES);
        let next = |code, lanes: &Lanes<'c, 'a>, partial: &[Value<'c, 'a>]| {
            let of_row = |(row, partial): (&Vec<Value<'c, 'a>>, &Value<'c, 'a>)| {
                self.next(code, row, lanes, *partial)
            };
            rows.iter().zip(partial).map(of_row).collect::<Vec<_>>()
        };
        let mut partial = partial.to_vec();
        if whole > 0 {
            let range = [0, whole, LANES].map(|it| code.index(it));
            let attributes = self.reduction.attributes(code, rows[0].len());
            partial = code.for_each(range, &partial, &attributes, |code, first, partial| {
                next(code, &Lanes::from(code, first), partial)
            });
        }
        if rest > 0 {
            let lanes = Lanes::rest(code, whole, rest);
            let is_rest: Vec<_> = (0..LANES).map(|lane| (lane < rest).to_string()).collect();
            let is_rest = format!("dense<[{}]> : vector<{LANES}xi1>", is_rest.join(", "));
            let is_rest = Attribute::parse(code.context, &is_rest).expect("a list of truths");
            let is_rest = code.constant(Type::vector(&[LANES], code.truth_type()), is_rest);
            let after = next(code, &lanes, &partial);
            let select = |(after, before)| code.computed("arith.select", &[is_rest, after, before]);
            partial = after.into_iter().zip(partial).map(select).collect();
        }
        partial
    }

    /// The next partial results of a row.
    fn next(
        &self,
        code: Builder<'c, 'a>,
        row: &[Value<'c, 'a>],
        lanes: &Lanes<'c, 'a>,
        partial: Value<'c, 'a>,
    ) -> Value<'c, 'a> {
        let (reduction, last) = (self.reduction, self.reduction.last());
        let length = lanes.indices.len() as u64;
        let mut known = HashMap::from([(ir::id(reduction.so_far), partial)]);
        for input in reduction.inputs.iter().filter(|input| ir::has_uses(input.element)) {
            let element = |at: Value<'c, 'a>| {
                let index = |dim: &usize| if *dim == last { at } else { row[*dim] };
                let indices: Vec<_> = input.dimensions.iter().map(index).collect();
                code.extract(input.tensor, &indices)
            };
            let vector = match input.dimensions.contains(&last) {
                _ if length == 1 => element(lanes.indices[0]),
                false => code.splat(element(lanes.indices[0]), length),
                // The neighbors in a row become one vector, which LLVM reads at once.
                true => {
                    let elements: Vec<_> = lanes.indices.iter().map(|at| element(*at)).collect();
                    turned(code, code.vector_of(&elements), lanes.turn)
                }
            };
            known.insert(ir::id(input.element), vector);
        }
        let index = |dim: usize| match reduction.places[dim] {
            place if place == last => lanes.numbers(code),
            place => code.splat(row[place], length),
        };
        compute(code, (reduction.body, reduction.combined), known, length, index)
    }
}

/// A vector whose lane `l` is lane `(l + by) mod 8` of another one.
fn turned<'c, 'a>(code: Builder<'c, 'a>, vector: Value<'c, 'a>, by: u64) -> Value<'c, 'a> {
    if by == 0 {
        return vector;
    }
    let lanes: Vec<_> = (0..LANES).map(|lane| ((lane + by) % LANES).cast_signed()).collect();
    code.shuffle([vector, vector], &lanes)
}

/// The elements of a row that are combined at once.
struct Lanes<'c, 'a> {
    /// The index of the first one.
    first: Value<'c, 'a>,
    /// The index of the element for each lane, turned back.
    indices: Vec<Value<'c, 'a>>,
    turn: u64,
}

impl<'c, 'a> Lanes<'c, 'a> {
    fn one(at: Value<'c, 'a>) -> Self {
        Self { first: at, indices: vec![at], turn: 0 }
    }

    fn from(code: Builder<'c, 'a>, first: Value<'c, 'a>) -> Self {
        let indices = (0..LANES).map(|lane| code.plus(first, lane)).collect();
        Self { first, indices, turn: 0 }
    }

    /// The last elements of a row, fewer than there are lanes: the other lanes have elements before them, or the first.
    fn rest(code: Builder<'c, 'a>, whole: u64, rest: u64) -> Self {
        let first = code.index(whole);
        let window = |lane| code.index(whole + rest + lane - LANES);
        let short = |lane| code.index(if lane < rest { lane } else { 0 });
        match whole {
            0 => Self { first, indices: (0..LANES).map(short).collect(), turn: 0 },
            _ => Self { first, indices: (0..LANES).map(window).collect(), turn: LANES - rest },
        }
    }

    /// The index along the row for each lane.
    fn numbers(&self, code: Builder<'c, 'a>) -> Value<'c, 'a> {
        if self.indices.len() == 1 {
            return self.first;
        }
        let steps =
            code.value("vector.step", &[], Type::vector(&[LANES], self.first.r#type()), &[]);
        code.computed("arith.addi", &[code.splat(self.first, LANES), steps])
    }
}

/// Rows that are reduced together.
struct Together {
    /// From the first of them.
    offsets: Vec<u64>,
    /// The first ones are those up to this row, in steps.
    part: u64,
    step: u64,
}

impl Together {
    /// Neighbors, where a cache is near. Distant memory is read fastest as a few long streams: there, each of the
    /// rows together is from another part of the matrix.
    fn of(reduction: &Reduction) -> Self {
        let (kept, count) = (reduction.kept, reduction.sizes[reduction.kept..].iter().product());
        let rows = reduction.sizes[kept - 1];
        if count < LANES || rows == 1 {
            return Self { offsets: vec![0], part: rows, step: 1 };
        }
        let elements = rows.saturating_mul(count);
        let parts = PARTS.iter().find(|(least, _)| elements >= *least).map(|(_, parts)| *parts);
        // A step of a maximum looks for a NaN, too, and takes longer than an addition.
        let is_sum = partial_results::step(reduction.combined) == "arith.addf";
        let parts = parts.map(|parts| if is_sum { parts } else { ROWS });
        let is_worth =
            |parts: &u64| count >= 4 * LANES && (rows >= 4 * parts || rows.is_multiple_of(*parts));
        if let Some(parts) = parts.filter(is_worth) {
            // The parts have one size: they overlap in a row that is reduced twice, if the rows are not a multiple.
            let part = rows.div_ceil(parts);
            let offsets = (0..parts).map(|at| at * (rows - part) / (parts - 1)).collect();
            return Self { offsets, part, step: 1 };
        }
        let together = rows.min(ROWS);
        Self { offsets: (0..together).collect(), part: rows, step: together }
    }
}
