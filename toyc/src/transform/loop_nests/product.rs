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
//! Input: operations with one reduced dimension, `k`, and a result along whose rows (`j`) one kind of operands has
//! neighbors (*panels*), while the others are the same in a whole row. What depends on panels alone is computed when
//! they are packed; what depends on the others alone, element by element.
//!
//! Invariants: every element of the result is added up in the order of `k`, by the body's operations, so that it has
//! the same bits as in the obvious loops. Between blocks of `k` it is in memory, where nothing is rounded. Panels
//! at the end of a row are moved back into it; what is computed again is not written.

use super::Options;
use super::alias::{self, Overlap};
use super::body::{Body, id};
use super::builder::Builder;
use super::nest::{Nest, Operand};
use super::plane::power_of_two;
use melior::ir::Value;
use std::collections::HashMap;

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
    /// Elements of `k` in a block, if panels are packed.
    block: Option<u64>,
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
            block: None,
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
        if is_transposed || (rows >= 4 * product.rows_with(4) && is_far) {
            // Even blocks: a short one at the end would not be worth its copy.
            let count =
                if shared <= options.block * 3 / 2 { 1 } else { shared.div_ceil(options.block) };
            product.block = Some(shared.div_ceil(count));
        }
        if is_transposed && product.i.is_none() {
            return None;
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
        self.block.map_or(0, |block| block * self.width(nest) * nest.element_bytes)
    }

    /// Without a copy of panels, if that is possible.
    pub fn unpacked(mut self, nest: &Nest) -> Option<Self> {
        let is_transposed = |it: &Operand| self.kind(nest, it) == Kind::Transposed;
        if nest.inputs.iter().any(is_transposed) {
            return None;
        }
        self.block = None;
        Some(self)
    }

    /// Columns of a panel.
    fn width(&self, nest: &Nest) -> u64 {
        let has_rows = self.i.is_some_and(|i| nest.sizes[i] > 1);
        let vectors = if has_rows { 4 } else { self.registers.min(8) };
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

pub fn build<'c, 'a>(builder: Builder<'_, 'c, 'a>, nest: &Nest<'c, 'a>, product: &Product) {
    let is_panel = |it: &Operand| [Kind::Panel, Kind::Transposed].contains(&product.kind(nest, it));
    let body = Body::new(builder, nest);
    let packed = body.frontier(nest, is_panel);
    let singles = body.frontier(nest, |it| product.kind(nest, it) == Kind::Single);
    let width = product.width(nest);
    let buffer = |_: &Value| product.block.map(|block| builder.stack_buffer(&[block, width]));
    let loops = Loops {
        product,
        nest,
        buffers: packed.iter().filter_map(buffer).collect(),
        body,
        packed,
        singles,
    };
    let inner = [Some(product.k), product.i, Some(product.j)];
    let outer: Vec<_> =
        (0..nest.sizes.len()).filter(|dimension| !inner.contains(&Some(*dimension))).collect();
    let indices = vec![builder.index(0); nest.sizes.len()];
    loops.around(builder, &outer, indices);
}

struct Loops<'l, 'c, 'a> {
    product: &'l Product,
    nest: &'l Nest<'c, 'a>,
    body: Body<'c, 'a>,
    /// Values of the body that depend on panels alone.
    packed: Vec<Value<'c, 'a>>,
    /// Those that depend on operands of one element in a row alone.
    singles: Vec<Value<'c, 'a>>,
    /// For each value that is packed, if any are.
    buffers: Vec<Value<'c, 'a>>,
}

