//! Aliases: all names of a buffer, and all operations that access it.
//!
//! Input: a value that is a buffer. Output: the operations that access its memory under any name, or
//! the operation with which it escapes. The relation is "may alias": the names are followed forward
//! through views, selects, branches, loops and calls until there is no new one.
//!
//! Functions are part of the table: [`Captures`] records the arguments that each function of the module keeps or frees.
//! Functions elsewhere are trusted to do neither, as deallocation trusts them.

use crate::analysis::body::Body;
use crate::analysis::effects::{self, Effect, EscapeReason};
use crate::analysis::sizes;
use melior::ir::operation::OperationRef;
use melior::ir::{BlockLike, Value, ValueLike};
use mlir_support::func::{callee, entry_block, is_buffer, symbol_name};
use mlir_support::{buffers, ir};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

/// The uses of a buffer that does not escape.
#[derive(Default)]
pub struct Reach<'c, 'a> {
    /// The operations that access it.
    pub accesses: Vec<usize>,
    /// The calls it is passed to, each with the number of the argument.
    pub calls: Vec<(OperationRef<'c, 'a>, usize)>,
    /// The largest alignment that the program relies on: the alignment it promises, and the alignment of the elements
    /// stored in the memory.
    pub alignment: u64,
}

/// The operation at which a buffer escapes, and the reason.
#[derive(Clone, Copy)]
pub struct Escape<'c, 'a> {
    /// The operation that lets it escape.
    pub at: OperationRef<'c, 'a>,
    /// The reason for the escape.
    pub reason: EscapeReason,
}

/// The budget of a function: the number of uses to look at, per operation, before giving up. Many buffers with many
/// aliases each would take quadratic time.
pub const WORK_PER_OPERATION: u64 = 64;
/// Uses to look at in a function, in addition to the uses per operation.
pub const WORK: u64 = 1 << 20;

/// The number of uses to look at in a function. Operations that merging adds or removes do not count, so that the
/// budget is the same when the pass runs again.
pub fn budget(body: &Body) -> u64 {
    let is_merged = |name: &str| ["memref.alloc", "memref.view", "arith.constant"].contains(&name);
    let others = body.entries.iter().filter(|entry| !is_merged(ir::name(&entry.operation)));
    WORK + WORK_PER_OPERATION * others.count() as u64
}

