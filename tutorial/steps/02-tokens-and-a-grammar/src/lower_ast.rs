//! The syntax tree to linalg: starts with `main`, and continues in the body of a function
//! wherever it is called.

use crate::ast::{Expr, ExprKind, Function, Name, Statement};
use crate::errors::{Diagnostic, Span};
use crate::lower::{Code, Value};
use std::collections::HashMap;

/// A program in which each function calls the next one twice has 2^n calls.
const MAX_CALLS: usize = 1000;

struct Inliner<'a> {
    functions: HashMap<&'a str, &'a Function>,
    /// The functions whose bodies we are in.
    active: Vec<&'a str>,
    calls: usize,
    code: Code,
}

type Variables<'a> = HashMap<&'a str, Value>;

/// The program in MLIR's linalg dialect.
pub fn lower(functions: &[Function]) -> Result<String, Diagnostic> {
    let mut by_name = HashMap::new();
    for function in functions {
        let Name { text, span } = &function.name;
        if by_name.insert(text.as_str(), function).is_some() {
            return Err(Diagnostic::new(
                *span,
                format!("there are two functions `{text}`"),
            ));
        }
    }
    let (active, calls, code) = (Vec::new(), 0, Code::default());
    let mut inliner = Inliner { functions: by_name, active, calls, code };
    let start = Span::from(0..0);
    if inliner.call("main", vec![], start)?.is_some() {
        return Err(Diagnostic::new(start, "`main` cannot return a value"));
    }
    Ok(inliner.code.module())
}

impl<'a> Inliner<'a> {
    /// The value that the function returns, if any.
    fn call(
        &mut self,
        callee: &str,
        arguments: Vec<Value>,
        span: Span,
    ) -> Result<Option<Value>, Diagnostic> {
        let error = |message: String| Err(Diagnostic::new(span, message));
        let Some(function) = self.functions.get(callee).copied() else {
            return error(format!("there is no function `{callee}`"));
        };
        if arguments.len() != function.parameters.len() {
            let count = function.parameters.len();
            return error(format!("`{callee}` takes {count} arguments"));
        }
        if self.active.contains(&callee) {
            return error(format!("`{callee}` calls itself"));
        }
        self.calls += 1;
        if self.calls > MAX_CALLS || self.code.is_too_long() {
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
                        let reshaped = self.code.reshape(&tensor, shape);
                        tensor = reshaped
                            .map_err(|message| Diagnostic::new(value.span, message))?;
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
    fn value(&mut self, expr: &Expr, variables: &Variables) -> Result<Value, Diagnostic> {
        let value = self.evaluate(expr, variables)?;
        value.ok_or_else(|| Diagnostic::new(expr.span, "this call has no result"))
    }

    fn evaluate(
        &mut self,
        expr: &Expr,
        variables: &Variables,
    ) -> Result<Option<Value>, Diagnostic> {
        let error = |message: String| Diagnostic::new(expr.span, message);
        let value = match &expr.kind {
            ExprKind::Number(_) | ExprKind::List(_) => {
                let mut elements = Vec::new();
                let shape = literal(expr, &mut elements)?;
                self.code.constant(&shape, &elements)
            }
            ExprKind::Variable(name) => {
                let variable = variables.get(name.as_str()).cloned();
                variable.ok_or_else(|| error(format!("`{name}` is not defined")))?
            }
            ExprKind::Binary { operator, lhs, rhs } => {
                let (lhs, rhs) =
                    (self.value(lhs, variables)?, self.value(rhs, variables)?);
                self.code.element_wise(operator.name(), &lhs, &rhs).map_err(error)?
            }
            ExprKind::Call { callee, arguments } => {
                let arguments =
                    arguments.iter().map(|argument| self.value(argument, variables));
                let arguments: Vec<Value> = arguments.collect::<Result<_, _>>()?;
                match (callee.as_str(), arguments.as_slice()) {
                    ("transpose", [operand]) => self.code.transpose(operand),
                    ("print", [operand]) => {
                        self.code.print(operand);
                        return Ok(None);
                    }
                    ("transpose" | "print", _) => {
                        return Err(error(format!("`{callee}` takes one argument")));
                    }
                    _ => return self.call(callee, arguments, expr.span),
                }
            }
        };
        Ok(Some(value))
    }
}

/// Appends the elements, row by row, and returns the shape.
fn literal(expr: &Expr, elements: &mut Vec<f64>) -> Result<Vec<usize>, Diagnostic> {
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
            Ok([vec![parts.len()], shape].concat())
        }
        ExprKind::Number(number) => {
            elements.push(*number);
            Ok(vec![])
        }
        _ => Err(Diagnostic::new(expr.span, "expected a number")),
    }
}
