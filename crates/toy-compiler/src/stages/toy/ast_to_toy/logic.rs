//! Truth: conditions and the operators `&&`, `||` and `!`.
//!
//! A truth is an `i1`. The right side of `&&` and `||` is a branch of an `scf.if`, so it is evaluated only
//! if it decides.

use super::scope::Scope;
use super::{Lowering, append};
use crate::dialect::control;
use crate::dialect::ops::{self, Kind};
use melior::ir::r#type::IntegerType;
use melior::ir::{Location, Type, Value};
use toy_diagnostics::source::Span;
use toy_syntax::ast::{BinaryOperator, Chain, Expr, ExprKind, UnaryOperator};

impl<'c, 's> Lowering<'c, 's> {
    /// The truth of an expression, as an i1; `what` names the expression in messages.
    pub fn truth<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        expression: &'s Expr,
        what: &str,
    ) -> Value<'c, 'a> {
        match &expression.kind {
            ExprKind::Chain(chain) => {
                if let Some(truth) = self.logical_chain(scope, chain) {
                    return truth;
                }
            }
            ExprKind::Unary(unary) => {
                if let Some(((UnaryOperator::Not, span), inner)) = unary.operators.split_first() {
                    return self.not(scope, inner, &unary.operand, *span);
                }
            }
            _ => {}
        }
        let value = self.value(scope, expression);
        self.is_true(scope, value, what, expression.span)
    }

    /// The unary operators, outermost first, applied to an operand.
    pub fn unary<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        operators: &'s [(UnaryOperator, Span)],
        operand: &'s Expr,
    ) -> Value<'c, 'a> {
        let is_negation =
            |(operator, _): &&(UnaryOperator, Span)| *operator == UnaryOperator::Negate;
        let negations = operators.iter().rev().take_while(is_negation).count();
        let (others, inner) = operators.split_at(operators.len() - negations);
        if others.is_empty() {
            let value = self.value(scope, operand);
            return self.negated(scope, value, inner, operand);
        }
        // From the inside out, so that the operators do not nest calls.
        let mut value = self.value(scope, operand);
        value = self.negated(scope, value, inner, operand);
        for (operator, span) in others.iter().rev() {
            let whole = span.to(operand.span);
            value = match operator {
                UnaryOperator::Negate => self.pure(scope.block, Kind::Neg, whole, &[value]),
                UnaryOperator::Not => {
                    let truth = self.is_true(scope, value, "operand of `!`", operand.span);
                    let truth = self.inverted(scope, truth, whole);
                    self.truth_as_scalar(scope, truth, self.location(whole))
                }
            };
        }
        value
    }

    fn negated<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        value: Value<'c, 'a>,
        operators: &[(UnaryOperator, Span)],
        operand: &Expr,
    ) -> Value<'c, 'a> {
        operators.iter().rev().fold(value, |value, (_, span)| {
            self.pure(scope.block, Kind::Neg, span.to(operand.span), &[value])
        })
    }

    /// `!` of other operators on an operand.
    fn not<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        inner: &'s [(UnaryOperator, Span)],
        operand: &'s Expr,
        span: Span,
    ) -> Value<'c, 'a> {
        let truth = if inner.is_empty() {
            self.truth(scope, operand, "operand of `!`")
        } else {
            let value = self.unary(scope, inner, operand);
            self.is_true(scope, value, "operand of `!`", operand.span)
        };
        self.inverted(scope, truth, span.to(operand.span))
    }

    /// The truth of a chain of `&&` or `||`; None for other operators.
    pub fn logical_chain<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        chain: &'s Chain,
    ) -> Option<Value<'c, 'a>> {
        let (what, is_and) = match chain.rest.first()?.operator {
            BinaryOperator::And => ("operand of `&&`", true),
            BinaryOperator::Or => ("operand of `||`", false),
            _ => return None,
        };
        let mut truth = self.truth(scope, &chain.first, what);
        for link in &chain.rest {
            let span = chain.first.span.to(link.operand.span);
            let ty: Type = IntegerType::new(self.context, 1).into();
            let (operation, blocks) = self.scf_if(scope.block, truth, &[ty], &[], span);
            for (index, block) in blocks.into_iter().enumerate() {
                let mark = scope.enter(block);
                let value = if (index == 0) == is_and {
                    self.truth(scope, &link.operand, what)
                } else {
                    self.truth_constant(scope, !is_and, span)
                };
                self.scf_yield(scope.block, &[value], span);
                scope.leave(mark);
            }
            truth = ops::result(operation);
        }
        Some(truth)
    }

    /// 1 or 0.
    pub fn truth_as_scalar<'a>(
        &self,
        scope: &Scope<'c, 'a, 's>,
        truth: Value<'c, 'a>,
        location: Location<'c>,
    ) -> Value<'c, 'a> {
        let scalar = control::scalar_type(self.context);
        append(scope.block, ops::pure("toy.from_truth", location, &[truth], scalar))
    }

    fn is_true<'a>(
        &self,
        scope: &Scope<'c, 'a, 's>,
        value: Value<'c, 'a>,
        what: &str,
        span: Span,
    ) -> Value<'c, 'a> {
        let location = self.location(span);
        append(scope.block, control::truth(self.context, location, value, what))
    }

    pub fn inverted<'a>(
        &self,
        scope: &Scope<'c, 'a, 's>,
        truth: Value<'c, 'a>,
        span: Span,
    ) -> Value<'c, 'a> {
        let all = self.truth_constant(scope, true, span);
        self.arith(scope, "arith.xori", &[truth, all], span)
    }
}
