//! The order of the squares of a transposition in registers.
//!
//! Input: a plane, and the size of all operands. Output: a [`Walk`]. Invariant: the order of the squares, and the
//! prefetches, change no result.

use super::options::{CACHE_LINE, Options};
use super::plane::{Ahead, Plane};

/// Wider than the rows that pay off in a tile.
const WHOLE: u64 = 1 << 12;

/// The order of squares.
pub struct Walk {
    /// Rows and columns of a tile of the cache.
    pub tile: [u64; 2],
    /// In a tile, along the rows of the result, or down its columns.
    pub is_along_rows: bool,
    pub ahead: Ahead,
}

impl Options {
    /// The order in which a transposition in registers goes through the plane. Whole lines of the cache are written
    /// at once in rows that consist of them, so that a tile of small squares is long and narrow. In others, tiles
    /// share the lines at their sides, and other operands are read along rows.
    pub fn walk(
        &self,
        plane: &Plane,
        bytes: u64,
        is_past_caches: bool,
        is_conflicting: bool,
    ) -> Walk {
        let is_larger = bytes >= self.direct_nontemporal_bytes;
        let mut walk = if plane.pairs {
            walk_of_pairs(plane, is_larger, is_past_caches, is_conflicting)
        } else {
            self.walk_of_squares(plane, bytes, is_past_caches, is_conflicting)
        };
        if bytes < self.prefetch_bytes {
            walk.ahead = Ahead::Nothing;
        }
        let own = [self.direct_rows, self.direct_columns];
        for (size, own) in walk.tile.iter_mut().zip(own) {
            *size = own.unwrap_or(*size);
        }
        walk
    }

    fn walk_of_squares(
        &self,
        plane: &Plane,
        bytes: u64,
        is_past_caches: bool,
        is_conflicting: bool,
    ) -> Walk {
        let is_larger = bytes >= self.direct_nontemporal_bytes;
        let is_in_lines =
            (plane.size(plane.j) * plane.nest.element_bytes).is_multiple_of(CACHE_LINE);
        let has_rows = plane.has_rows();
        let is_far = bytes >= self.prefetch_bytes;
        let tile = match () {
            // Prefetched lines stay near until the loop comes back to them, one tile of rows later.
            () if is_past_caches && has_rows && !is_conflicting => [WHOLE, WHOLE],
            () if is_past_caches || (plane.square == 8 && is_larger) => [WHOLE, 128],
            () if plane.square == 8 && is_far && (!has_rows || is_in_lines) => [WHOLE, 256],
            () if has_rows && plane.square == 8 => [8, WHOLE],
            () if plane.square == 8 => [64, 64],
            () if has_rows => [16, WHOLE],
            () if is_in_lines => [512, 8],
            () => [64, 64],
        };
        // Squares that write whole lines do so one after the other; smaller ones write to several rows in turn.
        let is_along_rows = is_past_caches || plane.square == 8;
        let ahead = if is_larger { Ahead::LinesAndRows } else { Ahead::Lines };
        Walk { tile, is_along_rows, ahead }
    }
}

/// In the caches, a tile is two squares high: the rest of the lines it reads is near when the next one needs it.
/// Lines of other operands that compete for places are better read along whole rows. Beyond the caches, a tile writes
/// enough of a row for memory, and reads only as many rows of several columns as are quickly prefetched.
fn walk_of_pairs(
    plane: &Plane,
    is_larger: bool,
    is_past_caches: bool,
    is_conflicting: bool,
) -> Walk {
    let has_rows = plane.has_rows();
    let is_along_rows = is_larger || (has_rows && is_conflicting);
    let (tile, ahead) = match () {
        () if !is_along_rows => ([16, 256], Ahead::Nothing),
        () if !is_larger => ([WHOLE, WHOLE], Ahead::Lines),
        () if !is_past_caches => ([WHOLE, 256], Ahead::Lines),
        () if has_rows && plane.columns() == 1 => ([WHOLE, 512], Ahead::Blocks),
        () => ([WHOLE, 64], Ahead::Blocks),
    };
    Walk { tile, is_along_rows, ahead }
}
