//! Products of matrices, and other sums of products: tiles of the result in registers.
//!
//! ```text
//!                     B  ┌──────┐ j ─▶
//!                     k  │ panel│            a panel of B, packed, for all rows of A
//!                     ▼  └──────┘
//!     A  ┌────────────┐  ┌──────┐
//!     i  │════════════│  │══════│  C         4 rows x 4 vectors, which stay in registers
//!     ▼  └────────────┘  └──────┘
//! ```
//!
//! Registers of 32 bytes hold tiles of 6 rows x 2 vectors, and the rows of A are copied, too: a block of them at a
//! time, in the order in which tiles read them. Rows in their own places are a multiple of a cache line apart as a
//! rule; elements of 6 of them then are in one bank of the cache, which gives one at a time.
//!
//! Other forms have no rows to keep a panel for:
//!
//! * Sums along another dimension than the last one (and one row times a matrix) go through blocks of a few rows of
//!   their operands, so that memory is read in its order and the sums are in the nearest cache. Beyond the caches,
//!   each block prefetches the next one, because the processor knows the order of a row, but not of a block.
//! * Sums of rows of one vector are in registers for several rows, each with operands of its own.
//! * A matrix times one column has its neighbors along `k`: squares of it are transposed in registers.
//!
//! Input: operations with one reduced dimension, `k`, and a result along whose rows (`j`) one kind of operands has
//! neighbors (*panels*), while the others are the same in a whole row. Values that depend on panels alone are
//! computed when they are packed; values that depend on the others alone, element by element.
//!
//! Invariants: each element is added up in the order of `k`, by the body's operations, so that it has the same bits
//! as in simple loops. Its start value is in the result, or is known. Between blocks of `k` the sum is in memory,
//! which rounds nothing. Panels at the end of a row are moved back into it; recomputed elements are not written.

mod build;

use super::Options;
use super::nest::{Nest, Operand};
use super::options::{CACHE_LINE, power_of_two};
use super::shuffle::LARGEST_SQUARE;
use super::stack::Stack;
use crate::analysis::alias::{self, Overlap};
pub use build::build;
use melior::ir::BlockRef;
use mlir_support::ir;

/// Rows of a block, if panels are read where they are.
const STRIP: u64 = 8;

/// The width of a panel there, in lines of the cache and in vectors at least, where the operands come from far away.
const NARROW: [u64; 2] = [2, 4];

/// Operands from this size on come from further than the caches of one core.
const FAR_BYTES: u64 = 4 << 20;

/// The sizes of blocks that go through memory in another order than the processor expects, and of which the next one
/// has a place in the second cache.
const STRIP_BYTES: std::ops::RangeInclusive<u64> = 8 << 10..=512 << 10;

/// Rows of a matrix that is multiplied by one column, in a panel.
const COLUMN_ROWS: u64 = 16;

/// Rows of a tile whose rows are copied: with two vectors of each they leave 4 of 16 registers for the factors.
const TILE_ROWS: u64 = 6;

/// The minimum number of rows that are worth a copy of each panel.
const LEAST_COPIED_ROWS: u64 = 48;

/// Rows are copied if the result has at least this many columns.
const COLUMNS_OF_COPIES: u64 = 64;

/// The plan of a product.
pub struct Product {
    /// The reduced dimension.
    k: usize,
    /// The dimension of the rows; None: the panels are read once.
    i: Option<usize>,
    /// True if each row has panels of its own.
    has_own_panels: bool,
    /// The dimension of the columns.
    j: usize,
    /// The widths of vectors in a full panel, and the maximum number of rows that go with it.
    lanes: u64,
    registers: u64,
    /// Elements of `k` in a block.
    block: u64,
    /// True if panels are copied, a block at a time.
    is_packed: bool,
    /// True if blocks of rows that are read where they are go through them a few lines of the cache at a time.
    is_narrow: bool,
    /// True if each of these blocks prefetches the next one.
    asks_for_strips: bool,
    /// The maximum number of rows of the other operand copied at a time, a multiple of a tile's; 0: none are.
    copied_rows: u64,
    /// True if each element of the other operands is read once for each vector of a panel. AVX-512 multiplies by
    /// an element in memory as fast as by a register, where a copy of the element in all of a register's places
    /// would take time of its own.
    reads_again: bool,
}

