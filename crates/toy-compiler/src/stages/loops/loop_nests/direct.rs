//! Transpositions in registers: tiles of 8 x 8 elements, read along the columns, written along the rows.
//!
//! Values that depend on columns alone are computed before the transposition, in the layout of the operands: the
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
//! With the largest registers a square is a whole tile of 8 x 8, whose rows are lines of the cache: they are written
//! one after the other along the rows of the result. With registers of half that size, two squares of 4 side by side
//! are written so. Results larger than the caches are written with non-temporal stores, if all rows begin with a
//! line, or in [strips](skewed). A column is read in lines that are a row apart, which no processor expects: from the
//! size of the
//! second-level cache on, a tile prefetches the lines to the right of its own, which the next tiles read.
//!
//! A tile at the end of a dimension is moved back to end with it. It computes elements again that others have
//! written, but does not write them: the result may be one of the rows.

use super::Options;
use super::builder::{NestBuilder, Place};
use super::nest::Nest;
use super::options::CACHE_LINE;
use super::plane::Plane;
use super::skewed;
use melior::ir::Value;

pub fn build<'c, 'a>(
    builder: NestBuilder<'_, 'c, 'a>,
    nest: &Nest<'c, 'a>,
    i: usize,
    is_past_caches: bool,
    options: &Options,
) {
    let plane = Plane::new(builder, nest, i, options);
    let [tile_i, tile_j] = plane.micro(options);
    let square = plane.square;
    let [groups_i, groups_j] = [(plane.i, tile_i), (plane.j, tile_j)]
        .map(|(dimension, tile)| groups(plane.size(dimension), tile, square));
    let elements = options.parallel_work(nest);
    let line = CACHE_LINE / nest.element_bytes;
    let is_whole = |size: u64| size.is_multiple_of(line);
    // If lines begin anywhere in a row, the next tile shares the next line with this one.
    let ahead = line * (options.ahead + u64::from(!is_whole(plane.size(plane.i))));
    // Given the first column that begins a line, the tiles begin there, in lines.
    let nest_of = |builder: NestBuilder<'_, 'c, 'a>, stores: Stores, first: Option<_>| {
        let (past_caches, start) = match stores {
            Stores::Cached => (None, None),
            Stores::Lines(alignment) => (Some(alignment), None),
            Stores::Strips(start) => (None, Some(start)),
        };
        let is_past_caches = past_caches.is_some() || start.is_some();
        let is_conflicting = super::is_conflicting(nest, i);
        let walk = options.walk(&plane, nest.bytes(), is_past_caches, is_conflicting);
        let [rows, columns] = walk.tile;
        // The ends of a strip are parts of lines.
        let columns = if start.is_some() { STRIP / plane.columns() as u64 } else { columns };
        let cache = [rows.next_multiple_of(tile_i), columns.next_multiple_of(tile_j)];
        let builder = builder.past_caches(past_caches);
        plane.around(builder.parallel(elements), |place| {
            for group_j in &groups_j {
                for group_i in &groups_i {
                    // Tiles of the cache are for two loops.
                    let is_tiled = [group_i, group_j].iter().all(|group| group.looped().is_some());
                    let [rows, columns] = if is_tiled { cache } else { [u64::MAX; 2] };
                    let bounds = first.map(|first| whole_steps(place.builder, first, group_j));
                    group_j.tiles(place.builder, columns, bounds, |builder, range_j| {
                        group_i.tiles(builder, rows, None, |builder, range_i| {
                            let prefetch = |corner: &Place<'_, 'c, 'a>| {
                                plane.prefetch(corner, [tile_i, tile_j], walk.ahead, ahead);
                            };
                            if let Some(start) = start.filter(|_| is_tiled) {
                                return group_i.steps(builder, range_i, |builder, at_i| {
                                    let at_i = at_i.expect("there is a loop");
                                    let place = place.inside(builder).at(plane.i, at_i);
                                    skewed::strip(&place, &plane, range_j, start, prefetch);
                                });
                            }
                            let step =
                                |builder: NestBuilder<'_, 'c, 'a>,
                                 at: [Option<Value<'c, 'a>>; 2]| {
                                    let place = place.inside(builder);
                                    if let [Some(i), Some(j)] = at {
                                        prefetch(&place.at(plane.i, i).at(plane.j, j));
                                    }
                                    group(&place, &plane, at, [group_i, group_j]);
                                };
                            if walk.is_along_rows {
                                group_i.steps(builder, range_i, |builder, at_i| {
                                    group_j.steps(builder, range_j, |builder, at_j| {
                                        step(builder, [at_i, at_j]);
                                    });
                                });
                            } else {
                                group_j.steps(builder, range_j, |builder, at_j| {
                                    group_i.steps(builder, range_i, |builder, at_i| {
                                        step(builder, [at_i, at_j]);
                                    });
                                });
                            }
                        });
                    });
                }
            }
        });
    };
    let are_whole = is_whole(tile_j) && is_whole(plane.size(plane.j));
    if !is_past_caches || !(are_whole || skewed::is_possible(nest, &plane, [tile_i, tile_j])) {
        return nest_of(builder, Stores::Cached, None);
    }
    let from = builder.misalignment(nest.output.buffer, CACHE_LINE, nest.element_bytes);
    if !are_whole {
        let [usual, other] = skewed::STARTS;
        let strips = |builder, start| nest_of(builder, Stores::Strips(start), None);
        return builder.if_zero(
            from,
            |builder| strips(builder, usual),
            |builder| {
                let from = builder.difference(from, builder.index(other));
                let cached = |builder| nest_of(builder, Stores::Cached, None);
                builder.if_zero(from, |builder| strips(builder, other), cached);
            },
        );
    }
    // A step writes whole lines of the cache, if all rows begin with one.
    let lines = Stores::Lines(square * nest.element_bytes);
    let misaligned = |builder: NestBuilder<'_, 'c, 'a>| {
        let [group_j] = &groups_j[..] else { return nest_of(builder, Stores::Cached, None) };
        let Some(piece) = group_j.looped().filter(|_| plane.pairs) else {
            return nest_of(builder, Stores::Cached, None);
        };
        // Both sides of the rows, of which the lines in between write a part again: the same elements.
        let side = |from| Piece { from, to: from + piece.step, ..piece };
        let sides = Group { pieces: vec![side(piece.from), side(piece.to - piece.step)] };
        plane.around(builder.parallel(elements), |place| {
            for group_i in &groups_i {
                group_i.tiles(place.builder, u64::MAX, None, |builder, range_i| {
                    group_i.steps(builder, range_i, |builder, at_i| {
                        group(&place.inside(builder), &plane, [at_i, None], [group_i, &sides]);
                    });
                });
            }
        });
        nest_of(builder, lines, Some(from));
    };
    builder.if_zero(from, |builder| nest_of(builder, lines, None), misaligned);
}

