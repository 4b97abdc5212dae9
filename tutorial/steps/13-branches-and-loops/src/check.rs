//! The names of a program: everything that can be said before shapes are known. All errors
//! are found, not only the first one.

use crate::ast::{Expr, ExprKind, Function, Statement};
use crate::errors::{Diagnostic, Span};
use std::collections::HashMap;

const BUILTINS: [&str; 2] = ["print", "transpose"];

struct Checker<'a> {
    functions: HashMap<&'a str, &'a Function>,
    errors: Vec<Diagnostic>,
}

/// If this finds no error, each name means something, and each call has its arguments.
pub fn check(functions: &[Function]) -> Result<(), Vec<Diagnostic>> {
    let mut checker = Checker { functions: HashMap::new(), errors: Vec::new() };
    for function in functions {
        let name = function.name.text.as_str();
        let is_new = checker.functions.insert(name, function).is_none();
        if !is_new || BUILTINS.contains(&name) {
            checker.error(
                function.name.span,
                format!("there is already a function `{name}`"),
            );
        }
    }
    checker.main();
    functions.iter().for_each(|function| checker.function(function));
    if checker.errors.is_empty() { Ok(()) } else { Err(checker.errors) }
}

impl<'a> Checker<'a> {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(Diagnostic::new(span, message));
    }

    fn main(&mut self) {
        let start = Span::from(0..0);
        match self.functions.get("main").copied() {
            None => {
                let error = Diagnostic::new(start, "there is no function `main`");
                let error =
                    error.label("in this file").help("a program starts with its `main`");
                self.errors.push(error);
            }
            Some(main) if !main.parameters.is_empty() => {
                self.error(main.name.span, "`main` has no parameters");
            }
            Some(main) if main.has_result() => {
                self.error(main.name.span, "`main` has no result");
            }
            Some(_) => {}
        }
    }

    fn function(&mut self, function: &'a Function) {
        let mut variables: Vec<&str> = Vec::new();
        for parameter in &function.parameters {
            if variables.contains(&parameter.text.as_str()) {
                let message =
                    format!("there is already a parameter `{}`", parameter.text);
                self.error(parameter.span, message);
            }
            variables.push(&parameter.text);
        }
        self.block(&function.body, &mut variables, false);
    }

    /// What a block defines is known to its end.
    fn block(
        &mut self,
        block: &'a [Statement],
        variables: &mut Vec<&'a str>,
        is_inner: bool,
    ) {
        let outer = variables.len();
        for statement in block {
            match statement {
                Statement::Var { name, value, .. } => {
                    self.value(value, variables);
                    if variables.contains(&name.text.as_str()) {
                        let message = format!("there is already a `{}`", name.text);
                        let help = "without `var`, it gets another value";
                        self.errors.push(Diagnostic::new(name.span, message).help(help));
                    }
                    variables.push(&name.text);
                }
                Statement::Assign { name, value } => {
                    self.value(value, variables);
                    self.variable(&name.text, name.span, variables);
                }
                Statement::If { condition, then, otherwise } => {
                    self.value(condition, variables);
                    self.block(then, variables, true);
                    self.block(otherwise, variables, true);
                }
                Statement::While { condition, body } => {
                    self.value(condition, variables);
                    self.block(body, variables, true);
                }
                Statement::Return(value, span) => {
                    value.iter().for_each(|value| self.value(value, variables));
                    if is_inner {
                        let message = "a branch or a loop cannot `return`";
                        let help = "assign a variable, and return it at the end";
                        self.errors.push(Diagnostic::new(*span, message).help(help));
                    }
                }
                Statement::Expr(expr) => self.expr(expr, variables),
            }
        }
        variables.truncate(outer);
    }

    fn variable(&mut self, name: &str, span: Span, variables: &[&str]) {
        if !variables.contains(&name) {
            let error = Diagnostic::new(span, format!("`{name}` is not defined"));
            let error = error.label("unknown variable");
            self.errors.push(error.suggest(name, variables.iter().copied()));
        }
    }

    /// An expression whose value is used.
    fn value(&mut self, expr: &Expr, variables: &[&str]) {
        self.expr(expr, variables);
        let ExprKind::Call { callee, .. } = &expr.kind else { return };
        let function = self.functions.get(callee.as_str());
        if callee == "print" || function.is_some_and(|function| !function.has_result()) {
            let error = Diagnostic::new(expr.span, format!("`{callee}` has no result"));
            self.errors.push(error.label("a value is needed here"));
        }
    }

    fn expr(&mut self, expr: &Expr, variables: &[&str]) {
        match &expr.kind {
            ExprKind::Number(_) | ExprKind::List(_) => {}
            ExprKind::Variable(name) => self.variable(name, expr.span, variables),
            ExprKind::Binary { lhs, rhs, .. } => {
                self.value(lhs, variables);
                self.value(rhs, variables);
            }
            ExprKind::Call { callee, arguments } => {
                arguments.iter().for_each(|argument| self.value(argument, variables));
                self.call(expr.span, callee, arguments.len());
            }
        }
    }

    fn call(&mut self, span: Span, callee: &str, count: usize) {
        let expected = match self.functions.get(callee) {
            _ if BUILTINS.contains(&callee) => 1,
            Some(function) => function.parameters.len(),
            None => {
                let names = self.functions.keys().copied().chain(BUILTINS);
                let error =
                    Diagnostic::new(span, format!("there is no function `{callee}`"));
                self.errors.push(error.label("called here").suggest(callee, names));
                return;
            }
        };
        if count != expected {
            let arguments = if expected == 1 { "argument" } else { "arguments" };
            let error = format!("`{callee}` takes {expected} {arguments}, not {count}");
            self.error(span, error);
        }
    }
}
