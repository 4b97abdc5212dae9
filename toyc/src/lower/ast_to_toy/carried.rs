//! What branches and loops carry: the variables that statements assign.
//!
//! Input: statements of a checked program. Output: the names that they assign, in the order of the first
//! assignments, and whether they return. Statements that never run do not count. The time is linear in the
//! text of the statements, with those inside them.

use super::scope::Scope;
use std::collections::HashSet;
use toy_syntax::ast::{Body, Statement, StatementKind, reachable};

/// The variables that exist before some statements and are assigned in them.
pub fn carried<'s>(
    scope: &Scope<'_, '_, 's>,
    bodies: impl IntoIterator<Item = &'s [Statement]>,
) -> Vec<&'s str> {
    let (mut seen, mut names) = (HashSet::new(), Vec::new());
    for body in bodies {
        each(body, &mut |statement| {
            if let StatementKind::Assign(assignment) = &statement.kind {
                let name = assignment.name.text.as_str();
                if scope.value(name).is_some() && seen.insert(name) {
                    names.push(name);
                }
            }
        });
    }
    names
}

/// Whether a statement may return, in a branch.
pub fn may_return(statement: &Statement) -> bool {
    let mut returns = false;
    each(std::slice::from_ref(statement), &mut |statement| {
        returns |= matches!(statement.kind, StatementKind::Return(_));
    });
    returns
}

fn each<'s>(statements: &'s [Statement], visit: &mut dyn FnMut(&'s Statement)) {
    let mut rest = vec![reachable(statements).iter()];
    while let Some(statements) = rest.last_mut() {
        let Some(statement) = statements.next() else {
            rest.pop();
            continue;
        };
        visit(statement);
        let of = |body: &'s Body| reachable(&body.statements).iter();
        rest.extend(statement.bodies().into_iter().rev().map(of));
    }
}
