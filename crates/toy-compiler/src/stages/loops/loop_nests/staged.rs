//! Transpositions through a small buffer on the stack, next to operands that are not transposed.
//!
//! ```text
//!    a column, i ─▶            the stage, j ─▶           a row, and the result, j ─▶
//!    j  ┌──┬──┬──┐             i  ┌──────────┐           i  ┌──────────┐
//!    ▼  ├──┼──┼──┤   8 x 8     ▼  │══════════│   rows    ▼  │══════════│
//!       ├──┼──┼──┤  ───────▶      │══════════│  ───────▶    │══════════│
//! ```
//!
//! Tile by tile, values that depend on columns alone are transposed into the stage, and read from there along
//! rows with everything else: however long the computation is, and however far the rows are apart, there are
//! only a few streams of memory. Squares at the ends of a tile are moved back into it; they repeat only writes
//! to the stage. The last vector of a row overlaps with the one before it, and is read before any of the row
//! is written: the result may be one of the rows.

use super::Options;
use super::builder::{NestBuilder, Place};
use super::nest::Nest;
use super::plane::{Plane, moved_back};
use melior::ir::Value;

/// The tiles of the stage, if there is a good division: none is less than a vector wide.
pub struct Stage {
    /// Rows and columns of a tile.
    tiles: [u64; 2],
    vector: u64,
    /// The size of the buffers in bytes.
    pub bytes: u64,
}

impl Stage {
    pub fn of(nest: &Nest, i: usize, buffers: usize, options: &Options) -> Option<Self> {
        let j = nest.sizes.len() - 1;
        let vector = options.vector(nest);
        let least = options.register_tile.max(vector);
        let rows = division(nest.sizes[i], options.stage_rows, least)?;
        let columns = division(nest.sizes[j], options.stage_columns, least)?;
        // There may be two nests: with non-temporal stores, or without.
        let bytes = 2 * rows * columns * nest.element_bytes * buffers as u64;
        Some(Self { tiles: [rows, columns], vector, bytes })
    }
}

/// The size of the tiles that divide a dimension: near the wanted one, a multiple of 8, and such that the last
/// one is not smaller than `least`, if the whole is not.
fn division(size: u64, wanted: u64, least: u64) -> Option<u64> {
    if size <= wanted {
        return Some(size);
    }
    let wanted = wanted.next_multiple_of(least);
    let mut near: Vec<_> = (1..=2 * wanted / least).map(|count| count * least).collect();
    near.sort_by_key(|tile| tile.abs_diff(wanted));
    near.into_iter().find(|tile| size.is_multiple_of(*tile) || size % tile >= least)
}

pub fn build<'c, 'a>(
    builder: NestBuilder<'_, 'c, 'a>,
    nest: &Nest<'c, 'a>,
    i: usize,
    stage: &Stage,
    is_past_caches: bool,
    options: &Options,
) {
    let plane = Plane::new(builder, nest, i, options);
    let micro = plane.micro(options);
    let sizes = [plane.i, plane.j].map(|dimension| plane.size(dimension));
    let elements = options.parallel_work(nest);
    let nest_of = |builder: NestBuilder<'_, 'c, 'a>, past_caches: Option<u64>| {
        let buffer = |_| builder.stack_buffer(&stage.tiles);
        let buffers: Vec<_> = plane.frontier.iter().map(buffer).collect();
        plane.around(builder.parallel(elements), |place| {
            place.builder.parts([0, sizes[0]], stage.tiles[0], |builder, rows| {
                builder.parts([0, sizes[1]], stage.tiles[1], |builder, columns| {
                    let (plane, place, buffers) = (&plane, &place, &buffers[..]);
                    let tile = Tile { plane, place, rows, columns, buffers };
                    tile.fill(builder, micro);
                    tile.stream(builder, stage.vector, past_caches);
                });
            });
        });
    };
    // Every row starts like the first one, if a row is a number of vectors.
    if !is_past_caches || !sizes[1].is_multiple_of(stage.vector) {
        return nest_of(builder, None);
    }
    let alignment = stage.vector * nest.element_bytes;
    let from = builder.misalignment(nest.output.buffer, alignment, nest.element_bytes);
    builder.if_zero(
        from,
        |builder| nest_of(builder, Some(alignment)),
        |builder| nest_of(builder, None),
    );
}

struct Tile<'t, 'c, 'a> {
    plane: &'t Plane<'t, 'c, 'a>,
    /// In the loops around the plane.
    place: &'t Place<'t, 'c, 'a>,
    rows: [Value<'c, 'a>; 2],
    columns: [Value<'c, 'a>; 2],
    /// One buffer for each value of the frontier.
    buffers: &'t [Value<'c, 'a>],
}

impl<'t, 'c, 'a> Tile<'t, 'c, 'a> {
    /// Transposes into the stage, along the rows of the columns.
    fn fill(&self, builder: NestBuilder<'_, 'c, 'a>, micro: [u64; 2]) {
        let [rows, columns] = [self.rows, self.columns];
        builder.each([columns[0], columns[1], builder.index(micro[1])], |builder, j| {
            let j = moved_back(builder, j, columns[1], micro[1]);
            builder.each([rows[0], rows[1], builder.index(micro[0])], |builder, i| {
                let i = moved_back(builder, i, rows[1], micro[0]);
                let place = self.at(builder, i, j);
                let [row, column] = self.in_stage(builder, i, j);
                self.plane.squares(&place, micro, [0, 0], |[i, j], values, length| {
                    let at = [builder.plus(row, i), builder.plus(column, j)];
                    for (buffer, value) in self.buffers.iter().zip(values) {
                        builder.store(value, *buffer, &at, length);
                    }
                });
            });
        });
    }

    /// Computes the tile of the result, row by row.
    fn stream(&self, builder: NestBuilder<'_, 'c, 'a>, vector: u64, past_caches: Option<u64>) {
        let [from, to] = self.columns;
        let step = builder.index(vector);
        builder.each([self.rows[0], self.rows[1], builder.index(1)], |builder, i| {
            let builder = builder.past_caches(past_caches);
            let last = builder.difference(to, step);
            let place = self.at(builder, i, last);
            let value = self.row(&place, vector);
            builder.each([from, last, step], |builder, j| {
                let place = self.at(builder, i, j);
                self.plane.store(&place, [0, 0], self.row(&place, vector), vector);
            });
            self.plane.store(&place, [0, 0], value, vector);
        });
    }

    fn at<'s>(
        &self,
        builder: NestBuilder<'s, 'c, 'a>,
        i: Value<'c, 'a>,
        j: Value<'c, 'a>,
    ) -> Place<'s, 'c, 'a>
    where
        't: 's,
    {
        self.place.inside(builder).at(self.plane.i, i).at(self.plane.j, j)
    }

    fn row(&self, place: &Place<'_, 'c, 'a>, vector: u64) -> Value<'c, 'a> {
        let (builder, [i, j]) =
            (place.builder, [self.plane.i, self.plane.j].map(|at| place.indices[at]));
        let at = self.in_stage(builder, i, j);
        let staged: Vec<_> =
            self.buffers.iter().map(|buffer| builder.load(*buffer, &at, vector)).collect();
        self.plane.row(place, [0, 0], &staged, vector)
    }

    /// The place of an element in the stage.
    fn in_stage(
        &self,
        builder: NestBuilder<'_, 'c, 'a>,
        i: Value<'c, 'a>,
        j: Value<'c, 'a>,
    ) -> [Value<'c, 'a>; 2] {
        [(i, self.rows), (j, self.columns)].map(|(at, [from, _])| builder.difference(at, from))
    }
}
