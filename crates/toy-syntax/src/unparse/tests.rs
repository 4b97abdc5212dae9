//! Canonical forms, and that they are the same programs.

use super::*;
use crate::{dump, parse};
use toy_diagnostics::source::Source;

fn without_places(dump: &str) -> String {
    let lines = dump.lines().map(|line| line.split(" @").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// The program in canonical form; panics if that is a different program.
fn unparsed(text: &str) -> String {
    let source = Source::new("t", text);
    let (module, diagnostics) = parse(&source);
    assert_eq!(diagnostics, [], "{text}");
    let canonical = Source::new("t", unparse(&module));
    let (again, diagnostics) = parse(&canonical);
    assert_eq!(diagnostics, [], "{}", canonical.text);
    assert_eq!(
        without_places(&dump::dump(&module, &source)),
        without_places(&dump::dump(&again, &canonical)),
        "{text}"
    );
    assert_eq!(unparse(&again), canonical.text);
    canonical.text
}

#[test]
fn a_program_is_printed_in_canonical_form() {
    let text = "struct P{var a;Q q;}struct Q{var b;}
        def f(P p,x){return p.a*(x);} # gone
        def main(){var a<2,3>=1;P p={[1,-2,.5e-7],{3}};print(f(p,a)) ;; return;}";
    let expected = "struct P {\n  var a;\n  Q q;\n}\n\nstruct Q {\n  var b;\n}\n\n\
        def f(P p, x) {\n  return p.a * x;\n}\n\n\
        def main() {\n  var a<2, 3> = 1;\n  P p = {[1, -2, 5e-8], {3}};\n  \
        print(f(p, a));\n  return;\n}\n";
    assert_eq!(unparsed(text), expected);
}

#[test]
fn expressions_keep_their_structure() {
    for (written, canonical) in [
        ("(a + b) - (c - d)", "(a + b) - (c - d)"),
        ("((a * b)) + (c / d)", "a * b + c / d"),
        ("(a * b) * c / (d * e)", "(a * b) * c / (d * e)"),
        ("(a + b) * -c", "(a + b) * -c"),
        ("-(-a) - --a", "-(-a) - --a"),
        ("-1 - -(1) - - -1 + (-1)", "-1 - -(1) - --1 + -1"),
        ("-(a + b) + -(a.b)", "-(a + b) + -a.b"),
        ("(1).x + (a.b).c.d + (-a).b", "(1).x + (a.b).c.d + (-a).b"),
        ("f(a).b + [1].c", "f(a).b + [1].c"),
        ("({1, 2}).a + 1", "({1, 2}.a + 1)"),
        ("1e4", "10000"),
        (
            "1e300 + 1e-300 + 0.00001 + 123456789012345678",
            "1e300 + 1e-300 + 0.00001 + 1.2345678901234568e17",
        ),
        ("-0", "-0"),
    ] {
        let text = unparsed(&format!("def main() {{ {written}; }}"));
        assert_eq!(text, format!("def main() {{\n  {canonical};\n}}\n"));
    }
}

#[test]
fn blocks_are_indented() {
    let text = "def main(){if(x<1){y[0,1:2]=3;}else if(y){}else{while(z){return;}}
        for i in 0..n-1..2{x=i;;} for j in({1})..2 {} print(\"a\\n\",x);}";
    let expected = "def main() {\n  if (x < 1) {\n    y[0, 1:2] = 3;\n  } else if (y) {\n  } else {\n    \
        while (z) {\n      return;\n    }\n  }\n  for i in 0..n - 1..2 {\n    x = i;\n  }\n  \
        for j in ({1})..2 {\n  }\n  print(\"a\\n\", x);\n}\n";
    assert_eq!(unparsed(text), expected);
}

#[test]
fn names_like_words_keep_their_meaning() {
    for (written, canonical) in [
        ("if (a) {}; elif = 3;", "if (a) {\n  }\n  elif = 3;"),
        ("if (a) {}; elif(3);", "if (a) {\n  }\n  elif(3);"),
        ("do(x) * {1};", "do(x) * {1};"),
        ("do a = {1};", "do a = {1};"),
    ] {
        let text = unparsed(&format!("def main() {{ {written} }}"));
        assert_eq!(text, format!("def main() {{\n  {canonical}\n}}\n"));
    }
}

#[test]
fn new_operators_keep_their_structure() {
    for (written, canonical) in [
        ("a || b && c < d + e * f", "a || b && c < d + e * f"),
        ("((a || b) && (c < d)) + (e @ f) * g", "((a || b) && c < d) + (e @ f) * g"),
        ("(a < b) == (c != d)", "(a < b) == (c != d)"),
        (
            "!(a && b) || !c || !!d || -!e || !-f || !-1 || -!1 || -(!(-(1)))",
            "!(a && b) || !c || !!d || -!e || !-f || !-1 || -!1 || -(!(-(1)))",
        ),
        (
            "(a)[0] + (a[0])[1] + (-a)[2] + (a + b)[3:4, c] + (5)[0] + (-5)[0]",
            "a[0] + a[0][1] + (-a)[2] + (a + b)[3:4, c] + (5)[0] + (-5)[0]",
        ),
        (
            "((a[0]).b).c[1].d + (a.b[0]) + [1, 2][0] + f(x)[1]",
            "(a[0].b).c[1].d + a.b[0] + [1, 2][0] + f(x)[1]",
        ),
        ("({1}[0])", "({1}[0])"),
        ("x[a < b, (c):d + 1][e]", "x[a < b, c:d + 1][e]"),
        ("sum(x, axis = -1) + f(axis = y, z = (1))", "sum(x, axis = -1) + f(axis = y, z = 1)"),
        ("print(\"\\t\\\\\\\"é\", a, end = \"\")", "print(\"\\t\\\\\\\"é\", a, end = \"\")"),
    ] {
        let text = unparsed(&format!("def main() {{ {written}; }}"));
        assert_eq!(text, format!("def main() {{\n  {canonical};\n}}\n"));
    }
}
