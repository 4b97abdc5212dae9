//! The call graph.
//!
//! Input: a module, possibly with errors. Output: the calls of each function, its functions in
//! postorder (callees before callers), its cycles, and the functions in them. Invariants:
//! only reachable calls of functions of the module count (none after a `return`, no builtins); of functions with
//! the same name, the first is called; no native recursion, so a chain of calls may have any length.
//!
//! The call graphs of MLIR modules are ordered by another crate, which does without the calls that make up
//! a cycle. Here a message shows them, so one search finds components, and another one paths.

use super::ast::{ExprKind, Module};
use std::collections::HashMap;
use toy_diagnostics::source::Span;

/// The calls between the functions of a module, which are identified by their indices.
pub struct CallGraph {
    /// For each function, its calls in source order.
    pub calls: Vec<Vec<Edge>>,
    /// All functions, callees before callers (except within components).
    pub callees_first: Vec<usize>,
    /// For each function, its component: two functions have the same one if each calls the other, directly or not.
    component: Vec<usize>,
    /// All functions, callers before callees.
    discovered: Vec<usize>,
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

/// The functions of a module by name; of several with the same one, the first.
pub fn indices(module: &Module) -> HashMap<&str, usize> {
    let mut indices = HashMap::new();
    for (index, function) in module.functions.iter().enumerate() {
        indices.entry(function.name.text.as_str()).or_insert(index);
    }
    indices
}

impl CallGraph {
    pub fn new(module: &Module) -> Self {
        let indices = indices(module);
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
        let mut graph = Self {
            calls: calls.collect(),
            callees_first: Vec::new(),
            component: vec![0; module.functions.len()],
            discovered: Vec::new(),
        };
        graph.sort();
        graph
    }

    /// True if the call is part of a cycle.
    pub fn is_in_cycle(&self, caller: usize, edge: &Edge) -> bool {
        self.component[caller] == self.component[edge.callee]
    }

    /// A depth-first search, with the components as Tarjan finds them: a function is the root of one if
    /// nothing that it calls leads to a function found before it.
    fn sort(&mut self) {
        const NEW: usize = usize::MAX;
        let count = self.calls.len();
        // When each function was found, and the earliest open function that it leads to.
        let (mut found, mut earliest) = (vec![NEW; count], vec![NEW; count]);
        let mut is_open = vec![false; count];
        // The functions whose components are not complete.
        let mut open = Vec::new();
        let mut components = 0;
        for root in 0..count {
            if found[root] != NEW {
                continue;
            }
            // The functions from the root to the current one, with the number of visited calls.
            let mut path = vec![(root, 0)];
            while let Some((function, next)) = path.last_mut() {
                let function = *function;
                if *next == 0 && found[function] == NEW {
                    found[function] = self.discovered.len();
                    earliest[function] = found[function];
                    self.discovered.push(function);
                    open.push(function);
                    is_open[function] = true;
                }
                if let Some(edge) = self.calls[function].get(*next) {
                    *next += 1;
                    if found[edge.callee] == NEW {
                        path.push((edge.callee, 0));
                    } else if is_open[edge.callee] {
                        earliest[function] = earliest[function].min(found[edge.callee]);
                    }
                    continue;
                }
                self.callees_first.push(function);
                path.pop();
                if let Some((caller, _)) = path.last() {
                    earliest[*caller] = earliest[*caller].min(earliest[function]);
                }
                if earliest[function] == found[function] {
                    while let Some(member) = open.pop() {
                        is_open[member] = false;
                        self.component[member] = components;
                        if member == function {
                            break;
                        }
                    }
                    components += 1;
                }
            }
        }
    }

    /// Cycles of the calls that count, at most one through the target of each back edge of a depth-first search.
    pub fn cycles(&self, counts: impl Fn(usize, &Edge) -> bool) -> Vec<Cycle> {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            /// With its index on the path.
            Open(usize),
            Done,
        }
        let mut cycles = Vec::new();
        let mut states = vec![State::New; self.calls.len()];
        let mut in_cycle = vec![false; self.calls.len()];
        for root in &self.discovered {
            if states[*root] != State::New {
                continue;
            }
            // The functions from the root to the current one, with the number of visited calls.
            let mut path = vec![(*root, 0)];
            states[*root] = State::Open(0);
            while let Some((function, next)) = path.last_mut() {
                let Some(edge) = self.calls[*function].get(*next).copied() else {
                    states[*function] = State::Done;
                    path.pop();
                    continue;
                };
                *next += 1;
                if !counts(*function, &edge) {
                    continue;
                }
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
                        cycles.push(Cycle { path: calls.map(last_call).collect() });
                    }
                    State::Open(_) | State::Done => {}
                }
            }
        }
        cycles
    }
}
