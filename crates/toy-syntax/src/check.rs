//! Checks everything that does not depend on shapes.
//!
//! Input: a tree, possibly with errors. Output: the errors in its names, calls, literals and types
//! (tensors and structs), in all functions, whether or not they are called. Invariants: nothing is
//! reported about what the parser could not read (`ExprKind::Error`, empty names), nor about what it
//! may have defined; an unknown name is reported once per function; recursion goes over brackets
//! only.

mod access;
mod literal;
mod recursion;
mod structs;

use super::ast::{
    Binding, Call, DeclaredShape, DeclaredType, Expr, ExprKind, Function, Module, Name, Statement,
    StatementKind,
};
use super::builtins::{BUILTINS, is_builtin};
use super::call_graph::CallGraph;
use super::types::{Type, Types, Variables};
use crate::shape::{self, MAX_RANK};
use std::collections::{HashMap, HashSet};
use toy_diagnostics::source::Span;
use toy_diagnostics::suggest::Suggestions;
use toy_diagnostics::text::clipped;
use toy_diagnostics::{Diagnostic, codes};

/// The errors of a module, in source order. A library needs no `main`.
pub fn check(module: &Module, is_library: bool) -> Vec<Diagnostic> {
    let calls = CallGraph::new(module);
    let mut checker = Checker {
        types: Types::new(module, &calls),
        functions: HashMap::new(),
        function_names: BUILTINS.iter().map(|(name, _)| *name).collect(),
        is_library,
        has_unnamed_function: module.functions.iter().any(|function| function.name.text.is_empty()),
        has_unnamed_struct: module.structs.iter().any(|definition| definition.name.text.is_empty()),
        suggestions: Suggestions::default(),
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
    /// The names of all functions and builtins, in source order.
    function_names: Vec<&'m str>,
    is_library: bool,
    /// Whether there is a function whose name could not be parsed.
    has_unnamed_function: bool,
    has_unnamed_struct: bool,
    suggestions: Suggestions,
    diagnostics: Vec<Diagnostic>,
}

struct DefinedFunction<'m> {
    function: &'m Function,
    /// Whether there is another function with this name, so that calls are ambiguous.
    is_ambiguous: bool,
}

/// The names of the function being checked.
struct Scope<'m> {
    variables: HashMap<&'m str, Span>,
    types: Variables<'m>,
    /// In the order of their definition.
    names: Vec<&'m str>,
    /// Whether there may be variables whose names could not be parsed.
    has_unnamed: bool,
    reported: HashSet<&'m str>,
    /// The unknown fields reported so far: the struct and the name.
    reported_fields: HashSet<(&'m str, &'m str)>,
    parameters: &'m [Binding],
    body: &'m [Statement],
}

