//! Checks for recursion that never ends.
//!
//! Input: a module and its call graph. Output: one error for each cycle of functions in which every path makes
//! a call of the cycle. Invariants: shapes do not matter; conditions are not evaluated: a branch may be
//! taken and a loop may not run at all.

use crate::ast::{Class, Expr, ExprKind, Jump, Link, Module, Statement, StatementKind};
use crate::call_graph::{CallGraph, Cycle, Edge, indices};
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
        calls.share_cycle(caller, edge.callee)
            && !returns[caller]
            && !returns[edge.callee]
            && blocking.contains(&edge.span)
    };
    // One cycle through a function is enough.
    let mut targets = HashSet::new();
    let cycles = calls.cycles(never_ends, |target| targets.insert(target));
    cycles.iter().filter_map(|cycle| describe(module, cycle)).collect()
}

/// For each function, whether some path through it makes only calls that return; calls outside cycles are
/// assumed to return: a callee that never does has an error of its own. And the calls at which the paths of the other
/// functions end.
fn may_return(module: &Module, calls: &CallGraph) -> (Vec<bool>, HashSet<Span>) {
    let count = module.functions.len();
    let mut scan = Scan {
        indices: indices(module.functions.iter().map(|function| &function.name)),
        calls,
        returns: vec![false; count],
        function: 0,
        blocking: HashSet::new(),
    };
    let mut blocking = vec![HashSet::new(); count];
    let mut rest: Vec<usize> = calls.callees_first.iter().rev().copied().collect();
    while let Some(function) = rest.pop() {
        if scan.returns[function] {
            continue;
        }
        scan.function = function;
        let paths = scan.body(&module.functions[function].body);
        blocking[function] = std::mem::take(&mut scan.blocking);
        if paths.reaches_end || paths.returns {
            scan.returns[function] = true;
            let callers = calls.callers[function].iter();
            rest.extend(callers.filter(|caller| calls.share_cycle(**caller, function)));
        }
    }
    (scan.returns, blocking.into_iter().flatten().collect())
}

/// Follows the paths through a function up to calls that are not known to return.
struct Scan<'m> {
    indices: HashMap<&'m str, usize>,
    calls: &'m CallGraph,
    /// The functions that are known to return.
    returns: Vec<bool>,
    /// The function that is scanned.
    function: usize,
    /// Its calls at which paths end.
    blocking: HashSet<Span>,
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
    fn body(&mut self, statements: &[Statement]) -> Paths {
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

    fn statement(&mut self, statement: &Statement) -> Paths {
        let StatementKind::If(branches) = &statement.kind else {
            let goes_on = statement.exprs().into_iter().all(|expr| self.passes(expr));
            let jump = statement.jump();
            // A loop may not run at all, but it may return.
            let returns = goes_on && (jump == Some(Jump::Return) || self.returns_inside(statement));
            return Paths { reaches_end: goes_on && jump.is_none(), returns };
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

    /// True if a path through an iteration of a loop leads to a `return`. Its calls may never be made.
    fn returns_inside(&mut self, repeated: &Statement) -> bool {
        if !repeated.jumps().has(Jump::Return) {
            return false;
        }
        let blocking = std::mem::take(&mut self.blocking);
        let bodies = repeated.bodies();
        let returns = bodies.into_iter().any(|body| self.body(&body.statements).returns);
        self.blocking = blocking;
        returns
    }

    /// True if every call that the expression always makes may return.
    fn passes(&mut self, expr: &Expr) -> bool {
        // From left to right; the arguments of a call come before it.
        let mut rest = vec![expr];
        let mut blocking = None;
        while let Some(expr) = rest.pop() {
            match &expr.kind {
                ExprKind::Call(call) => {
                    let callee = self.indices.get(call.callee.text.as_str());
                    let waits = |callee: usize| {
                        self.calls.share_cycle(self.function, callee) && !self.returns[callee]
                    };
                    if callee.is_some_and(|callee| waits(*callee)) {
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
        self.blocking.extend(blocking);
        blocking.is_none()
    }
}

fn is_lazy(link: &Link) -> bool {
    matches!(link.operator.class(), Class::Logical)
}

fn describe(module: &Module, cycle: &Cycle) -> Option<Diagnostic> {
    let name = |function: usize| clipped(&module.functions[function].name.text).into_owned();
    let (first, (last, closing)) = (cycle.first()?.0, cycle.last()?);
    let diagnostic =
        Diagnostic::error(codes::RECURSION, format!("`{}` calls itself endlessly", name(first)));
    let mut diagnostic = match cycle.as_slice() {
        [_] => diagnostic.label(closing.span, "this call never returns"),
        _ => diagnostic
            .label(closing.span, format!("this call in `{}` closes the cycle", name(*last))),
    };
    let omitted = cycle.len().saturating_sub(2 * SHOWN_CALLS);
    let mut path = Vec::new();
    for (index, (caller, call)) in cycle.iter().enumerate() {
        if (SHOWN_CALLS..SHOWN_CALLS + omitted).contains(&index) {
            continue;
        }
        path.push(name(*caller));
        if index + 1 < cycle.len() {
            let message = format!("`{}` calls `{}` here", name(*caller), name(call.callee));
            diagnostic = diagnostic.label(call.span, message);
        }
    }
    path.push(name(first));
    if omitted > 0 {
        path.insert(SHOWN_CALLS, format!("... {omitted} more ..."));
    }
    Some(
        diagnostic
            .note(format!("the call cycle is {}", path.join(" -> ")))
            .help("return without this call in a branch: `if (...) { return ...; }`"),
    )
}
