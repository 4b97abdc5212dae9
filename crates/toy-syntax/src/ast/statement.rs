//! Statements, their parts, and the order in which they run.

use super::{DeclaredType, Expr, Name};
use toy_diagnostics::source::Span;

/// Calls `visit` on each statement that may run, in source order; nested statements follow the statement
/// around them.
pub fn walk_reachable<'f>(statements: &'f [Statement], visit: impl FnMut(&'f Statement)) {
    walk(statements, reachable, visit);
}

/// The same for all statements, also those that never run.
pub fn walk_all<'f>(statements: &'f [Statement], visit: impl FnMut(&'f Statement)) {
    walk(statements, |statements| statements, visit);
}

/// The same for the statements that `selected` returns for each block.
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

/// The statements that may run, up to the first one after which the next one never runs.
pub fn reachable(statements: &[Statement]) -> &[Statement] {
    let count = statements.iter().position(Statement::always_leaves);
    &statements[..count.map_or(statements.len(), |at| at + 1)]
}

/// A statement that goes on elsewhere. The later one leads out of more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Jump {
    /// To the next iteration of the loop.
    Continue,
    /// Out of the loop.
    Break,
    /// Out of the function.
    Return,
}

/// A set of jumps, by their places in [`Jump`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Jumps([bool; 3]);

impl Jumps {
    pub(crate) fn only(jump: Jump) -> Self {
        let mut jumps = Self::default();
        jumps.0[jump as usize] = true;
        jumps
    }

    /// The jumps of both.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] || other.0[at]))
    }

    /// True if the jump is one of these.
    pub fn has(self, jump: Jump) -> bool {
        self.0[jump as usize]
    }

    /// True if there is a jump.
    pub fn any(self) -> bool {
        self != Self::default()
    }

    /// The jump that leads farthest.
    pub fn farthest(self) -> Option<Jump> {
        [Jump::Return, Jump::Break, Jump::Continue].into_iter().find(|jump| self.has(*jump))
    }

    /// True if a jump leads out of the loop around the statements.
    pub fn leave_loop(self) -> bool {
        self.has(Jump::Break) || self.has(Jump::Return)
    }

    /// The jumps of a loop's body that lead out of the statement with the loop.
    pub(crate) fn beyond_loop(self) -> Self {
        Self([false, false, self.has(Jump::Return)])
    }
}

