//! Loops tell LLVM what not to make of them.
//!
//! Input: structured control flow, from `-O2` on. Output: the same; two kinds of loops have an annotation.
//!
//! **A loop that runs once is not unrolled.** It runs once in the whole program, has [`FEWEST`] to [`MOST`] iterations
//! and no loop in it. LLVM unrolls such loops completely, the more readily where it knows what they read. For vectors of
//! 8 elements on a processor with registers of two, an iteration of `max` is 60 instructions: a `sum` and a `max` of 101
//! elements become 8 KB, compiled in 40 ms, which run once and no faster. Longer loops are unrolled only in part, and
//! stay as they are. A loop runs once if it is in no other one, in `main` or in a function with one call, which runs
//! once; an exported `main` is called again.
//!
//! **A loop across rows is not vectorized.** The loop around it runs along the rows of some tensor and is short enough to
//! be unrolled completely. LLVM does so first, finds the outer loop innermost and vectorizes it, by gathers and scatters:
//! Jacobi's iteration for 16x16 became 2,500 lines of assembly and took 7 times as long.

use crate::dialect::ops;
use crate::interface::record;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, Module, Value};
use mlir_support::control_flow::{self, is_loop, iterations};
use mlir_support::ir;
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::symbols::References;
use std::collections::{HashMap, HashSet};
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-loop-hints",
    "Keeps LLVM from unrolling loops that run once and from vectorizing loops across rows",
    run,
);

/// A loop of fewer iterations is about as short unrolled.
const FEWEST: u64 = 4;

/// LLVM does not unroll a loop of more iterations completely.
const MOST: u64 = 64;

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let context = context.session.context();
    let annotate = |operation, text| {
        context.get_or_load_dialect("llvm");
        let annotation = Attribute::parse(context, text).expect("a valid attribute");
        ir::set_attribute(operation, "loop_annotation", annotation);
    };
    let operations = ir::operations(module.as_operation());
    for inner in operations.iter().copied().filter(may_be_unrolled) {
        for outer in across_rows(inner) {
            annotate(outer, "#llvm.loop_annotation<vectorize = <disable = true>>");
        }
    }
    for operation in run_once(module, &operations).into_iter().filter(may_be_unrolled) {
        annotate(operation, "#llvm.loop_annotation<unroll = <disable = true>>");
    }
    Ok(())
}

/// True for an innermost loop that LLVM may unroll completely.
fn may_be_unrolled(operation: &OperationRef) -> bool {
    ir::name(operation) == "scf.for"
        && iterations(*operation).is_some_and(|count| (FEWEST..=MOST).contains(&count))
        && !ir::operations(*operation).iter().any(is_loop)
}

/// The loops around `inner` in which a vector of iterations would read or write elements of several rows: one index of
/// such an access follows the outer loop, and the last index the inner one.
fn across_rows<'c, 'a>(inner: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let indices: Vec<Vec<_>> = ir::operations(inner).into_iter().filter_map(indices).collect();
    let along = |access: &&Vec<_>| access.last().is_some_and(|last| follows(*last, inner));
    let along: Vec<_> = indices.iter().filter(along).collect();
    let around = std::iter::successors(inner.parent_operation(), |it| it.parent_operation());
    let is_crossed = |outer: &OperationRef<'c, 'a>| {
        let follows = |access: &&Vec<_>| access.iter().rev().skip(1).any(|it| follows(*it, *outer));
        ir::name(outer) == "scf.for" && along.iter().any(follows)
    };
    match along.is_empty() {
        true => Vec::new(),
        false => around.filter(is_crossed).collect(),
    }
}

/// The indices of a load or of a store.
fn indices<'c, 'a>(operation: OperationRef<'c, 'a>) -> Option<Vec<Value<'c, 'a>>> {
    let first = match ir::name(&operation) {
        "memref.load" => 1,
        "memref.store" => 2,
        _ => return None,
    };
    Some(operation.operands().skip(first).collect())
}

/// True if `value` is the variable of `of`, or one of the two in a sum or a difference.
fn follows<'c, 'a>(value: Value<'c, 'a>, of: OperationRef<'c, 'a>) -> bool {
    let is_variable = |value| ir::argument_if_any(ir::blocks(of)[0], 0) == Some(value);
    let sum = ["arith.addi", "arith.subi"].iter().find_map(|name| ir::defined_by(value, name));
    is_variable(value) || sum.is_some_and(|sum| sum.operands().any(is_variable))
}

/// The operations of the module that run at most once in a program.
fn run_once<'c, 'a>(
    module: &'a Module<'c>,
    operations: &[OperationRef<'c, 'a>],
) -> Vec<OperationRef<'c, 'a>> {
    let functions = ops::definitions(module);
    let is_main = |it: &&OperationRef| ops::symbol_name(*it) == "main" && record::of(*it).is_none();
    let Some(main) = functions.iter().find(is_main) else {
        return Vec::new();
    };
    let references = References::besides_calls(operations.iter().copied());
    let mut calls: HashMap<String, usize> = HashMap::new();
    for callee in operations.iter().filter_map(ops::callee) {
        *calls.entry(callee).or_default() += 1;
    }
    let named: HashMap<_, _> = functions.iter().map(|it| (ops::symbol_name(it), *it)).collect();
    let called_once = |name: &String| {
        let function = named.get(name).copied().filter(ops::is_private)?;
        (calls[name] == 1 && !references.mention(name)).then_some(function)
    };
    let is_root = !calls.contains_key("main") && !references.mention("main");
    let mut pending: Vec<_> = is_root.then_some(*main).into_iter().collect();
    let mut once = Vec::new();
    while let Some(function) = pending.pop() {
        // Operations that contain others come before these.
        let mut around = HashSet::from([ir::id(function)]);
        for operation in ir::operations(function) {
            if operation.parent_operation().is_some_and(|it| around.contains(&ir::id(it))) {
                pending.extend(ops::callee(&operation).as_ref().and_then(called_once));
                once.push(operation);
                if control_flow::is_at_most_once(&operation) {
                    around.insert(ir::id(operation));
                }
            }
        }
    }
    once
}
