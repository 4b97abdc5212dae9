//! Statements, one after the other.

use super::scope::Scope;
use crate::dialect::ops::{self, Kind, ToyBuilder};
use crate::dialect::structs;
use crate::dialect::unify::structure;
use melior::ir::{Location, Value, ValueLike};
use toy_diagnostics::source::Span;
use toy_syntax::ast::{Assignment, DeclaredType, Expr, Name, Statement, StatementKind};

impl<'c, 'a, 's> Scope<'c, 'a, 's> {
    /// Lowers a statement that is not a jump.
    pub fn statement(&mut self, statement: &'s Statement) {
        match &statement.kind {
            StatementKind::VarDecl { ty, name, value } => {
                self.definition(ty, name, value, statement.span);
            }
            StatementKind::Expr(expression) => {
                self.expression(expression);
            }
            StatementKind::Assign(assignment) => self.assignment(assignment, statement.span),
            StatementKind::If(branches) => self.branches(branches, statement),
            StatementKind::While(repeated) => self.while_loop(repeated, statement.span),
            StatementKind::For(repeated) => self.for_loop(repeated, statement.span),
            // Handled by the functions that walk the statements: the next ones depend on it.
            StatementKind::Return(_) | StatementKind::Break | StatementKind::Continue => {}
        }
    }

    fn definition(&mut self, ty: &'s DeclaredType, name: &'s Name, initial: &'s Expr, span: Span) {
        let value = self.value(initial);
        let value = match ty {
            DeclaredType::Tensor(shape) => self.reshape(value, &shape.sizes, false, span),
            DeclaredType::Inferred | DeclaredType::Struct(_) => value,
        };
        let ty = self.types.declared(ty, &self.variables, initial);
        self.variables.insert(&name.text, ty);
        self.bind(name, value, None);
    }

    /// `name = value` and `name.field[subscripts] = value`. The subscripts are evaluated first. To assign a field is to
    /// assign the struct with another value in its place.
    fn assignment(&mut self, assignment: &'s Assignment, span: Span) {
        let Assignment { name, fields, subscripts, value, target } = assignment;
        let Some(mut old) = self.variable(&name.text) else { return };
        let mut ty = self.variables.get(name.text.as_str()).copied();
        let (mut text, mut around) = (name.text.clone(), Vec::new());
        for field in fields {
            let (index, inner) =
                ty.and_then(|ty| self.field(ty, field)).expect("checked: there is the field");
            around.push((old, index));
            old = self.field_of(old, index, name.span.to(field.span));
            ty = Some(inner);
            text = format!("{text}.{}", field.text);
        }
        let new = if subscripts.is_empty() {
            let value = self.value(value);
            self.assign(value, old, &text, span)
        } else {
            let (subscripts, indices) = self.subscripts(subscripts);
            let value = self.value(value);
            // Remarks about the update name the variable.
            let location = Location::name(self.context, &text, self.location(span));
            let operands = [&[value, old], indices.as_slice()].concat();
            self.code(span).located(location).toy(Kind::Update, &operands, &[subscripts])
        };
        let whole = around.into_iter().rev().fold(new, |new, (old, index)| {
            let count = structs::fields(old.r#type()).map_or(0, |fields| fields.len());
            let field = |at| match at == index {
                true => new,
                false => self.field_of(old, at, *target),
            };
            let values: Vec<_> = (0..count).map(field).collect();
            let code = self.code(span);
            structure(code, values, |_| code.location)
        });
        self.bind(name, whole, None);
    }

    /// `toy.assign`: the new value, which must have the shape of the old one.
    fn assign(
        &self,
        value: Value<'c, 'a>,
        old: Value<'c, 'a>,
        name: &str,
        span: Span,
    ) -> Value<'c, 'a> {
        let (code, ty) = (self.code(span), self.unshaped(value.r#type()));
        code.typed(Kind::Assign, &[value, old], ty, &[("name", code.text(name))])
    }

    /// Lowers an expression that has a value.
    pub fn value(&mut self, expression: &'s Expr) -> Value<'c, 'a> {
        self.expression(expression).expect("checked: the expression has a value")
    }

    /// A value without its shape.
    pub fn cast(&self, value: Value<'c, 'a>, span: Span) -> Value<'c, 'a> {
        let ty = self.unshaped(value.r#type());
        if ops::same_type(value.r#type(), ty) {
            return value;
        }
        self.code(span).typed(Kind::Cast, &[value], ty, &[])
    }
}