/// The type that the context of an expression requires.
#[derive(Clone)]
enum ExpectedType<'m> {
    Any,
    /// Not known because of an error.
    Unknown,
    /// A tensor; with the parameter, declared without a type, that requires it, if any.
    Tensor(Option<&'m Binding>),
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
            if is_builtin(&name.text) {
                self.builtin_redefined(name);
                continue;
            }
            if name.text == "main" {
                self.main(function);
            }
            match self.functions.get_mut(name.text.as_str()) {
                Some(first) => {
                    first.is_ambiguous = true;
                    let first = &first.function.name;
                    self.diagnostics.push(duplicate(
                        codes::DUPLICATE_FUNCTION,
                        "function",
                        first.span,
                        name,
                    ));
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

    fn main(&mut self, main: &Function) {
        let is_unreadable = main.parameters.iter().any(|parameter| parameter.name.text.is_empty());
        if let (Some(first), Some(last), false) =
            (main.parameters.first(), main.parameters.last(), is_unreadable)
        {
            let diagnostic = Diagnostic::error(codes::BAD_MAIN, "`main` has parameters")
                .label(first.span.to(last.span), "`main` is called without arguments")
                .fix("write `def main()`", main.prototype, "def main()");
            self.diagnostics.push(diagnostic);
        }
        if let (true, Some(result)) = (main.has_result(), main.first_return()) {
            let diagnostic = Diagnostic::error(codes::BAD_MAIN, "`main` returns a value")
                .label(result.span, "the result of `main` cannot be used")
                .help("to show a value, use `print`");
            self.diagnostics.push(diagnostic);
        }
    }

    fn no_main(&mut self, module: &Module) {
        let diagnostic = Diagnostic::error(codes::NO_MAIN, "the program has no `main` function");
        let diagnostic = match module.functions.last() {
            None => diagnostic.label(Span::default(), "there are no functions in this program"),
            Some(last) => {
                let end = Span { start: last.span.end, end: last.span.end };
                diagnostic.label(end, "expected a definition of `main`")
            }
        };
        let help = "a program starts at `main`: add `def main() { ... }`";
        self.diagnostics.push(diagnostic.help(help));
    }

    fn body(&mut self, function: &'m Function) {
        let mut scope = Scope {
            variables: HashMap::new(),
            types: Variables::new(),
            names: Vec::new(),
            has_unnamed: false,
            reported: HashSet::new(),
            reported_fields: HashSet::new(),
            parameters: &function.parameters,
            body: &function.body,
        };
        for parameter in &function.parameters {
            if let Some(ty) = &parameter.ty
                && !self.known_struct(ty, structs::NameUse::Parameter(parameter))
            {
                // It may be a parameter, with a missing comma.
                scope.reported.insert(&ty.text);
            }
            let ty = self.types.named(parameter.ty.as_ref());
            let name = &parameter.name;
            self.define(&mut scope, name, ty, codes::DUPLICATE_PARAMETER, "parameter");
        }
        for statement in &function.body {
            match &statement.kind {
                StatementKind::VarDecl { ty, name, value } => {
                    let expected = self.expected(ty, name, value);
                    // Before the name is known: a variable does not see itself.
                    self.value(&mut scope, value, &expected);
                    let ty = self.types.declared(ty, &scope.types, value);
                    self.define(&mut scope, name, ty, codes::DUPLICATE_VARIABLE, "variable");
                }
                StatementKind::Return(Some(value)) => {
                    self.value(&mut scope, value, &ExpectedType::Any)
                }
                StatementKind::Return(None) => {}
                // The only context in which a call needs no value.
                StatementKind::Expr(expr) => self.expr(&mut scope, expr),
                StatementKind::Assign(_)
                | StatementKind::If(_)
                | StatementKind::While(_)
                | StatementKind::For(_) => {}
            }
        }
    }

    /// The type that a definition requires of its initializer.
    fn expected(
        &mut self,
        declared: &'m DeclaredType,
        name: &Name,
        value: &Expr,
    ) -> ExpectedType<'m> {
        match declared {
            DeclaredType::Inferred => ExpectedType::Any,
            DeclaredType::Tensor(shape) => {
                self.size(shape);
                ExpectedType::Tensor(None)
            }
            DeclaredType::Struct(ty) => {
                let variable = clipped(&name.text);
                self.known_struct(ty, structs::NameUse::Variable(name, value));
                let why = format!("`{variable}` is declared with this struct");
                ExpectedType::of(self.types.named(Some(ty)), ty.span, why)
            }
        }
    }

    fn define(
        &mut self,
        scope: &mut Scope<'m>,
        name: &'m Name,
        ty: Type<'m>,
        code: codes::Code,
        what: &str,
    ) {
        if name.text.is_empty() {
            scope.has_unnamed = true;
            return;
        }
        match scope.variables.get(name.text.as_str()) {
            Some(first) => self.diagnostics.push(duplicate(code, what, *first, name)),
            None => {
                scope.variables.insert(&name.text, name.span);
                scope.types.insert(&name.text, ty);
                scope.names.push(&name.text);
            }
        }
    }

    fn size(&mut self, shape: &DeclaredShape) {
        if shape.dims.len() > MAX_RANK {
            let message = "a tensor with too many dimensions";
            let diagnostic = Diagnostic::error(codes::TOO_LARGE, message).label(
                shape.span,
                format!("{} dimensions; the limit is {MAX_RANK}", shape.dims.len()),
            );
            self.diagnostics.push(diagnostic);
            return;
        }
        let dims = shape.dims.iter().map(|dim| dim.unsigned_abs()).collect();
        if !shape::Shape(dims).fits() {
            let diagnostic = Diagnostic::error(codes::TOO_LARGE, "a tensor too large for memory")
                .label(shape.span, "a tensor of this shape needs more than 2^40 bytes");
            self.diagnostics.push(diagnostic);
        }
    }

    /// An expression whose value is used.
    fn value(&mut self, scope: &mut Scope<'m>, expr: &'m Expr, expected: &ExpectedType<'m>) {
        if let ExprKind::StructLiteral(values) = &expr.kind {
            return self.struct_literal(scope, expr, values, expected);
        }
        self.expr(scope, expr);
        self.fits(scope, expr, expected);
        let ExprKind::Call(call) = &expr.kind else { return };
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
            || function.first_return().is_none() && function.body.iter().any(is_damaged);
        if !may_have_result {
            let quoted = clipped(callee);
            let message = format!("`{quoted}` does not return a value");
            let diagnostic = Diagnostic::error(codes::NO_VALUE, message)
                .label(expr.span, "expected a value")
                .label(
                    function.name.span,
                    format!("`{quoted}` is defined here without a return value"),
                );
            self.diagnostics.push(match function.body.last() {
                Some(Statement { kind: StatementKind::Expr(value), span })
                    if !matches!(value.kind, ExprKind::Call(_)) =>
                {
                    let at = Span { end: span.start, ..*span };
                    let diagnostic = diagnostic.label(*span, "computed, but not returned");
                    diagnostic.fix("return it: `return ...;`", at, "return ")
                }
                _ => diagnostic,
            });
        }
    }

    /// Checks an expression, whose value may be unused.
    fn expr(&mut self, scope: &mut Scope<'m>, expr: &'m Expr) {
        match &expr.kind {
            ExprKind::Number(_) | ExprKind::String(_) | ExprKind::Index(_) | ExprKind::Error => {}
            ExprKind::Literal(elements) => {
                literal::check(expr, &mut self.diagnostics);
                self.elements(scope, elements);
            }
            // Only definitions, parameters and fields determine the struct of a literal.
            ExprKind::StructLiteral(values) => {
                self.struct_literal(scope, expr, values, &ExpectedType::Any);
            }
            ExprKind::Variable(name) => self.variable(scope, name, expr.span),
            ExprKind::Call(call) => self.call(scope, call, expr.span),
            ExprKind::Chain(_) | ExprKind::Unary(_) => {
                expr.children()
                    .for_each(|operand| self.value(scope, operand, &ExpectedType::Tensor(None)));
            }
            ExprKind::Access(access) => {
                self.value(scope, &access.base, &ExpectedType::Any);
                self.access(scope, access);
            }
        }
    }

    /// The elements of a literal; nested lists are part of the literal, not separate values.
    fn elements(&mut self, scope: &mut Scope<'m>, elements: &'m [Expr]) {
        for element in elements {
            match &element.kind {
                ExprKind::Number(_) => {}
                ExprKind::Literal(elements) => self.elements(scope, elements),
                _ => self.value(scope, element, &ExpectedType::Tensor(None)),
            }
        }
    }

    fn variable(&mut self, scope: &mut Scope<'m>, name: &'m str, span: Span) {
        let is_known = scope.variables.contains_key(name) || scope.has_unnamed;
        if is_known || !scope.reported.insert(name) {
            return;
        }
        let quoted = clipped(name);
        let message = format!("there is no variable `{quoted}` here");
        let diagnostic = Diagnostic::error(codes::UNKNOWN_VARIABLE, message)
            .label(span, "not defined before this point");
        // The search is linear, so it is limited like the suggestions.
        let statements = if self.suggestions.are_exhausted() { &[] } else { scope.body };
        let later = statements.iter().find_map(|statement| match &statement.kind {
            StatementKind::VarDecl { name: later, .. } if later.text == name => Some(later.span),
            _ => None,
        });
        let diagnostic = match later {
            Some(later) => diagnostic.label(later, format!("`{quoted}` is not defined until here")),
            None if self.functions.contains_key(name) || is_builtin(name) => {
                diagnostic.help(format!("to call the function, write `{quoted}(...)`"))
            }
            None if self.types.structs.contains_key(name) => diagnostic.help(format!(
                "`{quoted}` is a struct: to create one, write `{quoted} variable = {{...}};`"
            )),
            None => match self.suggestions.nearest(name, &scope.names) {
                Some(nearest) => {
                    diagnostic.fix(format!("did you mean `{nearest}`?"), span, nearest)
                }
                None => diagnostic,
            },
        };
        self.diagnostics.push(diagnostic);
    }

    fn call(&mut self, scope: &mut Scope<'m>, call: &'m Call, span: Span) {
        let Name { text: callee, span: callee_span } = &call.callee;
        let is_incomplete = call.arguments.iter().any(|argument| argument.kind == ExprKind::Error);
        let given = call.arguments.len();
        if let Some((_, expected)) = BUILTINS.iter().find(|(builtin, _)| builtin == callee) {
            if given != *expected && !is_incomplete {
                self.diagnostics.push(wrong_arity(callee, *expected, given, span));
            }
            call.arguments
                .iter()
                .for_each(|value| self.value(scope, value, &ExpectedType::Tensor(None)));
            return;
        }
        if let Some(function) = self.function(callee) {
            self.arguments(scope, call, Some(function));
            let is_unreadable = |parameter: &Binding| {
                let ty = self.types.named(parameter.ty.as_ref());
                parameter.name.text.is_empty() || matches!(ty, Type::Unknown)
            };
            let is_unreadable = function.parameters.iter().any(is_unreadable);
            let expected = function.parameters.len();
            if given != expected && !is_incomplete && !is_unreadable {
                let definition = format!("`{}` is defined here", clipped(callee));
                let diagnostic = wrong_arity(callee, expected, given, span)
                    .label(function.prototype, definition);
                self.diagnostics.push(diagnostic);
            }
            return;
        }
        self.arguments(scope, call, None);
        let is_known = self.functions.contains_key(callee.as_str()) || self.has_unnamed_function;
        // Variables and functions share the set: a name is reported only once.
        if is_known || !scope.reported.insert(callee) {
            return;
        }
        let message = format!("there is no function `{}`", clipped(callee));
        let diagnostic = Diagnostic::error(codes::UNKNOWN_FUNCTION, message)
            .label(*callee_span, "not defined anywhere in the program");
        if self.types.structs.contains_key(callee.as_str()) {
            let quoted = clipped(callee);
            let help = format!(
                "`{quoted}` is a struct: to create one, write `{quoted} variable = {{...}};`"
            );
            self.diagnostics.push(diagnostic.help(help));
            return;
        }
        if let Some(definition) = scope.variables.get(callee.as_str()) {
            let label = format!("`{}` is a variable, defined here", clipped(callee));
            self.diagnostics.push(diagnostic.label(*definition, label));
            return;
        }
        let nearest = self.suggestions.nearest(callee, &self.function_names);
        self.diagnostics.push(match nearest {
            Some(nearest) => {
                diagnostic.fix(format!("did you mean `{nearest}`?"), *callee_span, nearest)
            }
            None => diagnostic,
        });
    }

    fn arguments(&mut self, scope: &mut Scope<'m>, call: &'m Call, callee: Option<&'m Function>) {
        for (index, argument) in call.arguments.iter().enumerate() {
            let parameter = callee.and_then(|callee| callee.parameters.get(index));
            let expected = parameter.map_or(ExpectedType::Unknown, |parameter| {
                if parameter.ty.is_none() {
                    return ExpectedType::Tensor(Some(parameter));
                }
                let name = clipped(&parameter.name.text);
                let why = format!("the parameter `{name}` is declared with this struct");
                ExpectedType::of(self.types.named(parameter.ty.as_ref()), parameter.span, why)
            });
            self.value(scope, argument, &expected);
        }
    }

    /// The user-defined function with this name, if it is unambiguous.
    fn function(&self, name: &str) -> Option<&'m Function> {
        let definition = self.functions.get(name)?;
        (!definition.is_ambiguous).then_some(definition.function)
    }
}

/// Whether a part of a statement could not be parsed.
fn is_damaged(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::VarDecl { name, value, .. } => {
            name.text.is_empty() || value.kind == ExprKind::Error
        }
        StatementKind::Expr(value) => value.kind == ExprKind::Error,
        StatementKind::Return(_)
        | StatementKind::Assign(_)
        | StatementKind::If(_)
        | StatementKind::While(_)
        | StatementKind::For(_) => false,
    }
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

fn wrong_arity(callee: &str, expected: usize, given: usize, span: Span) -> Diagnostic {
    let arguments = |count: usize| match count {
        0 => "no arguments".to_owned(),
        1 => "1 argument".to_owned(),
        _ => format!("{count} arguments"),
    };
    let message = format!("`{}` takes {}, not {given}", clipped(callee), arguments(expected));
    Diagnostic::error(codes::WRONG_ARITY, message)
        .label(span, format!("called with {}", arguments(given)))
}
