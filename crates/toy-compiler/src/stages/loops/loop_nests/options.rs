//! The options of the pass, and their defaults.
//!
//! The sizes of tiles were measured on processors with 32 KiB of first-level and 1 MiB of second-level cache;
//! the results are the same with any others.

use super::nest::Nest;
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
    /// Marks loops with the number of elements that they compute, for `toy-parallel-loops`.
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
        power_of_two((self.vector_bytes / nest.element_bytes).min(row))
    }

    /// The side of the squares that are transposed at a time: 8 rows that fill a register each are written as
    /// whole lines of the cache. If registers are smaller, squares of 4 take fewer of them; and if lines begin
    /// anywhere in a row, fewer of their stores are on two lines, which matters in the caches.
    pub fn square(&self, nest: &Nest, has_rows: bool) -> u64 {
        let row = nest.sizes.last().map_or(0, |size| size * nest.element_bytes);
        let is_full = nest.element_bytes == 8 && self.register_bytes >= CACHE_LINE;
        let is_far = nest.bytes() >= self.direct_nontemporal_bytes;
        if is_full && (has_rows || is_far || row.is_multiple_of(CACHE_LINE)) { 8 } else { 4 }
    }

    /// True if two squares side by side are written as whole lines of the cache: registers are half a line.
    pub fn pairs(&self, nest: &Nest) -> bool {
        nest.element_bytes == 8 && self.register_bytes * 2 == CACHE_LINE
    }
}

/// The largest power of two that is not above a number.
pub fn power_of_two(number: u64) -> u64 {
    1 << number.max(1).ilog2()
}

pub const CACHE_LINE: u64 = 64;

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