/// The way an operand is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It has the same neighbors as the result.
    Panel,
    /// It has neighbors in the reduced dimension, and belongs to a panel.
    Transposed,
    /// One element for a row of the result.
    Single,
    /// The result itself.
    Result,
    Other,
}

impl Product {
    /// The plan for an operation; None: it is not such a product.
    pub fn of(nest: &Nest, k: usize, options: &Options) -> Option<Self> {
        let (&j, rows) = nest.output.dimensions.split_last()?;
        let is_unique = |operand: &Operand| {
            let mut seen = operand.dimensions.clone();
            seen.sort_unstable();
            seen.windows(2).all(|pair| pair[0] != pair[1])
        };
        if nest.output.dimensions.contains(&k)
            || nest.output.dimensions.len() + 1 != nest.sizes.len()
            || !nest.inputs.iter().chain([&nest.output]).all(is_unique)
        {
            return None;
        }
        let mut product = Self {
            k,
            i: None,
            has_own_panels: false,
            j,
            lanes: (options.register_bytes / nest.element_bytes).max(1),
            // Half of the registers; processors with the largest ones have twice as many.
            registers: if options.register_bytes >= 64 { 16 } else { 8 },
            block: nest.sizes[k],
            is_packed: false,
            is_narrow: false,
            asks_for_strips: false,
            copied_rows: 0,
            reads_again: options.register_bytes >= 64,
        };
        let kinds: Vec<_> = nest.inputs.iter().map(|it| product.kind(nest, it)).collect();
        let is_apart = |operand: &Operand| {
            alias::overlap(operand.buffer, nest.output.buffer) == Overlap::Apart
        };
        let is_valid = |(operand, kind): (&Operand, &Kind)| match kind {
            Kind::Result => true,
            Kind::Other => false,
            _ => is_apart(operand),
        };
        let panels = || {
            let own = nest.inputs.iter().zip(&kinds);
            own.filter(|(_, kind)| [Kind::Panel, Kind::Transposed].contains(kind))
        };
        if !nest.inputs.iter().zip(&kinds).all(is_valid)
            || panels().next().is_none()
            || !kinds.contains(&Kind::Result)
            || !panels().all(|(operand, _)| operand.dimensions.contains(&k))
        {
            return None;
        }
        let is_of_panels = |row: &usize| panels().any(|(it, _)| it.dimensions.contains(row));
        product.i = rows.iter().copied().rfind(|row| !is_of_panels(row));
        let is_transposed = kinds.contains(&Kind::Transposed);
        if is_transposed {
            product.lanes = product.lanes.min(LARGEST_SQUARE);
        }
        let [shared, columns] = [nest.sizes[k], nest.sizes[j]];
        if product.i.is_none() && !is_transposed && columns <= product.lanes {
            // One sum of a vector would wait for itself in each step; sums of several rows do not.
            product.i = rows.last().copied();
            product.has_own_panels = product.i.is_some();
        }
        let rows = product.i.map_or(1, |i| nest.sizes[i]);
        // A panel that is read a few times, or from a near cache, is not worth a copy.
        let is_far = shared * columns * nest.element_bytes > options.unpacked_bytes;
        let has_rows = product.i.is_some();
        let is_shared = has_rows && !product.has_own_panels;
        if (is_transposed && has_rows) || (is_shared && rows >= 4 * product.rows_with(4) && is_far)
        {
            product.is_packed = true;
            product.block = even_part(shared, options.block);
            let is_other =
                |(operand, kind): (&Operand, Kind)| kind == Kind::Single && !operand.is_scalar();
            let others = nest.inputs.iter().zip(kinds.iter().copied()).filter(|it| is_other(*it));
            // Elements of rows that are read as they are multiplied, as with registers of 64 bytes, want no copies.
            if options.register_bytes == 32 && columns >= COLUMNS_OF_COPIES && others.count() == 1 {
                if product.block < shared {
                    product.block = even_part(shared, (options.block * 2 / 3).max(1));
                }
                // As many rows as the second cache holds.
                let most = options.rows_bytes / nest.element_bytes / product.block;
                let part = even_part(rows, most.max(TILE_ROWS));
                product.copied_rows = part.next_multiple_of(TILE_ROWS);
            }
        } else if !has_rows && !is_transposed && columns > product.width(nest) {
            // Sums of fewer columns stay in registers.
            let bytes_of = |is_part: &dyn Fn(usize) -> bool| {
                let sizes = nest.sizes.iter().enumerate().filter(|(at, _)| is_part(*at));
                sizes.fold(nest.element_bytes, |bytes, (_, size)| bytes.saturating_mul(*size))
            };
            let bytes = bytes_of(&|_| true);
            let row = bytes_of(&|at| at != k && !product.is_around_rows(nest, at));
            let is_strip = STRIP_BYTES.contains(&row.saturating_mul(STRIP));
            product.is_narrow = is_strip && bytes >= FAR_BYTES && !is_slow(nest);
            product.asks_for_strips = is_strip && bytes >= options.strips_ahead_bytes;
            if is_far || (is_strip && bytes >= FAR_BYTES) {
                product.block = STRIP.min(shared);
            }
        }
        Some(product)
    }

