//! What merging equal operations costs in memory.
//!
//! Input: the operations of a function in the order of the text, and what is known of its callees. Output:
//! for two equal operations whether the second may be replaced by the first, whose value then lives from the
//! one to the last use of the other. The rule:
//!
//! * it may if no tensor lives longer for it: the first is in use at the second, or right before it;
//! * it may if the most bytes in use at one time in the function, callees included, do not grow by it, or are
//!   no more than [`LITTLE`];
//! * it may if computing the value again is dear: more than [`CHEAP`] elements for each element of the
//!   value, callees included, and operands that were left twice.
//!
//! Until everything is inferred, sizes are not known, and of the second point nothing holds; inference is
//! followed by another run. So of two element-wise operations that are far apart both stay where tensors are
//! large and memory is full, and of two trees of calls one.
//!
//! Bytes are those of tensors with a buffer of their own: not those of constants that are stored with the
//! program, of parameters and results, which are the caller's, of what is another value under another name.
//! What fusion saves is not known yet. Loops and branches count as the text between their ends. All of this
//! says when to merge, never whether it is right. Invariant: by this count, no function needs more than the
//! larger of what it needed as it came and [`LITTLE`], unless something dear was merged.

use super::peak::Load;
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::shape_of;
use crate::dialect::structs;
use crate::mlir::raw;
use crate::transform::purity::is_call;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Type, Value, ValueLike};
use std::collections::HashMap;

/// Bytes that need not be saved: what a function may have on the stack.
const LITTLE: u64 = 4096;

/// So many operations on each element are fused into one loop, as a rule, and cost less than to keep it.
const CHEAP: u64 = 16;

/// What callers are to know of a function.
#[derive(Clone, Copy)]
pub struct Summary {
    /// The most bytes in use at one time.
    peak: u64,
    /// The elements that it computes.
    work: u64,
}

/// The functions that have been visited, by name.
pub type Summaries = HashMap<String, Summary>;

/// The lifetimes of the values of a function.
pub struct Memory<'s> {
    summaries: &'s Summaries,
    /// The tick of each operation.
    ticks: HashMap<usize, usize>,
    /// The tick of each value's last use, under all its names.
    last: HashMap<usize, usize>,
    /// What is computed again with a value because its operands stayed twice.
    again: HashMap<usize, u64>,
    /// The bytes in use; None if they are not known.
    load: Option<Load>,
    limit: u64,
}

