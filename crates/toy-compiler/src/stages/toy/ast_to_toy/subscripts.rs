//! Subscripts: the indices of a part, as numbers of type `index`.
//!
//! A loop variable is an `index` already, and so are its sums, differences and products with whole numbers:
//! they need no check for whole numbers, and LLVM can prove that they are in range. Everything else is a
//! tensor, which `toy.to_index` checks.

use super::scope::{Scope, is_index};
use crate::dialect::control::{self, IndexUse, Subscript};
use crate::dialect::ops::{Kind, ToyBuilder};
use crate::dialect::shape::Element;
use melior::ir::{Attribute, Value};
use mlir_support::Builder;
use toy_diagnostics::source::Span;
use toy_syntax::ast::{self, BinaryOperator, Expr, ExprKind};
use toy_syntax::window::{self, Term};

/// An `index` of this size is exact as a number of Toy, too.
const MAX_WHOLE: f64 = Element::DEFAULT.exact();

impl<'c, 'a, 's> Scope<'c, 'a, 's> {
    /// The attribute with the subscripts of a part, and their indices.
    pub fn subscripts(
        &mut self,
        subscripts: &'s [ast::Subscript],
    ) -> ((&'static str, Attribute<'c>), Vec<Value<'c, 'a>>) {
        let (mut kinds, mut indices) = (Vec::new(), Vec::new());
        for subscript in subscripts {
            match subscript {
                ast::Subscript::At(Expr { kind: ExprKind::Number(number), .. })
                    if *number < 0.0 =>
                {
                    kinds.push(Subscript::Nth(*number as i64));
                }
                ast::Subscript::At(index) => {
                    kinds.push(Subscript::At);
                    indices.push(self.index(index, IndexUse::Index));
                }
                // The bounds have to be constants, which specialization finds out from tensors.
                ast::Subscript::Range(slice) => {
                    let is_pure =
                        |name: &str| self.types.builtin(name).is_some_and(|it| it.has_value());
                    if let Some(terms) = window::length(slice, &is_pure) {
                        kinds.push(Subscript::Window);
                        indices
                            .extend(slice.from.as_ref().map(|it| self.index(it, IndexUse::Index)));
                        indices.push(self.length(&terms, slice.span));
                        continue;
                    }
                    let parts = [&slice.from, &slice.to, &slice.step];
                    kinds.push(Subscript::Range(parts.map(Option::is_some)));
                    for bound in parts.into_iter().flatten() {
                        indices.push(self.computed_index(bound, IndexUse::Bound));
                    }
                }
            }
        }
        (control::subscripts_attribute(self.code(Span::default()), &kinds), indices)
    }

    /// The sum of the terms, as an `index`.
    fn length(&mut self, terms: &[Term<'s>], span: Span) -> Value<'c, 'a> {
        let zero = self.code(span).scalar_constant(0.0);
        let sum = terms.iter().fold(zero, |sum, (is_negative, term)| {
            let term = self.value(term);
            let kind = if *is_negative { Kind::Sub } else { Kind::Add };
            self.code(span).pure(kind, &[sum, term])
        });
        checked_index(self.code(span), sum, IndexUse::Bound)
    }

    /// An expression as an `index`; `what` names it in messages.
    pub fn index(&mut self, expression: &'s Expr, what: IndexUse) -> Value<'c, 'a> {
        match self.is_counted(expression) {
            true => self.counted(expression),
            false => self.computed_index(expression, what),
        }
    }

    fn computed_index(&mut self, expression: &'s Expr, what: IndexUse) -> Value<'c, 'a> {
        let value = self.value(expression);
        checked_index(self.code(expression.span), value, what)
    }

    /// True if an expression is a loop variable with whole numbers that are added or subtracted.
    fn is_counted(&self, expression: &Expr) -> bool {
        let is_counter = |expression: &Expr| match &expression.kind {
            ExprKind::Variable(name) => self.variable(name).is_some_and(is_index),
            _ => false,
        };
        let is_term = |expression: &Expr| is_counter(expression) || whole(expression).is_some();
        match &expression.kind {
            // Few enough that the sum cannot overflow.
            ExprKind::Chain(chain) if chain.rest.len() < 256 => {
                let operands = || {
                    std::iter::once(&chain.first).chain(chain.rest.iter().map(|link| &link.operand))
                };
                let is_sum =
                    |operator| matches!(operator, BinaryOperator::Add | BinaryOperator::Sub);
                chain.rest.iter().all(|link| is_sum(link.operator))
                    && operands().all(is_term)
                    && operands().any(is_counter)
            }
            _ => is_counter(expression),
        }
    }

    fn counted(&mut self, expression: &'s Expr) -> Value<'c, 'a> {
        match &expression.kind {
            ExprKind::Variable(name) => {
                self.variable(name).expect("checked: the variable is known")
            }
            ExprKind::Chain(chain) => {
                let mut sum = self.counted(&chain.first);
                for link in &chain.rest {
                    let operand = self.counted(&link.operand);
                    let name = match link.operator {
                        BinaryOperator::Sub => "arith.subi",
                        _ => "arith.addi",
                    };
                    let span = chain.first.span.to(link.operand.span);
                    sum = self.flow(span).computed(name, &[sum, operand]);
                }
                sum
            }
            _ => {
                let value = whole(expression).expect("a whole number, as asked before");
                self.index_constant(value, expression.span)
            }
        }
    }
}

/// `toy.to_index`: a scalar as an index, which is checked when the program runs.
pub fn checked_index<'c, 'a>(
    code: Builder<'c, 'a>,
    number: Value<'c, 'a>,
    what: IndexUse,
) -> Value<'c, 'a> {
    code.toy(Kind::ToIndex, &[number], &[("what", code.text(what.name()))])
}

/// The value of a whole number.
fn whole(expression: &Expr) -> Option<i64> {
    match &expression.kind {
        ExprKind::Number(value) if value.fract() == 0.0 && value.abs() < MAX_WHOLE => {
            Some(*value as i64)
        }
        ExprKind::Unary(unary) => {
            let value = whole(&unary.operand)?;
            Some(if unary.is_negative()? { -value } else { value })
        }
        _ => None,
    }
}
