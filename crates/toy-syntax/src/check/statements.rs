//! Checks statements and blocks.
//!
//! Input: a function. Output: errors in its statements. Invariant: a statement adds at most the variable that it
//! defines to the known variables; the variables of a block end with it.

use super::scope::{Block, Scope, Use};
use super::{Checker, ExpectedType, structs};
use crate::ast::{
    Assignment, Body, DeclaredType, Expr, For, Function, Name, Statement, StatementKind,
};
use crate::types::Type;
use crate::variables::Kind as VariableKind;
use toy_diagnostics::source::Span;
use toy_diagnostics::text::clipped;
use toy_diagnostics::{Diagnostic, codes};

impl<'m> Checker<'m> {
    pub(super) fn body(&mut self, function: &'m Function) {
        self.scope = Scope::new(function);
        for parameter in &function.parameters {
            if let Some(ty) = &parameter.ty
                && !self.known_struct(ty, structs::NameUse::Parameter(parameter))
            {
                // It may be a parameter, with a missing comma.
                self.scope.reported.insert(&ty.text);
            }
            let ty = self.types.named(parameter.ty.as_ref());
            self.define(&parameter.name, ty, VariableKind::Parameter);
        }
        self.statements(&function.body);
        self.returns(function);
    }

    fn statements(&mut self, statements: &'m [Statement]) {
        let was_dead = self.scope.is_dead;
        for statement in statements {
            self.statement(statement);
            self.scope.is_dead = self.scope.is_dead || statement.always_leaves();
        }
        self.scope.is_dead = was_dead;
    }

    fn statement(&mut self, statement: &'m Statement) {
        match &statement.kind {
            StatementKind::VarDecl { ty, name, value } => {
                ty.sizes().iter().for_each(|size| self.value(size, &ExpectedType::Tensor(None)));
                self.sizes(ty.sizes(), false);
                let expected = self.expected(ty, name, value);
                // Before the name is known: a variable does not see itself.
                self.value(value, &expected);
                let constant = self.constant_variable(ty, name, value);
                let ty = self.types.declared(ty, &self.scope.types, value);
                self.define(name, ty, VariableKind::Defined);
                if let Some(constant) = constant {
                    self.scope.constants.insert(&name.text, constant);
                }
            }
            StatementKind::Return(value) => {
                if let Some(value) = value {
                    let expected = self.expected_result(value);
                    self.value(value, &expected);
                }
                self.result(value.as_ref());
            }
            StatementKind::Break | StatementKind::Continue => {
                if self.scope.loops == 0 {
                    self.diagnostics.push(outside_of_loop(statement));
                }
            }
            // The only context in which a call needs no value.
            StatementKind::Expr(expr) => self.expr(expr),
            StatementKind::Assign(assignment) => self.assignment(assignment),
            StatementKind::If(branches) => {
                for arm in &branches.arms {
                    self.value(&arm.condition, &ExpectedType::Tensor(None));
                    self.block(&arm.body, Block::Branch);
                }
                let otherwise = branches.otherwise.iter();
                otherwise.for_each(|body| self.block(body, Block::Branch));
            }
            StatementKind::While(repeated) => {
                self.value(&repeated.condition, &ExpectedType::Tensor(None));
                self.scope.loops += 1;
                self.block(&repeated.body, Block::Loop);
                self.scope.loops -= 1;
            }
            StatementKind::For(repeated) => self.for_loop(repeated),
        }
    }

    fn block(&mut self, body: &'m Body, block: Block) {
        let depth = self.scope.depth();
        self.statements(&body.statements);
        self.scope.end(depth, block);
    }

    fn for_loop(&mut self, repeated: &'m For) {
        for bound in [&repeated.first, &repeated.end].into_iter().chain(&repeated.step) {
            self.value(bound, &ExpectedType::Tensor(None));
        }
        self.counts(repeated);
        let depth = self.scope.depth();
        self.define(&repeated.variable, Type::Tensor, VariableKind::Loop);
        self.scope.loops += 1;
        self.statements(&repeated.body.statements);
        self.scope.loops -= 1;
        self.scope.end(depth, Block::Loop);
    }

