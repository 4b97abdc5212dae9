//! Lints: warnings about valid programs that probably do not do what was intended.
//!
//! Input: a module without errors. Output: warnings (W01xx), in source order. Invariants: the work is
//! linear in the program, times the depth of its blocks; no lint depends on shapes that only specialization knows;
//! unreachable statements have no other warnings, but names in them count as used.

mod assignments;
mod calls;
mod conditions;
mod formats;
mod shapes;

use super::ast::{DeclaredType, ExprKind, Module, Name, Statement, StatementKind, reachable};
use super::builtins::is_reserved;
use super::variables::{Kind, Variable, Variables};
use calls::Calls;
use shapes::Shapes;
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
        let variables = Variables::of(function);
        let defined = || variables.all.iter().filter(|variable| variable.is_reachable);
        diagnostics.extend(defined().filter_map(unused_variable));
        diagnostics.extend(assignments::unread(function, &variables));
        diagnostics.extend(defined().filter_map(|variable| shadowing(variable, &calls)));
        unreachable_code(&function.body, &mut diagnostics);
        let mut shapes = Shapes::default();
        function.walk(|statement| {
            diagnostics.extend(conditions::check(statement));
            diagnostics.extend(conditions::with_nan(statement, &variables));
            diagnostics.extend(formats::check(statement));
            if let StatementKind::Expr(expr) = &statement.kind
                && !calls.has_effect(expr)
            {
                diagnostics.push(unused_result(statement, &calls));
            }
            for body in statement.bodies() {
                unreachable_code(&body.statements, &mut diagnostics);
            }
            diagnostics.extend(redundant_shape(statement, &mut shapes));
        });
    }
    super::in_order_of_text(&mut diagnostics);
    diagnostics
}

/// The word for a variable in messages.
fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Parameter => "parameter",
        Kind::Defined => "variable",
        Kind::Loop => "loop variable",
    }
}

/// True if the name says that it is unused on purpose.
fn is_deliberate(name: &Name) -> bool {
    name.text.starts_with('_')
}

fn unused_function(name: &Name) -> Diagnostic {
    let message = format!("the function `{}` is never used", clipped(&name.text));
    Diagnostic::warning(codes::UNUSED_FUNCTION, message)
        .label(name.span, "not reachable from `main`")
        .help("call it, remove it, or prefix its name with `_`")
}

fn unused_variable(variable: &Variable) -> Option<Diagnostic> {
    let Variable { name, kind, assigned, is_read, .. } = variable;
    if *is_read || is_deliberate(name) {
        return None;
    }
    let (what, quoted) = (word(*kind), clipped(&name.text));
    let (problem, label) = match assigned.is_empty() {
        true => ("is never used", "defined here but never used"),
        false => ("is assigned, but never read", "defined here but never read"),
    };
    let names = [*name].into_iter().chain(assigned.iter().copied());
    let edits = names.map(|name| Edit::new(name.span, format!("_{}", name.text))).collect();
    let message = format!("the {what} `{quoted}` {problem}");
    let diagnostic = Diagnostic::warning(codes::UNUSED_VARIABLE, message).label(name.span, label);
    Some(diagnostic.fixes(format!("if this is intentional, call it `_{quoted}`"), edits))
}

fn shadowing(variable: &Variable, calls: &Calls) -> Option<Diagnostic> {
    let (what, name) = (word(variable.kind), variable.name);
    let quoted = clipped(&name.text);
    let function = calls.function(&name.text);
    let called = if function.is_some() { "function" } else { "builtin" };
    if function.is_none() && !is_reserved(&name.text) {
        return None;
    }
    let message = format!("`{quoted}` is also the name of a {called}");
    let label =
        format!("`{quoted}` is a {what} here, but `{quoted}(...)` still calls the {called}");
    let mut diagnostic = Diagnostic::warning(codes::SHADOWING, message).label(name.span, label);
    if let Some(function) = function {
        let label = format!("the function `{quoted}` is defined here");
        diagnostic = diagnostic.label(function.name.span, label);
    }
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
        ExprKind::Number(_)
            | ExprKind::Literal(_)
            | ExprKind::Chain(_)
            | ExprKind::Unary(_)
            | ExprKind::Index(_)
    );
    let diagnostic = Diagnostic::warning(codes::UNUSED_RESULT, "this value is never used")
        .label(span, "computed here without printing anything");
    if calls.has_structs() && !is_tensor {
        return diagnostic.help("remove it, or use it");
    }
    let (start, end) = (Span::at(value.span.start), Span::at(value.span.end));
    let edits = vec![Edit::new(start, "print("), Edit::new(end, ")")];
    diagnostic.fixes("print it, or remove it", edits)
}

/// The statements of one block that never run.
fn unreachable_code(statements: &[Statement], diagnostics: &mut Vec<Diagnostic>) {
    let (runs, dead) = statements.split_at(reachable(statements).len());
    let (Some(first), Some(last), Some(end)) = (dead.first(), dead.last(), runs.last()) else {
        return;
    };
    let message = match dead.len() {
        1 => "this statement never runs",
        _ => "these statements never run",
    };
    let (place, label, word) = match &end.kind {
        StatementKind::If(branches) => {
            let head = branches.arms.first().map_or(end.span.end, |arm| arm.body.span.start);
            (Span { end: head, ..end.span }, "no branch of this `if` goes on to them", "if")
        }
        StatementKind::Break => (end.span, "the loop always ends here", "break"),
        StatementKind::Continue => (end.span, "the iteration always ends here", "continue"),
        _ => (end.span, "the function always returns here", "return"),
    };
    let diagnostic = Diagnostic::warning(codes::UNREACHABLE_CODE, message)
        .label(first.span.to(last.span), "never executed")
        .label(place, label);
    diagnostics.push(diagnostic.help(format!("remove everything after the `{word}`")));
}

/// For each statement that may run, in source order.
fn redundant_shape<'m>(statement: &'m Statement, shapes: &mut Shapes<'m>) -> Option<Diagnostic> {
    let (ty, name, value) = match &statement.kind {
        StatementKind::VarDecl { ty, name, value } => (ty, name, value),
        StatementKind::For(repeated) => {
            shapes.define(&repeated.variable.text, Some(Vec::new()));
            return None;
        }
        _ => return None,
    };
    let known = shapes.of(value);
    let DeclaredType::Tensor(declared) = ty else {
        shapes.define(&name.text, known);
        return None;
    };
    let declared_dims = declared.dims();
    shapes.define(&name.text, declared_dims.clone());
    let warning = Diagnostic::warning(codes::REDUNDANT_SHAPE, "this shape is redundant")
        .label(declared.span, "the value already has this shape")
        .fix("remove the shape", declared.span, "");
    (known? == declared_dims?).then_some(warning)
}

#[cfg(test)]
mod tests;
