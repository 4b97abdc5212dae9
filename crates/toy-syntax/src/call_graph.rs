//! The graph of the functions by their calls, or of the structs by their fields.
//!
//! Input: a module, possibly with errors, or the edges. Output: the edges of each definition, its definitions in
//! postorder (callees before callers), its cycles, and the definitions in them. Invariants:
//! only reachable calls of functions of the module count (none after a `return`, no builtins, no `grad(main)`, which is
//! an error of its own); of functions with
//! the same name, the first is called; no native recursion, so a chain of calls may have any length.
//!
//! The call graphs of MLIR modules are ordered by another crate, which does without the calls that make up
//! a cycle. Here a message shows them.

use super::ast::{ExprKind, Module, Name};
use std::collections::HashMap;
use toy_diagnostics::source::Span;

/// A graph of definitions, which are identified by their indices in the module.
pub struct CallGraph {
    /// For each definition, its edges in source order.
    pub calls: Vec<Vec<Edge>>,
    /// For each definition, the sources of the edges to it.
    pub callers: Vec<Vec<usize>>,
    /// All definitions, callees before callers (except within components).
    pub callees_first: Vec<usize>,
    /// For each definition, its component: two have the same one if each leads to the other, directly or not.
    component: Vec<usize>,
    /// All definitions, callers before callees.
    discovered: Vec<usize>,
}

/// A call, or a field.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// The index of the definition in the module.
    pub callee: usize,
    /// The location of the call or the field.
    pub span: Span,
}

/// Edges that lead from a definition back to itself: each definition with the edge to the next one; the last one
/// leads to the first.
pub type Cycle = Vec<(usize, Edge)>;

/// Definitions by name; of several with the same one, the first.
pub fn indices<'m>(names: impl Iterator<Item = &'m Name>) -> HashMap<&'m str, usize> {
    let mut indices = HashMap::new();
    for (index, name) in names.enumerate() {
        indices.entry(name.text.as_str()).or_insert(index);
    }
    indices
}

impl CallGraph {
    /// The graph of the functions.
    pub fn new(module: &Module) -> Self {
        let indices = indices(module.functions.iter().map(|function| &function.name));
        let calls = module.functions.iter().map(|function| {
            let mut calls = Vec::new();
            function.walk(|statement| {
                statement.walk_exprs(|expr| {
                    if let ExprKind::Call(call) = &expr.kind
                        && let Some(callee) = indices.get(call.callee.text.as_str())
                        && !call.callee.text.is_empty()
                        && !(call.derivative.is_some() && call.callee.text == "main")
                    {
                        calls.push(Edge { callee: *callee, span: expr.span });
                    }
                });
            });
            calls
        });
        Self::of(calls.collect())
    }

    /// The graph with these edges.
    pub fn of(calls: Vec<Vec<Edge>>) -> Self {
        const NONE: usize = usize::MAX;
        let count = calls.len();
        let (callers, component) = (vec![Vec::new(); count], vec![NONE; count]);
        let (callees_first, discovered) = (Vec::new(), Vec::new());
        let mut graph = Self { calls, callers, callees_first, component, discovered };
        (graph.discovered, graph.callees_first) = graph.search(0..count, |_, _| true, |_| {});
        for caller in &graph.callees_first {
            graph.calls[*caller].iter().for_each(|edge| graph.callers[edge.callee].push(*caller));
        }
        // Definitions that lead to the root and come later in postorder have a component already.
        for root in graph.callees_first.iter().rev() {
            let mut rest = vec![*root];
            while let Some(member) = rest.pop() {
                if graph.component[member] == NONE {
                    graph.component[member] = *root;
                    rest.extend(&graph.callers[member]);
                }
            }
        }
        graph
    }

    /// True if each of the two leads to the other.
    pub fn share_cycle(&self, one: usize, other: usize) -> bool {
        self.component[one] == self.component[other]
    }

    /// A depth-first search along the edges that count. Returns the definitions in preorder and in postorder. `close`
    /// gets the path between the ends of each back edge: definitions, with the numbers of their visited edges.
    fn search(
        &self,
        roots: impl IntoIterator<Item = usize>,
        counts: impl Fn(usize, &Edge) -> bool,
        mut close: impl FnMut(&[(usize, usize)]),
    ) -> (Vec<usize>, Vec<usize>) {
        #[derive(Clone, Copy)]
        enum State {
            New,
            /// With its index on the path.
            Open(usize),
            Done,
        }
        let mut states = vec![State::New; self.calls.len()];
        let (mut preorder, mut postorder) = (Vec::new(), Vec::new());
        for root in roots {
            let mut path: Vec<(usize, usize)> = Vec::new();
            let mut entered = Some(root).filter(|root| matches!(states[*root], State::New));
            loop {
                if let Some(entered) = entered.take() {
                    states[entered] = State::Open(path.len());
                    preorder.push(entered);
                    path.push((entered, 0));
                }
                let Some((current, next)) = path.last_mut() else { break };
                let Some(edge) = self.calls[*current].get(*next) else {
                    states[*current] = State::Done;
                    postorder.push(*current);
                    path.pop();
                    continue;
                };
                *next += 1;
                match states[edge.callee] {
                    _ if !counts(*current, edge) => {}
                    State::New => entered = Some(edge.callee),
                    State::Open(place) => close(&path[place..]),
                    State::Done => {}
                }
            }
        }
        (preorder, postorder)
    }

    /// Cycles of the edges that count: those that the back edges of a depth-first search close, if they are wanted
    /// for the targets of these.
    pub fn cycles(
        &self,
        counts: impl Fn(usize, &Edge) -> bool,
        mut is_wanted: impl FnMut(usize) -> bool,
    ) -> Vec<Cycle> {
        let mut cycles = Vec::new();
        let last_edge = |(from, next): &(usize, usize)| (*from, self.calls[*from][next - 1]);
        self.search(self.discovered.iter().copied(), counts, |path| {
            if is_wanted(path[0].0) {
                cycles.push(path.iter().map(last_edge).collect());
            }
        });
        cycles
    }
}
