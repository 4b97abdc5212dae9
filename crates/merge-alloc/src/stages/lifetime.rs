//! Lifetimes: the ticks in which each buffer is in use.
//!
//! Input: a function's tables, and the functions that capture their arguments. Output: one trace per scope and memory
//! space, in the order of the text. A buffer's lifetime goes from its first access to its last, both inclusive. An
//! access inside a loop counts for all of the outermost loop around it that does not also contain the allocation and
//! all other accesses: a buffer that is used in a loop and allocated outside is in use in every iteration, and a buffer
//! that lives and dies within one iteration is not. A branch is executed once or not at all, so an access in it counts
//! for itself: execution goes through the text from top to bottom and skips parts of it. A buffer that only one branch
//! uses shares memory with a buffer that only the other one uses, wherever both are allocated, and so do buffers that
//! exclusive branches pass out ([`twins`]). A buffer whose contents are dead for a while is several ([`gaps`]). In a
//! region of several blocks, the blocks may be executed in another order than the text: a buffer that is used outside
//! of the block that allocates it is in use all through the region.

use crate::analysis::alias::{self, Captures, Escape};
use crate::analysis::body::Body;
use crate::analysis::effects::EscapeReason;
use crate::analysis::sizes::Footprint;
use crate::call_tree::CallTrees;
use crate::mergeable::candidates;
use crate::options::{Options, Reuse};
use crate::remarks::Stops;
use crate::scope::UNKNOWN_AROUND;
use crate::stack;
use crate::stages::trace::{Trace, TracedBuffer};
use crate::stages::{gaps, twins};
use melior::ir::operation::OperationRef;
use melior::ir::r#type::MemRefType;
use melior::ir::{ShapedTypeLike, ValueLike};
use mlir_support::func::result;
use mlir_support::{Locations, ir};
use std::collections::{HashMap, HashSet};
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

/// The lifetimes of a function's buffers.
#[derive(Default)]
pub struct Traces<'c, 'a> {
    /// One for each scope and memory space with buffers to merge.
    pub traces: Vec<Trace<'c, 'a>>,
    /// The allocations that stay as they are, each with the reason.
    pub untouched: Vec<(OperationRef<'c, 'a>, String)>,
    /// The allocations of these for which there is a remark, with the reason.
    pub stops: Stops<'c, 'a>,
}

/// The input of a [`LifetimeTracer`].
pub struct Input<'i, 'c, 'a> {
    /// The function.
    pub body: &'i Body<'c, 'a>,
    /// The functions that keep or free their arguments.
    pub captures: &'i Captures,
    /// The functions that get memory from their callers.
    pub call_trees: &'i CallTrees,
    /// True if callers are to pass the memory for the function's own scope.
    pub takes_workspace: bool,
    /// The most bytes that the function may have on the stack.
    pub stack: u64,
    /// The options of the pass.
    pub options: &'i Options,
    /// The locations of operations, for diagnostics.
    pub locations: &'i Locations<'i>,
}

