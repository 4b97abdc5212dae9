//! Builds loops on vectors for element-wise operations, instead of convert-linalg-to-loops.
//!
//! Input: functions on buffers, after deallocation. Output: the same with loops for the operations that
//! [`nest`] recognizes: element-wise `linalg.generic` of any rank, all sizes known, operands in the order of
//! the result, transposed, scalar, or without some of its dimensions; and products of matrices and other sums over
//! one dimension. Other operations are left to convert-linalg-to-loops.
//!
//! An operation belongs to one of these classes, each of which is a file:
//!
//! ```text
//!   class     operands                  example          loops
//!   flat      as the result             a * b + a        one, over all elements
//!             and rows, columns         a - row          one for each row
//!   direct    transposed, and others    aT * bT          tiles, transposed in registers
//!   staged    the same, large           aT * b + c       tiles, transposed on the stack
//!   product   sums over a dimension     a @ b            tiles of the result in registers
//! ```
//!
//! Invariants: the same operations on the same elements as before, none of them contracted or reordered, so
//! that every bit of the results stays. The loops read an operand that is the result itself before they write
//! the same elements. The size of the target's registers selects the tiles, all of which give the same results:
//! LLVM splits longer vectors.
//!
//! Tutorial: chapter 11.

mod body;
mod builder;
mod direct;
pub mod fences;
mod fills;
mod flat;
mod nest;
mod options;
mod plane;
mod product;
mod shuffle;
mod skewed;
mod stack;
mod staged;
mod walk;

use crate::analysis::alias::{self, Overlap};
use crate::dialect::ops;
use crate::runtime_calls::texts;
use crate::stages::loops::versions;
use melior::Context;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockRef, Module};
use mlir_support::control_flow::{Kind, kind};
use mlir_support::ir;
use mlir_support::pass::{PassContext, PassDefinition, Prepared};
pub use nest::is_contiguous;
use nest::{Nest, Operand};
pub use options::Options;
use product::Product;
use stack::Stack;
use staged::Stage;
use std::collections::HashMap;
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::configurable(
    "toy-loop-nests",
    "Makes loops on vectors for element-wise operations and products, with tiles in registers",
    options::OPTIONS,
    configure,
);

fn configure(options: &str, _: bool) -> Result<Prepared, String> {
    let options = Options::parse(options)?;
    Ok(Box::new(move |context, module| run(context, module, &options)))
}

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>, options: &Options) -> Diagnosed<()> {
    let nests: Vec<_> =
        ir::operations(module.as_operation()).into_iter().filter_map(nest::recognize).collect();
    if nests.is_empty() {
        return Ok(());
    }
    let context = context.session.context();
    let mut versions: Vec<(_, Vec<_>)> = Vec::new();
    for nest in nests {
        let function = function_of(&nest);
        if function.is_some_and(versions::runs_anywhere) {
            continue;
        }
        let version = function.and_then(versions::of);
        match versions.iter_mut().find(|(other, _)| *other == version) {
            Some((_, nests)) => nests.push(nest),
            None => versions.push((version, vec![nest])),
        }
    }
    // The pass builds operations by name, so their dialects must be loaded.
    for dialect in ["arith", "memref", "scf", "vector"] {
        context.get_or_load_dialect(dialect);
    }
    let recurs = ir::block_operations(module.body())
        .into_iter()
        .any(|function| ops::symbol_name(&function) == texts::ENTER);
    for (version, nests) in versions {
        let own = version.map_or(options.register_bytes, |version| version.vector_bytes);
        let options = Options { register_bytes: own, ..options.clone() };
        build_all(context, nests, Stack::new(recurs), &options);
    }
    Ok(())
}

/// Builds the loops of the functions for one processor.
fn build_all<'c>(
    context: &'c Context,
    nests: Vec<Nest<'c, '_>>,
    mut stack: Stack,
    options: &Options,
) {
    let mut left = options.nests;
    let mut planned = Vec::new();
    for nest in nests {
        let Some(entry) = function_of(&nest).and_then(ops::entry_block) else { continue };
        let class = class(&nest, options);
        let Some(class) = class.and_then(|it| it.within((&nest, entry), options, &mut stack))
        else {
            continue;
        };
        if !matches!(class, Class::Flat) {
            match left.checked_sub(1) {
                Some(rest) => left = rest,
                None => continue,
            }
        }
        planned.push((nest, entry, class));
    }
    let fills = fills::before_products(&planned);
    let mut rows = HashMap::new();
    for (nest, entry, class) in &planned {
        if fills.are_part_of_products(nest) {
            continue;
        }
        let shared = builder::Shared::new(context, nest, *entry, options.threads > 1);
        let builder = shared.builder();
        match class {
            Class::Flat => {
                let past = is_past_caches(nest, options.nontemporal_bytes);
                flat::build(builder, nest, past, options);
            }
            Class::Direct(i) => {
                let past = is_past_caches(nest, options.direct_nontemporal_bytes);
                direct::build(builder, nest, *i, past, options);
            }
            Class::Product(product) => {
                // The products of a function run one after the other, with one buffer.
                let elements = stack.shared_elements(*entry, nest.element_bytes);
                let key = (ir::id(entry), nest.element_bytes);
                let rows = product
                    .copies_rows()
                    .then(|| *rows.entry(key).or_insert_with(|| builder.stack_buffer(&[elements])));
                let threads = options.parallel_work(nest).map(|work| (options.threads, work));
                product::build(builder, nest, (product, threads), rows, fills.start(nest));
            }
            Class::Staged(i, stage) => {
                let past = is_past_caches(nest, options.nontemporal_bytes);
                staged::build(builder, nest, *i, stage, past, options);
            }
        }
    }
    // Erase fills after their products, which read the fill values.
    planned.iter().for_each(|(nest, ..)| ir::erase(nest.operation));
}

