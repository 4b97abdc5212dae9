//! The loops of a product.
//!
//! ```text
//!   packed                     in strips                one block
//!   for the outer dimensions   for those around rows    for the outer dimensions
//!     for blocks of k            for blocks of k          for panels
//!       for panels: pack it        for those in a row       for rows: a tile
//!         for rows: a tile           for panels: a tile
//!
//!   rows copied, too
//!   for the outer dimensions
//!     for blocks of k
//!       for blocks of rows: copy them
//!         for panels: pack it
//!           for rows of the block: a tile
//! ```
//!
//! With threads, each of them has a part of the rows, and does all this for it: the panels are copied by each. A result
//! of few rows, or without any, is computed by one.

mod ahead;
mod rows;

use super::super::body::Body;
use super::super::builder::{NestBuilder, Place};
use super::super::nest::{Nest, Operand};
use super::super::shuffle;
use super::{Kind, Panel, Product};
use melior::ir::Value;
use mlir_support::ir;
use std::collections::HashMap;

/// Builds the loops; `threads`: how many may share them, and the work; `rows`: the buffer for rows, if they are copied;
/// `start`: the start value of each sum, if it is not in the result.
pub fn build<'c, 'a>(
    builder: NestBuilder<'_, 'c, 'a>,
    nest: &Nest<'c, 'a>,
    (product, threads): (&Product, Option<(u64, u64)>),
    rows: Option<Value<'c, 'a>>,
    start: Option<Value<'c, 'a>>,
) {
    builder.collapse_all([&nest.output].into_iter().chain(&nest.inputs));
    let is_panel = |it: &Operand| [Kind::Panel, Kind::Transposed].contains(&product.kind(nest, it));
    let body = Body::new(builder, nest);
    let packed = body.frontier(nest, is_panel);
    let singles = body.frontier(nest, |it| product.kind(nest, it) == Kind::Single);
    let width = product.width(nest);
    let buffer =
        |_: &Value| product.is_packed.then(|| builder.stack_buffer(&[product.block, width]));
    let is_element =
        |value: &Value| nest.inputs.iter().any(|it| ir::id(it.argument) == ir::id(*value));
    let is_again = product.reads_again && singles.iter().all(is_element);
    let most = product.panels(nest).iter().map(|panel| panel.vectors.len()).max().unwrap_or(1);
    // The vectors of wider panels share them; such panels have no rows, which would multiply the reads.
    let count = if is_again && product.i.is_some() { most.min(4) - 1 } else { 0 };
    let loops = Loops {
        product,
        nest,
        start,
        rows,
        buffers: packed.iter().filter_map(buffer).collect(),
        zeros: builder.unknown_zeros(count),
        body,
        packed,
        singles,
    };
    let inner = [Some(product.k), product.i, Some(product.j)];
    let outer: Vec<_> =
        (0..nest.sizes.len()).filter(|dimension| !inner.contains(&Some(*dimension))).collect();
    let sizes = &nest.sizes;
    let indices = vec![builder.index(0); sizes.len()];
    if product.is_in_strips(nest) {
        let (around, in_row): (Vec<_>, Vec<_>) =
            outer.into_iter().partition(|dimension| product.is_around_rows(nest, *dimension));
        builder.nested(&around, sizes, indices, &mut |builder, indices| {
            loops.blocks(builder, |builder, range| {
                builder.nested(&in_row, sizes, indices.to_vec(), &mut |builder, indices| {
                    let place = Place { builder, indices: indices.to_vec() };
                    loops.row_blocks(&place, Part { k: range, rows: None });
                });
            });
        });
    } else {
        builder.nested(&outer, sizes, indices, &mut |builder, indices| {
            let place = Place { builder, indices: indices.to_vec() };
            loops.parts(builder, threads, |builder, rows| {
                loops.blocks(builder, |builder, range| {
                    loops.row_blocks(&place.inside(builder), Part { k: range, rows });
                });
            });
        });
    }
}

/// Parts of the rows are a multiple of this number, and so of the rows of all tiles.
const ROWS_OF_PART: u64 = 24;

/// The part of the sums that is computed with a copy of a panel.
#[derive(Clone, Copy)]
struct Part<'c, 'a> {
    /// The range of the reduced dimension: from, to.
    k: [Value<'c, 'a>; 2],
    /// The range of the rows, if they are copied or threads share them.
    rows: Option<[Value<'c, 'a>; 2]>,
}

