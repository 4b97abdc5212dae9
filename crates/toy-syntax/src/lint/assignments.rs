//! Values that are assigned and never read.
//!
//! Input: a function without errors. Output: a warning for each assignment whose value no path reads. Invariants: the
//! analysis goes backward over the statements; nothing is read after a branch that returns; at the end of a loop's body,
//! and at a `continue`, everything that the loop or what follows it reads counts as read, which may hide an assignment
//! but never reports a needed one.
//! Definitions are not reported: a variable has to be defined before the branches that assign it.

use crate::ast::{
    Assignment, Body, ExprKind, Function, Jump, Statement, StatementKind, jumps, reachable,
    walk_all,
};
use crate::variables::Variables;
use std::collections::{HashMap, HashSet};
use toy_diagnostics::text::clipped;
use toy_diagnostics::{Diagnostic, codes};

/// There are other warnings about variables that nothing reads.
pub fn unread(function: &Function, variables: &Variables) -> Vec<Diagnostic> {
    if variables.all.iter().all(|variable| variable.assigned.is_empty()) {
        return Vec::new();
    }
    let mut liveness = Liveness {
        variables,
        live: HashSet::new(),
        after_loop: Default::default(),
        changes: Vec::new(),
        unread: Vec::new(),
    };
    liveness.statements(&function.body);
    liveness.unread.reverse();
    let is_reported = |assignment: &&Assignment| {
        let variable = variables.at(assignment.name.span);
        let is_read = variable.is_some_and(|variable| variables.all[variable].is_read);
        is_read && !assignment.name.text.starts_with('_')
    };
    liveness.unread.into_iter().filter(is_reported).map(warning).collect()
}

fn warning(assignment: &Assignment) -> Diagnostic {
    let quoted = clipped(&assignment.name.text);
    let message = format!("the value assigned to `{quoted}` is never read");
    Diagnostic::warning(codes::UNREAD_ASSIGNMENT, message)
        .label(
            assignment.target,
            format!("`{quoted}` is assigned again, or the function ends, before it is read"),
        )
        .help("remove the assignment, or read the variable before it is assigned again")
}

struct Liveness<'v, 'm> {
    variables: &'v Variables<'m>,
    /// The variables whose current values may still be read.
    live: HashSet<usize>,
    /// The variables that are live after the innermost loop with jumps, and those that are at the end of its body.
    after_loop: [HashSet<usize>; 2],
    /// The changes of `live`, so that a branch can be taken back: the variable, and whether it was live.
    changes: Vec<(usize, bool)>,
    unread: Vec<&'m Assignment>,
}

impl<'m> Liveness<'_, 'm> {
    /// Returns true if this changes something.
    fn mark(&mut self, variable: usize, is_live: bool) -> bool {
        if is_live { self.live.insert(variable) } else { self.live.remove(&variable) }
    }

    fn set(&mut self, variable: usize, is_live: bool) {
        if self.mark(variable, is_live) {
            self.changes.push((variable, !is_live));
        }
    }

    fn reads(&mut self, statement: &'m Statement) {
        statement.walk_exprs(|expr| {
            if matches!(expr.kind, ExprKind::Variable(_))
                && let Some(variable) = self.variables.at(expr.span)
            {
                self.set(variable, true);
            }
        });
    }

    /// Backward.
    fn statements(&mut self, statements: &'m [Statement]) {
        reachable(statements).iter().rev().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &'m Statement) {
        match &statement.kind {
            StatementKind::Assign(assignment) => {
                if let Some(variable) = self.variables.at(assignment.name.span) {
                    if !self.live.contains(&variable) {
                        self.unread.push(assignment);
                    }
                    // An update needs the rest of the value.
                    if assignment.is_whole() {
                        self.set(variable, false);
                    }
                }
                self.reads(statement);
            }
            StatementKind::VarDecl { name, .. } => {
                let variable = self.variables.at(name.span);
                variable.into_iter().for_each(|variable| self.set(variable, false));
                self.reads(statement);
            }
            StatementKind::If(branches) => {
                self.branches(&statement.bodies(), branches.otherwise.is_none());
                self.reads(statement);
            }
            StatementKind::While(_) | StatementKind::For(_) => self.repeated(statement),
            StatementKind::Return(_)
            | StatementKind::Break
            | StatementKind::Continue
            | StatementKind::Expr(_) => self.reads(statement),
        }
    }

    /// A variable is live before branches if it is before one of them.
    fn branches(&mut self, bodies: &[&'m Body], may_skip: bool) {
        let start = self.changes.len();
        // For each variable that a branch changes: whether it is live after all branches, whether it is live before
        // one of them, and how many leave it unchanged.
        let mut before: HashMap<usize, (bool, bool, usize)> = HashMap::new();
        let mut paths = usize::from(may_skip);
        for body in bodies {
            if let Some(jump) = body.statements.iter().find_map(Statement::always_ends_in) {
                let [after_loop, at_end] = &self.after_loop;
                let there = match jump {
                    Jump::Return => HashSet::new(),
                    Jump::Break => after_loop.clone(),
                    Jump::Continue => at_end.clone(),
                };
                let after = std::mem::replace(&mut self.live, there);
                self.statements(&body.statements);
                self.changes.truncate(start);
                for variable in std::mem::replace(&mut self.live, after) {
                    let is_live = self.live.contains(&variable);
                    before.entry(variable).or_insert((is_live, false, 0)).1 = true;
                }
                continue;
            }
            paths += 1;
            self.statements(&body.statements);
            let mut changed = HashSet::new();
            for (variable, was_live) in &self.changes[start..] {
                // The first change of a name has its liveness after the branches.
                if changed.insert(*variable) {
                    let entry = before.entry(*variable).or_insert((*was_live, false, 0));
                    entry.1 |= self.live.contains(variable);
                    entry.2 += 1;
                }
            }
            for (variable, was_live) in self.changes.split_off(start).into_iter().rev() {
                self.mark(variable, was_live);
            }
        }
        for (variable, (after, is_live, changed)) in before {
            self.set(variable, is_live || after && changed < paths);
        }
    }

    fn repeated(&mut self, statement: &'m Statement) {
        let start = self.changes.len();
        for body in statement.bodies() {
            let after = jumps(&body.statements).any().then(|| self.live.clone());
            self.reads(statement);
            walk_all(&body.statements, |inner| self.reads(inner));
            let inner = after.map(|after| [after, self.live.clone()]);
            let outer = inner.map(|inner| std::mem::replace(&mut self.after_loop, inner));
            self.statements(&body.statements);
            if let Some(outer) = outer {
                self.after_loop = outer;
            }
        }
        // The loop may not run at all: variables that were live after it stay live.
        let mut seen = HashSet::new();
        let changes = self.changes[start..].iter();
        let live: Vec<usize> = changes
            .filter(|(variable, was_live)| seen.insert(*variable) && *was_live)
            .map(|(variable, _)| *variable)
            .collect();
        live.into_iter().for_each(|variable| self.set(variable, true));
        self.reads(statement);
    }
}