/// How the result is written.
#[derive(Clone, Copy)]
enum Stores {
    Cached,
    /// Past the caches, in vectors that are aligned to so many bytes.
    Lines(u64),
    /// Past the caches, in strips, given what is in front of the first line.
    Strips(u64),
}

/// The columns of a strip that reads one operand: as many lines are prefetched before the next strip needs them.
const STRIP: u64 = 1 << 11;

/// From a column on, as many steps as end in a dimension.
fn whole_steps<'c, 'a>(
    builder: NestBuilder<'_, 'c, 'a>,
    first: Value<'c, 'a>,
    group: &Group,
) -> Range<'c, 'a> {
    let Some(piece) = group.looped() else { return [first; 2] };
    let rest = builder.difference(builder.index(piece.to), first);
    let over = builder.on_indices("arith.andi", rest, builder.index(piece.step - 1));
    [first, builder.difference(builder.index(piece.to), over)]
}

/// Tiles at an `i` and a `j`; None without a loop over it.
fn group<'c, 'a>(
    place: &Place<'_, 'c, 'a>,
    plane: &Plane<'_, 'c, 'a>,
    [at_i, at_j]: [Option<Value<'c, 'a>>; 2],
    [group_i, group_j]: [&Group; 2],
) {
    for piece_j in &group_j.pieces {
        for piece_i in &group_i.pieces {
            let start = |at: Option<_>, piece: &Piece| {
                at.unwrap_or_else(|| place.builder.index(piece.from))
            };
            let corner = place.at(plane.i, start(at_i, piece_i)).at(plane.j, start(at_j, piece_j));
            tile(&corner, plane, [piece_i, piece_j]);
        }
    }
}

