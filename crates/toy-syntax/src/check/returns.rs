//! Checks the `return`s of a function.
//!
//! Input: a function. Output: errors: results of different types, `return`s with and without a value, and paths that
//! end without one. Invariant: only `return`s that may run count.

use super::access::{is_same, mismatch, with_article};
use super::{Checker, ExpectedType, has_value, is_damaged_body};
use crate::ast::{Expr, Function, Statement};
use crate::types::Type;
use toy_diagnostics::source::Span;
use toy_diagnostics::text::clipped;
use toy_diagnostics::{Diagnostic, codes};

impl<'m> Checker<'m> {
    /// The type that a function requires of a returned literal.
    pub(super) fn expected_result(&self, value: &Expr) -> ExpectedType<'m> {
        let Some(Function { name, .. }) = self.scope.function else { return ExpectedType::Any };
        match self.types.result_of(&name.text) {
            Type::Unknown => ExpectedType::Any,
            _ if !value.is_structure() => ExpectedType::Any,
            ty => {
                let why = format!("`{}` returns this struct", clipped(&name.text));
                ExpectedType::of(ty, name.span, why)
            }
        }
    }

    /// A `return`.
    pub(super) fn result(&mut self, value: Option<&Expr>) {
        let Some(value) = value else { return };
        if self.scope.is_dead {
            return;
        }
        let ty = self.types.of(value, &self.scope.types);
        match (self.scope.result, ty) {
            (_, Type::Unknown) => {}
            (None, _) => self.scope.result = Some((ty, value.span)),
            (Some((first, place)), _) if !is_same(first, ty) => {
                let diagnostic = mismatch(first, ty, value.span)
                    .label(place, format!("{} is returned here", with_article(first)))
                    .help("all results of a function have the same type");
                self.diagnostics.push(diagnostic);
            }
            _ => {}
        }
    }

    /// Checks all `return`s of a function together.
    pub(super) fn returns(&mut self, function: &'m Function) {
        let returns = function.returns();
        let Some(with_value) = returns.iter().copied().find(|statement| has_value(statement))
        else {
            return;
        };
        if is_damaged_body(&function.body) {
            return;
        }
        let label = "a value is returned here";
        if let Some(without) = returns.iter().find(|statement| !has_value(statement)) {
            let diagnostic = Diagnostic::error(codes::MIXED_RETURNS, "a `return` without a value")
                .label(without.span, "no value");
            self.diagnostics.push(
                diagnostic
                    .label(with_value.span, label)
                    .help("all `return`s of a function have a value, or none has one"),
            );
        }
        if !function.body.iter().any(Statement::always_returns) {
            let end = function.span.end;
            let name = clipped(&function.name.text);
            let message = format!("`{name}` may end without a value");
            let diagnostic = Diagnostic::error(codes::MISSING_RETURN, message)
                .label(Span { start: end.saturating_sub(1), end }, "a path ends here")
                .label(with_value.span, label)
                .help("end each path with `return ...;`");
            self.diagnostics.push(diagnostic);
        }
    }
}
