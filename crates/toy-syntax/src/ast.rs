//! The abstract syntax tree of a Toy program: plain data, as written, with unresolved names.
//!
//! Every node has the span of the text it came from. The tree is as deep as the program's
//! brackets (which the parser limits) and never as deep as a chain of operators is long:
//! `a + b - c` is one [`Chain`] of three operands, `- - a` one [`Unary`], `a.b.c` one
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
    /// The first `return` that may run, in the order of the text.
    pub fn first_return(&self) -> Option<&Statement> {
        self.returns().into_iter().next()
    }

    /// The statements of the body that may run: those up to the first one after which none does.
    pub fn reachable(&self) -> &[Statement] {
        reachable(&self.body)
    }

    /// The `return`s that may run, in the order of the text.
    pub fn returns(&self) -> Vec<&Statement> {
        let mut returns = Vec::new();
        self.walk(|statement| {
            if matches!(statement.kind, StatementKind::Return(_)) {
                returns.push(statement);
            }
        });
        returns
    }

    /// Whether the function returns a value.
    pub fn has_result(&self) -> bool {
        let is_value =
            |statement: &&Statement| matches!(statement.kind, StatementKind::Return(Some(_)));
        self.returns().iter().any(is_value)
    }

    /// Calls `visit` on each statement that may run, in the order of the text; those inside a statement
    /// follow it.
    pub fn walk<'f>(&'f self, visit: impl FnMut(&'f Statement)) {
        walk_reachable(&self.body, visit);
    }

    /// Likewise for all statements, also those that never run.
    pub fn walk_all<'f>(&'f self, visit: impl FnMut(&'f Statement)) {
        walk(&self.body, |statements| statements, visit);
    }
}

/// Calls `visit` on each of the statements that may run, in the order of the text; those inside a statement
/// follow it.
pub fn walk_reachable<'f>(statements: &'f [Statement], visit: impl FnMut(&'f Statement)) {
    walk(statements, reachable, visit);
}

fn walk<'f>(
    statements: &'f [Statement],
    selected: fn(&[Statement]) -> &[Statement],
    mut visit: impl FnMut(&'f Statement),
) {
    let mut rest = vec![selected(statements).iter()];
    while let Some(statements) = rest.last_mut() {
        let Some(statement) = statements.next() else {
            rest.pop();
            continue;
        };
        visit(statement);
        let bodies = statement.bodies();
        rest.extend(bodies.into_iter().rev().map(|body| selected(&body.statements).iter()));
    }
}

/// The statements that may run: those up to the first one after which none does.
pub fn reachable(statements: &[Statement]) -> &[Statement] {
    let count = statements.iter().position(Statement::always_returns);
    &statements[..count.map_or(statements.len(), |at| at + 1)]
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
    /// Whether the function returns in this statement, whatever its conditions are. Recursion is as deep as
    /// blocks are nested.
    pub fn always_returns(&self) -> bool {
        let returns = |body: &Body| body.statements.iter().any(Statement::always_returns);
        match &self.kind {
            StatementKind::Return(_) => true,
            StatementKind::If(branches) => {
                branches.otherwise.as_ref().is_some_and(returns)
                    && branches.arms.iter().all(|arm| returns(&arm.body))
            }
            // A loop may run no round.
            _ => false,
        }
    }

    /// The expressions of the statement itself, in the order of the text; not those of statements inside it.
    pub fn exprs(&self) -> Vec<&Expr> {
        match &self.kind {
            StatementKind::VarDecl { value, .. } | StatementKind::Expr(value) => vec![value],
            StatementKind::Return(value) => value.iter().collect(),
            StatementKind::Assign(assignment) => {
                let subscripts = assignment.subscripts.iter().flat_map(Subscript::exprs);
                subscripts.chain([&assignment.value]).collect()
            }
            StatementKind::If(branches) => branches.arms.iter().map(|arm| &arm.condition).collect(),
            StatementKind::While(repeated) => vec![&repeated.condition],
            StatementKind::For(repeated) => {
                [&repeated.first, &repeated.end].into_iter().chain(&repeated.step).collect()
            }
        }
    }

    /// The bodies of the statement, in the order of the text.
    pub fn bodies(&self) -> Vec<&Body> {
        match &self.kind {
            StatementKind::If(branches) => {
                branches.arms.iter().map(|arm| &arm.body).chain(&branches.otherwise).collect()
            }
            StatementKind::While(repeated) => vec![&repeated.body],
            StatementKind::For(repeated) => vec![&repeated.body],
            StatementKind::VarDecl { .. }
            | StatementKind::Return(_)
            | StatementKind::Expr(_)
            | StatementKind::Assign(_) => vec![],
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
    /// `name = value` or `name[subscripts] = value`
    Assign(Box<Assignment>),
    /// `if (c) { ... } else if (c) { ... } else { ... }`
    If(Box<If>),
    /// `while (c) { ... }`
    While(Box<While>),
    /// `for i in a..b..step { ... }`
    For(Box<For>),
}

/// `name = value`, or `name[subscripts] = value`, which replaces a part.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// The variable.
    pub name: Name,
    /// The part that is replaced; empty for all of the variable.
    pub subscripts: Vec<Subscript>,
    /// From the name to the last bracket.
    pub target: Span,
    /// The new value.
    pub value: Expr,
}

/// `if (c) { ... } else if (c) { ... } else { ... }`
#[derive(Clone, Debug, PartialEq)]
pub struct If {
    /// The conditions with what runs if they are the first to hold; at least one.
    pub arms: Vec<Arm>,
    /// What runs if none holds.
    pub otherwise: Option<Body>,
}

/// `if (condition) { ... }`, also after an `else`.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// A scalar; 0 is false.
    pub condition: Expr,
    /// The statements.
    pub body: Body,
}

