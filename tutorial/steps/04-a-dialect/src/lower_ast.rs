//! The syntax tree to operations of the Toy dialect: starts with `main`, and continues in
//! the body of a function wherever it is called.

use crate::ast::{Expr, ExprKind, Function, Statement};
use crate::dialect::{self, result_shape, shape_of, tensor_type};
use crate::errors::{Diagnostic, Span};
use crate::source::Source;
use melior::Context;
use melior::dialect::func;
use melior::ir::attribute::{StringAttribute, TypeAttribute};
use melior::ir::r#type::FunctionType;
use melior::ir::{
    Block, BlockLike, Location, Module, Operation, Region, RegionLike, ValueLike,
};
use std::collections::HashMap;

/// A program in which each function calls the next one twice has 2^n calls.
const MAX_CALLS: usize = 1000;

type Value<'c> = melior::ir::Value<'c, 'c>;
type Variables<'a, 'c> = HashMap<&'a str, Value<'c>>;

struct Inliner<'a, 'c> {
    context: &'c Context,
    source: &'a Source,
    functions: HashMap<&'a str, &'a Function>,
    /// The functions whose bodies we are in.
    active: Vec<&'a str>,
    calls: usize,
    /// The body of `main`.
    block: Block<'c>,
}

/// The program in the Toy dialect. Its names have been checked.
pub fn lower<'c>(
    context: &'c Context,
    functions: &[Function],
    source: &Source,
) -> Result<Module<'c>, Diagnostic> {
    let by_name =
        functions.iter().map(|function| (function.name.text.as_str(), function));
    let functions = by_name.collect();
    let (active, calls, block) = (Vec::new(), 0, Block::new(&[]));
    let mut inliner = Inliner { context, source, functions, active, calls, block };
    inliner.call("main", vec![], Span::from(0..0))?;
    let location = Location::unknown(context);
    inliner.block.append_operation(dialect::operation("func.return", &[], &[], location));
    let module = Module::new(location);
    module.body().append_operation(function(context, "main", inliner.block, location));
    Ok(module)
}

/// A function without parameters and results.
fn function<'c>(
    context: &'c Context,
    name: &str,
    block: Block<'c>,
    location: Location<'c>,
) -> Operation<'c> {
    let ty = FunctionType::new(context, &[], &[]);
    let body = Region::new();
    body.append_block(block);
    let (name, ty) = (StringAttribute::new(context, name), TypeAttribute::new(ty.into()));
    func::func(context, name, ty, body, &[], location)
}

impl<'a, 'c> Inliner<'a, 'c> {
    /// The value that the function returns, if any.
    fn call(
        &mut self,
        callee: &str,
        arguments: Vec<Value<'c>>,
        span: Span,
    ) -> Result<Option<Value<'c>>, Diagnostic> {
        let error = |message: String| Err(Diagnostic::new(span, message));
        let function = self.functions[callee];
        if self.active.contains(&callee) {
            return error(format!("`{callee}` calls itself"));
        }
        self.calls += 1;
        if self.calls > MAX_CALLS {
            return error("the program is too long with its calls inlined".to_string());
        }
        let names = function.parameters.iter().map(|parameter| parameter.text.as_str());
        let mut variables: Variables = names.zip(arguments).collect();
        self.active.push(&function.name.text);
        let mut result = None;
        for statement in &function.body {
            match statement {
                Statement::Return(None) => break,
                Statement::Return(Some(value)) => {
                    result = Some(self.value(value, &variables)?);
                    break;
                }
                Statement::Var { name, shape, value } => {
                    let mut tensor = self.value(value, &variables)?;
                    if let Some(shape) = shape {
                        let ty = tensor_type(self.context, shape);
                        let location = self.source.location(self.context, value.span);
                        let reshape =
                            dialect::operation("toy.reshape", &[tensor], &[ty], location);
                        tensor = self.append(reshape);
                    }
                    variables.insert(&name.text, tensor);
                }
                Statement::Expr(expr) => {
                    self.evaluate(expr, &variables)?;
                }
            }
        }
        self.active.pop();
        Ok(result)
    }

    /// The value of an expression that must have one.
    fn value(
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
        let value = match &expr.kind {
            ExprKind::Number(_) | ExprKind::List(_) => {
                let mut elements = Vec::new();
                let shape = literal(expr, &mut elements)?;
                let ty = tensor_type(self.context, &shape);
                let location = self.source.location(self.context, expr.span);
                self.append(dialect::constant(self.context, ty, &elements, location))
            }
            ExprKind::Variable(name) => variables[name.as_str()],
            ExprKind::Binary { operator, lhs, rhs } => {
                let operands = [self.value(lhs, variables)?, self.value(rhs, variables)?];
                self.computed(&format!("toy.{}", operator.name()), &operands, expr.span)
            }
            ExprKind::Call { callee, arguments } => {
                let arguments =
                    arguments.iter().map(|argument| self.value(argument, variables));
                let arguments: Vec<Value> = arguments.collect::<Result<_, _>>()?;
                match callee.as_str() {
                    "transpose" => self.computed("toy.transpose", &arguments, expr.span),
                    "print" => {
                        let location = self.source.location(self.context, expr.span);
                        let print =
                            dialect::operation("toy.print", &arguments, &[], location);
                        self.block.append_operation(print);
                        return Ok(None);
                    }
                    _ => return self.call(callee, arguments, expr.span),
                }
            }
        };
        Ok(Some(value))
    }

    /// The result of an operation whose shape follows from its operands.
    fn computed(&mut self, name: &str, operands: &[Value<'c>], span: Span) -> Value<'c> {
        let shapes = operands.iter().map(|operand| shape_of(operand.r#type()));
        let shapes: Vec<_> =
            shapes.map(|shape| shape.expect("all shapes are known")).collect();
        let shape = result_shape(name, &shapes).expect("a computation");
        let ty = tensor_type(self.context, &shape);
        let location = self.source.location(self.context, span);
        self.append(dialect::operation(name, operands, &[ty], location))
    }

    fn append(&mut self, operation: Operation<'c>) -> Value<'c> {
        self.block.append_operation(operation).result(0).expect("it has a result").into()
    }
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
