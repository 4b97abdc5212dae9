//! Functions that return in branches.
//!
//! MLIR's structured control flow has one exit, so the rest of a function becomes a part of the branches.
//!
//! - If one path through a statement goes on and all others return, the rest of the function goes there:
//!   `if (c) { return a; } rest` becomes `if (c) { a } else { rest }`.
//! - If several go on, the rest would be there more than once. It becomes a branch of its own, taken if
//!   the function has not returned. Two more variables are carried: a flag that it has returned, and the
//!   returned value, which starts as a `toy.unset`, whose shape and elements do not matter.
//!
//! Input: the statements of a checked function: each path ends in a `return` with a value, or none does.
//! Output: operations that give the value, and the location of the `return`.

use super::carried::{carried, may_return};
use super::scope::Scope;
use super::{Lowering, append};
use crate::dialect::{control, ops};
use melior::ir::{Type, Value};
use toy_diagnostics::source::Span;
use toy_syntax::ast::{Arm, If, Statement, StatementKind, reachable};

/// A variable that is true if the function has returned: no name of a program has a `$`.
const RETURNED: &str = "$returned";
/// The value that the function has returned.
const RESULT: &str = control::RESULT;

/// The statements that are left in a function: the rest of a block, then the statements after the block.
#[derive(Clone, Copy)]
struct Rest<'r, 's> {
    statements: &'s [Statement],
    after: Option<&'r Rest<'r, 's>>,
}

