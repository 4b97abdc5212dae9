//! Transpositions in registers: tiles of 8 x 8 elements, read along the columns, written along the rows.
//!
//! What depends on columns alone is computed before the transposition, in the layout of the operands: the
//! whole of `transpose(a) * transpose(b)`, which is transposed once.
//!
//! ```text
//!       input, i ─▶                          result, j ─▶
//!    j  ┌───┬───┬───┐                     i  ┌───┬───┬─
//!    ▼  │ 1 │ 2 │ 3 │ …                   ▼  │ 1 │   │
//!       ├───┼───┼───┤        shuffles        ├───┼───┼─
//!       │   │   │   │       ─────────▶       │ 2 │   │
//! ```
//!
//! The tiles at the ends of the dimensions are moved back to end with them: they repeat a part of what others
//! have done. So the result must be distinct from every operand.

use super::Options;
use super::builder::Builder;
use super::nest::Nest;
use super::plane::{Plane, moved_back};
use melior::ir::Value;

pub fn build<'c, 'a>(
    builder: Builder<'_, 'c, 'a>,
    nest: &Nest<'c, 'a>,
    i: usize,
    options: &Options,
) {
    let plane = Plane::new(builder, nest, i);
    let micro = plane.micro(options);
    let sizes = [plane.i, plane.j].map(|dimension| plane.sizes[dimension]);
    plane.around(builder, |builder, indices| {
        let tiles = [options.direct_rows, options.direct_columns];
        let cache = [Dimension::new(sizes[0], tiles[0], micro[0]), Dimension::new(sizes[1], tiles[1], micro[1])];
        cache[1].tiles(builder, |builder, range_j| {
            cache[0].tiles(builder, |builder, range_i| {
                cache[1].steps(builder, range_j, |builder, at_j| {
                    cache[0].steps(builder, range_i, |builder, at_i| {
                        let mut indices = indices.clone();
                        indices[plane.i] = at_i;
                        indices[plane.j] = at_j;
                        if options.prefetch > 0 {
                            let ahead = builder.plus(at_i, options.prefetch);
                            let ahead = builder.on_indices("arith.minui", ahead, builder.index(sizes[0] - micro[0]));
                            for k in 0..micro[0] {
                                let mut indices = indices.clone();
                                indices[plane.i] = builder.plus(ahead, k);
                                plane.prefetch_output(builder, &indices);
                            }
                        }
                        if options.prefetch_in > 0 {
                            let ahead = builder.plus(at_i, options.prefetch_in);
                            let ahead = builder.on_indices("arith.minui", ahead, builder.index(sizes[0] - micro[0]));
                            for k in 0..micro[1] {
                                let mut indices = indices.clone();
                                indices[plane.i] = ahead;
                                indices[plane.j] = builder.plus(at_j, k);
                                plane.prefetch_columns(builder, &indices);
                            }
                        }
                        tile(builder, &plane, &indices, micro);
                    });
                });
            });
        });
    });
}

fn tile<'c, 'a>(
    builder: Builder<'_, 'c, 'a>,
    plane: &Plane<'c, 'a>,
    indices: &[Value<'c, 'a>],
    micro: [u64; 2],
) {
    plane.squares(builder, indices, micro, |[i, j], values, length| {
        let mut indices = indices.to_vec();
        indices[plane.i] = builder.plus(indices[plane.i], i);
        indices[plane.j] = builder.plus(indices[plane.j], j);
        let value = plane.row(builder, &indices, &values, length);
        plane.store(builder, &indices, value, length);
    });
}

/// A dimension in tiles of the cache, and these in steps of registers.
struct Dimension {
    size: u64,
    tile: u64,
    step: u64,
}

/// From, to.
type Range<'c, 'a> = [Value<'c, 'a>; 2];

impl Dimension {
    fn new(size: u64, tile: u64, step: u64) -> Self {
        let tile = tile.next_multiple_of(step);
        Self { size, tile, step }
    }

    /// A loop over tiles, if there are several.
    fn tiles<'s, 'c, 'a>(
        &self,
        builder: Builder<'s, 'c, 'a>,
        body: impl FnOnce(Builder<'s, 'c, 'a>, Range<'c, 'a>),
    ) {
        let [zero, size, tile] = [0, self.size, self.tile].map(|value| builder.index(value));
        if self.size <= self.tile || self.tile == self.step {
            return body(builder, [zero, size]);
        }
        builder.each([zero, size, tile], |builder, from| {
            let mut to = builder.plus(from, self.tile);
            if self.size % self.tile > 0 {
                to = builder.on_indices("arith.minui", to, size);
            }
            body(builder, [from, to]);
        });
    }

    /// The steps in a tile.
    fn steps<'s, 'c, 'a>(
        &self,
        builder: Builder<'s, 'c, 'a>,
        [from, to]: Range<'c, 'a>,
        body: impl FnOnce(Builder<'s, 'c, 'a>, Value<'c, 'a>),
    ) {
        builder.each([from, to, builder.index(self.step)], |builder, mut at| {
            if self.size % self.step > 0 {
                at = moved_back(builder, at, builder.index(self.size), self.step);
            }
            body(builder, at);
        });
    }
}
