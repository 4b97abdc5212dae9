//! Deallocations in the input: decides which of them are kept, and which are left to the deallocation pass.
//!
//! Input: the [`Flow`] of a module. Output: a [`Decision`] about every `memref.dealloc` and `memref.alloc`.
//! A `memref.dealloc` is in one group with every allocation that may reach it, with the allocations that
//! reach it through an argument of a function, and with the other deallocations of any of them. Invariant:
//! a group is decided as a whole, so a buffer is freed either by the input or by the pass, never by both.
//!
//! * **Kept**: the input frees every allocation of the group on every path ([`is_freed`]). They are marked
//!   `bufferization.manual_deallocation`, and the pass ignores them.
//! * **Dropped**: the group contains the result of a call, an allocation that is returned, or one that is
//!   freed on some paths only. The pass frees the whole group, at the end of the last owner's block.

use super::consumed::is_freed;
use super::flow::{Flow, Source, is_buffer};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::MemRefType;
use melior::ir::{TypeLike, Value, ValueLike};
use mlir_support::{Locations, ir};
use std::collections::{HashMap, HashSet};
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

/// The operations to mark or drop; the pass handles all others.
#[derive(Default)]
pub struct Decision<'c, 'a> {
    /// Kept, and ignored by the pass.
    pub manual: Vec<OperationRef<'c, 'a>>,
    /// Deallocations that the pass replaces by its own.
    pub dropped: Vec<OperationRef<'c, 'a>>,
    /// Allocations that the pass must free although the input marks them as manual.
    pub automatic: Vec<OperationRef<'c, 'a>>,
}

/// A member of a group.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Member {
    /// A `memref.dealloc`, or a call whose callee frees the operand, with the number of the operand.
    Free(usize, usize),
    Allocation(usize),
    /// An argument of a function, both by number.
    Argument(usize, usize),
}

#[derive(Default)]
struct Groups {
    numbers: HashMap<Member, usize>,
    parents: Vec<usize>,
    /// Roots of groups with a member whose owner is known at run time only.
    has_owner: HashSet<usize>,
    /// Deallocations of buffers that external callers pass in.
    from_outside: HashSet<usize>,
}

/// Decides for all groups of a module.
pub fn decide<'c, 'a>(flow: &Flow<'c, 'a>, locations: &Locations) -> Diagnosed<Decision<'c, 'a>> {
    let mut groups = Groups::default();
    let mut arguments = Vec::new();
    for (number, function) in flow.functions.iter().enumerate() {
        for operation in &function.operations {
            if ir::name(operation) == "memref.dealloc" {
                arguments.extend(groups.add(flow, number, *operation, 0));
            }
        }
    }
    // A caller that passes a buffer to a function that frees its argument frees the buffer.
    let mut seen = HashSet::new();
    while let Some((callee, argument)) = arguments.pop() {
        if !seen.insert((callee, argument)) {
            continue;
        }
        for (number, function) in flow.functions.iter().enumerate() {
            for call in &function.operations {
                if flow.callee(call).is_some_and(|f| f.name == flow.functions[callee].name) {
                    arguments.extend(groups.add(flow, number, *call, argument));
                    groups.join(
                        Member::Free(ir::id(call), argument),
                        Member::Argument(callee, argument),
                    );
                }
            }
        }
    }
    let returned = returned(flow);
    for allocation in &returned {
        if groups.numbers.contains_key(&Member::Allocation(*allocation)) {
            groups.mark_owned(Member::Allocation(*allocation));
        }
    }
    // A buffer that is not certainly freed by hand would leak.
    for operation in flow.functions.iter().flat_map(|function| &function.operations) {
        let member = Member::Allocation(ir::id(operation));
        if groups.numbers.contains_key(&member) && !is_freed(flow, *operation) {
            let group = groups.number(member);
            if !groups.from_outside.contains(&group) {
                groups.has_owner.insert(group);
            }
        }
    }
    groups.apply(flow, &returned, locations)
}

impl Groups {
    fn number(&mut self, member: Member) -> usize {
        let next = self.parents.len();
        let number = *self.numbers.entry(member).or_insert(next);
        if number == next {
            self.parents.push(next);
        }
        self.root(number)
    }

    fn root(&self, mut number: usize) -> usize {
        while self.parents[number] != number {
            number = self.parents[number];
        }
        number
    }

    fn join(&mut self, a: Member, b: Member) {
        let (a, b) = (self.number(a), self.number(b));
        self.parents[a] = b;
        for marks in [&mut self.has_owner, &mut self.from_outside] {
            if marks.contains(&a) {
                marks.insert(b);
            }
        }
    }

    fn mark_owned(&mut self, member: Member) {
        let group = self.number(member);
        self.has_owner.insert(group);
    }

