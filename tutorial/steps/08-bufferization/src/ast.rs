//! The syntax tree.

use crate::errors::Span;

#[derive(Debug)]
pub struct Function {
    pub name: Name,
    pub parameters: Vec<Name>,
    pub body: Vec<Statement>,
}

impl Function {
    /// Whether a call of the function has a value. What follows a `return` never runs.
    pub fn has_result(&self) -> bool {
        let results = self.body.iter().filter_map(|statement| match statement {
            Statement::Return(value) => Some(value.is_some()),
            _ => None,
        });
        results.take(1).any(|has_value| has_value)
    }
}

#[derive(Clone, Debug)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

#[derive(Debug)]
pub enum Statement {
    /// `var name<2, 3> = value;`, where the shape may be missing.
    Var { name: Name, shape: Option<Vec<u64>>, value: Expr },
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
    /// As in `toy.add`.
    pub fn name(self) -> &'static str {
        match self {
            Operator::Add => "add",
            Operator::Sub => "sub",
            Operator::Mul => "mul",
            Operator::Div => "div",
        }
    }
}
