//! Statements that go on elsewhere: `return`, `break` and `continue`, in branches and loops.
//!
//! MLIR's structured control flow has one exit, so what follows a statement that may jump becomes a part of it.
//!
//! - If one path through a branch goes on and all others jump, the rest of the block goes there:
//!   `if (c) { return a; } rest` becomes `if (c) { a } else { rest }`.
//! - If several go on, or the statement is a loop, the rest would be there more than once. It becomes a branch of its
//!   own, taken if no jump was made. Flags are carried that say which:
//!
//! | flag | after | in |
//! |---|---|---|
//! | `$skipped` | `continue`, `break`, `return` | a loop with a `continue` |
//! | `$left` | `break`, `return` | a loop with a `break` |
//! | `$returned` | `return` | a loop with a `return`, and a branch where a function does not end |
//!
//! With a `return`, the returned value is carried, too. It starts as a `toy.unset`, whose shape and elements do not
//! matter.
//!
//! Input: the statements of a checked function: each path ends in a `return` with a value, or none does.
//! Output: operations that give the value, and the location of the `return`.

use super::carried::carried;
use super::scope::Scope;
use crate::dialect::control;
use crate::dialect::ops::{Kind, ToyBuilder};
use melior::ir::Value;
use toy_diagnostics::source::Span;
use toy_syntax::ast::{self, Arm, Body, If, Jump, Jumps, Statement, StatementKind, reachable};

/// The value that the function has returned: no name of a program has a `$`.
const RESULT: &str = control::RESULT;

/// The variable that is true after a jump that leads at least as far.
fn flag(jump: Jump) -> &'static str {
    match jump {
        Jump::Continue => "$skipped",
        Jump::Break => "$left",
        Jump::Return => "$returned",
    }
}

/// The statements that are left in a function or in an iteration: the rest of a block, then the statements after the
/// block.
#[derive(Clone, Copy)]
pub struct Rest<'r, 's> {
    statements: &'s [Statement],
    after: Option<&'r Rest<'r, 's>>,
}

impl<'r, 's> Rest<'r, 's> {
    pub const NOTHING: Self = Self { statements: &[], after: None };

    /// The statements of each block.
    fn blocks(self) -> impl Iterator<Item = &'s [Statement]> {
        std::iter::successors(Some(self), |rest| rest.after.copied()).map(|rest| rest.statements)
    }
}

impl<'c, 'a, 's> Scope<'c, 'a, 's> {
    /// Lowers the body of a function. The result is the returned value and the span of the `return`, or
    /// the span of the end of a function without one.
    pub fn function_body(
        &mut self,
        statements: &'s [Statement],
        end: Span,
    ) -> (Option<Value<'c, 'a>>, Span) {
        let results = Vec::from_iter(self.result.map(|_| RESULT));
        let span = self.tail(Rest { statements, after: None }, &results, end);
        (self.result.and_then(|_| self.variable(RESULT)), span)
    }

