//! Constant expressions, and certain errors in indices and bounds.
//!
//! Input: an expression. Output: whether it is constant, and its value unless that depends on shapes; errors about
//! axes, sizes and ranges that are not constant, and about constants that are wrong whatever the shapes are.
//! Invariant: an expression is constant if it consists of numbers, `shape(...)`, `+ - * /`, a minus sign, `floor`
//! and variables that are defined as constants and never assigned.

use super::Checker;
use super::ExpectedType;
use super::scope::Scope;
use crate::ast::{Class, DeclaredType, Expr, ExprKind, For, Name, Subscript, UnaryOperator};
use toy_diagnostics::source::Span;
use toy_diagnostics::text::{clipped, number};
use toy_diagnostics::{Diagnostic, codes};

/// Whole numbers below this one are exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

pub(super) enum Constant {
    /// It is not constant because of this part.
    No(Span),
    /// The value; None if it depends on shapes, or on an error.
    Yes(Option<f64>),
}

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
        match self.constant(scope, value) {
            Constant::Yes(value) => Some(value),
            Constant::No(_) => None,
        }
    }

    pub(super) fn constant(&self, scope: &Scope<'m>, expr: &Expr) -> Constant {
        match &expr.kind {
            ExprKind::Number(number) => Constant::Yes(Some(*number)),
            ExprKind::Error => Constant::Yes(None),
            ExprKind::Variable(name) => match scope.constants.get(name.as_str()) {
                Some(value) => Constant::Yes(*value),
                // There is an error about it.
                None if !scope.variables.contains_key(name.as_str()) => Constant::Yes(None),
                None => Constant::No(expr.span),
            },
            ExprKind::Call(call) => {
                let builtin = self.types.builtin(&call.callee.text).map(|builtin| builtin.name);
                match (builtin, call.arguments.as_slice()) {
                    (Some("shape"), _) => Constant::Yes(None),
                    (Some("floor"), [value]) => match self.constant(scope, value) {
                        Constant::Yes(value) => Constant::Yes(value.map(f64::floor)),
                        no => no,
                    },
                    _ => Constant::No(expr.span),
                }
            }
            ExprKind::Unary(unary) => {
                let not = unary.operators.iter().find(|(one, _)| *one == UnaryOperator::Not);
                if not.is_some() {
                    return Constant::No(expr.span);
                }
                let is_negative = unary.operators.len() % 2 == 1;
                match self.constant(scope, &unary.operand) {
                    Constant::Yes(Some(value)) if is_negative => Constant::Yes(Some(-value)),
                    other => other,
                }
            }
            ExprKind::Chain(chain) => {
                let mut value = match self.constant(scope, &chain.first) {
                    Constant::Yes(value) => value,
                    no => return no,
                };
                for link in &chain.rest {
                    let operand = match self.constant(scope, &link.operand) {
                        Constant::Yes(operand) => operand,
                        no => return no,
                    };
                    let Class::Arithmetic(apply) = link.operator.class() else {
                        return Constant::No(expr.span);
                    };
                    value = value.zip(operand).map(|(a, b)| apply(a, b));
                }
                Constant::Yes(value)
            }
            ExprKind::Literal(_)
            | ExprKind::StructLiteral(_)
            | ExprKind::Access(_)
            | ExprKind::Index(_)
            | ExprKind::String(_) => Constant::No(expr.span),
        }
    }

    /// The value of an expression that has to be constant, if it is known.
    pub(super) fn required_constant(
        &mut self,
        scope: &Scope<'m>,
        expr: &Expr,
        what: &str,
    ) -> Option<f64> {
        match self.constant(scope, expr) {
            Constant::Yes(value) => value,
            Constant::No(span) => {
                let diagnostic = Diagnostic::error(
                    codes::NOT_CONSTANT,
                    format!("{what} is not constant"),
                )
                .label(span, "not known when the program is compiled")
                .help(
                    "a constant consists of numbers, `shape(x, axis)`, `floor`, `+ - * /`, and \
                         variables defined as constants and never assigned",
                );
                self.diagnostics.push(diagnostic);
                None
            }
        }
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
                    if let Constant::Yes(Some(value)) = self.constant(scope, index)
                        && self.whole(value, index, "index")
                        && value < 0.0
                    {
                        let message = format!("index {} is out of range", number(value));
                        self.bad_constant(message, index.span, "indices start at 0");
                    }
                }
                Subscript::Range(from, to) => self.range(scope, from, to),
            }
        }
    }

    /// `from:to`
    fn range(&mut self, scope: &Scope<'m>, from: &Expr, to: &Expr) {
        let mut bounds = [None; 2];
        for (bound, expr) in bounds.iter_mut().zip([from, to]) {
            *bound = self.required_constant(scope, expr, "this bound of a range");
            if let Some(value) = *bound {
                if !self.whole(value, expr, "bound") {
                    *bound = None;
                } else if value < 0.0 {
                    let message = format!("bound {} is out of range", number(value));
                    self.bad_constant(message, expr.span, "indices start at 0");
                    *bound = None;
                }
            }
        }
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
            if let Constant::Yes(Some(value)) = self.constant(scope, bound) {
                self.whole(value, bound, "bound");
            }
        }
        if let Some(step) = &repeated.step
            && let Constant::Yes(Some(value)) = self.constant(scope, step)
            && self.whole(value, step, "step")
            && value == 0.0
        {
            let name = clipped(&repeated.variable.text);
            let label = format!("`{name}` would never change");
            self.bad_constant("the step of the range is 0".to_owned(), step.span, &label);
        }
    }
}
