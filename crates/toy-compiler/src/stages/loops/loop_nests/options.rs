//! The options of the pass, and what their defaults come from.
//!
//! The sizes of tiles were measured on processors with 32 KiB of first-level and 1 MiB of second-level cache;
//! the results are the same with any others.

use super::nest::Nest;
use super::plane::{self, Plane};
use mlir_support::pass::{OptionValue, PassOption};

/// Numbers of at least 1.
#[derive(Clone, Debug)]
pub struct Options {
    pub vector_bytes: u64,
    pub unroll: u64,
    pub register_tile: u64,
    pub register_bytes: u64,
    pub direct_bytes: u64,
    pub direct_rows: Option<u64>,
    pub direct_columns: Option<u64>,
    pub direct_nontemporal_bytes: u64,
    pub direct_operands: u64,
    pub ahead: u64,
    pub prefetch_bytes: u64,
    pub unpacked_bytes: u64,
    pub block: u64,
    pub rows_bytes: u64,
    pub strips_ahead_bytes: u64,
    pub stage_rows: u64,
    pub stage_columns: u64,
    pub nontemporal_bytes: u64,
    pub nests: u64,
    /// Loops say how many elements they compute, for `toy-parallel-loops`.
    pub parallel: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            vector_bytes: 64,
            unroll: 2,
            register_tile: 8,
            register_bytes: 16,
            direct_bytes: 1 << 20,
            direct_rows: None,
            direct_columns: None,
            direct_nontemporal_bytes: 8 << 20,
            direct_operands: 4,
            ahead: 1,
            prefetch_bytes: 1 << 20,
            unpacked_bytes: 128 << 10,
            block: 384,
            rows_bytes: 512 << 10,
            strips_ahead_bytes: 16 << 20,
            stage_rows: 32,
            stage_columns: 64,
            nontemporal_bytes: 16 << 20,
            nests: 256,
            parallel: false,
        }
    }
}

const fn number(name: &'static str, default: &'static str, help: &'static str) -> PassOption {
    PassOption { name, value: OptionValue::Number, default, help }
}

pub const OPTIONS: &[PassOption] = &[
    number("vector-bytes", "64", "The size of the vectors along a row"),
    number("unroll", "2", "How many of these an iteration of a flat loop computes"),
    number("register-tile", "8", "The side of the tiles that are transposed in registers"),
    number("register-bytes", "16", "The size of the processor's vector registers"),
    number(
        "direct-bytes",
        "1048576",
        "Up to this size of all operands together there is no stage; up to 4 times this, if rows do not compete \
         for places in the caches",
    ),
    number(
        "direct-operands",
        "4",
        "With registers of 32 bytes and more there is no stage for up to so many operands in the order of the result, whatever \
         their size",
    ),
    number(
        "direct-nontemporal-bytes",
        "8388608",
        "From this size of all operands together on, results are written past the caches, without a stage",
    ),
    number(
        "ahead",
        "1",
        "So many cache lines ahead, along their rows, transposed operands are asked for",
    ),
    number(
        "prefetch-bytes",
        "1048576",
        "From this size of all operands together on, transpositions in registers ask for what they read ahead",
    ),
    number(
        "direct-rows",
        "(the shape)",
        "Rows of the result in a tile of the cache, without a stage",
    ),
    number("direct-columns", "(the shape)", "Columns of the result in such a tile"),
    number("stage-rows", "32", "Rows of the result in a tile of the stage"),
    number("stage-columns", "64", "Columns of the result in a tile of the stage"),
    number(
        "nontemporal-bytes",
        "16777216",
        "From this size of all operands together on, results are written past the caches",
    ),
    number(
        "nests",
        "256",
        "How many operations with transpositions get such loops; more are left to convert-linalg-to-loops",
    ),
    number(
        "unpacked-bytes",
        "131072",
        "Up to this size, the panels of a product of matrices are read where they are",
    ),
    number("block", "384", "The rows of a panel that is copied, about"),
    number(
        "rows-bytes",
        "524288",
        "With registers of 32 bytes, rows are copied that take so much, about, to be multiplied by panels",
    ),
    number(
        "strips-ahead-bytes",
        "16777216",
        "From this size of what is read on, blocks of rows that are added ask for the next block",
    ),
    PassOption {
        name: "parallel",
        value: OptionValue::Flag,
        default: "false",
        help: "Loops whose iterations are independent say so, for toy-parallel-loops",
    },
];