/// `while (condition) { ... }`
#[derive(Clone, Debug, PartialEq)]
pub struct While {
    /// A scalar, computed before each round; 0 ends the loop.
    pub condition: Expr,
    /// The statements.
    pub body: Body,
}

/// `for variable in first..end..step { ... }`
#[derive(Clone, Debug, PartialEq)]
pub struct For {
    /// The loop variable.
    pub variable: Name,
    /// Its first value.
    pub first: Expr,
    /// The value that it does not reach.
    pub end: Expr,
    /// What is added after each round; None for 1.
    pub step: Option<Expr>,
    /// The statements.
    pub body: Body,
}

/// The statements between two braces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// In the order of the text.
    pub statements: Vec<Statement>,
    /// From the opening to the closing brace.
    pub span: Span,
}

/// One subscript of `x[i, a:b]`.
#[derive(Clone, Debug, PartialEq)]
pub enum Subscript {
    /// `i`: the dimension is dropped.
    At(Expr),
    /// `a:b`, half-open, with constant bounds: the dimension stays.
    Range(Expr, Expr),
}

impl Subscript {
    /// The expressions, from left to right.
    pub fn exprs(&self) -> impl DoubleEndedIterator<Item = &Expr> {
        let (first, second) = match self {
            Subscript::At(index) => (index, None),
            Subscript::Range(from, to) => (from, Some(to)),
        };
        std::iter::once(first).chain(second)
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

/// `callee(arguments)`
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The function or builtin.
    pub callee: Name,
    /// The arguments without a name.
    pub arguments: Vec<Expr>,
    /// `axis = 1`: arguments with a name, which follow the others.
    pub named: Vec<(Name, Expr)>,
}

/// `-operand`, `!-operand`, ...; the minus of a number like `-1` belongs to the number instead.
#[derive(Clone, Debug, PartialEq)]
pub struct Unary {
    /// The operators with their locations, outermost first; at least one.
    pub operators: Vec<(UnaryOperator, Span)>,
    /// The operand of the innermost operator.
    pub operand: Expr,
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

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum BinaryOperator {
    Or,
    And,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    Add,
    Sub,
    Mul,
    Div,
    MatMul,
}

/// How tight a binary operator binds, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Precedence {
    Or,
    And,
    /// A [`Chain`] of these has one operator: `a < b < c` is an error.
    Comparison,
    Additive,
    Multiplicative,
}

impl BinaryOperator {
    /// The operator as written, such as `+`.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOperator::Or => "||",
            BinaryOperator::And => "&&",
            BinaryOperator::Less => "<",
            BinaryOperator::LessEqual => "<=",
            BinaryOperator::Greater => ">",
            BinaryOperator::GreaterEqual => ">=",
            BinaryOperator::Equal => "==",
            BinaryOperator::NotEqual => "!=",
            BinaryOperator::Add => "+",
            BinaryOperator::Sub => "-",
            BinaryOperator::Mul => "*",
            BinaryOperator::Div => "/",
            BinaryOperator::MatMul => "@",
        }
    }

    /// How tight the operator binds.
    pub fn precedence(self) -> Precedence {
        match self {
            BinaryOperator::Or => Precedence::Or,
            BinaryOperator::And => Precedence::And,
            BinaryOperator::Less
            | BinaryOperator::LessEqual
            | BinaryOperator::Greater
            | BinaryOperator::GreaterEqual
            | BinaryOperator::Equal
            | BinaryOperator::NotEqual => Precedence::Comparison,
            BinaryOperator::Add | BinaryOperator::Sub => Precedence::Additive,
            BinaryOperator::Mul | BinaryOperator::Div | BinaryOperator::MatMul => {
                Precedence::Multiplicative
            }
        }
    }
}

impl Expr {
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