fn tile<'c, 'a>(place: &Place<'_, 'c, 'a>, plane: &Plane<'_, 'c, 'a>, pieces: [&Piece; 2]) {
    let [skip_i, skip_j] = pieces.map(|piece| piece.skip);
    plane.squares(
        place,
        pieces.map(|piece| piece.step),
        [skip_i, skip_j],
        |[i, j], values, length| {
            if i < skip_i {
                return;
            }
            let row = plane.row(place, [i, j], &values, length);
            place.builder.rest(row, length, skip_j.saturating_sub(j), |from, value, part| {
                plane.store(place, [i, j + from], value, part);
            });
        },
    );
}

/// Pieces of a dimension that are computed together: a piece with a loop, or single steps without one.
struct Group {
    pieces: Vec<Piece>,
}

/// All steps of a dimension up to this size are computed together.
const UNROLLED: u64 = 16;

fn groups(size: u64, tile: u64, square: u64) -> Vec<Group> {
    let pieces = pieces(size, tile, square);
    if size > UNROLLED {
        return pieces.into_iter().map(|piece| Group { pieces: vec![piece] }).collect();
    }
    let steps = |piece: Piece| {
        let starts = (piece.from..piece.to).step_by(piece.step as usize);
        starts.map(move |from| Piece { from, to: from + piece.step, ..piece })
    };
    vec![Group { pieces: pieces.into_iter().flat_map(steps).collect() }]
}

/// A part of a dimension in steps that divide it.
#[derive(Clone, Copy)]
struct Piece {
    from: u64,
    to: u64,
    step: u64,
    /// The number of elements at the start of a step that are not written.
    skip: u64,
}

/// From, to.
type Range<'c, 'a> = [Value<'c, 'a>; 2];

/// A dimension in steps of `tile`, and the rest: at least a square, if the dimension has one.
fn pieces(size: u64, tile: u64, square: u64) -> Vec<Piece> {
    let whole = size / tile * tile;
    let mut pieces = vec![Piece { from: 0, to: whole, step: tile, skip: 0 }];
    if whole < size {
        let left = size - whole;
        let step = left.next_power_of_two().max(tile.min(square));
        pieces.push(Piece { from: size - step, to: size, step, skip: step - left });
    }
    pieces
}

impl Group {
    /// The piece that needs a loop.
    fn looped(&self) -> Option<Piece> {
        let [piece] = self.pieces[..] else { return None };
        (piece.to - piece.from > piece.step).then_some(piece)
    }

    /// A loop over tiles, if there are several; over a part of the dimension, if there are bounds.
    fn tiles<'s, 'c, 'a>(
        &self,
        builder: NestBuilder<'s, 'c, 'a>,
        tile: u64,
        bounds: Option<Range<'c, 'a>>,
        body: impl FnOnce(NestBuilder<'s, 'c, 'a>, Range<'c, 'a>),
    ) {
        let Some(piece) = self.looped() else { return body(builder, [builder.index(0); 2]) };
        let whole = [piece.from, piece.to].map(|value| builder.index(value));
        let [from, end] = bounds.unwrap_or(whole);
        if piece.to - piece.from <= tile || piece.step == tile {
            return body(builder, [from, end]);
        }
        let are_even = bounds.is_none() && (piece.to - piece.from).is_multiple_of(tile);
        builder.parts_between([from, end], tile, are_even, body);
    }

    /// The steps in a tile.
    fn steps<'s, 'c, 'a>(
        &self,
        builder: NestBuilder<'s, 'c, 'a>,
        [from, to]: Range<'c, 'a>,
        body: impl FnOnce(NestBuilder<'s, 'c, 'a>, Option<Value<'c, 'a>>),
    ) {
        let Some(piece) = self.looped() else { return body(builder, None) };
        builder.each([from, to, builder.index(piece.step)], |builder, at| body(builder, Some(at)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::options::power_of_two;
    use super::*;

    #[test]
    fn pieces_write_a_dimension_once() {
        for size in 1..100 {
            for square in [4, 8] {
                let mut next = 0;
                for piece in pieces(size, power_of_two(size.min(8)), square) {
                    assert_eq!((piece.to - piece.from) % piece.step, 0);
                    assert_eq!(piece.from + piece.skip, next);
                    next = piece.to;
                }
                assert_eq!(next, size);
            }
        }
    }
}
