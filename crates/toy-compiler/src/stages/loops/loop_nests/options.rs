//! The options of the pass: each with its name, its default, its limit and its help in one place.
//!
//! The sizes of tiles were measured on processors with 32 KiB of first-level and 1 MiB of second-level cache;
//! the results are the same with any others.

use super::nest::Nest;
use crate::dialect::enums::is_mathematics;
use mlir_support::ir;
use mlir_support::pass::{OptionValue, PassOption};

/// The limit of most options.
const LARGE: u64 = 1 << 30;

/// A kind of option.
trait Setting: Sized {
    const VALUE: OptionValue;

    /// The value that a text says; None if it says none, or one above the limit.
    fn read(text: &str, most: u64) -> Option<Self>;

    fn expected(most: u64) -> String {
        format!("a number from 1 to {most} is expected")
    }
}

impl Setting for u64 {
    const VALUE: OptionValue = OptionValue::Number;

    fn read(text: &str, most: u64) -> Option<Self> {
        text.parse().ok().filter(|number| (1..=most).contains(number))
    }
}

/// A number that follows from the operation, unless it is given.
impl Setting for Option<u64> {
    const VALUE: OptionValue = OptionValue::Number;

    fn read(text: &str, most: u64) -> Option<Self> {
        if text == THE_SHAPE { Some(None) } else { u64::read(text, most).map(Some) }
    }
}

/// The terms of a product that take as long as an addition to an element in memory.
const TERMS: u64 = 8;

/// The additions that take as long as a function such as `exp`.
const FUNCTION: u64 = 8;

/// The default of a size that follows from the shape.
const THE_SHAPE: &str = "(the shape)";

/// Makes the struct, its defaults, and the descriptions: `"name" field: type = default, limit, help;`.
macro_rules! options {
    ($($name:literal $field:ident: $ty:ty = $default:expr, $most:expr, $help:literal;)*) => {
        /// Numbers of at least 1.
        #[derive(Clone, Debug)]
        pub struct Options {
            $(#[doc = $help] pub $field: $ty,)*
        }

        impl Default for Options {
            fn default() -> Self {
                Self { $($field: Setting::read($default, $most).expect("a valid default"),)* }
            }
        }

        pub const OPTIONS: &[PassOption] = &[$(PassOption {
            name: $name,
            value: <$ty as Setting>::VALUE,
            default: $default,
            help: $help,
        },)*];

        impl Options {
            /// Sets an option.
            fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
                match name {
                    $($name => {
                        let expected = || <$ty as Setting>::expected($most);
                        self.$field = Setting::read(value, $most).ok_or_else(expected)?;
                    })*
                    _ => return Err("the pass `toy-loop-nests` has no such option".to_owned()),
                }
                Ok(())
            }
        }
    };
}

options! {
    "vector-bytes" vector_bytes: u64 = "64", 1 << 10, "The size of the vectors along a row";
    "unroll" unroll: u64 = "2", 16, "How many of these an iteration of a flat loop computes";
    "register-tile" register_tile: u64 = "8", 16,
        "The side of the tiles that are transposed in registers";
    "register-bytes" register_bytes: u64 = "16", 1 << 10,
        "The size of the processor's vector registers";
    "direct-bytes" direct_bytes: u64 = "1048576", LARGE,
        "Up to this size of all operands together there is no stage; up to 4 times this, if rows do not compete \
         for places in the caches";
    "direct-operands" direct_operands: u64 = "4", LARGE,
        "With registers of 32 bytes and more there is no stage for up to so many operands in the order of the result, whatever \
         their size";
    "direct-nontemporal-bytes" direct_nontemporal_bytes: u64 = "8388608", LARGE,
        "From this size of all operands together on, results are written past the caches, without a stage";
    "ahead" ahead: u64 = "1", 1 << 10,
        "So many cache lines ahead, along their rows, transposed operands are asked for";
    "prefetch-bytes" prefetch_bytes: u64 = "1048576", LARGE,
        "From this size of all operands together on, transpositions in registers ask for what they read ahead";
    "direct-rows" direct_rows: Option<u64> = THE_SHAPE, LARGE,
        "Rows of the result in a tile of the cache, without a stage";
    "direct-columns" direct_columns: Option<u64> = THE_SHAPE, LARGE,
        "Columns of the result in such a tile";
    "stage-rows" stage_rows: u64 = "32", LARGE, "Rows of the result in a tile of the stage";
    "stage-columns" stage_columns: u64 = "64", LARGE, "Columns of the result in a tile of the stage";
    "nontemporal-bytes" nontemporal_bytes: u64 = "16777216", LARGE,
        "From this size of all operands together on, results are written past the caches";
    "nests" nests: u64 = "256", LARGE,
        "How many operations with transpositions get such loops; more are left to convert-linalg-to-loops";
    "unpacked-bytes" unpacked_bytes: u64 = "131072", LARGE,
        "Up to this size, the panels of a product of matrices are read where they are";
    "block" block: u64 = "384", LARGE, "The rows of a panel that is copied, about";
    "rows-bytes" rows_bytes: u64 = "524288", LARGE,
        "With registers of 32 bytes, rows are copied that take so much, about, to be multiplied by panels";
    "strips-ahead-bytes" strips_ahead_bytes: u64 = "16777216", LARGE,
        "From this size of what is read on, blocks of rows that are added ask for the next block";
    "threads" threads: u64 = "1", 255,
        "With more than 1, loops whose iterations are independent say so, for toy-parallel-loops";
}

impl Options {
    /// Options as `name=value`, separated by white space.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut options = Self::default();
        for option in text.split_whitespace() {
            let (name, value) = option.split_once('=').unwrap_or((option, "true"));
            options.set(name, value).map_err(|error| format!("`{option}`: {error}"))?;
        }
        Ok(options)
    }

    /// The work of a nest whose iterations threads may share: the number of additions that take as long.
    pub fn parallel_work(&self, nest: &Nest) -> Option<u64> {
        let iterations = nest.sizes.iter().fold(1, |all: u64, size| all.saturating_mul(*size));
        let has_functions =
            ir::block_operations(nest.body).iter().any(|it| is_mathematics(ir::name(it)));
        (self.threads > 1).then_some(match () {
            () if nest.reduced.is_some() => iterations / TERMS,
            () if has_functions => iterations.saturating_mul(FUNCTION),
            () => iterations,
        })
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
    fn the_defaults_can_be_written() {
        let numbers = OPTIONS.iter().filter(|option| option.default != THE_SHAPE);
        let text: Vec<_> =
            numbers.map(|option| format!("{}={}", option.name, option.default)).collect();
        let parsed = Options::parse(&text.join(" ")).unwrap();
        assert_eq!(format!("{parsed:?}"), format!("{:?}", Options::default()));
    }
}
