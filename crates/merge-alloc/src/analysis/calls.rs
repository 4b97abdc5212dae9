//! The calls of functions, and the other references to them.
//!
//! Input: the functions of one symbol table or several. Output: their calls by number, an order with callees before
//! callers, and the names that are referred to by something other than a call. Only `func.call` is a call.

use super::body::Body;
use melior::ir::operation::OperationRef;
use mlir_support::call_graph::{self, Order};
use mlir_support::func::{callee, symbol_name};
use mlir_support::ir;
use mlir_support::symbols::References;
use std::collections::{HashMap, HashSet};

/// The calls among the functions of a symbol table.
pub struct Calls {
    /// The names of the functions, by their numbers.
    pub names: Vec<String>,
    /// For each function its calls of functions of the table, in the order of the text: the entry in the
    /// caller's body, and the number of the callee.
    pub calls: Vec<Vec<(usize, usize)>>,
}

impl Calls {
    /// The calls of functions, which have the numbers of their bodies.
    pub fn of(bodies: &[Body]) -> Self {
        let names: Vec<_> = bodies.iter().map(|body| symbol_name(&body.function)).collect();
        let numbers: HashMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
        let called = |operation: OperationRef| match ir::name(&operation) {
            "func.call" => callee(&operation).and_then(|name| numbers.get(name.as_str()).copied()),
            _ => None,
        };
        let calls = bodies.iter().map(|body| {
            let entries = body.entries.iter().enumerate();
            entries.filter_map(|(at, entry)| Some((at, called(entry.operation)?))).collect()
        });
        let calls = calls.collect();
        Self { names, calls }
    }

    /// The functions, callees first, and the functions that are in cycles of calls.
    pub fn order(&self) -> Order {
        let callees = self.calls.iter();
        let callees = callees.map(|calls| calls.iter().map(|(_, callee)| *callee).collect());
        call_graph::order(&callees.collect::<Vec<_>>())
    }
}

/// The names that something in a module other than the calls in these functions refers to, in any symbol table; None if
/// a reference cannot be read.
pub fn other_uses<'b, 'c: 'a, 'a: 'b>(
    bodies: impl Iterator<Item = &'b Body<'c, 'a>>,
    module: OperationRef<'c, 'a>,
) -> Option<HashSet<String>> {
    let entries = bodies.flat_map(|body| &body.entries).map(|entry| entry.operation);
    let calls: HashSet<usize> =
        entries.filter(|operation| ir::name(operation) == "func.call").map(ir::id).collect();
    References::of(ir::operations(module), |operation, name| {
        name == "callee" && calls.contains(&ir::id(operation))
    })
    .names()
}
