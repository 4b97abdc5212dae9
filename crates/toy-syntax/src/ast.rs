//! The abstract syntax tree of a Toy program: plain data, as written, with unresolved names.
//!
//! Every node has the span of the text it came from. The tree is as deep as the program's
//! brackets (which the parser limits) and never as deep as a chain of operators is long:
//! `a + b - c` is one [`Chain`] of three operands, `- - a` one [`Unary`], `a.b.c` one
//! [`Access`], so that no pass needs native recursion over the length of the input, dropping the
//! tree included.

mod expr;
mod operator;
mod statement;

pub use expr::*;
pub use operator::*;
pub use statement::*;
use toy_diagnostics::source::Span;

/// A whole program: its functions and its structs, each in source order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// The structs.
    pub structs: Vec<Struct>,
    /// The functions.
    pub functions: Vec<Function>,
}

/// A definition at the top level of a module.
#[derive(Clone, Copy, Debug)]
pub enum Definition<'m> {
    /// `struct name { ... }`
    Struct(&'m Struct),
    /// `def name() { ... }`
    Function(&'m Function),
}

impl Module {
    /// Structs and functions in source order.
    pub fn definitions(&self) -> Vec<Definition<'_>> {
        let structs = self.structs.iter().map(|item| (item.span.start, Definition::Struct(item)));
        let functions =
            self.functions.iter().map(|item| (item.span.start, Definition::Function(item)));
        let mut all: Vec<_> = structs.chain(functions).collect();
        all.sort_by_key(|(start, _)| *start);
        all.into_iter().map(|(_, definition)| definition).collect()
    }
}

/// An identifier and its location; empty if the parser could not read it.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// The identifier.
    pub text: String,
    /// Its location.
    pub span: Span,
}

/// `struct name { var a; Other b; }`
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    /// The name of the struct.
    pub name: Name,
    /// The fields, at least one.
    pub fields: Vec<Binding>,
    /// From `struct` to the closing brace.
    pub span: Span,
}

impl Struct {
    /// The index of a field, and the field.
    pub fn field(&self, name: &str) -> Option<(usize, &Binding)> {
        self.fields.iter().enumerate().find(|(_, field)| field.name.text == name)
    }
}

/// A field or a parameter, with its declared type.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// The name of a struct; `None` for a tensor.
    pub ty: Option<Name>,
    /// The name of the field or parameter.
    pub name: Name,
    /// Without the `;`.
    pub span: Span,
}

/// `def name(parameters) { body }`
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The name of the function.
    pub name: Name,
    /// The parameters.
    pub parameters: Vec<Binding>,
    /// The statements.
    pub body: Vec<Statement>,
    /// The prototype: from `def` to the closing parenthesis.
    pub prototype: Span,
    /// From `def` to the closing brace.
    pub span: Span,
}

impl Function {
    /// The `return`s that may run, in source order.
    pub fn returns(&self) -> Vec<&Statement> {
        let mut returns = Vec::new();
        self.walk(|statement| {
            if matches!(statement.kind, StatementKind::Return(_)) {
                returns.push(statement);
            }
        });
        returns
    }

    /// True if the function returns a value.
    pub fn has_result(&self) -> bool {
        let is_value =
            |statement: &&Statement| matches!(statement.kind, StatementKind::Return(Some(_)));
        self.returns().iter().any(is_value)
    }

    /// Calls `visit` on each statement that may run, in source order; nested statements
    /// follow the statement around them.
    pub fn walk<'f>(&'f self, visit: impl FnMut(&'f Statement)) {
        walk_reachable(&self.body, visit);
    }

    /// The same for all statements, also those that never run.
    pub fn walk_all<'f>(&'f self, visit: impl FnMut(&'f Statement)) {
        walk_all(&self.body, visit);
    }
}

/// The type that a definition of a variable declares.
#[derive(Clone, Debug, PartialEq)]
pub enum DeclaredType {
    /// `var a`
    Inferred,
    /// `var a<2, 3>`
    Tensor(DeclaredShape),
    /// `Struct a`
    Struct(Name),
}

impl DeclaredType {
    /// The sizes of a declared shape.
    pub fn sizes(&self) -> &[Expr] {
        match self {
            DeclaredType::Tensor(shape) => &shape.sizes,
            DeclaredType::Inferred | DeclaredType::Struct(_) => &[],
        }
    }
}

/// `<2, 3>`: a declared shape, as written. (See [`crate::shape::Shape`] for shapes as values.)
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredShape {
    /// The dimensions, constants; empty for a scalar (`<>`). A number is whole and at least 1.
    pub sizes: Vec<Expr>,
    /// From `<` to `>`.
    pub span: Span,
}

impl DeclaredShape {
    /// The dimensions, if all of them are written as numbers.
    pub fn dims(&self) -> Option<Vec<i64>> {
        let size = |size: &Expr| match size.kind {
            ExprKind::Number(number) => Some(number as i64),
            _ => None,
        };
        self.sizes.iter().map(size).collect()
    }
}
