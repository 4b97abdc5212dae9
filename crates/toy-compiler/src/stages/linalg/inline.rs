//! Inlines calls where operations on both sides of a call then fuse into one loop nest.
//!
//! Input and output: a verified module of ranked Toy operations on tensors (structs are flattened); the program
//! prints the same. Why: fusion works within a function, and a tensor that crosses a call is written to memory
//! and read again. LLVM inlines as well, but too late: loops are separate and memory is allocated.
//!
//! Inlining pays if a tensor of [`LARGE`] elements or more crosses a call between two operations that fuse:
//!
//! | the tensor is | made by | used by |
//! |---|---|---|
//! | an argument | an operation of the caller, only for this call | one operation of the callee |
//! | a result | an operation of the callee, only for the return | one operation of the caller |
//!
//! Element-wise operations and `toy.transpose` fuse. A call between them counts as the callee's use of the tensor.
//! A value with two uses is computed once and kept: its operation does not fuse.
//!
//! Inlining is bounded, because it may cost time in all later passes. A function grows to at most [`MOST`] operations
//! or [`GROWTH`] times its size, and copies of functions with other callers make the module at most half as large
//! again, not counting [`SMALL`] functions.
//! Calls in a function are considered in order, callees before callers. Inlined calls are considered again at
//! their new place.
//!
//! Deny by default. A callee is inlined if it is private, has only the usual attributes, and consists of one block
//! of Toy operations and calls.
//!
//! MLIR's `inline` asks a dialect's interface whether its operations may be moved, which IRDL cannot implement in LLVM
//! 22, and has no cost model. Operations keep their locations in the callee.

use crate::analysis::purity::{Purity, is_call};
use crate::dialect::needs;
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::shape_of;
use crate::stages::toy::cse::erase_uncalled;
use crate::stages::toy::{canonicalize, cse};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Module, Value, ValueLike};
use mlir_support::control_flow::result_number;
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::{builder, ir};
use std::collections::{HashMap, VecDeque};
use toy_diagnostics::Diagnosed;

/// The number of elements from which a round trip through memory matters: LLVM keeps smaller tensors in
/// registers once it has inlined the function.
const LARGE: u64 = 64;

/// The operations that a function may grow to, not counting constants, and the factor by which it may grow if that is
/// more. Measured at -O2, CPU seconds for 1,000 functions on 16x16 tensors: each called by the next one, 54 without
/// inlining, .85 with 400, 2.4 without a limit; all called by `main`, 16 and 1.6: there are fewer loop nests.
const MOST: usize = 400;
const GROWTH: usize = 3;

/// Copies of functions up to this size are about as large as the calls and the loop nests that they replace.
const SMALL: usize = 8;

/// The operations that copies of larger functions may add to any module, even a small one.
const FEW: usize = 100;

pub const PASS: PassDefinition =
    PassDefinition::new("toy-inline", "Inlines calls where operations on both sides fuse", run)
        .requiring(needs::TENSORS);

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let is_candidate = |operation: &OperationRef| is_call(operation) && passes_large(operation);
    if !ir::operations(module.as_operation()).iter().any(is_candidate) {
        return Ok(());
    }
    let purity = Purity::of(module);
    let mut inliner = Inliner::new(module);
    for function in &purity.callees_first {
        inliner.visit(*function);
    }
    if inliner.has_inlined {
        erase_uncalled(module, &purity.called);
        // Transposes of transposes meet, and equal expressions of callers and callees.
        canonicalize::run(context, module)?;
        cse::run(context, module)?;
    }
    Ok(())
}

fn passes_large(call: &OperationRef) -> bool {
    call.operands().any(is_large) || call.results().any(|result| is_large(result.into()))
}

