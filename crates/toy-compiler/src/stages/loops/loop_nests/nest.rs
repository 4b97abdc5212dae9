//! Recognizes the operations that the pass makes loops for.
//!
//! Input: an operation. Output: a [`Nest`] if it is an element-wise `linalg.generic` on plain buffers, in a form
//! without redundant dimensions: dimensions of size 1 are dropped, and neighbors that are neighbors in every operand,
//! in the same order, are one. So a rank-4 operation without transpositions has one dimension, and a transposed row
//! is a copy.
//!
//! ```text
//! (d0, d1, d2) -> (d0, d1, d2)  4 x 1 x 6         (d0, d1) -> (d0, d1)  4 x 6
//! (d0, d1, d2) -> (d2, d1, d0)  6 x 1 x 4   ──▶   (d0, d1) -> (d1, d0)  6 x 4
//! ```
//!
//! Deny by default: None for everything else.

use crate::dialect::enums::is_mathematics;
use crate::dialect::ops::same_type;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::MemRefType;
use melior::ir::{BlockRef, ShapedTypeLike, Type, Value, ValueLike};
use mlir_support::constants::is_constant;
use mlir_support::ir;
use mlir_support::linalg::{Generic, IteratorKind};

/// An element-wise operation, normalized; or one that reduces one dimension.
pub struct Nest<'c, 'a> {
    pub operation: OperationRef<'c, 'a>,
    pub element: Type<'c>,
    /// The size of an element in bytes.
    pub element_bytes: u64,
    /// The sizes of the dimensions, in the order of the result.
    pub sizes: Vec<u64>,
    /// The reduced dimension; then the dimensions are the operation's, in its order, without dimensions of size 1,
    /// and neighbors in every operand are one.
    pub reduced: Option<usize>,
    /// The operands that are read, each with the argument of the body that is its element.
    pub inputs: Vec<Operand<'c, 'a>>,
    pub output: Operand<'c, 'a>,
    pub body: BlockRef<'c, 'a>,
}

/// An operand of a nest.
pub struct Operand<'c, 'a> {
    pub buffer: Value<'c, 'a>,
    pub argument: Value<'c, 'a>,
    /// The dimensions of the buffer, as dimensions of the nest; none for a scalar.
    pub dimensions: Vec<usize>,
    /// For each of these, the dimensions of the buffer's type that it consists of.
    pub groups: Vec<Vec<usize>>,
}

impl<'c, 'a> Nest<'c, 'a> {
    /// The operands that are not scalars.
    pub fn tensors(&self) -> impl Iterator<Item = &Operand<'c, 'a>> {
        self.inputs.iter().filter(|operand| !operand.is_scalar())
    }

    /// True if the buffers begin where their types say.
    pub fn has_no_offset(&self) -> bool {
        self.inputs.iter().chain([&self.output]).all(|operand| {
            MemRefType::try_from(operand.buffer.r#type()).is_ok_and(ir::has_identity_layout)
        })
    }

    /// The size of the result and of all operands that are not scalars.
    pub fn bytes(&self) -> u64 {
        let elements = |operand: &Operand| {
            let sizes = operand.dimensions.iter().map(|dimension| self.sizes[*dimension]);
            sizes.fold(1u64, |count, size| count.saturating_mul(size))
        };
        let all = self.tensors().chain([&self.output]).map(elements);
        all.fold(0u64, u64::saturating_add).saturating_mul(self.element_bytes)
    }
}

impl<'c, 'a> Operand<'c, 'a> {
    /// The indices of its element, given the indices of the nest.
    pub fn indices(&self, indices: &[Value<'c, 'a>]) -> Vec<Value<'c, 'a>> {
        self.dimensions.iter().map(|dimension| indices[*dimension]).collect()
    }

    pub fn is_scalar(&self) -> bool {
        self.dimensions.is_empty()
    }

