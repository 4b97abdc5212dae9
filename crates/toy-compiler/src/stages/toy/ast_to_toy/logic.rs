//! Truth: conditions and the operators `&&`, `||` and `!`.
//!
//! A truth is an `i1`. The right side of `&&` and `||` is a branch of an `scf.if`, so it is evaluated only
//! if it decides.

use super::scope::Scope;
use crate::dialect::ops::{self, Kind, ToyBuilder};
use melior::ir::Value;
use toy_diagnostics::source::Span;
use toy_syntax::ast::{BinaryOperator, Chain, Expr, ExprKind, UnaryOperator};

impl<'c, 'a, 's> Scope<'c, 'a, 's> {
    /// The truth of an expression, as an i1; `what` names the expression in messages.
    pub fn truth(&mut self, expression: &'s Expr, what: &str) -> Value<'c, 'a> {
        match &expression.kind {
            ExprKind::Chain(chain) => {
                if let Some(truth) = self.logical_chain(chain) {
                    return truth;
                }
            }
            ExprKind::Unary(unary) => {
                if let Some(((UnaryOperator::Not, span), inner)) = unary.operators.split_first() {
                    return self.not(inner, &unary.operand, *span);
                }
            }
            _ => {}
        }
        let value = self.value(expression);
        self.is_true(value, what, expression.span)
    }

    /// The unary operators, outermost first, applied to an operand.
    pub fn unary(
        &mut self,
        operators: &'s [(UnaryOperator, Span)],
        operand: &'s Expr,
    ) -> Value<'c, 'a> {
        // From the inside out, so that the operators do not nest calls.
        let value = self.value(operand);
        operators.iter().rev().fold(value, |value, (operator, span)| {
            let whole = span.to(operand.span);
            match operator {
                UnaryOperator::Negate => self.code(whole).pure(Kind::Neg, &[value]),
                UnaryOperator::Not => {
                    let truth = self.is_true(value, "operand of `!`", operand.span);
                    let truth = self.inverted(truth, whole);
                    self.code(whole).pure(Kind::FromTruth, &[truth])
                }
            }
        })
    }

    /// `!` of other operators on an operand.
    fn not(
        &mut self,
        inner: &'s [(UnaryOperator, Span)],
        operand: &'s Expr,
        span: Span,
    ) -> Value<'c, 'a> {
        let truth = if inner.is_empty() {
            self.truth(operand, "operand of `!`")
        } else {
            let value = self.unary(inner, operand);
            self.is_true(value, "operand of `!`", operand.span)
        };
        self.inverted(truth, span.to(operand.span))
    }

    /// The truth of a chain of `&&` or `||`; None for other operators.
    pub fn logical_chain(&mut self, chain: &'s Chain) -> Option<Value<'c, 'a>> {
        let (what, is_and) = match chain.rest.first()?.operator {
            BinaryOperator::And => ("operand of `&&`", true),
            BinaryOperator::Or => ("operand of `||`", false),
            _ => return None,
        };
        let mut truth = self.truth(&chain.first, what);
        for link in &chain.rest {
            let span = chain.first.span.to(link.operand.span);
            let ty = self.code(span).truth_type();
            let (operation, blocks) = self.scf_if(truth, &[ty], &[], span);
            for (index, block) in blocks.into_iter().enumerate() {
                let mark = self.enter(block);
                let value = if (index == 0) == is_and {
                    self.truth(&link.operand, what)
                } else {
                    self.flow(span).truth(!is_and)
                };
                self.code(span).op("scf.yield", &[value], &[], &[]);
                self.leave(mark);
            }
            truth = ops::result(operation);
        }
        Some(truth)
    }

    fn is_true(&self, value: Value<'c, 'a>, what: &str, span: Span) -> Value<'c, 'a> {
        let code = self.code(span);
        code.toy(Kind::Truth, &[value], &[("what", code.text(what))])
    }

    pub fn inverted(&self, truth: Value<'c, 'a>, span: Span) -> Value<'c, 'a> {
        let code = self.flow(span);
        code.computed("arith.xori", &[truth, code.truth(true)])
    }
}