/// Follows a buffer from the operation that allocates it; without one, it is an argument of the
/// function.
pub fn follow<'c, 'a>(
    body: &Body<'c, 'a>,
    root: Value<'c, 'a>,
    allocation: Option<usize>,
    budget: &mut u64,
) -> Result<Reach<'c, 'a>, Escape<'c, 'a>> {
    let mut reach = Reach { alignment: 1, ..Reach::default() };
    buffers::try_trace([root], |name| {
        let mut names = Vec::new();
        for (user, operand) in ir::uses(name) {
            let escape = |reason| Escape { at: user, reason };
            *budget = budget.checked_sub(1).ok_or(escape(EscapeReason::BudgetExhausted))?;
            let entry = body.find(user).ok_or(escape(EscapeReason::Unknown))?;
            if let Some(around) = body.entries[entry].unknown {
                return Err(Escape {
                    at: body.entries[around].operation,
                    reason: EscapeReason::UnknownRegion,
                });
            }
            let mut aliases = match effects::of_operand(user, operand) {
                Effect::Ignored => vec![],
                Effect::Access => {
                    reach.accesses.push(entry);
                    vec![]
                }
                Effect::Alias(aliases) => aliases,
                Effect::Aligned(aliases, alignment) => {
                    reach.alignment = reach.alignment.max(alignment);
                    aliases
                }
                Effect::Call(aliases) => {
                    reach.accesses.push(entry);
                    reach.calls.push((user, operand));
                    aliases
                }
                Effect::Iterate { around, aliases } => {
                    let around = body.find(around).ok_or(escape(EscapeReason::Unknown))?;
                    if allocation.is_some_and(|inside| body.contains(around, inside)) {
                        return Err(escape(EscapeReason::Iterated));
                    }
                    aliases
                }
                Effect::Branch(aliases) => {
                    if allocation.is_some_and(|inside| is_allocated_again(body, entry, inside)) {
                        return Err(escape(EscapeReason::Branched));
                    }
                    aliases
                }
                // Callers know that a result can be an argument.
                Effect::Escape(EscapeReason::Returned) if allocation.is_none() => vec![],
                Effect::Escape(reason) => return Err(escape(reason)),
            };
            aliases.retain(|alias| is_buffer(alias.r#type()));
            for alias in &aliases {
                let alignment =
                    sizes::alignment_as(root.r#type(), alias.r#type(), body.has_own_index);
                reach.alignment =
                    reach.alignment.max(alignment.ok_or(escape(EscapeReason::Elements))?);
            }
            names.extend(aliases);
        }
        Ok(names)
    })?;
    Ok(reach)
}

/// True if there may be several buffers of an allocation when a branch is taken: the first block of a region is
/// executed once, the others possibly many times.
fn is_allocated_again(body: &Body, branch: usize, allocation: usize) -> bool {
    let region = body.entries[branch].parent;
    if region.is_some_and(|around| !body.contains(around, allocation)) {
        return false;
    }
    let at = body.child_of(region, allocation);
    at.is_none_or(|at| !body.is_in_first_block(at))
}

/// The effects of functions on their arguments; a key is a function's name and an argument's number.
pub struct Captures {
    /// The arguments that are kept or freed.
    captured: HashSet<(String, usize)>,
    /// The alignment that a function relies on, where it is not 1.
    alignments: HashMap<(String, usize), u64>,
}

impl Captures {
    /// The effects that the functions of a symbol table have on their arguments.
    pub fn of(bodies: &[Body]) -> Self {
        let (mut captured, mut alignments) = (HashSet::new(), HashMap::new());
        let (mut pending, mut aligned) = (Vec::new(), Vec::new());
        // For each argument, the arguments of callers that are passed on to it.
        let mut sources: HashMap<(String, usize), Vec<(String, usize)>> = HashMap::new();
        for body in bodies {
            let Some(block) = entry_block(body.function) else { continue };
            let name = symbol_name(&body.function);
            let mut budget = budget(body);
            for index in 0..block.argument_count() {
                let Ok(argument) = block.argument(index) else { continue };
                let argument: Value = argument.into();
                if !is_buffer(argument.r#type()) {
                    continue;
                }
                match follow_argument(body, argument, &mut budget) {
                    Some((calls, alignment)) => {
                        if alignment > 1 {
                            aligned.push((alignment, (name.clone(), index)));
                        }
                        for call in calls {
                            sources.entry(call).or_default().push((name.clone(), index));
                        }
                    }
                    None => pending.push((name.clone(), index)),
                }
            }
        }
        // The largest first: it is the answer for all that are passed on to it.
        aligned.sort_unstable();
        while let Some((alignment, argument)) = aligned.pop() {
            let mut pending = vec![argument];
            while let Some(argument) = pending.pop() {
                if let Entry::Vacant(unknown) = alignments.entry(argument) {
                    pending.extend(sources.get(unknown.key()).into_iter().flatten().cloned());
                    unknown.insert(alignment);
                }
            }
        }
        while let Some(argument) = pending.pop() {
            if captured.insert(argument.clone()) {
                pending.extend(sources.remove(&argument).into_iter().flatten());
            }
        }
        Self { captured, alignments }
    }

    /// The alignment that some calls rely on.
    pub fn alignment(&self, calls: &[(OperationRef, usize)]) -> u64 {
        // Most modules have none.
        if self.alignments.is_empty() {
            return 1;
        }
        let of_call = |(call, index): &(OperationRef, usize)| {
            self.alignments.get(&(callee(call)?, *index)).copied()
        };
        calls.iter().filter_map(of_call).max().unwrap_or(1)
    }

    /// The first of some calls that captures the buffer it is given.
    pub fn first<'c, 'a>(
        &self,
        calls: &[(OperationRef<'c, 'a>, usize)],
    ) -> Option<OperationRef<'c, 'a>> {
        calls
            .iter()
            .find(|(call, index)| match callee(call) {
                Some(callee) => self.captured.contains(&(callee, *index)),
                None => true,
            })
            .map(|(call, _)| *call)
    }
}

/// The arguments that an argument is passed on to, and the alignment relied on; None if it is captured in this
/// function.
fn follow_argument(
    body: &Body,
    argument: Value,
    budget: &mut u64,
) -> Option<(Vec<(String, usize)>, u64)> {
    let reach = follow(body, argument, None, budget).ok()?;
    let calls = reach.calls.into_iter().map(|(call, index)| Some((callee(&call)?, index)));
    Some((calls.collect::<Option<_>>()?, reach.alignment))
}
