//! Whether a buffer is freed by the input on every path.
//!
//! Input: a buffer. Output: [`is_freed`], true if every path from the buffer's definition to the end of its
//! block frees it, or passes it to a value that is freed on every path: a loop-carried value, the result of
//! a branch, an argument of a function. Invariant: the answer is conservative: never true for a buffer that
//! could leak.

use super::flow::Flow;
use crate::dialect::ops;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, Value};
use mlir_support::raw;

/// Whether an allocation is freed on every path.
pub fn is_freed<'c: 'a, 'a>(flow: &Flow<'c, 'a>, allocation: OperationRef<'c, 'a>) -> bool {
    let mut consumption = Consumption { flow, seen: Vec::new() };
    let block = raw::block_of(allocation);
    block.is_some_and(|block| consumption.in_block(ops::result(allocation), block))
}

struct Consumption<'f, 'c, 'a> {
    flow: &'f Flow<'c, 'a>,
    /// Values in blocks, and whether they are freed. A query in progress counts as true, because a loop
    /// may pass a value to its own next iteration.
    seen: Vec<((usize, usize), bool)>,
}

impl<'c: 'a, 'a> Consumption<'_, 'c, 'a> {
    /// Whether a block frees the value on every path from the value's definition.
    fn in_block(&mut self, value: Value<'c, 'a>, block: BlockRef<'c, 'a>) -> bool {
        let key = (raw::id(value), raw::id(block));
        if let Some((_, known)) = self.seen.iter().find(|(known, _)| *known == key) {
            return *known;
        }
        let start = self.seen.len();
        self.seen.push((key, true));
        let is_freed = self.follow(value, block);
        if !is_freed {
            // Answers computed in the meantime may rely on the assumption, which was wrong.
            self.seen.truncate(start);
            self.seen.push((key, false));
        }
        is_freed
    }

    fn follow(&mut self, value: Value<'c, 'a>, block: BlockRef<'c, 'a>) -> bool {
        let address = raw::id(block);
        let uses = raw::uses(value);
        let is_here =
            |user: &OperationRef| user.block().is_some_and(|block| raw::id(block) == address);
        if uses.iter().any(|(user, operand)| is_here(user) && self.by(*user, *operand)) {
            return true;
        }
        // It is also freed if all branches of one operation in this block free it.
        let mut branches: Vec<OperationRef> = Vec::new();
        for (user, _) in uses {
            let mut outer = user;
            while let Some(parent) = raw::parent(outer).filter(|_| !is_here(&outer)) {
                outer = parent;
            }
            if is_here(&outer)
                && !branches.iter().any(|known| known.to_raw().ptr == outer.to_raw().ptr)
            {
                branches.push(outer);
            }
        }
        branches.into_iter().any(|branch| {
            ["scf.if", "scf.index_switch"].contains(&raw::name(&branch))
                && (0..branch.region_count()).all(|region| {
                    matches!(raw::blocks_of(branch, region)[..], [block] if self.in_block(value, block))
                })
        })
    }

    /// Whether an operation frees one of its operands, or passes it to a value that is freed.
    fn by(&mut self, user: OperationRef<'c, 'a>, operand: usize) -> bool {
        match raw::name(&user) {
            "memref.dealloc" => true,
            "memref.cast" => self.result(user, 0),
            "scf.for" if operand >= 3 => {
                self.argument(user, 0, operand - 2) && self.result(user, operand - 3)
            }
            "scf.while" => self.argument(user, 0, operand),
            "scf.condition" if operand > 0 => raw::parent(user).is_some_and(|parent| {
                self.argument(parent, 1, operand - 1) && self.result(parent, operand - 1)
            }),
            "scf.yield" => raw::parent(user).is_some_and(|parent| match raw::name(&parent) {
                "scf.for" => self.argument(parent, 0, operand + 1) && self.result(parent, operand),
                "scf.while" => self.argument(parent, 0, operand),
                "scf.if" | "scf.index_switch" | "scf.execute_region" => {
                    self.result(parent, operand)
                }
                _ => false,
            }),
            "func.call" => {
                let callee = self.flow.callee(&user).map(|function| function.operation);
                callee.is_some_and(|callee| self.argument(callee, 0, operand))
            }
            _ => false,
        }
    }

    fn result(&mut self, operation: OperationRef<'c, 'a>, index: usize) -> bool {
        let (Ok(result), Some(block)) = (operation.result(index), raw::block_of(operation)) else {
            return false;
        };
        self.in_block(result.into(), block)
    }

    fn argument(&mut self, parent: OperationRef<'c, 'a>, region: usize, index: usize) -> bool {
        let blocks = raw::blocks_of(parent, region);
        let [block] = blocks[..] else { return false };
        let Ok(argument) = block.argument(index) else { return false };
        self.in_block(argument.into(), block)
    }
}
