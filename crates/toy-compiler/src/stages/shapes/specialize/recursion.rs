//! Recursion: the results of functions that call each other.
//!
//! Input: calls of entries, finished visits of functions. Output: the result types of each entry. The result of a
//! recursive function follows from a path without the call: its first visit leaves the results of the recursive calls
//! open, and where an open type meets a known one, the known one holds ([`super::regions`]). So the visit ends
//! with more than it began with, and the next one knows the calls.
//!
//! An entry that lacks the result of one below it on the stack waits for it when its visit ends. The lowest one of
//! a cycle is visited again, and with it, through the calls, all that wait for it, until nothing is open. If a
//! visit finds nothing new, the shapes follow from nothing but themselves, which is an error. Each further visit
//! makes at least one more result known, so there are at most as many as the cycle has results; nearly always two.

use super::key::Key;
use super::{Frame, Specializer, State, errors};
use crate::dialect::ops;
use crate::dialect::structs::is_open;
use melior::ir::Type;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::ir;
use std::collections::HashSet;
use toy_diagnostics::{Diagnostic, codes};

/// More visits than any realistic program needs, counted twice; a bound for faulty generated programs.
const MAX_VISITS: usize = 1_000_000;

/// With so many nested calls that have no smaller shapes, a shape that is too large is an error of the recursion.
const GROWING: usize = 4;

/// The facts about recursion that a visit of a function finds.
pub(super) struct Facts<'c, 'a> {
    /// The place on the stack of the lowest function whose result is missing.
    lowest: usize,
    /// The lowest place on the stack from which on every call happens whenever its function runs.
    always_from: usize,
    /// A call for which the result of this function was missing, and the entry that makes it.
    missed: Option<(usize, OperationRef<'c, 'a>)>,
    /// True if this visit, or one in it, has found a result that was not known before.
    has_progress: bool,
    /// True if a call in it took the results from the signature, which has the default elements.
    is_believed: bool,
    /// The errors at its beginning.
    errors: usize,
    /// The length of the list of waiting entries at its beginning.
    waiting: usize,
}

/// A call of a function on the stack.
#[derive(Clone, Copy)]
pub(super) struct Nested {
    /// The elements of its arguments.
    elements: u64,
    /// The calls up to this one that have as many elements as the one before, or more.
    pub not_smaller: usize,
}

/// The known results of a call's callee.
pub(super) enum Answer<'c> {
    Known(Vec<Type<'c>>),
    /// Not yet, or there was an error.
    Open,
    /// It is visited first; or there was an error that ends everything.
    Entered,
}

impl<'c, 'a> Specializer<'c, 'a> {
    /// Begins a visit of an entry.
    pub(super) fn push(&mut self, entry: usize) {
        let depth = self.stack.len();
        let call = self.stack.last().and_then(|frame| frame.operations.get(frame.next).copied());
        let always_from = match (self.stack.last(), call) {
            (Some(caller), Some(call)) if always_runs(call) => caller.recursion.always_from,
            _ => depth,
        };
        self.clock += 1;
        let caller = self.stack.last().map(|frame| frame.entry);
        let data = &mut self.entries[entry];
        (data.state, data.caller, data.depth) = (State::Busy, caller, depth);
        data.visited = self.clock;
        let (callee, function) = (data.key.callee.clone(), data.function);
        let nested = self.nested(&self.entries[entry].key);
        self.busy.entry(callee).or_default().push(nested);
        let operations = ir::operations_as_executed(function);
        let recursion = Facts {
            lowest: usize::MAX,
            always_from,
            missed: None,
            has_progress: false,
            is_believed: false,
            errors: self.diagnostics.len(),
            waiting: self.waiting.len(),
        };
        let (results, casts, gone) = (vec![], vec![], HashSet::new());
        self.stack.push(Frame { entry, operations, next: 0, results, casts, gone, recursion });
    }

    /// A call with a key, if it were made now.
    pub(super) fn nested(&self, key: &Key) -> Nested {
        let elements = key.elements();
        let last = self.busy.get(&key.callee).and_then(|calls| calls.last());
        let not_smaller =
            last.map_or(0, |last| last.not_smaller + usize::from(elements >= last.elements));
        Nested { elements, not_smaller }
    }

