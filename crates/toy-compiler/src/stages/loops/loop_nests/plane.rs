//! The plane in which a transposition happens, and its squares.
//!
//! Two dimensions of an operation matter most: `j`, along which the elements of the result are neighbors, and `i`,
//! along which the elements of the transposed operands (the *columns*) are. The others are loops around the plane.
//! Operands with the same neighbors as the result are *rows*.
//!
//! ```text
//!        a column, seen as the result is      the result, and a row
//!             j ─▶                                 j ─▶
//!          i  │ │ │ │                           i  ─ ─ ─ ─
//!          ▼  │ │ │ │                           ▼  ─ ─ ─ ─
//! ```

use super::Options;
use super::body::Body;
use super::builder::{NestBuilder, Place};
use super::nest::{Nest, Operand};
use super::options::power_of_two;
use super::shuffle::transpose;
use melior::ir::Value;
use mlir_support::ir;
use std::collections::HashMap;

/// The dimensions of the plane, and the operands by the direction of their neighbors.
pub struct Plane<'n, 'c, 'a> {
    pub nest: &'n Nest<'c, 'a>,
    pub i: usize,
    pub j: usize,
    pub body: Body<'c, 'a>,
    /// The values of the body that depend on columns only, and are transposed.
    pub frontier: Vec<Value<'c, 'a>>,
    columns: Vec<&'n Operand<'c, 'a>>,
    rows: Vec<&'n Operand<'c, 'a>>,
    /// The side of the squares that are transposed at a time.
    pub square: u64,
    /// True if two squares side by side are written together.
    pub pairs: bool,
}

/// The lines that are prefetched.
#[derive(Clone, Copy)]
pub enum Ahead {
    Nothing,
    /// The next lines of the columns.
    Lines,
    /// The next lines of the columns, and of the rows.
    LinesAndRows,
    /// The next lines of the columns, several of one row at a time.
    Blocks,
}

/// The dimension `i` of the plane; None if there is no plane: nothing is transposed, or along several
/// dimensions.
pub fn direction(nest: &Nest) -> Option<usize> {
    let j = nest.sizes.len().checked_sub(1)?;
    let mut last = nest.inputs.iter().filter_map(|operand| operand.dimensions.last().copied());
    let i = last.clone().find(|dimension| *dimension != j)?;
    last.all(|dimension| dimension == i || dimension == j).then_some(i)
}

/// True if an operand is a column.
pub fn is_column(nest: &Nest, operand: &Operand) -> bool {
    operand.dimensions.last().is_some_and(|last| *last + 1 != nest.sizes.len())
}

impl<'n, 'c, 'a> Plane<'n, 'c, 'a> {
    pub fn new(
        builder: NestBuilder<'_, 'c, 'a>,
        nest: &'n Nest<'c, 'a>,
        i: usize,
        options: &Options,
    ) -> Self {
        let body = Body::new(builder, nest);
        let frontier = body.frontier(nest, |operand| is_column(nest, operand));
        let (columns, rows): (Vec<_>, Vec<_>) =
            nest.tensors().partition(|operand| is_column(nest, operand));
        builder.collapse_all(columns.iter().chain(&rows).copied().chain([&nest.output]));
        let square = options.square(nest, !rows.is_empty());
        let (j, pairs) = (nest.sizes.len() - 1, options.pairs(nest));
        Self { nest, i, j, body, frontier, columns, rows, square, pairs }
    }

    /// The size of the result along `i` or `j`.
    pub fn size(&self, dimension: usize) -> u64 {
        self.nest.sizes[dimension]
    }

    /// True if there are operands that are not transposed.
    pub fn has_rows(&self) -> bool {
        !self.rows.is_empty()
    }

    /// The number of transposed operands.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// The sizes of the squares' tile in both dimensions: at most 8, and a power of two.
    pub fn micro(&self, options: &Options) -> [u64; 2] {
        [self.i, self.j]
            .map(|dimension| power_of_two(self.size(dimension).min(options.register_tile)))
    }

    /// The loops around the plane.
    pub fn around<'s>(
        &self,
        builder: NestBuilder<'s, 'c, 'a>,
        mut body: impl FnMut(Place<'s, 'c, 'a>),
    ) {
        let sizes = &self.nest.sizes;
        let outer: Vec<_> = (0..sizes.len()).filter(|it| ![self.i, self.j].contains(it)).collect();
        let start = vec![builder.index(0); sizes.len()];
        builder.nested(&outer, sizes, start, &mut |builder, indices| {
            body(Place { builder, indices: indices.to_vec() });
        });
    }

    /// The values of the frontier for a tile of squares, transposed: calls `done` for every part of a row,
    /// with its place in the tile (`i`, `j`), its values in the frontier's order, and its length. Squares that
    /// end before `skip` are left out.
    pub fn squares(
        &self,
        place: &Place<'_, 'c, 'a>,
        [tile_i, tile_j]: [u64; 2],
        skip: [u64; 2],
        mut done: impl FnMut([u64; 2], Vec<Value<'c, 'a>>, u64),
    ) {
        let side = tile_i.min(tile_j).min(self.square);
        let [skip_i, skip_j] = skip.map(|skip| skip / side * side);
        let along = |dimension: usize, from: u64, count: u64| -> Vec<_> {
            let index = |offset| place.builder.plus(place.indices[dimension], offset);
            (0..count).map(|offset| index(offset.max(from))).collect()
        };
        let all_i = along(self.i, skip_i, tile_i);
        let all_j = along(self.j, skip_j, tile_j);
        // Two squares of each of several values would not fit into the registers.
        let together = if self.pairs && self.frontier.len() == 1 { 2 } else { 1 };
        for i in (skip_i..tile_i).step_by(side as usize) {
            let place = place.at(self.i, all_i[i as usize]);
            let starts: Vec<_> = (skip_j..tile_j).step_by(side as usize).collect();
            for starts in starts.chunks(together) {
                let square = |j: u64| self.square(&place, &all_j[j as usize..][..side as usize]);
                let squares: Vec<_> = starts.iter().map(|j| square(*j)).collect();
                for row in 0..side {
                    for (j, squares) in starts.iter().zip(&squares) {
                        let values = squares.iter().map(|square| square[row as usize]).collect();
                        done([i + row, *j], values, side);
                    }
                }
            }
        }
    }

