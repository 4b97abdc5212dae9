//! The shapes that are known inside a function, whatever it is called with.
//!
//! Input: the variables of a function in their order, and expressions. Output: shapes. Invariants: a
//! shape that is given is the value's shape in every specialization, if the program has no
//! mistakes about shapes; recursion goes over brackets only.

use crate::ast::{Expr, ExprKind};
use std::collections::HashMap;

#[derive(Default)]
pub struct Shapes<'m> {
    variables: HashMap<&'m str, Vec<i64>>,
}

impl<'m> Shapes<'m> {
    /// Makes a variable known, if its shape is.
    pub fn define(&mut self, name: &'m str, shape: Option<Vec<i64>>) {
        if let Some(shape) = shape {
            self.variables.insert(name, shape);
        }
    }

    pub fn of(&self, expr: &Expr) -> Option<Vec<i64>> {
        match &expr.kind {
            ExprKind::Number(_) => Some(Vec::new()),
            ExprKind::Literal(elements) => {
                // The others have the same shape, or there will be an error about them; an element
                // that is no list is a scalar, or there will be another one.
                let element = elements.first()?;
                let is_list = matches!(element.kind, ExprKind::Literal(_));
                let mut shape = vec![i64::try_from(elements.len()).ok()?];
                shape.extend(if is_list { self.of(element)? } else { Vec::new() });
                Some(shape)
            }
            ExprKind::Variable(name) => self.variables.get(name.as_str()).cloned(),
            ExprKind::Call(call) if call.callee.text == "transpose" => {
                let mut shape = self.of(call.arguments.first()?)?;
                shape.reverse();
                Some(shape)
            }
            // What a function returns depends on its arguments.
            ExprKind::Call(_) => None,
            ExprKind::Negation(negation) => self.of(&negation.operand),
            ExprKind::Chain(chain) => {
                let mut result = self.of(&chain.first)?;
                for link in &chain.rest {
                    let operand = self.of(&link.operand)?;
                    // Scalars take any shape.
                    if result.is_empty() {
                        result = operand;
                    } else if !operand.is_empty() && operand != result {
                        return None;
                    }
                }
                Some(result)
            }
            ExprKind::Access(_) | ExprKind::StructLiteral(_) | ExprKind::Error => None,
        }
    }
}