struct Loops<'l, 'c, 'a> {
    product: &'l Product,
    nest: &'l Nest<'c, 'a>,
    body: Body<'c, 'a>,
    /// The start value of sums, if it is not in the result.
    start: Option<Value<'c, 'a>>,
    /// Values of the body that depend on panels alone.
    packed: Vec<Value<'c, 'a>>,
    /// Values that depend on operands of one element in a row alone.
    singles: Vec<Value<'c, 'a>>,
    /// The buffer for the rows that are copied, if they are.
    rows: Option<Value<'c, 'a>>,
    /// A buffer for each value that is packed, if any are.
    buffers: Vec<Value<'c, 'a>>,
    /// Zeros that LLVM takes for other numbers: one for each vector of a tile but the first, to read the singles again.
    zeros: Vec<Value<'c, 'a>>,
}

impl<'s, 'c: 's, 'a: 's> Loops<'_, 'c, 'a> {
    /// Parts of the rows, one for each thread.
    fn parts(
        &self,
        builder: NestBuilder<'s, 'c, 'a>,
        threads: Option<(u64, u64)>,
        each: impl FnOnce(NestBuilder<'s, 'c, 'a>, Option<[Value<'c, 'a>; 2]>),
    ) {
        let rows = self.product.i.map_or(0, |i| self.nest.sizes[i]);
        let Some((threads, work)) = threads.filter(|_| rows >= 2 * ROWS_OF_PART) else {
            return each(builder, None);
        };
        let part = rows.div_ceil(threads).next_multiple_of(ROWS_OF_PART);
        // Each product of a batch is shared by itself.
        let own = [Some(self.product.k), self.product.i, Some(self.product.j)];
        let around = (0..).zip(&self.nest.sizes).filter(|(at, _)| !own.contains(&Some(*at)));
        let products: u64 = around.map(|(_, size)| *size).product();
        builder.parallel(Some(work / products.max(1))).parts([0, rows], part, |builder, rows| {
            each(builder.parallel(None), Some(rows));
        });
    }

    /// Blocks of the reduced dimension; a shorter one at the end by itself, so that the sizes of all are known.
    fn blocks(
        &self,
        builder: NestBuilder<'s, 'c, 'a>,
        mut each: impl FnMut(NestBuilder<'s, 'c, 'a>, [Value<'c, 'a>; 2]),
    ) {
        let size = self.nest.sizes[self.product.k];
        let block = self.product.block;
        let [zero, end] = [0, size].map(|value| builder.index(value));
        if block == size || self.product.is_packed {
            // The code of a panel is long.
            return builder.parts([0, size], block, each);
        }
        let whole = size / block * block;
        builder.each([zero, builder.index(whole), builder.index(block)], |builder, from| {
            each(builder, [from, builder.plus(from, block)]);
        });
        if whole < size {
            each(builder, [builder.index(whole), end]);
        }
    }

    /// The panels of a block.
    fn panels(&self, place: &Place<'s, 'c, 'a>, part: Part<'c, 'a>) {
        let builder = place.builder;
        for panel in self.product.panels(self.nest) {
            let each = |builder: NestBuilder<'s, 'c, 'a>, j: Value<'c, 'a>| {
                self.panel(&place.inside(builder).at(self.product.j, j), &panel, part);
            };
            if panel.to - panel.from == panel.width {
                each(builder, builder.index(panel.from));
            } else {
                let range = [panel.from, panel.to, panel.width].map(|it| builder.index(it));
                builder.each(range, each);
            }
        }
    }

    /// One panel: packed, and then all rows with it.
    fn panel(&self, place: &Place<'s, 'c, 'a>, panel: &Panel, part: Part<'c, 'a>) {
        if !self.buffers.is_empty() {
            self.pack(place, panel, part.k);
        }
        let Some(i) = self.product.i else { return self.tile(place, panel, part, 1) };
        let most = self.product.rows_with(panel.vectors.len() as u64).min(self.nest.sizes[i]);
        self.tiles(place.builder, most, part.rows, &|builder, at, rows| {
            self.tile(&place.inside(builder).at(i, at), panel, part, rows);
        });
    }

    /// Copies a panel.
    fn pack(&self, place: &Place<'s, 'c, 'a>, panel: &Panel, [from, to]: [Value<'c, 'a>; 2]) {
        place.builder.each([from, to, place.builder.index(1)], |builder, k| {
            let row = builder.difference(k, from);
            let place = place.inside(builder).at(self.product.k, k);
            for &[column, length] in &panel.vectors {
                let values = self.of_panel(&place, [column, length]);
                for (buffer, value) in self.buffers.iter().zip(values) {
                    builder.store(value, *buffer, &[row, builder.index(column)], length);
                }
            }
        });
    }

    /// The values that depend on panels alone, of some columns.
    fn of_panel(
        &self,
        place: &Place<'s, 'c, 'a>,
        [column, length]: [u64; 2],
    ) -> Vec<Value<'c, 'a>> {
        let place = place.on(self.product.j, column);
        let mut given = HashMap::new();
        for operand in &self.nest.inputs {
            let value = match self.product.kind(self.nest, operand) {
                Kind::Panel => place.read(operand, length),
                Kind::Transposed => {
                    let element = |offset| place.on(self.product.j, offset).read(operand, 1);
                    place.builder.vector_of(&(0..length).map(element).collect::<Vec<_>>())
                }
                _ => continue,
            };
            given.insert(ir::id(operand.argument), value);
        }
        let compute =
            |value: &Value<'c, 'a>| self.body.compute(place.builder, *value, &given, length);
        self.packed.iter().map(compute).collect()
    }

    /// A tile of the result.
    fn tile(&self, place: &Place<'s, 'c, 'a>, panel: &Panel, part: Part<'c, 'a>, rows: u64) {
        let (builder, [from, to]) = (place.builder, part.k);
        let output = &self.nest.output;
        let rows_of: Vec<_> = (0..rows).map(|offset| self.rows_on(place, offset)).collect();
        if self.product.is_packed {
            self.ask_for_next(place, panel, part, rows);
        }
        let copied = (self.rows.zip(self.product.i))
            .map(|(_, i)| self.copied_tile(builder, part, place.indices[i]));
        let mut sums = Vec::new();
        for row in &rows_of {
            for &[column, length] in &panel.vectors {
                sums.push(match self.start {
                    Some(start) => builder.broadcast(start, length),
                    None => row.on(self.product.j, column).read(output, length),
                });
            }
        }
        let add = |builder: NestBuilder<'s, 'c, 'a>,
                   k: Value<'c, 'a>,
                   columns: Vec<Vec<Vec<Value<'c, 'a>>>>,
                   sums: &[Value<'c, 'a>]| {
            let place = copied.map(|start| self.copied_line(builder, part, start, (k, rows)));
            let rows_of: Vec<_> = rows_of.iter().map(|row| row.inside(builder)).collect();
            self.add((&rows_of, k, place), panel, &columns, sums)
        };
        let mut done = from;
        let square = panel.vectors.first().map_or(1, |[_, length]| *length);
        let is_even = panel.vectors.iter().all(|[_, length]| *length == square);
        let has_squares = square > 1 && (square <= 4 || self.nest.element_bytes == 8);
        if self.product.is_column(self.nest) && is_even && has_squares {
            let whole = self.nest.sizes[self.product.k] / square * square;
            done = builder.index(whole);
            sums = builder.each_with(
                [from, done, builder.index(square)],
                &sums,
                |builder, k, sums| {
                    let mut sums = sums.to_vec();
                    let squares = self.squares(&place.inside(builder), panel, k);
                    for (offset, columns) in (0..).zip(squares) {
                        sums = add(builder, builder.plus(k, offset), vec![columns], &sums);
                    }
                    sums
                },
            );
        }
        let sums = builder.each_with([done, to, builder.index(1)], &sums, |builder, k, sums| {
            let here = place.inside(builder).at(self.product.k, k);
            if self.product.asks_for_strips {
                self.ask_for_next_strip(&here, panel, from);
            }
            let columns: Vec<Vec<Vec<_>>> = if self.buffers.is_empty() {
                let own = if self.product.has_own_panels { rows } else { 1 };
                let of_row = |offset| {
                    let row = self.rows_on(&here, offset);
                    panel.vectors.iter().map(|it| self.of_panel(&row, *it)).collect()
                };
                (0..own).map(of_row).collect()
            } else {
                let line = builder.difference(k, from);
                let value = |&[column, length]: &[u64; 2]| {
                    let load = |buffer: &Value<'c, 'a>| {
                        builder.load(*buffer, &[line, builder.index(column)], length)
                    };
                    self.buffers.iter().map(load).collect()
                };
                vec![panel.vectors.iter().map(value).collect()]
            };
            add(builder, k, columns, sums)
        });
        let mut sums = sums.into_iter();
        for row in &rows_of {
            for &[column, length] in &panel.vectors {
                let Some(sum) = sums.next() else { continue };
                let skip = panel.skip.saturating_sub(column);
                builder.rest(sum, length, skip, |from, value, part| {
                    let place = row.on(self.product.j, column + from);
                    builder.write(value, output, &place.indices, part);
                });
            }
        }
    }

    /// The next sums: the sums so far, and the terms of one `k`; `columns`: the panel of each row, or one for all.
    fn add(
        &self,
        (rows, k, copied): (&[Place<'s, 'c, 'a>], Value<'c, 'a>, Option<Value<'c, 'a>>),
        panel: &Panel,
        columns: &[Vec<Vec<Value<'c, 'a>>>],
        sums: &[Value<'c, 'a>],
    ) -> Vec<Value<'c, 'a>> {
        let (mut next, mut sums) = (Vec::new(), sums.iter());
        let builder = rows[0].builder;
        let again = self.zeros.iter().map(|zero| builder.on_indices("arith.addi", k, *zero));
        let ks: Vec<_> = std::iter::once(k).chain(again).collect();
        for ((offset, row), columns) in (0..).zip(rows).zip(columns.iter().cycle()) {
            let of_k: Vec<_> = (ks.iter().take(panel.vectors.len()))
                .map(|k| {
                    if let (Some(buffer), Some(place)) = (self.rows, copied) {
                        return vec![builder.load(buffer, &[builder.plus(place, offset)], 1)];
                    }
                    self.of_row(&row.at(self.product.k, *k))
                })
                .collect();
            let vectors = panel.vectors.iter().zip(columns).zip(of_k.iter().cycle());
            for ((&[_, length], columns), singles) in vectors {
                let splat = |value: &Value<'c, 'a>| builder.splat(*value, length);
                let mut given: HashMap<_, _> = self
                    .singles
                    .iter()
                    .map(|value| ir::id(*value))
                    .zip(singles.iter().map(splat))
                    .collect();
                given.extend(self.packed.iter().map(|it| ir::id(*it)).zip(columns.iter().copied()));
                given.extend(sums.next().map(|sum| (ir::id(self.nest.output.argument), *sum)));
                let body = &self.body;
                next.push(body.compute(builder, body.result, &given, length));
            }
        }
        next
    }

    /// The values of panels for as many `k` as a vector has elements, each by vectors: squares that are transposed in
    /// registers.
    fn squares(
        &self,
        place: &Place<'s, 'c, 'a>,
        panel: &Panel,
        k: Value<'c, 'a>,
    ) -> Vec<Vec<Vec<Value<'c, 'a>>>> {
        let builder = place.builder;
        let square = panel.vectors[0][1];
        let mut values = vec![Vec::new(); square as usize];
        for &[column, length] in &panel.vectors {
            let mut of_operands = Vec::new();
            for operand in &self.nest.inputs {
                if self.product.kind(self.nest, operand) != Kind::Transposed {
                    continue;
                }
                let row = |offset| {
                    let place = place.on(self.product.j, column + offset);
                    place.at(self.product.k, k).read(operand, length)
                };
                let rows: Vec<_> = (0..length).map(row).collect();
                let bytes = self.nest.element_bytes;
                of_operands.push((operand, shuffle::transpose(builder, &rows, bytes)));
            }
            for (offset, values) in values.iter_mut().enumerate() {
                let given: HashMap<_, _> = of_operands
                    .iter()
                    .map(|(operand, columns)| (ir::id(operand.argument), columns[offset]))
                    .collect();
                let compute =
                    |value: &Value<'c, 'a>| self.body.compute(builder, *value, &given, length);
                values.push(self.packed.iter().map(compute).collect());
            }
        }
        values
    }

    /// Some rows further on, if the result has rows.
    fn rows_on(&self, place: &Place<'s, 'c, 'a>, rows: u64) -> Place<'s, 'c, 'a> {
        self.product.i.map_or_else(|| place.clone(), |i| place.on(i, rows))
    }

    /// The operands of one element in a row of the result.
    fn single_operands(&self) -> impl Iterator<Item = &Operand<'c, 'a>> {
        self.nest.tensors().filter(|it| self.product.kind(self.nest, it) == Kind::Single)
    }

    /// The values that depend on single elements alone.
    fn of_row(&self, place: &Place<'s, 'c, 'a>) -> Vec<Value<'c, 'a>> {
        let mut given = HashMap::new();
        for operand in self.single_operands() {
            given.insert(ir::id(operand.argument), place.read(operand, 1));
        }
        let compute = |value: &Value<'c, 'a>| self.body.compute(place.builder, *value, &given, 1);
        self.singles.iter().map(compute).collect()
    }
}
