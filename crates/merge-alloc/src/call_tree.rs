//! Call trees: the functions that get the memory of their temporaries from their callers.
//!
//! Input: the functions of a symbol table, and the names that are referred to by something other than a call. Output:
//! an order with callees before callers, and the functions that take a *workspace*: the merged allocation becomes the
//! last argument, and each call passes a buffer of that many bytes, which is a buffer of the caller in use at the tick
//! of the call. Functions at the top of the tree allocate for all.
//!
//! Deny by default. A function takes a workspace if all of this holds:
//!
//! * it is private, has a body, and only attributes that every function has;
//! * it is called, and every use of its name is a `func.call` without attributes of its own, in a place
//!   where an allocation would have a scope;
//! * neither it nor one of its callers is in a cycle of calls, where the callers of callers would
//!   hold the memory of all of them;
//! * none of its callers frees memory by hand, and so would have to free this one.

use crate::analysis::body::Body;
use crate::analysis::calls::Calls;
use crate::analysis::sizes::Footprint;
use crate::by_hand;
use crate::scope::scope;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::call_graph::Order;
use mlir_support::func::{callee, is_private, symbol_name};
use mlir_support::ir;
use std::collections::{HashMap, HashSet};

/// The functions and the memory that they pass each other.
pub struct CallTrees {
    /// Numbers of functions, callees before their callers except in cycles.
    pub order: Vec<usize>,
    /// True if a function's merged allocation is to be an argument.
    takes_workspace: Vec<bool>,
    /// The workspaces so far, by the name of the function.
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

    /// The call trees of the functions in a symbol table. `uses` are the names that are referred to by something other
    /// than a call ([`other_uses`](crate::analysis::calls::other_uses)).
    pub fn of(bodies: &[Body], uses: &HashSet<String>) -> Self {
        let by_hand =
            by_hand::managing_memory(&bodies.iter().map(|body| body.function).collect::<Vec<_>>());
        let calls = Calls::of(bodies);
        let Order { callees_first: order, in_cycle } = calls.order();
        let is_simple = |body: &Body| is_private(&body.function) && has_only(body, is_plain);
        let named = bodies.iter().zip(&calls.names);
        let mut takes_workspace: Vec<_> =
            named.map(|(body, name)| is_simple(body) && !uses.contains(name)).collect();
        let mut is_called = vec![false; bodies.len()];
        for (caller, body) in bodies.iter().enumerate() {
            let is_by_hand = by_hand.contains(&calls.names[caller]);
            for (entry, callee) in calls.calls[caller].iter().copied() {
                is_called[callee] = true;
                takes_workspace[callee] &= !is_by_hand
                    && !in_cycle[caller]
                    && body.entries[entry].operation.attribute_count() == 1
                    && scope(body, entry).is_ok();
            }
        }
        for (number, takes) in takes_workspace.iter_mut().enumerate() {
            *takes &= is_called[number] && !in_cycle[number];
        }
        Self { order, takes_workspace, workspaces: HashMap::new() }
    }

    /// True if the merged allocation of the function with this number is to be an argument.
    pub fn takes_workspace(&self, function: usize) -> bool {
        self.takes_workspace[function]
    }

    /// The memory that a call passes as its last argument from now on.
    pub fn workspace(&self, call: &OperationRef) -> Option<Footprint> {
        if self.workspaces.is_empty() || ir::name(call) != "func.call" {
            return None;
        }
        self.workspaces.get(&callee(call)?).copied()
    }

    /// Records the memory that a function's callers are to pass.
    pub fn set_workspace(&mut self, function: OperationRef, footprint: Footprint) {
        self.workspaces.insert(symbol_name(&function), footprint);
    }
}

/// True if the names of all attributes of a function fulfill a condition.
pub fn has_only(body: &Body, is_known: impl Fn(&str) -> bool) -> bool {
    let mut attributes = body.function.attributes();
    attributes.all(|(name, _)| name.as_string_ref().as_str().is_ok_and(&is_known))
}

/// True if an attribute of this name leaves the calling convention of a function unchanged.
pub fn is_plain(name: &str) -> bool {
    ["sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs", "no_inline"]
        .contains(&name)
        || name.starts_with("merge_alloc.")
}