    /// Adds a deallocation; the results are the arguments that it may free, each with its function.
    fn add(
        &mut self,
        flow: &Flow,
        function: usize,
        operation: OperationRef,
        operand: usize,
    ) -> Vec<(usize, usize)> {
        let free = Member::Free(ir::id(operation), operand);
        self.number(free);
        let Ok(value) = operation.operand(operand) else { return Vec::new() };
        let mut arguments = Vec::new();
        for source in flow.sources(value) {
            match source {
                Source::Allocated(allocation) => self.join(free, Member::Allocation(allocation)),
                Source::Owned(_) => self.mark_owned(free),
                Source::Argument(argument) => {
                    self.join(free, Member::Argument(function, argument));
                    if flow.functions[function].is_exported {
                        let group = self.number(free);
                        self.from_outside.insert(group);
                    }
                    arguments.push((function, argument));
                }
                Source::Foreign => {}
            }
        }
        arguments
    }

    fn apply<'c, 'a>(
        &self,
        flow: &Flow<'c, 'a>,
        returned: &HashSet<usize>,
        locations: &Locations,
    ) -> Diagnosed<Decision<'c, 'a>> {
        let mut decision = Decision::default();
        let group = |member| self.numbers.get(&member).map(|number| self.root(*number));
        for function in &flow.functions {
            let escaping = escaping(flow, &function.operations);
            for operation in &function.operations {
                let address = ir::id(operation);
                match ir::name(operation) {
                    "memref.dealloc" => {
                        let group = group(Member::Free(address, 0)).unwrap_or_default();
                        if !self.has_owner.contains(&group) {
                            decision.manual.push(*operation);
                        } else if self.from_outside.contains(&group) {
                            return Err(vec![torn(*operation, locations)]);
                        } else {
                            decision.dropped.push(*operation);
                        }
                    }
                    "memref.alloc" => match group(Member::Allocation(address)) {
                        Some(group) if self.has_owner.contains(&group) => {
                            decision.automatic.push(*operation);
                        }
                        Some(_) => decision.manual.push(*operation),
                        None if returned.contains(&address) => {}
                        None if escaping.contains(&address) => decision.manual.push(*operation),
                        None => {}
                    },
                    _ => {}
                }
            }
        }
        Ok(decision)
    }
}

/// The allocations that may be returned by the function they are in.
fn returned(flow: &Flow) -> HashSet<usize> {
    let values = flow.functions.iter().flat_map(|f| f.returned().into_values().flatten());
    let sources = values.flat_map(|value| flow.sources(value));
    sources.filter_map(allocation).collect()
}

fn allocation(source: Source) -> Option<usize> {
    match source {
        Source::Allocated(address) => Some(address),
        _ => None,
    }
}

/// The allocations of a function to which an untracked pointer exists. A function with deallocations is
/// assumed to free them, too. Buffers of buffers always escape, because the pass treats the buffers in them
/// as parts of them.
fn escaping<'c, 'a>(flow: &Flow<'c, 'a>, operations: &[OperationRef<'c, 'a>]) -> HashSet<usize> {
    let frees = operations.iter().any(|operation| ir::name(operation) == "memref.dealloc");
    let escapes = |operation: &&OperationRef<'c, 'a>| {
        let name = ir::name(*operation);
        match name.split('.').next().unwrap_or_default() {
            "memref" => ["memref.store", "memref.extract_aligned_pointer_as_index"].contains(&name),
            "arith" | "linalg" | "affine" | "scf" | "cf" | "vector" | "func" => false,
            "bufferization" => false,
            _ => true,
        }
    };
    let kept = operations.iter().filter(|_| frees).filter(escapes).flat_map(|operation| {
        let count = if ir::name(operation) == "memref.store" { 1 } else { usize::MAX };
        operation.operands().take(count).collect::<Vec<_>>()
    });
    let sources = kept.filter(|value| is_buffer(*value)).flat_map(|value| flow.sources(value));
    let of_buffers = operations
        .iter()
        .filter(|operation| ir::name(*operation) == "memref.alloc" && has_buffers(operation))
        .map(ir::id);
    sources.filter_map(allocation).chain(of_buffers).collect()
}

/// True if the elements of an allocated buffer are buffers.
fn has_buffers(allocation: &OperationRef) -> bool {
    let ty = allocation.result(0).ok().map(|result| Value::from(result).r#type());
    ty.and_then(|ty| MemRefType::try_from(ty).ok()).is_some_and(|ty| {
        let element = melior::ir::ShapedTypeLike::element(&ty);
        element.is_mem_ref() || element.is_unranked_mem_ref()
    })
}

fn torn(dealloc: OperationRef, locations: &Locations) -> Diagnostic {
    let message = "a public function frees buffers of its callers and buffers of this module";
    let label = "it may belong to a caller outside, or be made in this module";
    let diagnostic = Diagnostic::error(codes::UNKNOWN_OWNER, message)
        .note("a buffer that this module makes is freed by the compiler, where it is used last")
        .help("call the function from outside only, or make it private: `func.func private`");
    locations.label(diagnostic, dealloc.location(), label)
}
