//! The shapes in a function that do not depend on its arguments.
//!
//! Input: the variables of a function in source order, and expressions. Output: shapes. Invariants: a
//! known shape is the shape of the value in every specialization, if the program has no shape
//! errors; recursion goes over brackets only. Of variables with the same name in different blocks, the last one is
//! known, and the only one that an expression may mean. Assignments keep shapes.

use crate::ast::{Class, Expr, ExprKind};
use crate::builtins;
use std::collections::HashMap;

#[derive(Default)]
pub struct Shapes<'m> {
    variables: HashMap<&'m str, Vec<i64>>,
}

impl<'m> Shapes<'m> {
    /// Records a variable, if its shape is known.
    pub fn define(&mut self, name: &'m str, shape: Option<Vec<i64>>) {
        match shape {
            Some(shape) => self.variables.insert(name, shape),
            None => self.variables.remove(name),
        };
    }

    pub fn of(&self, expr: &Expr) -> Option<Vec<i64>> {
        match &expr.kind {
            ExprKind::Number(_) => Some(Vec::new()),
            ExprKind::Literal(elements) => {
                // The other elements have the same shape, and an element that is not a list is a
                // scalar; otherwise, there will be an error.
                let element = elements.first()?;
                let is_list = matches!(element.kind, ExprKind::Literal(_));
                let mut shape = vec![i64::try_from(elements.len()).ok()?];
                shape.extend(if is_list { self.of(element)? } else { Vec::new() });
                Some(shape)
            }
            ExprKind::Variable(name) => self.variables.get(name.as_str()).cloned(),
            // A function's result depends on its arguments; no function has the name of such a builtin.
            ExprKind::Call(call) => {
                let builtin = builtins::find(&call.callee.text).filter(|it| it.is_reserved)?;
                let [argument] = &call.arguments[..] else { return None };
                (builtin.shape)(self.of(argument)?)
            }
            ExprKind::Unary(unary) => {
                if unary.is_negative().is_some() {
                    self.of(&unary.operand)
                } else {
                    Some(Vec::new())
                }
            }
            ExprKind::Chain(chain) => {
                let mut result = self.of(&chain.first)?;
                for link in &chain.rest {
                    let class = link.operator.class();
                    if matches!(class, Class::Logical) {
                        return Some(Vec::new());
                    }
                    let operand = self.of(&link.operand)?;
                    if let Class::OfTensors(shape) = class {
                        result = shape(&result, &operand)?;
                        continue;
                    }
                    // Scalars take any shape; the rest of the rule for repeated dimensions is not worth a warning.
                    if result.is_empty() {
                        result = operand;
                    } else if !operand.is_empty() && operand != result {
                        return None;
                    }
                }
                Some(result)
            }
            ExprKind::Access(_)
            | ExprKind::StructLiteral(_)
            | ExprKind::Index(_)
            | ExprKind::String(_)
            | ExprKind::Error => None,
        }
    }
}
