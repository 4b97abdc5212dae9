//! Loops that run once stay loops.
//!
//! Input: structured control flow, from `-O2` on, in a program with a `main`. Output: the same; a loop that runs once in
//! the whole program and has [`FEWEST`] to [`MOST`] iterations and no loop in it tells LLVM not to unroll it.
//!
//! LLVM unrolls such loops completely, the more readily where it knows what they read. For vectors of 8 elements on a
//! processor with registers of two, an iteration of `max` is 60 instructions: a `sum` and a `max` of 101 elements become
//! 8 KB, compiled in 40 ms, which run once and no faster. Longer loops are unrolled only in part, and stay as they are.
//!
//! A loop runs once if it is in no other one, in `main` or in a function with one call, which runs once.

use crate::dialect::ops;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, Module};
use mlir_support::control_flow::{self, is_loop, iterations};
use mlir_support::ir;
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::symbols::References;
use std::collections::{HashMap, HashSet};
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-run-once",
    "Keeps LLVM from unrolling loops that run once in the whole program",
    run,
);

/// A loop of fewer iterations is about as short unrolled.
const FEWEST: u64 = 4;

/// LLVM does not unroll a loop of more iterations completely.
const MOST: u64 = 64;

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let context = context.session.context();
    let mut annotation = None;
    for operation in run_once(module) {
        if ir::name(&operation) == "scf.for"
            && iterations(operation).is_some_and(|count| (FEWEST..=MOST).contains(&count))
            && !ir::operations(operation).iter().any(is_loop)
        {
            let annotation = *annotation.get_or_insert_with(|| {
                context.get_or_load_dialect("llvm");
                let text = "#llvm.loop_annotation<unroll = <disable = true>>";
                Attribute::parse(context, text).expect("a valid attribute")
            });
            ir::set_attribute(operation, "loop_annotation", annotation);
        }
    }
    Ok(())
}

/// The operations that run at most once in a program.
fn run_once<'c, 'a>(module: &'a Module<'c>) -> Vec<OperationRef<'c, 'a>> {
    let functions = ops::definitions(module);
    let Some(main) = functions.iter().find(|it| ops::symbol_name(*it) == "main") else {
        return Vec::new();
    };
    let operations = ir::operations(module.as_operation());
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
