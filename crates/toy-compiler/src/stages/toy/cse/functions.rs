//! Merges equal functions, and erases functions that are no longer called.
//!
//! Input: the functions of a module in which everything is inferred, callees first. Functions are equal if
//! their bodies are, up to the names of the functions and values; their prints are part of the body.
//! Invariants: only private functions of Toy operations, calls and one block are merged; only calls are
//! redirected, all other references keep the original function.

use super::values::{Step, describe};
use crate::analysis::purity::is_call;
use crate::dialect::ops::{self, Kind};
use melior::Context;
use melior::ir::attribute::FlatSymbolRefAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, BlockLike, Module, Value};
use mlir_support::ir;
use mlir_support::symbols::References;
use std::collections::{HashMap, HashSet};

pub struct EqualFunctions<'c> {
    context: &'c Context,
    /// The callee attribute of the first function with each body.
    first: HashMap<Vec<usize>, Attribute<'c>>,
    /// The replacement of each merged function.
    replacements: HashMap<String, Attribute<'c>>,
}

impl<'c> EqualFunctions<'c> {
    pub fn new(context: &'c Context) -> Self {
        Self { context, first: HashMap::new(), replacements: HashMap::new() }
    }

    /// Redirects calls of merged functions to the remaining one.
    pub fn redirect(&self, steps: &[Step<'c, '_>]) {
        if self.replacements.is_empty() {
            return;
        }
        for step in steps {
            let Step::Visit(operation) = step else { continue };
            if is_call(operation)
                && let Some(callee) = ops::callee(operation)
                && let Some(replacement) = self.replacements.get(&callee)
            {
                ir::set_attribute(*operation, "callee", *replacement);
            }
        }
    }

    /// Adds a function; its callees have been added before.
    pub fn add(&mut self, function: OperationRef<'c, '_>) {
        let Some(description) = describe_function(function) else { return };
        let name = ops::symbol_name(&function);
        match self.first.get(&description) {
            Some(first) => {
                self.replacements.insert(name, *first);
            }
            None => {
                let symbol = FlatSymbolRefAttribute::new(self.context, &name);
                self.first.insert(description, symbol.into());
            }
        }
    }
}

/// The key of a function; None if it must not be merged.
fn describe_function(function: OperationRef) -> Option<Vec<usize>> {
    if !ops::is_private(&function) {
        return None;
    }
    let mut description = Vec::new();
    for (name, value) in function.attributes() {
        match name.as_string_ref().as_str() {
            Ok("sym_name" | "sym_visibility" | "toy.specialization") => {}
            Ok("function_type" | "arg_attrs" | "res_attrs") => {
                description.push(ir::id(value));
            }
            // An unknown attribute may be specific to this function.
            _ => return None,
        }
    }
    let blocks = ir::blocks(function);
    let [block] = blocks.as_slice() else { return None };
    let mut numbers: HashMap<usize, usize> = HashMap::new();
    let define = |value: Value, numbers: &mut HashMap<usize, usize>| {
        numbers.insert(ir::id(value), numbers.len());
    };
    for index in 0..block.argument_count() {
        define(block.argument(index).ok()?.into(), &mut numbers);
    }
    for operation in ir::block_operations(*block) {
        let is_known = Kind::of(&operation).is_some()
            || ["func.call", "func.return"].contains(&ir::name(&operation));
        if !is_known {
            return None;
        }
        let number = |value: Value| numbers.get(&ir::id(value)).copied();
        // In a function of one block, operands are defined before their uses.
        describe(operation, |value| number(value).unwrap_or(usize::MAX), &mut description);
        for result in operation.results() {
            define(result.into(), &mut numbers);
        }
    }
    Some(description)
}

/// Erases private functions that are no longer called, and those that only they called.
pub fn erase_uncalled<'c, 'a>(module: &'a Module<'c>, called_before: &HashSet<String>)
where
    'c: 'a,
{
    let mut calls: HashMap<String, usize> = HashMap::new();
    let operations = ir::operations(module.as_operation());
    for callee in operations.iter().filter(|op| is_call(op)).filter_map(ops::callee) {
        *calls.entry(callee).or_default() += 1;
    }
    let candidates: HashMap<String, OperationRef> = ir::block_operations(module.body())
        .into_iter()
        .filter(|op| ops::is_function(op) && ops::is_private(op))
        .filter(|function| ops::entry_block(*function).is_some())
        .map(|function| (ops::symbol_name(&function), function))
        .filter(|(name, _)| called_before.contains(name))
        .collect();
    let is_uncalled = |name: &&String| !calls.contains_key(*name);
    let mut uncalled: Vec<String> = candidates.keys().filter(is_uncalled).cloned().collect();
    if uncalled.is_empty() {
        return;
    }
    let elsewhere = referenced(&operations);
    while let Some(name) = uncalled.pop() {
        let Some(function) = candidates.get(&name).filter(|_| !elsewhere.mention(&name)) else {
            continue;
        };
        for callee in
            ir::operations(*function).iter().filter(|op| is_call(op)).filter_map(ops::callee)
        {
            let Some(count) = calls.get_mut(&callee) else { continue };
            *count -= 1;
            if *count == 0 {
                uncalled.push(callee);
            }
        }
        ir::erase(*function);
    }
}

/// The symbols that something other than a call refers to.
pub fn referenced(operations: &[OperationRef]) -> References {
    let is_other = |op: &&OperationRef| Kind::of(*op).is_none() || is_call(op);
    References::of(operations.iter().filter(is_other).copied(), |operation, name| {
        match name {
            "callee" => is_call(operation),
            // Types are long, and cannot name symbols.
            "sym_name" | "function_type" => ops::is_function(operation),
            _ => false,
        }
    })
}
