//! Checks everything that does not depend on shapes.
//!
//! Input: a tree, possibly with errors. Output: the errors in its names, calls, literals, types
//! (tensors and structs), constants and returns, in all functions, called or not. Invariants:
//! nothing is reported about text that the parser could not read (`ExprKind::Error`, empty names), nor about names
//! that it may have defined; an unknown name is reported once per function; recursion goes over brackets
//! only, including the braces of blocks.

mod access;
mod calls;
mod constants;
mod derivatives;
mod literal;
mod recursion;
mod returns;
mod scope;
mod statements;
mod structs;

use super::ast::{Binding, Expr, ExprKind, Function, Jump, Module, Name, Statement, StatementKind};
use super::builtins::{BUILTINS, is_reserved};
use super::call_graph::CallGraph;
use super::types::{Type, Types};
use crate::shape::{MAX_RANK, Shape, TensorType};
use scope::Scope;
use std::collections::{HashMap, HashSet};
use toy_diagnostics::source::Span;
use toy_diagnostics::suggest::{Suggestions, is_misspelled};
use toy_diagnostics::text::clipped;
use toy_diagnostics::{Diagnostic, codes};

/// The errors of a module, in source order. A library needs no `main`.
pub fn check(module: &Module, is_library: bool) -> Vec<Diagnostic> {
    let calls = CallGraph::new(module);
    let mut checker = Checker {
        types: Types::new(module, &calls),
        functions: HashMap::new(),
        function_names: BUILTINS.iter().filter(|it| it.value.is_none()).map(|it| it.name).collect(),
        scope: Scope::default(),
        is_library,
        has_unnamed_function: module.functions.iter().any(|function| function.name.text.is_empty()),
        has_unnamed_struct: module.structs.iter().any(|definition| definition.name.text.is_empty()),
        suggestions: Suggestions::default(),
        has_listed_builtins: false,
        parameters_as_constants: HashSet::new(),
        diagnostics: Vec::new(),
    };
    checker.structs(module);
    checker.definitions(module);
    for function in &module.functions {
        checker.body(function);
    }
    let mut diagnostics = checker.diagnostics;
    diagnostics.extend(recursion::check(module, &calls));
    super::in_order_of_text(&mut diagnostics);
    diagnostics
}

struct Checker<'m> {
    types: Types<'m>,
    functions: HashMap<&'m str, DefinedFunction<'m>>,
    /// The names in the function being checked.
    scope: Scope<'m>,
    /// The names of all functions and builtins, in source order.
    function_names: Vec<&'m str>,
    is_library: bool,
    /// True if there is a function whose name could not be parsed.
    has_unnamed_function: bool,
    has_unnamed_struct: bool,
    suggestions: Suggestions,
    /// True if a diagnostic has listed the builtins.
    has_listed_builtins: bool,
    /// The parameters that an error says are not constants.
    parameters_as_constants: HashSet<Span>,
    diagnostics: Vec<Diagnostic>,
}

struct DefinedFunction<'m> {
    function: &'m Function,
    /// True if there is another function with this name, so that calls are ambiguous.
    is_ambiguous: bool,
}

