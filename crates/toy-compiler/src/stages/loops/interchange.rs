//! Orders the loops of products that have no loop nests of ours: along rows of the result innermost.
//!
//! Input: linalg on buffers, after the loop nests took the operations that they know. Output: the same; an operation
//! whose innermost loop would reduce has a dimension of the result there, along which it reads and writes neighbors:
//!
//! ```mlir
//! for i, j, k: c[i, j] += a[i, k] * b[k, j]      =>      for i, k, j: c[i, j] += a[i, k] * b[k, j]
//! ```
//!
//! These are products of integers and complex numbers, and those with sizes or strides that are not known. LLVM makes
//! vectors of the inner loop, where it would add up one number after the other, from as many lines of the cache.
//!
//! Invariant: each element of the result is computed from the same numbers in the same order, because the order of the
//! dimensions that are reduced stays, and no operand that is read may be the result. Upstream has the change only in the
//! transform dialect (`transform.structured.interchange`).

use crate::analysis::alias::{self, Overlap};
use crate::dialect::ops;
use melior::Context;
use melior::ir::attribute::{ArrayAttribute, IntegerAttribute};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, Module, ValueLike};
use mlir_support::builder::Builder;
use mlir_support::ir;
use mlir_support::linalg::{Generic, IteratorKind};
use mlir_support::pass::{PassContext, PassDefinition};
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-interchange",
    "Orders the loops of products along the rows of the result",
    run,
);

fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    for operation in ir::operations(module.as_operation()) {
        if let Some(order) = Generic::of(operation).and_then(|generic| order(&generic)) {
            reorder(context.session.context(), operation, &order);
        }
    }
    Ok(())
}

/// The dimensions in their new order; None if the old one is as good.
fn order(generic: &Generic) -> Option<Vec<usize>> {
    let [result] = generic.destinations().collect::<Vec<_>>()[..] else { return None };
    let last = generic.iterators.len().checked_sub(1)?;
    let buffer = ir::operand(generic.operation, result);
    let row = *generic.dimensions(result)?.last()?;
    let reads_rows = |at: &usize| {
        let dimensions = generic.dimensions(*at)?;
        let uses = dimensions.iter().filter(|dimension| **dimension == row).count();
        (uses == 0 || (uses == 1 && dimensions.last() == Some(&row))).then_some(uses > 0)
    };
    let inputs = (0..generic.inputs).map(|at| reads_rows(&at)).collect::<Option<Vec<_>>>()?;
    let is_apart = |at: usize| {
        let input = ir::operand(generic.operation, at);
        !ops::is_buffer(input.r#type()) || alias::overlap(input, buffer) == Overlap::Apart
    };
    let is_better = generic.iterators[last] == IteratorKind::Reduction
        && generic.iterators[row] == IteratorKind::Parallel
        && !generic.iterators.contains(&IteratorKind::Other)
        && reads_rows(&result) == Some(true)
        && inputs.contains(&true)
        && ops::is_buffer(buffer.r#type())
        && (0..generic.inputs).all(is_apart);
    is_better.then(|| (0..=last).filter(|at| *at != row).chain([row]).collect())
}

/// Changes the order of the dimensions.
fn reorder<'c>(context: &'c Context, operation: OperationRef<'c, '_>, order: &[usize]) {
    let place =
        |dimension: usize| order.iter().position(|it| *it == dimension).expect("each is there");
    let Some(generic) = Generic::of(operation) else { return };
    let code = Builder::before(context, operation);
    let names: Vec<_> = (0..order.len()).map(|at| format!("d{at}")).collect();
    let maps = (0..operation.operand_count()).map(|at| {
        let dimensions = generic.dimensions(at).expect("checked");
        let results: Vec<_> = dimensions.into_iter().map(|it| names[place(it)].as_str()).collect();
        let map = format!("affine_map<({}) -> ({})>", names.join(", "), results.join(", "));
        Attribute::parse(context, &map).expect("a map")
    });
    let maps = code.list(maps);
    let iterators = ops::attribute(&operation, "iterator_types").map(ArrayAttribute::try_from);
    let Some(Ok(iterators)) = iterators else { return };
    let iterators = order.iter().filter_map(|at| iterators.element(*at).ok());
    let iterators = code.list(iterators);
    ir::set_attribute(operation, "indexing_maps", maps);
    ir::set_attribute(operation, "iterator_types", iterators);
    for index in ir::operations(operation).into_iter().filter(|it| ir::name(it) == "linalg.index") {
        let dimension = ops::attribute(&index, "dim").map(IntegerAttribute::try_from);
        let Some(Ok(dimension)) = dimension else { continue };
        let at = usize::try_from(dimension.value()).expect("verified: not negative");
        ir::set_attribute(index, "dim", code.number(place(at) as i64));
    }
}
