//! Duplicates functions that free an argument for both internal and external callers.
//!
//! Input: the [`Flow`] of a module in which a function frees buffers that external callers pass in, and also
//! buffers that the module owns: `destroy(make())` in a library. The former must be freed by the input's
//! `memref.dealloc`, the latter by the pass, and one operation cannot be both. Output: a private copy of each
//! such function, which all calls refer to except those that pass an argument of their caller. Invariant:
//! the originals keep their names and only free arguments that come from external callers.

use super::flow::{Flow, Source};
use crate::dialect::ops;
use crate::stages::memref::results::TENSOR_RESULTS;
use melior::ir::attribute::{FlatSymbolRefAttribute, StringAttribute};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{BlockLike, Module};
use mlir_support::ir;
use mlir_support::pass::PassContext;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Makes the copies. Returns false if there was nothing to do.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>, flow: &Flow<'c, '_>) -> bool {
    let freed = freed_arguments(flow);
    let calls: Vec<_> =
        flow.functions.iter().map(|function| passing(flow, function, &freed)).collect();
    if !calls.iter().flatten().any(|call| !call.is_passed_on) {
        return false;
    }
    let context = context.session.context();
    let mut taken: HashSet<String> =
        ir::block_operations(module.body()).iter().map(ops::symbol_name).collect();
    let mut names = BTreeMap::new();
    for name in freed.keys() {
        let mut copy = format!("{name}$freeing");
        while !taken.insert(copy.clone()) {
            copy.push('$');
        }
        names.insert(name.clone(), copy);
    }
    let set_callee = |call: OperationRef<'c, '_>, names: &BTreeMap<String, String>| {
        if let Some(name) = ops::callee(&call).and_then(|callee| names.get(&callee)) {
            ir::set_attribute(call, "callee", FlatSymbolRefAttribute::new(context, name).into());
        }
    };
    let calls = calls.into_iter().flatten();
    calls.filter(|call| !call.is_passed_on).for_each(|call| set_callee(call.operation, &names));
    for function in flow.functions.iter().filter(|function| names.contains_key(&function.name)) {
        let mut copy = ir::clone(function.operation);
        copy.set_attribute(
            "sym_name",
            StringAttribute::new(context, &names[&function.name]).into(),
        );
        copy.set_attribute("sym_visibility", StringAttribute::new(context, "private").into());
        let copy = module.body().append_operation(copy);
        ir::remove_attribute(copy, TENSOR_RESULTS);
        let calls = ir::operations(copy).into_iter();
        calls
            .filter(|call| ir::name(call) == "func.call")
            .for_each(|call| set_callee(call, &names));
    }
    true
}

/// The functions that free arguments, with the numbers of those arguments.
fn freed_arguments(flow: &Flow) -> BTreeMap<String, BTreeSet<usize>> {
    let mut freed: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    loop {
        let before: usize = freed.values().map(BTreeSet::len).sum();
        for function in &flow.functions {
            let of_function = function.operations.iter().flat_map(|operation| {
                freed_operands(flow, operation, &freed)
                    .into_iter()
                    .filter_map(|index| operation.operand(index).ok())
                    .flat_map(|value| flow.sources(value))
            });
            let arguments: BTreeSet<usize> = of_function.filter_map(argument).collect();
            if !arguments.is_empty() {
                freed.entry(function.name.clone()).or_default().extend(arguments);
            }
        }
        if freed.values().map(BTreeSet::len).sum::<usize>() == before {
            return freed;
        }
    }
}

fn argument(source: Source) -> Option<usize> {
    match source {
        Source::Argument(number) => Some(number),
        _ => None,
    }
}

/// The operands that an operation frees.
fn freed_operands(
    flow: &Flow,
    operation: &OperationRef,
    freed: &BTreeMap<String, BTreeSet<usize>>,
) -> Vec<usize> {
    if ir::name(operation) == "memref.dealloc" {
        return vec![0];
    }
    let callee = flow.callee(operation).and_then(|callee| freed.get(&callee.name));
    callee.map(|arguments| arguments.iter().copied().collect()).unwrap_or_default()
}

/// A call of a function that frees an argument.
struct Call<'c, 'a> {
    operation: OperationRef<'c, 'a>,
    /// True if the freed buffer may be an argument of the caller.
    is_passed_on: bool,
}

fn passing<'c, 'a>(
    flow: &Flow<'c, 'a>,
    function: &super::flow::Function<'c, 'a>,
    freed: &BTreeMap<String, BTreeSet<usize>>,
) -> Vec<Call<'c, 'a>> {
    let is_call = |operation: &&OperationRef<'c, 'a>| ir::name(*operation) == "func.call";
    let calls = function.operations.iter().filter(is_call);
    calls
        .map(|call| (*call, freed_operands(flow, call, freed)))
        .filter(|(_, operands)| !operands.is_empty())
        .map(|(operation, operands)| {
            let values = operands.into_iter().filter_map(|index| operation.operand(index).ok());
            let mut sources = values.flat_map(|value| flow.sources(value));
            let is_passed_on = sources.any(|source| argument(source).is_some());
            Call { operation, is_passed_on }
        })
        .collect()
}