impl Options {
    /// Options as `name=value`, separated by white space.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut options = Self::default();
        for option in text.split_whitespace() {
            let (name, value) = option.split_once('=').unwrap_or((option, "true"));
            if name == "parallel" {
                let wanted = |_| format!("`{option}`: true or false is expected");
                options.parallel = value.parse().map_err(wanted)?;
                continue;
            }
            let most = match name {
                "unroll" | "register-tile" => 16,
                "vector-bytes" | "register-bytes" => 1 << 10,
                "ahead" => 1 << 10,
                _ => 1 << 30,
            };
            let number = value.parse().ok().filter(|number| (1..=most).contains(number));
            let wanted = || format!("`{option}`: a number from 1 to {most} is expected");
            let own = |place: &mut Option<u64>| number.map(|number| *place = Some(number));
            let set = |place: &mut u64| number.map(|number| *place = number);
            match name {
                "vector-bytes" => set(&mut options.vector_bytes),
                "unroll" => set(&mut options.unroll),
                "register-tile" => set(&mut options.register_tile),
                "register-bytes" => set(&mut options.register_bytes),
                "direct-nontemporal-bytes" => set(&mut options.direct_nontemporal_bytes),
                "ahead" => set(&mut options.ahead),
                "prefetch-bytes" => set(&mut options.prefetch_bytes),
                "unpacked-bytes" => set(&mut options.unpacked_bytes),
                "block" => set(&mut options.block),
                "rows-bytes" => set(&mut options.rows_bytes),
                "strips-ahead-bytes" => set(&mut options.strips_ahead_bytes),
                "direct-operands" => set(&mut options.direct_operands),
                "direct-bytes" => set(&mut options.direct_bytes),
                "direct-rows" => own(&mut options.direct_rows),
                "direct-columns" => own(&mut options.direct_columns),
                "stage-rows" => set(&mut options.stage_rows),
                "stage-columns" => set(&mut options.stage_columns),
                "nontemporal-bytes" => set(&mut options.nontemporal_bytes),
                "nests" => set(&mut options.nests),
                _ => {
                    return Err(format!(
                        "`{option}`: the pass `toy-loop-nests` has no such option"
                    ));
                }
            }
            .ok_or_else(wanted)?;
        }
        Ok(options)
    }

    /// The elements of a vector along a row: a power of two, and no more than a row has.
    pub fn vector(&self, nest: &Nest) -> u64 {
        let row = nest.sizes.last().copied().unwrap_or(1);
        plane::power_of_two((self.vector_bytes / nest.element_bytes).min(row))
    }

    /// The side of the squares that are transposed at a time: 8 rows that fill a register each are written as
    /// whole lines of the cache. Where registers are smaller, squares of 4 take fewer of them; and where lines
    /// begin anywhere in a row, fewer of their stores are on two lines, which matters in the caches.
    pub fn square(&self, nest: &Nest, has_rows: bool) -> u64 {
        let row = nest.sizes.last().map_or(0, |size| size * nest.element_bytes);
        let is_full = nest.element_bytes == 8 && self.register_bytes >= CACHE_LINE;
        let is_far = nest.bytes() >= self.direct_nontemporal_bytes;
        if is_full && (has_rows || is_far || row.is_multiple_of(CACHE_LINE)) { 8 } else { 4 }
    }

    /// Whether two squares beside each other are written as whole lines of the cache: registers are half of one.
    pub fn pairs(&self, nest: &Nest) -> bool {
        nest.element_bytes == 8 && self.register_bytes * 2 == CACHE_LINE
    }

    /// How a transposition in registers goes through the plane. Whole lines of the cache are written at once in
    /// rows that consist of them, so that a tile of small squares is long and narrow. In others, tiles share the
    /// lines at their sides, and other operands are read along rows.
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
        let is_in_lines = (plane.sizes[plane.j] * plane.element_bytes).is_multiple_of(CACHE_LINE);
        let has_rows = plane.has_rows();
        let is_far = bytes >= self.prefetch_bytes;
        let tile = match () {
            // What is asked for stays near until the loop comes back to it, one tile of rows later.
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

/// How squares follow each other.
pub struct Walk {
    /// Rows and columns of a tile of the cache.
    pub tile: [u64; 2],
    /// In a tile, along the rows of the result, or down its columns.
    pub is_along_rows: bool,
    pub ahead: Ahead,
}

/// What is asked for before it is needed.
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

/// In the caches, a tile is two squares high: what is left of the lines it reads is near when the next one
/// needs it. Lines of other operands that compete for places are better read along whole rows. Past the caches,
/// a tile writes enough of a row for memory, and reads no more rows of several columns than are quickly asked for.
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

pub const CACHE_LINE: u64 = 64;

/// Wider than the rows that pay off in a tile.
const WHOLE: u64 = 1 << 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_those_that_are_written_down() {
        let numbers = OPTIONS.iter().filter(|option| option.default.parse::<u64>().is_ok());
        let text: Vec<_> =
            numbers.map(|option| format!("{}={}", option.name, option.default)).collect();
        let parsed = Options::parse(&text.join(" ")).unwrap_or_default();
        assert_eq!(format!("{parsed:?}"), format!("{:?}", Options::default()));
    }
}
