//! Whole call trees share: which functions get the memory of their temporaries from their callers.
//!
//! Input: the functions of a symbol table, and what else in the module has names of functions. Output: an order with callees
//! before callers, and who takes a *workspace*: its merged allocation becomes its last argument,
//! and each call passes a buffer of that many bytes, which is a buffer of the caller in use at the
//! tick of the call. Functions at the top of the tree allocate for all.
//!
//! Deny by default. A function takes a workspace if all of this holds:
//!
//! * it is private, has a body, and no attributes but those of every function;
//! * it is called, and every use of its name is a `func.call` without attributes of its own, in a place where an
//!   allocation would have a scope;
//! * neither it nor one of its callers is in a cycle of calls, where the callers of callers would
//!   hold the memory of all of them;
//! * none of its callers frees memory by hand, and so would have to free this one.

use super::body::Body;
use super::by_hand;
use super::mergeable;
use super::sizes::Footprint;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::func::{callee, is_private, symbol_name};
use mlir_support::call_graph::{self, Order};
use mlir_support::raw;
use mlir_support::symbols::References;
use std::collections::{HashMap, HashSet};

/// The functions and what they pass each other.
pub struct CallTrees {
    /// Numbers of functions, callees before their callers but for cycles.
    pub order: Vec<usize>,
    /// Whether a function's merged allocation is to be an argument.
    takes_workspace: Vec<bool>,
    /// By the name of the function, the workspaces so far.
    workspaces: HashMap<String, Footprint>,
}

impl CallTrees {
    /// No workspaces; functions in the order of the text.
    pub fn none(bodies: &[Body]) -> Self {
        Self {
            order: (0..bodies.len()).collect(),
            takes_workspace: vec![false; bodies.len()],
            workspaces: HashMap::new(),
        }
    }

    /// The call trees of the functions in a symbol table.
    ///
    /// The names are those with [`other_uses`].
    pub fn of(bodies: &[Body], uses: &HashSet<String>) -> Self {
        let names: Vec<_> = bodies.iter().map(|body| symbol_name(&body.function)).collect();
        let numbers: HashMap<&str, usize> =
            names.iter().enumerate().map(|(number, name)| (name.as_str(), number)).collect();
        let by_hand =
            by_hand::managing_memory(&bodies.iter().map(|body| body.function).collect::<Vec<_>>());

        let mut takes_workspace: Vec<_> = bodies.iter().map(|body| is_simple(body)).collect();
        for (number, name) in names.iter().enumerate() {
            takes_workspace[number] &= !uses.contains(name);
        }
        let mut callees = Vec::new();
        let mut is_called = vec![false; bodies.len()];
        let mut is_refused = vec![false; bodies.len()];
        for (caller, body) in bodies.iter().enumerate() {
            let mut called = Vec::new();
            for entry in 0..body.entries.len() {
                let call = body.entries[entry].operation;
                if raw::name(&call) != "func.call" {
                    continue;
                }
                let number = callee(&call).and_then(|name| numbers.get(name.as_str()).copied());
                let Some(number) = number else { continue };
                called.push(number);
                is_called[number] = true;
                let is_good = call.attribute_count() == 1
                    && mergeable::scope(body, entry).is_ok()
                    && !by_hand.contains(&names[caller]);
                takes_workspace[number] &= is_good;
            }
            callees.push(called);
        }
        let Order { callees_first: order, in_cycle } = call_graph::order(&callees);
        for caller in (0..bodies.len()).filter(|number| in_cycle[*number]) {
            is_refused[caller] = true;
            callees[caller].iter().for_each(|number| is_refused[*number] = true);
        }
        for (number, is_refused) in is_refused.into_iter().enumerate() {
            takes_workspace[number] &= is_called[number] && !is_refused;
        }
        Self { order, takes_workspace, workspaces: HashMap::new() }
    }

    pub fn takes_workspace(&self, function: usize) -> bool {
        self.takes_workspace[function]
    }

    /// What a call passes as its last argument from now on.
    pub fn workspace(&self, call: &OperationRef) -> Option<Footprint> {
        if self.workspaces.is_empty() || raw::name(call) != "func.call" {
            return None;
        }
        self.workspaces.get(&callee(call)?).copied()
    }

    /// Notes how much memory a function's callers are to pass.
    pub fn set_workspace(&mut self, function: OperationRef, footprint: Footprint) {
        self.workspaces.insert(symbol_name(&function), footprint);
    }
}

/// A private function that nothing is said about besides its name, its type and its arguments.
fn is_simple(body: &Body) -> bool {
    is_private(&body.function) && has_only(body, is_plain)
}

/// Whether the names of all attributes of a function are such ones.
pub fn has_only(body: &Body, is_known: impl Fn(&str) -> bool) -> bool {
    let mut attributes = body.function.attributes();
    attributes.all(|(name, _)| name.as_string_ref().as_str().is_ok_and(&is_known))
}

/// Whether an attribute of this name says nothing special about a function.
pub fn is_plain(name: &str) -> bool {
    ["sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs", "no_inline"]
        .contains(&name)
        || name.starts_with("merge_alloc.")
}

/// The names that something in a module other than the calls in these functions refers to, in whatever
/// symbol table; None if a reference cannot be read.
pub fn other_uses<'b, 'c: 'a, 'a: 'b>(
    bodies: impl Iterator<Item = &'b Body<'c, 'a>>,
    module: OperationRef<'c, 'a>,
) -> Option<HashSet<String>> {
    let address = |operation: &OperationRef| operation.to_raw().ptr as usize;
    let entries = bodies.flat_map(|body| &body.entries).map(|entry| entry.operation);
    let calls: HashSet<usize> = entries
        .filter(|operation| raw::name(operation) == "func.call")
        .map(|call| address(&call))
        .collect();
    References::of(raw::operations(module), |operation, name| {
        name == "callee" && calls.contains(&address(operation))
    })
    .names()
}