/// Finds the lifetimes of buffers.
pub trait LifetimeTracer {
    /// The traces of a function, or its errors.
    fn trace<'c, 'a>(&self, input: &Input<'_, 'c, 'a>) -> Diagnosed<Traces<'c, 'a>>;
}

/// Lifetimes in ticks.
pub struct Ticks;

impl LifetimeTracer for Ticks {
    fn trace<'c, 'a>(&self, input: &Input<'_, 'c, 'a>) -> Diagnosed<Traces<'c, 'a>> {
        let (candidates, untouched) = candidates(input.body, input.call_trees, input.options);
        let mut stops = Stops::default();
        for (allocation, text) in &untouched {
            let entry = input.body.find(*allocation);
            if let Some(around) = entry.and_then(|entry| input.body.entries[entry].unknown) {
                let at = input.body.entries[around].operation;
                let reason = EscapeReason::UnknownRegion;
                if input.options.strict && text == UNKNOWN_AROUND {
                    return Err(
                        not_mergeable(Escape { at, reason }, *allocation, input.locations).into()
                    );
                }
                stops.add(at, reason, *allocation);
            }
        }
        let mut traces = Traces { traces: Vec::new(), untouched, stops };
        let mut budget = alias::budget(input.body);
        // By the address of the scope's block and of the memory space.
        let mut groups: HashMap<(usize, usize), usize> = HashMap::new();
        let reaches: Vec<_> =
            candidates.iter().map(|candidate| reach(input, candidate.entry, &mut budget)).collect();
        // It is arbitrary which buffers were followed before the budget was used up, so none is merged. Functions that
        // are called get their memory nevertheless.
        let is_exhausted = |reach: &Result<_, Escape>| {
            reach.as_ref().is_err_and(|escape| escape.reason == EscapeReason::BudgetExhausted)
        };
        let is_exhausted = reaches.iter().any(is_exhausted);
        for (candidate, reach) in candidates.into_iter().zip(reaches) {
            let allocation = input.body.entries[candidate.entry].operation;
            let reach = match reach {
                _ if is_exhausted && ir::name(&allocation) == "memref.alloc" => {
                    traces.leave(input.body.function, EscapeReason::BudgetExhausted, allocation);
                    continue;
                }
                Ok(reach) => reach,
                Err(escape) if input.options.strict && escape.reason.is_unknown() => {
                    return Err(not_mergeable(escape, allocation, input.locations).into());
                }
                Err(escape) => {
                    traces.leave(escape.at, escape.reason, allocation);
                    continue;
                }
            };
            // Without reuse, every part would take memory.
            let parts = match input.options.reuse {
                Reuse::Ticks if ir::name(&allocation) == "memref.alloc" => {
                    gaps::parts(input.body, candidate.entry, &reach.accesses, &mut budget)
                }
                _ => gaps::whole(input.body, candidate.entry, &reach.accesses),
            };
            if parts.is_empty() {
                traces.untouched.push((allocation, "it is never accessed".to_owned()));
                continue;
            }
            let space = candidate.space.map_or(0, ir::id);
            let block = ir::id(candidate.scope.block);
            let at = *groups.entry((block, space)).or_insert_with(|| {
                let (scope, space) = (candidate.scope, candidate.space);
                let is_workspace =
                    input.takes_workspace && scope.entry.is_none() && space.is_none();
                let buffers = Vec::new();
                let trace = Trace { scope, space, buffers, is_workspace, on_stack: false };
                traces.traces.push(trace);
                traces.traces.len() - 1
            });
            let Footprint { size, alignment, least, unmerged } = candidate.footprint;
            let operation = |entry: usize| input.body.entries[entry].operation;
            traces.traces[at].buffers.extend(parts.into_iter().map(|part| TracedBuffer {
                allocation,
                size,
                alignment: alignment.max(reach.alignment),
                least: least.max(reach.alignment),
                unmerged,
                first: part.first,
                last: part.last,
                starts: vec![operation(part.start)],
                place: operation(part.place),
                uses: part.uses,
                twins: Vec::new(),
                guests: Vec::new(),
            }));
        }
        if input.options.reuse == Reuse::Ticks {
            for trace in &mut traces.traces {
                twins::unite(input.body, &mut trace.buffers);
            }
        }
        traces.leave_small_ones(input);
        Ok(traces)
    }
}

impl<'c, 'a> Traces<'c, 'a> {
    /// Records that an allocation stays as it is.
    fn leave(
        &mut self,
        at: OperationRef<'c, 'a>,
        reason: EscapeReason,
        allocation: OperationRef<'c, 'a>,
    ) {
        self.untouched.push((allocation, reason.clause(ir::name(&at))));
        self.stops.add(at, reason, allocation);
    }

