//! Checks for recursion that never ends.
//!
//! Input: a module and its call graph. Output: one error for each cycle of functions of which no path gets by without
//! a call of the cycle. Invariants: shapes do not matter; conditions are not evaluated: a branch may be
//! taken and a loop may run no round.

use crate::ast::{BinaryOperator, Expr, ExprKind, Link, Module, Statement, StatementKind};
use crate::call_graph::{CallGraph, Cycle, Edge, indices};
use std::collections::HashMap;
use toy_diagnostics::text::clipped;
use toy_diagnostics::{Diagnostic, codes};

/// Of a longer cycle, only this many calls at its start and at its end are shown.
const SHOWN_CALLS: usize = 4;

pub fn check(module: &Module, calls: &CallGraph) -> Vec<Diagnostic> {
    let returns = may_return(module, calls);
    let never_ends = |caller: usize, edge: &Edge| {
        calls.is_in_cycle(caller, edge) && !returns[caller] && !returns[edge.callee]
    };
    calls.cycles(never_ends).iter().filter_map(|cycle| describe(module, cycle)).collect()
}

/// For each function, whether some path through it makes only calls that return; calls that are not part
/// of a cycle do, for there is another error about what does not return.
fn may_return(module: &Module, calls: &CallGraph) -> Vec<bool> {
    let count = module.functions.len();
    let mut scan = Scan { indices: indices(module), waits: vec![false; count] };
    let mut callers = vec![Vec::new(); count];
    for (caller, edges) in calls.calls.iter().enumerate() {
        for edge in edges.iter().filter(|edge| calls.is_in_cycle(caller, edge)) {
            callers[edge.callee].push(caller);
        }
    }
    let mut returns = vec![false; count];
    let mut rest: Vec<usize> = calls.callees_first.iter().rev().copied().collect();
    while let Some(function) = rest.pop() {
        if returns[function] {
            continue;
        }
        let edges = calls.calls[function].iter();
        let inside = edges.filter(|edge| calls.is_in_cycle(function, edge));
        let waits: Vec<usize> =
            inside.map(|edge| edge.callee).filter(|callee| !returns[*callee]).collect();
        waits.iter().for_each(|callee| scan.waits[*callee] = true);
        let paths = scan.body(&module.functions[function].body);
        waits.iter().for_each(|callee| scan.waits[*callee] = false);
        if paths.reaches_end || paths.returns {
            returns[function] = true;
            rest.extend(&callers[function]);
        }
    }
    returns
}

/// Follows the paths through a function up to calls that are not known to return.
struct Scan<'m> {
    indices: HashMap<&'m str, usize>,
    /// The functions that are not known to return.
    waits: Vec<bool>,
}

#[derive(Clone, Copy, Default)]
struct Paths {
    /// Whether a path leads to the end.
    reaches_end: bool,
    /// Whether a path leads to a `return`.
    returns: bool,
}

impl Paths {
    /// Another branch.
    fn add(&mut self, branch: Paths) {
        self.reaches_end |= branch.reaches_end;
        self.returns |= branch.returns;
    }
}

impl Scan<'_> {
    fn body(&self, statements: &[Statement]) -> Paths {
        let mut paths = Paths { reaches_end: true, returns: false };
        for statement in statements {
            let after = self.statement(statement);
            paths.reaches_end = after.reaches_end;
            paths.returns |= after.returns;
            if !paths.reaches_end {
                break;
            }
        }
        paths
    }

    fn statement(&self, statement: &Statement) -> Paths {
        let StatementKind::If(branches) = &statement.kind else {
            // A loop may run no round.
            let goes_on = statement.exprs().into_iter().all(|expr| self.passes(expr));
            let is_return = matches!(statement.kind, StatementKind::Return(_));
            return Paths { reaches_end: goes_on && !is_return, returns: goes_on && is_return };
        };
        let mut paths = Paths::default();
        for arm in &branches.arms {
            if !self.passes(&arm.condition) {
                return paths;
            }
            paths.add(self.body(&arm.body.statements));
        }
        match &branches.otherwise {
            Some(body) => paths.add(self.body(&body.statements)),
            None => paths.reaches_end = true,
        }
        paths
    }

    /// Whether the expression makes no call, always, that may not return.
    fn passes(&self, expr: &Expr) -> bool {
        let mut rest = vec![expr];
        while let Some(expr) = rest.pop() {
            match &expr.kind {
                ExprKind::Call(call) => {
                    let callee = self.indices.get(call.callee.text.as_str());
                    if callee.is_some_and(|callee| self.waits[*callee]) {
                        return false;
                    }
                    rest.extend(expr.children());
                }
                // The right side is evaluated only if needed.
                ExprKind::Chain(chain) if chain.rest.iter().all(is_lazy) => rest.push(&chain.first),
                _ => rest.extend(expr.children()),
            }
        }
        true
    }
}

fn is_lazy(link: &Link) -> bool {
    matches!(link.operator, BinaryOperator::And | BinaryOperator::Or)
}

fn describe(module: &Module, cycle: &Cycle) -> Option<Diagnostic> {
    let name = |function: usize| clipped(&module.functions[function].name.text).into_owned();
    let (first, (last, closing)) = (cycle.path.first()?.0, cycle.path.last()?);
    let diagnostic =
        Diagnostic::error(codes::RECURSION, format!("`{}` calls itself endlessly", name(first)));
    let mut diagnostic = match cycle.path.as_slice() {
        [_] => diagnostic.label(closing.span, "this call never returns"),
        _ => diagnostic
            .label(closing.span, format!("this call in `{}` closes the cycle", name(*last))),
    };
    let between = &cycle.path[..cycle.path.len() - 1];
    let omitted = cycle.path.len().saturating_sub(2 * SHOWN_CALLS);
    let is_shown = |index: usize| !(SHOWN_CALLS..SHOWN_CALLS + omitted).contains(&index);
    let shown = between.iter().enumerate().filter(|(index, _)| is_shown(*index));
    for (_, (caller, call)) in shown {
        let message = format!("`{}` calls `{}` here", name(*caller), name(call.callee));
        diagnostic = diagnostic.label(call.span, message);
    }
    let mut path: Vec<_> = (0..cycle.path.len())
        .filter(|index| is_shown(*index))
        .map(|index| name(cycle.path[index].0))
        .chain([name(first)])
        .collect();
    if omitted > 0 {
        path.insert(SHOWN_CALLS, format!("... {omitted} more ..."));
    }
    Some(
        diagnostic
            .note(format!("the call cycle is {}", path.join(" -> ")))
            .help("return without this call in a branch: `if (...) { return ...; }`"),
    )
}