impl<'c, 's> Lowering<'c, 's> {
    /// Lowers the body of a function. The result is the returned value and the span of the `return`, or
    /// the span of the end of a function without one.
    pub fn function_body<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        statements: &'s [Statement],
        end: Span,
    ) -> (Option<Value<'c, 'a>>, Span) {
        self.tail(scope, Rest { statements, after: None }, end)
    }

    /// Lowers all remaining statements of the function.
    fn tail<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        rest: Rest<'_, 's>,
        end: Span,
    ) -> (Option<Value<'c, 'a>>, Span) {
        let mut next = Some(rest);
        while let Some(Rest { statements, after }) = next {
            for (index, statement) in statements.iter().enumerate() {
                match &statement.kind {
                    StatementKind::Return(value) => {
                        let value = value.as_ref().map(|value| self.value(scope, value));
                        return (value, statement.span);
                    }
                    StatementKind::If(branches) if may_return(statement) => {
                        let rest = Rest { statements: &statements[index + 1..], after };
                        let arms = (&branches.arms[..], &**branches);
                        let value = if falling_paths(branches) <= 1 {
                            self.tail_arms(scope, arms, rest, statement.span, end)
                        } else {
                            self.tail_after(scope, branches, rest, statement.span, end)
                        };
                        return (value, statement.span);
                    }
                    _ => self.statement(scope, statement),
                }
            }
            next = after.copied();
        }
        (None, end)
    }

    /// The arms of an `if` of which at most one goes on, with the statements after the `if`.
    fn tail_arms<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        (arms, branches): (&'s [Arm], &'s If),
        rest: Rest<'_, 's>,
        span: Span,
        end: Span,
    ) -> Option<Value<'c, 'a>> {
        let Some((arm, others)) = arms.split_first() else {
            let otherwise = branches.otherwise.as_ref().map_or(&[][..], |body| &body.statements);
            let rest = followed(otherwise, &rest);
            return self.tail(scope, rest, end).0;
        };
        let condition = self.truth(scope, &arm.condition, "condition");
        let (types, names) = results(scope);
        let (operation, [then, otherwise]) =
            self.scf_if(scope.block, condition, &types, names, span);
        let mark = scope.enter(then);
        let value = self.tail(scope, followed(&arm.body.statements, &rest), end).0;
        self.yield_result(scope, value, span);
        scope.leave(mark);
        let mark = scope.enter(otherwise);
        let value = self.tail_arms(scope, (others, branches), rest, span, end);
        self.yield_result(scope, value, span);
        scope.leave(mark);
        scope.result.map(|_| ops::result(operation))
    }

    fn yield_result<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        value: Option<Value<'c, 'a>>,
        span: Span,
    ) {
        let value = value.map(|value| self.cast(scope, value, span));
        self.scf_yield(scope.block, value.as_slice(), span);
    }

    /// An `if` with several arms that go on, then the rest, unless the function has returned.
    fn tail_after<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        branches: &'s If,
        rest: Rest<'_, 's>,
        span: Span,
        end: Span,
    ) -> Option<Value<'c, 'a>> {
        let not_yet = self.truth_constant(scope, false, span);
        scope.bind(RETURNED, not_yet);
        if let Some(ty) = scope.result {
            let unset = ops::pure("toy.unset", self.location(span), &[], ty);
            let unset = append(scope.block, unset);
            scope.bind(RESULT, unset);
        }
        self.branches(scope, branches, span);
        let returned = scope.value(RETURNED).expect("bound above");
        let (types, names) = results(scope);
        let (operation, [then, otherwise]) =
            self.scf_if(scope.block, returned, &types, names, span);
        let mark = scope.enter(then);
        let value = scope.result.and_then(|_| scope.value(RESULT));
        self.yield_result(scope, value, span);
        scope.leave(mark);
        let mark = scope.enter(otherwise);
        let value = self.tail(scope, rest, end).0;
        self.yield_result(scope, value, span);
        scope.leave(mark);
        scope.result.map(|_| ops::result(operation))
    }

    /// Lowers the statements of a branch or a loop. In a branch that returns but does not end the
    /// function, the variables of the return are bound.
    pub fn block<'a>(&self, scope: &mut Scope<'c, 'a, 's>, statements: &'s [Statement]) {
        for (index, statement) in statements.iter().enumerate() {
            match &statement.kind {
                StatementKind::Return(value) => {
                    let value = value.as_ref().map(|value| self.value(scope, value));
                    let returned = self.truth_constant(scope, true, statement.span);
                    scope.bind(RETURNED, returned);
                    if let Some(value) = value {
                        let value = self.cast(scope, value, statement.span);
                        scope.bind(RESULT, value);
                    }
                    return;
                }
                StatementKind::If(branches) if may_return(statement) => {
                    self.branches(scope, branches, statement.span);
                    let rest = reachable(&statements[index + 1..]);
                    if !rest.is_empty() && !statement.always_returns() {
                        self.unless_returned(scope, rest, statement.span);
                    }
                    return;
                }
                _ => self.statement(scope, statement),
            }
        }
    }

    /// Statements that run if the function has not returned.
    fn unless_returned<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        statements: &'s [Statement],
        span: Span,
    ) {
        let names = self.carried_names(scope, &[statements]);
        let returned = scope.value(RETURNED).expect("the branch returns");
        self.carrying_if(scope, returned, &names, span, |branch, scope| {
            if branch == 1 {
                self.block(scope, statements);
            }
        });
    }

    /// The variables that statements assign, and if they return, the variables of the return.
    pub fn carried_names(
        &self,
        scope: &Scope<'c, '_, 's>,
        bodies: &[&'s [Statement]],
    ) -> Vec<&'s str> {
        let mut names = carried(scope, bodies.iter().copied());
        if bodies.iter().any(|body| body.iter().any(may_return)) {
            names.push(RETURNED);
            names.extend(scope.result.map(|_| RESULT));
        }
        names
    }
}

/// The number of paths through an `if` to the statements after it; a branch that sometimes returns is one.
fn falling_paths(branches: &If) -> usize {
    let falls = |body: &[Statement]| !body.iter().any(Statement::always_returns);
    let otherwise = branches.otherwise.as_ref().is_none_or(|body| falls(&body.statements));
    let arms = branches.arms.iter().filter(|arm| falls(&arm.body.statements)).count();
    arms + usize::from(otherwise)
}

/// The statements of a branch, then the rest; nothing follows one that returns.
fn followed<'r, 's>(statements: &'s [Statement], rest: &'r Rest<'r, 's>) -> Rest<'r, 's> {
    let returns = statements.iter().any(Statement::always_returns);
    Rest { statements: reachable(statements), after: (!returns).then_some(rest) }
}

/// The function's returned value, as the result of a branch: its type and its name.
fn results<'c>(scope: &Scope<'c, '_, '_>) -> (Vec<Type<'c>>, &'static [&'static str]) {
    let types = Vec::from_iter(scope.result);
    let names: &[&str] = if types.is_empty() { &[] } else { &[RESULT] };
    (types, names)
}