impl<'c, 'a> Loops<'_, 'c, 'a> {
    fn around(
        &self,
        builder: Builder<'_, 'c, 'a>,
        dimensions: &[usize],
        mut indices: Vec<Value<'c, 'a>>,
    ) {
        let Some((first, rest)) = dimensions.split_first() else {
            return self.blocks(builder, &indices);
        };
        let range = [0, self.nest.sizes[*first], 1].map(|value| builder.index(value));
        builder.each(range, |builder, index| {
            indices[*first] = index;
            self.around(builder, rest, indices);
        });
    }

    /// Blocks of the reduced dimension, and the panels in them.
    fn blocks(&self, builder: Builder<'_, 'c, 'a>, indices: &[Value<'c, 'a>]) {
        let size = self.nest.sizes[self.product.k];
        let block = self.product.block.unwrap_or(size);
        let [zero, end, step] = [0, size, block].map(|value| builder.index(value));
        let panels = |builder: Builder<'_, 'c, 'a>, range: [Value<'c, 'a>; 2]| {
            for panel in self.product.panels(self.nest) {
                let each = |builder: Builder<'_, 'c, 'a>, j: Value<'c, 'a>| {
                    let mut indices = indices.to_vec();
                    indices[self.product.j] = j;
                    self.panel(builder, &indices, &panel, range);
                };
                if panel.to - panel.from == panel.width {
                    each(builder, builder.index(panel.from));
                } else {
                    let range = [panel.from, panel.to, panel.width].map(|it| builder.index(it));
                    builder.each(range, each);
                }
            }
        };
        if block == size {
            return panels(builder, [zero, end]);
        }
        builder.each([zero, end, step], |builder, from| {
            let mut to = builder.plus(from, block);
            if !size.is_multiple_of(block) {
                to = builder.on_indices("arith.minui", to, end);
            }
            panels(builder, [from, to]);
        });
    }

    /// One panel: packed, and then all rows with it.
    fn panel(
        &self,
        builder: Builder<'_, 'c, 'a>,
        indices: &[Value<'c, 'a>],
        panel: &Panel,
        range: [Value<'c, 'a>; 2],
    ) {
        if !self.buffers.is_empty() {
            self.pack(builder, indices, panel, range);
        }
        let Some(i) = self.product.i else {
            return self.tile(builder, indices, panel, range, 1);
        };
        let size = self.nest.sizes[i];
        let most = self.product.rows_with(panel.vectors.len() as u64).min(size);
        let whole = size / most * most;
        let steps = [[0, whole, most], [whole, size, size - whole]];
        for [from, to, rows] in steps.into_iter().filter(|[from, to, _]| from < to) {
            let each = |builder: Builder<'_, 'c, 'a>, at: Value<'c, 'a>| {
                let mut indices = indices.to_vec();
                indices[i] = at;
                self.tile(builder, &indices, panel, range, rows);
            };
            if to - from == rows {
                each(builder, builder.index(from));
            } else {
                builder.each([from, to, rows].map(|value| builder.index(value)), each);
            }
        }
    }

    /// Copies a panel.
    fn pack(
        &self,
        builder: Builder<'_, 'c, 'a>,
        indices: &[Value<'c, 'a>],
        panel: &Panel,
        [from, to]: [Value<'c, 'a>; 2],
    ) {
        builder.each([from, to, builder.index(1)], |builder, k| {
            let row = builder.on_indices("arith.subi", k, from);
            let mut indices = indices.to_vec();
            indices[self.product.k] = k;
            for &[column, length] in &panel.vectors {
                let values = self.of_panel(builder, &indices, [column, length]);
                for (buffer, value) in self.buffers.iter().zip(values) {
                    builder.store(value, *buffer, &[row, builder.index(column)], length);
                }
            }
        });
    }

    /// The values that depend on panels alone, of some columns.
    fn of_panel(
        &self,
        builder: Builder<'_, 'c, 'a>,
        indices: &[Value<'c, 'a>],
        [column, length]: [u64; 2],
    ) -> Vec<Value<'c, 'a>> {
        let mut indices = indices.to_vec();
        indices[self.product.j] = builder.plus(indices[self.product.j], column);
        let mut given = HashMap::new();
        for operand in &self.nest.inputs {
            let value = match self.product.kind(self.nest, operand) {
                Kind::Panel => builder.load(operand.buffer, &at(operand, &indices), length),
                Kind::Transposed => {
                    let element = |offset| {
                        let mut indices = indices.clone();
                        indices[self.product.j] = builder.plus(indices[self.product.j], offset);
                        builder.load(operand.buffer, &at(operand, &indices), 1)
                    };
                    let elements: Vec<_> = (0..length).map(element).collect();
                    builder.vector_of(&elements)
                }
                _ => continue,
            };
            given.insert(id(operand.argument), value);
        }
        let compute = |value: &Value<'c, 'a>| self.body.compute(builder, *value, &given, length);
        self.packed.iter().map(compute).collect()
    }

    /// A tile of the result.
    fn tile(
        &self,
        builder: Builder<'_, 'c, 'a>,
        indices: &[Value<'c, 'a>],
        panel: &Panel,
        [from, to]: [Value<'c, 'a>; 2],
        rows: u64,
    ) {
        let row = |builder: Builder<'_, 'c, 'a>, indices: &[Value<'c, 'a>], offset: u64| {
            let mut indices = indices.to_vec();
            if let Some(i) = self.product.i {
                indices[i] = builder.plus(indices[i], offset);
            }
            indices
        };
        let output = &self.nest.output;
        let in_result = |builder: Builder<'_, 'c, 'a>, indices: &[Value<'c, 'a>], column: u64| {
            let mut indices = indices.to_vec();
            indices[self.product.j] = builder.plus(indices[self.product.j], column);
            at(output, &indices)
        };
        let rows_of: Vec<_> = (0..rows).map(|offset| row(builder, indices, offset)).collect();
        let mut sums = Vec::new();
        for indices in &rows_of {
            for &[column, length] in &panel.vectors {
                let at = in_result(builder, indices, column);
                sums.push(builder.load(output.buffer, &at, length));
            }
        }
        let sums = builder.each_with([from, to, builder.index(1)], &sums, |builder, k, sums| {
            let mut here = indices.to_vec();
            here[self.product.k] = k;
            let columns: Vec<Vec<_>> = if self.buffers.is_empty() {
                let value = |vector: &[u64; 2]| self.of_panel(builder, &here, *vector);
                panel.vectors.iter().map(value).collect()
            } else {
                let line = builder.on_indices("arith.subi", k, from);
                let value = |&[column, length]: &[u64; 2]| {
                    let load = |buffer: &Value<'c, 'a>| {
                        builder.load(*buffer, &[line, builder.index(column)], length)
                    };
                    self.buffers.iter().map(load).collect()
                };
                panel.vectors.iter().map(value).collect()
            };
            let mut next = Vec::new();
            let mut sums = sums.iter();
            for indices in &rows_of {
                let mut indices = indices.clone();
                indices[self.product.k] = k;
                let singles = self.of_row(builder, &indices);
                for (&[_, length], columns) in panel.vectors.iter().zip(&columns) {
                    let splat = |value: &Value<'c, 'a>| builder.splat(*value, length);
                    let mut given: HashMap<_, _> = self
                        .singles
                        .iter()
                        .map(|value| id(*value))
                        .zip(singles.iter().map(splat))
                        .collect();
                    given.extend(self.packed.iter().map(|it| id(*it)).zip(columns.iter().copied()));
                    given.extend(sums.next().map(|sum| (id(output.argument), *sum)));
                    let body = &self.body;
                    next.push(body.compute(builder, body.result, &given, length));
                }
            }
            next
        });
        let mut sums = sums.into_iter();
        for indices in &rows_of {
            for &[column, length] in &panel.vectors {
                let Some(sum) = sums.next() else { continue };
                let mut from = panel.skip.saturating_sub(column);
                while from < length {
                    // The largest vector that starts here: what is left ends at a power of two.
                    let part = if from == 0 { length } else { 1 << from.trailing_zeros() };
                    let value = builder.part(sum, from, part, length);
                    let at = in_result(builder, indices, column + from);
                    builder.store(value, output.buffer, &at, part);
                    from += part;
                }
            }
        }
    }

    /// The values that depend on single elements alone.
    fn of_row(
        &self,
        builder: Builder<'_, 'c, 'a>,
        indices: &[Value<'c, 'a>],
    ) -> Vec<Value<'c, 'a>> {
        let mut given = HashMap::new();
        for operand in self.nest.inputs.iter().filter(|operand| !operand.is_scalar()) {
            if self.product.kind(self.nest, operand) == Kind::Single {
                let value = builder.load(operand.buffer, &at(operand, indices), 1);
                given.insert(id(operand.argument), value);
            }
        }
        let compute = |value: &Value<'c, 'a>| self.body.compute(builder, *value, &given, 1);
        self.singles.iter().map(compute).collect()
    }
}

/// The indices of an operand's element.
fn at<'c, 'a>(operand: &Operand<'c, 'a>, indices: &[Value<'c, 'a>]) -> Vec<Value<'c, 'a>> {
    operand.dimensions.iter().map(|dimension| indices[*dimension]).collect()
}
