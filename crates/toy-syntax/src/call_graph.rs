//! The call graph.
//!
//! Input: a module, possibly with errors. Output: the calls of each function, its functions in
//! postorder (callees before callers), and the cycles. Invariants: only reachable calls of functions
//! of the module count (none after a `return`, no builtins); of functions with the same name, the
//! first is called; no native recursion, so a chain of calls may have any length.
//!
//! The call graphs of MLIR modules are ordered by another crate, which does without the calls that make up
//! a cycle. Here a message shows them, so the search is one for paths and not for components.

use super::ast::{ExprKind, Module};
use std::collections::HashMap;
use toy_diagnostics::source::Span;

/// The calls between the functions of a module, which are identified by their indices.
pub struct CallGraph {
    /// For each function, its calls in source order.
    pub calls: Vec<Vec<Edge>>,
    /// All functions, callees before callers (except within cycles).
    pub callees_first: Vec<usize>,
    /// The cycles, at most one through the target of each back edge.
    pub cycles: Vec<Cycle>,
}

/// A call.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// The index of the function in the module.
    pub callee: usize,
    /// The location of the call.
    pub span: Span,
}

/// Calls that lead from a function back to itself.
pub struct Cycle {
    /// Each function with the call it makes of the next one; the last one calls the first.
    pub path: Vec<(usize, Edge)>,
}

impl CallGraph {
    pub fn new(module: &Module) -> Self {
        let mut indices: HashMap<&str, usize> = HashMap::new();
        for (index, function) in module.functions.iter().enumerate() {
            indices.entry(&function.name.text).or_insert(index);
        }
        let calls = module.functions.iter().map(|function| {
            let mut calls = Vec::new();
            function.walk(|statement| {
                for expr in statement.exprs() {
                    expr.walk(|expr| {
                        if let ExprKind::Call(call) = &expr.kind
                            && let Some(callee) = indices.get(call.callee.text.as_str())
                            && !call.callee.text.is_empty()
                        {
                            calls.push(Edge { callee: *callee, span: expr.span });
                        }
                    });
                }
            });
            calls
        });
        let mut graph =
            Self { calls: calls.collect(), callees_first: Vec::new(), cycles: Vec::new() };
        graph.sort();
        graph
    }

    /// A depth-first search: its postorder has callees first, its back edges close the cycles.
    fn sort(&mut self) {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            /// With its index on the path.
            Open(usize),
            Done,
        }
        let mut states = vec![State::New; self.calls.len()];
        let mut in_cycle = vec![false; self.calls.len()];
        for root in 0..self.calls.len() {
            if states[root] != State::New {
                continue;
            }
            // The functions from the root to the current one, with the number of visited calls.
            let mut path = vec![(root, 0)];
            states[root] = State::Open(0);
            while let Some((function, next)) = path.last_mut() {
                let Some(edge) = self.calls[*function].get(*next).copied() else {
                    states[*function] = State::Done;
                    self.callees_first.push(*function);
                    path.pop();
                    continue;
                };
                *next += 1;
                match states[edge.callee] {
                    State::New => {
                        states[edge.callee] = State::Open(path.len());
                        path.push((edge.callee, 0));
                    }
                    State::Open(place) if !in_cycle[edge.callee] => {
                        in_cycle[edge.callee] = true;
                        let calls = path[place..].iter();
                        let last_call = |(function, next): &(usize, usize)| {
                            (*function, self.calls[*function][next - 1])
                        };
                        self.cycles.push(Cycle { path: calls.map(last_call).collect() });
                    }
                    State::Open(_) | State::Done => {}
                }
            }
        }
    }
}
