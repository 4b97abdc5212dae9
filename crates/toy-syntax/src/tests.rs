//! Tests of the whole front end: the tree of valid programs and the exact diagnostics of invalid ones.

mod control;
mod errors;
mod flow;
mod foreign;
mod intact;
mod limits;
mod messages;
mod names;
mod panics;

use super::ast::*;
use super::*;
use toy_diagnostics::{Diagnostic, Severity};

/// `CODE line:column` of each diagnostic.
fn places(text: &str) -> Vec<String> {
    let source = Source::new("t", text);
    let place = |diagnostic: &Diagnostic| {
        let at = source.line_column(diagnostic.labels[0].span.start);
        format!("{} {}:{}", diagnostic.code.id, at.line, at.column)
    };
    let (_, diagnostics) = analyze(&source);
    diagnostics.iter().filter(|d| d.severity == Severity::Error).map(place).collect()
}

fn in_main(body: &str) -> String {
    format!("def main() {{\n{body}\n}}\n")
}

#[track_caller]
fn expect(text: &str, expected: &[&str]) {
    assert_eq!(places(text), expected, "{}", text.chars().take(500).collect::<String>());
}

#[test]
fn good_programs_have_no_diagnostics() {
    for text in [
        "def main() {}",
        "def main() { ;; ; var a = 1;;; print(a); }",
        "def f(a, b) { return a * b + (a); } def main() { var x<> = 1; print(f(x, x)); }",
        "# c\ndef main() { g(); return; }\r\ndef g() { print([[1, 2.5], [3, 4.]]); }",
        "\u{feff}def main() {\n\tvar a<2, 3> = [1, 2, 3, 4, 5, 6];\n\t(print(transpose(a)));\n}",
        "def main() { return; print(1); }",
        "def main() { var a<1,1> = [[[1]]]; print(((a))); f(); } def f() { return; return 1; }",
        "def main() { var a = .5e-3 - -1 / - -(2); print([a, -a]); }",
        "struct P { var a; var b; } struct Q { P p; R r; } struct R { var c; }\n\
         def f(P p, x) { P q = {p.b * x, p.a}; return q; }\n\
         def main() { Q q = {{1, [2]}, {3}}; P p = f(q.p, 2); print(p.a - f({1, 2}, 1).b); }",
    ] {
        expect(text, &[]);
    }
}

#[test]
fn the_tree_is_as_written() {
    assert!(size_of::<Expr>() <= 40, "{}", size_of::<Expr>());
    let source = Source::new("t", in_main("var v<2> = a*b + ((c+d))*2 + e;"));
    let (module, _) = parse(&source);
    let StatementKind::VarDecl { name, ty: DeclaredType::Tensor(shape), value } =
        &module.functions[0].body[0].kind
    else {
        panic!("{module:#?}");
    };
    let text = |span| source.snippet(span);
    assert_eq!((name.text.as_str(), text(name.span)), ("v", "v"));
    assert_eq!((shape.dims(), text(shape.span)), (Some(vec![2]), "<2>"));
    assert_eq!(text(value.span), "a*b + ((c+d))*2 + e");
    assert_eq!(text(module.functions[0].prototype), "def main()");
    assert_eq!(text(module.functions[0].body[0].span), "var v<2> = a*b + ((c+d))*2 + e");
    let ExprKind::Chain(sum) = &value.kind else { panic!("{value:#?}") };
    assert_eq!((text(sum.first.span), sum.rest.len()), ("a*b", 2));
    assert_eq!(sum.rest[0].operator, BinaryOperator::Add);
    assert_eq!(text(sum.rest[0].operator_span), "+");
    let ExprKind::Chain(product) = &sum.rest[0].operand.kind else { panic!("{sum:#?}") };
    assert_eq!(text(product.first.span), "((c+d))", "the parentheses belong to the span");
    let ExprKind::Chain(inner) = &product.first.kind else { panic!("{product:#?}") };
    assert_eq!(text(inner.first.span), "c");
    assert!(matches!(&sum.rest[1].operand.kind, ExprKind::Variable(name) if name == "e"));
    assert_eq!(text(module.functions[0].span), source.text.trim_end());
}