    fn kind(&self, nest: &Nest, operand: &Operand) -> Kind {
        let has = |dimension| operand.dimensions.contains(&dimension);
        let is_result = operand.buffer == nest.output.buffer
            && operand.dimensions == nest.output.dimensions
            && ir::id(operand.argument) == ir::id(nest.output.argument);
        let last = operand.dimensions.last().copied();
        match () {
            () if is_result => Kind::Result,
            () if operand.is_scalar() || !has(self.j) => Kind::Single,
            () if last == Some(self.j) => Kind::Panel,
            () if last == Some(self.k) => Kind::Transposed,
            () => Kind::Other,
        }
    }

    /// How many rows fit into the registers with panels of so many vectors.
    fn rows_with(&self, vectors: u64) -> u64 {
        if self.copied_rows > 0 {
            return TILE_ROWS;
        }
        power_of_two((self.registers / vectors.max(1)).clamp(1, 8))
    }

    /// The size of the buffer for a panel, if they are packed.
    fn panel_bytes(&self, nest: &Nest) -> u64 {
        if self.is_packed { self.block * self.width(nest) * nest.element_bytes } else { 0 }
    }

    /// True if rows of the other operand are copied, in blocks.
    pub fn copies_rows(&self) -> bool {
        self.copied_rows > 0
    }

    /// The same plan, or a plan that takes less of the stack, if possible.
    pub fn within(
        mut self,
        (nest, function): (&Nest, BlockRef),
        options: &Options,
        stack: &mut Stack,
    ) -> Option<Self> {
        while self.copies_rows() {
            let rows = [self.copied_rows * self.block, nest.element_bytes];
            if stack.take_shared(self.panel_bytes(nest), function, rows) {
                return Some(self);
            }
            self.copied_rows = self.copied_rows / 2 / TILE_ROWS * TILE_ROWS;
            if self.copied_rows < LEAST_COPIED_ROWS {
                self.copied_rows = 0;
                self.block = even_part(nest.sizes[self.k], options.block);
            }
        }
        if stack.take(self.panel_bytes(nest)) {
            return Some(self);
        }
        let is_transposed = |it: &Operand| self.kind(nest, it) == Kind::Transposed;
        if nest.inputs.iter().any(is_transposed) {
            return None;
        }
        self.block = nest.sizes[self.k];
        self.is_packed = false;
        Some(self)
    }