    fn assignment(&mut self, assignment: &'m Assignment) {
        let Name { text: name, span } = &assignment.name;
        let known = self.scope.variables.get(name.as_str()).copied();
        if known.is_none() && !name.is_empty() {
            self.variable(name, *span, Use::Assignment);
        }
        let ty = known.and_then(|_| self.scope.types.get(name.as_str()).copied());
        let mut ty = ty.unwrap_or(Type::Unknown);
        if let Some(variable) = known
            && variable.kind == VariableKind::Loop
        {
            self.diagnostics.push(assigned_loop_variable(name, *span, variable.span));
            ty = Type::Unknown;
        }
        let (ty, field) = self.fields((ty, *span, Some(name)), &assignment.fields);
        self.subscripts(&assignment.subscripts);
        let definition = known.map_or(*span, |variable| variable.span);
        let expected = match (ty, field) {
            (Type::Struct(definition), _) if !assignment.subscripts.is_empty() => {
                self.diagnostics.push(subscript_of_struct(assignment, definition));
                ExpectedType::Unknown
            }
            (Type::Unknown, _) => ExpectedType::Unknown,
            (_, Some(field)) => self.declared(field, "field"),
            (Type::Struct(_), None) => {
                let why = format!("`{}` is defined here with this struct", clipped(name));
                ExpectedType::of(ty, definition, why)
            }
            (Type::Tensor, None) => ExpectedType::Variable(name, definition),
        };
        self.value(&assignment.value, &expected);
    }

    /// The type that a definition requires of its initializer.
    fn expected(
        &mut self,
        declared: &'m DeclaredType,
        name: &Name,
        value: &Expr,
    ) -> ExpectedType<'m> {
        match declared {
            DeclaredType::Inferred => ExpectedType::Any,
            DeclaredType::Tensor(_) => ExpectedType::Tensor(None),
            DeclaredType::Struct(ty) => {
                let variable = clipped(&name.text);
                self.known_struct(ty, structs::NameUse::Variable(name, value));
                let why = format!("`{variable}` is declared with this struct");
                ExpectedType::of(self.types.named(Some(ty)), ty.span, why)
            }
        }
    }
}

fn outside_of_loop(statement: &Statement) -> Diagnostic {
    let word = if statement.kind == StatementKind::Break { "break" } else { "continue" };
    Diagnostic::error(codes::STRAY_JUMP, format!("`{word}` outside of a loop"))
        .label(statement.span, "no loop of this function is around this")
        .help("to end a function, write `return`")
}

fn assigned_loop_variable(name: &str, span: Span, definition: Span) -> Diagnostic {
    let quoted = clipped(name);
    let message = format!("the loop variable `{quoted}` cannot be assigned");
    Diagnostic::error(codes::BAD_ASSIGNMENT, message)
        .label(span, "the loop alone changes it")
        .label(definition, format!("`{quoted}` counts the iterations of this loop"))
        .help("assign a variable of its own, or use `while`")
}

fn subscript_of_struct(assignment: &Assignment, definition: &crate::ast::Struct) -> Diagnostic {
    let names = [&assignment.name].into_iter().chain(&assignment.fields);
    let name = names.map(|name| clipped(&name.text)).collect::<Vec<_>>().join(".");
    let quoted = clipped(&definition.name.text);
    let message = format!("expected a tensor, found the struct `{quoted}`");
    let label = format!("`{name}` is the struct `{quoted}`, which has no elements");
    Diagnostic::error(codes::TYPE_MISMATCH, message)
        .label(assignment.target, label)
        .label(definition.name.span, format!("`{quoted}` is defined here"))
        .help(format!("update one of its fields: `{name}.field[...] = ...;`"))
}
