//! Statements, one after the other.

use super::scope::Scope;
use super::{Lowering, append};
use crate::dialect::ops::Insertion;
use crate::dialect::shape::{Element, unranked_type};
use crate::dialect::structs::{self, struct_type};
use crate::dialect::unify::unify;
use crate::dialect::{control, ops};
use melior::ir::{Location, Value, ValueLike};
use toy_diagnostics::source::Span;
use toy_syntax::ast::{Assignment, DeclaredType, Expr, Name, Statement, StatementKind};

impl<'c, 's> Lowering<'c, 's> {
    /// Lowers a statement that is not a jump.
    pub fn statement<'a>(&self, scope: &mut Scope<'c, 'a, 's>, statement: &'s Statement) {
        match &statement.kind {
            StatementKind::VarDecl { ty, name, value } => {
                self.definition(scope, ty, name, value, statement.span);
            }
            StatementKind::Expr(expression) => {
                self.expression(scope, expression);
            }
            StatementKind::Assign(assignment) => self.assignment(scope, assignment, statement.span),
            StatementKind::If(branches) => self.branches(scope, branches, statement.span),
            StatementKind::While(repeated) => self.while_loop(scope, repeated, statement.span),
            StatementKind::For(repeated) => self.for_loop(scope, repeated, statement.span),
            // Handled by the functions that walk the statements: the next ones depend on it.
            StatementKind::Return(_) | StatementKind::Break | StatementKind::Continue => {}
        }
    }

    fn definition<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        ty: &'s DeclaredType,
        name: &'s Name,
        initial: &'s Expr,
        span: Span,
    ) {
        let value = self.value(scope, initial);
        let value = match ty {
            DeclaredType::Tensor(shape) => self.reshape(scope, value, &shape.sizes, false, span),
            DeclaredType::Inferred | DeclaredType::Struct(_) => value,
        };
        let ty = self.types.declared(ty, &scope.types, initial);
        scope.types.insert(&name.text, ty);
        self.bind(scope, name, value, None);
    }

    /// `name = value` and `name.field[subscripts] = value`. The subscripts are evaluated first. To assign a field is to
    /// assign the struct with another value in its place.
    fn assignment<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        assignment: &'s Assignment,
        span: Span,
    ) {
        let Assignment { name, fields, subscripts, value, target } = assignment;
        let Some(mut old) = scope.value(&name.text) else { return };
        let mut ty = scope.types.get(name.text.as_str()).copied();
        let (mut text, mut around) = (name.text.clone(), Vec::new());
        for field in fields {
            let (index, inner) =
                ty.and_then(|ty| self.field(ty, field)).expect("checked: there is the field");
            around.push((old, index));
            old = self.field_of(scope, old, index, name.span.to(field.span));
            ty = Some(inner);
            text = format!("{text}.{}", field.text);
        }
        let new = if subscripts.is_empty() {
            let value = self.value(scope, value);
            self.assign(scope, value, old, &text, span)
        } else {
            let (subscripts, indices) = self.subscripts(scope, subscripts);
            let value = self.value(scope, value);
            // Remarks about the update name the variable.
            let context = self.context;
            let location = Location::name(context, &text, self.location(span));
            let unranked = unranked_type(context, Element::DEFAULT);
            let update =
                control::update(context, location, (value, old), &subscripts, &indices, unranked);
            append(scope.block, update)
        };
        let whole = around.into_iter().rev().fold(new, |new, (old, index)| {
            let count = structs::fields(old.r#type()).map_or(0, |fields| fields.len());
            let field = |at| match at == index {
                true => new,
                false => self.field_of(scope, old, at, *target),
            };
            let values: Vec<_> = (0..count).map(field).collect();
            let types: Vec<_> = values.iter().map(|value| value.r#type()).collect();
            let ty = struct_type(self.context, &types);
            let mut values = values;
            unify(self.context, Insertion::AtEnd(scope.block), &mut values, |_| {
                self.location(span)
            });
            append(scope.block, ops::struct_create(self.location(span), &values, ty))
        });
        self.bind(scope, name, whole, None);
    }

    /// `toy.assign`: the new value, which must have the shape of the old one.
    fn assign<'a>(
        &self,
        scope: &Scope<'c, 'a, 's>,
        value: Value<'c, 'a>,
        old: Value<'c, 'a>,
        name: &str,
        span: Span,
    ) -> Value<'c, 'a> {
        let ty = self.unshaped(value.r#type());
        let location = self.location(span);
        let assign = control::assign(self.context, location, (value, old), name, ty);
        append(scope.block, assign)
    }

    /// Lowers an expression that has a value.
    pub fn value<'a>(&self, scope: &mut Scope<'c, 'a, 's>, expression: &'s Expr) -> Value<'c, 'a> {
        self.expression(scope, expression).expect("checked: the expression has a value")
    }

    /// A value without its shape.
    pub fn cast<'a>(
        &self,
        scope: &Scope<'c, 'a, 's>,
        value: Value<'c, 'a>,
        span: Span,
    ) -> Value<'c, 'a> {
        let ty = self.unshaped(value.r#type());
        if ops::same_type(value.r#type(), ty) {
            return value;
        }
        append(scope.block, ops::pure("toy.cast", self.location(span), &[value], ty))
    }
}
