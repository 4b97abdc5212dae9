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
//! Two other forms have no rows to keep a panel for:
//!
//! * Sums along another dimension than the last one (and one row times a matrix) go through blocks of a few rows of
//!   what they read, so that memory is read in its order and the sums are in the nearest cache.
//! * A matrix times one column has its neighbors along `k`: squares of it are transposed in registers.
//!
//! Input: operations with one reduced dimension, `k`, and a result along whose rows (`j`) one kind of operands has
//! neighbors (*panels*), while the others are the same in a whole row. What depends on panels alone is computed when
//! they are packed; what depends on the others alone, element by element.
//!
//! Invariants: every element of the result is added up in the order of `k`, by the body's operations, so that it has
//! the same bits as in the obvious loops. What it starts with is in the result, or is known. Between blocks of `k` it is in memory, where nothing is rounded. Panels
//! at the end of a row are moved back into it; what is computed again is not written.

mod build;

use super::Options;
use super::alias::{self, Overlap};
use super::body::id;
use super::nest::{Nest, Operand};
use super::plane::power_of_two;
pub use build::build;

/// Rows of a block, where panels are read where they are.
const STRIP: u64 = 8;

/// Rows of a matrix that is multiplied by one column, in a panel.
const COLUMN_ROWS: u64 = 16;

/// What is special about a product.
pub struct Product {
    /// The reduced dimension.
    k: usize,
    /// The dimension of the rows; None: the panels are read once.
    i: Option<usize>,
    /// The dimension of the columns.
    j: usize,
    /// The widths of vectors in a full panel, and how many rows at most go with it.
    lanes: u64,
    registers: u64,
    /// Elements of `k` in a block.
    block: u64,
    /// Whether panels are copied, a block at a time.
    is_packed: bool,
    /// Whether each element of the other operands is read once for each vector of a panel. AVX-512 multiplies by
    /// an element in memory as fast as by a register, where a copy of the element in all of a register's places
    /// would take time of its own.
    reads_again: bool,
}

/// How an operand is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Its neighbors are those of the result.
    Panel,
    /// Its neighbors are those in the reduced dimension, and it belongs to a panel.
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
            j,
            lanes: (options.register_bytes / nest.element_bytes).max(1),
            // Half of the registers; processors with the largest ones have twice as many.
            registers: if options.register_bytes >= 64 { 16 } else { 8 },
            block: nest.sizes[k],
            is_packed: false,
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
        let [shared, columns] = [nest.sizes[k], nest.sizes[j]];
        let rows = product.i.map_or(1, |i| nest.sizes[i]);
        // A panel that is read a few times, or from a near cache, is not worth a copy.
        let is_far = shared * columns * nest.element_bytes > options.unpacked_bytes;
        let has_rows = product.i.is_some();
        if (is_transposed && has_rows) || (rows >= 4 * product.rows_with(4) && is_far) {
            // Even blocks: a short one at the end would not be worth its copy.
            let count =
                if shared <= options.block * 3 / 2 { 1 } else { shared.div_ceil(options.block) };
            product.block = shared.div_ceil(count);
            product.is_packed = true;
        } else if !has_rows && !is_transposed && is_far {
            product.block = STRIP.min(shared);
        }
        Some(product)
    }

    fn kind(&self, nest: &Nest, operand: &Operand) -> Kind {
        let has = |dimension| operand.dimensions.contains(&dimension);
        let is_result = operand.buffer == nest.output.buffer
            && operand.dimensions == nest.output.dimensions
            && id(operand.argument) == id(nest.output.argument);
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
        power_of_two((self.registers / vectors.max(1)).clamp(1, 8))
    }

    /// The size of the buffer for a panel, if they are packed.
    pub fn bytes(&self, nest: &Nest) -> u64 {
        if self.is_packed { self.block * self.width(nest) * nest.element_bytes } else { 0 }
    }

    /// Without a copy of panels, if that is possible.
    pub fn unpacked(mut self, nest: &Nest) -> Option<Self> {
        let is_transposed = |it: &Operand| self.kind(nest, it) == Kind::Transposed;
        if nest.inputs.iter().any(is_transposed) {
            return None;
        }
        self.block = nest.sizes[self.k];
        self.is_packed = false;
        Some(self)
    }

    /// Whether each element of the result is written once, so that what it starts with need not be in memory.
    pub fn is_one_block(&self, nest: &Nest) -> bool {
        self.block == nest.sizes[self.k]
    }

    /// Whether panels are transposed where they are read.
    fn is_column(&self, nest: &Nest) -> bool {
        let is_transposed = |it: &Operand| self.kind(nest, it) == Kind::Transposed;
        self.i.is_none() && nest.inputs.iter().any(is_transposed)
    }

    /// Columns of a panel.
    fn width(&self, nest: &Nest) -> u64 {
        let has_rows = self.i.is_some_and(|i| nest.sizes[i] > 1);
        let vectors = match () {
            () if has_rows => 4,
            () if self.is_column(nest) => (COLUMN_ROWS / self.lanes).max(1),
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

/// Panels of one width.
struct Panel {
    from: u64,
    to: u64,
    width: u64,
    vectors: Vec<[u64; 2]>,
    /// So many columns at the start are not written.
    skip: u64,
}

impl Panel {
    fn new([from, to]: [u64; 2], vectors: Vec<[u64; 2]>, skip: u64) -> Self {
        let width = vectors.iter().map(|[_, length]| length).sum();
        Self { from, to, width, vectors, skip }
    }
}
