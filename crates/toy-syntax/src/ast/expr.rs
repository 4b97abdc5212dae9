//! Expressions.

use super::{BinaryOperator, Name, Subscript};
use toy_diagnostics::source::Span;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// The kind of expression, with its operands.
    pub kind: ExprKind,
    /// The text of the expression, including its parentheses.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A number, including its minus sign.
    Number(f64),
    /// `[e, e, ...]`; the checker verifies that it is rectangular.
    Literal(Vec<Expr>),
    /// `{e, e, ...}`: the values of a struct's fields, in order.
    StructLiteral(Vec<Expr>),
    /// A use of a variable or a parameter.
    Variable(String),
    /// A call of a function or of a builtin (`transpose`, `print`).
    Call(Box<Call>),
    /// `a + b - c`
    Chain(Box<Chain>),
    /// `-a`, `!a`
    Unary(Box<Unary>),
    /// `a.b`
    Access(Box<Access>),
    /// `a[i, 0:2]`
    Index(Box<Index>),
    /// `"text"`, with its escapes resolved: only an argument of `print`.
    String(String),
    /// Text that the parser could not read; a diagnostic about it exists.
    Error,
}

/// `callee(arguments)`, or `grad(callee)(arguments)`
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The derivative of the function that is called, if it is not the function itself.
    pub derivative: Option<Derivative>,
    /// The function or builtin.
    pub callee: Name,
    /// The arguments without a name.
    pub arguments: Vec<Expr>,
    /// `axis = 1`: arguments with a name, which follow the others.
    pub named: Vec<(Name, Expr)>,
}

/// `grad(callee, 0, 1)` or `value_and_grad(callee)`: a function with the parameters of the callee.
#[derive(Clone, Debug, PartialEq)]
pub struct Derivative {
    /// The name of the derivative; the checker verifies that it is one of [`Derivative::NAMES`].
    pub name: Name,
    /// The numbers after the callee, as written: the parameters by which it differentiates, counted from 0. Without any,
    /// it is the first one. The checker verifies that they are whole.
    pub written: Vec<(f64, Span)>,
}

impl Derivative {
    /// The names of the derivatives in programs, without and with the value.
    pub const NAMES: [&'static str; 2] = ["grad", "value_and_grad"];

    /// True if the value of the function comes before its gradients.
    pub fn with_value(&self) -> bool {
        self.name.text == Self::NAMES[1]
    }

    /// The numbers of the parameters by which it differentiates.
    pub fn parameters(&self) -> Vec<usize> {
        match self.written.as_slice() {
            [] => vec![0],
            written => written.iter().map(|(number, _)| *number as usize).collect(),
        }
    }

    /// The number of its results: with several, it has the type of a struct literal with them as values.
    pub fn results(&self) -> usize {
        usize::from(self.with_value()) + self.written.len().max(1)
    }
}

/// `-operand`, `!-operand`, ...; the minus of a number like `-1` belongs to the number instead.
#[derive(Clone, Debug, PartialEq)]
pub struct Unary {
    /// The operators with their locations, outermost first; at least one.
    pub operators: Vec<(UnaryOperator, Span)>,
    /// The operand of the innermost operator.
    pub operand: Expr,
}

impl Unary {
    /// True if the operators turn the sign around, and false if they turn it twice; None if there is a `!`.
    pub fn is_negative(&self) -> Option<bool> {
        let negates = |(operator, _): &(UnaryOperator, Span)| *operator == UnaryOperator::Negate;
        self.operators.iter().all(negates).then_some(self.operators.len() % 2 == 1)
    }
}

/// A unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `-`
    Negate,
    /// `!`
    Not,
}

impl UnaryOperator {
    /// The operator as written.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOperator::Negate => "-",
            UnaryOperator::Not => "!",
        }
    }
}

/// `base[subscripts]`; `a[0][1]` is an index of an index, as deep as there are brackets.
#[derive(Clone, Debug, PartialEq)]
pub struct Index {
    /// The tensor.
    pub base: Expr,
    /// One per dimension from the first on; at least one.
    pub subscripts: Vec<Subscript>,
}

/// `base.field.field`
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// The struct value.
    pub base: Expr,
    /// The fields, outermost struct first; at least one.
    pub fields: Vec<Name>,
}

/// Left-associative operators of one precedence: `((first op rest0) op rest1) ...`.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The leftmost operand.
    pub first: Expr,
    /// The operators with their right operands, at least one, from left to right.
    pub rest: Vec<Link>,
}

/// One operator of a [`Chain`] with its right operand.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The operator.
    pub operator: BinaryOperator,
    /// The location of the operator itself.
    pub operator_span: Span,
    /// The right operand.
    pub operand: Expr,
}

impl Expr {
    /// True if the context determines the struct of the value: of a struct literal, and of a derivative with several
    /// results.
    pub fn is_structure(&self) -> bool {
        match &self.kind {
            ExprKind::StructLiteral(_) => true,
            ExprKind::Call(call) => call.derivative.as_ref().is_some_and(|it| it.results() > 1),
            _ => false,
        }
    }

    /// The direct subexpressions, from left to right.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = &Expr> {
        let (first, list): (Option<&Expr>, &[Expr]) = match &self.kind {
            ExprKind::Number(_) | ExprKind::Variable(_) | ExprKind::String(_) | ExprKind::Error => {
                (None, &[])
            }
            ExprKind::Literal(elements) | ExprKind::StructLiteral(elements) => (None, elements),
            ExprKind::Call(call) => (None, &call.arguments),
            ExprKind::Chain(chain) => (Some(&chain.first), &[]),
            ExprKind::Unary(unary) => (Some(&unary.operand), &[]),
            ExprKind::Access(access) => (Some(&access.base), &[]),
            ExprKind::Index(index) => (Some(&index.base), &[]),
        };
        let links: &[Link] =
            if let ExprKind::Chain(chain) = &self.kind { &chain.rest } else { &[] };
        let named: &[(Name, Expr)] =
            if let ExprKind::Call(call) = &self.kind { &call.named } else { &[] };
        let subscripts: &[Subscript] =
            if let ExprKind::Index(index) = &self.kind { &index.subscripts } else { &[] };
        first
            .into_iter()
            .chain(list)
            .chain(links.iter().map(|link| &link.operand))
            .chain(named.iter().map(|(_, value)| value))
            .chain(subscripts.iter().flat_map(Subscript::exprs))
    }

    /// Calls `visit` on this expression and all its subexpressions, in source order.
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
