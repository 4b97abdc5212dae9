//! Literals of the syntax tree as constants of the Toy dialect.
//!
//! Input: an expression. Output: its constant, if it consists of numbers only: a number, a literal, or a
//! struct literal of these; or the elements of a literal, which may be any scalars.
//! Invariant: literals are rectangular; `syntax::check` ensures that.

use crate::dialect::shape::{Shape, tensor_type};
use crate::dialect::structs::struct_type;
use melior::Context;
use melior::ir::attribute::ArrayAttribute;
use melior::ir::{Attribute, Type};
use mlir_support::ir;
use toy_syntax::ast::{Expr, ExprKind};

/// The value of a `toy.constant` or a `toy.struct_constant`, with its type.
pub struct Constant<'c> {
    pub ty: Type<'c>,
    pub value: Attribute<'c>,
}

/// The constant value of an expression; None if a part of it has to be computed.
pub fn constant<'c>(context: &'c Context, expression: &Expr) -> Option<Constant<'c>> {
    match &expression.kind {
        ExprKind::Number(_) | ExprKind::Literal(_) => {
            let shape = shape(expression);
            let mut numbers = Vec::with_capacity(shape.element_count().unwrap_or(0) as usize);
            collect_numbers(expression, &mut numbers)?;
            let ty = tensor_type(context, &shape.into());
            Some(Constant { ty, value: ir::dense(ty, &numbers) })
        }
        ExprKind::StructLiteral(values) => {
            let fields: Option<Vec<_>> =
                values.iter().map(|value| constant(context, value)).collect();
            let fields = fields?;
            let types: Vec<_> = fields.iter().map(|field| field.ty).collect();
            let values: Vec<_> = fields.iter().map(|field| field.value).collect();
            Some(Constant {
                ty: struct_type(context, &types),
                value: ArrayAttribute::new(context, &values).into(),
            })
        }
        _ => None,
    }
}

/// The dimensions of a literal, as far as all of its elements are lists, and the elements in row-major order.
pub fn elements(literal: &Expr) -> (Shape, Vec<&Expr>) {
    let (mut dims, mut level) = (Vec::new(), vec![literal]);
    let list = |element: &&'_ Expr| matches!(element.kind, ExprKind::Literal(_));
    while level.iter().all(list) {
        dims.push(level.first().map_or(0, |first| first.children().count() as u64));
        level = level.into_iter().flat_map(Expr::children).collect();
    }
    (Shape(dims), level)
}

fn shape(literal: &Expr) -> Shape {
    let mut dims = Vec::new();
    let mut first = literal;
    while let ExprKind::Literal(elements) = &first.kind {
        dims.push(elements.len() as u64);
        let Some(element) = elements.first() else { break };
        first = element;
    }
    Shape(dims)
}

/// None if an element is not a number. Recursion is bounded by the limit on nested brackets.
fn collect_numbers(expression: &Expr, numbers: &mut Vec<f64>) -> Option<()> {
    match &expression.kind {
        ExprKind::Number(value) => numbers.push(*value),
        ExprKind::Literal(elements) => {
            elements.iter().try_for_each(|element| collect_numbers(element, numbers))?;
        }
        _ => return None,
    }
    Some(())
}
