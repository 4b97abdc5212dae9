//! A function as a graph of control flow, down to single operations.
//!
//! Input: a function. Output: its operations in the order of the text, in nodes that are executed from their first
//! operation to their last, and the edges to the nodes that may come next, with the values that they pass on. The edges
//! of a branch are its successors; the edges of an operation with regions come from [`regions`]. Regions whose
//! operations may be executed concurrently are recorded, because edges cannot express that.

use super::regions::{self, Passes, RegionEdge, Target};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, Type, TypeLike, Value, ValueLike};
use mlir_support::ir;
use std::collections::HashMap;
use std::ops::Range;

/// The operations of a function, and the edges between them.
pub struct Graph<'c, 'a> {
    pub operations: Vec<OperationRef<'c, 'a>>,
    /// The nodes; the function starts at the first one.
    pub nodes: Vec<Node<'c, 'a>>,
    /// The operations whose regions may run concurrently with themselves and each other, and their contents.
    pub concurrent: Vec<(usize, Range<usize>)>,
}

/// Operations that are executed one after the other.
pub struct Node<'c, 'a> {
    pub operations: Vec<usize>,
    /// The buffers that edges to here pass on.
    pub arguments: Vec<Value<'c, 'a>>,
    pub next: Vec<Edge<'c, 'a>>,
}

/// An edge to another node.
pub struct Edge<'c, 'a> {
    pub to: usize,
    /// Arguments of the other node, each with a value that it may be.
    pub passes: Vec<(Value<'c, 'a>, Value<'c, 'a>)>,
}

impl<'c, 'a> Graph<'c, 'a> {
    pub fn of(function: OperationRef<'c, 'a>) -> Self {
        let operations = ir::operations(function);
        let mut builder = Builder::default();
        for block in ir::blocks(function) {
            builder.start(block);
        }
        let mut concurrent = Vec::new();
        // Operations with regions, each with the node after it.
        let mut structured = Vec::new();
        for (at, operation) in operations.iter().enumerate() {
            let Some(block) = operation.block() else { continue };
            let here = builder.current[&ir::id(block)];
            builder.nodes[here].operations.push(at);
            builder.branch(here, *operation);
            let blocks: Vec<_> = (0..operation.region_count())
                .flat_map(|region| ir::blocks_of(*operation, region))
                .collect();
            if blocks.is_empty() {
                continue;
            }
            blocks.iter().for_each(|block| builder.start(*block));
            let after = builder.append_node(block, buffers(operation.results().map(Value::from)));
            for edge in regions::enter(*operation) {
                builder.add_edge(here, edge, *operation, after, Some(*operation));
            }
            if regions::is_concurrent(*operation) {
                concurrent.push((at, at + 1..at + 1 + ir::operations(*operation).len()));
            }
            structured.push((*operation, blocks, after));
        }
        for (operation, blocks, after) in structured {
            for block in blocks {
                let last = ir::block_operations(block).last().copied();
                if last.is_some_and(|last| last.successor_count() > 0) {
                    continue;
                }
                let here = builder.current[&ir::id(block)];
                for edge in regions::leave(operation, last) {
                    builder.add_edge(here, edge, operation, after, last);
                }
            }
        }
        Self { operations, nodes: builder.nodes, concurrent }
    }
}

/// The nodes so far, and the first and the last node of each block, by the block's address.
#[derive(Default)]
struct Builder<'c, 'a> {
    nodes: Vec<Node<'c, 'a>>,
    first: HashMap<usize, usize>,
    current: HashMap<usize, usize>,
}

impl<'c, 'a> Builder<'c, 'a> {
    fn start(&mut self, block: BlockRef<'c, 'a>) {
        let node = self.append_node(block, buffers(arguments(block)));
        self.first.insert(ir::id(block), node);
    }

