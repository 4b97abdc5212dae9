//! The abstract syntax tree of a Toy program: plain data, as written, nothing resolved.
//!
//! Every node has the span of the text it came from. The tree is as deep as the program's
//! brackets (which the parser limits) and never as deep as a chain of operators is long:
//! `a + b - c` is one [`Chain`] of three operands, `- - a` one [`Negation`], `a.b.c` one
//! [`Access`], so that no pass needs native recursion over the length of the input, dropping the
//! tree included.

use toy_diagnostics::source::Span;

/// A whole program: its functions and its structs, each in the order of the text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    pub structs: Vec<Struct>,
    pub functions: Vec<Function>,
}

/// One of the things a module consists of.
#[derive(Clone, Copy, Debug)]
pub enum Definition<'m> {
    Struct(&'m Struct),
    Function(&'m Function),
}

impl Module {
    /// Structs and functions in the order of the text.
    pub fn definitions(&self) -> Vec<Definition<'_>> {
        let structs = self.structs.iter().map(|item| (item.span.start, Definition::Struct(item)));
        let functions =
            self.functions.iter().map(|item| (item.span.start, Definition::Function(item)));
        let mut all: Vec<_> = structs.chain(functions).collect();
        all.sort_by_key(|(start, _)| *start);
        all.into_iter().map(|(_, definition)| definition).collect()
    }
}

/// An identifier and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

/// `struct name { var a; Other b; }`
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    pub name: Name,
    pub fields: Vec<Binding>,
    /// From `struct` to the closing brace.
    pub span: Span,
}

impl Struct {
    /// The place of a field among the fields, and the field.
    pub fn field(&self, name: &str) -> Option<(usize, &Binding)> {
        self.fields.iter().enumerate().find(|(_, field)| field.name.text == name)
    }
}

/// A name with the struct it is declared to hold: a field or a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// The name of a struct; none for a tensor.
    pub ty: Option<Name>,
    pub name: Name,
    /// Without the `;`.
    pub span: Span,
}

/// `def name(parameters) { body }`
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub name: Name,
    pub parameters: Vec<Binding>,
    pub body: Vec<Statement>,
    /// The prototype: from `def` to the closing parenthesis.
    pub prototype: Span,
    /// From `def` to the closing brace.
    pub span: Span,
}

impl Function {
    /// The first `return` of the body: Toy has no branches, so what follows it never runs.
    pub fn first_return(&self) -> Option<&Statement> {
        self.body.iter().find(|statement| matches!(statement.kind, StatementKind::Return(_)))
    }

    /// The statements that run: those up to the first `return`.
    pub fn reachable(&self) -> &[Statement] {
        let is_return = |statement: &Statement| matches!(statement.kind, StatementKind::Return(_));
        let count = self.body.iter().position(is_return).map_or(self.body.len(), |at| at + 1);
        &self.body[..count]
    }

    /// Whether a call of the function has a value.
    pub fn has_result(&self) -> bool {
        matches!(self.first_return(), Some(Statement { kind: StatementKind::Return(Some(_)), .. }))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    pub kind: StatementKind,
    /// Without the `;`.
    pub span: Span,
}

impl Statement {
    /// The expression of the statement, if it has one.
    pub fn expr(&self) -> Option<&Expr> {
        match &self.kind {
            StatementKind::VarDecl { value, .. } | StatementKind::Expr(value) => Some(value),
            StatementKind::Return(value) => value.as_ref(),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `var name<shape> = value` or `Struct name = value`
    VarDecl {
        ty: DeclaredType,
        name: Name,
        value: Expr,
    },
    /// `return` or `return value`
    Return(Option<Expr>),
    Expr(Expr),
}

/// What a definition says of its value.
#[derive(Clone, Debug, PartialEq)]
pub enum DeclaredType {
    /// `var a`
    Inferred,
    /// `var a<2, 3>`
    Tensor(DeclaredShape),
    /// `Struct a`
    Struct(Name),
}

/// `<2, 3>`: the dimensions of a declared tensor; empty for a scalar (`<>`).
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredShape {
    pub dims: Vec<i64>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    Number(f64),
    /// `[e, e, ...]`; whether the nesting is rectangular is for the checker to say.
    Literal(Vec<Expr>),
    /// `{e, e, ...}`: the values of a struct's fields, in order.
    StructLiteral(Vec<Expr>),
    Variable(String),
    /// A call of a function or of a builtin (`transpose`, `print`).
    Call(Box<Call>),
    Chain(Box<Chain>),
    Negation(Box<Negation>),
    Access(Box<Access>),
    /// What the parser skipped; a diagnostic about it exists.
    Error,
}

/// `callee(arguments)`
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub callee: Name,
    pub arguments: Vec<Expr>,
}

/// `-operand`, `--operand`, ...; the minus of a number like `-1` belongs to the number instead.
#[derive(Clone, Debug, PartialEq)]
pub struct Negation {
    /// The characters `-`, outermost first; at least one.
    pub operators: Vec<Span>,
    pub operand: Expr,
}

/// `base.field.field`
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    pub base: Expr,
    /// At least one.
    pub fields: Vec<Name>,
}

/// Left-associative operators of one precedence: `((first op rest0) op rest1) ...`.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    pub first: Expr,
    pub rest: Vec<Link>,
}

/// One operator of a [`Chain`] with its right operand.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    pub operator: BinaryOperator,
    /// The operator's own character.
    pub operator_span: Span,
    pub operand: Expr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    Add,
    Sub,
    Mul,
    Div,
}

impl BinaryOperator {
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOperator::Add => "+",
            BinaryOperator::Sub => "-",
            BinaryOperator::Mul => "*",
            BinaryOperator::Div => "/",
        }
    }

    /// Whether the operator binds tighter than `+` and `-`.
    pub fn is_multiplicative(self) -> bool {
        matches!(self, BinaryOperator::Mul | BinaryOperator::Div)
    }
}

impl Expr {
    /// The expressions this one is made of, from left to right.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = &Expr> {
        let (first, list, links): (Option<&Expr>, &[Expr], &[Link]) = match &self.kind {
            ExprKind::Number(_) | ExprKind::Variable(_) | ExprKind::Error => (None, &[], &[]),
            ExprKind::Literal(elements) | ExprKind::StructLiteral(elements) => {
                (None, elements, &[])
            }
            ExprKind::Call(call) => (None, &call.arguments, &[]),
            ExprKind::Chain(chain) => (Some(&chain.first), &[], &chain.rest),
            ExprKind::Negation(negation) => (Some(&negation.operand), &[], &[]),
            ExprKind::Access(access) => (Some(&access.base), &[], &[]),
        };
        first.into_iter().chain(list).chain(links.iter().map(|link| &link.operand))
    }

    /// Calls `visit` on this expression and all within it, in the order of the text.
    pub fn walk<'e>(&'e self, mut visit: impl FnMut(&'e Expr)) {
        visit(self);
        let mut rest = vec![self.children()];
        while let Some(children) = rest.last_mut() {
            let Some(child) = children.next() else {
                rest.pop();
                continue;
            };
            visit(child);
            // Most expressions of large programs are numbers.
            if !matches!(child.kind, ExprKind::Number(_)) {
                rest.push(child.children());
            }
        }
    }
}
