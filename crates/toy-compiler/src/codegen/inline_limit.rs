//! A bound on the size that LLVM's inliner gives to a function.
//!
//! Input: a module of LLVM IR before optimization. Output: the same, with `noinline` on calls that would
//! let their function grow over [`LIMIT`]. Why: LLVM inlines a function that is called once regardless of
//! its size, and the outlined parts of a Toy program's `main` call hundreds. The result is one block of
//! tens of thousands of instructions, which is scheduled in quadratic time and runs no faster.
//!
//! Sizes are estimates: numbers of instructions before the optimizer, inlined functions included. Callees are
//! visited before their callers; in a cycle of calls, any function may come first.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::{Linkage, Module};
use inkwell::values::{CallSiteValue, FunctionValue};
use mlir_support::call_graph;
use std::collections::HashMap;

/// The maximum number of instructions that a function grows to. Measured on `bench/programs.py elementwise 300`
/// at -O2: code generation takes 9.0 s without a limit, 8.8 with 4,000, 5.7 with 2,000, and 2.5 with 1,000. The
/// cost: main functions of 300 calls with literals of their own on 4x4 tensors run 1.20 times as long, of 40
/// calls on 16x16 tensors 1.19 times. (LLVM no longer computes the result of a program of 100 calls at compile
/// time, as it does if all are inlined.)
const LIMIT: usize = 1_000;

/// About the size up to which LLVM inlines a function that is called more than once.
const SMALL: usize = 100;

/// Marks the calls.
pub fn apply(module: &Module) {
    let functions: Vec<_> = module.get_functions().collect();
    let bodies: HashMap<_, _> = functions.iter().map(|of| (*of, Body::of(*of))).collect();
    if bodies.values().map(|body| body.size).sum::<usize>() <= LIMIT {
        return;
    }
    let mut callers: HashMap<FunctionValue, usize> = HashMap::new();
    for (_, callee) in bodies.values().flat_map(|body| &body.calls) {
        *callers.entry(*callee).or_default() += 1;
    }
    let kind = Attribute::get_named_enum_kind_id("noinline");
    let noinline = module.get_context().create_enum_attribute(kind, 0);
    let mut grown: HashMap<FunctionValue, usize> = HashMap::new();
    for function in callees_first(&functions, &bodies) {
        let body = &bodies[&function];
        let mut size = body.size;
        for (call, callee) in &body.calls {
            // The size of a function that calls this one is not known yet.
            let Some(added) = grown.get(callee).copied() else { continue };
            let is_only_call = callers[callee] == 1 && callee.get_linkage() == Linkage::Internal;
            if !is_only_call && added > SMALL {
                continue;
            }
            if size + added <= LIMIT {
                size += added;
            } else {
                call.add_attribute(AttributeLoc::Function, noinline);
            }
        }
        grown.insert(function, size);
    }
}

struct Body<'c> {
    /// The size in instructions; 0 for a declaration.
    size: usize,
    /// The calls of functions with a body.
    calls: Vec<(CallSiteValue<'c>, FunctionValue<'c>)>,
}

impl<'c> Body<'c> {
    fn of(function: FunctionValue<'c>) -> Self {
        let mut body = Body { size: 0, calls: Vec::new() };
        for block in function.get_basic_blocks() {
            let mut next = block.get_first_instruction();
            while let Some(instruction) = next {
                body.size += 1;
                let call = CallSiteValue::try_from(instruction).ok();
                if let Some(call) = call
                    && let Some(callee) = call.get_called_fn_value()
                    && callee.count_basic_blocks() > 0
                {
                    body.calls.push((call, callee));
                }
                next = instruction.get_next_instruction();
            }
        }
        body
    }
}

/// All functions, each after its callees unless they are in a cycle.
fn callees_first<'c>(
    functions: &[FunctionValue<'c>],
    bodies: &HashMap<FunctionValue<'c>, Body<'c>>,
) -> Vec<FunctionValue<'c>> {
    let numbers: HashMap<_, _> = functions.iter().copied().zip(0..).collect();
    let callees = functions.iter().map(|function| {
        let calls = bodies[function].calls.iter();
        calls.filter_map(|(_, callee)| numbers.get(callee).copied()).collect()
    });
    let order = call_graph::order(&callees.collect::<Vec<_>>()).callees_first;
    order.into_iter().map(|number| functions[number]).collect()
}
