//! Checks the types of values, struct literals and field accesses.
//!
//! Input: an expression with the type that its context requires. Output: an error for a value of the
//! wrong type, a literal with the wrong number of values, or an unknown field. Invariant: an unknown
//! type means that an error has been reported, so no other error is.

use super::{Checker, ExpectedType, did_you_mean};
use crate::ast::{Access, Binding, Expr, ExprKind, Name, Struct};
use crate::foreign::{Context, advice};
use crate::types::Type;
use std::borrow::Cow;
use toy_diagnostics::source::Span;
use toy_diagnostics::text::{clipped, counted, joined};
use toy_diagnostics::{Diagnostic, codes};

impl<'m> Checker<'m> {
    /// Reports a value of another type than its context requires.
    pub(super) fn fits(&mut self, expr: &Expr, expected: &ExpectedType<'m>) {
        let actual = self.types.of(expr, &self.scope.types);
        let required = match expected {
            ExpectedType::Any | ExpectedType::Unknown => return,
            ExpectedType::Tensor(_) | ExpectedType::Variable(..) => Type::Tensor,
            ExpectedType::Struct(definition, ..) => Type::Struct(definition),
        };
        if matches!(actual, Type::Unknown) || is_same(required, actual) {
            return;
        }
        let diagnostic = mismatch(required, actual, expr.span);
        self.diagnostics.push(match (expected, actual) {
            (ExpectedType::Tensor(parameter), Type::Struct(actual)) => {
                tensor_needed(diagnostic, expr, actual, *parameter)
            }
            (ExpectedType::Variable(name, definition), _) => diagnostic
                .label(*definition, format!("`{}` is defined here as a tensor", clipped(name)))
                .help("use one of its fields"),
            (ExpectedType::Struct(definition, span, why), Type::Tensor) => diagnostic
                .label(*span, why.clone())
                .help(format!("a literal of the struct is written `{}`", template(definition))),
            (ExpectedType::Struct(_, span, why), _) => diagnostic.label(*span, why.clone()),
            _ => diagnostic,
        });
    }

    /// `{value, value, ...}`
    pub(super) fn struct_literal(
        &mut self,
        literal: &Expr,
        values: &'m [Expr],
        expected: &ExpectedType<'m>,
    ) {
        let is_unreadable = values.iter().any(|value| value.kind == ExprKind::Error);
        let ExpectedType::Struct(definition, ..) = expected else {
            values.iter().for_each(|value| self.value(value, &ExpectedType::Unknown));
            if !is_unreadable && !matches!(expected, ExpectedType::Unknown) {
                self.diagnostics.push(self.unknown_struct_literal(literal, values, expected));
            }
            return;
        };
        let (fields, given) = (&definition.fields, values.len());
        for (index, value) in values.iter().enumerate() {
            let expected = fields.get(index).map(|field| self.declared(field, "field"));
            self.value(value, &expected.unwrap_or(ExpectedType::Unknown));
        }
        let is_unreadable = is_unreadable || fields.iter().any(|field| field.name.text.is_empty());
        if given != fields.len() && !is_unreadable {
            let quoted = clipped(&definition.name.text);
            let needed = counted(fields.len(), "value");
            let message = format!("a literal of `{quoted}` needs {needed}, not {given}");
            let diagnostic = Diagnostic::error(codes::WRONG_FIELD_COUNT, message)
                .label(literal.span, format!("{} given", counted(given, "value")))
                .label(definition.name.span, format!("`{quoted}` is defined here"));
            self.diagnostics.push(
                diagnostic.help(format!("give each field a value: `{}`", template(definition))),
            );
        }
    }

