//! Calls of builtin functions.
//!
//! What has to be a constant (an axis, the length of a range) is an operand here: specialization computes it
//! when the shapes are known.

use super::Lowering;
use super::scope::Scope;
use crate::dialect::ops;
use crate::dialect::shape::{Shape, tensor_type, unranked_type};
use melior::ir::attribute::{ArrayAttribute, StringAttribute};
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::{Attribute, BlockLike, Identifier, Value};
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
        operands.extend(call.named.iter().map(|(_, axis)| self.value(scope, axis)));
        let pure =
            |name| ops::pure(name, self.location(span), &operands, unranked_type(self.context));
        let with = |name, attribute, text| self.with_text(name, span, &operands, attribute, text);
        let operation = match (name, operands.len()) {
            ("transpose", 1) => pure("toy.transpose"),
            ("sum" | "max" | "min", 1) => with("toy.reduce", "kind", name),
            ("sum" | "max" | "min", 2) if !call.named.is_empty() => {
                with("toy.reduce_axis", "kind", name)
            }
            ("max", 2) => pure("toy.max"),
            ("min", 2) => pure("toy.min"),
            ("pow", 2) => pure("toy.pow"),
            ("where", 3) => pure("toy.select"),
            ("range", 1) => pure("toy.range"),
            ("shape", 2) => {
                let scalar = tensor_type(self.context, &Shape(vec![]));
                ops::pure("toy.shape", self.location(span), &operands, scalar)
            }
            _ => with("toy.math", "function", name),
        };
        let operation = scope.block.append_operation(operation);
        (operation.result_count() > 0).then(|| ops::result(operation))
    }

    /// One value as upstream prints it; several, and texts, with a `toy.print_values`.
    fn print<'a>(&self, scope: &mut Scope<'c, 'a, 's>, call: &'s Call, span: Span) {
        let location = self.location(span);
        if let [argument] = &call.arguments[..]
            && !matches!(argument.kind, ExprKind::String(_))
        {
            let value = self.value(scope, argument);
            scope.block.append_operation(ops::print(location, value));
            return;
        }
        let (mut values, mut expressions, mut format) = (Vec::new(), Vec::new(), Vec::new());
        for argument in &call.arguments {
            let entry: Attribute = match &argument.kind {
                ExprKind::String(text) => StringAttribute::new(self.context, text).into(),
                _ => {
                    values.push(self.value(scope, argument));
                    expressions.push(argument);
                    Attribute::unit(self.context)
                }
            };
            format.push(entry);
        }
        self.unify(scope.block, &mut values, expressions.into_iter());
        let format = ArrayAttribute::new(self.context, &format).into();
        let print = OperationBuilder::new("toy.print_values", location)
            .add_operands(&values)
            .add_attributes(&[(Identifier::new(self.context, "format"), format)])
            .build()
            .expect("a well-formed toy.print_values");
        scope.block.append_operation(print);
    }
}