    /// True if the elements are in the order of the result.
    pub fn is_identity(&self) -> bool {
        self.dimensions.is_sorted()
    }
}

/// Operations of a body that may work on vectors: each rounds at most once, whatever the number of elements.
const VECTORIZED: [&str; 18] = [
    "arith.addf",
    "arith.subf",
    "arith.mulf",
    "arith.divf",
    "arith.negf",
    "arith.maximumf",
    "arith.minimumf",
    "arith.maxnumf",
    "arith.minnumf",
    "arith.cmpf",
    "arith.select",
    "arith.uitofp",
    "math.absf",
    "math.copysign",
    "math.floor",
    "math.fma",
    "math.sqrt",
    "math.trunc",
];

pub fn recognize<'c, 'a>(operation: OperationRef<'c, 'a>) -> Option<Nest<'c, 'a>> {
    let generic = Generic::of(operation)?;
    let Generic { inputs, body, ref iterators, .. } = generic;
    if operation.result_count() > 0 || generic.destinations().len() != 1 {
        return None;
    }
    let is_parallel = |at: &usize| iterators[*at] == IteratorKind::Parallel;
    let others: Vec<_> = (0..iterators.len()).filter(|at| !is_parallel(at)).collect();
    let reduced = match others[..] {
        [] => None,
        [at] if iterators[at] == IteratorKind::Reduction => Some(at),
        _ => return None,
    };
    let operands = (0..=inputs).map(|at| operand(&generic, at));
    let mut operands = operands.collect::<Option<Vec<_>>>()?;
    let element = ir::element(operands[inputs].buffer.r#type())?;
    let element_bytes = match ir::float_width(element)? {
        32 => 4,
        64 => 8,
        _ => return None,
    };
    if !is_vectorizable(body, element) {
        return None;
    }
    let mut sizes = vec![0; iterators.len()];
    for operand in &operands {
        let of_buffer = plain_sizes(operand.buffer.r#type(), element)?;
        for (dimension, size) in operand.dimensions.iter().zip(of_buffer) {
            sizes[*dimension] = size;
        }
    }
    if operands[inputs].is_scalar() || sizes.contains(&0) {
        return None;
    }
    let mut reduced = reduced;
    if reduced.is_none() {
        // Stretched operands lack dimensions.
        let is_unique = |operand: &Operand| {
            let mut all = operand.dimensions.clone();
            all.sort_unstable();
            all.windows(2).all(|pair| pair[0] != pair[1])
        };
        let has_all = operands[inputs].dimensions.len() == sizes.len();
        if !has_all || !operands.iter().all(is_unique) {
            return None;
        }
        sizes = in_order_of_result(&mut operands, &sizes);
    }
    drop_units(&mut operands, &mut sizes, &mut reduced);
    join_neighbors(&mut operands, &mut sizes, &mut reduced);
    let output = operands.pop()?;
    if ir::has_uses(output.argument) {
        // The previous value of the result is one more operand.
        operands.push(Operand {
            groups: output.groups.clone(),
            dimensions: output.dimensions.clone(),
            ..output
        });
    }
    operands.retain(|operand| ir::has_uses(operand.argument));
    Some(Nest { operation, element, element_bytes, sizes, reduced, inputs: operands, output, body })
}

fn operand<'c, 'a>(generic: &Generic<'c, 'a>, at: usize) -> Option<Operand<'c, 'a>> {
    let dimensions = generic.dimensions(at)?;
    let groups = (0..dimensions.len()).map(|at| vec![at]).collect();
    let (buffer, argument) = (ir::operand(generic.operation, at), generic.element(at)?);
    Some(Operand { buffer, argument, dimensions, groups })
}

/// The sizes of a buffer whose elements are contiguous. It may be rows of another one, from an offset on.
fn plain_sizes(ty: Type, element: Type) -> Option<Vec<u64>> {
    let ty = MemRefType::try_from(ty).ok()?;
    let is_plain = is_contiguous(ty) && !ir::has_memory_space(ty);
    (is_plain && same_type(ty.element(), element)).then(|| ir::static_sizes(ty)).flatten()
}

/// True if the elements of a buffer follow each other in the order of their indices.
pub fn is_contiguous(ty: MemRefType) -> bool {
    let Some(strided) = ir::strided(ty.into()) else { return false };
    let mut contiguous = Some(1);
    ir::has_identity_layout(ty)
        || strided.sizes.iter().zip(&strided.strides).rev().all(|(size, stride)| {
            let is_next = contiguous.is_some() && *stride == contiguous;
            contiguous = contiguous.zip(*size).and_then(|(stride, size)| stride.checked_mul(size));
            is_next
        })
}

fn is_vectorizable(body: BlockRef, element: Type) -> bool {
    let operations = ir::block_operations(body);
    let Some((end, operations)) = operations.split_last() else { return false };
    let is_float = |value: Value| same_type(value.r#type(), element);
    let is_known = |value: Value| is_float(value) || ir::signless_width(value.r#type()) == Some(1);
    ir::name(end) == "linalg.yield"
        && end.operand_count() == 1
        && end.operands().all(is_float)
        && operations.iter().all(|operation| {
            let name = ir::name(operation);
            (is_constant(*operation) || VECTORIZED.contains(&name) || is_mathematics(name))
                && operation.operands().all(is_known)
                && operation.result_count() == 1
                && operation.results().all(|result| is_known(result.into()))
        })
}

/// Orders the dimensions as in the result, which is the last operand. Returns their sizes.
fn in_order_of_result(operands: &mut [Operand], sizes: &[u64]) -> Vec<u64> {
    let order = operands.last().map_or(Vec::new(), |output| output.dimensions.clone());
    for dimension in operands.iter_mut().flat_map(|operand| &mut operand.dimensions) {
        *dimension = order.iter().position(|it| it == dimension).unwrap_or(*dimension);
    }
    order.into_iter().map(|dimension| sizes[dimension]).collect()
}

/// Drops dimensions of size 1 that are not reduced, as long as no operand has them alone.
fn drop_units(operands: &mut [Operand], sizes: &mut Vec<u64>, reduced: &mut Option<usize>) {
    let mut dimension = 0;
    while dimension < sizes.len() {
        let may_go =
            operands.iter().all(|it| it.dimensions.len() != 1 || it.dimensions[0] != dimension)
                && operands
                    .iter()
                    .all(|it| it.dimensions.iter().filter(|at| **at == dimension).count() <= 1);
        if sizes[dimension] != 1 || *reduced == Some(dimension) || !may_go {
            dimension += 1;
            continue;
        }
        for operand in operands.iter_mut() {
            match operand.dimensions.iter().position(|it| *it == dimension) {
                Some(at) => operand.join(at.saturating_sub(1), dimension),
                None => operand.renumber(dimension),
            }
        }
        sizes.remove(dimension);
        *reduced = reduced.map(|at| at - usize::from(at > dimension));
    }
}

/// Makes dimensions that are not reduced one, if they are neighbors, in this order, in each operand that has one of
/// them.
fn join_neighbors(operands: &mut [Operand], sizes: &mut Vec<u64>, reduced: &mut Option<usize>) {
    let mut first = 0;
    while first + 1 < sizes.len() {
        let next = first + 1;
        let may_join = !reduced.is_some_and(|at| [first, next].contains(&at))
            && operands.iter().all(|operand| {
                let has = |wanted: usize| operand.dimensions.contains(&wanted);
                let pairs = operand.dimensions.windows(2).filter(|pair| *pair == [first, next]);
                let either = operand.dimensions.iter().filter(|it| [first, next].contains(it));
                let is_one = pairs.count() == 1 && either.count() == 2;
                is_one || !(has(first) || has(next))
            });
        if !may_join {
            first += 1;
            continue;
        }
        for operand in operands.iter_mut() {
            match operand.dimensions.iter().position(|it| *it == first) {
                Some(at) => operand.join(at, next),
                None => operand.renumber(next),
            }
        }
        sizes[first] *= sizes[next];
        sizes.remove(next);
        *reduced = reduced.map(|at| at - usize::from(at > next));
    }
}

impl Operand<'_, '_> {
    /// Joins the groups at a position and the next; the dimension that is `gone` has no number afterwards.
    fn join(&mut self, at: usize, gone: usize) {
        let next = self.groups.remove(at + 1);
        self.groups[at].extend(next);
        self.dimensions.retain(|dimension| *dimension != gone);
        self.renumber(gone);
    }

    /// The dimensions after one that is `gone` move up.
    fn renumber(&mut self, gone: usize) {
        let later = self.dimensions.iter_mut().filter(|dimension| **dimension > gone);
        later.for_each(|dimension| *dimension -= 1);
    }
}
