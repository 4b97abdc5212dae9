//! The uses of a buffer through all its aliases, in program order.
//!
//! Input: a buffer, and the operands that transfer it to another block (`moves`). Output: all its uses, or
//! None if it escapes. Aliases follow merge-alloc's table. An operand in `moves` is a use, but the aliases
//! after the transfer are accounted for elsewhere and not followed.

use super::ModuleFacts;
use crate::dialect::ops::is_buffer;
use melior::ir::operation::OperationRef;
use melior::ir::{Value, ValueLike};
use merge_alloc::analysis::body::Body;
use merge_alloc::analysis::effects::{self, Effect};
use mlir_support::control_flow::are_exclusive;
use mlir_support::{buffers, ir};
use std::collections::HashSet;

/// The operation's address and the number of the operand.
pub type Operand = (usize, usize);

/// One use of a buffer: the number of the operation in the function's table, and of the operand.
#[derive(Clone, Copy)]
pub struct Used {
    pub entry: usize,
    pub operand: usize,
    /// True if the operation may write to the buffer.
    pub is_write: bool,
}

/// The alias analysis of one function.
pub struct Names<'f, 'c, 'a> {
    pub body: &'f Body<'c, 'a>,
    pub module: &'f ModuleFacts,
    pub moves: HashSet<Operand>,
    /// The buffers that blocks hold whose plans are final.
    pub held: HashSet<usize>,
    /// Loops whose bodies are being analyzed, by their addresses: only moved buffers are carried around
    /// them.
    pub inside: Vec<usize>,
    /// The remaining budget of uses to visit.
    pub budget: u64,
}

impl<'c, 'a> Names<'_, 'c, 'a> {
    /// All uses of a buffer.
    pub fn uses(&mut self, root: Value<'c, 'a>) -> Option<Vec<Used>> {
        self.follow(vec![root], true)
    }

    /// The uses of a buffer through the aliases that one operand creates: up to `moves`, or past them.
    pub fn uses_from(
        &mut self,
        user: OperationRef<'c, 'a>,
        operand: usize,
        is_moved: bool,
    ) -> Option<Vec<Used>> {
        match effects::of_operand(user, operand) {
            Effect::Alias(aliases) => self.follow(aliases, is_moved),
            _ => None,
        }
    }

    /// Moves apply to the first aliases only: views are not moved.
    fn follow(&mut self, names: Vec<Value<'c, 'a>>, is_moved: bool) -> Option<Vec<Used>> {
        let roots: HashSet<usize> = names.iter().filter(|_| is_moved).map(ir::id).collect();
        let mut found = Vec::new();
        buffers::try_trace(names, |name| {
            let mut aliases = Vec::new();
            let is_root = roots.contains(&ir::id(name));
            for (user, operand) in ir::uses(name) {
                self.budget = self.budget.checked_sub(1).ok_or(())?;
                let entry = self.body.find(user).ok_or(())?;
                if self.body.entries[entry].unknown.is_some() {
                    return Err(());
                }
                let is_write = self.writes(user, operand);
                found.push(Used { entry, operand, is_write });
                if !is_root || !self.moves.contains(&(ir::id(user), operand)) {
                    aliases.extend(self.aliases(entry, operand, is_moved).ok_or(())?);
                }
            }
            Ok::<_, ()>(aliases)
        })
        .ok()?;
        Some(found)
    }

    fn aliases(&self, entry: usize, operand: usize, is_moved: bool) -> Option<Vec<Value<'c, 'a>>> {
        let user = self.body.entries[entry].operation;
        let mut aliases = match effects::of_operand(user, operand) {
            Effect::Ignored | Effect::Access => vec![],
            Effect::Call(_) if self.module.captures.first(&[(user, operand)]).is_some() => {
                return None;
            }
            Effect::Iterate { around, .. } if is_moved && self.inside.contains(&ir::id(around)) => {
                return None;
            }
            Effect::Alias(aliases) | Effect::Call(aliases) | Effect::Iterate { aliases, .. } => {
                aliases
            }
            // An assumption about its alignment would have to hold for all rotated buffers.
            Effect::Aligned(..) | Effect::Branch(_) | Effect::Escape(_) => return None,
        };
        aliases.retain(|alias| is_buffer(alias.r#type()));
        Some(aliases)
    }

    /// True if an operation may write to the buffer that is its operand.
    pub fn writes(&self, operation: OperationRef, operand: usize) -> bool {
        self.module.callees.writes(operation, operand)
    }

    /// True if an operation may run after another one in the same iteration: false if they are in
    /// different regions of a branch.
    pub fn may_follow(&self, later: usize, earlier: usize) -> bool {
        let operation = |entry: usize| self.body.entries[entry].operation;
        later > earlier && !are_exclusive(operation(later), operation(earlier))
    }
}
