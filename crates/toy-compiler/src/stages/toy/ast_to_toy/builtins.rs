//! Calls of builtin functions.
//!
//! Constants (an axis, the length of a range) are operands here: specialization computes them when the
//! shapes are known.

use super::scope::Scope;
use super::{Lowering, append};
use crate::dialect::control::{self, Function, Part, Reduction, scalar_type};
use crate::dialect::evaluate::{Evaluated, evaluate};
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::{Element, unranked_type};
use melior::ir::{BlockLike, Value};
use toy_diagnostics::source::Span;
use toy_syntax::ast::{Call, ExprKind};

impl<'c, 's> Lowering<'c, 's> {
    pub fn builtin<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        call: &'s Call,
        span: Span,
    ) -> Option<Value<'c, 'a>> {
        let name = call.callee.text.as_str();
        if name == "print" {
            self.print(scope, call, span);
            return None;
        }
        let mut operands = self.values(scope, &call.arguments);
        let mut keep = false;
        for (name, value) in &call.named {
            let value = self.value(scope, value);
            match name.text.as_str() {
                // Checked: a constant that no shape is part of.
                "keep" => {
                    keep = matches!(evaluate(value), Evaluated::Number(number) if number != 0.0)
                }
                _ => operands.push(value),
            }
        }
        let (context, location) = (self.context, self.location(span));
        let unranked = unranked_type(context, Element::DEFAULT);
        if let ("transpose", [_, axes @ ..]) = (name, &mut operands[..]) {
            self.unify(scope.block, axes, call.arguments[1..].iter());
        }
        // `max(x, axis = 0)` is not the `max` of two tensors.
        let kind = Kind::of_builtin(name, operands.len()).filter(|_| call.named.is_empty());
        let operation = match (kind, &operands[..]) {
            (Some(kind), operands) => {
                let ty = if kind == Kind::Shape { scalar_type(context) } else { unranked };
                ops::pure(kind.name(), location, operands, ty)
            }
            (None, operands) => match (Reduction::named(name), Function::named(name), operands) {
                (Some(kind), _, [operand]) => {
                    let ty = if keep { unranked } else { scalar_type(context) };
                    control::reduce(context, location, (kind, keep), *operand, None, ty)
                }
                (Some(kind), _, [operand, axis]) => {
                    let operands = [*operand, *axis];
                    control::reduce_axis(context, location, (kind, keep), operands, unranked)
                }
                (_, Some(function), [operand]) => {
                    control::math(context, location, function, *operand, unranked)
                }
                _ => return None,
            },
        };
        Some(append(scope.block, operation))
    }

    /// One value as upstream prints it; several, and texts, with a `toy.print_values`.
    fn print<'a>(&self, scope: &mut Scope<'c, 'a, 's>, call: &'s Call, span: Span) {
        let location = self.location(span);
        if let [argument] = &call.arguments[..]
            && !matches!(argument.kind, ExprKind::String(_))
            && call.named.is_empty()
        {
            let value = self.value(scope, argument);
            scope.block.append_operation(ops::print(location, value));
            return;
        }
        let (mut values, mut expressions, mut format) = (Vec::new(), Vec::new(), Vec::new());
        for argument in &call.arguments {
            format.push(match &argument.kind {
                ExprKind::String(text) => Part::Text(text.clone()),
                _ => {
                    values.push(self.value(scope, argument));
                    expressions.push(argument);
                    Part::Value
                }
            });
        }
        let end = call.named.iter().find_map(|(_, end)| match &end.kind {
            ExprKind::String(text) => Some(text.as_str()),
            _ => None,
        });
        self.unify(scope.block, &mut values, expressions.into_iter());
        let print = control::print_values(self.context, location, &format, end, &values);
        scope.block.append_operation(print);
    }
}
