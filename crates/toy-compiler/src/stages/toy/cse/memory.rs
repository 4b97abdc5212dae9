//! The cost in memory of merging equal operations.
//!
//! Input: the operations of a function in program order, and the summaries of its callees. Output: for two
//! equal operations, true if the second may be replaced by the first, whose value then lives until the last
//! use of the second. The rule: it may,
//!
//! * if no lifetime is extended: the first is live at the second, or right before it;
//! * if the peak memory use of the function, callees included, does not grow, or is at most [`LITTLE`];
//! * if recomputing the value is expensive: more than [`CHEAP`] elements for each element of the value,
//!   including its callees, and its operands that were not merged.
//!
//! Before everything is inferred, sizes are unknown, so the second point never applies; inference is
//! followed by another run. So two distant element-wise operations are not merged if tensors are large and
//! memory is full, but two trees of calls are.
//!
//! Only tensors with a buffer of their own count: not constants, which are stored with the program, nor
//! parameters and results, which belong to the caller, nor aliases of another value. Fusion, which comes
//! later, is not taken into account. Loops and branches count as straight-line code. This analysis decides
//! only whether merging pays off, never whether it is correct. Invariant: by this count, the peak of no
//! function exceeds the larger of its original peak and [`LITTLE`], unless something expensive was merged.

use super::peak::Load;
use crate::analysis::purity::is_call;
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::{TensorType, type_of};
use crate::dialect::structs;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Type, Value, ValueLike};
use mlir_support::ir;
use std::collections::HashMap;

/// A peak up to this many bytes needs no saving: a function may have as much on the stack.
const LITTLE: u64 = 4096;

/// The number of operations per element usually fused into one loop; they cost less than keeping the value.
const CHEAP: u64 = 16;

/// The cost of a function, for its callers.
#[derive(Clone, Copy)]
pub struct Summary {
    /// The peak memory use in bytes.
    peak: u64,
    /// The number of elements that it computes.
    work: u64,
}

/// The functions that have been visited, by name.
pub type Summaries = HashMap<String, Summary>;

/// The lifetimes of the values of a function.
pub struct Memory<'s> {
    summaries: &'s Summaries,
    /// The tick of each operation.
    ticks: HashMap<usize, usize>,
    /// The tick of each value's last use, through all its aliases.
    last: HashMap<usize, usize>,
    /// The work that is repeated for a value because its operands were not merged.
    again: HashMap<usize, u64>,
    /// The bytes in use; None if they are not known.
    load: Option<Load>,
    limit: u64,
}

impl<'s> Memory<'s> {
    /// The operations are in program order.
    pub fn of<'c: 'a, 'a>(
        operations: &[OperationRef<'c, 'a>],
        summaries: &'s Summaries,
        is_inferred: bool,
    ) -> Self {
        let mut last: HashMap<usize, usize> = HashMap::new();
        for (tick, operation) in operations.iter().enumerate().rev() {
            // The lifetime of an aliased operand includes the alias's.
            let until = match Kind::of(operation).is_some_and(|kind| kind.definition().is_alias) {
                true => operation.results().filter_map(|it| last.get(&ir::id(it))).max(),
                false => None,
            };
            let until = until.copied().unwrap_or(tick);
            for operand in operation.operands() {
                let known = last.entry(ir::id(operand)).or_insert(until);
                *known = until.max(*known);
            }
        }
        let ticks = operations.iter().enumerate().map(|(tick, it)| (ir::id(it), tick)).collect();
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

    /// True if the second of two equal operations may be replaced by the first; if so, updates the lifetimes.
    pub fn merge(&mut self, first: &OperationRef, second: &OperationRef) -> bool {
        if Kind::of(second).is_some_and(|kind| kind.definition().is_alias) {
            // An alias occupies no memory: it refers to its operands.
            return first.operands().zip(second.operands()).all(|(a, b)| ir::id(a) == ir::id(b));
        }
        let (Some(start), Some(end)) =
            (self.ticks.get(&ir::id(first)).copied(), self.ticks.get(&ir::id(second)).copied())
        else {
            return true;
        };
        let work = self.work(second);
        let again: u64 = second.operands().filter_map(|it| self.again.get(&ir::id(it))).sum();
        let (mut elements, mut costs) = (0u64, Vec::new());
        for kept in first.results() {
            let bytes = bytes(first, kept.into());
            elements = elements.saturating_add(count(kept.r#type()).max(1));
            // The extension: from the end of the first lifetime to the end of the second.
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
                self.again.insert(ir::id(result), work);
            }
            return false;
        }
        for (kept, dropped) in first.results().zip(second.results()) {
            let [of_first, of_second] =
                [kept, dropped].map(|value| self.last_use(value.into()).unwrap_or(start));
            self.last.insert(ir::id(kept), of_first.max(of_second));
        }
        if let Some(load) = &self.load {
            self.limit = self.limit.max(load.peak());
        }
        true
    }

    /// The summary of the function, given the remaining operations.
    pub fn summary(&self, operations: &[OperationRef]) -> Summary {
        let work = operations.iter().map(|operation| self.work(operation));
        let work = work.fold(0, u64::saturating_add);
        Summary { peak: self.load.as_ref().map_or(0, Load::peak), work }
    }

    fn last_use(&self, value: Value) -> Option<usize> {
        self.last.get(&ir::id(value)).copied()
    }

    fn callee(&self, operation: &OperationRef) -> Option<Summary> {
        let name = ops::callee(operation).filter(|_| is_call(operation))?;
        self.summaries.get(&name).copied()
    }

    /// The number of elements that an operation computes.
    fn work(&self, operation: &OperationRef) -> u64 {
        match Kind::of(operation) {
            Some(kind) if kind.definition().is_alias => 0,
            Some(Kind::Constant | Kind::StructConstant | Kind::Range) => 0,
            _ if is_call(operation) => self.callee(operation).map_or(1, |callee| callee.work),
            _ => operation.results().map(|result| count(result.r#type()).max(1)).sum(),
        }
    }
}

/// The size of the buffer of a result; 0 if it has none of its own or the size is unknown.
fn bytes(operation: &OperationRef, result: Value) -> u64 {
    if has_own_bytes(operation, result) { sum(result.r#type(), TensorType::bytes) } else { 0 }
}

fn has_own_bytes(operation: &OperationRef, result: Value) -> bool {
    let has_none = match Kind::of(operation) {
        Some(Kind::Constant) => ops::large_splat(operation).is_none(),
        Some(Kind::StructConstant | Kind::Range) => true,
        Some(kind) => kind.definition().is_alias,
        None => false,
    };
    !has_none && !ir::users(result).iter().any(|user| ir::name(user) == "func.return")
}

/// The number of elements of a tensor, or of the tensors of a struct; 0 if unknown.
fn count(ty: Type) -> u64 {
    sum(ty, |tensor| tensor.shape.element_count())
}

/// The sum of the sizes of a tensor, or of the tensors of a struct; an unknown one is 0.
fn sum(ty: Type, size: fn(&TensorType) -> Option<u64>) -> u64 {
    let (mut sum, mut pending) = (0u64, vec![ty]);
    while let Some(ty) = pending.pop() {
        match structs::fields(ty) {
            Some(fields) => pending.extend(fields),
            None => {
                let own = type_of(ty).as_ref().and_then(size);
                sum = sum.saturating_add(own.unwrap_or(0));
            }
        }
    }
    sum
}
