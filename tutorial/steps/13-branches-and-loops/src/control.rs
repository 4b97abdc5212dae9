//! Branches and loops: operations of MLIR's `scf` dialect, with regions.
//!
//! In: `if` and `while`. Out: `scf.if` and `scf.while`. A value never changes, so a
//! variable that is assigned in a region has another value there. The last operation of
//! the region hands it on, and after the whole, the variable is one of its results. Such
//! variables are *carried*. A loop takes them as operands, each round as arguments.

use crate::ast::{Expr, Statement, assigned};
use crate::dialect::{blocks, operation, structure, unranked_type};
use crate::errors::Diagnostic;
use crate::lower_ast::{Builder, Value, Variables};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{BlockLike, Location};

type Done<T> = Result<T, Diagnostic>;

impl<'c> Builder<'_, 'c> {
    pub fn branch<'s>(
        &mut self,
        condition: &Expr,
        bodies: [&'s [Statement]; 2],
        variables: &mut Variables<'s, 'c>,
    ) -> Done<()> {
        let location = self.source.location(self.context, condition.span);
        let names = carried(variables, &bodies);
        let truth = self.truth(condition, variables)?;
        let types = vec![unranked_type(self.context); names.len()];
        let whole = structure("scf.if", &[truth], &types, &[], location);
        let whole = self.here().append_operation(whole);
        for (block, body) in blocks(whole).into_iter().zip(bodies) {
            let mut inner = variables.clone();
            self.inner.push(block);
            self.statements(body, &mut inner)?;
            self.end(None, &names, &inner, location);
        }
        variables.extend(names.into_iter().zip(whole.results().map(Value::from)));
        Ok(())
    }

    pub fn repeat<'s>(
        &mut self,
        condition: &Expr,
        body: &'s [Statement],
        variables: &mut Variables<'s, 'c>,
    ) -> Done<()> {
        let location = self.source.location(self.context, condition.span);
        let names = carried(variables, &[body]);
        let first = names.iter().map(|name| self.unranked(variables[name], location));
        let first: Vec<Value> = first.collect();
        let types = vec![unranked_type(self.context); names.len()];
        let arguments = vec![(unranked_type(self.context), location); names.len()];
        let whole = structure("scf.while", &first, &types, &arguments, location);
        let whole = self.here().append_operation(whole);
        // One region says whether there is another round, the other one is the round.
        for (index, block) in blocks(whole).into_iter().enumerate() {
            let mut inner = variables.clone();
            let arguments = (0..).map_while(|index| block.argument(index).ok());
            inner.extend(names.iter().copied().zip(arguments.map(Value::from)));
            self.inner.push(block);
            if index == 0 {
                let truth = self.truth(condition, &inner)?;
                self.end(Some(truth), &names, &inner, location);
            } else {
                self.statements(body, &mut inner)?;
                self.end(None, &names, &inner, location);
            }
        }
        variables.extend(names.into_iter().zip(whole.results().map(Value::from)));
        Ok(())
    }

    /// A bit: whether the condition is not 0.
    fn truth(
        &mut self,
        condition: &Expr,
        variables: &Variables<'_, 'c>,
    ) -> Done<Value<'c>> {
        let location = self.source.location(self.context, condition.span);
        let number = self.value(condition, variables)?;
        let bit = IntegerType::new(self.context, 1).into();
        Ok(self.append("toy.truth", &[number], bit, location))
    }

    /// The end of a region, which hands on the carried variables.
    fn end(
        &mut self,
        truth: Option<Value<'c>>,
        names: &[&str],
        variables: &Variables<'_, 'c>,
        location: Location<'c>,
    ) {
        let values = names.iter().map(|name| self.unranked(variables[name], location));
        let operands: Vec<Value> = truth.into_iter().chain(values).collect();
        let name = if truth.is_some() { "scf.condition" } else { "scf.yield" };
        self.here().append_operation(operation(name, &operands, &[], location));
        self.inner.pop();
    }
}

/// The variables that exist already and are assigned in the bodies.
fn carried<'s>(
    variables: &Variables<'s, '_>,
    bodies: &[&'s [Statement]],
) -> Vec<&'s str> {
    let mut names = Vec::new();
    for name in bodies.iter().flat_map(|body| assigned(body)) {
        if variables.contains_key(name) && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
