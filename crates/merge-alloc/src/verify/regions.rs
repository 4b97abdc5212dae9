//! Control flow of operations with regions.
//!
//! Input: an operation with regions, or the end of one of its blocks. Output: the edges from there, and the values that
//! they pass. The C API of LLVM 22 has no `RegionBranchOpInterface` to ask, so the table below is all that is known.
//! The regions of other operations may run any number of times, in any order, concurrently or not at all, and every
//! value may be passed everywhere.

use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::ir;

/// The target of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Region(usize),
    /// The operation after it.
    After,
}

/// The operands that become the arguments of a region, or the results of the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    /// Any operand may become any of them.
    Any,
    /// The operands from `operand` on become the arguments from `argument` on, in order.
    InOrder { operand: usize, argument: usize },
}

/// An edge at an operation with regions.
pub type RegionEdge = (Target, Passes);

/// The operands from `operand` on, as the first arguments.
const fn from(operand: usize) -> Passes {
    Passes::InOrder { operand, argument: 0 }
}

/// The edges from an operation into its regions, or past them.
pub fn enter(operation: OperationRef) -> Vec<RegionEdge> {
    use Target::{After, Region};
    let operands = operation.operand_count();
    let regions = regions(operation);
    match ir::name(&operation) {
        "scf.if" | "affine.if" => {
            let otherwise = if regions.clone().count() < 2 { Some(After) } else { None };
            // The operands of the condition are not passed on.
            regions.chain(otherwise).map(|to| (to, from(operands))).collect()
        }
        "scf.index_switch" => regions.map(|to| (to, from(operands))).collect(),
        "scf.execute_region" | "memref.alloca_scope" => vec![(Region(0), from(operands))],
        "scf.for" | "affine.for" => {
            let first = operands.saturating_sub(operation.result_count());
            // The first argument is the induction variable.
            let iterate = Passes::InOrder { operand: first, argument: 1 };
            vec![(Region(0), iterate), (After, from(first))]
        }
        "scf.while" => vec![(Region(0), from(0))],
        _ => regions.chain([After]).map(|to| (to, Passes::Any)).collect(),
    }
}

/// The edges from the end of a block that has no successors in its region.
pub fn leave(operation: OperationRef, terminator: Option<OperationRef>) -> Vec<RegionEdge> {
    use Target::{After, Region};
    let name = terminator.map_or("", |terminator| ir::name(&terminator));
    match (ir::name(&operation), name) {
        ("scf.if" | "scf.index_switch" | "scf.execute_region", "scf.yield")
        | ("affine.if", "affine.yield")
        | ("memref.alloca_scope", "memref.alloca_scope.return") => vec![(After, from(0))],
        ("scf.for", "scf.yield") | ("affine.for", "affine.yield") => {
            vec![(Region(0), Passes::InOrder { operand: 0, argument: 1 }), (After, from(0))]
        }
        // The first operand is the condition itself.
        ("scf.while", "scf.condition") => vec![(Region(1), from(1)), (After, from(1))],
        ("scf.while", "scf.yield") => vec![(Region(0), from(0))],
        _ => regions(operation).chain([After]).map(|to| (to, Passes::Any)).collect(),
    }
}

/// The regions that are not empty.
fn regions<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) -> impl Iterator<Item = Target> + Clone {
    let is_there = move |region: &usize| !ir::blocks_of(operation, *region).is_empty();
    (0..operation.region_count()).filter(is_there).map(Target::Region)
}

/// True if everything in the regions may be executed concurrently: in iterations that run side by side, and in unknown
/// operations.
pub fn is_concurrent(operation: OperationRef) -> bool {
    let mut edges = enter(operation).into_iter();
    operation.region_count() > 0 && edges.any(|(_, passes)| passes == Passes::Any)
}
