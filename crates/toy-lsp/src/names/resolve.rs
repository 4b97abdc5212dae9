//! The walk through the tree that finds the meanings of names.
//!
//! Input: a tree, also one with errors, and its tokens. Output: definitions and places, in no order yet, and the
//! functions by name. Invariant: a variable is known from the statement after its definition to the end of its block.

use super::{Definition, Kind, Names, Place, Role, Target};
use std::collections::HashMap;
use toy_diagnostics::source::Span;
use toy_syntax::ast::{
    Binding, Body, DeclaredType, Expr, ExprKind, Function, Module, Name, Statement, StatementKind,
};
use toy_syntax::builtins;
use toy_syntax::token::Token;
use toy_syntax::types::{Type, Types, Variables};

/// The names of a module, and its functions.
pub fn resolve<'m>(
    module: &'m Module,
    tokens: &[(Token<'_>, Span)],
) -> (Names, HashMap<&'m str, usize>) {
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
    (resolver.names, resolver.functions)
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
    /// The previous meanings of names.
    undo: Vec<(&'m str, Option<usize>, Option<Type<'m>>)>,
    function: usize,
    /// The end of the block.
    end: u32,
}

impl<'m> Resolver<'m, '_> {
    fn globals(&mut self) {
        let module = self.module;
        let everywhere = Span { start: 0, end: u32::MAX };
        let plain = |kind, name, whole| definition(kind, name, whole, everywhere);
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
                let structure = self.named(field.ty.as_ref());
                let definition = plain(Kind::Field, &field.name, field.span);
                let definition = Definition { parent: Some(parent), structure, ..definition };
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
        self.place(name.span, target(found), Role::Read);
        found
    }

    fn function(&mut self, function: &'m Function, index: usize) {
        let mut scope = Scope { function: index, end: function.span.end, ..Scope::default() };
        for parameter in &function.parameters {
            let Binding { ty, name, span } = parameter;
            self.named(ty.as_ref());
            let ty = self.types.named(ty.as_ref());
            let known = Span { start: function.prototype.end, end: function.span.end };
            self.variable(&mut scope, name, ty, definition(Kind::Parameter, name, *span, known));
        }
        self.statements(&mut scope, &function.body);
    }

    fn variable(
        &mut self,
        scope: &mut Scope<'m>,
        name: &'m Name,
        ty: Type<'m>,
        definition: Definition,
    ) {
        if name.text.is_empty() {
            return;
        }
        let (parent, structure) = (Some(scope.function), self.structure_of(ty));
        let index = self.define(Definition { parent, structure, ..definition });
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
                ty.sizes().iter().for_each(|size| self.expr(scope, size));
                self.expr(scope, value);
                let known = Span { start: statement.span.end, end: scope.end };
                let mut definition = definition(Kind::Variable, name, statement.span, known);
                match ty {
                    DeclaredType::Struct(name) => {
                        self.named(Some(name));
                    }
                    DeclaredType::Tensor(shape) => definition.declared = Some(shape.span),
                    DeclaredType::Inferred => {}
                }
                let ty = self.types.declared(ty, &scope.types, value);
                self.variable(scope, name, ty, definition);
            }
            StatementKind::Assign(assignment) => {
                let Name { text, span } = &assignment.name;
                let known = scope.known.get(text.as_str()).copied();
                self.place(*span, target(known), Role::Write);
                let ty = scope.types.get(text.as_str()).copied().unwrap_or(Type::Unknown);
                self.fields(ty, &assignment.fields, Role::Write);
                statement.exprs().into_iter().for_each(|expr| self.expr(scope, expr));
            }
            StatementKind::Break | StatementKind::Continue => {}
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
            let definition = definition(Kind::Loop, name, name.span, body.span);
            self.variable(scope, name, Type::Tensor, definition);
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
                    let value = builtins::find(name).filter(|it| it.value.is_some());
                    let target = match (known, value) {
                        (None, Some(value)) => Target::Builtin(value),
                        _ => target(known),
                    };
                    self.place(self.identifier(expr.span), target, Role::Read);
                }
                ExprKind::Call(call) => {
                    let callee = call.callee.text.as_str();
                    let target = match self.types.builtin(callee) {
                        Some(builtin) => Target::Builtin(builtin),
                        None => target(self.functions.get(callee).copied()),
                    };
                    self.place(call.callee.span, target, Role::Call);
                    if let Some(derivative) = &call.derivative
                        && let Some(builtin) = builtins::find(&derivative.name.text)
                    {
                        self.place(derivative.name.span, Target::Builtin(builtin), Role::Call);
                    }
                    for (name, _) in &call.named {
                        self.place(name.span, Target::Label, Role::Read);
                    }
                }
                ExprKind::Access(access) => {
                    let ty = self.types.of(&access.base, &scope.types);
                    self.fields(ty, &access.fields, Role::Read);
                }
                _ => {}
            }
        }
    }

    /// `.field.field` of a value; the role is that of the last one.
    fn fields(&mut self, ty: Type<'m>, fields: &[Name], last: Role) {
        let mut ty = self.structure_of(ty);
        for (index, field) in fields.iter().enumerate() {
            let found = ty.and_then(|ty| self.fields.get(&(ty, &*field.text)).copied());
            let role = if index + 1 == fields.len() { last } else { Role::Read };
            self.place(field.span, target(found), role);
            ty = found.and_then(|found| self.names.definitions[found].structure);
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
}

fn definition(kind: Kind, name: &Name, whole: Span, scope: Span) -> Definition {
    let (name, span) = (name.text.clone(), name.span);
    Definition { kind, name, span, whole, scope, parent: None, structure: None, declared: None }
}

fn target(definition: Option<usize>) -> Target {
    definition.map_or(Target::Unknown, Target::Definition)
}
