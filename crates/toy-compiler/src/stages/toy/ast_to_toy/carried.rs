//! The values that branches and loops carry: the variables that statements assign.
//!
//! Input: statements of a checked program. Output: the names that they assign, in the order of the first
//! assignments. Statements that never run do not count. The time is linear in
//! the text of the statements, with those inside them.

use super::scope::Scope;
use std::collections::HashSet;
use toy_syntax::ast::{Statement, StatementKind, walk_reachable};

/// The variables that exist before some statements and are assigned in them.
pub(super) fn carried<'s>(
    scope: &Scope<'_, '_, 's>,
    bodies: impl IntoIterator<Item = &'s [Statement]>,
) -> Vec<&'s str> {
    let (mut seen, mut names) = (HashSet::new(), Vec::new());
    for body in bodies {
        walk_reachable(body, |statement| {
            if let StatementKind::Assign(assignment) = &statement.kind {
                let name = assignment.name.text.as_str();
                if scope.variable(name).is_some() && seen.insert(name) {
                    names.push(name);
                }
            }
        });
    }
    names
}
