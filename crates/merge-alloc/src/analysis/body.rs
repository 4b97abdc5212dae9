//! A function as tables: its operations in program order, with their ticks and enclosing operations.
//!
//! Input: a function. Output: one entry per nested operation, in pre-order. The tick of an operation
//! is its number in this order. Operations without operands, results and regions (`scf.yield`,
//! `func.return`) do nothing and have no tick of their own.

use crate::analysis::effects::{self, RegionKind};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, RegionLike};
use mlir_support::{ir, layout};
use std::collections::HashMap;

/// A function's operations.
pub struct Body<'c, 'a> {
    /// The function itself.
    pub function: OperationRef<'c, 'a>,
    /// The number of the function's own scope among all scopes of the module.
    pub scope: i64,
    /// True if its body has several blocks.
    pub several_blocks: bool,
    /// True if an enclosing or nested operation defines the size of an index.
    pub has_own_index: bool,
    /// The nested operations, in program order.
    pub entries: Vec<Entry<'c, 'a>>,
    /// The entry of each operation, by its address.
    index: HashMap<usize, usize>,
}

/// One operation.
pub struct Entry<'c, 'a> {
    /// The operation itself.
    pub operation: OperationRef<'c, 'a>,
    /// The enclosing operation; None if it is the function.
    pub parent: Option<usize>,
    /// The last nested operation, or the operation itself.
    pub last: usize,
    /// Its number in program order.
    pub tick: i64,
    /// The kind of its regions, if it has any.
    pub region: Option<RegionKind>,
    /// True if one of its regions has several blocks.
    pub several_blocks: bool,
    /// The number of its region's scope, if the region is a scope.
    pub scope: Option<i64>,
    /// The nearest enclosing operation whose regions are not in the table.
    pub unknown: Option<usize>,
}

impl<'c, 'a> Body<'c, 'a> {
    /// The tables of a function; `scopes` counts the scopes of the module so far.
    pub fn new(function: OperationRef<'c, 'a>, scopes: &mut i64) -> Self {
        let operations = ir::operations(function);
        let has_own_index = layout::is_index_changed(function, &operations);
        let mut body = Self {
            function,
            scope: next(scopes),
            several_blocks: has_several_blocks(function),
            has_own_index,
            entries: Vec::with_capacity(operations.len()),
            index: HashMap::with_capacity(operations.len()),
        };
        let mut ticks = 0;
        for (index, operation) in operations.into_iter().enumerate() {
            let parent = operation.parent_operation().and_then(|parent| body.find(parent));
            let region = (operation.region_count() > 0).then(|| effects::region_kind(&operation));
            // A call can get a workspace later.
            let is_empty = region.is_none()
                && operation.operand_count() == 0
                && operation.result_count() == 0
                && ir::name(&operation) != "func.call";
            let unknown = parent.and_then(|parent| {
                let around: &Entry = &body.entries[parent];
                if around.region == Some(RegionKind::Unknown) {
                    Some(parent)
                } else {
                    around.unknown
                }
            });
            body.index.insert(ir::id(operation), index);
            body.entries.push(Entry {
                operation,
                parent,
                last: index,
                tick: if is_empty { ticks - 1 } else { next(&mut ticks) },
                region,
                several_blocks: region.is_some() && has_several_blocks(operation),
                scope: (region == Some(RegionKind::Scope)).then(|| next(scopes)),
                unknown,
            });
        }
        for index in (0..body.entries.len()).rev() {
            if let Some(parent) = body.entries[index].parent {
                body.entries[parent].last = body.entries[parent].last.max(body.entries[index].last);
            }
        }
        body
    }

    /// The entry of an operation of this function; None for the function itself.
    pub fn find(&self, operation: OperationRef) -> Option<usize> {
        self.index.get(&ir::id(operation)).copied()
    }

    /// The ticks of an operation and everything in it.
    pub fn ticks(&self, entry: usize) -> (i64, i64) {
        let first = self.entries[entry].tick;
        (first, self.entries[self.entries[entry].last].tick.max(first))
    }

    /// The child of `outer` (None: the function) that is, or encloses, `inner`.
    pub fn child_of(&self, outer: Option<usize>, inner: usize) -> Option<usize> {
        let mut at = inner;
        while self.entries[at].parent != outer {
            at = self.entries[at].parent?;
        }
        Some(at)
    }

    /// The outermost operation from `outer` down to `inner` that is not a branch; `inner` if all of them are branches.
    /// The contents of a branch execute in program order, at most once.
    pub fn through_branches(&self, outer: usize, inner: usize) -> usize {
        let is_branch = |at: usize| {
            let entry = &self.entries[at];
            entry.region == Some(RegionKind::Branch) && !entry.several_blocks
        };
        let mut at = inner;
        let mut around = inner;
        while around != outer {
            let Some(parent) = self.entries[around].parent else { break };
            if !is_branch(parent) {
                at = parent;
            }
            around = parent;
        }
        at
    }

    /// True if the first block of its region contains an operation.
    pub fn is_in_first_block(&self, entry: usize) -> bool {
        let block = self.entries[entry].operation.block();
        let first = block.and_then(|block| block.parent_region()?.first_block());
        block.zip(first).is_some_and(|(block, first)| block == first)
    }

    /// The ticks of the whole function.
    pub fn all_ticks(&self) -> (i64, i64) {
        (0, self.entries.last().map_or(0, |last| last.tick.max(0)))
    }

    /// True if `outer` encloses `inner`, or is the same.
    pub fn contains(&self, outer: usize, inner: usize) -> bool {
        outer <= inner && inner <= self.entries[outer].last
    }
}

fn next(counter: &mut i64) -> i64 {
    *counter += 1;
    *counter - 1
}

fn has_several_blocks(operation: OperationRef) -> bool {
    (0..operation.region_count()).any(|region| {
        let blocks = ir::blocks_of(operation, region);
        blocks.first().is_some_and(|block| block.next_in_region().is_some())
    })
}