    /// The values of the frontier for a square, transposed.
    fn square(
        &self,
        place: &Place<'_, 'c, 'a>,
        all_j: &[Value<'c, 'a>],
    ) -> Vec<Vec<Value<'c, 'a>>> {
        let builder = place.builder;
        let side = all_j.len() as u64;
        let mut squares = vec![Vec::new(); self.frontier.len()];
        for j in all_j {
            let given = read(&place.at(self.j, *j), &self.columns, side);
            for (square, value) in squares.iter_mut().zip(&self.frontier) {
                square.push(self.body.compute(builder, *value, &given, side));
            }
        }
        squares.iter().map(|square| transpose(builder, square, self.nest.element_bytes)).collect()
    }

    /// Prefetches lines of operands that later squares of a tile read: elements of columns that are `distance`
    /// further along their rows, and if requested, the rows of the next tile.
    pub fn prefetch(
        &self,
        place: &Place<'_, 'c, 'a>,
        [tile_i, tile_j]: [u64; 2],
        ahead: Ahead,
        distance: u64,
    ) {
        let with_rows = match ahead {
            Ahead::Nothing => return,
            Ahead::Blocks => return self.prefetch_blocks(place, tile_i),
            Ahead::Lines => false,
            Ahead::LinesAndRows => true,
        };
        let last = place.builder.index(self.size(self.i) - 1);
        let at = |offset| {
            let next = place.builder.plus(place.indices[self.i], offset);
            place.at(self.i, place.builder.at_most(next, last))
        };
        let next = at(distance);
        if !self.columns.is_empty() {
            for row in 0..tile_j {
                let next = next.on(self.j, row);
                self.columns.iter().for_each(|column| next.ask_for(column));
            }
        }
        if with_rows && !self.rows.is_empty() {
            for offset in 0..tile_i {
                let next = at(tile_i + offset);
                self.rows.iter().for_each(|row| next.ask_for(row));
            }
        }
    }

    /// Prefetches the next lines of columns for squares that go along the rows of the result: more rows of columns
    /// than a processor follows by itself. Each of the tiles below each other in a block prefetches the next
    /// block's part of one row: several lines in sequence, which the processor then goes on with.
    fn prefetch_blocks(&self, place: &Place<'_, 'c, 'a>, tile: u64) {
        let builder = place.builder;
        let block = tile * tile;
        if self.size(self.i) < block {
            return;
        }
        let on = |name, a, b| builder.on_indices(name, a, builder.index(b));
        let i = place.indices[self.i];
        let within = on("arith.andi", i, block - 1);
        let start = builder.difference(i, within);
        let next = on("arith.minui", builder.plus(start, block), self.size(self.i) - block);
        let row = on("arith.divui", within, tile);
        let j = builder.on_indices("arith.addi", place.indices[self.j], row);
        let start = place.at(self.j, j).at(self.i, next);
        for line in (0..block).step_by(tile as usize) {
            let line = start.on(self.i, line);
            self.columns.iter().for_each(|column| line.ask_for(column));
        }
    }

    /// Computes elements in a row of the result, given the values of the frontier. The offset, of `i` and `j`,
    /// is from the indices.
    pub fn row(
        &self,
        place: &Place<'_, 'c, 'a>,
        offset: [u64; 2],
        frontier: &[Value<'c, 'a>],
        length: u64,
    ) -> Value<'c, 'a> {
        let mut given = HashMap::new();
        if !self.rows.is_empty() {
            given = read(&self.moved(place, offset), &self.rows, length);
        }
        given
            .extend(self.frontier.iter().map(|value| ir::id(*value)).zip(frontier.iter().copied()));
        self.body.compute(place.builder, self.body.result, &given, length)
    }

    /// Writes elements in a row of the result.
    pub fn store(
        &self,
        place: &Place<'_, 'c, 'a>,
        offset: [u64; 2],
        value: Value<'c, 'a>,
        length: u64,
    ) {
        let place = self.moved(place, offset);
        place.builder.write(value, &self.nest.output, &place.indices, length);
    }

    fn moved<'s>(&self, place: &Place<'s, 'c, 'a>, [i, j]: [u64; 2]) -> Place<'s, 'c, 'a> {
        place.on(self.i, i).on(self.j, j)
    }
}

/// The elements of operands, by the addresses of the body's arguments.
fn read<'c, 'a>(
    place: &Place<'_, 'c, 'a>,
    operands: &[&Operand<'c, 'a>],
    length: u64,
) -> HashMap<usize, Value<'c, 'a>> {
    let read = |it: &&Operand<'c, 'a>| (ir::id(it.argument), place.read(it, length));
    operands.iter().map(read).collect()
}

/// The start of the tile of `size` elements that a loop has reached: the last tile is moved back, so that it ends
/// with the dimension, and repeats work of others.
pub fn moved_back<'c, 'a>(
    builder: NestBuilder<'_, 'c, 'a>,
    index: Value<'c, 'a>,
    end: Value<'c, 'a>,
    tile: u64,
) -> Value<'c, 'a> {
    builder.at_most(index, builder.difference(end, builder.index(tile)))
}
