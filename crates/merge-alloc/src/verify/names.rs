//! The names of merged buffers, and the operations that access them under each name.
//!
//! Input: a function's graph and its buffers. Output: one name for each value that may be one of the buffers. Names are
//! followed wherever a buffer may go: along the edges of the graph, and from the operands of any operation to all its
//! results; for calls, from the operands that the function may return.

use super::buffers::MergedBuffer;
use super::graph::{Edge, Graph};
use super::returned::{Returned, definitions, flows, is_return};
use super::workspaces::Workspaces;
use melior::ir::Value;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::ir;
use std::collections::{HashMap, HashSet};

/// The names of a function, by their numbers.
#[derive(Default)]
pub struct Names {
    /// The buffers that each name may stand for.
    pub buffers: Vec<Vec<usize>>,
    /// The effects of each operation on names.
    pub steps: Vec<Step>,
    /// The edges of each node, in order.
    pub edges: Vec<Vec<Crossing>>,
    /// Operations that let a buffer escape, and the buffer.
    pub escapes: Vec<(usize, usize)>,
}

/// An operation as far as names are concerned.
#[derive(Default)]
pub struct Step {
    pub accesses: Vec<usize>,
    /// Arguments of a call that the function divides into buffers.
    pub divides: Vec<usize>,
    /// Results, each with the operands that it may be.
    pub defines: Vec<(usize, Vec<usize>)>,
}

/// An edge: the names that start at its end, and the names that it passes to them.
#[derive(Default)]
pub struct Crossing {
    pub arguments: Vec<usize>,
    pub passes: Vec<(usize, usize)>,
}

impl Names {
    pub fn of<'c, 'a>(
        graph: &Graph<'c, 'a>,
        buffers: &[MergedBuffer<'c, 'a>],
        returned: &Returned,
        workspaces: &Workspaces,
    ) -> Self {
        let born: HashSet<_> = buffers.iter().map(|buffer| ir::id(buffer.value)).collect();
        let all = graph.operations.iter();
        let definitions: Vec<_> =
            all.map(|operation| definitions(*operation, &born, returned)).collect();
        let flows = flows(graph, &definitions);
        let (index, named) = follow(&flows, buffers);
        let number = |value: &Value| index.get(&ir::id(*value)).copied();
        let numbers = |values: &[Value]| values.iter().filter_map(number).collect();
        let mut names = Self { buffers: named, ..Self::default() };
        for (at, (operation, definitions)) in graph.operations.iter().zip(definitions).enumerate() {
            let mut step = Step::default();
            for (operand, value) in operation.operands().enumerate() {
                let Some(name) = number(&value) else { continue };
                if is_access(*operation, operand) {
                    step.accesses.push(name);
                }
                if workspaces.is_divided(*operation, operand) {
                    step.divides.push(name);
                }
                if is_escape(*operation, operand) {
                    let all = names.buffers[name].iter().copied();
                    let lost = all.filter(|buffer| buffers[*buffer].is_view);
                    names.escapes.extend(lost.map(|buffer| (at, buffer)));
                }
            }
            let known =
                definitions.iter().filter_map(|(to, from)| Some((number(to)?, numbers(from))));
            step.defines = known.collect();
            names.steps.push(step);
        }
        for node in &graph.nodes {
            let crossing = |edge: &Edge| Crossing {
                arguments: numbers(&graph.nodes[edge.to].arguments),
                passes: edge
                    .passes
                    .iter()
                    .filter_map(|(to, from)| Some((number(to)?, number(from)?)))
                    .collect(),
            };
            names.edges.push(node.next.iter().map(crossing).collect());
        }
        names
    }
}

/// Numbers for all names of the buffers, and the buffers of each name.
fn follow(
    flows: &HashMap<usize, Vec<usize>>,
    buffers: &[MergedBuffer],
) -> (HashMap<usize, usize>, Vec<Vec<usize>>) {
    let mut index = HashMap::new();
    let mut named: Vec<Vec<usize>> = Vec::new();
    for (buffer, root) in buffers.iter().enumerate() {
        let mut pending = vec![ir::id(root.value)];
        while let Some(value) = pending.pop() {
            let name = *index.entry(value).or_insert_with(|| {
                named.push(Vec::new());
                named.len() - 1
            });
            if named[name].last() != Some(&buffer) {
                named[name].push(buffer);
                pending.extend(flows.get(&value).into_iter().flatten());
            }
        }
    }
    (index, named)
}

/// The operations that pass all their operands on, or use only their types, besides control flow.
const PASSES_ON: &str = "memref.cast memref.subview memref.view memref.reinterpret_cast memref.expand_shape \
    memref.collapse_shape memref.transpose memref.memory_space_cast memref.assume_alignment \
    memref.extract_strided_metadata memref.extract_aligned_pointer_as_index memref.dim memref.rank \
    memref.alloca_scope.return memref.dealloc bufferization.dealloc vector.type_cast arith.select func.return \
    gpu.return";

/// True if an operation may access the memory of this operand, rather than only pass it on.
fn is_access(operation: OperationRef, operand: usize) -> bool {
    let name = ir::name(&operation);
    let passes_on = match name {
        "memref.reshape" => operand == 0,
        _ if PASSES_ON.split(' ').any(|known| known == name) => true,
        _ => ["cf.", "scf.", "affine."].iter().any(|dialect| name.starts_with(dialect)),
    };
    // These belong to the dialect of loops, and access memory.
    let touching = ["load", "store", "vector_", "prefetch", "dma_"];
    let name = name.strip_prefix("affine.");
    !passes_on || name.is_some_and(|name| touching.iter().any(|verb| name.starts_with(verb)))
}

/// True if the operation lets the buffer escape from the function.
fn is_escape(operation: OperationRef, operand: usize) -> bool {
    match ir::name(&operation) {
        _ if is_return(operation) => true,
        "memref.store" | "affine.store" => operand == 0,
        _ => false,
    }
}
