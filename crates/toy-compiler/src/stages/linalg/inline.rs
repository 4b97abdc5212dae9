//! Inlines calls where operations on both sides of a call become one loop nest by that.
//!
//! Input and output: a verified module of ranked Toy operations on tensors (structs are flattened); the program
//! prints the same. Why: fusion works within a function, and what crosses a call is written to memory and read
//! again. LLVM inlines as well, but too late, when loops are apart and the memory is allocated.
//!
//! A call pays if a tensor of [`LARGE`] elements or more crosses it between two operations that fuse:
//!
//! | the tensor is | made by | used by |
//! |---|---|---|
//! | an argument | an operation of the caller, for this call alone | one operation of the callee |
//! | a result | an operation of the callee, for the return alone | one operation of the caller |
//!
//! Operations that fuse are the element-wise ones and `toy.transpose`. A call between them counts as what its
//! callee does with the tensor. A value that is used twice is computed once and kept: its operation fuses with none.
//!
//! What pays for one call may cost time in all later passes, so it is bounded. A function grows to [`MOST`] operations
//! or to [`GROWTH`] times its size, and copies of functions that have other callers make the module at most half as
//! large again, those of [`SMALL`] functions not counted.
//! Calls in one function are judged in their order, callees before callers. Inlined calls are judged again at
//! their new place.
//!
//! Deny by default. A callee is inlined if it is private, has no attributes but the usual ones, and one block of
//! nothing but Toy operations and calls.
//!
//! MLIR's `inline` asks a dialect's interface whether its operations may be moved, which IRDL cannot implement in LLVM
//! 22, and has no model of what pays. Operations keep their locations, which are those of the callee.

use crate::analysis::purity::{Purity, is_call};
use crate::dialect::needs;
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::shape_of;
use crate::stages::toy::cse::erase_uncalled;
use crate::stages::toy::{canonicalize, cse};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, Module, Value, ValueLike};
use mlir_support::control_flow::result_number;
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::raw;
use std::collections::{HashMap, VecDeque};
use toy_diagnostics::Diagnosed;

/// The elements of a tensor from which on a round trip through memory counts: smaller ones are kept in
/// registers once LLVM has inlined the function.
const LARGE: u64 = 64;

/// The operations that a function may grow to, not counting constants, and by what factor it may grow if that is
/// more. Measured at -O2, CPU seconds for 1,000 functions on 16x16 tensors: each called by the next one, 54 without
/// inlining, .85 with 400, 2.4 without a limit; all called by `main`, 16 and 1.6: there are fewer loop nests.
const MOST: usize = 400;
const GROWTH: usize = 3;

/// Copies of functions up to this size are about as large as the calls and the loop nests that they replace.
const SMALL: usize = 8;

/// The operations in copies of larger functions that a module may get, however small it is.
const FEW: usize = 100;