    /// The known results of a call's callee, which is an entry.
    pub(super) fn ask(&mut self, entry: usize, call: OperationRef<'c, 'a>) -> Answer<'c> {
        let of = &self.entries[entry];
        let (state, visited) = (of.state, of.visited);
        let is_known = !of.results.iter().any(|ty| is_open(*ty));
        match state {
            State::Done => return Answer::Known(of.results.clone()),
            State::Busy => {
                let depth = of.depth;
                let top = self.stack.last().expect("a call is visited");
                if always_runs(call) && top.recursion.always_from <= depth {
                    let diagnostic =
                        errors::recursion(self.locations.at(call), &self.cycle(entry, top.entry));
                    self.diagnostics.push(diagnostic);
                    return Answer::Open;
                }
                if is_known {
                    self.stack[depth].recursion.is_believed = true;
                } else {
                    self.miss(depth, call);
                }
            }
            State::Waiting(_) => {
                let awaited = self.awaited(entry);
                let depth = self.entries[awaited].depth;
                let since = self.entries[self.stack[depth].entry].visited;
                if visited < since && self.clock < MAX_VISITS {
                    self.push(entry);
                    return Answer::Entered;
                }
                // Its caller has to be visited again, too, for it to be.
                self.miss(depth, call);
            }
        }
        let results = &self.entries[entry].results;
        if is_known { Answer::Known(results.clone()) } else { Answer::Open }
    }

    /// Notes that a call lacks the result of the function at a place on the stack.
    fn miss(&mut self, depth: usize, call: OperationRef<'c, 'a>) {
        let top = self.stack.last_mut().expect("a call is visited");
        top.recursion.lowest = top.recursion.lowest.min(depth);
        let caller = top.entry;
        self.stack[depth].recursion.missed.get_or_insert((caller, call));
    }

    /// The busy entry that a waiting one waits for in the end.
    fn awaited(&mut self, entry: usize) -> usize {
        let mut last = entry;
        while let State::Waiting(next) = self.entries[last].state {
            last = next;
        }
        // Shortens the way for the next question.
        let mut at = entry;
        while let State::Waiting(next) = self.entries[at].state {
            self.entries[at].state = State::Waiting(last);
            at = next;
        }
        last
    }

    /// Ends a visit, whose frame is no longer on the stack: the entry is done, waits, or is visited again.
    pub(super) fn settle(&mut self, frame: Frame<'c, 'a>) {
        let depth = self.stack.len();
        let Facts { lowest, missed, errors, waiting, .. } = frame.recursion;
        self.clock += 1;
        let entry = &mut self.entries[frame.entry];
        entry.visited = self.clock;
        let has_progress = frame.recursion.has_progress || entry.results != frame.results;
        let is_corrected = frame.recursion.is_believed && entry.results != frame.results;
        entry.results = frame.results;
        let is_nested = self.busy.get_mut(&entry.key.callee).is_some_and(|calls| {
            calls.pop();
            !calls.is_empty()
        });
        // Its calls around this one, with other shapes, would only repeat an error, each in its own way.
        if is_nested && self.diagnostics.len() > errors {
            return self.give_up();
        }
        if let Some(caller) = self.stack.last_mut() {
            caller.recursion.has_progress |= has_progress;
        }
        if lowest < depth {
            let entry = frame.entry;
            self.entries[entry].state = State::Waiting(self.stack[lowest].entry);
            self.waiting.push(entry);
            return;
        }
        let is_good = self.diagnostics.len() == errors;
        if is_corrected && is_good && self.clock < MAX_VISITS {
            return self.push(frame.entry);
        }
        if lowest == depth && is_good && self.clock < MAX_VISITS {
            if has_progress {
                return self.push(frame.entry);
            }
            if let Some((caller, call)) = missed {
                let cycle = self.cycle(frame.entry, caller);
                let diagnostic = errors::shape_of_itself(self.locations.at(call), &cycle);
                self.report(diagnostic);
            }
        }
        self.entries[frame.entry].state = State::Done;
        for entry in self.waiting.split_off(waiting.min(self.waiting.len())) {
            self.entries[entry].state = State::Done;
        }
    }

    /// Keeps an error about the shape of a result. Where a function that calls itself with ever larger shapes has come
    /// to one that is too large, the recursion is the error.
    pub(super) fn report_shape(&mut self, diagnostic: Diagnostic) {
        let [.., caller, frame] = self.stack.as_slice() else { return self.report(diagnostic) };
        let key = &self.entries[frame.entry].key;
        let calls = self.busy.get(&key.callee).and_then(|calls| calls.last());
        let is_endless = calls.is_some_and(|last| last.not_smaller >= GROWING);
        match caller.operations.get(caller.next).filter(|_| is_endless) {
            Some(call) if diagnostic.code == codes::TOO_LARGE => {
                let endless = errors::endless_shapes(*call, key, self).note(diagnostic.message);
                self.diagnostics.push(endless);
            }
            _ => self.report(diagnostic),
        }
    }

    /// Ends everything after an error.
    pub(super) fn give_up(&mut self) {
        for frame in self.stack.drain(..) {
            self.entries[frame.entry].state = State::Done;
        }
        for entry in self.waiting.drain(..) {
            self.entries[entry].state = State::Done;
        }
        self.busy.clear();
    }

    /// The keys from an entry through calls to another one.
    pub(super) fn cycle(&self, from: usize, to: usize) -> Vec<String> {
        let callers = std::iter::successors(Some(to), |entry| self.entries[*entry].caller);
        // A bound: callers of earlier visits may form a cycle without it.
        let mut path: Vec<usize> = Vec::new();
        for entry in callers.take(self.entries.len()) {
            path.push(entry);
            if entry == from {
                break;
            }
        }
        path.reverse();
        path.into_iter().map(|entry| self.entries[entry].key.to_string()).collect()
    }
}

/// True if an operation is executed whenever its function is: not in a branch or a loop that may not run.
fn always_runs(operation: OperationRef) -> bool {
    let mut operation = operation;
    loop {
        let (Some(block), Some(parent)) = (operation.block(), operation.parent_operation()) else {
            return false;
        };
        let is_first = |region| ir::blocks_of(parent, region).first() == Some(&block);
        if ops::is_function(&parent) {
            return is_first(0);
        }
        // The condition of a loop is evaluated at least once.
        match ir::name(&parent) {
            "scf.while" | "scf.execute_region" if is_first(0) => operation = parent,
            _ => return false,
        }
    }
}
