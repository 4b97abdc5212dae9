//! Checks if a loop may start with a copy of a buffer instead of the buffer itself.
//!
//! Input: an operand of a loop that is its initial buffer and has other uses. The answer is yes if the copy
//! cannot be observed: nothing is written through the loop's aliases of the buffer, and while these aliases
//! are live, nothing is written to the buffer through other aliases; or the buffer is dead from the loop on,
//! as one that is allocated in front of the branch that the loop is in and not used after the loop.

use super::names::{Names, Used};
use crate::dialect::ops::is_buffer;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};
use mlir_support::buffers::{self, Origin};
use mlir_support::control_flow::is_branch;
use mlir_support::ir;

impl<'c, 'a> Names<'_, 'c, 'a> {
    /// True if the operand of a loop may be replaced by a copy. All aliases of a held buffer derive from
    /// this operand.
    pub fn may_copy(
        &mut self,
        r#loop: OperationRef<'c, 'a>,
        operand: usize,
        is_held: bool,
    ) -> bool {
        self.finds_copy_safe(r#loop, operand, is_held).is_some_and(|is_safe| is_safe)
    }

    fn finds_copy_safe(
        &mut self,
        r#loop: OperationRef<'c, 'a>,
        operand: usize,
        is_held: bool,
    ) -> Option<bool> {
        let start = self.body.find(r#loop)?;
        // The results of a `while` that ends at once are its initial buffers, which its condition moves to them.
        let is_moved = is_held && ir::name(&r#loop) != "scf.while";
        let used = self.uses_from(r#loop, operand, is_moved)?;
        // A use before the loop: the buffer is carried by an enclosing loop.
        if used.iter().any(|used| used.entry < start) {
            return Some(false);
        }
        if self.is_dead_after(r#loop, operand) {
            return Some(true);
        }
        if used.iter().any(|used| used.is_write) {
            return Some(false);
        }
        // A value that is used in a loop is live in the whole loop.
        let ends = used.iter().map(|used| self.last_around(used.entry, start));
        let end = ends.max().unwrap_or(start).max(self.body.entries[start].last);
        let initial = r#loop.operand(operand).ok()?;
        let origin = if is_held { Origin::Allocation(initial) } else { buffers::origin(initial)? };
        match origin {
            Origin::Global(_) => Some(self.module.callees.is_constant(origin)),
            Origin::Allocation(own) => {
                // If it does not escape, only these uses write to it.
                let used = self.uses(own)?;
                let is_between = |used: &Used| (start..=end).contains(&used.entry);
                Some(!used.iter().any(|used| used.is_write && is_between(used)))
            }
            Origin::Argument(..) => Some((start..end).all(|entry| !self.may_write_argument(entry))),
        }
    }

    /// True if the operand of a loop is a buffer that a block around it holds, and the loop is its last use. Only
    /// branches may be between the block and the loop: each run of the loop has a buffer of its own.
    fn is_dead_after(&mut self, r#loop: OperationRef<'c, 'a>, operand: usize) -> bool {
        let Some((initial, definition)) = r#loop
            .operand(operand)
            .ok()
            .filter(|initial| self.held.contains(&ir::id(*initial)))
            .and_then(|initial| Some((initial, ir::defining_operation(initial)?)))
        else {
            return false;
        };
        let mut around = r#loop;
        while around.block() != definition.block() {
            match around.parent_operation().filter(is_branch) {
                Some(branch) => around = branch,
                None => return false,
            }
        }
        self.is_last_use(r#loop, operand, initial)
    }

    /// True if nothing uses a buffer at or after a loop, except through an operand of the loop.
    pub fn is_last_use(
        &mut self,
        r#loop: OperationRef<'c, 'a>,
        operand: usize,
        buffer: Value<'c, 'a>,
    ) -> bool {
        let Some(start) = self.body.find(r#loop) else { return false };
        // The plan of the loop covers the uses through its operand.
        let moved = (ir::id(r#loop), operand);
        self.moves.insert(moved);
        let used = self.uses(buffer);
        self.moves.remove(&moved);
        let is_late = |used: &Used| {
            (used.entry != start || used.operand != operand)
                && (used.entry == start || self.may_follow(used.entry, start))
        };
        used.is_some_and(|used| !used.iter().any(is_late))
    }

    /// The last operation inside the outermost ancestor of an entry that does not enclose the loop.
    fn last_around(&self, entry: usize, r#loop: usize) -> usize {
        let mut at = entry;
        while let Some(around) = self.body.entries[at].parent
            && !self.body.contains(around, r#loop)
        {
            at = around;
        }
        self.body.entries[at].last
    }

    /// True if an operation may write to the memory of a function argument.
    fn may_write_argument(&self, entry: usize) -> bool {
        let operation = self.body.entries[entry].operation;
        operation.operands().enumerate().any(|(index, value)| {
            if !is_buffer(value.r#type()) || !self.writes(operation, index) {
                return false;
            }
            !matches!(buffers::origin(value), Some(Origin::Allocation(_)))
        }) || self.module.callees.may_write_elsewhere(&operation)
    }
}
