//! Remarks about the copies that bufferization has made, and about updates that it does in place.
//!
//! Input and output: buffers, before merge-alloc. One-Shot Bufferize copies a tensor for an operation that would
//! overwrite a value that is still needed, and gives the copy the location of that operation. The reason is read from
//! the buffers: in
//!
//! ```mlir
//! memref.copy %x, %new   loc("y"("p.toy":4:3))
//! memref.store %a, %new[%i]
//! %b = memref.load %x[%i]   loc("p.toy":5:3)
//! ```
//!
//! line 4 writes `y`, and line 5, the first access to the source after the copy that reads, still reads the old
//! value. A copy in a loop has its reader in the next iteration if none follows. A copy that only moves contents to
//! their place (an inserted part, or a result in the caller's memory) cannot be avoided, and gets no remark. An update
//! of a variable ([`updates`]) is done in place if no copy is made for it.
//!
//! Tutorial: chapter 8.

mod words;

use crate::analysis::tensor_roots;
use crate::dialect::{control, ops};
use crate::stages::memref::updates::{self, Update};
use crate::stages::merged::callees::Callees;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Location, Module, TypeLike, Value, ValueLike};
use merge_alloc::analysis::effects::{self, Effect, EscapeReason};
use mlir_support::buffers::{self, Origin};
use mlir_support::linalg::Generic;
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::{control_flow, ir, location};
use std::collections::HashMap;
use toy_diagnostics::{Diagnosed, Diagnostic, codes};
use words::{MAYBE, Old, Read};

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-report-copies",
    "Says which tensors bufferization has copied and why, and which it has updated in place",
    run,
);

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let callees = Callees::of(&ir::block_operations(module.body()));
    let mut remarks: Vec<Diagnostic> = Vec::new();
    for function in ops::definitions(module) {
        let operations = ir::operations(function);
        let places = operations.iter().enumerate().map(|(place, it)| (ir::id(*it), place));
        let places = places.collect();
        let text = Text { context, callees: &callees, function, operations, places };
        for remark in text.remarks() {
            if !remarks.contains(&remark) {
                remarks.push(remark);
            }
        }
    }
    // In source order.
    remarks.sort_by_key(|remark| remark.labels.first().map(|label| label.span.start));
    context.remarks.borrow_mut().extend(remarks);
    Ok(())
}

/// A function.
struct Text<'c, 'a> {
    context: &'a PassContext<'c>,
    callees: &'a Callees,
    function: OperationRef<'c, 'a>,
    /// Its operations in the order of the program, and the place of each in this list.
    operations: Vec<OperationRef<'c, 'a>>,
    places: HashMap<usize, usize>,
}

/// An access to the memory of a buffer.
#[derive(Clone, Copy)]
struct Access<'c, 'a> {
    operation: OperationRef<'c, 'a>,
    place: usize,
    reads: bool,
    writes: bool,
}

/// The reason for a copy, and labels for its places.
type Why<'c> = (String, Vec<(Location<'c>, String)>);

