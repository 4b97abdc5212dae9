//! The abstract syntax tree of a Toy program: plain data, as written, with unresolved names.
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
    /// The first `return` of the body. Toy has no branches, so the statements after it never run.
    pub fn first_return(&self) -> Option<&Statement> {
        self.body.iter().find(|statement| matches!(statement.kind, StatementKind::Return(_)))
    }

    /// The statements that run: those up to the first `return`.
    pub fn reachable(&self) -> &[Statement] {
        let is_return = |statement: &Statement| matches!(statement.kind, StatementKind::Return(_));
        let count = self.body.iter().position(is_return).map_or(self.body.len(), |at| at + 1);
        &self.body[..count]
    }

    /// Whether the function returns a value.
    pub fn has_result(&self) -> bool {
        matches!(self.first_return(), Some(Statement { kind: StatementKind::Return(Some(_)), .. }))
    }
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The kind of statement, with its parts.
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

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `var name<shape> = value` or `Struct name = value`
    VarDecl {
        /// The declared type.
        ty: DeclaredType,
        /// The name of the variable.
        name: Name,
        /// The initializer.
        value: Expr,
    },
    /// `return` or `return value`
    Return(Option<Expr>),
    /// An expression whose value is not used, usually a call.
    Expr(Expr),
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

/// `<2, 3>`: a declared shape, as written. (See [`crate::shape::Shape`] for shapes as values.)
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredShape {
    /// The dimensions, each at least 1; empty for a scalar (`<>`).
    pub dims: Vec<i64>,
    /// From `<` to `>`.
    pub span: Span,
}

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
    /// `-a`
    Negation(Box<Negation>),
    /// `a.b`
    Access(Box<Access>),
    /// Text that the parser could not read; a diagnostic about it exists.
    Error,
}

/// `callee(arguments)`
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The function or builtin.
    pub callee: Name,
    /// The arguments.
    pub arguments: Vec<Expr>,
}

/// `-operand`, `--operand`, ...; the minus of a number like `-1` belongs to the number instead.
#[derive(Clone, Debug, PartialEq)]
pub struct Negation {
    /// The characters `-`, outermost first; at least one.
    pub operators: Vec<Span>,
    /// The negated expression.
    pub operand: Expr,
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

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum BinaryOperator {
    Add,
    Sub,
    Mul,
    Div,
}

impl BinaryOperator {
    /// The operator as written, such as `+`.
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
    /// The direct subexpressions, from left to right.
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
