//! Values that are assigned and never read.
//!
//! Input: a function without errors. Output: a warning for each assignment whose value no path reads. Invariants: the
//! analysis goes backward over the statements, those of a branch that returns with nothing read after it; at the end of a loop's body all that the loop reads
//! counts as read, which may hide an assignment but never reports a needed one. Definitions are not
//! reported: a variable has to be defined before the branches that assign it.

use crate::ast::{Assignment, Body, ExprKind, Function, Statement, StatementKind, reachable};
use std::collections::{HashMap, HashSet};
use toy_diagnostics::text::clipped;
use toy_diagnostics::{Diagnostic, codes};

/// `read` are the variables that anything reads: there are other warnings about the rest.
pub fn unread(function: &Function, read: &HashSet<&str>) -> Vec<Diagnostic> {
    let mut has_assignments = false;
    function
        .walk(|statement| has_assignments |= matches!(statement.kind, StatementKind::Assign(_)));
    if !has_assignments {
        return Vec::new();
    }
    let mut liveness = Liveness { live: HashSet::new(), changes: Vec::new(), unread: Vec::new() };
    liveness.statements(&function.body);
    liveness.unread.reverse();
    let is_reported = |assignment: &&Assignment| {
        let name = assignment.name.text.as_str();
        read.contains(name) && !name.starts_with('_')
    };
    liveness.unread.into_iter().filter(is_reported).map(warning).collect()
}

fn warning(assignment: &Assignment) -> Diagnostic {
    let quoted = clipped(&assignment.name.text);
    let message = format!("the value assigned to `{quoted}` is never read");
    Diagnostic::warning(codes::UNREAD_ASSIGNMENT, message)
        .label(
            assignment.target,
            format!("`{quoted}` is not read before it is assigned again, or not at all"),
        )
        .help("remove the assignment, or read the variable before it is assigned again")
}

struct Liveness<'m> {
    /// The variables whose current values may still be read.
    live: HashSet<&'m str>,
    /// The changes of `live`, so that a branch can be taken back: the name, and whether it was live.
    changes: Vec<(&'m str, bool)>,
    unread: Vec<&'m Assignment>,
}

impl<'m> Liveness<'m> {
    fn set(&mut self, name: &'m str, is_live: bool) {
        let is_changed = if is_live { self.live.insert(name) } else { self.live.remove(name) };
        if is_changed {
            self.changes.push((name, !is_live));
        }
    }

    fn reads(&mut self, statement: &'m Statement) {
        for expr in statement.exprs() {
            expr.walk(|expr| {
                if let ExprKind::Variable(name) = &expr.kind {
                    self.set(name, true);
                }
            });
        }
    }

    /// Backward.
    fn statements(&mut self, statements: &'m [Statement]) {
        reachable(statements).iter().rev().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &'m Statement) {
        match &statement.kind {
            StatementKind::Assign(assignment) => {
                let name = assignment.name.text.as_str();
                if !self.live.contains(name) {
                    self.unread.push(assignment);
                }
                // An update needs the rest of the value.
                if assignment.subscripts.is_empty() {
                    self.set(name, false);
                }
                self.reads(statement);
            }
            StatementKind::VarDecl { name, .. } => {
                self.set(&name.text, false);
                self.reads(statement);
            }
            StatementKind::If(branches) => {
                self.branches(&statement.bodies(), branches.otherwise.is_none());
                self.reads(statement);
            }
            StatementKind::While(_) | StatementKind::For(_) => self.repeated(statement),
            StatementKind::Return(_) | StatementKind::Expr(_) => self.reads(statement),
        }
    }

    /// A variable is live before branches if it is before one of them.
    fn branches(&mut self, bodies: &[&'m Body], may_skip: bool) {
        let start = self.changes.len();
        // Of each name that some branch changes: whether it is live after all of them, whether it is before
        // one of them, and how many leave it as it is.
        let mut before: HashMap<&str, (bool, bool, usize)> = HashMap::new();
        let mut paths = usize::from(may_skip);
        for body in bodies {
            if body.statements.iter().any(Statement::always_returns) {
                let after = std::mem::take(&mut self.live);
                self.statements(&body.statements);
                self.changes.truncate(start);
                for name in std::mem::replace(&mut self.live, after) {
                    let is_live = self.live.contains(name);
                    before.entry(name).or_insert((is_live, false, 0)).1 = true;
                }
                continue;
            }
            paths += 1;
            self.statements(&body.statements);
            let mut changed = HashSet::new();
            for (name, was_live) in &self.changes[start..] {
                // The first change of a name says what it was after the branches.
                if changed.insert(*name) {
                    let entry = before.entry(name).or_insert((*was_live, false, 0));
                    entry.1 |= self.live.contains(name);
                    entry.2 += 1;
                }
            }
            while self.changes.len() > start {
                let Some((name, was_live)) = self.changes.pop() else { break };
                if was_live {
                    self.live.insert(name)
                } else {
                    self.live.remove(name)
                };
            }
        }
        for (name, (after, is_live, changed)) in before {
            self.set(name, is_live || after && changed < paths);
        }
    }

    fn repeated(&mut self, statement: &'m Statement) {
        let start = self.changes.len();
        self.reads(statement);
        for body in statement.bodies() {
            let mut rest: Vec<&Statement> = body.statements.iter().collect();
            while let Some(inner) = rest.pop() {
                self.reads(inner);
                rest.extend(inner.bodies().into_iter().flat_map(|body| &body.statements));
            }
            self.statements(&body.statements);
        }
        // The loop may run no round: what was live before it was looked at still is.
        let mut seen = HashSet::new();
        let changes = self.changes[start..].iter();
        let live: Vec<&str> = changes
            .filter(|(name, was_live)| seen.insert(*name) && *was_live)
            .map(|(name, _)| *name)
            .collect();
        live.into_iter().for_each(|name| self.set(name, true));
        self.reads(statement);
    }
}
