//! Rows that are copied, a block of them at a time, and tiles of rows.
//!
//! Copied rows are in the order in which tiles read them: for each tile, for each `k`, the elements of its rows. Their
//! places are computed from the sizes of whole blocks, so that a shorter one at the end has gaps.

use super::super::super::builder::{NestBuilder, Place};
use super::super::TILE_ROWS;
use super::{Loops, Part};
use melior::ir::Value;

impl<'s, 'c: 's, 'a: 's> Loops<'_, 'c, 'a> {
    /// Blocks of the rows of a part, if they are copied: the panels of each.
    pub(super) fn row_blocks(&self, place: &Place<'s, 'c, 'a>, part: Part<'c, 'a>) {
        let (Some(buffer), Some(i)) = (self.rows, self.product.i) else {
            return self.panels(place, part);
        };
        let (size, block) = (self.nest.sizes[i], self.product.copied_rows);
        let each = |builder: NestBuilder<'s, 'c, 'a>, rows: [Value<'c, 'a>; 2]| {
            let (place, part) = (place.inside(builder), Part { rows: Some(rows), ..part });
            self.copy_rows(&place, buffer, part);
            self.panels(&place, part);
        };
        match part.rows {
            Some(rows) => place.builder.parts_between(rows, block, false, each),
            None => place.builder.parts([0, size], block, each),
        }
    }

    /// Copies a block of rows.
    fn copy_rows(&self, place: &Place<'s, 'c, 'a>, buffer: Value<'c, 'a>, part: Part<'c, 'a>) {
        self.tiles(place.builder, TILE_ROWS, part.rows, &|builder, at, rows| {
            let start = self.copied_tile(builder, part, at);
            builder.each([part.k[0], part.k[1], builder.index(1)], |builder, k| {
                let line = self.copied_line(builder, part, start, (k, rows));
                let tile = match self.product.i {
                    Some(i) => place.inside(builder).at(i, at),
                    None => place.inside(builder),
                };
                for offset in 0..rows {
                    let row = self.rows_on(&tile, offset).at(self.product.k, k);
                    for value in self.of_row(&row) {
                        builder.store(value, buffer, &[builder.plus(line, offset)], 1);
                    }
                }
            });
        });
    }

    /// The start of the copies of a tile's rows.
    pub(super) fn copied_tile(
        &self,
        builder: NestBuilder<'s, 'c, 'a>,
        part: Part<'c, 'a>,
        at: Value<'c, 'a>,
    ) -> Value<'c, 'a> {
        let row = match part.rows {
            Some([from, _]) => builder.difference(at, from),
            None => at,
        };
        builder.on_indices("arith.muli", row, builder.index(self.product.block))
    }

    /// The start of the copies of its elements of one `k`.
    pub(super) fn copied_line(
        &self,
        builder: NestBuilder<'s, 'c, 'a>,
        part: Part<'c, 'a>,
        start: Value<'c, 'a>,
        (k, rows): (Value<'c, 'a>, u64),
    ) -> Value<'c, 'a> {
        let line = builder.difference(k, part.k[0]);
        let line = builder.on_indices("arith.muli", line, builder.index(rows));
        builder.on_indices("arith.addi", start, line)
    }

    /// Tiles of at most `most` rows; the remaining rows are one more. A block of rows ends where a tile does, the last
    /// block with the remaining rows.
    pub(super) fn tiles(
        &self,
        builder: NestBuilder<'s, 'c, 'a>,
        most: u64,
        block: Option<[Value<'c, 'a>; 2]>,
        each: &dyn Fn(NestBuilder<'s, 'c, 'a>, Value<'c, 'a>, u64),
    ) {
        let Some(i) = self.product.i else { return };
        let size = self.nest.sizes[i];
        let whole = size / most * most;
        let all = [0, size].map(|value| builder.index(value));
        let block = block.filter(|block| *block != all);
        for [from, to, rows] in [[0, whole, most], [whole, size, size - whole]] {
            let each = |builder: NestBuilder<'s, 'c, 'a>, at| each(builder, at, rows);
            let range = [from, to, rows].map(|value| builder.index(value));
            match block {
                _ if from == to => {}
                Some([first, end]) if rows == most => {
                    let end = builder.at_most(end, range[1]);
                    builder.each([first, end, range[2]], each);
                }
                Some([_, end]) => builder.each([range[0], end, range[2]], each),
                None if to - from == rows => each(builder, range[0]),
                None => builder.each(range, each),
            }
        }
    }
}