/// The type that the context of an expression requires.
#[derive(Clone)]
enum ExpectedType<'m> {
    Any,
    /// Not known because of an error.
    Unknown,
    /// A tensor; with the parameter, declared without a type, that requires it, if any.
    Tensor(Option<&'m Binding>),
    /// A tensor, because it is assigned to this variable, which is defined there.
    Variable(&'m str, Span),
    /// A struct, with the location that requires it, and a label for that location.
    Struct(&'m super::ast::Struct, Span, String),
}

impl<'m> ExpectedType<'m> {
    fn of(ty: Type<'m>, span: Span, why: impl Into<String>) -> Self {
        match ty {
            Type::Tensor => ExpectedType::Tensor(None),
            Type::Struct(definition) => ExpectedType::Struct(definition, span, why.into()),
            Type::Unknown => ExpectedType::Unknown,
        }
    }
}

impl<'m> Checker<'m> {
    fn definitions(&mut self, module: &'m Module) {
        for function in &module.functions {
            let name = &function.name;
            if name.text.is_empty() {
                continue;
            }
            if is_reserved(&name.text) {
                self.builtin_redefined(name);
                continue;
            }
            match self.functions.get_mut(name.text.as_str()) {
                Some(first) => {
                    first.is_ambiguous = true;
                    let (code, first) = (codes::DUPLICATE_FUNCTION, first.function.name.span);
                    self.diagnostics.push(duplicate(code, "function", first, name));
                }
                None => {
                    self.functions
                        .insert(&name.text, DefinedFunction { function, is_ambiguous: false });
                    self.function_names.push(&name.text);
                }
            }
        }
        let is_complete = self.is_library || self.has_unnamed_function;
        if !self.functions.contains_key("main") && !is_complete {
            self.no_main(module);
        }
    }

    fn builtin_redefined(&mut self, name: &Name) {
        let message = format!("`{}` is a builtin and cannot be redefined", name.text);
        let diagnostic = Diagnostic::error(codes::BUILTIN_REDEFINED, message)
            .label(name.span, "calls to this name always refer to the builtin")
            .help("choose a different name");
        self.diagnostics.push(diagnostic);
    }

    fn no_main(&mut self, module: &Module) {
        let diagnostic = Diagnostic::error(codes::NO_MAIN, "the program has no `main` function");
        // A function with parameters, say `mean(x)`, is hardly a misspelled one.
        let mut names =
            module.functions.iter().filter(|it| it.parameters.is_empty()).map(|it| &it.name);
        if let Some(name) =
            names.find(|name| is_misspelled(&name.text, "main") || name.text == "Main")
        {
            let label = format!("`{}` is not `main`, where a program starts", clipped(&name.text));
            let diagnostic = diagnostic.label(name.span, label);
            self.diagnostics.push(did_you_mean(diagnostic, name.span, "main"));
            return;
        }
        let (end, label) = match module.functions.last() {
            None => (Span::default(), "there are no functions in this program"),
            Some(last) => (Span::at(last.span.end), "expected a definition of `main`"),
        };
        let diagnostic = diagnostic.label(end, label);
        let help = "a program starts at `main`: add `def main() { ... }`";
        // It may be a library.
        let last = module.functions.iter().rfind(|function| !function.parameters.is_empty());
        self.diagnostics.push(match last {
            Some(function) if function.parameters.iter().all(|it| it.ty.is_none()) => {
                let name = clipped(&function.name.text);
                let shapes = vec!["2x3"; function.parameters.len()].join(", ");
                diagnostic.help(format!(
                    "{help}, or export the functions of a library: `--export '{name}({shapes})'`"
                ))
            }
            _ => diagnostic.help(help),
        });
    }

    fn fits_in_memory(&mut self, dims: Vec<u64>, span: Span) {
        let rank = dims.len();
        let (message, label) = if rank > MAX_RANK {
            let label = format!("{rank} dimensions; the limit is {MAX_RANK}");
            ("a tensor with too many dimensions", label)
        } else if !TensorType::from(Shape(dims)).fits() {
            let label = "a tensor of this shape needs more than 2^40 bytes".to_owned();
            ("a tensor too large for memory", label)
        } else {
            return;
        };
        let diagnostic = Diagnostic::error(codes::TOO_LARGE, message);
        self.diagnostics.push(diagnostic.label(span, label));
    }

    /// An expression whose value is used.
    fn value(&mut self, expr: &'m Expr, expected: &ExpectedType<'m>) {
        if let ExprKind::StructLiteral(values) = &expr.kind {
            return self.struct_literal(expr, values, expected);
        }
        self.expr(expr);
        self.fits(expr, expected);
        let ExprKind::Call(call) = &expr.kind else { return };
        if let Some(derivative) = &call.derivative {
            return self.results_of_derivative(expr, (call, derivative), expected);
        }
        let callee = &call.callee.text;
        if callee == "print" {
            let diagnostic = Diagnostic::error(codes::NO_VALUE, "`print` does not return a value")
                .label(expr.span, "expected a value");
            self.diagnostics.push(diagnostic.help("call `print` as a separate statement"));
            return;
        }
        let Some(function) = self.function(callee) else { return };
        // A statement that could not be parsed may be a `return`.
        let may_have_result = function.has_result()
            || function.returns().is_empty() && is_damaged_body(&function.body);
        if !may_have_result {
            let quoted = clipped(callee);
            let message = format!("`{quoted}` does not return a value");
            let label = format!("`{quoted}` is defined here without a return value");
            let diagnostic = Diagnostic::error(codes::NO_VALUE, message)
                .label(expr.span, "expected a value")
                .label(function.name.span, label);
            self.diagnostics.push(match function.body.last() {
                Some(Statement { kind: StatementKind::Expr(value), span })
                    if !matches!(value.kind, ExprKind::Call(_)) =>
                {
                    let diagnostic = diagnostic.label(*span, "computed, but not returned");
                    diagnostic.fix("return it: `return ...;`", Span::at(span.start), "return ")
                }
                _ => diagnostic,
            });
        }
    }

    /// Checks an expression, whose value may be unused.
    fn expr(&mut self, expr: &'m Expr) {
        match &expr.kind {
            // The parser knows where strings may be.
            ExprKind::Number(_) | ExprKind::String(_) | ExprKind::Error => {}
            ExprKind::Literal(elements) => {
                literal::check(expr, &mut self.diagnostics);
                self.elements(elements);
            }
            // Only definitions, parameters and fields determine the struct of a literal.
            ExprKind::StructLiteral(values) => {
                self.struct_literal(expr, values, &ExpectedType::Any);
            }
            ExprKind::Variable(name) => self.variable(name, expr.span, scope::Use::Value),
            ExprKind::Call(call) => self.call(call, expr.span),
            ExprKind::Chain(_) | ExprKind::Unary(_) => {
                expr.children()
                    .for_each(|operand| self.value(operand, &ExpectedType::Tensor(None)));
            }
            ExprKind::Index(index) => {
                self.value(&index.base, &ExpectedType::Tensor(None));
                self.subscripts(&index.subscripts);
            }
            ExprKind::Access(access) => {
                self.value(&access.base, &ExpectedType::Any);
                self.access(access);
            }
        }
    }

    /// The elements of a literal; nested lists are part of the literal, not separate values.
    fn elements(&mut self, elements: &'m [Expr]) {
        for element in elements {
            match &element.kind {
                ExprKind::Number(_) => {}
                ExprKind::Literal(elements) => self.elements(elements),
                _ => self.value(element, &ExpectedType::Tensor(None)),
            }
        }
    }

    /// The user-defined function with this name, if it is unambiguous.
    fn function(&self, name: &str) -> Option<&'m Function> {
        let definition = self.functions.get(name)?;
        (!definition.is_ambiguous).then_some(definition.function)
    }
}

/// True if a part of a statement could not be parsed.
fn is_damaged(statement: &Statement) -> bool {
    let is_unread = |expr: &Expr| expr.kind == ExprKind::Error;
    statement.changed().is_some_and(|name| name.text.is_empty())
        || statement.exprs().into_iter().any(is_unread)
        || statement.bodies().into_iter().any(|body| body.statements.iter().any(is_damaged))
}

/// The same for a function's body, or if a `break` or `continue` that is not in a loop hides what follows it.
fn is_damaged_body(body: &[Statement]) -> bool {
    let is_stray = |statement: &Statement| {
        let jumps = statement.jumps();
        jumps.has(Jump::Break) || jumps.has(Jump::Continue)
    };
    body.iter().any(|statement| is_damaged(statement) || is_stray(statement))
}

fn has_value(statement: &Statement) -> bool {
    matches!(statement.kind, StatementKind::Return(Some(_)))
}

fn did_you_mean(diagnostic: Diagnostic, span: Span, nearest: &str) -> Diagnostic {
    diagnostic.fix(format!("did you mean `{nearest}`?"), span, nearest)
}

/// The help where the name of a struct is used as a function or a variable.
fn struct_creation(name: &str) -> String {
    let quoted = clipped(name);
    format!("`{quoted}` is a struct: to create one, write `{quoted} variable = {{...}};`")
}

fn duplicate(code: codes::Code, what: &str, first: Span, second: &Name) -> Diagnostic {
    let quoted = clipped(&second.text);
    Diagnostic::error(code, format!("redefinition of the {what} `{quoted}`"))
        .label(second.span, "redefined here")
        .label(first, format!("`{quoted}` is first defined here"))
        .help(match second.text.as_str() {
            "main" => "a program has only one `main`: keep one of them",
            _ => "choose a different name",
        })
}
