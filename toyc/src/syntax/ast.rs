//! The abstract syntax tree of a Toy program: plain data, as written, nothing resolved.
//!
//! Every node has the span of the text it came from. The tree is as deep as the program's
//! brackets (which the parser limits) and never as deep as a chain of operators is long:
//! `a + b + c` is one [`Chain`] of three operands, so that no pass needs native recursion
//! over the length of the input, dropping the tree included.

use crate::source::Span;

/// A whole program: its functions in the order of the text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    pub functions: Vec<Function>,
}

/// An identifier and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

/// `def name(parameters) { body }`
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub name: Name,
    pub parameters: Vec<Name>,
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

#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `var name<shape> = value`
    VarDecl {
        name: Name,
        shape: Option<Shape>,
        value: Expr,
    },
    /// `return` or `return value`
    Return(Option<Expr>),
    Expr(Expr),
}

impl Statement {
    /// The expression of the statement; only an empty `return` has none.
    pub fn expr(&self) -> Option<&Expr> {
        match &self.kind {
            StatementKind::VarDecl { value, .. } => Some(value),
            StatementKind::Return(value) => value.as_ref(),
            StatementKind::Expr(expr) => Some(expr),
        }
    }
}

/// `<2, 3>`: the dimensions of a declared tensor; empty for a scalar (`<>`).
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    pub dims: Vec<i64>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

impl Expr {
    /// Calls `visit` on the expressions directly within this one, in the order of the text.
    pub fn for_each_child<'e>(&'e self, mut visit: impl FnMut(&'e Expr)) {
        match &self.kind {
            ExprKind::Number(_) | ExprKind::Variable(_) | ExprKind::Error => {}
            ExprKind::Literal(elements) => elements.iter().for_each(visit),
            ExprKind::Call(call) => call.arguments.iter().for_each(visit),
            ExprKind::Chain(chain) => {
                visit(&chain.first);
                chain.rest.iter().for_each(|link| visit(&link.operand));
            }
        }
    }

    /// Calls `visit` on this expression and all within it, in the order of the text.
    pub fn walk<'e>(&'e self, mut visit: impl FnMut(&'e Expr)) {
        let mut rest = vec![self];
        while let Some(expr) = rest.pop() {
            visit(expr);
            let children = rest.len();
            expr.for_each_child(|child| rest.push(child));
            rest[children..].reverse();
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    Number(f64),
    /// `[e, e, ...]`; whether the nesting is rectangular is for the checker to say.
    Literal(Vec<Expr>),
    Variable(String),
    /// A call of a function or of a builtin (`transpose`, `print`).
    Call(Box<Call>),
    Chain(Box<Chain>),
    /// What the parser skipped; a diagnostic about it exists.
    Error,
}

/// `callee(arguments)`
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub callee: Name,
    pub arguments: Vec<Expr>,
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
    Mul,
}

impl BinaryOperator {
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOperator::Add => "+",
            BinaryOperator::Mul => "*",
        }
    }
}
