//! The variables of a function, and the variable that each name means.
//!
//! Input: a function, possibly with errors. Output: its parameters and variables in source order, with their
//! assignments and whether anything reads them; for each place that names a variable, that variable. Invariants:
//! statements that never run count; a name that means no variable has no entry; two variables of one name in
//! different blocks are two variables; the work is linear, and recursion is as deep as blocks are nested.

use super::ast::{Body, ExprKind, Function, Name, Statement, StatementKind};
use std::collections::HashMap;
use toy_diagnostics::source::Span;

/// A parameter or a variable.
pub(crate) struct Variable<'m> {
    pub name: &'m Name,
    pub kind: Kind,
    /// The names on the left of its assignments, including assignments of its parts, in source order.
    pub assigned: Vec<&'m Name>,
    /// True if an expression uses it.
    pub is_read: bool,
    /// True if its definition may run.
    pub is_reachable: bool,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Parameter,
    Defined,
    /// The variable of a `for`.
    Loop,
}

/// The variables of a function, which are identified by their places in `all`.
#[derive(Default)]
pub(crate) struct Variables<'m> {
    /// In source order.
    pub all: Vec<Variable<'m>>,
    /// The key is the start of a name, or of a variable as an expression.
    meanings: HashMap<u32, usize>,
}

impl<'m> Variables<'m> {
    pub fn of(function: &'m Function) -> Self {
        let mut walk =
            Walk { variables: Variables::default(), known: HashMap::new(), undo: Vec::new() };
        for parameter in &function.parameters {
            walk.define(&parameter.name, Kind::Parameter, true);
        }
        walk.statements(&function.body, true);
        walk.variables
    }

    /// The variable that the name at a place means: in a definition, an assignment, or an expression.
    pub fn at(&self, place: Span) -> Option<usize> {
        self.meanings.get(&place.start).copied()
    }
}

struct Walk<'m> {
    variables: Variables<'m>,
    /// The known variables.
    known: HashMap<&'m str, usize>,
    /// The defined names, with their previous meanings.
    undo: Vec<(&'m str, Option<usize>)>,
}

impl<'m> Walk<'m> {
    fn define(&mut self, name: &'m Name, kind: Kind, is_reachable: bool) {
        if name.text.is_empty() {
            return;
        }
        let index = self.variables.all.len();
        self.variables.meanings.insert(name.span.start, index);
        let variable = Variable { name, kind, assigned: Vec::new(), is_read: false, is_reachable };
        self.variables.all.push(variable);
        self.undo.push((&name.text, self.known.insert(&name.text, index)));
    }

    fn statements(&mut self, statements: &'m [Statement], mut is_reachable: bool) {
        for statement in statements {
            self.statement(statement, is_reachable);
            is_reachable = is_reachable && !statement.always_leaves();
        }
    }

    fn statement(&mut self, statement: &'m Statement, is_reachable: bool) {
        // The reads come first: a variable does not see itself. No expression sees the definitions in a body.
        self.reads(statement);
        match &statement.kind {
            StatementKind::VarDecl { name, .. } => self.define(name, Kind::Defined, is_reachable),
            StatementKind::Assign(assignment) => {
                let name = &assignment.name;
                if let Some(index) = self.known.get(name.text.as_str()).copied() {
                    self.variables.meanings.insert(name.span.start, index);
                    self.variables.all[index].assigned.push(name);
                }
            }
            StatementKind::For(repeated) => {
                let depth = self.undo.len();
                self.define(&repeated.variable, Kind::Loop, is_reachable);
                self.block(&repeated.body, is_reachable);
                self.forget(depth);
            }
            _ => statement.bodies().into_iter().for_each(|body| self.block(body, is_reachable)),
        }
    }

    fn block(&mut self, body: &'m Body, is_reachable: bool) {
        let depth = self.undo.len();
        self.statements(&body.statements, is_reachable);
        self.forget(depth);
    }

    /// Ends a block.
    fn forget(&mut self, depth: usize) {
        for (name, before) in self.undo.drain(depth..).rev() {
            match before {
                Some(before) => self.known.insert(name, before),
                None => self.known.remove(name),
            };
        }
    }

    fn reads(&mut self, statement: &'m Statement) {
        statement.walk_exprs(|expr| {
            if let ExprKind::Variable(name) = &expr.kind
                && let Some(index) = self.known.get(name.as_str()).copied()
            {
                self.variables.meanings.insert(expr.span.start, index);
                self.variables.all[index].is_read = true;
            }
        });
    }
}
