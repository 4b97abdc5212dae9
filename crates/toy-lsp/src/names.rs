//! What each name in a program means.
//!
//! Input: a tree, also one with errors, and its tokens. Output: the definitions, and every place that names one of
//! them. Invariants: the places are sorted and do not overlap; a name that means nothing has a place without a
//! definition; the work is linear in the program, and recursion is as deep as blocks are nested.

use std::collections::HashMap;
use toy_diagnostics::source::Span;
use toy_syntax::ast::{
    Binding, Body, DeclaredType, Expr, ExprKind, Function, Module, Name, Statement, StatementKind,
};
use toy_syntax::builtins::Builtin;
use toy_syntax::token::Token;
use toy_syntax::types::{Type, Types, Variables};

/// What a name may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The place of a definition in [`Names::definitions`].
    Definition(usize),
    Builtin(&'static Builtin),
    /// `axis` or `end` before a `=` in a call.
    Label,
    Unknown,
}

/// What a place does with the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Define,
    Write,
    Read,
    Call,
}

/// A place that names something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub span: Span,
    pub target: Target,
    pub role: Role,
}

/// The kinds of definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Function,
    Struct,
    Field,
    Parameter,
    Variable,
    /// It counts the rounds of a `for`.
    Loop,
}

/// Something that has a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    pub kind: Kind,
    pub name: String,
    /// The name.
    pub span: Span,
    /// The whole definition.
    pub whole: Span,
    /// Where the name is known: the rest of the block, the body of a loop, or everything.
    pub scope: Span,
    /// The definition of the function or the struct that it is in.
    pub parent: Option<usize>,
    /// The definition of its struct; None for a tensor, and for what has no type.
    pub structure: Option<usize>,
    /// The shape that the program writes, with `<` and `>`.
    pub declared: Option<Span>,
}

/// All names of a program.
#[derive(Default)]
pub struct Names {
    /// In the order of the text, but for functions and structs, which come first.
    pub definitions: Vec<Definition>,
    pub places: Vec<Place>,
}