    /// Leaves the allocations of a trace that takes too many bytes as they are. The rest is the memory for functions
    /// that are called, if there are any.
    pub fn give_up(&mut self, trace: Trace<'c, 'a>) -> Option<Trace<'c, 'a>> {
        let scope = trace.scope.owner;
        let (workspaces, others): (Vec<_>, Vec<_>) =
            trace.buffers.into_iter().partition(TracedBuffer::is_workspace);
        for allocation in allocations(&others) {
            self.leave(scope, EscapeReason::TooLarge, allocation);
        }
        (!workspaces.is_empty()).then_some(Trace { buffers: workspaces, ..trace })
    }

    /// Removes traces with too few buffers, unless the memory is passed by a call.
    fn leave_small_ones(&mut self, input: &Input) {
        for trace in std::mem::take(&mut self.traces) {
            if trace.is_workspace || trace.buffers.iter().any(TracedBuffer::is_workspace) {
                self.traces.push(trace);
                continue;
            }
            let least = if stack::may_hold(&trace, input.stack) { 1 } else { 2 };
            let least = input.options.min_allocs.unwrap_or(least);
            let all = allocations(&trace.buffers);
            let reason = match trace.buffers.as_slice() {
                _ if all.len() < least => "too few in its scope to merge",
                [buffer] if is_bytes(buffer) => "alone in its scope, and bytes already",
                _ => {
                    self.traces.push(trace);
                    continue;
                }
            };
            self.untouched
                .extend(all.into_iter().map(|allocation| (allocation, reason.to_owned())));
        }
    }
}

/// The allocations that buffers stand for, each once.
fn allocations<'c, 'a>(buffers: &[TracedBuffer<'c, 'a>]) -> Vec<OperationRef<'c, 'a>> {
    let mut seen = HashSet::new();
    let mut all: Vec<_> = buffers.iter().flat_map(TracedBuffer::allocations).collect();
    all.retain(|allocation| seen.insert(ir::id(allocation)));
    all
}

/// True if merging an allocation alone would change nothing, because it is an allocation of bytes.
fn is_bytes(buffer: &TracedBuffer) -> bool {
    let Ok(ty) = MemRefType::try_from(result(buffer.allocation).r#type()) else { return false };
    ir::static_sizes(ty).is_some_and(|sizes| sizes == [buffer.size])
        && ir::signless_width(ty.element()) == Some(8)
}

/// The operations that use an allocation's buffer, or with which it escapes.
fn reach<'c, 'a>(
    input: &Input<'_, 'c, 'a>,
    entry: usize,
    budget: &mut u64,
) -> Result<alias::Reach<'c, 'a>, Escape<'c, 'a>> {
    let allocation = input.body.entries[entry].operation;
    if ir::name(&allocation) == "func.call" {
        // The call is the only access to the workspace.
        return Ok(alias::Reach { accesses: vec![entry], alignment: 1, ..Default::default() });
    }
    let reach = alias::follow(input.body, result(allocation), Some(entry), budget)?;
    match input.captures.first(&reach.calls) {
        Some(at) => Err(Escape { at, reason: EscapeReason::Captured }),
        None => {
            let alignment = reach.alignment.max(input.captures.alignment(&reach.calls));
            Ok(alias::Reach { alignment, ..reach })
        }
    }
}

/// The error for an operation that is not in the table, with the option `strict`.
fn not_mergeable(escape: Escape, allocation: OperationRef, locations: &Locations) -> Diagnostic {
    let wanted = match escape.reason {
        EscapeReason::UnknownRegion => "expecting RegionBranchOpInterface for merge-alloc",
        EscapeReason::UnknownResult => "has a result in which merge-alloc cannot follow the buffer",
        EscapeReason::Elements => "makes elements of a buffer whose size is not known",
        _ => "is not known to merge-alloc",
    };
    let message = format!("'{}' op {wanted}", ir::name(&escape.at));
    let diagnostic = Diagnostic::error(codes::NOT_MERGEABLE, message);
    let uses = "it is not known what becomes of the buffer here";
    let diagnostic = locations.at(escape.at).label(diagnostic, uses);
    locations
        .at(allocation)
        .label(diagnostic, "the buffer is allocated here")
        .help("without `strict`, merge-alloc leaves such buffers as they are")
}