pub const PASS: PassDefinition =
    PassDefinition::new("toy-inline", "Inlines calls where operations on both sides fuse", run)
        .requiring(needs::TENSORS);

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let is_candidate = |operation: &OperationRef| is_call(operation) && passes_large(operation);
    if !raw::operations(module.as_operation()).iter().any(is_candidate) {
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

/// What is known of a function that has been visited.
struct Callee<'c, 'a> {
    function: OperationRef<'c, 'a>,
    /// Not counting constants.
    size: usize,
    /// For each parameter, whether one operation that fuses uses it, and nothing else.
    takes: Vec<bool>,
    /// For each result, whether an operation that fuses makes it, for the return alone.
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
        let operations = raw::operations(module.as_operation());
        let mut calls: HashMap<String, usize> = HashMap::new();
        for callee in operations.iter().filter(|op| is_call(op)).filter_map(ops::callee) {
            *calls.entry(callee).or_default() += 1;
        }
        let budget = FEW.max(operations.len() / 2);
        Self { callees: HashMap::new(), calls, budget, has_inlined: false }
    }

    /// Inlines the calls of a function that pay, and notes what its own callers have to know.
    fn visit(&mut self, function: OperationRef<'c, 'a>) {
        let [block] = raw::blocks(function)[..] else { return };
        let mut size = size_of(&raw::block_operations(block));
        let most = MOST.max(GROWTH * size);
        let calls = raw::block_operations(block).into_iter().filter(is_plain_call);
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
            let inner = inline(call, callee.function);
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

    /// Whether an operation that fuses makes a value, for one use alone.
    fn is_made(&self, value: Value<'c, 'a>) -> bool {
        if raw::uses(value).len() != 1 {
            return false;
        }
        let Some(operation) = raw::defining_operation(value) else { return false };
        let known = ops::callee(&operation).and_then(|name| self.callees.get(&name));
        fuses(&operation)
            || known.is_some_and(|callee| {
                let place = result_number(operation, value);
                place.and_then(|place| callee.makes.get(place)).copied().unwrap_or(false)
            })
    }

    /// Whether a value has one use, by an operation that fuses, in the block of another.
    fn is_taken(&self, value: Value<'c, 'a>, beside: OperationRef<'c, 'a>) -> bool {
        let uses = raw::uses(value);
        let [(operation, place)] = uses.as_slice() else { return false };
        let known = ops::callee(operation).and_then(|name| self.callees.get(&name));
        let takes = fuses(operation)
            || known.is_some_and(|callee| callee.takes.get(*place).copied().unwrap_or(false));
        takes && raw::block_of(*operation) == raw::block_of(beside)
    }

    /// What a caller has to know; None for a function that is not to be inlined.
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
        let [block] = raw::blocks(function)[..] else { return None };
        let operations = raw::block_operations(block);
        let (last, others) = operations.split_last()?;
        let may_move = |operation: &OperationRef| {
            is_plain_call(operation)
                || Kind::of(operation)
                    .is_some_and(|kind| !matches!(kind, Kind::GenericCall | Kind::Variable))
        };
        if raw::name(last) != "func.return" || !others.iter().all(may_move) {
            return None;
        }
        let parameters = (0..block.argument_count()).filter_map(|at| block.argument(at).ok());
        Some(Callee {
            function,
            size,
            takes: parameters.map(|parameter| self.is_taken(parameter.into(), *last)).collect(),
            makes: last.operands().map(|value| self.is_made(value)).collect(),
        })
    }
}

/// A call without attributes of its own.
fn is_plain_call(operation: &OperationRef) -> bool {
    raw::name(operation) == "func.call" && operation.attributes().count() == 1
}

/// Whether linalg's fusion makes one loop nest of an operation and what it uses or is used by.
fn fuses(operation: &OperationRef) -> bool {
    Kind::of(operation).is_some_and(|kind| {
        kind.is_element_wise_binary()
            || matches!(kind, Kind::Neg | Kind::Math | Kind::Select | Kind::Transpose)
    })
}

fn size_of(operations: &[OperationRef]) -> usize {
    operations.iter().filter(|operation| Kind::of(*operation) != Some(Kind::Constant)).count()
}

/// Replaces a call by the operations of its callee. Returns the calls among them.
fn inline<'c, 'a>(
    call: OperationRef<'c, 'a>,
    callee: OperationRef<'c, 'a>,
) -> Vec<OperationRef<'c, 'a>> {
    let (Some(block), [body]) = (raw::block_of(call), &raw::blocks(callee)[..]) else {
        return Vec::new();
    };
    let parameters = (0..body.argument_count()).filter_map(|at| body.argument(at).ok());
    let mut values: HashMap<usize, Value> = parameters.map(raw::id).zip(call.operands()).collect();
    let mut calls = Vec::new();
    for operation in raw::block_operations(*body) {
        // In one block, definitions come before uses.
        let operands: Vec<Value> = operation
            .operands()
            .map(|operand| values.get(&raw::id(operand)).copied().unwrap_or(operand))
            .collect();
        if raw::name(&operation) == "func.return" {
            for (old, new) in call.results().zip(operands) {
                raw::replace_all_uses(old.into(), new);
            }
            break;
        }
        let copy = block.insert_operation_before(call, raw::clone(operation));
        raw::set_operands(copy, &operands);
        for (old, new) in operation.results().zip(copy.results()) {
            values.insert(raw::id(old), new.into());
        }
        if is_call(&copy) {
            calls.push(copy);
        }
    }
    raw::erase(call);
    calls
}
