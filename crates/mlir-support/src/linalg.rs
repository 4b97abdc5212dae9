//! linalg operations as they compute: inputs and destinations, indexing maps, iterators.
//!
//! MLIR's `LinalgOp` interface answers this in C++, and its C API does not have it.
//!
//! Input: an operation on tensors or buffers. Output: the number of its inputs, after which its destinations follow, and
//! for `linalg.generic` a typed view. Invariant: an operation that is not of linalg, or malformed, has no answer.

use crate::func::attribute;
use crate::ir;
use melior::ir::attribute::{ArrayAttribute, DenseI32ArrayAttribute};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, BlockRef, Value};
use std::ops::Range;

/// The number of operands that are inputs: those after them are destinations.
///
/// It is 2 for `linalg.matmul` and 1 for `linalg.fill`. None for an operation that is not one of linalg on shaped
/// operands, such as `linalg.yield`.
pub fn input_count(operation: OperationRef) -> Option<usize> {
    let operands = operation.operand_count();
    match ir::name(&operation) {
        // These have one list of inputs and one of destinations, and no attribute with the sizes.
        "linalg.broadcast" | "linalg.transpose" | "linalg.map" => operands.checked_sub(1),
        "linalg.reduce" => Some(operands / 2),
        name if name.starts_with("linalg.") => {
            let segments = attribute(&operation, "operandSegmentSizes")?;
            let segments = DenseI32ArrayAttribute::try_from(segments).ok()?;
            usize::try_from(segments.element(0).ok()?).ok().filter(|inputs| *inputs <= operands)
        }
        _ => None,
    }
}

/// The order in which an iteration goes through one of its dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IteratorKind {
    /// In any order.
    Parallel,
    /// Results of several iterations are combined.
    Reduction,
    /// Any other kind.
    Other,
}

/// A `linalg.generic`.
pub struct Generic<'c, 'a> {
    pub operation: OperationRef<'c, 'a>,
    /// The number of inputs; the operands after them are destinations.
    pub inputs: usize,
    pub iterators: Vec<IteratorKind>,
    /// The only block of its region: an argument for the element of each operand.
    pub body: BlockRef<'c, 'a>,
    maps: ArrayAttribute<'c>,
}

impl<'c: 'a, 'a> Generic<'c, 'a> {
    /// None for any other operation.
    pub fn of(operation: OperationRef<'c, 'a>) -> Option<Self> {
        if ir::name(&operation) != "linalg.generic" {
            return None;
        }
        let [body] = ir::blocks(operation)[..] else { return None };
        let array = |name| ArrayAttribute::try_from(attribute(&operation, name)?).ok();
        let iterators = array("iterator_types")?;
        let iterators = (0..iterators.len()).map(|at| iterators.element(at).ok().map(kind));
        Some(Self {
            operation,
            inputs: input_count(operation)?,
            iterators: iterators.collect::<Option<_>>()?,
            body,
            maps: array("indexing_maps")?,
        })
    }

    /// The numbers of the operands that are destinations.
    pub fn destinations(&self) -> Range<usize> {
        self.inputs..self.operation.operand_count()
    }

    /// True if iterations may run in any order.
    pub fn is_parallel(&self) -> bool {
        self.iterators.iter().all(|kind| *kind == IteratorKind::Parallel)
    }

    /// The element of an operand in the body.
    pub fn element(&self, operand: usize) -> Option<Value<'c, 'a>> {
        ir::argument_if_any(self.body, operand)
    }

    /// True if the body uses the element of an operand; for a destination, the one from before.
    pub fn reads(&self, operand: usize) -> bool {
        self.element(operand).is_none_or(ir::has_uses)
    }

    /// True if each iteration uses the element of an operand that has the index of the iteration.
    pub fn is_identity(&self, operand: usize) -> bool {
        self.map(operand).is_some_and(ir::is_identity_map)
    }

    /// The dimensions of the iteration that index an operand: `[1, 0]` for the transpose of a matrix.
    ///
    /// None if an index is computed otherwise, as in `d0 + 1`.
    pub fn dimensions(&self, operand: usize) -> Option<Vec<usize>> {
        Some(ir::dimensions_of_map(self.map(operand)?)?.0)
    }

    /// The inputs that are read only at the index at which a destination is written, if every iteration writes one
    /// element of it and reads none: then an input and the destination may be the same memory.
    pub fn element_wise(&self, destination: usize) -> Option<Vec<usize>> {
        if !self.is_parallel() || !self.is_identity(destination) || self.reads(destination) {
            return None;
        }
        Some((0..self.inputs).filter(|input| self.is_identity(*input)).collect())
    }

    /// True if every element of a destination, or of none, is written, and none of them is read.
    pub fn overwrites(&self, destination: usize) -> bool {
        let Some(mut used) = self.dimensions(destination) else { return false };
        used.sort_unstable();
        destination >= self.inputs
            && self.is_parallel()
            && used.into_iter().eq(0..self.iterators.len())
            && !self.reads(destination)
    }

    fn map(&self, operand: usize) -> Option<Attribute<'c>> {
        self.maps.element(operand).ok()
    }
}

