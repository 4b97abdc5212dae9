//! The parts of programs that errors leave intact, as text.

use super::*;
use crate::unparse::unparse;

/// The intact part in one line; None if there is nothing that shapes could be inferred for.
fn left(text: &str) -> Option<String> {
    let source = Source::new("t", text);
    let (module, diagnostics) = analyze(&source);
    assert!(diagnostics.iter().any(|it| it.severity == Severity::Error), "no error: {text}");
    let words = |module: Module| unparse(&module).split_whitespace().collect::<Vec<_>>().join(" ");
    intact(&module, &diagnostics, &source, false).map(words)
}

#[track_caller]
fn expect_left(text: &str, expected: &str) {
    assert_eq!(left(text).as_deref(), Some(expected), "{text}");
}

#[test]
fn a_statement_is_left_out_with_what_depends_on_it() {
    for (text, expected) in [
        ("def main() { print(x); print(1); }", "def main() { print(1); }"),
        // An unknown name is reported once, and wrong everywhere.
        ("def main() { print(x); var y = x; print(y); print(1); }", "def main() { print(1); }"),
        (
            "def main() { var y = f(1); print(y); var z = y; print(z, 2); print(1); }",
            "def main() { print(1); }",
        ),
        // The variable may have another value.
        ("def main() { var i = 1; i = j; print(i); print(1); }", "def main() { print(1); }"),
        (
            "def main() { var i = 1; if (j) { i = 2; } print(i); print(1); }",
            "def main() { print(1); }",
        ),
        (
            "def main() { var i = 1; if (i) { print(j); print(2); } }",
            "def main() { var i = 1; if (i) { print(2); } }",
        ),
        ("def main() { for i in 0..n { print(i); } print(1); }", "def main() { print(1); }"),
        (
            "def main() { var i = 1; while (i) { print(1); i = j; } print(2); }",
            "def main() { print(2); }",
        ),
        (
            "struct P { var a; } def main() { P p = {1, 2}; print(p.a); print(1); }",
            "struct P { var a; } def main() { print(1); }",
        ),
    ] {
        expect_left(text, expected);
    }
}

#[test]
fn a_function_is_left_out_with_its_calls() {
    let main = "def main() { print(f(2)); print(1); }";
    let rest = "def main() { print(1); }";
    for text in [
        "def f(x) { return y; }",
        "def f(x) { var a = y; return a; }",
        "def f(x) { if (y) { return 1; } return 2; }",
        "def f(x) { if (x) { return y; } return 2; }",
        "def f(x) { if (x) { return 1; } }",
        "def f(x, x) { return x; }",
        "def f(P x) { return 1; }",
        "struct P { Q q; } def f(x) { P p = x; return p.q; }",
        "def f(x) { return g(x); } def g(x) { return h(x); } def h(x) { return y; }",
        "def f(x) { return 1; } def f(x) { return 2; }",
    ] {
        expect_left(&format!("{text} {main}"), rest);
        expect_left(&format!("{main} {text}"), rest);
    }
    // It has no result that could be wrong.
    expect_left(
        "def f(x) { print(x + [1, 2]); print(y); } def main() { f(1); }",
        "def f(x) { print(x + [1, 2]); } def main() { f(1); }",
    );
}

#[test]
fn syntax_errors_break_what_they_may_be_part_of() {
    for (text, expected) in [
        ("def main() { var x = [1, 2] print(x); print(1); }", "def main() { print(1); }"),
        ("def main() { var x = 1; x += 2; print(x); print(1); }", "def main() { print(1); }"),
        ("def main() { let x = 1; print(x); print(1); }", "def main() { print(1); }"),
        ("def main() { var x = 1; print x; print(1); }", "def main() { print(1); }"),
        ("var g = 1; def main() { print(g); print(1); }", "def main() { print(1); }"),
        ("def main() { do { } while (0); print(1); }", "def main() { print(1); }"),
        ("def main() { print(1);", "def main() { print(1); }"),
        (
            "def f(x) { retrun x; } def main() { print(f(1)); print(1); }",
            "def main() { print(1); }",
        ),
    ] {
        expect_left(text, expected);
    }
}

#[test]
fn without_a_way_in_there_is_nothing() {
    assert_eq!(left("def mian() { print(1); }"), None);
}
