//! Evaluates expressions.
//!
//! Input: an expression and the variables. Output: its value; None for a call without a result. Invariant: everything
//! is evaluated once, from the left to the right, except for the right sides of `&&` and `||`, which are evaluated only
//! if needed.

use super::gradients::width_of;
use super::tensor::{Tensor, are_single};
use super::{Interpreter, Stop, Value, Variables, unchecked};
use toy_compiler::syntax::ast::{BinaryOperator, Call, Chain, Expr, ExprKind, UnaryOperator};
use toy_compiler::syntax::builtins;

impl<'m> Interpreter<'m> {
    pub fn expr(
        &mut self,
        variables: &Variables<'m>,
        expr: &'m Expr,
    ) -> Result<Option<Value<'m>>, Stop> {
        let tensor = match &expr.kind {
            ExprKind::Number(number) => Tensor::scalar(*number),
            ExprKind::Literal(items) => self.literal(variables, items)?,
            ExprKind::Variable(name) => match variables.get(name.as_str()) {
                Some(value) => return Ok(Some(value.clone())),
                None => Tensor::scalar(builtins::value(name).expect("checked: it is known")),
            },
            ExprKind::Call(call) => return self.call(variables, call),
            ExprKind::Chain(chain) => self.chain(variables, chain)?,
            ExprKind::Unary(unary) => {
                let mut operand = self.tensor(variables, &unary.operand)?;
                for (operator, _) in unary.operators.iter().rev() {
                    operand = match operator {
                        UnaryOperator::Negate => operand.negated(),
                        UnaryOperator::Not if operand.dims.is_empty() => {
                            Tensor::truth(operand.elements[0] == 0.0)
                        }
                        UnaryOperator::Not => {
                            return Err(Stop::Shapes(format!("`!` of {:?}", operand.dims)));
                        }
                    };
                }
                operand
            }
            ExprKind::Index(index) => {
                let base = self.tensor(variables, &index.base)?;
                let part = self.part(variables, &index.subscripts)?;
                let places = self.places(&base, &part, expr.span)?;
                base.read(&places)
            }
            ExprKind::Access(access) => {
                let mut value = self.value(variables, &access.base)?;
                for name in &access.fields {
                    let Value::Struct(_, fields) = value else { return unchecked("no struct") };
                    let field = fields.into_iter().find(|(field, _)| *field == name.text);
                    let Some((_, field)) = field else { return unchecked("no such field") };
                    value = field;
                }
                return Ok(Some(value));
            }
            ExprKind::StructLiteral(_) => return unchecked("a literal of an unknown struct"),
            ExprKind::String(_) => return unchecked("a string that is not printed"),
            ExprKind::Error => return unchecked("a program with errors"),
        };
        self.counted(tensor).map(Some)
    }

    fn chain(&mut self, variables: &Variables<'m>, chain: &'m Chain) -> Result<Tensor, Stop> {
        let is_logical = |operator| matches!(operator, BinaryOperator::And | BinaryOperator::Or);
        if !chain.rest.iter().any(|link| is_logical(link.operator)) {
            let mut result = self.tensor(variables, &chain.first)?;
            for link in &chain.rest {
                let operand = self.tensor(variables, &link.operand)?;
                result = result.combined(link.operator, &operand)?;
            }
            return Ok(result);
        }
        let mut result = self.truth(variables, &chain.first)?;
        for link in &chain.rest {
            let is_decided = match link.operator {
                BinaryOperator::And => !result,
                BinaryOperator::Or => result,
                _ => return unchecked("operators of different precedence"),
            };
            if !is_decided {
                result = self.truth(variables, &link.operand)?;
            }
        }
        Ok(Tensor::truth(result))
    }

    fn literal(&mut self, variables: &Variables<'m>, items: &'m [Expr]) -> Result<Tensor, Stop> {
        let mut leaves = Vec::new();
        let list = self.list(variables, items, &mut leaves)?;
        let is_single = are_single(&leaves.iter().collect::<Vec<_>>())?;
        Ok(list.converted(is_single))
    }

    /// The elements are of one shape. Lists in lists are one literal, whose elements are the `leaves`.
    fn list(
        &mut self,
        variables: &Variables<'m>,
        items: &'m [Expr],
        leaves: &mut Vec<Tensor>,
    ) -> Result<Tensor, Stop> {
        let mut dims = vec![items.len()];
        let mut list = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let item = match &item.kind {
                ExprKind::Literal(items) => self.list(variables, items, leaves)?,
                _ => {
                    let item = self.tensor(variables, item)?;
                    leaves.push(item.clone());
                    item
                }
            };
            if index == 0 {
                dims.extend(&item.dims);
            } else if dims[1..] != item.dims {
                return Err(Stop::Shapes(format!("an element of shape {:?}", item.dims)));
            }
            list.push(item);
        }
        let all = |place| list.iter().flat_map(|item| item.coefficients(place)).collect();
        let slopes = (1..width_of(&list)).map(all).collect();
        Ok(Tensor { slopes, ..Tensor::new(dims, all(0)) })
    }

    fn call(
        &mut self,
        variables: &Variables<'m>,
        call: &'m Call,
    ) -> Result<Option<Value<'m>>, Stop> {
        if let Some(builtin) = self.types.builtin(&call.callee.text) {
            return self.builtin(variables, builtin.name, call);
        }
        let callee = self.functions[call.callee.text.as_str()];
        let mut values = Variables::new();
        for (parameter, argument) in callee.parameters.iter().zip(&call.arguments) {
            let value = self.value_of(variables, argument, parameter.ty.as_ref())?;
            values.insert(&parameter.name.text, value);
        }
        if let Some(derivative) = &call.derivative {
            let mut results = self.derivative(callee, &values, derivative)?;
            return Ok((results.len() == 1).then(|| results.remove(0)));
        }
        self.run(callee, values)
    }
}