fn is_large(value: Value) -> bool {
    shape_of(value.r#type())
        .and_then(|shape| shape.element_count())
        .is_some_and(|count| count >= LARGE)
}

/// The facts about a visited function.
struct Callee<'c, 'a> {
    function: OperationRef<'c, 'a>,
    /// Its operations, not counting constants.
    size: usize,
    /// For each parameter: true if its only use is in an operation that fuses.
    takes: Vec<bool>,
    /// For each result: true if an operation that fuses makes it, only for the return.
    makes: Vec<bool>,
}

struct Inliner<'c, 'a> {
    callees: HashMap<String, Callee<'c, 'a>>,
    /// The calls of each function.
    calls: HashMap<String, usize>,
    /// The operations that copies may still add.
    budget: usize,
    has_inlined: bool,
}

impl<'c, 'a> Inliner<'c, 'a> {
    fn new(module: &'a Module<'c>) -> Self {
        let operations = ir::operations(module.as_operation());
        let mut calls: HashMap<String, usize> = HashMap::new();
        for callee in operations.iter().filter(|op| is_call(op)).filter_map(ops::callee) {
            *calls.entry(callee).or_default() += 1;
        }
        let budget = FEW.max(operations.len() / 2);
        Self { callees: HashMap::new(), calls, budget, has_inlined: false }
    }

    /// Inlines the calls in a function where it pays, and records the facts for its own callers.
    fn visit(&mut self, function: OperationRef<'c, 'a>) {
        let [block] = ir::blocks(function)[..] else { return };
        let mut size = size_of(&ir::block_operations(block));
        let most = MOST.max(GROWTH * size);
        let calls = ir::block_operations(block).into_iter().filter(is_plain_call);
        let mut calls: VecDeque<OperationRef> = calls.collect();
        while let Some(call) = calls.pop_front() {
            let Some(name) = ops::callee(&call) else { continue };
            let Some(callee) = self.callees.get(&name) else { continue };
            let is_free = self.calls.get(&name) == Some(&1) || callee.size <= SMALL;
            let cost = if is_free { 0 } else { callee.size };
            if size + callee.size > most || cost > self.budget || !self.pays(call, callee) {
                continue;
            }
            size += callee.size;
            self.budget -= cost;
            let [body] = ir::blocks(callee.function)[..] else { continue };
            let inner: Vec<_> = builder::inline(call, body).into_iter().filter(is_call).collect();
            for callee in inner.iter().filter_map(ops::callee) {
                *self.calls.entry(callee).or_default() += 1;
            }
            if let Some(count) = self.calls.get_mut(&name) {
                *count -= 1;
            }
            inner.into_iter().rev().for_each(|call| calls.push_front(call));
            self.has_inlined = true;
        }
        if let Some(callee) = self.summary(function, size) {
            self.callees.insert(ops::symbol_name(&function), callee);
        }
    }

    fn pays(&self, call: OperationRef<'c, 'a>, callee: &Callee) -> bool {
        let argument = |(value, takes): (Value<'c, 'a>, &bool)| {
            *takes && is_large(value) && self.is_made(value)
        };
        let result = |(value, makes): (Value<'c, 'a>, &bool)| {
            *makes && is_large(value) && self.is_taken(value, call)
        };
        let results = call.results().map(Value::from);
        call.operands().zip(&callee.takes).any(argument) || results.zip(&callee.makes).any(result)
    }

    /// True if an operation that fuses makes a value, for one use.
    fn is_made(&self, value: Value<'c, 'a>) -> bool {
        if ir::uses(value).len() != 1 {
            return false;
        }
        let Some(operation) = ir::defining_operation(value) else { return false };
        let known = ops::callee(&operation).and_then(|name| self.callees.get(&name));
        fuses(&operation)
            || known.is_some_and(|callee| {
                let place = result_number(operation, value);
                place.and_then(|place| callee.makes.get(place)).copied().unwrap_or(false)
            })
    }

    /// True if a value has one use, by an operation that fuses, in the block of `beside`.
    fn is_taken(&self, value: Value<'c, 'a>, beside: OperationRef<'c, 'a>) -> bool {
        let uses = ir::uses(value);
        let [(operation, place)] = uses.as_slice() else { return false };
        let known = ops::callee(operation).and_then(|name| self.callees.get(&name));
        let takes = fuses(operation)
            || known.is_some_and(|callee| callee.takes.get(*place).copied().unwrap_or(false));
        takes && operation.block() == beside.block()
    }

    /// The facts for callers; None for a function that must not be inlined.
    fn summary(&self, function: OperationRef<'c, 'a>, size: usize) -> Option<Callee<'c, 'a>> {
        const KNOWN: [&str; 6] = [
            "sym_name",
            "function_type",
            "sym_visibility",
            "arg_attrs",
            "res_attrs",
            "toy.specialization",
        ];
        let is_known = |name: &str| KNOWN.contains(&name);
        let mut names = function.attributes().map(|(name, _)| name);
        if !ops::is_private(&function)
            || !names.all(|name| name.as_string_ref().as_str().is_ok_and(is_known))
        {
            return None;
        }
        let [block] = ir::blocks(function)[..] else { return None };
        let operations = ir::block_operations(block);
        let (last, others) = operations.split_last()?;
        let may_move = |operation: &OperationRef| {
            is_plain_call(operation)
                || Kind::of(operation)
                    .is_some_and(|kind| !matches!(kind, Kind::GenericCall | Kind::Variable))
        };
        if ir::name(last) != "func.return" || !others.iter().all(may_move) {
            return None;
        }
        let parameters = ir::arguments(block).into_iter();
        Some(Callee {
            function,
            size,
            takes: parameters.map(|parameter| self.is_taken(parameter, *last)).collect(),
            makes: last.operands().map(|value| self.is_made(value)).collect(),
        })
    }
}

/// True for a call without attributes of its own.
fn is_plain_call(operation: &OperationRef) -> bool {
    ir::name(operation) == "func.call" && operation.attributes().count() == 1
}

/// True if linalg can fuse an operation with its operands or users into one loop nest.
fn fuses(operation: &OperationRef) -> bool {
    Kind::of(operation).is_some_and(|kind| kind.is_element_wise() || kind == Kind::Transpose)
}

fn size_of(operations: &[OperationRef]) -> usize {
    operations.iter().filter(|operation| Kind::of(*operation) != Some(Kind::Constant)).count()
}
