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
            Statement::Return(value, _) => Some(value.is_some()),
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
    /// `name = value;`
    Assign { name: Name, value: Expr },
    /// `if (condition) { then } else { otherwise }`, where the `else` may be missing.
    If { condition: Expr, then: Vec<Statement>, otherwise: Vec<Statement> },
    /// `while (condition) { body }`
    While { condition: Expr, body: Vec<Statement> },
    /// `return value;`, where the value may be missing.
    Return(Option<Expr>, Span),
    /// A call, most likely of `print`.
    Expr(Expr),
}

/// The names that are assigned in a block, also in the blocks inside it.
pub fn assigned(block: &[Statement]) -> Vec<&str> {
    let names = block.iter().map(|statement| match statement {
        Statement::Assign { name, .. } => vec![name.text.as_str()],
        Statement::If { then, otherwise, .. } => {
            [assigned(then), assigned(otherwise)].concat()
        }
        Statement::While { body, .. } => assigned(body),
        _ => vec![],
    });
    names.flatten().collect()
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
    /// With the number that MLIR has for it.
    Compare(i64),
}

impl Operator {
    /// As in `toy.add`.
    pub fn name(self) -> &'static str {
        match self {
            Operator::Add => "add",
            Operator::Sub => "sub",
            Operator::Mul => "mul",
            Operator::Div => "div",
            Operator::Compare(_) => "compare",
        }
    }
}
