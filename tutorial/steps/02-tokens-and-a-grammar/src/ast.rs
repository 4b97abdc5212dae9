//! The syntax tree.

use crate::errors::Span;

#[derive(Debug)]
pub struct Function {
    pub name: Name,
    pub parameters: Vec<Name>,
    pub body: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

#[derive(Debug)]
pub enum Statement {
    /// `var name<2, 3> = value;`, where the shape may be missing.
    Var { name: Name, shape: Option<Vec<usize>>, value: Expr },
    /// `return value;`, where the value may be missing.
    Return(Option<Expr>),
    /// A call, most likely of `print`.
    Expr(Expr),
}

#[derive(Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Debug)]
pub enum ExprKind {
    Number(f64),
    /// Of numbers, or of lists.
    List(Vec<Expr>),
    Variable(String),
    /// Of a function, `transpose` or `print`.
    Call {
        callee: String,
        arguments: Vec<Expr>,
    },
    Binary {
        operator: Operator,
        lhs: Box<Expr>,
        rhs: Box<Expr>,
    },
}

#[derive(Clone, Copy, Debug)]
pub enum Operator {
    Add,
    Sub,
    Mul,
    Div,
}

impl Operator {
    /// As in `linalg.add`.
    pub fn name(self) -> &'static str {
        match self {
            Operator::Add => "add",
            Operator::Sub => "sub",
            Operator::Mul => "mul",
            Operator::Div => "div",
        }
    }
}
