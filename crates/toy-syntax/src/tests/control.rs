//! Branches, loops, assignments, subscripts and operators: the tree of right programs.

use super::in_main;
use crate::ast::*;
use crate::{Source, parse};

#[track_caller]
fn body(text: &str) -> Vec<Statement> {
    let source = Source::new("t", in_main(text));
    let (module, diagnostics) = parse(&source);
    assert_eq!(diagnostics, [], "{text}");
    module.functions.into_iter().next().expect("main").body
}

/// One letter for each kind of statement, with the bodies in braces.
fn shape(statements: &[Statement]) -> String {
    let of = |statement: &Statement| {
        let kind = match &statement.kind {
            StatementKind::VarDecl { ty: DeclaredType::Struct(_), .. } => "s",
            StatementKind::VarDecl { .. } => "v",
            StatementKind::Return(_) => "r",
            StatementKind::Break => "b",
            StatementKind::Continue => "c",
            StatementKind::Expr(_) => "e",
            StatementKind::Assign(assignment) if assignment.subscripts.is_empty() => "a",
            StatementKind::Assign(_) => "u",
            StatementKind::If(_) => "I",
            StatementKind::While(_) => "W",
            StatementKind::For(_) => "F",
        };
        let bodies = statement.bodies();
        let bodies = bodies.iter().map(|body| format!("{{{}}}", shape(&body.statements)));
        format!("{kind}{}", bodies.collect::<String>())
    };
    statements.iter().map(of).collect()
}

#[test]
fn statements_nest_as_written() {
    for (text, expected) in [
        ("x = 1; x[0] = 2; x[i, 0:2] = y;", "auu"),
        ("if (x) { print(1); } print(2);", "I{e}e"),
        ("if (x) {} else if (y) { x = 1; } else if (z) {} else { return; }", "I{}{a}{}{r}"),
        ("while (x) { if (y) { break; } continue; }", "W{I{b}c}"),
        ("p.x = 1; p.q.x[0] = 2;", "au"),
        ("while (x < 3) { x = x + 1; while (y) {} };;", "W{aW{}}"),
        ("for i in 0..4 { for j in n..0..-1 { x[i][j]; } }", "F{F{e}}"),
        ("for i in 0..shape(x, 0) { if (i) { if_ = 1; } }", "F{I{a}}"),
        ("if (a) { var b<2>= 1; P p = {1, {2}}; }", "I{vs}"),
        ("if ((a) && (b)) { f({1}); } if(c){}", "I{e}I{}"),
        // Words of other languages are names.
        ("if (x) {} elif = 3; elif(x); do(x); loop = 4; not(x); and = or;", "I{}aeeaea"),
    ] {
        assert_eq!(shape(&body(text)), expected, "{text}");
    }
}
