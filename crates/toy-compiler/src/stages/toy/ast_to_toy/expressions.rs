//! Expressions, operands from left to right.

use super::scope::{Scope, as_tensor};
use crate::dialect::control::{self, Predicate};
use crate::dialect::ops::{self, Kind, ToyBuilder};
use crate::dialect::shape::{Shape, shape_of, tensor_type};
use crate::dialect::structs;
use crate::dialect::unify::{structure, unify};
use crate::stages::toy::literal;
use melior::ir::operation::OperationLike;
use melior::ir::{Value, ValueLike};
use mlir_support::Builder;
use toy_diagnostics::source::Span;
use toy_syntax::ast::{self, Expr, ExprKind};
use toy_syntax::{builtins, types};

impl<'c, 'a, 's> Scope<'c, 'a, 's> {
    /// Lowers an expression; None for a call without a value.
    pub fn expression(&mut self, expression: &'s Expr) -> Option<Value<'c, 'a>> {
        let code = self.code(expression.span);
        if let Some(constant) = literal::constant(self.context, expression) {
            return Some(code.toy_constant(constant.ty, constant.value));
        }
        match &expression.kind {
            ExprKind::Literal(_) => Some(self.literal(expression)),
            ExprKind::StructLiteral(values) => {
                let fields = self.values(values);
                Some(structure(code, fields, |index| self.location(values[index].span)))
            }
            ExprKind::Variable(name) => match self.variable(name) {
                Some(value) => Some(as_tensor(code, value)),
                None => Some(code.scalar_constant(builtins::value(name)?)),
            },
            ExprKind::Call(call) => self.call(call, expression.span),
            ExprKind::Chain(chain) => self.chain(chain),
            ExprKind::Unary(unary) => Some(self.unary(&unary.operators, &unary.operand)),
            ExprKind::Index(index) => {
                let base = self.value(&index.base);
                let (subscripts, indices) = self.subscripts(&index.subscripts);
                let operands = [&[base], indices.as_slice()].concat();
                Some(code.toy(Kind::Read, &operands, &[subscripts]))
            }
            ExprKind::Access(access) => self.access(access),
            ExprKind::Number(_) | ExprKind::String(_) | ExprKind::Error => None,
        }
    }

    pub fn values(&mut self, values: &'s [Expr]) -> Vec<Value<'c, 'a>> {
        values.iter().map(|value| self.value(value)).collect()
    }

