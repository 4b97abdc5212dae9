//! Constant expressions, and certain errors in indices and bounds.
//!
//! Input: an expression. Output: whether it is constant, and its value unless that depends on shapes; errors about
//! axes, sizes and ranges that are not constant, and about constants that are wrong whatever the shapes are.
//! Invariant: an expression is constant if it consists of numbers, `shape(...)`, `+ - * / %`, a minus sign, `floor`,
//! `round`, `trunc` and variables that are defined as constants and never assigned.

use super::Checker;
use super::ExpectedType;
use super::scope::Scope;
use crate::ast::{Class, DeclaredType, Expr, ExprKind, For, Name, Subscript, UnaryOperator};
use crate::builtins::of_constant;
use crate::element::Element;
use toy_diagnostics::source::Span;
use toy_diagnostics::text::{clipped, number};
use toy_diagnostics::{Diagnostic, codes};

/// Whole numbers below this one are exact.
const EXACT: f64 = Element::DEFAULT.exact();

/// The value of a constant, None if it depends on shapes or on an error; or else the place of the part because of which
/// an expression is not constant.
pub(super) type Constant = Result<Option<f64>, Span>;

impl<'m> Checker<'m> {
    /// The constant that a variable is defined as, if it is one.
    pub(super) fn constant_variable(
        &self,
        scope: &Scope<'m>,
        ty: &DeclaredType,
        name: &Name,
        value: &Expr,
    ) -> Option<Option<f64>> {
        let variable = scope.meanings.at(name.span).map(|index| &scope.meanings.all[index]);
        let is_assigned = variable.is_some_and(|variable| !variable.assigned.is_empty());
        if is_assigned || !matches!(ty, DeclaredType::Inferred) {
            return None;
        }
        self.constant(scope, value).ok()
    }

    pub(super) fn constant(&self, scope: &Scope<'m>, expr: &Expr) -> Constant {
        match &expr.kind {
            ExprKind::Number(number) => Ok(Some(*number)),
            ExprKind::Error => Ok(None),
            ExprKind::Variable(name) => match scope.constants.get(name.as_str()) {
                Some(value) => Ok(*value),
                // There is an error about it.
                None if !scope.variables.contains_key(name.as_str()) => Ok(None),
                None => Err(expr.span),
            },
            ExprKind::Call(call) => {
                let builtin = self.types.builtin(&call.callee.text).map(|builtin| builtin.name);
                match (builtin, call.arguments.as_slice()) {
                    (Some("shape"), _) => Ok(None),
                    (Some(name), [value]) => {
                        let of = of_constant(name).ok_or(expr.span)?;
                        Ok(self.constant(scope, value)?.map(of))
                    }
                    _ => Err(expr.span),
                }
            }
            ExprKind::Unary(unary) => {
                if unary.operators.iter().any(|(one, _)| *one == UnaryOperator::Not) {
                    return Err(expr.span);
                }
                let value = self.constant(scope, &unary.operand)?;
                let is_negative = unary.operators.len() % 2 == 1;
                Ok(value.map(|value| if is_negative { -value } else { value }))
            }
            ExprKind::Chain(chain) => {
                let mut value = self.constant(scope, &chain.first)?;
                for link in &chain.rest {
                    let operand = self.constant(scope, &link.operand)?;
                    let Class::Arithmetic(apply) = link.operator.class() else {
                        return Err(expr.span);
                    };
                    value = value.zip(operand).map(|(a, b)| apply(a, b));
                }
                Ok(value)
            }
            ExprKind::Literal(_)
            | ExprKind::StructLiteral(_)
            | ExprKind::Access(_)
            | ExprKind::Index(_)
            | ExprKind::String(_) => Err(expr.span),
        }
    }

    /// The value of an expression that has to be constant, if it is known.
    pub(super) fn required_constant(
        &mut self,
        scope: &Scope<'m>,
        expr: &Expr,
        what: &str,
    ) -> Option<f64> {
        self.constant(scope, expr).unwrap_or_else(|span| {
            let message = format!("{what} is not constant");
            let help = "a constant consists of numbers, `shape(x, axis)`, `floor`, `+ - * / %`, and \
                        variables defined as constants and never assigned";
            let diagnostic = Diagnostic::error(codes::NOT_CONSTANT, message)
                .label(span, "not known when the program is compiled");
            self.diagnostics.push(diagnostic.help(help));
            None
        })
    }

    /// Reports a known value that is not an exact whole number. Returns true if it is one.
    pub(super) fn whole(&mut self, value: f64, expr: &Expr, what: &str) -> bool {
        let is_whole = value.fract() == 0.0;
        let is_exact = is_whole && value.abs() < EXACT;
        if !is_exact {
            let problem = if is_whole { "is too large" } else { "is not a whole number" };
            let message = format!("{what} {} {problem}", number(value));
            self.bad_constant(message, expr.span, "this is its value");
        }
        is_exact
    }

    pub(super) fn bad_constant(&mut self, message: String, span: Span, label: &str) {
        let diagnostic = Diagnostic::error(codes::BAD_CONSTANT, message).label(span, label);
        self.diagnostics.push(diagnostic);
    }

    /// The subscripts of a read or of an update.
    pub(super) fn subscripts(&mut self, scope: &mut Scope<'m>, subscripts: &'m [Subscript]) {
        for subscript in subscripts {
            for expr in subscript.exprs() {
                self.value(scope, expr, &ExpectedType::Tensor(None));
            }
            match subscript {
                Subscript::At(index) => {
                    let value = self.constant(scope, index).ok().flatten();
                    self.position(value, index, "index");
                }
                Subscript::Range(from, to) => self.range(scope, from, to),
            }
        }
    }

    /// The position in a dimension, if it is known and there may be one.
    fn position(&mut self, value: Option<f64>, expr: &Expr, what: &str) -> Option<f64> {
        let value = value.filter(|value| self.whole(*value, expr, what))?;
        if value < 0.0 {
            let message = format!("{what} {} is out of range", number(value));
            self.bad_constant(message, expr.span, "indices start at 0");
        }
        (value >= 0.0).then_some(value)
    }

    /// `from:to`
    fn range(&mut self, scope: &Scope<'m>, from: &Expr, to: &Expr) {
        let bounds = [from, to].map(|expr| {
            let value = self.required_constant(scope, expr, "this bound of a range");
            self.position(value, expr, "bound")
        });
        if let [Some(first), Some(end)] = bounds
            && first >= end
        {
            let message = format!("the range {first}:{end} is empty");
            let label = "the second bound is excluded, so it has to be larger than the first one";
            self.bad_constant(message, from.span.to(to.span), label);
        }
    }

    /// The bounds and the step of a `for`.
    pub(super) fn counts(&mut self, scope: &Scope<'m>, repeated: &For) {
        for bound in [&repeated.first, &repeated.end] {
            if let Ok(Some(value)) = self.constant(scope, bound) {
                self.whole(value, bound, "bound");
            }
        }
        if let Some(step) = &repeated.step
            && let Ok(Some(value)) = self.constant(scope, step)
            && self.whole(value, step, "step")
            && value == 0.0
        {
            let name = clipped(&repeated.variable.text);
            let label = format!("`{name}` would never change");
            self.bad_constant("the step of the range is 0".to_owned(), step.span, &label);
        }
    }
}
