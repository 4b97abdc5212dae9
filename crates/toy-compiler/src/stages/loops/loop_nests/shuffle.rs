//! Transposes a small square of elements in vectors.
//!
//! Two steps of shuffles that every processor has: pairs of rows are interleaved, then pairs of pairs. On
//! x86-64 these are `unpcklpd` and `unpckhpd`, `vperm2f128` and `vinsertf128` (without AVX, the second step
//! is a renaming of registers), on AArch64 `zip1` and `zip2`.
//!
//! ```text
//!   a0 a1 a2 a3      a0 b0 a2 b2      a0 b0 c0 d0
//!   b0 b1 b2 b3  ──▶ a1 b1 a3 b3  ──▶ a1 b1 c1 d1
//!   c0 c1 c2 c3      c0 d0 c2 d2      a2 b2 c2 d2
//!   d0 d1 d2 d3      c1 d1 c3 d3      a3 b3 c3 d3
//! ```

use super::builder::NestBuilder;
use melior::ir::Value;

/// The rows of the largest square.
pub const LARGEST_SQUARE: u64 = 8;

/// Transposes a square of 1, 2, 4 or 8 rows; 8 only of elements of 8 bytes. Elements of 4 bytes take other
/// shuffles, of 16 bytes each.
pub fn transpose<'c, 'a>(
    builder: NestBuilder<'_, 'c, 'a>,
    rows: &[Value<'c, 'a>],
    element_bytes: u64,
) -> Vec<Value<'c, 'a>> {
    let pair = |at: usize, other: usize, values: &[Value<'c, 'a>], mask: &[i64]| {
        builder.shuffle([values[at], values[other]], mask)
    };
    if rows.len() == 1 {
        return rows.to_vec();
    }
    if rows.len() == 8 {
        return transpose_8(builder, rows);
    }
    if rows.len() == 2 {
        return vec![pair(0, 1, rows, &[0, 2]), pair(0, 1, rows, &[1, 3])];
    }
    let low = [0, 1, 4, 5];
    let high = [2, 3, 6, 7];
    let (even, odd) = match element_bytes {
        4 => ([0, 4, 1, 5], [2, 6, 3, 7]),
        _ => ([0, 4, 2, 6], [1, 5, 3, 7]),
    };
    let pairs = [
        pair(0, 1, rows, &even),
        pair(0, 1, rows, &odd),
        pair(2, 3, rows, &even),
        pair(2, 3, rows, &odd),
    ];
    match element_bytes {
        4 => vec![
            pair(0, 2, &pairs, &low),
            pair(0, 2, &pairs, &high),
            pair(1, 3, &pairs, &low),
            pair(1, 3, &pairs, &high),
        ],
        _ => vec![
            pair(0, 2, &pairs, &low),
            pair(1, 3, &pairs, &low),
            pair(0, 2, &pairs, &high),
            pair(1, 3, &pairs, &high),
        ],
    }
}

/// In three steps: pairs, then halves that are 16 bytes apart, twice. With AVX-512 these are `vunpcklpd`,
/// `vunpckhpd` and `vshuff64x2`.
fn transpose_8<'c, 'a>(
    builder: NestBuilder<'_, 'c, 'a>,
    rows: &[Value<'c, 'a>],
) -> Vec<Value<'c, 'a>> {
    const EVEN: [i64; 8] = [0, 8, 2, 10, 4, 12, 6, 14];
    const ODD: [i64; 8] = [1, 9, 3, 11, 5, 13, 7, 15];
    const LOW: [i64; 8] = [0, 1, 4, 5, 8, 9, 12, 13];
    const HIGH: [i64; 8] = [2, 3, 6, 7, 10, 11, 14, 15];
    let round = |values: &[Value<'c, 'a>], [first, second]: [usize; 2], masks: [&[i64]; 2]| {
        masks.map(|mask| builder.shuffle([values[first], values[second]], mask))
    };
    let pairs: Vec<_> =
        [[0, 1], [2, 3], [4, 5], [6, 7]].map(|of| round(rows, of, [&EVEN, &ODD])).concat();
    // Each half of the rows: columns 0 and 4, 2 and 6; then 1 and 5, 3 and 7.
    let fours: Vec<_> =
        [[0, 2], [4, 6], [1, 3], [5, 7]].map(|of| round(&pairs, of, [&LOW, &HIGH])).concat();
    let [of_0, of_2, of_1, of_3] =
        [[0, 2], [1, 3], [4, 6], [5, 7]].map(|of| round(&fours, of, [&LOW, &HIGH]));
    [of_0, of_1, of_2, of_3]
        .map(|of| of[0])
        .into_iter()
        .chain([of_0, of_1, of_2, of_3].map(|of| of[1]))
        .collect()
}
