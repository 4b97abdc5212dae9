//! Checks for recursion that never ends.
//!
//! Input: a module and its call graph. Output: one error for each cycle of functions in which every path makes
//! a call of the cycle. Invariants: shapes do not matter; conditions are not evaluated: a branch may be
//! taken and a loop may not run at all.

use crate::ast::{Class, Expr, ExprKind, Link, Module, Statement, StatementKind};
use crate::call_graph::{CallGraph, Cycle, Edge, indices};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use toy_diagnostics::source::Span;
use toy_diagnostics::text::clipped;
use toy_diagnostics::{Diagnostic, codes};

/// A longer cycle is shown with only this many calls at its start and at its end.
const SHOWN_CALLS: usize = 4;

pub fn check(module: &Module, calls: &CallGraph) -> Vec<Diagnostic> {
    let (returns, blocking) = may_return(module, calls);
    // Other calls may never be made: in a loop, for example, before the call that the function always reaches.
    let never_ends = |caller: usize, edge: &Edge| {
        calls.is_in_cycle(caller, edge)
            && !returns[caller]
            && !returns[edge.callee]
            && blocking.contains(&edge.span)
    };
    calls.cycles(never_ends).iter().filter_map(|cycle| describe(module, cycle)).collect()
}

/// For each function, whether some path through it makes only calls that return; calls outside cycles are
/// assumed to return: a callee that never does has an error of its own. And the calls at which the paths of the other
/// functions end.
fn may_return(module: &Module, calls: &CallGraph) -> (Vec<bool>, HashSet<Span>) {
    let count = module.functions.len();
    let mut scan = Scan { indices: indices(module), waits: vec![false; count], blocking: None };
    let mut callers = vec![Vec::new(); count];
    for (caller, edges) in calls.calls.iter().enumerate() {
        for edge in edges.iter().filter(|edge| calls.is_in_cycle(caller, edge)) {
            callers[edge.callee].push(caller);
        }
    }
    let mut returns = vec![false; count];
    let inside = |function: usize| {
        calls.calls[function].iter().filter(move |edge| calls.is_in_cycle(function, edge))
    };
    let mut rest: Vec<usize> = calls.callees_first.iter().rev().copied().collect();
    while let Some(function) = rest.pop() {
        if returns[function] {
            continue;
        }
        let waits: Vec<usize> =
            inside(function).map(|edge| edge.callee).filter(|callee| !returns[*callee]).collect();
        waits.iter().for_each(|callee| scan.waits[*callee] = true);
        let paths = scan.body(&module.functions[function].body);
        waits.iter().for_each(|callee| scan.waits[*callee] = false);
        if paths.reaches_end || paths.returns {
            returns[function] = true;
            rest.extend(&callers[function]);
        }
    }
    scan.blocking = Some(RefCell::default());
    for function in (0..count).filter(|function| !returns[*function]) {
        let waits: Vec<usize> =
            inside(function).map(|edge| edge.callee).filter(|callee| !returns[*callee]).collect();
        waits.iter().for_each(|callee| scan.waits[*callee] = true);
        scan.body(&module.functions[function].body);
        waits.iter().for_each(|callee| scan.waits[*callee] = false);
    }
    (returns, scan.blocking.map(RefCell::into_inner).unwrap_or_default())
}

/// Follows the paths through a function up to calls that are not known to return.
struct Scan<'m> {
    indices: HashMap<&'m str, usize>,
    /// The functions that are not known to return.
    waits: Vec<bool>,
    /// The calls at which paths end, if they are asked for.
    blocking: Option<RefCell<HashSet<Span>>>,
}

#[derive(Clone, Copy, Default)]
struct Paths {
    /// True if a path leads to the end.
    reaches_end: bool,
    /// True if a path leads to a `return`.
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
            // A loop may not run at all.
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

    /// True if every call that the expression always makes may return.
    fn passes(&self, expr: &Expr) -> bool {
        // From left to right; the arguments of a call come before it.
        let mut rest = vec![expr];
        let mut blocking = None;
        while let Some(expr) = rest.pop() {
            match &expr.kind {
                ExprKind::Call(call) => {
                    let callee = self.indices.get(call.callee.text.as_str());
                    if callee.is_some_and(|callee| self.waits[*callee]) {
                        blocking = Some(expr.span);
                        rest.clear();
                    }
                    rest.extend(expr.children().rev());
                }
                // The right side is evaluated only if needed.
                ExprKind::Chain(chain) if chain.rest.iter().all(is_lazy) => rest.push(&chain.first),
                _ => rest.extend(expr.children().rev()),
            }
        }
        if let (Some(span), Some(all)) = (blocking, &self.blocking) {
            all.borrow_mut().insert(span);
        }
        blocking.is_none()
    }
}

fn is_lazy(link: &Link) -> bool {
    matches!(link.operator.class(), Class::Logical)
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
