//! Transpositions past the caches into rows that begin anywhere in a line of the cache.
//!
//! A row of 2047 numbers leaves each row at another place in a line. Squares would then write parts of lines, which memory
//! has to be read for. But 8 rows of numbers of 8 bytes later, everything is as before, so what each row of a strip of 8
//! needs is known: a vector of it that fills a line consists of two neighboring squares' vectors.
//!
//! ```text
//!      squares, j ─▶                lines
//!      ┌────────┬────────┬───       ┌────────┬────────┬───
//!      │ 0      │ 8      │ 16       │ 0      │ 8      │          row 0
//!      │ 0      │ 8      │ 16       ─┬────────┬────────┬──        row 1 of 2047: its lines begin at 1, 9, 17
//!      │ 0      │ 8      │ 16       ──┬────────┬────────┬─        row 2: at 2, 10, 18
//! ```
//!
//! A strip goes along its rows and carries the vectors of the last square. Both ends of its rows are written as whole
//! vectors, of which the lines in between write a part again: the same elements.

use super::builder::Place;
use super::nest::Nest;
use super::options::CACHE_LINE;
use super::plane::Plane;
use melior::ir::Value;

/// The numbers in a line, and the rows of a strip.
const LINE: u64 = 8;

/// The elements that a buffer may have in front of its first line: none, or all but the 16 bytes that the C library puts in
/// front of what it allocates.
pub const STARTS: [u64; 2] = [0, 6];

/// True if strips are possible, and pay off: squares or pairs of them have lines as rows, and a column of squares reads at
/// most two lines for each of its rows.
pub fn is_possible(nest: &Nest, plane: &Plane, tile: [u64; 2]) -> bool {
    let is_line = plane.square * nest.element_bytes == CACHE_LINE || plane.pairs;
    let lines = if plane.size(plane.i).is_multiple_of(LINE) { 1 } else { 2 };
    nest.element_bytes * LINE == CACHE_LINE
        && is_line
        && nest.sizes.len() == 2
        && tile == [LINE; 2]
        && plane.columns() * lines <= 2
}

/// Computes a strip from one column to another one, both multiples of 8. `start` is the number of elements in front of the
/// first line of the result, and `ahead` prefetches what is read later, given a place.
pub fn strip<'s, 'c, 'a>(
    place: &Place<'s, 'c, 'a>,
    plane: &Plane<'_, 'c, 'a>,
    [from, to]: [Value<'c, 'a>; 2],
    start: u64,
    ahead: impl Fn(&Place<'s, 'c, 'a>),
) {
    let builder = place.builder;
    let size = plane.size(plane.j);
    // The elements in front of the first line of a row.
    let skipped = |row: u64| (start + LINE - row * size % LINE) % LINE;
    let store = |place: &Place<'s, 'c, 'a>, values: &[Value<'c, 'a>]| {
        for (row, value) in (0..).zip(values) {
            plane.store(place, [row, 0], *value, LINE);
        }
    };
    let first = place.at(plane.j, from);
    let values = vectors(&first, plane);
    store(&first, &values);
    let range = [builder.plus(from, LINE), to, builder.index(LINE)];
    let values = builder.each_with(range, &values, |builder, j, last| {
        let place = place.inside(builder).at(plane.j, j);
        ahead(&place);
        let next = vectors(&place, plane);
        let before = builder.difference(j, builder.index(LINE));
        let lines = place.inside(builder.past_caches(Some(CACHE_LINE))).at(plane.j, before);
        for (row, pair) in (0..).zip(last.iter().zip(&next)) {
            let skipped = skipped(row);
            let mask: Vec<_> = (skipped..skipped + LINE).map(|at| at as i64).collect();
            let line = builder.shuffle([*pair.0, *pair.1], &mask);
            plane.store(&lines, [row, skipped], line, LINE);
        }
        next
    });
    store(&place.at(plane.j, builder.difference(to, builder.index(LINE))), &values);
}

/// The elements of the result in a square, one vector for each row.
fn vectors<'c, 'a>(place: &Place<'_, 'c, 'a>, plane: &Plane<'_, 'c, 'a>) -> Vec<Value<'c, 'a>> {
    let mut rows: Vec<Vec<Value<'c, 'a>>> = vec![Vec::new(); LINE as usize];
    plane.squares(place, [LINE; 2], [0; 2], |[i, j], values, length| {
        rows[i as usize].push(plane.row(place, [i, j], &values, length));
    });
    let whole: Vec<_> = (0..LINE as i64).collect();
    let joined = |parts: Vec<Value<'c, 'a>>| match parts[..] {
        [left, right] => place.builder.shuffle([left, right], &whole),
        _ => parts[0],
    };
    rows.into_iter().map(joined).collect()
}