impl<'c: 'a, 'a> Text<'c, 'a> {
    fn remarks(&self) -> Vec<Diagnostic> {
        let copies: Vec<_> =
            self.operations.iter().copied().filter(|copy| self.is_fresh(*copy)).collect();
        let is_copied =
            |update: &Update<'c>| copies.iter().any(|copy| copy.location() == update.location);
        let updated = updates::take(self.function).into_iter().filter(|update| !is_copied(update));
        let copied = copies.iter().filter_map(|copy| self.copied(*copy));
        copied.chain(updated.filter_map(|update| self.in_place(update))).collect()
    }

    /// True for a copy to a new buffer, which gets its first contents by it.
    fn is_fresh(&self, copy: OperationRef<'c, 'a>) -> bool {
        if ir::name(&copy) != "memref.copy" {
            return false;
        }
        let target = ir::operand(copy, 1);
        ir::defining_operation(target).is_some_and(|allocation| {
            ir::name(&allocation) == "memref.alloc" && allocation.block() == copy.block()
        }) && ir::users(target).into_iter().all(|user| self.place(user) >= self.place(copy))
    }

    /// The remark that a tensor is copied; None if that only changes its layout.
    fn copied(&self, copy: OperationRef<'c, 'a>) -> Option<Diagnostic> {
        let (subject, (because, labels)) = match self.handed_on(copy) {
            Some((subject, because)) => (subject, (because, vec![])),
            None => (self.subject(copy), self.why(copy)?),
        };
        let subject = updates::with_size(&subject, words::bytes(ir::operand(copy, 1)));
        let is_said = because.starts_with("each iteration") || self.loop_around(copy).is_none();
        let repeated = if is_said { "" } else { " in each iteration of a loop" };
        let message = format!("{subject} is copied here{repeated}: {because}");
        let mut remark = Diagnostic::remark(codes::COPIED, message);
        remark = match self.context.locations.span(copy.location()) {
            Some(span) => remark.label(span, "the copy is made for this"),
            None => self.context.locations.at(copy).label(remark, ""),
        };
        for (at, label) in labels {
            remark = self.context.locations.label(remark, at, label);
        }
        Some(words::in_function(remark, self.function))
    }

    /// The remark that a variable is updated in place.
    fn in_place(&self, update: Update<'c>) -> Option<Diagnostic> {
        let span = self.context.locations.span(update.location)?;
        let message = format!("{} is updated in place", update.subject);
        let remark = Diagnostic::remark(codes::IN_PLACE, message)
            .label(span, "nothing is copied for this: the old value is not read any more");
        Some(words::in_function(remark, self.function))
    }

    fn place(&self, operation: OperationRef) -> Option<usize> {
        self.places.get(&ir::id(operation)).copied()
    }

    /// The accesses to a buffer under any name, in the order of the program.
    fn accesses(&self, buffer: Value<'c, 'a>) -> Vec<Access<'c, 'a>> {
        let mut found = Vec::new();
        // The result of a branch may be one of several buffers.
        buffers::trace(buffer, |name| {
            let definition = ir::defining_operation(name);
            let branch = definition.filter(control_flow::is_branch);
            let mut names = branch.and_then(|_| buffers::sources(name)).unwrap_or_default();
            for (operation, operand) in ir::uses(name) {
                match effects::of_operand(operation, operand) {
                    Effect::Ignored | Effect::Escape(EscapeReason::Freed) => continue,
                    Effect::Alias(more)
                    | Effect::Aligned(more, _)
                    | Effect::Branch(more)
                    | Effect::Iterate { aliases: more, .. } => names.extend(more),
                    Effect::Access | Effect::Call(_) | Effect::Escape(_) => {
                        let writes = self.callees.writes(operation, operand);
                        let reads = !writes
                            || ["func.call", "func.return"].contains(&ir::name(&operation))
                            || Generic::of(operation).is_some_and(|it| it.reads(operand));
                        let place = self.place(operation).unwrap_or_default();
                        found.push(Access { operation, place, reads, writes });
                    }
                }
            }
            names.retain(|name| name.r#type().is_mem_ref());
            names
        });
        found.sort_by_key(|access| access.place);
        found
    }

    /// The first write to the new buffer after the copy. A call may write, for all that bufferization knows.
    fn writer(&self, copy: OperationRef<'c, 'a>) -> Option<Access<'c, 'a>> {
        let is_after = |it: &Access| {
            let is_write = it.writes
                || ops::callee(&it.operation).is_some()
                    && it.operation.location() == copy.location();
            is_write && Some(it.place) > self.place(copy)
        };
        self.accesses(ir::operand(copy, 1)).into_iter().find(is_after)
    }

    /// The loop or call that a copy is made for, or the copy itself.
    fn user(&self, copy: OperationRef<'c, 'a>) -> OperationRef<'c, 'a> {
        let after = &self.operations[self.place(copy).unwrap_or_default()..];
        let is_user = |it: &&OperationRef<'c, 'a>| {
            let target = ir::operand(copy, 1);
            it.location() == copy.location()
                && (control_flow::is_loop(*it)
                    || ops::callee(*it).is_some() && it.operands().any(|operand| operand == target))
        };
        after.iter().find(is_user).copied().unwrap_or(copy)
    }

    /// The tensor that is copied, in a message.
    fn subject(&self, copy: OperationRef<'c, 'a>) -> String {
        let [source, target] = [0, 1].map(|operand| ir::operand(copy, operand));
        let user = self.user(copy);
        if let Some(callee) = ops::callee(&user) {
            let argument = user.operands().position(|operand| operand == target).unwrap_or(0);
            return format!("argument {} of `{}`", argument + 1, words::source_name(&callee));
        }
        // Canonicalization has removed what a loop carries in one buffer, but not the names.
        let carried = || {
            let all = control_flow::carried(user)?;
            let names = control::carried_names(user, all.count);
            let place = user.operands().position(|operand| operand == target);
            let place = place.and_then(|place| place.checked_sub(all.operands));
            match names.zip(place) {
                Some((names, place)) => names.into_iter().nth(place),
                None => control::carried_names(user, 1)?.pop(),
            }
        };
        let updated = || location::name(self.writer(copy)?.operation.location());
        match location::name(copy.location()).or_else(carried).or_else(updated) {
            Some(name) => format!("`{name}`"),
            None if words::bytes(buffers::base(source)) > words::bytes(target) => {
                "a part of a tensor".to_owned()
            }
            None => words::TENSOR.to_owned(),
        }
    }

    /// The subject and the reason if the copy is for the next iteration of a loop, which gets it as it is.
    fn handed_on(&self, copy: OperationRef<'c, 'a>) -> Option<(String, String)> {
        let [source, target] = [0, 1].map(|operand| ir::operand(copy, operand));
        let (end, place) = ir::uses(target)
            .into_iter()
            .find(|(user, _)| matches!(ir::name(user), "scf.yield" | "scf.condition"))?;
        let repeated = end.parent_operation().filter(control_flow::is_loop)?;
        if self.writer(copy).is_some_and(|writer| Some(writer.place) < self.place(end)) {
            return None;
        }
        let tensor = words::TENSOR.to_owned();
        if ir::name(&end) == "scf.condition" {
            let because = "each iteration of the loop hands it from the condition to the body";
            return Some((tensor, because.to_owned()));
        }
        let first = control_flow::carried(repeated)?.arguments;
        let names = control::carried_names(repeated, end.operand_count());
        let name = |place: usize| names.as_ref()?.get(place).map(|name| format!("`{name}`"));
        let from = ir::home(source)
            .filter(|home| ir::id(home.parent) == ir::id(repeated))
            .and_then(|home| home.argument.checked_sub(first));
        let because = match (from.and_then(name), from, name(place)) {
            (Some(from), _, Some(to)) if from != to => {
                format!("each iteration of the loop hands {from} on as the next {to}")
            }
            (_, Some(_), _) => {
                "each iteration of the loop hands one variable on as another".to_owned()
            }
            (_, None, Some(to)) => {
                format!("each iteration of the loop hands it on as the next {to}, and {MAYBE}")
            }
            (_, None, None) => format!("each iteration of the loop hands it on, and {MAYBE}"),
        };
        Some((from.and_then(name).unwrap_or(tensor), because))
    }

    /// The reason for a copy: the old value is needed after a write, or may not be overwritten.
    fn why(&self, copy: OperationRef<'c, 'a>) -> Option<Why<'c>> {
        let source = self.copied_from(copy);
        let global = match buffers::origin(source) {
            Some(Origin::Global(global)) => Some(global),
            _ => None,
        };
        if self.writer(copy).is_none() {
            let handed_to = |user: &OperationRef| match ir::name(user) {
                "func.return" => Some("caller"),
                "scf.yield" => Some("loop"),
                _ => control_flow::is_loop(user).then_some("loop"),
            };
            let users = ir::users(ir::operand(copy, 1));
            let handed = || {
                let owner = [self.user(copy)].iter().chain(&users).find_map(handed_to)?;
                let because = match global {
                    Some(_) => format!("it is a constant, and the {owner} may write what it gets"),
                    None => MAYBE.to_owned(),
                };
                Some((because, vec![]))
            };
            return self.kept(copy, source).or_else(handed);
        }
        let unknown = || (MAYBE.to_owned(), vec![]);
        let Some(written) = words::line(self.context, copy.location()) else {
            return Some(unknown());
        };
        let writer = words::writer(self.user(copy), written);
        if let Some(global) = global {
            let label = (global.location(), "the constant".to_owned());
            return Some((format!("{writer} writes it, and it is a constant"), vec![label]));
        }
        let conflict = || {
            let accesses = self.accesses(source);
            let old = self.old(copy, source, &accesses);
            let read = self.read(copy, source, &accesses, &old)?;
            words::conflict(self.context, &writer, written, &old, &read)
        };
        let parameter = || {
            let label = (self.function.location(), "the function of the parameter".to_owned());
            let because =
                format!("{writer} writes it, and it is a parameter, whose value the caller keeps");
            matches!(buffers::origin(source), Some(Origin::Argument(..)))
                .then(|| (because, vec![label]))
        };
        Some(conflict().or_else(parameter).unwrap_or_else(unknown))
    }

    /// The reason for a copy that keeps the old value: the source is written, and then the copy is read.
    fn kept(&self, copy: OperationRef<'c, 'a>, source: Value<'c, 'a>) -> Option<Why<'c>> {
        let accesses = self.accesses(source);
        let write = accesses.iter().find(|it| it.writes && Some(it.place) > self.place(copy))?;
        let reads = self.accesses(ir::operand(copy, 1)).into_iter();
        let read = reads.filter(|it| it.reads).find(|it| it.place >= write.place)?;
        let written = words::line(self.context, write.operation.location())?;
        let writer = words::writer(write.operation, written);
        let read = Read { operation: read.operation, is_next: false };
        words::conflict(self.context, &writer, written, &self.old(copy, source, &accesses), &read)
    }

    /// The buffer that is copied, through other copies for the same operation.
    fn copied_from(&self, copy: OperationRef<'c, 'a>) -> Value<'c, 'a> {
        let source = buffers::base(ir::operand(copy, 0));
        let is_first = |(user, operand): &(OperationRef<'c, 'a>, usize)| {
            *operand == 1 && self.is_fresh(*user) && user.location() == copy.location()
        };
        match ir::uses(source).into_iter().find(is_first) {
            Some((first, _)) => buffers::base(ir::operand(first, 0)),
            None => source,
        }
    }

    /// The place where the source of a copy got its value.
    fn old(
        &self,
        copy: OperationRef<'c, 'a>,
        source: Value<'c, 'a>,
        accesses: &[Access<'c, 'a>],
    ) -> Old<'c, 'a> {
        let around = self.loop_around(copy);
        let is_in_loop = |it: &Access| around.is_none_or(|around| is_inside(it.operation, around));
        let mut writes = accesses.iter().filter(|access| access.writes);
        let is_changed = around.is_some() && writes.clone().any(is_in_loop);
        let last = writes.rfind(|access| {
            Some(access.place) < self.place(copy)
                && (!is_changed || is_in_loop(access))
                && !control_flow::are_exclusive(access.operation, copy)
        });
        match (last, ir::home(source), ir::defining_operation(source)) {
            (Some(access), ..) => Old::Value(access.operation),
            (None, Some(home), _) if ops::is_function(&home.parent) => Old::Parameter,
            (None, None, Some(definition)) if !is_changed => Old::Value(definition),
            _ => Old::Iteration,
        }
    }

    /// The first read of the source after a copy, in the next iteration of a loop if there is none in this one.
    fn read(
        &self,
        copy: OperationRef<'c, 'a>,
        source: Value<'c, 'a>,
        accesses: &[Access<'c, 'a>],
        old: &Old,
    ) -> Option<Read<'c, 'a>> {
        let reads = accesses.iter().filter(|access| access.reads);
        let later = reads.clone().find(|access| {
            Some(access.place) > self.place(copy)
                && !control_flow::are_exclusive(access.operation, copy)
        });
        if let Some(access) = later {
            return Some(Read { operation: access.operation, is_next: false });
        }
        // A buffer that the loop does not carry is the same in each iteration.
        let around =
            self.loop_around(copy).filter(|around| !tensor_roots::is_inside(source, *around));
        if let Some(around) = around {
            let first = reads.clone().find(|access| is_inside(access.operation, around))?;
            return Some(Read { operation: first.operation, is_next: true });
        }
        // A result in the memory of the caller.
        let is_result = matches!(old, Old::Value(_))
            && matches!(buffers::origin(source), Some(Origin::Argument(..)));
        let end = self.operations.last().filter(|_| is_result)?;
        Some(Read { operation: *end, is_next: false })
    }

    /// The innermost loop with an operation.
    fn loop_around(&self, operation: OperationRef<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
        let parents =
            std::iter::successors(operation.parent_operation(), |inner| inner.parent_operation());
        parents.take_while(|parent| !ops::is_function(parent)).find(control_flow::is_loop)
    }
}

/// True if an operation is in one of the regions of `outer`.
fn is_inside(operation: OperationRef, outer: OperationRef) -> bool {
    std::iter::successors(operation.parent_operation(), |inner| inner.parent_operation())
        .any(|parent| ir::id(parent) == ir::id(outer))
}
