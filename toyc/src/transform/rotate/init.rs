//! Whether a loop may start with a copy of a buffer instead of the buffer itself.
//!
//! Input: an operand of a loop that is its initial buffer and has other uses. The answer is yes if the copy
//! cannot be observed: nothing is written through the loop's aliases of the buffer, and while these aliases
//! are live, nothing is written to the buffer through other aliases.

use super::names::{Names, Used};
use crate::dialect::ops::{attribute, is_buffer};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, Value, ValueLike};
use merge_alloc::analysis::effects::{self, Effect};
use mlir_support::raw;

/// The memory that a value refers to.
enum Origin<'c, 'a> {
    Constant,
    Allocation(Value<'c, 'a>),
    /// An argument of the function.
    Argument,
}

impl<'c, 'a> Names<'_, 'c, 'a> {
    /// Whether the operand of a loop may be replaced by a copy. All aliases of a held buffer derive from
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
        let used = self.uses_from(r#loop, operand, is_held)?;
        // A use before the loop: the buffer is carried by an enclosing loop.
        if used.iter().any(|used| used.is_write || used.entry < start) {
            return Some(false);
        }
        // A value that is used in a loop is live in the whole loop.
        let ends = used.iter().map(|used| self.last_around(used.entry, start));
        let end = ends.max().unwrap_or(start).max(self.body.entries[start].last);
        let initial = r#loop.operand(operand).ok()?;
        let origin = if is_held { Origin::Allocation(initial) } else { self.origin(initial)? };
        match origin {
            Origin::Constant => Some(true),
            Origin::Allocation(own) => {
                // If it does not escape, only these uses write to it.
                let used = self.uses(own)?;
                let is_between = |used: &Used| (start..=end).contains(&used.entry);
                Some(!used.iter().any(|used| used.is_write && is_between(used)))
            }
            Origin::Argument => Some((start..end).all(|entry| !self.may_write_argument(entry))),
        }
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

    /// Whether an operation may write to the memory of a function argument.
    fn may_write_argument(&self, entry: usize) -> bool {
        let operation = self.body.entries[entry].operation;
        operation.operands().enumerate().any(|(index, value)| {
            if !is_buffer(value.r#type()) || !self.writes(operation, index) {
                return false;
            }
            let is_call = raw::name(&operation) == "func.call";
            is_call || !matches!(self.origin(value), Some(Origin::Allocation(_)))
        }) || self.may_call_anything(operation)
    }

    /// Whether an operation calls a function that may write to memory other than its arguments.
    fn may_call_anything(&self, operation: OperationRef) -> bool {
        raw::name(&operation) == "func.call" && self.writes(operation, 0)
    }

    /// The origin of a value, through views; None if it is unknown.
    fn origin(&self, mut value: Value<'c, 'a>) -> Option<Origin<'c, 'a>> {
        loop {
            let Some(definition) = raw::defining_operation(value) else {
                let entry = crate::dialect::ops::entry_block(self.body.function)?;
                let is_argument = (0..entry.argument_count()).any(|index| {
                    entry
                        .argument(index)
                        .is_ok_and(|argument| argument.to_raw().ptr == value.to_raw().ptr)
                });
                return is_argument.then_some(Origin::Argument);
            };
            match raw::name(&definition) {
                "memref.alloc" => return Some(Origin::Allocation(value)),
                "memref.get_global" => {
                    let name = attribute(&definition, "name").and_then(raw::symbol_value)?;
                    return self.module.constants.contains(&name).then_some(Origin::Constant);
                }
                name if name.starts_with("memref.")
                    && matches!(effects::of_operand(definition, 0), Effect::Alias(_)) =>
                {
                    value = definition.operand(0).ok()?;
                }
                _ => return None,
            }
        }
    }
}
