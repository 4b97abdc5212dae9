//! The syntax tree to operations of the Toy dialect: each function on its own, for
//! parameters of any shape.

use crate::ast::{Expr, ExprKind, Function, Operator, Statement};
use crate::dialect::{self, tensor_type, unranked_type};
use crate::errors::Diagnostic;
use crate::source::Source;
use melior::Context;
use melior::ir::operation::OperationMutLike;
use melior::ir::{Attribute, Block, BlockLike, BlockRef, Location, Module, Operation};
use melior::ir::{Type, ValueLike};
use std::collections::HashMap;

pub type Value<'c> = melior::ir::Value<'c, 'c>;
pub type Variables<'a, 'c> = HashMap<&'a str, Value<'c>>;

pub struct Builder<'a, 'c> {
    pub context: &'c Context,
    pub source: &'a Source,
    /// For each function, whether it has a result.
    functions: &'a HashMap<&'a str, bool>,
    /// The body of the function.
    block: Block<'c>,
    /// The blocks of branches and loops that we are in.
    pub inner: Vec<BlockRef<'c, 'c>>,
}

/// The program in the Toy dialect. Its names have been checked.
pub fn lower<'c>(
    context: &'c Context,
    functions: &[Function],
    source: &Source,
) -> Result<Module<'c>, Diagnostic> {
    let by_name = functions.iter().map(|f| (f.name.text.as_str(), f.has_result()));
    let by_name = by_name.collect();
    let module = Module::new(Location::unknown(context));
    for function in functions {
        let location = source.location(context, function.name.span);
        let parameter = (unranked_type(context), location);
        let block = Block::new(&vec![parameter; function.parameters.len()]);
        let inner = vec![];
        let builder = Builder { context, source, functions: &by_name, block, inner };
        module.body().append_operation(builder.function(function, location)?);
    }
    Ok(module)
}

impl<'a, 'c> Builder<'a, 'c> {
    fn function(
        mut self,
        function: &Function,
        location: Location<'c>,
    ) -> Result<Operation<'c>, Diagnostic> {
        let mut variables = Variables::new();
        for (index, parameter) in function.parameters.iter().enumerate() {
            let argument = self.block.argument(index).expect("one for each parameter");
            variables.insert(&parameter.text, argument.into());
        }
        let result = self.statements(&function.body, &mut variables)?;
        let result: Vec<Value> = result.into_iter().collect();
        let types: Vec<_> = result.iter().map(|result| result.r#type()).collect();
        self.here().append_operation(dialect::operation(
            "func.return",
            &result,
            &[],
            location,
        ));
        let name = &function.name.text;
        Ok(dialect::function(self.context, name, self.block, &types, location))
    }

