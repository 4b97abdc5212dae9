//! Functions that only compute their results, and an order of functions with callees before their callers.
//!
//! Input: a module, before or after shape inference. Output: facts that hold until a body changes;
//! they are computed from the IR each time, and never passed between passes.
//!
//! | | means | so that |
//! |---|---|---|
//! | pure | nothing but its results shows that it was executed, unless it ends the program or never ends | the second of two equal ones may go |
//! | total | pure, and it always ends with its results | an unused one may go, and others may be moved past it |
//!
//! A function is pure or total if each of its operations is. Everything unknown is neither: operations of other
//! dialects and functions without a body. Recursion and `scf.while` may not terminate, so they are not total; an index
//! that may be out of range, or not whole, ends the program, so neither are reads and updates with one.

use crate::dialect::control;
use crate::dialect::inference::{index_value, parts};
use crate::dialect::ops::{self, Kind};
use crate::dialect::table::Effect;
use melior::ir::Module;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{TypeLike, ValueLike};
use mlir_support::{call_graph, ir};
use std::collections::{HashMap, HashSet};

pub struct Purity<'c, 'a> {
    pure: HashSet<String>,
    total: HashSet<String>,
    /// All functions of the module itself, each after its callees unless they are in a cycle.
    pub callees_first: Vec<OperationRef<'c, 'a>>,
    /// The functions that are called from one of these.
    pub called: HashSet<String>,
}

impl<'c, 'a> Purity<'c, 'a> {
    pub fn of(module: &'a Module<'c>) -> Self {
        let functions = ops::functions(module);
        let names: Vec<_> = functions.iter().map(ops::symbol_name).collect();
        let numbers: HashMap<&str, usize> =
            names.iter().enumerate().map(|(number, name)| (name.as_str(), number)).collect();

        let mut is_pure = vec![false; functions.len()];
        let mut is_total = is_pure.clone();
        let mut callees = vec![Vec::new(); functions.len()];
        let mut called = HashSet::new();
        for (caller, function) in functions.iter().enumerate() {
            let operations = ir::operations(*function);
            is_pure[caller] = !operations.is_empty();
            is_total[caller] = is_pure[caller];
            for operation in operations {
                is_pure[caller] &= is_call(&operation) || computes_only(&operation);
                is_total[caller] &= is_call(&operation) || always_ends(&operation);
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
        let mut callers = vec![Vec::new(); functions.len()];
        for (caller, callees) in callees.iter().enumerate() {
            callees.iter().for_each(|callee| callers[*callee].push(caller));
        }
        withdraw(&mut is_pure, &callers);
        for function in 0..functions.len() {
            is_total[function] &= is_pure[function] && !order.in_cycle[function];
        }
        withdraw(&mut is_total, &callers);
        let named = |are: &[bool]| {
            names.iter().zip(are).filter(|(_, is)| **is).map(|(name, _)| name.clone()).collect()
        };
        Self {
            pure: named(&is_pure),
            total: named(&is_total),
            called,
            callees_first: order.callees_first.iter().map(|number| functions[*number]).collect(),
        }
    }

    /// True if an operation without regions does nothing but compute its results, if it does not fail.
    pub fn is_pure(&self, operation: &OperationRef) -> bool {
        if is_call(operation) {
            return ops::callee(operation).is_some_and(|callee| self.pure.contains(&callee));
        }
        operation.region_count() == 0 && !is_terminator(operation) && computes_only(operation)
    }

    /// True if an operation without regions computes its results, and cannot fail.
    pub fn is_total(&self, operation: &OperationRef) -> bool {
        if is_call(operation) {
            return ops::callee(operation).is_some_and(|callee| self.total.contains(&callee));
        }
        self.is_pure(operation) && always_ends(operation)
    }

    /// True if a branch or a loop has no visible effect, and ends.
    pub fn is_total_region(&self, operation: &OperationRef) -> bool {
        let is_total = |inner: OperationRef| {
            let is_call = is_call(&inner);
            (is_call && self.is_total(&inner))
                || (!is_call && computes_only(&inner) && always_ends(&inner))
        };
        ["scf.if", "scf.for"].contains(&ir::name(operation))
            && !ir::any(*operation, |inner| !is_total(inner))
    }
}

/// Withdraws a property from all functions that call one without it, also through others.
fn withdraw(has: &mut [bool], callers: &[Vec<usize>]) {
    let mut pending: Vec<usize> = (0..has.len()).filter(|function| !has[*function]).collect();
    while let Some(function) = pending.pop() {
        for caller in &callers[function] {
            if std::mem::replace(&mut has[*caller], false) {
                pending.push(*caller);
            }
        }
    }
}

/// True if an operation calls one function of the module, which its attribute `callee` names.
pub fn is_call(operation: &OperationRef) -> bool {
    ["func.call", "toy.generic_call"].contains(&ir::name(operation))
}

fn is_terminator(operation: &OperationRef) -> bool {
    ["func.return", "scf.yield", "scf.condition"].contains(&ir::name(operation))
}

/// True if an operation, regardless of its regions, has no side effects except failing or not ending; not for calls.
fn computes_only(operation: &OperationRef) -> bool {
    match Kind::of(operation) {
        Some(kind) => kind.is_pure(),
        None => {
            is_terminator(operation)
                || ["tensor.concat", "scf.if", "scf.for", "scf.while"]
                    .contains(&ir::name(operation))
                || is_of_numbers(operation)
        }
    }
}

/// True if an operation, regardless of its regions, cannot fail and always ends; not for calls.
fn always_ends(operation: &OperationRef) -> bool {
    match Kind::of(operation) {
        Some(Kind::Read | Kind::Update) => parts::is_in_range(*operation),
        Some(Kind::ToIndex) => {
            let value = index_value(ops::result(*operation));
            let is_step = control::index_use(*operation) == Some(control::IndexUse::Step);
            value.is_some_and(|value| value != 0 || !is_step)
        }
        Some(kind) => kind.definition().effect != Effect::Checks,
        // A step that is not positive is undefined behavior.
        None => ir::name(operation) != "scf.while",
    }
}

/// True if an operation is arithmetic with indices and truth values.
fn is_of_numbers(operation: &OperationRef) -> bool {
    ir::name(operation).starts_with("arith.")
        && operation.results().all(|result| {
            let ty = result.r#type();
            ty.is_index() || ty.is_integer()
        })
}