    /// Lowers the body of a loop. The result is true if the loop is left, if there are such jumps.
    pub fn loop_body(
        &mut self,
        body: &'s Body,
        names: &[&'s str],
        span: Span,
    ) -> Option<Value<'c, 'a>> {
        let jumps = ast::jumps(&body.statements);
        let flags = [Jump::Continue, Jump::Break, Jump::Return];
        let flags = flags.into_iter().filter(|jump| jumps.has(*jump)).collect();
        let outer = std::mem::replace(&mut self.flags, flags);
        self.clear_flags(span);
        let stop = self.flags.iter().find(|jump| **jump >= Jump::Break).map(|jump| flag(*jump));
        let names: Vec<_> = names.iter().copied().chain(stop).collect();
        self.tail(followed(&body.statements, &Rest::NOTHING), &names, span);
        self.flags = outer;
        self.variable(stop?)
    }

    fn clear_flags(&mut self, span: Span) {
        for jump in self.flags.clone() {
            self.set(flag(jump), self.flow(span).truth(false));
        }
    }

    /// Lowers all remaining statements. Of all variables, `names` are read after them.
    fn tail(&mut self, rest: Rest<'_, 's>, names: &[&'s str], end: Span) -> Span {
        let mut next = Some(rest);
        while let Some(Rest { statements, after }) = next {
            for (index, statement) in statements.iter().enumerate() {
                if let Some(jump) = statement.jump() {
                    self.jump(statement, jump);
                    return statement.span;
                }
                if !statement.jumps().any() {
                    self.statement(statement);
                    continue;
                }
                let rest = Rest { statements: reachable(&statements[index + 1..]), after };
                match &statement.kind {
                    StatementKind::If(branches) if falling_paths(branches) <= 1 => {
                        let all = std::iter::once(std::slice::from_ref(statement));
                        let names = self.read_names(all.chain(rest.blocks()), names);
                        let arms = (&branches.arms[..], &**branches);
                        self.tail_arms(arms, rest, &names, statement.span, end);
                    }
                    _ => self.tail_after(statement, rest, names, end),
                }
                return statement.span;
            }
            next = after.copied();
        }
        end
    }

    /// `return`, `break` or `continue`.
    fn jump(&mut self, statement: &'s Statement, jump: Jump) {
        if let StatementKind::Return(Some(value)) = &statement.kind {
            let value = self.value(value);
            self.set(RESULT, value);
        }
        // A debugger stops where a variable is shown.
        if let Some((name, value)) = self.latest().filter(|_| !self.flags.is_empty()) {
            self.show(name, value, None, statement.span);
        }
        for set in self.flags.clone().into_iter().filter(|set| *set <= jump) {
            self.set(flag(set), self.flow(statement.span).truth(true));
        }
    }

    /// The arms of an `if` of which at most one goes on, with the statements after the `if`.
    pub fn tail_arms(
        &mut self,
        (arms, branches): (&'s [Arm], &'s If),
        rest: Rest<'_, 's>,
        names: &[&'s str],
        span: Span,
        end: Span,
    ) -> Span {
        let Some((arm, others)) = arms.split_first() else {
            let otherwise = branches.otherwise.as_ref().map_or(&[][..], |body| &body.statements);
            return self.tail(followed(otherwise, &rest), names, end);
        };
        let condition = self.truth(&arm.condition, "condition");
        self.carrying_if(condition, names, span, |branch, it| match branch {
            0 => it.tail(followed(&arm.body.statements, &rest), names, end),
            _ => it.tail_arms((others, branches), rest, names, span, end),
        });
        span
    }

    /// A loop, or an `if` with several arms that go on, then the rest, unless a jump was made.
    fn tail_after(
        &mut self,
        statement: &'s Statement,
        rest: Rest<'_, 's>,
        names: &[&'s str],
        end: Span,
    ) {
        let span = statement.span;
        let ends_function = self.flags.is_empty();
        if ends_function {
            self.flags = vec![Jump::Return];
            self.clear_flags(span);
            if let Some(ty) = self.result {
                self.set(RESULT, self.code(span).typed(Kind::Unset, &[], ty, &[]));
            }
        }
        self.statement(statement);
        let has_jumped = self.variable(flag(self.flags[0])).expect("bound by the loop or above");
        if ends_function {
            self.flags.clear();
        }
        if rest.blocks().all(<[_]>::is_empty) {
            return;
        }
        let names = self.read_names(rest.blocks(), names);
        self.carrying_if(has_jumped, &names, span, |branch, it| match branch {
            0 => span,
            _ => it.tail(rest, &names, end),
        });
    }

    /// The elements of `names` that statements change.
    fn read_names(
        &self,
        blocks: impl Iterator<Item = &'s [Statement]>,
        names: &[&'s str],
    ) -> Vec<&'s str> {
        let mut changed = self.carried_names(&blocks.collect::<Vec<_>>());
        changed.retain(|name| names.contains(name));
        changed
    }

    /// The variables that statements assign, and if they jump, the variables of the jump.
    pub fn carried_names(&self, blocks: &[&'s [Statement]]) -> Vec<&'s str> {
        let mut names = carried(self, blocks.iter().copied());
        let jumps = blocks.iter().map(|block| ast::jumps(block)).fold(Jumps::default(), Jumps::or);
        let set = self.flags.iter().filter(|set| Some(**set) <= jumps.farthest());
        names.extend(set.map(|set| flag(*set)));
        names.extend(self.result.filter(|_| jumps.has(Jump::Return)).map(|_| RESULT));
        names
    }

    /// The same for the body of a loop, whose own flags do not concern the code around it.
    pub fn carried_by_loop(&self, body: &'s Body) -> Vec<&'s str> {
        let mut names = carried(self, [&body.statements[..]]);
        if ast::jumps(&body.statements).has(Jump::Return) {
            names.push(flag(Jump::Return));
            names.extend(self.result.map(|_| RESULT));
        }
        names
    }

    /// After a loop in whose body the function may return: the loop around it is left, too.
    pub fn pass_on_return(&mut self, body: &'s Body) {
        let returned = self.variable(flag(Jump::Return));
        let returned = returned.filter(|_| ast::jumps(&body.statements).has(Jump::Return));
        for jump in self.flags.clone() {
            returned.into_iter().for_each(|returned| self.set(flag(jump), returned));
        }
    }
}

/// The number of paths through an `if` to the statements after it; a branch that sometimes jumps is one.
fn falling_paths(branches: &If) -> usize {
    let falls = |body: &[Statement]| !body.iter().any(Statement::always_leaves);
    let otherwise = branches.otherwise.as_ref().is_none_or(|body| falls(&body.statements));
    let arms = branches.arms.iter().filter(|arm| falls(&arm.body.statements)).count();
    arms + usize::from(otherwise)
}

/// The statements of a branch, then the rest; nothing follows one that jumps.
fn followed<'r, 's>(statements: &'s [Statement], rest: &'r Rest<'r, 's>) -> Rest<'r, 's> {
    let jumps = statements.iter().any(Statement::always_leaves);
    Rest { statements: reachable(statements), after: (!jumps).then_some(rest) }
}