    /// The type that the declaration of a field or a parameter requires of its value.
    pub(super) fn declared(&self, binding: &Binding, what: &str) -> ExpectedType<'m> {
        let name = clipped(&binding.name.text);
        let why = format!("the {what} `{name}` is declared with this struct");
        ExpectedType::of(self.types.named(binding.ty.as_ref()), binding.span, why)
    }

    /// `base.field.field`: reports the first invalid field.
    pub(super) fn access(&mut self, access: &'m Access) {
        let base = self.types.of(&access.base, &self.scope.types);
        let variable = match &access.base.kind {
            ExprKind::Variable(name) => Some(name.as_str()),
            _ => None,
        };
        self.fields((base, access.base.span, variable), &access.fields);
    }

    /// Fields of a value, of a variable if it has a name. The result is the type, and the last field.
    pub(super) fn fields(
        &mut self,
        (mut base, mut base_span, variable): (Type<'m>, Span, Option<&str>),
        fields: &'m [Name],
    ) -> (Type<'m>, Option<&'m Binding>) {
        let mut last = None;
        for field in fields {
            let quoted = clipped(&field.text);
            let definition = match base {
                Type::Struct(definition) => definition,
                Type::Unknown => break,
                Type::Tensor => {
                    let message = format!("a tensor has no field `{quoted}`");
                    let diagnostic = Diagnostic::error(codes::TYPE_MISMATCH, message)
                        .label(base_span, "this is a tensor, not a struct");
                    let first = variable.filter(|_| std::ptr::eq(field, &fields[0]));
                    self.diagnostics.push(self.with_declaration(diagnostic, first, field));
                    return (Type::Unknown, None);
                }
            };
            let Some((_, found)) = definition.field(&field.text) else {
                if self.scope.reported_fields.insert((&definition.name.text, &field.text)) {
                    self.unknown_field(definition, field);
                }
                return (Type::Unknown, None);
            };
            base = self.types.named(found.ty.as_ref());
            base_span = base_span.to(field.span);
            last = Some(found);
        }
        (base, last)
    }

    /// Adds help to the error about a field of a tensor: if it is a parameter, how to declare a struct.
    fn with_declaration(
        &self,
        diagnostic: Diagnostic,
        variable: Option<&str>,
        field: &Name,
    ) -> Diagnostic {
        let Some(name) = variable else { return diagnostic };
        if let Some((help, _)) = advice(Context::Field, &field.text) {
            return diagnostic.help(help.replace("(x", &format!("({}", clipped(name))));
        }
        let parameters = self.scope.function.map_or(&[][..], |function| &function.parameters);
        let declared = parameters.iter().find(|parameter| parameter.name.text == *name);
        let Some(parameter) = declared else { return diagnostic };
        let ty = self.name_of_only(|definition| definition.field(&field.text).is_some());
        let quoted = clipped(name);
        diagnostic
            .label(parameter.span, "a parameter declared without a struct is a tensor")
            .help(format!("declare the parameter with its struct: `{ty} {quoted}`"))
    }

    fn unknown_field(&mut self, definition: &'m Struct, field: &crate::ast::Name) {
        if definition.fields.iter().any(|field| field.name.text.is_empty()) {
            return;
        }
        let (name, quoted) = (clipped(&definition.name.text), clipped(&field.text));
        let message = format!("the struct `{name}` has no field `{quoted}`");
        let diagnostic = Diagnostic::error(codes::UNKNOWN_FIELD, message)
            .label(field.span, "no such field")
            .label(definition.name.span, format!("`{name}` is defined here"));
        let names: Vec<&str> =
            definition.fields.iter().map(|field| field.name.text.as_str()).collect();
        let nearest = self.suggestions.nearest(&field.text, &names);
        self.diagnostics.push(match nearest {
            Some(nearest) => did_you_mean(diagnostic, field.span, nearest),
            None => match self.nested_field(definition, &field.text) {
                Some(outer) => {
                    let path = format!("{outer}.{}", field.text);
                    let help = format!(
                        "its field `{}` has a field of this name: `{}`",
                        clipped(outer),
                        clipped(&path)
                    );
                    diagnostic.fix(help, field.span, path)
                }
                None => diagnostic.help(format!("it has {}", listed(&names))),
            },
        });
    }

    /// The field of a struct whose own struct has a field with this name.
    fn nested_field(&self, definition: &'m Struct, name: &str) -> Option<&'m str> {
        let has_it = |field: &&Binding| match self.types.named(field.ty.as_ref()) {
            Type::Struct(inner) => inner.field(name).is_some(),
            Type::Tensor | Type::Unknown => false,
        };
        definition.fields.iter().find(has_it).map(|field| field.name.text.as_str())
    }

    fn unknown_struct_literal(
        &self,
        literal: &Expr,
        values: &[Expr],
        expected: &ExpectedType,
    ) -> Diagnostic {
        if matches!(expected, ExpectedType::Tensor(_) | ExpectedType::Variable(..)) {
            let message = "expected a tensor, found a struct literal";
            return Diagnostic::error(codes::TYPE_MISMATCH, message)
                .label(literal.span, "braces make a struct literal")
                .help("a tensor literal is written in brackets: `[1, 2]`");
        }
        let message = "cannot tell which struct this literal belongs to";
        let diagnostic = Diagnostic::error(codes::UNTYPED_STRUCT_LITERAL, message)
            .label(literal.span, "the struct of this literal is not known");
        let name = self.name_of_only(|definition| definition.fields.len() == values.len());
        diagnostic.help(format!("declare a variable of the struct: `{name} variable = {{...}};`"))
    }

    /// The name of the struct that fits; `Name` unless there is exactly one.
    fn name_of_only(&self, fits: impl Fn(&Struct) -> bool) -> Cow<'m, str> {
        let mut fitting = self.types.structs.values().filter(|definition| fits(definition));
        match (fitting.next(), fitting.next()) {
            (Some(only), None) => clipped(&only.name.text),
            _ => "Name".into(),
        }
    }
}

