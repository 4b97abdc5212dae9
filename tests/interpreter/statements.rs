//! Executes statements.
//!
//! Input: statements and the variables so far. Output: changed variables, and whether the function returns. Invariants:
//! the checker has accepted the names, so a variable of a block that has ended is never read; an assignment keeps the
//! shape.

use super::{Interpreter, MAX_ELEMENTS, Stop, Value, Variables, unchecked};
use toy_compiler::syntax::ast::{Assignment, DeclaredType, For, Statement, StatementKind};

/// The end of a list of statements.
pub enum Flow<'m> {
    Next,
    /// The loop goes on with its next iteration.
    Continue,
    /// The loop ends.
    Break,
    Return(Option<Value<'m>>),
}

impl<'m> Interpreter<'m> {
    pub fn statements(
        &mut self,
        statements: &'m [Statement],
        variables: &mut Variables<'m>,
    ) -> Result<Flow<'m>, Stop> {
        for statement in statements {
            match self.statement(statement, variables)? {
                Flow::Next => {}
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    fn statement(
        &mut self,
        statement: &'m Statement,
        variables: &mut Variables<'m>,
    ) -> Result<Flow<'m>, Stop> {
        self.step()?;
        match &statement.kind {
            StatementKind::VarDecl { ty, name, value } => {
                let value = match ty {
                    DeclaredType::Inferred => self.value(variables, value)?,
                    DeclaredType::Tensor(shape) => {
                        let dims = self.sizes(variables, &shape.sizes, None)?;
                        let value = self.tensor(variables, value)?;
                        self.counted(value.reshaped(dims, MAX_ELEMENTS)?)?
                    }
                    DeclaredType::Struct(name) => self.value_of(variables, value, Some(name))?,
                };
                variables.insert(&name.text, value);
            }
            StatementKind::Expr(expr) => {
                self.expr(variables, expr)?;
            }
            StatementKind::Return(value) => {
                let ty = self.result;
                let value = value.as_ref().map(|value| self.value_of(variables, value, ty));
                return Ok(Flow::Return(value.transpose()?));
            }
            StatementKind::Break => return Ok(Flow::Break),
            StatementKind::Continue => return Ok(Flow::Continue),
            StatementKind::Assign(assignment) => self.assignment(variables, assignment)?,
            StatementKind::If(branches) => {
                for arm in &branches.arms {
                    if self.truth(variables, &arm.condition)? {
                        return self.statements(&arm.body.statements, variables);
                    }
                }
                if let Some(body) = &branches.otherwise {
                    return self.statements(&body.statements, variables);
                }
            }
            StatementKind::While(repeated) => {
                while self.truth(variables, &repeated.condition)? {
                    self.step()?;
                    match self.statements(&repeated.body.statements, variables)? {
                        Flow::Next | Flow::Continue => {}
                        Flow::Break => break,
                        returned => return Ok(returned),
                    }
                }
            }
            StatementKind::For(repeated) => return self.for_loop(variables, repeated),
        }
        Ok(Flow::Next)
    }

    fn for_loop(
        &mut self,
        variables: &mut Variables<'m>,
        repeated: &'m For,
    ) -> Result<Flow<'m>, Stop> {
        let mut next = self.whole(variables, &repeated.first, "bound")?;
        let end = self.whole(variables, &repeated.end, "bound")?;
        let step = match &repeated.step {
            Some(step) => self.whole(variables, step, "step")?,
            None => 1,
        };
        if step == 0 {
            let at = repeated.step.as_ref().map_or(repeated.end.span, |step| step.span);
            return self.failed(at, "the step of the range is 0".to_owned());
        }
        while if step > 0 { next < end } else { next > end } {
            self.step()?;
            let value = self.counted(super::Tensor::scalar(next as f64))?;
            variables.insert(&repeated.variable.text, value);
            match self.statements(&repeated.body.statements, variables)? {
                Flow::Next | Flow::Continue => next += step,
                Flow::Break => break,
                returned => return Ok(returned),
            }
        }
        Ok(Flow::Next)
    }

    /// Subscripts come before the value, as in the text.
    fn assignment(
        &mut self,
        variables: &mut Variables<'m>,
        assignment: &'m Assignment,
    ) -> Result<(), Stop> {
        let name = assignment.name.text.as_str();
        let mut whole = variables[name].clone();
        let mut place = &mut whole;
        for field in &assignment.fields {
            let Value::Struct(_, fields) = place else { return unchecked("a field of a tensor") };
            let found = fields.iter_mut().find(|(name, _)| *name == field.text);
            place = &mut found.expect("checked: there is the field").1;
        }
        *place = if assignment.subscripts.is_empty() {
            let ty = match place {
                Value::Struct(definition, _) => Some(&definition.name),
                Value::Tensor(_) => None,
            };
            let value = self.value_of(variables, &assignment.value, ty)?;
            if !value.has_shape_of(place) {
                return Err(Stop::Shapes(format!("`{name}` changes its shape")));
            }
            value
        } else {
            let part = self.part(variables, &assignment.subscripts)?;
            let value = self.tensor(variables, &assignment.value)?;
            let Value::Tensor(whole) = place.clone() else {
                return unchecked("an element of a struct");
            };
            let places = self.places(&whole, &part, assignment.target)?;
            let updated = whole.updated(&places, &value)?;
            self.counted(updated)?
        };
        variables.insert(name, whole);
        Ok(())
    }
}

impl Value<'_> {
    /// True if all tensors have the same shapes.
    fn has_shape_of(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Tensor(one), Value::Tensor(other)) => {
                one.dims == other.dims && one.is_single == other.is_single
            }
            (Value::Struct(_, fields), Value::Struct(_, others)) => {
                fields.iter().zip(others).all(|((_, one), (_, other))| one.has_shape_of(other))
            }
            _ => false,
        }
    }
}