    /// True if each element of the result is written once, so that its start value need not be in memory.
    pub fn is_one_block(&self, nest: &Nest) -> bool {
        self.block == nest.sizes[self.k]
    }

    /// True if a few rows at a time are read where they are.
    fn is_in_strips(&self, nest: &Nest) -> bool {
        !self.is_packed && !self.is_one_block(nest)
    }

    /// True if the panels for one index of a dimension are contiguous, and not next to others in each row.
    fn is_around_rows(&self, nest: &Nest, dimension: usize) -> bool {
        nest.inputs.iter().all(|operand| {
            let at = |wanted| operand.dimensions.iter().position(|it| *it == wanted);
            at(dimension).zip(at(self.k)).is_none_or(|(dimension, k)| dimension < k)
        })
    }

    /// True if panels are transposed where they are read.
    fn is_column(&self, nest: &Nest) -> bool {
        let is_transposed = |it: &Operand| self.kind(nest, it) == Kind::Transposed;
        self.i.is_none() && nest.inputs.iter().any(is_transposed)
    }

    /// Columns of a panel.
    fn width(&self, nest: &Nest) -> u64 {
        let has_rows = self.i.is_some_and(|i| nest.sizes[i] > 1);
        let vectors = match () {
            () if self.copied_rows > 0 => 2,
            () if has_rows => 4,
            () if self.is_column(nest) => (COLUMN_ROWS / self.lanes).max(1),
            () if self.is_narrow && self.is_in_strips(nest) => {
                let [lines, least] = NARROW;
                (lines * CACHE_LINE / nest.element_bytes / self.lanes).max(least)
            }
            () => self.registers.min(8),
        };
        (vectors * self.lanes).min(nest.sizes[self.j].next_power_of_two())
    }

    /// The panels of a row: from, to, with their columns.
    fn panels(&self, nest: &Nest) -> Vec<Panel> {
        let (size, width) = (nest.sizes[self.j], self.width(nest));
        let whole = size / width * width;
        let mut panels = Vec::new();
        if whole > 0 {
            panels.push(Panel::new([0, whole], self.vectors(width), 0));
        }
        let left = size - whole;
        let wide = left.next_power_of_two();
        if left > 0 && wide <= size {
            panels.push(Panel::new([size - wide, size], self.vectors(wide), wide - left));
        } else if left > 0 {
            panels.push(Panel::new([0, size], self.vectors(left), 0));
        }
        panels
    }

    /// Columns as vectors: offset, length.
    fn vectors(&self, columns: u64) -> Vec<[u64; 2]> {
        let mut vectors = Vec::new();
        let mut from = 0;
        while from < columns {
            let length = power_of_two((columns - from).min(self.lanes));
            vectors.push([from, length]);
            from += length;
        }
        vectors
    }
}

/// True if a step takes several times as long as an addition: maxima look for a NaN, too. A few vectors of them would
/// wait for each other.
fn is_slow(nest: &Nest) -> bool {
    let is_slow = |name| ["arith.maximumf", "arith.minimumf"].contains(&name);
    ir::block_operations(nest.body).iter().any(|operation| is_slow(ir::name(operation)))
}

/// The size of parts that differ by little, of about `most`: a short one at the end would not be worth its copy.
fn even_part(size: u64, most: u64) -> u64 {
    let count = if size <= most * 4 / 3 { 1 } else { size.div_ceil(most) };
    size.div_ceil(count)
}

/// Panels of one width.
struct Panel {
    from: u64,
    to: u64,
    width: u64,
    vectors: Vec<[u64; 2]>,
    /// The number of columns at the start that are not written.
    skip: u64,
}

impl Panel {
    fn new([from, to]: [u64; 2], vectors: Vec<[u64; 2]>, skip: u64) -> Self {
        let width = vectors.iter().map(|[_, length]| length).sum();
        Self { from, to, width, vectors, skip }
    }
}