fn kind(iterator: Attribute) -> IteratorKind {
    if ir::is_written(iterator, "#linalg.iterator_type<parallel>") {
        IteratorKind::Parallel
    } else if ir::is_written(iterator, "#linalg.iterator_type<reduction>") {
        IteratorKind::Reduction
    } else {
        IteratorKind::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;
    use toy_diagnostics::source::Source;

    const PROGRAM: &str = "
#same = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
#next = affine_map<(d0, d1) -> (d0 + 1, d1)>
func.func @f(%large: memref<5x4xf64>, %a: memref<4x4xf64>, %b: memref<4x4xf64>, %r: memref<4xf64>, %x: f64, %t: tensor<4x4xf64>) {
  linalg.generic {indexing_maps = [#same, #turned, #same], iterator_types = [\"parallel\", \"parallel\"]}
      ins(%a, %b : memref<4x4xf64>, memref<4x4xf64>) outs(%a : memref<4x4xf64>) {
  ^bb0(%in: f64, %turned: f64, %out: f64):
    %sum = arith.addf %in, %turned : f64
    linalg.yield %sum : f64
  }
  linalg.generic {indexing_maps = [#next, #row], iterator_types = [\"parallel\", \"reduction\"]}
      ins(%large : memref<5x4xf64>) outs(%r : memref<4xf64>) {
  ^bb0(%in: f64, %out: f64):
    %sum = arith.addf %in, %out : f64
    linalg.yield %sum : f64
  }
  linalg.fill ins(%x : f64) outs(%a : memref<4x4xf64>)
  linalg.matmul ins(%a, %b : memref<4x4xf64>, memref<4x4xf64>) outs(%a : memref<4x4xf64>)
  linalg.transpose ins(%a : memref<4x4xf64>) outs(%b : memref<4x4xf64>) permutation = [1, 0]
  linalg.broadcast ins(%r : memref<4xf64>) outs(%b : memref<4x4xf64>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%a : memref<4x4xf64>) outs(%r : memref<4xf64>) dimensions = [1]
  linalg.map { arith.addf } ins(%a, %b : memref<4x4xf64>, memref<4x4xf64>) outs(%a : memref<4x4xf64>)
  %0 = linalg.transpose ins(%t : tensor<4x4xf64>) outs(%t : tensor<4x4xf64>) permutation = [1, 0]
  %1 = linalg.add ins(%t, %t : tensor<4x4xf64>, tensor<4x4xf64>) outs(%t : tensor<4x4xf64>) -> tensor<4x4xf64>
  return
}";

    fn with_program(test: impl FnOnce(Vec<OperationRef>)) {
        let session = Session::new();
        session.load_dialects(&["func", "linalg", "memref", "tensor", "arith"]);
        let module = session.parse(&Source::new("f.mlir", PROGRAM)).expect("valid");
        test(ir::operations(module.as_operation()));
    }

    #[test]
    fn destinations_follow_the_inputs() {
        with_program(|operations| {
            let counts: Vec<_> = operations
                .iter()
                .filter(|operation| ir::name(*operation).starts_with("linalg."))
                .filter_map(|operation| Some((ir::name(operation), input_count(*operation)?)))
                .collect();
            let expected = [
                ("linalg.generic", 2),
                ("linalg.generic", 1),
                ("linalg.fill", 1),
                ("linalg.matmul", 2),
                ("linalg.transpose", 1),
                ("linalg.broadcast", 1),
                ("linalg.reduce", 1),
                ("linalg.map", 2),
                ("linalg.transpose", 1),
                ("linalg.add", 2),
            ];
            assert_eq!(counts, expected);
        });
    }

    #[test]
    fn a_generic_says_how_it_indexes_and_what_it_reads() {
        with_program(|operations| {
            let all: Vec<_> = operations.iter().filter_map(|it| Generic::of(*it)).collect();
            let [sum, rows] = &all[..] else { panic!("two operations") };
            assert!(sum.is_parallel() && sum.reads(0) && !sum.reads(2));
            assert_eq!(sum.dimensions(1), Some(vec![1, 0]));
            assert_eq!(sum.element_wise(2), Some(vec![0]));
            assert!(sum.overwrites(2) && !sum.overwrites(0));
            assert_eq!(rows.iterators, [IteratorKind::Parallel, IteratorKind::Reduction]);
            assert_eq!((rows.dimensions(0), rows.dimensions(1)), (None, Some(vec![0])));
            assert!(rows.element_wise(1).is_none() && !rows.overwrites(1) && rows.reads(1));
        });
    }
}