    /// A literal with elements that are to be computed.
    fn literal(&mut self, expression: &'s Expr) -> Value<'c, 'a> {
        let (dims, elements) = literal::elements(expression);
        let mut values: Vec<_> = elements.iter().map(|element| self.value(element)).collect();
        let is_scalar = |value: &Value| shape_of(value.r#type()).is_some_and(|it| it.0.is_empty());
        let are_scalars = values.iter().all(is_scalar);
        self.unify(&mut values, elements.iter().copied());
        let code = self.code(expression.span);
        if are_scalars {
            let ty = tensor_type(self.context, &dims.into());
            return code.typed(Kind::FromElements, &values, ty, &[]);
        }
        let dims: Vec<_> = dims.0.iter().map(|dim| *dim as i64).collect();
        code.toy(Kind::FromElements, &values, &[("dims", code.numbers(&dims))])
    }

    fn access(&mut self, access: &'s ast::Access) -> Option<Value<'c, 'a>> {
        let mut value = self.expression(&access.base)?;
        let mut ty = self.types.of(&access.base, &self.variables);
        for field in &access.fields {
            let index;
            (index, ty) = self.field(ty, field)?;
            value = self.field_of(value, index, access.base.span.to(field.span));
        }
        Some(value)
    }

    /// The place of a field in a struct, and its type.
    pub fn field(
        &self,
        ty: types::Type<'s>,
        field: &ast::Name,
    ) -> Option<(usize, types::Type<'s>)> {
        let types::Type::Struct(definition) = ty else { return None };
        let (index, binding) = definition.field(&field.text)?;
        Some((index, self.types.named(binding.ty.as_ref())))
    }

    pub fn field_of(&self, value: Value<'c, 'a>, index: usize, span: Span) -> Value<'c, 'a> {
        let result = structs::field(value.r#type(), index).expect("checked: there is the field");
        let code = self.code(span);
        let index = ("index", code.number(index as i64));
        code.typed(Kind::StructAccess, &[value], result, &[index])
    }

    fn chain(&mut self, chain: &'s ast::Chain) -> Option<Value<'c, 'a>> {
        if let Some(truth) = self.logical_chain(chain) {
            return Some(self.code(chain.first.span).pure(Kind::FromTruth, &[truth]));
        }
        let mut value = self.expression(&chain.first)?;
        for link in &chain.rest {
            let operand = self.expression(&link.operand)?;
            let span = chain.first.span.to(link.operand.span);
            let (code, operands) = (self.code(span), [value, operand]);
            value = match Kind::of_operator(link.operator) {
                Some(kind) => code.pure(kind, &operands),
                None => compared(code, Predicate::of_operator(link.operator)?, operands),
            };
        }
        Some(value)
    }

    fn call(&mut self, call: &'s ast::Call, span: Span) -> Option<Value<'c, 'a>> {
        let callee = call.callee.text.as_str();
        if !self.functions.contains(callee) {
            return self.builtin(call, span);
        }
        let mut arguments = self.values(&call.arguments);
        self.unify(&mut arguments, call.arguments.iter());
        let has_result = self.with_result.contains(callee);
        let mut result = has_result.then(|| self.unranked(self.types.result_of(callee)));
        let code = self.code(span);
        let mut attributes = vec![("callee", code.symbol(callee))];
        if let Some(derivative) = &call.derivative {
            self.has_gradients.set(true);
            let types = self.types.derivative(call).into_iter();
            let types: Vec<_> = types.map(|ty| self.unranked(ty)).collect();
            result = Some(match types.as_slice() {
                [only] => *only,
                several => structs::struct_type(self.context, several),
            });
            let by: Vec<_> = derivative.parameters().iter().map(|it| *it as i64).collect();
            attributes.push((control::GRADIENT, code.numbers(&by)));
            attributes.extend(derivative.with_value().then(|| (control::WITH_VALUE, code.unit())));
        }
        let operation =
            code.toy_operation(Kind::GenericCall, &arguments, result.as_slice(), &attributes);
        (operation.result_count() > 0).then(|| ops::result(operation))
    }

    /// Casts operands of a variadic group to one type, unless they have one already.
    pub fn unify(&self, values: &mut [Value<'c, 'a>], expressions: impl Iterator<Item = &'s Expr>) {
        let spans: Vec<_> = expressions.map(|expression| expression.span).collect();
        let code = self.code(Span::default());
        unify(code, values, |index| self.location(spans[index]));
    }

    /// A value with other sizes, which are constants; if the shape is open, one of them may be -1.
    pub fn reshape(
        &mut self,
        value: Value<'c, 'a>,
        sizes: &'s [Expr],
        is_open: bool,
        span: Span,
    ) -> Value<'c, 'a> {
        let written = |size: &Expr| match size.kind {
            ExprKind::Number(size) if size >= 1.0 => Some(size as u64),
            _ => None,
        };
        if let Some(dims) = sizes.iter().map(written).collect::<Option<Vec<_>>>() {
            let ty = tensor_type(self.context, &Shape(dims).into());
            return self.code(span).typed(Kind::Reshape, &[value], ty, &[]);
        }
        let mut values = self.values(sizes);
        self.unify(&mut values, sizes.iter());
        let code = self.code(span);
        let open = is_open.then(|| ("open", code.unit()));
        code.toy(Kind::ReshapeTo, &[&[value], values.as_slice()].concat(), open.as_slice())
    }
}

/// `toy.compare`: 1 where the predicate holds, 0 elsewhere.
pub fn compared<'c, 'a>(
    code: Builder<'c, 'a>,
    predicate: Predicate,
    operands: [Value<'c, 'a>; 2],
) -> Value<'c, 'a> {
    code.toy(Kind::Compare, &operands, &[("predicate", code.text(predicate.name()))])
}
