//! A function as a graph of control flow, down to single operations.
//!
//! Input: a function. Output: its operations in the order of the text, cut into pieces that are
//! executed from their first operation to their last, and the edges to the pieces that may come next,
//! with the values that they pass on. A branch leads to its successors. Of an operation with regions
//! nothing is known but that it may run them any number of times, in any order, or not at all, and
//! that it may pass any of its operands and of what its regions end with to any of them, and to any of
//! its results; so lowered programs have the better graphs.

use crate::mlir::raw;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, Type, TypeLike, Value, ValueLike};
use std::collections::HashMap;

/// The operations of a function and the ways through them.
pub struct Graph<'c, 'a> {
    pub operations: Vec<OperationRef<'c, 'a>>,
    /// The first one is where the function starts.
    pub pieces: Vec<Piece<'c, 'a>>,
}

/// Operations that are executed one after the other.
pub struct Piece<'c, 'a> {
    pub operations: Vec<usize>,
    /// The buffers that edges to here pass on.
    pub arguments: Vec<Value<'c, 'a>>,
    pub next: Vec<Edge<'c, 'a>>,
}

/// A way to another piece.
pub struct Edge<'c, 'a> {
    pub to: usize,
    /// Arguments of the other piece, each with what it may be.
    pub passes: Vec<(Value<'c, 'a>, Value<'c, 'a>)>,
}

impl<'c, 'a> Graph<'c, 'a> {
    pub fn of(function: OperationRef<'c, 'a>) -> Self {
        let operations = raw::operations(function);
        let mut builder = Builder::default();
        for block in raw::blocks(function) {
            builder.start(block);
        }
        // Blocks that lead back to the operation around them, with where that leads.
        let mut inner: Vec<(BlockRef, Vec<usize>)> = Vec::new();
        for (at, operation) in operations.iter().enumerate() {
            let Some(block) = operation.block() else { continue };
            let here = builder.current[&address(block)];
            builder.pieces[here].operations.push(at);
            builder.branch(here, *operation);
            let regions: Vec<_> = (0..operation.region_count())
                .map(|region| raw::blocks_of(*operation, region))
                .filter(|blocks| !blocks.is_empty())
                .collect();
            if regions.is_empty() {
                continue;
            }
            regions.iter().flatten().for_each(|block| builder.start(*block));
            let mut next: Vec<_> =
                regions.iter().map(|blocks| builder.first[&address(blocks[0])]).collect();
            next.push(builder.go_on(block, buffers(operation.results().map(Value::from))));
            builder.lead(here, &next, *operation);
            inner.extend(regions.iter().flatten().map(|block| (*block, next.clone())));
        }
        for (block, next) in inner {
            let here = builder.current[&address(block)];
            match raw::block_operations(block).last() {
                Some(last) if last.successor_count() == 0 => builder.lead(here, &next, *last),
                Some(_) => {}
                None => builder.pieces[here].next.extend(next.into_iter().map(Edge::bare)),
            }
        }
        Self { operations, pieces: builder.pieces }
    }
}

impl Edge<'_, '_> {
    fn bare(to: usize) -> Self {
        Self { to, passes: Vec::new() }
    }
}

/// The pieces so far, and by the addresses of blocks the first and the last one of each.
#[derive(Default)]
struct Builder<'c, 'a> {
    pieces: Vec<Piece<'c, 'a>>,
    first: HashMap<usize, usize>,
    current: HashMap<usize, usize>,
}

impl<'c, 'a> Builder<'c, 'a> {
    fn start(&mut self, block: BlockRef<'c, 'a>) {
        let piece = self.go_on(block, buffers(arguments(block)));
        self.first.insert(address(block), piece);
    }

    fn go_on(&mut self, block: BlockRef, arguments: Vec<Value<'c, 'a>>) -> usize {
        self.pieces.push(Piece { operations: Vec::new(), arguments, next: Vec::new() });
        self.current.insert(address(block), self.pieces.len() - 1);
        self.pieces.len() - 1
    }

    /// The edges to the successors of an operation. Branches of the dialect `cf` end with the arguments
    /// of all of them, in order; others may pass anything.
    fn branch(&mut self, here: usize, operation: OperationRef<'c, 'a>) {
        let successors: Vec<BlockRef<'c, 'a>> = (0..operation.successor_count())
            .filter_map(|successor| operation.successor(successor).ok())
            .collect();
        let next: Vec<_> = successors.iter().map(|block| self.first[&address(*block)]).collect();
        if !raw::name(&operation).starts_with("cf.") {
            return self.lead(here, &next, operation);
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
            self.pieces[here].next.push(Edge { to, passes });
        }
    }

    /// Edges that pass any operand as any argument.
    fn lead(&mut self, here: usize, next: &[usize], operation: OperationRef<'c, 'a>) {
        let operands = buffers(operation.operands());
        for to in next {
            let arguments = self.pieces[*to].arguments.iter();
            let passes = arguments
                .flat_map(|argument| operands.iter().map(|operand| (*argument, *operand)))
                .collect();
            self.pieces[here].next.push(Edge { to: *to, passes });
        }
    }
}

/// Whether a value of the type may be a buffer or contain one.
pub fn may_be_buffer(r#type: Type) -> bool {
    !(r#type.is_integer() || r#type.is_index() || r#type.is_float() || r#type.is_vector())
}

/// Those values that may be buffers.
pub fn buffers<'c, 'a>(values: impl IntoIterator<Item = Value<'c, 'a>>) -> Vec<Value<'c, 'a>> {
    values.into_iter().filter(|value| may_be_buffer(value.r#type())).collect()
}

/// The arguments of a block.
pub fn arguments<'c, 'a>(block: BlockRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    let arguments = (0..block.argument_count()).filter_map(|index| block.argument(index).ok());
    arguments.map(|argument| raw::value_of(argument.into())).collect()
}

fn address(block: BlockRef) -> usize {
    block.to_raw().ptr as usize
}
