//! Which functions only compute their results, and an order of functions with callees before
//! their callers.
//!
//! Input: a module, before or after shape inference. Output: facts that hold until a body changes;
//! they are computed from the IR each time, and never passed between passes. A function is pure
//! if each of its operations is known to be pure, or calls a pure function. Everything unknown is
//! impure: operations of other dialects, functions without a body, and recursion, which may not
//! terminate.

use crate::dialect::ops::{self, Kind};
use melior::ir::Module;
use melior::ir::operation::OperationRef;
use mlir_support::{call_graph, raw};
use std::collections::{HashMap, HashSet};

pub struct Purity<'c, 'a> {
    pure: HashSet<String>,
    /// All functions of the module itself, callees before their callers as far as there are no cycles.
    pub callees_first: Vec<OperationRef<'c, 'a>>,
    /// The functions that are called from one of these.
    pub called: HashSet<String>,
}

impl<'c, 'a> Purity<'c, 'a> {
    pub fn of(module: &'a Module<'c>) -> Self {
        let functions: Vec<OperationRef> =
            raw::block_operations(module.body()).into_iter().filter(ops::is_function).collect();
        let names: Vec<_> = functions.iter().map(ops::symbol_name).collect();
        let numbers: HashMap<&str, usize> =
            names.iter().enumerate().map(|(number, name)| (name.as_str(), number)).collect();

        let mut is_pure = vec![false; functions.len()];
        let mut callees = vec![Vec::new(); functions.len()];
        let mut called = HashSet::new();
        for (caller, function) in functions.iter().enumerate() {
            let operations = raw::operations(*function);
            is_pure[caller] = !operations.is_empty();
            for operation in operations {
                is_pure[caller] &= computes_only(&operation);
                if !is_call(&operation) {
                    continue;
                }
                match ops::callee(&operation).and_then(|callee| numbers.get(callee.as_str())) {
                    Some(callee) => {
                        callees[caller].push(*callee);
                        called.insert(names[*callee].clone());
                    }
                    None => is_pure[caller] = false,
                }
            }
        }

        let order = call_graph::order(&callees);
        for function in &order.callees_first {
            let calls_pure = callees[*function].iter().all(|callee| is_pure[*callee]);
            is_pure[*function] &= calls_pure && !order.in_cycle[*function];
        }
        let pure = names.iter().zip(&is_pure).filter(|(_, is_pure)| **is_pure);
        Self {
            pure: pure.map(|(name, _)| name.clone()).collect(),
            called,
            callees_first: order.callees_first.iter().map(|number| functions[*number]).collect(),
        }
    }

    /// Whether an operation does nothing but compute its results.
    pub fn is_pure(&self, operation: &OperationRef) -> bool {
        match Kind::of(operation) {
            _ if is_call(operation) => {
                ops::callee(operation).is_some_and(|callee| self.pure.contains(&callee))
            }
            Some(kind) => kind.is_pure(),
            None => raw::name(operation) == "tensor.concat",
        }
    }
}

/// Whether an operation calls one function of the module, which its attribute `callee` names.
pub fn is_call(operation: &OperationRef) -> bool {
    ["func.call", "toy.generic_call"].contains(&raw::name(operation))
}

/// Whether an operation has no side effects; for a call, that depends on the callee.
fn computes_only(operation: &OperationRef) -> bool {
    is_call(operation)
        || match Kind::of(operation) {
            Some(kind) => kind.is_pure(),
            None => ["func.return", "tensor.concat"].contains(&raw::name(operation)),
        }
}
