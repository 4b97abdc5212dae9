//! Expressions, operands from left to right.

use super::scope::Scope;
use super::subscripts::is_index;
use super::{Lowering, append};
use crate::dialect::control::{self, Predicate, scalar_type};
use crate::dialect::ops::{self, Insertion, Kind};
use crate::dialect::shape::{Element, Shape, shape_of, tensor_type, unranked_type};
use crate::dialect::structs::{self, struct_type};
use crate::dialect::unify::unify;
use crate::stages::toy::literal;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, BlockRef, Location, Value, ValueLike};
use toy_diagnostics::source::Span;
use toy_syntax::ast::{self, Expr, ExprKind};
use toy_syntax::{builtins, types};

impl<'c, 's> Lowering<'c, 's> {
    /// Lowers an expression; None for a call without a value.
    pub fn expression<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        expression: &'s Expr,
    ) -> Option<Value<'c, 'a>> {
        let (block, location) = (scope.block, self.location(expression.span));
        if let Some(constant) = literal::constant(self.context, expression) {
            return Some(append(block, constant.operation(self.context, location)));
        }
        match &expression.kind {
            ExprKind::Literal(_) => Some(self.literal(scope, expression)),
            ExprKind::StructLiteral(values) => {
                let mut fields = self.values(scope, values);
                let types: Vec<_> = fields.iter().map(|field| field.r#type()).collect();
                self.unify(block, &mut fields, values.iter());
                let ty = struct_type(self.context, &types);
                Some(append(block, ops::struct_create(location, &fields, ty)))
            }
            ExprKind::Variable(name) => match scope.value(name) {
                Some(value) => Some(self.as_tensor(scope, value, location)),
                None => Some(self.number(block, builtins::value(name)?, expression.span)),
            },
            ExprKind::Call(call) => self.call(scope, call, expression.span),
            ExprKind::Chain(chain) => self.chain(scope, chain),
            ExprKind::Unary(unary) => Some(self.unary(scope, &unary.operators, &unary.operand)),
            ExprKind::Index(index) => {
                let base = self.value(scope, &index.base);
                let (subscripts, indices) = self.subscripts(scope, &index.subscripts);
                let unranked = unranked_type(self.context, Element::DEFAULT);
                let read =
                    control::read(self.context, location, base, &subscripts, &indices, unranked);
                Some(append(scope.block, read))
            }
            ExprKind::Access(access) => self.access(scope, access),
            ExprKind::Number(_) | ExprKind::String(_) | ExprKind::Error => None,
        }
    }

    pub fn values<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        values: &'s [Expr],
    ) -> Vec<Value<'c, 'a>> {
        values.iter().map(|value| self.expression(scope, value).expect("checked")).collect()
    }

    /// A literal with elements that are to be computed.
    fn literal<'a>(&self, scope: &mut Scope<'c, 'a, 's>, expression: &'s Expr) -> Value<'c, 'a> {
        let (dims, elements) = literal::elements(expression);
        let mut values: Vec<_> = elements
            .iter()
            .map(|element| self.expression(scope, element).expect("checked"))
            .collect();
        let is_scalar = |value: &Value| shape_of(value.r#type()).is_some_and(|it| it.0.is_empty());
        let are_scalars = values.iter().all(is_scalar);
        self.unify(scope.block, &mut values, elements.iter().copied());
        let location = self.location(expression.span);
        let operation = match are_scalars {
            true => {
                let ty = tensor_type(self.context, &dims.into());
                ops::from_elements(location, &values, ty)
            }
            false => {
                let unranked = unranked_type(self.context, Element::DEFAULT);
                control::list(self.context, location, &dims, &values, unranked)
            }
        };
        append(scope.block, operation)
    }

    fn access<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        access: &'s ast::Access,
    ) -> Option<Value<'c, 'a>> {
        let mut value = self.expression(scope, &access.base)?;
        let mut ty = self.types.of(&access.base, &scope.types);
        for field in &access.fields {
            let index;
            (index, ty) = self.field(ty, field)?;
            value = self.field_of(scope, value, index, access.base.span.to(field.span));
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

    pub fn field_of<'a>(
        &self,
        scope: &Scope<'c, 'a, 's>,
        value: Value<'c, 'a>,
        index: usize,
        span: Span,
    ) -> Value<'c, 'a> {
        let result = structs::field(value.r#type(), index).expect("checked: there is the field");
        let location = self.location(span);
        let operation = ops::struct_access(self.context, location, value, index, result);
        append(scope.block, operation)
    }

    fn chain<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        chain: &'s ast::Chain,
    ) -> Option<Value<'c, 'a>> {
        if let Some(truth) = self.logical_chain(scope, chain) {
            let location = self.location(chain.first.span);
            return Some(self.truth_as_scalar(scope, truth, location));
        }
        let mut value = self.expression(scope, &chain.first)?;
        for link in &chain.rest {
            let operand = self.expression(scope, &link.operand)?;
            let span = chain.first.span.to(link.operand.span);
            let operands = [value, operand];
            value = match Kind::of_operator(link.operator) {
                Some(kind) => self.pure(scope.block, kind, span, &operands),
                None => {
                    let predicate = Predicate::of_operator(link.operator)?;
                    let location = self.location(span);
                    let unranked = unranked_type(self.context, Element::DEFAULT);
                    let compare =
                        control::compare(self.context, location, predicate, operands, unranked);
                    append(scope.block, compare)
                }
            };
        }
        Some(value)
    }

    fn call<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        call: &'s ast::Call,
        span: Span,
    ) -> Option<Value<'c, 'a>> {
        let callee = call.callee.text.as_str();
        if !self.functions.contains(callee) {
            return self.builtin(scope, call, span);
        }
        let mut arguments = self.values(scope, &call.arguments);
        self.unify(scope.block, &mut arguments, call.arguments.iter());
        let has_result = self.with_result.contains(callee);
        let result = has_result.then(|| self.unranked(self.types.result_of(callee)));
        let operation =
            ops::generic_call(self.context, self.location(span), callee, &arguments, result);
        let operation = scope.block.append_operation(operation);
        (operation.result_count() > 0).then(|| ops::result(operation))
    }

    /// Casts operands of a variadic group to one type, unless they have one already.
    pub fn unify<'a>(
        &self,
        block: BlockRef<'c, 'a>,
        values: &mut [Value<'c, 'a>],
        expressions: impl Iterator<Item = &'s Expr>,
    ) {
        let spans: Vec<_> = expressions.map(|expression| expression.span).collect();
        unify(self.context, Insertion::AtEnd(block), values, |index| self.location(spans[index]));
    }

    /// An operation that only computes.
    pub fn pure<'a>(
        &self,
        block: BlockRef<'c, 'a>,
        kind: Kind,
        span: Span,
        operands: &[Value<'c, 'a>],
    ) -> Value<'c, 'a> {
        let unranked = unranked_type(self.context, Element::DEFAULT);
        append(block, ops::pure(kind.name(), self.location(span), operands, unranked))
    }

    /// A scalar that is known.
    pub fn number<'a>(&self, block: BlockRef<'c, 'a>, number: f64, span: Span) -> Value<'c, 'a> {
        let (ty, location) = (scalar_type(self.context), self.location(span));
        append(block, ops::constant(self.context, location, ty, ops::dense(ty, &[number])))
    }

    /// A value with other sizes, which are constants; if the shape is open, one of them may be -1.
    pub fn reshape<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
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
            return append(
                scope.block,
                ops::pure("toy.reshape", self.location(span), &[value], ty),
            );
        }
        let mut values: Vec<_> = sizes.iter().map(|size| self.value(scope, size)).collect();
        self.unify(scope.block, &mut values, sizes.iter());
        self.reshape_to(scope.block, value, &values, is_open, span)
    }

    pub fn reshape_to<'a>(
        &self,
        block: BlockRef<'c, 'a>,
        value: Value<'c, 'a>,
        sizes: &[Value<'c, 'a>],
        is_open: bool,
        span: Span,
    ) -> Value<'c, 'a> {
        let operands = [&[value], sizes].concat();
        let (location, unranked) =
            (self.location(span), unranked_type(self.context, Element::DEFAULT));
        append(block, control::reshape_to(self.context, location, &operands, is_open, unranked))
    }

    /// The value of a variable as a tensor: a loop variable's is an `index`.
    pub fn as_tensor<'a>(
        &self,
        scope: &Scope<'c, 'a, 's>,
        value: Value<'c, 'a>,
        location: Location<'c>,
    ) -> Value<'c, 'a> {
        if !is_index(value) {
            return value;
        }
        let scalar = scalar_type(self.context);
        append(scope.block, ops::pure("toy.from_index", location, &[value], scalar))
    }
}