    fn append_node(&mut self, block: BlockRef, arguments: Vec<Value<'c, 'a>>) -> usize {
        self.nodes.push(Node { operations: Vec::new(), arguments, next: Vec::new() });
        self.current.insert(ir::id(block), self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// The edges to the successors of an operation. Branches of the dialect `cf` end with the arguments
    /// of all of them, in order; others may pass anything.
    fn branch(&mut self, here: usize, operation: OperationRef<'c, 'a>) {
        let successors: Vec<BlockRef<'c, 'a>> = (0..operation.successor_count())
            .filter_map(|successor| operation.successor(successor).ok())
            .collect();
        let next: Vec<_> = successors.iter().map(|block| self.first[&ir::id(*block)]).collect();
        if !ir::name(&operation).starts_with("cf.") {
            return next
                .into_iter()
                .for_each(|to| self.add_conservative_edge(here, to, Some(operation)));
        }
        let passed = successors.iter().map(|block| block.argument_count()).sum::<usize>();
        let mut operand = operation.operand_count().saturating_sub(passed);
        for (block, to) in successors.into_iter().zip(next) {
            let mut passes = Vec::new();
            for argument in arguments(block) {
                if let Ok(value) = operation.operand(operand)
                    && may_be_buffer(argument.r#type())
                {
                    passes.push((argument, value));
                }
                operand += 1;
            }
            self.nodes[here].next.push(Edge { to, passes });
        }
    }

    /// An edge at an operation with regions; `by` passes its operands.
    fn add_edge(
        &mut self,
        here: usize,
        (target, passes): RegionEdge,
        operation: OperationRef<'c, 'a>,
        after: usize,
        by: Option<OperationRef<'c, 'a>>,
    ) {
        let (to, values) = match target {
            Target::Region(region) => {
                let Some(block) = ir::blocks_of(operation, region).first().copied() else {
                    return;
                };
                (self.first[&ir::id(block)], arguments(block))
            }
            Target::After => (after, operation.results().map(Value::from).collect()),
        };
        let operands = operands(by);
        let pairs = match passes {
            Passes::InOrder { operand, argument } => {
                let operands = operands.get(operand..).unwrap_or_default();
                let values = values.get(argument..).unwrap_or_default();
                (operands.len() == values.len()).then(|| values.iter().zip(operands))
            }
            Passes::Any => None,
        };
        let Some(pairs) = pairs else { return self.add_conservative_edge(here, to, by) };
        let pairs = pairs.filter(|(value, _)| may_be_buffer(value.r#type()));
        let passes = pairs.map(|(value, operand)| (*value, *operand)).collect();
        self.nodes[here].next.push(Edge { to, passes });
    }

    /// An edge that passes any operand as any argument.
    fn add_conservative_edge(&mut self, here: usize, to: usize, by: Option<OperationRef<'c, 'a>>) {
        let operands = buffers(operands(by));
        let arguments = self.nodes[to].arguments.iter();
        let passes = arguments
            .flat_map(|argument| operands.iter().map(|operand| (*argument, *operand)))
            .collect();
        self.nodes[here].next.push(Edge { to, passes });
    }
}

fn operands<'c, 'a>(operation: Option<OperationRef<'c, 'a>>) -> Vec<Value<'c, 'a>> {
    operation.map_or_else(Vec::new, |operation| operation.operands().collect())
}

/// True if a value of the type may be a buffer or contain one: numbers, and vectors of them, do not.
pub fn may_be_buffer(ty: Type) -> bool {
    let is_number = |ty: Type| ty.is_integer() || ty.is_index() || ty.is_float();
    let is_vector = || match ir::fixed_vector(ty) {
        Some((element, _)) => is_number(element),
        None => ty.is_vector(),
    };
    !(is_number(ty) || is_vector() || ir::complex_element(ty).is_some())
}

/// The values that may be buffers.
pub fn buffers<'c, 'a>(values: impl IntoIterator<Item = Value<'c, 'a>>) -> Vec<Value<'c, 'a>> {
    values.into_iter().filter(|value| may_be_buffer(value.r#type())).collect()
}

/// The arguments of a block.
pub fn arguments<'c, 'a>(block: BlockRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    let arguments = (0..block.argument_count()).filter_map(|index| block.argument(index).ok());
    arguments.map(|argument| argument.into()).collect()
}