/// The function of an operation, if it runs in the function's own thread.
fn function_of<'c, 'a>(nest: &Nest<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    let mut parent = nest.operation.parent_operation()?;
    while !ops::is_function(&parent) {
        if matches!(kind(&parent), None | Some(Kind::Parallel)) {
            return None;
        }
        parent = parent.parent_operation()?;
    }
    Some(parent)
}

enum Class {
    Flat,
    /// The dimension along which the transposed operands' elements are adjacent.
    Direct(usize),
    Staged(usize, Stage),
    Product(Product),
}

impl Class {
    /// The class itself, or one that needs less stack, if that is too small.
    fn within(
        self,
        (nest, entry): (&Nest, BlockRef),
        options: &Options,
        stack: &mut Stack,
    ) -> Option<Self> {
        match self {
            Self::Product(product) => {
                product.within((nest, entry), options, stack).map(Self::Product)
            }
            Self::Staged(i, stage) if !stack.take(stage.bytes) => Some(Self::Direct(i)),
            same => Some(same),
        }
    }
}

fn class(nest: &Nest, options: &Options) -> Option<Class> {
    if let Some(k) = nest.reduced {
        return Product::of(nest, k, options).map(Class::Product);
    }
    let overlap = |operand: &Operand| alias::overlap(operand.buffer, nest.output.buffer);
    let is_valid = nest.inputs.iter().all(|operand| match overlap(operand) {
        Overlap::Apart => true,
        Overlap::Same => operand.dimensions == nest.output.dimensions,
        Overlap::Unknown => false,
    });
    if !is_valid {
        return None;
    }
    if nest.tensors().all(Operand::is_identity) {
        return Some(Class::Flat);
    }
    let i = plane::direction(nest)?;
    let has_rows = nest.tensors().any(|operand| !plane::is_column(nest, operand));
    let columns = nest.tensors().filter(|operand| plane::is_column(nest, operand)).count();
    let is_conflicting = is_conflicting(nest, i);
    let most = options.direct_bytes * if is_conflicting { 1 } else { 4 };
    // Whole lines need no stage, as long as the registers suffice for the columns.
    let others = (nest.tensors().count() - columns) as u64;
    // Past the caches, a stage needs fewer lines of competing rows than squares of 4.
    let is_better_staged =
        has_rows && is_conflicting && nest.bytes() >= options.direct_nontemporal_bytes;
    let suffice_for = match () {
        () if options.square(nest, has_rows) == 8 => 3,
        () if options.pairs(nest) && !is_better_staged => 2,
        () => 0,
    };
    if columns <= suffice_for && others <= options.direct_operands {
        return Some(Class::Direct(i));
    }
    if nest.bytes() > most
        && (has_rows || is_conflicting)
        && let Some(stage) = Stage::of(nest, i, columns, options)
    {
        return Some(Class::Staged(i, stage));
    }
    Some(Class::Direct(i))
}

/// True if cache lines in neighboring rows, of the result or of a column, compete for the same sets.
fn is_conflicting(nest: &Nest, i: usize) -> bool {
    const PAGE: u64 = 4096;
    let sizes = [nest.sizes[i], nest.sizes[nest.sizes.len() - 1]];
    sizes.iter().any(|size| (size * nest.element_bytes).is_multiple_of(PAGE / 2))
}

/// True if the result should bypass the caches: with the operands it is larger than they are, and none of its
/// lines is cached already. The alignment of rows of a buffer is not known.
fn is_past_caches(nest: &Nest, bytes: u64) -> bool {
    let is_operand =
        |operand: &Operand| alias::overlap(operand.buffer, nest.output.buffer) == Overlap::Same;
    nest.bytes() >= bytes && nest.has_no_offset() && !nest.inputs.iter().any(is_operand)
}