/// The jumps that may lead out of statements. Those that never run do not count.
pub fn jumps(statements: &[Statement]) -> Jumps {
    let jumps = reachable(statements).iter().map(Statement::jumps);
    jumps.fold(Jumps::default(), Jumps::or)
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
    /// True if the function returns in this statement, whatever its conditions are.
    pub fn always_returns(&self) -> bool {
        self.always_ends_in() == Some(Jump::Return)
    }

    /// True if the next statement never runs after this one, whatever its conditions are.
    pub fn always_leaves(&self) -> bool {
        self.always_ends_in().is_some()
    }

    /// The jump in which the statement always ends; of several, the one that leads least far. Recursion is as deep
    /// as blocks are nested.
    pub(crate) fn always_ends_in(&self) -> Option<Jump> {
        let jump = |body: &Body| body.statements.iter().find_map(Statement::always_ends_in);
        match &self.kind {
            StatementKind::If(branches) => {
                let arms = branches.arms.iter().map(|arm| jump(&arm.body));
                arms.min().flatten().min(branches.otherwise.as_ref().and_then(jump))
            }
            // A loop may not run at all.
            _ => self.jump(),
        }
    }

    /// The jump that the statement itself is.
    pub fn jump(&self) -> Option<Jump> {
        match &self.kind {
            StatementKind::Continue => Some(Jump::Continue),
            StatementKind::Break => Some(Jump::Break),
            StatementKind::Return(_) => Some(Jump::Return),
            _ => None,
        }
    }

    /// The jumps that may lead out of the statement: those of a loop's body to the loop do not.
    pub fn jumps(&self) -> Jumps {
        let inside = self.bodies().into_iter().map(|body| jumps(&body.statements));
        let inside = inside.fold(Jumps::default(), Jumps::or);
        let own = self.jump().map_or(Jumps::default(), Jumps::only);
        own.or(if self.is_loop() { inside.beyond_loop() } else { inside })
    }

    /// True for `while` and `for`.
    pub fn is_loop(&self) -> bool {
        matches!(self.kind, StatementKind::While(_) | StatementKind::For(_))
    }

    /// The expressions of the statement itself, in source order; statements inside it are not included.
    pub fn exprs(&self) -> Vec<&Expr> {
        match &self.kind {
            StatementKind::VarDecl { ty, value, .. } => ty.sizes().iter().chain([value]).collect(),
            StatementKind::Expr(value) => vec![value],
            StatementKind::Return(value) => value.iter().collect(),
            StatementKind::Break | StatementKind::Continue => vec![],
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

    /// Calls `visit` on each of these expressions and on all their subexpressions, in source order.
    pub fn walk_exprs<'s>(&'s self, mut visit: impl FnMut(&'s Expr)) {
        self.exprs().into_iter().for_each(|expr| expr.walk(&mut visit));
    }

    /// The variable that the statement itself defines.
    pub fn defined(&self) -> Option<&Name> {
        match &self.kind {
            StatementKind::VarDecl { name, .. } => Some(name),
            StatementKind::For(repeated) => Some(&repeated.variable),
            _ => None,
        }
    }

    /// The variable that the statement itself defines or assigns.
    pub fn changed(&self) -> Option<&Name> {
        match &self.kind {
            StatementKind::Assign(assignment) => Some(&assignment.name),
            _ => self.defined(),
        }
    }

    /// The bodies of the statement, in source order.
    pub fn bodies(&self) -> Vec<&Body> {
        match &self.kind {
            StatementKind::If(branches) => {
                branches.arms.iter().map(|arm| &arm.body).chain(&branches.otherwise).collect()
            }
            StatementKind::While(repeated) => vec![&repeated.body],
            StatementKind::For(repeated) => vec![&repeated.body],
            StatementKind::VarDecl { .. }
            | StatementKind::Return(_)
            | StatementKind::Break
            | StatementKind::Continue
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
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// An expression whose value is not used, usually a call.
    Expr(Expr),
    /// `name = value`, `name[subscripts] = value`, or the same with fields: `name.field[subscripts] = value`
    Assign(Box<Assignment>),
    /// `if (c) { ... } else if (c) { ... } else { ... }`
    If(Box<If>),
    /// `while (c) { ... }`
    While(Box<While>),
    /// `for i in a..b..step { ... }`
    For(Box<For>),
}

/// `name = value`, or `name.field[subscripts] = value`, which replaces a part.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// The variable.
    pub name: Name,
    /// The field that is replaced, in nested structs; empty for all of the variable.
    pub fields: Vec<Name>,
    /// The part that is replaced; empty for all of the variable or the field.
    pub subscripts: Vec<Subscript>,
    /// From the name to the last field or bracket.
    pub target: Span,
    /// The new value.
    pub value: Expr,
}

impl Assignment {
    /// True if the variable gets a new value that does not depend on the old one.
    pub fn is_whole(&self) -> bool {
        self.fields.is_empty() && self.subscripts.is_empty()
    }
}

/// `if (c) { ... } else if (c) { ... } else { ... }`
#[derive(Clone, Debug, PartialEq)]
pub struct If {
    /// The conditions, each with the body that runs if it is the first to hold; at least one.
    pub arms: Vec<Arm>,
    /// The `else` branch.
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
    /// A scalar, computed before each iteration; 0 ends the loop.
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
    /// The increment after each iteration; None for 1.
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
    /// `a:b:s`: the dimension stays.
    Range(Box<Slice>),
}

/// `a:b:s`, half-open; each part may be left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    /// The first index.
    pub from: Option<Expr>,
    /// The index at which it ends.
    pub to: Option<Expr>,
    /// The distance of the elements.
    pub step: Option<Expr>,
    /// From the first bound to the last part.
    pub span: Span,
}

impl Subscript {
    /// The expressions, from left to right.
    pub fn exprs(&self) -> impl DoubleEndedIterator<Item = &Expr> {
        let parts = match self {
            Subscript::At(index) => [Some(index), None, None],
            Subscript::Range(slice) => {
                [slice.from.as_ref(), slice.to.as_ref(), slice.step.as_ref()]
            }
        };
        parts.into_iter().flatten()
    }
}
