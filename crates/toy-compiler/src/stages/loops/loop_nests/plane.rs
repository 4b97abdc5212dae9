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
use super::builder::NestBuilder;
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

/// Given the indices of all dimensions, the indices of a plane's square or row of elements.
pub type Indices<'c, 'a> = [Value<'c, 'a>];

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
        mut body: impl FnMut(NestBuilder<'s, 'c, 'a>, &[Value<'c, 'a>]),
    ) {
        let sizes = &self.nest.sizes;
        let outer: Vec<_> = (0..sizes.len()).filter(|it| ![self.i, self.j].contains(it)).collect();
        builder.nested(&outer, sizes, vec![builder.index(0); sizes.len()], &mut body);
    }

    /// The values of the frontier for a tile of squares, transposed: calls `done` for every part of a row,
    /// with its place in the tile (`i`, `j`), its values in the frontier's order, and its length. Squares that
    /// end before `skip` are left out.
    pub fn squares<'s>(
        &self,
        builder: NestBuilder<'s, 'c, 'a>,
        indices: &Indices<'c, 'a>,
        [tile_i, tile_j]: [u64; 2],
        skip: [u64; 2],
        mut done: impl FnMut([u64; 2], Vec<Value<'c, 'a>>, u64),
    ) {
        let side = tile_i.min(tile_j).min(self.square);
        let [skip_i, skip_j] = skip.map(|skip| skip / side * side);
        let along = |dimension: usize, from: u64, count: u64| -> Vec<_> {
            let index = |offset| builder.plus(indices[dimension], offset);
            (0..count).map(|offset| index(offset.max(from))).collect()
        };
        let all_i = along(self.i, skip_i, tile_i);
        let all_j = along(self.j, skip_j, tile_j);
        // Two squares of each of several values would not fit into the registers.
        let together = if self.pairs && self.frontier.len() == 1 { 2 } else { 1 };
        let mut indices = indices.to_vec();
        for i in (skip_i..tile_i).step_by(side as usize) {
            indices[self.i] = all_i[i as usize];
            let starts: Vec<_> = (skip_j..tile_j).step_by(side as usize).collect();
            for starts in starts.chunks(together) {
                let mut square = |j: u64| {
                    let all_j = &all_j[j as usize..][..side as usize];
                    self.square(builder, &mut indices, all_j)
                };
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
        builder: NestBuilder<'_, 'c, 'a>,
        indices: &mut [Value<'c, 'a>],
        all_j: &[Value<'c, 'a>],
    ) -> Vec<Vec<Value<'c, 'a>>> {
        let side = all_j.len() as u64;
        let mut squares = vec![Vec::new(); self.frontier.len()];
        for j in all_j {
            indices[self.j] = *j;
            let given = read(builder, &self.columns, indices, side);
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
        builder: NestBuilder<'_, 'c, 'a>,
        indices: &Indices<'c, 'a>,
        [tile_i, tile_j]: [u64; 2],
        ahead: Ahead,
        distance: u64,
    ) {
        let with_rows = match ahead {
            Ahead::Nothing => return,
            Ahead::Blocks => return self.prefetch_blocks(builder, indices, tile_i),
            Ahead::Lines => false,
            Ahead::LinesAndRows => true,
        };
        let last = builder.index(self.size(self.i) - 1);
        let at = |offset| {
            let next = builder.plus(indices[self.i], offset);
            builder.at_most(next, last)
        };
        let mut indices = indices.to_vec();
        let j = indices[self.j];
        let next = at(distance);
        if !self.columns.is_empty() {
            indices[self.i] = next;
            for row in 0..tile_j {
                indices[self.j] = builder.plus(j, row);
                for column in &self.columns {
                    builder.ask_for(column, &indices);
                }
            }
        }
        if with_rows && !self.rows.is_empty() {
            indices[self.j] = j;
            for offset in 0..tile_i {
                indices[self.i] = at(tile_i + offset);
                for row in &self.rows {
                    builder.ask_for(row, &indices);
                }
            }
        }
    }

    /// Prefetches the next lines of columns for squares that go along the rows of the result: more rows of columns
    /// than a processor follows by itself. Each of the tiles below each other in a block prefetches the next
    /// block's part of one row: several lines in sequence, which the processor then goes on with.
    fn prefetch_blocks(
        &self,
        builder: NestBuilder<'_, 'c, 'a>,
        indices: &Indices<'c, 'a>,
        tile: u64,
    ) {
        let block = tile * tile;
        if self.size(self.i) < block {
            return;
        }
        let on = |name, a, b| builder.on_indices(name, a, builder.index(b));
        let i = indices[self.i];
        let within = on("arith.andi", i, block - 1);
        let start = builder.difference(i, within);
        let next = on("arith.minui", builder.plus(start, block), self.size(self.i) - block);
        let row = on("arith.divui", within, tile);
        let mut indices = indices.to_vec();
        indices[self.j] = builder.on_indices("arith.addi", indices[self.j], row);
        for line in (0..block).step_by(tile as usize) {
            indices[self.i] = builder.plus(next, line);
            for column in &self.columns {
                builder.ask_for(column, &indices);
            }
        }
    }

    /// Computes elements in a row of the result, given the values of the frontier. The offset, of `i` and `j`,
    /// is from the indices.
    pub fn row(
        &self,
        builder: NestBuilder<'_, 'c, 'a>,
        offset: &[u64; 2],
        indices: &Indices<'c, 'a>,
        frontier: &[Value<'c, 'a>],
        length: u64,
    ) -> Value<'c, 'a> {
        let mut given = HashMap::new();
        if !self.rows.is_empty() {
            let indices = self.moved(builder, offset, indices);
            given = read(builder, &self.rows, &indices, length);
        }
        given
            .extend(self.frontier.iter().map(|value| ir::id(*value)).zip(frontier.iter().copied()));
        self.body.compute(builder, self.body.result, &given, length)
    }

    /// Writes elements in a row of the result.
    pub fn store(
        &self,
        builder: NestBuilder<'_, 'c, 'a>,
        offset: &[u64; 2],
        indices: &Indices<'c, 'a>,
        value: Value<'c, 'a>,
        length: u64,
    ) {
        builder.write(value, &self.nest.output, &self.moved(builder, offset, indices), length);
    }

    fn moved(
        &self,
        builder: NestBuilder<'_, 'c, 'a>,
        offset: &[u64; 2],
        indices: &Indices<'c, 'a>,
    ) -> Vec<Value<'c, 'a>> {
        let mut indices = indices.to_vec();
        for (dimension, offset) in [self.i, self.j].into_iter().zip(offset) {
            indices[dimension] = builder.plus(indices[dimension], *offset);
        }
        indices
    }
}

/// The elements of operands, by the addresses of the body's arguments.
fn read<'c, 'a>(
    builder: NestBuilder<'_, 'c, 'a>,
    operands: &[&Operand<'c, 'a>],
    indices: &Indices<'c, 'a>,
    length: u64,
) -> HashMap<usize, Value<'c, 'a>> {
    let read = |it: &&Operand<'c, 'a>| (ir::id(it.argument), builder.read(it, indices, length));
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