    /// Where operations go.
    pub fn here(&self) -> &Block<'c> {
        self.inner.last().map_or(&self.block, |block| block)
    }

    /// What the statements return, if they do.
    pub fn statements<'s>(
        &mut self,
        statements: &'s [Statement],
        variables: &mut Variables<'s, 'c>,
    ) -> Result<Option<Value<'c>>, Diagnostic> {
        for statement in statements {
            match statement {
                Statement::Return(None, _) => break,
                Statement::Return(Some(value), _) => {
                    return Ok(Some(self.value(value, variables)?));
                }
                Statement::Var { name, shape, value } => {
                    let mut tensor = self.value(value, variables)?;
                    if let Some(shape) = shape {
                        let ty = tensor_type(self.context, shape);
                        let location = self.source.location(self.context, value.span);
                        tensor = self.append("toy.reshape", &[tensor], ty, location);
                    }
                    variables.insert(&name.text, tensor);
                }
                Statement::Assign { name, value } => {
                    let operands =
                        [self.value(value, variables)?, variables[name.text.as_str()]];
                    let location = self.source.location(self.context, value.span);
                    let any = unranked_type(self.context);
                    let tensor = self.append("toy.assign", &operands, any, location);
                    variables.insert(&name.text, tensor);
                }
                Statement::If { condition, then, otherwise } => {
                    self.branch(condition, [then, otherwise], variables)?;
                }
                Statement::While { condition, body } => {
                    self.repeat(condition, body, variables)?;
                }
                Statement::Expr(expr) => {
                    self.evaluate(expr, variables)?;
                }
            }
        }
        Ok(None)
    }

    /// The value of an expression that must have one.
    pub fn value(
        &mut self,
        expr: &Expr,
        variables: &Variables<'_, 'c>,
    ) -> Result<Value<'c>, Diagnostic> {
        let value = self.evaluate(expr, variables)?;
        value.ok_or_else(|| Diagnostic::new(expr.span, "this call has no result"))
    }

    fn evaluate(
        &mut self,
        expr: &Expr,
        variables: &Variables<'_, 'c>,
    ) -> Result<Option<Value<'c>>, Diagnostic> {
        let location = self.source.location(self.context, expr.span);
        // The shape follows from the operands, which may be parameters.
        let any = unranked_type(self.context);
        let value = match &expr.kind {
            ExprKind::Number(_) | ExprKind::List(_) => {
                let mut elements = Vec::new();
                let shape = literal(expr, &mut elements)?;
                let ty = tensor_type(self.context, &shape);
                let constant = dialect::constant(self.context, ty, &elements, location);
                first_result(self.here(), constant)
            }
            ExprKind::Variable(name) => variables[name.as_str()],
            ExprKind::Binary { operator, lhs, rhs } => {
                let operands = [self.value(lhs, variables)?, self.value(rhs, variables)?];
                let name = format!("toy.{}", operator.name());
                let mut operation =
                    dialect::operation(&name, &operands, &[any], location);
                if let Operator::Compare(number) = operator {
                    let number = Attribute::parse(self.context, &number.to_string());
                    operation.set_attribute("predicate", number.expect("it is one"));
                }
                first_result(self.here(), operation)
            }
            ExprKind::Call { callee, arguments } => {
                let arguments =
                    arguments.iter().map(|argument| self.value(argument, variables));
                let arguments: Vec<Value> = arguments.collect::<Result<_, _>>()?;
                match callee.as_str() {
                    "transpose" => {
                        self.append("toy.transpose", &arguments, any, location)
                    }
                    "print" => {
                        let print =
                            dialect::operation("toy.print", &arguments, &[], location);
                        self.here().append_operation(print);
                        return Ok(None);
                    }
                    _ => return Ok(self.call(callee, arguments, location)),
                }
            }
        };
        Ok(Some(value))
    }

    /// The value of a call, if it has one.
    fn call(
        &mut self,
        callee: &str,
        mut arguments: Vec<Value<'c>>,
        location: Location<'c>,
    ) -> Option<Value<'c>> {
        let any = unranked_type(self.context);
        // All arguments have one type.
        for argument in &mut arguments {
            *argument = self.unranked(*argument, location);
        }
        let results = if self.functions[callee] { vec![any] } else { vec![] };
        let call =
            dialect::generic_call(self.context, callee, &arguments, &results, location);
        let call = self.here().append_operation(call);
        call.result(0).ok().map(|result| result.into())
    }

    /// The same value, of whose shape nothing is said.
    pub fn unranked(&mut self, value: Value<'c>, location: Location<'c>) -> Value<'c> {
        let any = unranked_type(self.context);
        if value.r#type() == any {
            return value;
        }
        self.append("toy.cast", &[value], any, location)
    }

    pub fn append(
        &mut self,
        name: &str,
        operands: &[Value<'c>],
        ty: Type<'c>,
        location: Location<'c>,
    ) -> Value<'c> {
        first_result(self.here(), dialect::operation(name, operands, &[ty], location))
    }
}

fn first_result<'c>(block: &Block<'c>, operation: Operation<'c>) -> Value<'c> {
    block.append_operation(operation).result(0).expect("it has a result").into()
}

/// Appends the elements, row by row, and returns the shape.
fn literal(expr: &Expr, elements: &mut Vec<f64>) -> Result<Vec<u64>, Diagnostic> {
    match &expr.kind {
        ExprKind::List(parts) => {
            let mut shape = vec![];
            for (index, part) in parts.iter().enumerate() {
                let inner = literal(part, elements)?;
                if index > 0 && inner != shape {
                    let message = "the elements of a list must have one shape";
                    return Err(Diagnostic::new(part.span, message));
                }
                shape = inner;
            }
            Ok([vec![parts.len() as u64], shape].concat())
        }
        ExprKind::Number(number) => {
            elements.push(*number);
            Ok(vec![])
        }
        _ => Err(Diagnostic::new(expr.span, "expected a number")),
    }
}
