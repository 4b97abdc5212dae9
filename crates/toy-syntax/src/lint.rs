//! Lints: valid programs that probably do not do what was intended.
//!
//! Input: a module without errors. Output: warnings (W01xx), in source order. Invariants: the work is
//! linear in the program; no lint depends on shapes that only specialization knows; unreachable
//! statements have no other warnings, but what they use counts as used.

mod calls;
mod shapes;

use super::ast::{
    DeclaredShape, DeclaredType, ExprKind, Function, Module, Name, Statement, StatementKind,
};
use super::builtins::is_reserved;
use calls::Calls;
use shapes::Shapes;
use std::collections::HashSet;
use toy_diagnostics::source::Span;
use toy_diagnostics::text::clipped;
use toy_diagnostics::{Diagnostic, Edit, codes};

/// The warnings about a module. Any function of a library may be used by others.
pub fn lint(module: &Module, is_library: bool) -> Vec<Diagnostic> {
    let calls = Calls::new(module);
    let mut diagnostics = Vec::new();
    for (index, function) in module.functions.iter().enumerate() {
        let is_used = is_library || calls.is_reachable[index];
        if !is_used && !is_deliberate(&function.name) {
            diagnostics.push(unused_function(&function.name));
        }
        diagnostics.extend(unused_variables(function));
        diagnostics
            .extend(defined(function).filter_map(|(what, name)| shadowing(what, name, &calls)));
        diagnostics.extend(function.reachable().iter().filter_map(|statement| {
            let StatementKind::Expr(expr) = &statement.kind else { return None };
            if calls.has_effect(expr) { None } else { Some(unused_result(statement, &calls)) }
        }));
        diagnostics.extend(unreachable_code(function));
        diagnostics.extend(redundant_shapes(function));
    }
    super::in_order_of_text(&mut diagnostics);
    diagnostics
}

/// The parameters and the reachable variables, with the word for each.
fn defined(function: &Function) -> impl Iterator<Item = (&'static str, &Name)> {
    let parameters = function.parameters.iter().map(|parameter| ("parameter", &parameter.name));
    parameters.chain(function.reachable().iter().filter_map(|statement| match &statement.kind {
        StatementKind::VarDecl { name, .. } => Some(("variable", name)),
        _ => None,
    }))
}

/// Whether the name says that it is unused on purpose.
fn is_deliberate(name: &Name) -> bool {
    name.text.starts_with('_')
}

fn unused_function(name: &Name) -> Diagnostic {
    let message = format!("the function `{}` is never used", clipped(&name.text));
    Diagnostic::warning(codes::UNUSED_FUNCTION, message)
        .label(name.span, "not reachable from `main`")
        .help("call it, remove it, or prefix its name with `_`")
}

fn unused_variables(function: &Function) -> Vec<Diagnostic> {
    let mut used = HashSet::new();
    function.walk_all(|statement| {
        for expr in statement.exprs() {
            expr.walk(|expr| {
                if let ExprKind::Variable(name) = &expr.kind {
                    used.insert(name.as_str());
                }
            });
        }
    });
    let unused = |(_, name): &(_, &Name)| !used.contains(name.text.as_str());
    let warning = |(what, name): (&str, &Name)| {
        let quoted = clipped(&name.text);
        let message = format!("the {what} `{quoted}` is never used");
        let help = format!("if this is intentional, call it `_{quoted}`");
        Diagnostic::warning(codes::UNUSED_VARIABLE, message)
            .label(name.span, "defined here but never used")
            .fix(help, name.span, format!("_{}", name.text))
    };
    defined(function).filter(|(_, name)| !is_deliberate(name)).filter(unused).map(warning).collect()
}

fn shadowing(what: &str, name: &Name, calls: &Calls) -> Option<Diagnostic> {
    let quoted = clipped(&name.text);
    let message = |what: &str| format!("`{quoted}` is also the name of a {what}");
    let label = format!("`{quoted}` is a {what} here, but `{quoted}(...)` still calls");
    let warning = |what: &str, called: &str| {
        Diagnostic::warning(codes::SHADOWING, message(what))
            .label(name.span, format!("{label} {called}"))
    };
    if is_reserved(&name.text) {
        return Some(warning("builtin", "the builtin").help("choose a different name"));
    }
    let function = calls.function(&name.text)?;
    let diagnostic = warning("function", "the function")
        .label(function.name.span, format!("the function `{quoted}` is defined here"));
    Some(diagnostic.help("choose a different name"))
}

fn unused_result(statement: &Statement, calls: &Calls) -> Diagnostic {
    let span = statement.span;
    let value = statement.exprs().into_iter().next().filter(|expr| calls.has_value(expr));
    let Some(value) = value else {
        return Diagnostic::warning(codes::UNUSED_RESULT, "this call has no effect")
            .label(span, "it neither prints nor returns anything")
            .help("remove it");
    };
    let is_tensor = matches!(
        value.kind,
        ExprKind::Number(_) | ExprKind::Literal(_) | ExprKind::Chain(_) | ExprKind::Unary(_)
    );
    if calls.has_structs() && !is_tensor {
        return Diagnostic::warning(codes::UNUSED_RESULT, "this value is never used")
            .label(span, "computed here without printing anything")
            .help("remove it, or use it");
    }
    let at = |offset: u32| Span { start: offset, end: offset };
    let edits = vec![
        Edit { span: at(value.span.start), replacement: "print(".to_owned() },
        Edit { span: at(value.span.end), replacement: ")".to_owned() },
    ];
    Diagnostic::warning(codes::UNUSED_RESULT, "this value is never used")
        .label(span, "computed here without printing anything")
        .fixes("print it, or remove it", edits)
}

fn unreachable_code(function: &Function) -> Option<Diagnostic> {
    let dead = &function.body[function.reachable().len()..];
    let (first, last) = (dead.first()?, dead.last()?);
    let message = match dead.len() {
        1 => "this statement never runs",
        _ => "these statements never run",
    };
    let diagnostic = Diagnostic::warning(codes::UNREACHABLE_CODE, message)
        .label(first.span.to(last.span), "never executed")
        .label(function.first_return()?.span, "the function always returns here");
    Some(diagnostic.help("remove everything after the `return`"))
}

fn redundant_shapes(function: &Function) -> Vec<Diagnostic> {
    let mut shapes = Shapes::default();
    let mut diagnostics = Vec::new();
    for statement in function.reachable() {
        let StatementKind::VarDecl { ty, name, value } = &statement.kind else { continue };
        let declared = match ty {
            DeclaredType::Tensor(shape) => Some(shape),
            DeclaredType::Inferred | DeclaredType::Struct(_) => None,
        };
        let known = shapes.of(value);
        if let (Some(declared), Some(known)) = (declared, &known)
            && declared.dims == *known
        {
            diagnostics.push(redundant_shape(declared));
        }
        shapes.define(&name.text, declared.map(|shape| shape.dims.clone()).or(known));
    }
    diagnostics
}

fn redundant_shape(shape: &DeclaredShape) -> Diagnostic {
    Diagnostic::warning(codes::REDUNDANT_SHAPE, "this shape is redundant")
        .label(shape.span, "the value already has this shape")
        .fix("remove the shape", shape.span, "")
}

#[cfg(test)]
mod tests;
