//! The functions that `main` reaches, and the calls that have an effect.
//!
//! Input: a module without errors. Output: both, for each function. Invariants: calls after a
//! `return` count for reachability, because they were written on purpose, but not for effects, because
//! they do not run.

use crate::ast::{Expr, ExprKind, Function, Module, Statement};
use crate::call_graph::{CallGraph, indices};
use std::collections::HashMap;

pub struct Calls<'m> {
    module: &'m Module,
    indices: HashMap<&'m str, usize>,
    /// For each function, whether it is reachable from `main`.
    pub is_reachable: Vec<bool>,
    /// For each function, whether a call prints something.
    has_effect: Vec<bool>,
}

impl<'m> Calls<'m> {
    pub fn new(module: &'m Module) -> Self {
        let indices = indices(module.functions.iter().map(|function| &function.name));
        let main = indices.get("main").copied();
        let mut callees = vec![Vec::new(); module.functions.len()];
        let mut effects = Vec::new();
        for (index, function) in module.functions.iter().enumerate() {
            function.walk_all(|statement| {
                each_callee(statement, |callee| callees[index].extend(indices.get(callee)));
            });
            function.walk(|statement| {
                each_callee(statement, |callee| {
                    effects.extend(Some(index).filter(|_| callee == "print"));
                });
            });
        }
        let is_reachable = reached(main, &callees);
        let has_effect = reached(effects, &CallGraph::new(module).callers);
        Self { module, indices, is_reachable, has_effect }
    }

    /// True if the program has structs.
    pub fn has_structs(&self) -> bool {
        !self.module.structs.is_empty()
    }

    pub fn function(&self, name: &str) -> Option<&'m Function> {
        self.indices.get(name).map(|index| &self.module.functions[*index])
    }

    /// True if evaluating the expression prints something.
    pub fn has_effect(&self, expr: &Expr) -> bool {
        let mut has_effect = false;
        expr.walk(|expr| {
            let ExprKind::Call(call) = &expr.kind else { return };
            let index = self.indices.get(call.callee.text.as_str());
            has_effect |=
                index.map_or(call.callee.text == "print", |index| self.has_effect[*index]);
        });
        has_effect
    }

    /// True if the expression has a value, as everything but a call of a function without a result has.
    pub fn has_value(&self, expr: &Expr) -> bool {
        let ExprKind::Call(call) = &expr.kind else { return true };
        self.function(&call.callee.text).map_or(call.callee.text != "print", Function::has_result)
    }
}

fn each_callee<'m>(statement: &'m Statement, mut visit: impl FnMut(&'m str)) {
    statement.walk_exprs(|expr| {
        if let ExprKind::Call(call) = &expr.kind {
            visit(&call.callee.text);
        }
    });
}

/// The nodes of a graph that are reachable from the given ones, including these.
fn reached(from: impl IntoIterator<Item = usize>, edges: &[Vec<usize>]) -> Vec<bool> {
    let mut reached = vec![false; edges.len()];
    let mut rest: Vec<usize> = from.into_iter().collect();
    while let Some(node) = rest.pop() {
        if !std::mem::replace(&mut reached[node], true) {
            rest.extend(&edges[node]);
        }
    }
    reached
}
