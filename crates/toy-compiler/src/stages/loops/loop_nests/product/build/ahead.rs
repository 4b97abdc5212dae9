//! The prefetches of tiles: the rows of the next tile, the next panel, and the next block of rows.
//!
//! Invariant: only addresses in the operands are prefetched.

use super::super::super::builder::Place;
use super::super::super::options::CACHE_LINE;
use super::super::{Kind, Panel, Product};
use super::{Loops, Part};
use melior::ir::Value;

/// The maximum number of lines of the next panel that are prefetched for each row of a tile.
const LINES_OF_ROW: u64 = 4;

impl<'s, 'c: 's, 'a: 's> Loops<'_, 'c, 'a> {
    /// Prefetches the rows of the next tile: the rows of the result, and the starts of the rows that it is multiplied
    /// by. A tile takes long enough for them to come from the last cache.
    pub(super) fn ask_for_next(
        &self,
        place: &Place<'s, 'c, 'a>,
        panel: &Panel,
        part: Part<'c, 'a>,
        rows: u64,
    ) {
        let Some(i) = self.product.i else { return };
        if self.rows.is_some() {
            return self.ask_for_next_panel(place, panel, part, rows);
        }
        let builder = place.builder;
        let last = builder.index(self.nest.sizes[i] - 1);
        for offset in rows..2 * rows {
            let row = builder.at_most(builder.plus(place.indices[i], offset), last);
            let row = place.at(i, row);
            self.ask_for_line(&row, panel);
            let start = row.at(self.product.k, part.k[0]);
            for operand in self.single_operands().filter(|it| it.dimensions.contains(&i)) {
                start.ask_for(operand);
            }
        }
    }

    /// If rows are copied, prefetches the rows of the next tile of the result, and a part of the next panel: all
    /// tiles of a block together prefetch all of it, or most.
    fn ask_for_next_panel(
        &self,
        place: &Place<'s, 'c, 'a>,
        panel: &Panel,
        part: Part<'c, 'a>,
        rows: u64,
    ) {
        let builder = place.builder;
        let (Some(i), Some([first, _])) = (self.product.i, part.rows) else { return };
        let Product { k, j, block, copied_rows, .. } = *self.product;
        let [row, column] = [i, j].map(|dimension| place.indices[dimension]);
        // Not further than to the end.
        let upto = |index, dimension: usize, count: u64| {
            let last = builder.index(self.nest.sizes[dimension].saturating_sub(count));
            builder.at_most(index, last)
        };
        let next = place.at(i, upto(builder.plus(row, rows), i, rows));
        for offset in 0..rows {
            self.ask_for_line(&next.on(i, offset), panel);
        }
        let lines = block.div_ceil(copied_rows).min(LINES_OF_ROW) * rows;
        let share = builder.difference(row, first);
        let share = builder.on_indices("arith.muli", share, builder.index(lines / rows));
        let share = builder.on_indices("arith.addi", part.k[0], share);
        let share = upto(share, k, lines);
        // A panel may begin anywhere in a line, which the one before it reads, too; the next line is new.
        let column = upto(builder.plus(column, 2 * panel.width - 1), j, 1);
        // The row of the tile does not matter to panels.
        let start = place.at(j, column).at(k, share);
        for line in 0..lines.min(self.nest.sizes[k]) {
            self.ask_for_columns(&start.on(k, line));
        }
    }

    /// Prefetches the columns of a panel in a row of the result, which may begin anywhere in a line of the cache.
    fn ask_for_line(&self, row: &Place<'s, 'c, 'a>, panel: &Panel) {
        let line = CACHE_LINE / self.nest.element_bytes;
        for column in (0..panel.width).step_by(line as usize).chain([panel.width - 1]) {
            row.on(self.product.j, column).ask_for(&self.nest.output);
        }
    }

    /// Prefetches the row in the place of this one in the next block of rows, the columns of a panel. `from` is the
    /// first row of this block.
    pub(super) fn ask_for_next_strip(
        &self,
        place: &Place<'s, 'c, 'a>,
        panel: &Panel,
        from: Value<'c, 'a>,
    ) {
        let builder = place.builder;
        let Product { k, j, block, .. } = *self.product;
        // Not further than to the end.
        let last = builder.index(self.nest.sizes[k].saturating_sub(block));
        let next = builder.at_most(builder.plus(from, block), last);
        let distance = builder.difference(next, from);
        let strip = place.at(k, builder.on_indices("arith.addi", place.indices[k], distance));
        let line = CACHE_LINE / self.nest.element_bytes;
        for offset in (0..panel.width).step_by(line as usize) {
            self.ask_for_columns(&strip.on(j, offset));
        }
    }

    /// Prefetches the elements at some indices of all operands that panels are read from.
    fn ask_for_columns(&self, place: &Place<'s, 'c, 'a>) {
        for operand in &self.nest.inputs {
            if self.product.kind(self.nest, operand) == Kind::Panel {
                place.ask_for(operand);
            }
        }
    }
}