impl<'s> Memory<'s> {
    /// The operations are in the order of the text.
    pub fn of<'c: 'a, 'a>(
        operations: &[OperationRef<'c, 'a>],
        summaries: &'s Summaries,
        is_inferred: bool,
    ) -> Self {
        let mut last: HashMap<usize, usize> = HashMap::new();
        for (tick, operation) in operations.iter().enumerate().rev() {
            // What gives an operand another name ends with that name.
            let until = match Kind::of(operation).is_some_and(is_name) {
                true => operation.results().filter_map(|it| last.get(&address(it.into()))).max(),
                false => None,
            };
            let until = until.copied().unwrap_or(tick);
            for operand in operation.operands() {
                let known = last.entry(address(operand)).or_insert(until);
                *known = until.max(*known);
            }
        }
        let ticks = operations.iter().enumerate().map(|(tick, it)| (id(it), tick)).collect();
        let again = HashMap::new();
        let mut memory = Self { summaries, ticks, last, again, load: None, limit: 0 };
        if is_inferred {
            let mut load = Load::new(operations.len());
            for (tick, operation) in operations.iter().enumerate() {
                for result in operation.results() {
                    let last = memory.last_use(result.into()).unwrap_or(tick);
                    load.add(tick, last, bytes(operation, result.into()));
                }
                if let Some(callee) = memory.callee(operation) {
                    load.add(tick, tick, callee.peak);
                }
            }
            load.settle();
            memory.limit = load.peak().max(LITTLE);
            memory.load = Some(load);
        }
        memory
    }

    /// Whether the second of two equal operations may become the first; if so, that is noted.
    pub fn merge(&mut self, first: &OperationRef, second: &OperationRef) -> bool {
        if Kind::of(second).is_some_and(is_name) {
            // Without operands of their own, they are where the values are that they name.
            return first.operands().zip(second.operands()).all(|(a, b)| address(a) == address(b));
        }
        let (Some(start), Some(end)) =
            (self.ticks.get(&id(first)).copied(), self.ticks.get(&id(second)).copied())
        else {
            return true;
        };
        let work = self.work(second);
        let again: u64 = second.operands().filter_map(|it| self.again.get(&address(it))).sum();
        let (mut elements, mut costs) = (0u64, Vec::new());
        for kept in first.results() {
            let bytes = bytes(first, kept.into());
            elements = elements.saturating_add(count(kept.r#type()).max(1));
            // From there to where the second would live.
            let from = self.last_use(kept.into()).unwrap_or(start) + 1;
            if from < end && has_own_bytes(first, kept.into()) {
                costs.push((from, end - 1, bytes));
            }
        }
        let work = work.saturating_add(again);
        let is_dear = work > CHEAP.saturating_mul(elements);
        let fits = |load: &mut Option<Load>, limit| match load {
            _ if costs.is_empty() => true,
            Some(load) => {
                costs.iter().for_each(|(from, to, bytes)| load.add_now(*from, *to, *bytes));
                let fits = is_dear || load.peak() <= limit;
                if !fits {
                    costs.iter().for_each(|(from, to, bytes)| load.take_now(*from, *to, *bytes));
                }
                fits
            }
            None => is_dear,
        };
        if !fits(&mut self.load, self.limit) {
            for result in second.results() {
                self.again.insert(address(result.into()), work);
            }
            return false;
        }
        for (kept, dropped) in first.results().zip(second.results()) {
            let [of_first, of_second] =
                [kept, dropped].map(|value| self.last_use(value.into()).unwrap_or(start));
            self.last.insert(address(kept.into()), of_first.max(of_second));
        }
        if let Some(load) = &self.load {
            self.limit = self.limit.max(load.peak());
        }
        true
    }

    /// What is to be known of the function; these are the operations that are left.
    pub fn summary(&self, operations: &[OperationRef]) -> Summary {
        let work = operations.iter().map(|operation| self.work(operation));
        let work = work.fold(0, u64::saturating_add);
        Summary { peak: self.load.as_ref().map_or(0, Load::peak), work }
    }

    fn last_use(&self, value: Value) -> Option<usize> {
        self.last.get(&address(value)).copied()
    }

    fn callee(&self, operation: &OperationRef) -> Option<Summary> {
        let name = ops::callee(operation).filter(|_| is_call(operation))?;
        self.summaries.get(&name).copied()
    }

    /// The elements that an operation computes.
    fn work(&self, operation: &OperationRef) -> u64 {
        match Kind::of(operation) {
            Some(kind) if is_name(kind) => 0,
            Some(Kind::Constant | Kind::StructConstant) => 0,
            _ if is_call(operation) => self.callee(operation).map_or(1, |callee| callee.work),
            _ => operation.results().map(|result| count(result.r#type()).max(1)).sum(),
        }
    }
}

/// Whether an operation gives its operands another name.
fn is_name(kind: Kind) -> bool {
    matches!(kind, Kind::Reshape | Kind::Cast | Kind::StructCreate | Kind::StructAccess)
}

/// The bytes that a result has of its own, as far as they are known.
fn bytes(operation: &OperationRef, result: Value) -> u64 {
    if has_own_bytes(operation, result) { count(result.r#type()).saturating_mul(8) } else { 0 }
}

fn has_own_bytes(operation: &OperationRef, result: Value) -> bool {
    let has_none = match Kind::of(operation) {
        Some(Kind::Constant) => ops::large_splat(operation).is_none(),
        Some(Kind::StructConstant) => true,
        Some(kind) => is_name(kind),
        None => false,
    };
    !has_none && !raw::users(result).iter().any(|user| raw::name(user) == "func.return")
}

/// The elements of a tensor, or of the tensors of a struct; 0 if that is not known.
fn count(ty: Type) -> u64 {
    let (mut sum, mut pending) = (0u64, vec![ty]);
    while let Some(ty) = pending.pop() {
        match structs::fields(ty) {
            Some(fields) => pending.extend(fields),
            None => {
                let own = shape_of(ty).and_then(|shape| shape.element_count());
                sum = sum.saturating_add(own.unwrap_or(0));
            }
        }
    }
    sum
}

fn address(value: Value) -> usize {
    value.to_raw().ptr as usize
}

fn id(operation: &OperationRef) -> usize {
    operation.to_raw().ptr as usize
}