impl Names {
    pub fn resolve(module: &Module, tokens: &[(Token<'_>, Span)]) -> Self {
        let mut resolver = Resolver {
            module,
            tokens,
            types: Types::of_module(module),
            names: Names::default(),
            functions: HashMap::new(),
            structs: HashMap::new(),
            fields: HashMap::new(),
        };
        resolver.globals();
        for (index, function) in module.functions.iter().enumerate() {
            resolver.function(function, module.structs.len() + index);
        }
        let Resolver { mut names, functions, .. } = resolver;
        // What the parser made up where it recovered has no text, or that of something else.
        names.places.retain(|place| place.span.start < place.span.end);
        names.places.sort_by_key(|place| place.span);
        names.places.dedup_by(|later, earlier| later.span.start < earlier.span.end);
        names.add_unread(tokens, &functions);
        names
    }

    /// Adds the names in text that the parser could not read.
    fn add_unread(&mut self, tokens: &[(Token<'_>, Span)], functions: &HashMap<&str, usize>) {
        let mut variables: HashMap<&str, Vec<&Definition>> = HashMap::new();
        let mut numbers = HashMap::new();
        for (number, it) in self.definitions.iter().enumerate() {
            if matches!(it.kind, Kind::Parameter | Kind::Variable | Kind::Loop) {
                variables.entry(&it.name).or_default().push(it);
                numbers.insert(it.span, number);
            }
        }
        let mut found = Vec::new();
        for (index, (token, span)) in tokens.iter().enumerate() {
            let Token::Identifier(name) = token else { continue };
            let is_known = self.places.binary_search_by_key(span, |place| place.span).is_ok();
            let before = index.checked_sub(1).map(|before| tokens[before].0);
            if is_known || before == Some(Token::Dot) {
                continue;
            }
            let (target, role) = match tokens.get(index + 1) {
                Some((Token::OpenParen, _)) => {
                    let function = functions.get(name).copied().map(Target::Definition);
                    let builtin = || toy_syntax::builtins::find(name).map(Target::Builtin);
                    (function.or_else(builtin), Role::Call)
                }
                _ => {
                    let known = variables.get(name).into_iter().flatten().rev();
                    let known = known
                        .into_iter()
                        .find(|it| it.scope.start <= span.start && span.end <= it.scope.end);
                    let number = known.and_then(|it| numbers.get(&it.span)).copied();
                    (number.map(Target::Definition), Role::Read)
                }
            };
            found.extend(target.map(|target| Place { span: *span, target, role }));
        }
        self.places.extend(found);
        self.places.sort_by_key(|place| place.span);
    }

    /// The place at an offset: the name that contains it or ends there.
    pub fn at(&self, offset: u32) -> Option<&Place> {
        let next = self.places.partition_point(|place| place.span.start <= offset);
        let place = self.places.get(next.checked_sub(1)?)?;
        (offset <= place.span.end).then_some(place)
    }

    pub fn definition(&self, place: &Place) -> Option<(usize, &Definition)> {
        match place.target {
            Target::Definition(index) => Some((index, &self.definitions[index])),
            _ => None,
        }
    }

    /// The places that mean the same.
    pub fn same(&self, target: Target) -> impl Iterator<Item = &Place> {
        self.places.iter().filter(move |place| place.target == target)
    }

    /// The fields of a struct, in order.
    pub fn fields(&self, structure: usize) -> impl Iterator<Item = &Definition> {
        self.definitions
            .iter()
            .filter(move |it| it.kind == Kind::Field && it.parent == Some(structure))
    }

    /// The parameters of a function, in order.
    pub fn parameters(&self, function: usize) -> impl Iterator<Item = &Definition> {
        self.definitions
            .iter()
            .filter(move |it| it.kind == Kind::Parameter && it.parent == Some(function))
    }

    /// The variables that are known at an offset, the innermost last.
    pub fn variables_at(&self, offset: u32) -> impl Iterator<Item = &Definition> {
        self.definitions.iter().filter(move |it| {
            let is_variable = matches!(it.kind, Kind::Parameter | Kind::Variable | Kind::Loop);
            is_variable && it.scope.start <= offset && offset <= it.scope.end
        })
    }

    /// The function whose text contains an offset.
    pub fn function_at(&self, offset: u32) -> Option<usize> {
        self.definitions.iter().position(|it| {
            it.kind == Kind::Function && it.whole.start <= offset && offset <= it.whole.end
        })
    }
}

struct Resolver<'m, 't> {
    module: &'m Module,
    tokens: &'t [(Token<'t>, Span)],
    types: Types<'m>,
    names: Names,
    /// The definitions by name; of several with the same name, the first.
    functions: HashMap<&'m str, usize>,
    structs: HashMap<&'m str, usize>,
    fields: HashMap<(usize, &'m str), usize>,
}

/// The variables that are known.
#[derive(Default)]
struct Scope<'m> {
    known: HashMap<&'m str, usize>,
    types: Variables<'m>,
    /// What names meant before.
    undo: Vec<(&'m str, Option<usize>, Option<Type<'m>>)>,
    function: usize,
    /// The end of the block.
    end: u32,
}

impl<'m> Resolver<'m, '_> {
    fn globals(&mut self) {
        let module = self.module;
        let everywhere = Span { start: 0, end: u32::MAX };
        let plain = |kind, name: &Name, whole| Definition {
            kind,
            name: name.text.clone(),
            span: name.span,
            whole,
            scope: everywhere,
            parent: None,
            structure: None,
            declared: None,
        };
        for structure in &module.structs {
            let index = self.define(plain(Kind::Struct, &structure.name, structure.span));
            self.structs.entry(&structure.name.text).or_insert(index);
        }
        for function in &module.functions {
            let index = self.define(plain(Kind::Function, &function.name, function.span));
            self.functions.entry(&function.name.text).or_insert(index);
        }
        for (parent, structure) in module.structs.iter().enumerate() {
            for field in &structure.fields {
                let ty = self.named(field.ty.as_ref());
                let definition = plain(Kind::Field, &field.name, field.span);
                let definition = Definition { parent: Some(parent), structure: ty, ..definition };
                let index = self.define(definition);
                self.fields.entry((parent, &field.name.text)).or_insert(index);
            }
        }
    }

    /// Adds a definition, and its place.
    fn define(&mut self, definition: Definition) -> usize {
        let index = self.names.definitions.len();
        self.place(definition.span, Target::Definition(index), Role::Define);
        self.names.definitions.push(definition);
        index
    }

    fn place(&mut self, span: Span, target: Target, role: Role) {
        self.names.places.push(Place { span, target, role });
    }

    /// A use of the name of a struct; its definition.
    fn named(&mut self, name: Option<&'m Name>) -> Option<usize> {
        let name = name?;
        let found = self.structs.get(name.text.as_str()).copied();
        let target = found.map_or(Target::Unknown, Target::Definition);
        self.place(name.span, target, Role::Read);
        found
    }

    fn function(&mut self, function: &'m Function, index: usize) {
        let mut scope = Scope { function: index, end: function.span.end, ..Scope::default() };
        for parameter in &function.parameters {
            let Binding { ty, name, span } = parameter;
            let ty = self.named(ty.as_ref());
            let shown = self.types.named(parameter.ty.as_ref());
            let whole = Span { start: function.prototype.end, end: function.span.end };
            self.variable(&mut scope, Kind::Parameter, name, *span, (ty, shown), whole, None);
        }
        self.statements(&mut scope, &function.body);
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of a definition")]
    fn variable(
        &mut self,
        scope: &mut Scope<'m>,
        kind: Kind,
        name: &'m Name,
        whole: Span,
        (structure, ty): (Option<usize>, Type<'m>),
        known: Span,
        declared: Option<Span>,
    ) {
        if name.text.is_empty() {
            return;
        }
        let index = self.define(Definition {
            kind,
            name: name.text.clone(),
            span: name.span,
            whole,
            scope: known,
            parent: Some(scope.function),
            structure,
            declared,
        });
        let before = scope.known.insert(&name.text, index);
        let type_before = scope.types.insert(&name.text, ty);
        scope.undo.push((&name.text, before, type_before));
    }

    fn statements(&mut self, scope: &mut Scope<'m>, statements: &'m [Statement]) {
        statements.iter().for_each(|statement| self.statement(scope, statement));
    }

    fn statement(&mut self, scope: &mut Scope<'m>, statement: &'m Statement) {
        match &statement.kind {
            StatementKind::VarDecl { ty, name, value } => {
                self.expr(scope, value);
                let (named, declared) = match ty {
                    DeclaredType::Struct(name) => (self.named(Some(name)), None),
                    DeclaredType::Tensor(shape) => (None, Some(shape.span)),
                    DeclaredType::Inferred => (None, None),
                };
                let shown = self.types.declared(ty, &scope.types, value);
                let structure = named.or_else(|| self.structure_of(shown));
                let known = Span { start: statement.span.end, end: scope.end };
                let ty = (structure, shown);
                self.variable(scope, Kind::Variable, name, statement.span, ty, known, declared);
            }
            StatementKind::Assign(assignment) => {
                let name = &assignment.name;
                let known = scope.known.get(name.text.as_str()).copied();
                let target = known.map_or(Target::Unknown, Target::Definition);
                self.place(name.span, target, Role::Write);
                statement.exprs().into_iter().for_each(|expr| self.expr(scope, expr));
            }
            StatementKind::Return(_) | StatementKind::Expr(_) => {
                statement.exprs().into_iter().for_each(|expr| self.expr(scope, expr));
            }
            StatementKind::If(branches) => {
                for arm in &branches.arms {
                    self.expr(scope, &arm.condition);
                    self.block(scope, &arm.body, None);
                }
                if let Some(body) = &branches.otherwise {
                    self.block(scope, body, None);
                }
            }
            StatementKind::While(repeated) => {
                self.expr(scope, &repeated.condition);
                self.block(scope, &repeated.body, None);
            }
            StatementKind::For(repeated) => {
                statement.exprs().into_iter().for_each(|expr| self.expr(scope, expr));
                self.block(scope, &repeated.body, Some(&repeated.variable));
            }
        }
    }

    fn block(&mut self, scope: &mut Scope<'m>, body: &'m Body, variable: Option<&'m Name>) {
        let (depth, end) = (scope.undo.len(), scope.end);
        scope.end = body.span.end;
        if let Some(name) = variable {
            let ty = (None, Type::Tensor);
            self.variable(scope, Kind::Loop, name, name.span, ty, body.span, None);
        }
        self.statements(scope, &body.statements);
        scope.end = end;
        for (name, before, ty) in scope.undo.drain(depth..).rev() {
            match before {
                Some(before) => scope.known.insert(name, before),
                None => scope.known.remove(name),
            };
            match ty {
                Some(ty) => scope.types.insert(name, ty),
                None => scope.types.remove(name),
            };
        }
    }

    fn expr(&mut self, scope: &Scope<'m>, expr: &'m Expr) {
        let mut found = Vec::new();
        expr.walk(|expr| match &expr.kind {
            ExprKind::Variable(_) | ExprKind::Call(_) | ExprKind::Access(_) => found.push(expr),
            _ => {}
        });
        for expr in found {
            match &expr.kind {
                ExprKind::Variable(name) => {
                    let known = scope.known.get(name.as_str()).copied();
                    let target = known.map_or(Target::Unknown, Target::Definition);
                    self.place(self.identifier(expr.span), target, Role::Read);
                }
                ExprKind::Call(call) => {
                    let target = match self.types.builtin(&call.callee.text) {
                        Some(builtin) => Target::Builtin(builtin),
                        None => {
                            let known = self.functions.get(call.callee.text.as_str()).copied();
                            known.map_or(Target::Unknown, Target::Definition)
                        }
                    };
                    self.place(call.callee.span, target, Role::Call);
                    for (name, _) in &call.named {
                        self.place(name.span, Target::Label, Role::Read);
                    }
                }
                ExprKind::Access(access) => {
                    let mut ty = self.structure_of(self.types.of(&access.base, &scope.types));
                    for field in &access.fields {
                        let found = ty.and_then(|ty| self.field(ty, &field.text));
                        let target = found.map_or(Target::Unknown, Target::Definition);
                        self.place(field.span, target, Role::Read);
                        ty = found.and_then(|found| self.names.definitions[found].structure);
                    }
                }
                _ => {}
            }
        }
    }

    /// The name in an expression that may be in parentheses.
    fn identifier(&self, span: Span) -> Span {
        let first = self.tokens.partition_point(|(_, token)| token.start < span.start);
        let inside = self.tokens[first..].iter().take_while(|(_, token)| token.end <= span.end);
        let name = inside.into_iter().find(|(token, _)| matches!(token, Token::Identifier(_)));
        name.map_or(Span { end: span.start, ..span }, |(_, span)| *span)
    }

    fn structure_of(&self, ty: Type<'m>) -> Option<usize> {
        match ty {
            Type::Struct(structure) => self.structs.get(structure.name.text.as_str()).copied(),
            _ => None,
        }
    }

    fn field(&self, structure: usize, name: &'m str) -> Option<usize> {
        self.fields.get(&(structure, name)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toy_diagnostics::source::Source;

    /// Each name with the line of its definition.
    fn resolved(text: &str) -> Vec<(String, String)> {
        let source = Source::new("t", text);
        let (module, _) = toy_syntax::analyze(&source);
        let names = Names::resolve(&module, &toy_syntax::lexer::lex(&source).0);
        let describe = |place: &Place| {
            let target = match place.target {
                Target::Definition(index) => {
                    let span = names.definitions[index].span;
                    format!("{}", source.line_column(span.start).line)
                }
                other => format!("{other:?}").chars().take(7).collect(),
            };
            (source.snippet(place.span).to_owned(), target)
        };
        names.places.iter().map(describe).collect()
    }

    fn targets(text: &str, name: &str) -> Vec<String> {
        let all = resolved(text).into_iter();
        all.filter(|(found, _)| found == name).map(|(_, target)| target).collect()
    }

    #[test]
    fn variables_are_known_in_their_blocks() {
        let text = "def main() {\nvar a = 1;\nif (a) {\nvar b = a; print(b);\n} else {\nvar b = (a);\n\
                    print((b));\n}\nprint(b);\nfor i in 0..a { a = i; }\nprint(i);\n}";
        assert_eq!(targets(text, "a"), ["2"; 6]);
        assert_eq!(targets(text, "b"), ["4", "4", "6", "6", "Unknown"]);
        assert_eq!(targets(text, "i"), ["10", "10", "Unknown"]);
    }

    #[test]
    fn fields_belong_to_the_structs_of_values() {
        let text = "struct P { var x; }\nstruct Q { P x; var y; }\ndef f(Q q) { return q.x.x; }\n\
                    def g(p) { Q q = {{p}, p}; return f(q) + q.x.z; }";
        assert_eq!(targets(text, "x"), ["1", "2", "2", "1", "2"]);
        assert_eq!(targets(text, "z"), ["Unknown"]);
        assert_eq!(targets(text, "Q"), ["2", "2", "2"]);
        assert_eq!(targets(text, "P"), ["1", "1"]);
    }

    #[test]
    fn calls_are_of_functions_or_builtins() {
        let text = "def exp(x) { return x; }\ndef main() { print(exp(sum([1], axis = 0)), f(1)); }";
        assert_eq!(targets(text, "exp"), ["1", "1"]);
        assert_eq!(targets(text, "sum"), ["Builtin"]);
        assert_eq!(targets(text, "axis"), ["Label"]);
        assert_eq!(targets(text, "f"), ["Unknown"]);
    }

    #[test]
    fn what_could_not_be_read_hides_nothing_else() {
        let text = "def main() {\nvar a = ;\nvar b = a +;\nprint(b, a.);\n";
        assert_eq!(targets(text, "a"), ["2", "2", "2"]);
        assert_eq!(targets(text, "b"), ["3", "3"]);
    }
}