/// The error about a value of a wrong type.
pub(super) fn mismatch(expected: Type, actual: Type, span: Span) -> Diagnostic {
    let (expected, actual) = (with_article(expected), with_article(actual));
    Diagnostic::error(codes::TYPE_MISMATCH, format!("expected {expected}, found {actual}"))
        .label(span, format!("this is {actual}"))
}

pub(super) fn is_same(one: Type, other: Type) -> bool {
    match (one, other) {
        (Type::Tensor, Type::Tensor) => true,
        (Type::Struct(one), Type::Struct(other)) => one.name.text == other.name.text,
        _ => false,
    }
}

pub(super) fn with_article(ty: Type) -> String {
    match ty {
        Type::Struct(definition) => format!("the struct `{}`", clipped(&definition.name.text)),
        Type::Tensor | Type::Unknown => "a tensor".to_owned(),
    }
}

fn tensor_needed(
    diagnostic: Diagnostic,
    expr: &Expr,
    actual: &Struct,
    parameter: Option<&Binding>,
) -> Diagnostic {
    let quoted = clipped(&actual.name.text);
    if let Some(parameter) = parameter {
        let name = clipped(&parameter.name.text);
        return diagnostic
            .label(parameter.span, format!("the parameter `{name}` is declared as a tensor"))
            .help(format!(
                "use one of its fields, or declare the parameter with its struct: `{quoted} {name}`"
            ));
    }
    let diagnostic = diagnostic.label(actual.name.span, format!("`{quoted}` is defined here"));
    // One that could not be read has no name.
    let is_tensor = |field: &&Binding| field.ty.is_none() && !field.name.text.is_empty();
    let field = actual.fields.iter().find(is_tensor);
    match (&expr.kind, field) {
        (ExprKind::Variable(name), Some(field)) => diagnostic.help(format!(
            "use one of its fields, such as `{}.{}`",
            clipped(name),
            clipped(&field.name.text)
        )),
        _ => diagnostic.help("use one of its fields"),
    }
}

/// A literal of the struct, with the names of the fields as values: `{a, b}`.
fn template(definition: &Struct) -> String {
    const SHOWN: usize = 6;
    let named = definition.fields.iter().filter(|field| !field.name.text.is_empty());
    let mut names: Vec<_> = named.take(SHOWN).map(|field| clipped(&field.name.text)).collect();
    if definition.fields.len() > SHOWN {
        names.push("...".into());
    }
    format!("{{{}}}", names.join(", "))
}

/// `` `a`, `b` and `c` ``
fn listed(names: &[&str]) -> String {
    const SHOWN: usize = 6;
    let mut quoted: Vec<String> =
        names.iter().take(SHOWN).map(|name| format!("`{}`", clipped(name))).collect();
    if names.len() > SHOWN {
        quoted.push(format!("{} more", names.len() - SHOWN));
    }
    match quoted.len() {
        0 => "no fields".to_owned(),
        1 => format!("the field {}", quoted[0]),
        _ => format!("the fields {}", joined(&quoted, "and")),
    }
}
