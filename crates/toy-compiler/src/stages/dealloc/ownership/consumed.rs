//! Checks that the input frees a buffer on every path.
//!
//! Input: a buffer. Output: [`is_freed`], true if every path from the buffer's definition to the end of its
//! block frees it, or passes it to a value that is freed on every path: a loop-carried value, the result of
//! a branch, an argument of a function. Invariant: the answer is conservative: never true for a buffer that
//! could leak.
//!
//! Each value in a block is a place, with the ways in which the block may free it: each way needs other places to free
//! their values. A place counts as freed until it has no ways left, because a loop may pass a value to its own
//! next iteration.

use super::flow::Flow;
use crate::dialect::ops;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockRef, Value};
use mlir_support::control_flow::{is_branch, successors};
use mlir_support::ir;
use std::collections::{HashMap, HashSet};

/// True if an allocation is freed on every path.
pub fn is_freed<'c: 'a, 'a>(flow: &Flow<'c, 'a>, allocation: OperationRef<'c, 'a>) -> bool {
    let Some(block) = allocation.block() else { return false };
    let mut places = Places { flow, numbers: HashMap::new(), all: Vec::new() };
    places.number(ops::result(allocation), block);
    let mut ways = Vec::new();
    while let Some((value, block)) = places.all.get(ways.len()).copied() {
        ways.push(places.ways(value, block));
    }
    frees_first(&ways)
}

/// True if the first place frees its value.
fn frees_first(ways: &[Vec<Way>]) -> bool {
    // For each place, the ways of others that need it.
    let mut needed_by = vec![Vec::new(); ways.len()];
    for (place, ways) in ways.iter().enumerate() {
        for (number, way) in ways.iter().enumerate() {
            way.iter().for_each(|needed| needed_by[*needed].push((place, number)));
        }
    }
    let mut left: Vec<usize> = ways.iter().map(Vec::len).collect();
    let mut lost = HashSet::new();
    let mut pending: Vec<_> = (0..ways.len()).filter(|place| left[*place] == 0).collect();
    while let Some(place) = pending.pop() {
        for (other, way) in std::mem::take(&mut needed_by[place]) {
            if lost.insert((other, way)) {
                left[other] -= 1;
                if left[other] == 0 {
                    pending.push(other);
                }
            }
        }
    }
    left[0] > 0
}

/// The places that must free their values for a way to free its own.
type Way = Vec<usize>;

struct Places<'f, 'c, 'a> {
    flow: &'f Flow<'c, 'a>,
    numbers: HashMap<(usize, usize), usize>,
    all: Vec<(Value<'c, 'a>, BlockRef<'c, 'a>)>,
}

impl<'c: 'a, 'a> Places<'_, 'c, 'a> {
    fn number(&mut self, value: Value<'c, 'a>, block: BlockRef<'c, 'a>) -> usize {
        let next = self.all.len();
        let number = *self.numbers.entry((ir::id(value), ir::id(block))).or_insert(next);
        if number == next {
            self.all.push((value, block));
        }
        number
    }

    fn ways(&mut self, value: Value<'c, 'a>, block: BlockRef<'c, 'a>) -> Vec<Way> {
        let address = ir::id(block);
        let is_here =
            |user: &OperationRef| user.block().is_some_and(|block| ir::id(block) == address);
        let mut ways = Vec::new();
        let mut seen = HashSet::new();
        for (user, operand) in ir::uses(value) {
            if is_here(&user) {
                ways.extend(self.by(user, operand));
            }
            // It is also freed if all branches of one operation in this block free it.
            let mut outer = user;
            while let Some(parent) = outer.parent_operation().filter(|_| !is_here(&outer)) {
                outer = parent;
            }
            if is_branch(&outer) && is_here(&outer) && seen.insert(ir::id(outer)) {
                let regions = 0..outer.region_count();
                let way: Option<Way> = regions
                    .map(|region| match ir::blocks_of(outer, region)[..] {
                        [block] => Some(self.number(value, block)),
                        _ => None,
                    })
                    .collect();
                ways.extend(way);
            }
        }
        ways
    }

    /// How an operation frees one of its operands, or passes it to values that must be freed.
    fn by(&mut self, user: OperationRef<'c, 'a>, operand: usize) -> Option<Way> {
        let values = match ir::name(&user) {
            "memref.dealloc" => vec![],
            "memref.cast" => vec![ops::result(user)],
            "func.call" => {
                let entry = ops::entry_block(self.flow.callee(&user)?.operation)?;
                vec![ir::argument_if_any(entry, operand)?]
            }
            _ => successors(user, operand)?,
        };
        values.into_iter().map(|value| self.place(value)).collect()
    }

    /// The place of a value in its own block; None for an argument of a region with several blocks.
    fn place(&mut self, value: Value<'c, 'a>) -> Option<usize> {
        let block = match ir::defining_operation(value) {
            Some(definition) => definition.block()?,
            None => match ir::home(value)?.blocks[..] {
                [block] => block,
                _ => return None,
            },
        };
        Some(self.number(value, block))
    }
}
