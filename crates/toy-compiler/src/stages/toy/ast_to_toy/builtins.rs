//! Calls of builtin functions.
//!
//! Constants (an axis, the length of a range) are operands here: specialization computes them when the
//! shapes are known.

use super::scope::Scope;
use super::{Lowering, append};
use crate::dialect::control::{self, Function, Part, Reduction, scalar_type};
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::{Element, unranked_type};
use melior::ir::{BlockLike, Value};
use toy_diagnostics::source::Span;
use toy_syntax::ast::{Call, ExprKind};
use toy_syntax::types;

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
        operands.extend(call.named.iter().map(|(_, axis)| self.value(scope, axis)));
        let (context, location) = (self.context, self.location(span));
        let unranked = unranked_type(context, Element::DEFAULT);
        // `max(x, axis = 0)` is not the `max` of two tensors.
        let kind = Kind::of_builtin(name, operands.len()).filter(|_| call.named.is_empty());
        let operation = match (kind, &operands[..]) {
            (Some(kind), operands) => {
                let ty = if kind == Kind::Shape { scalar_type(context) } else { unranked };
                ops::pure(kind.name(), location, operands, ty)
            }
            (None, operands) => match (Reduction::named(name), Function::named(name), operands) {
                (Some(kind), _, [operand]) => {
                    control::reduce(context, location, kind, *operand, None, scalar_type(context))
                }
                (Some(kind), _, [operand, axis]) => {
                    control::reduce_axis(context, location, kind, [*operand, *axis], unranked)
                }
                (_, Some(function), [operand]) => {
                    control::math(context, location, function, *operand, unranked)
                }
                _ => return None,
            },
        };
        Some(append(scope.block, operation))
    }

    /// The tensors of a value, each field with its name: `from.x:`.
    fn printed<'a>(
        &self,
        scope: &Scope<'c, 'a, 's>,
        (value, ty): (Value<'c, 'a>, types::Type<'s>),
        path: &str,
        span: Span,
    ) -> Vec<(Option<String>, Value<'c, 'a>)> {
        let types::Type::Struct(definition) = ty else {
            return vec![((!path.is_empty()).then(|| format!("{path}:")), value)];
        };
        let dot = if path.is_empty() { "" } else { "." };
        let fields = definition.fields.iter().enumerate();
        let printed = fields.flat_map(|(index, field)| {
            let inner = self.types.named(field.ty.as_ref());
            let value = self.field_of(scope, value, index, span);
            let path = format!("{path}{dot}{}", field.name.text);
            self.printed(scope, (value, inner), &path, span)
        });
        printed.collect()
    }

    /// One value as upstream prints it; several, and texts, with a `toy.print_values`.
    fn print<'a>(&self, scope: &mut Scope<'c, 'a, 's>, call: &'s Call, span: Span) {
        let location = self.location(span);
        if let [argument] = &call.arguments[..]
            && !matches!(argument.kind, ExprKind::String(_))
            && call.named.is_empty()
            && let types::Type::Tensor = self.types.of(argument, &scope.types)
        {
            let value = self.value(scope, argument);
            scope.block.append_operation(ops::print(location, value));
            return;
        }
        let (mut values, mut expressions, mut format) = (Vec::new(), Vec::new(), Vec::new());
        for argument in &call.arguments {
            if let ExprKind::String(text) = &argument.kind {
                format.push(Part::Text(text.clone()));
                continue;
            }
            let value = self.value(scope, argument);
            let ty = self.types.of(argument, &scope.types);
            for (name, value) in self.printed(scope, (value, ty), "", argument.span) {
                format.extend(name.map(Part::Text));
                format.push(Part::Value);
                values.push(value);
                expressions.push(argument);
            }
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
