//! Tests of the whole front end: the exact diagnostics of invalid programs, and no panic for any
//! text.

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

/// The first diagnostic, as `message | label | help`, and the texts of all its labels.
fn words(text: &str) -> (String, Vec<String>) {
    let source = Source::new("t", text);
    let diagnostic = analyze(&source).1.swap_remove(0);
    let label = &diagnostic.labels[0].message;
    let help = diagnostic.help.map_or(String::new(), |help| help.message);
    let labels =
        diagnostic.labels.iter().map(|label| source.snippet(label.span).to_owned()).collect();
    (format!("{} | {label} | {help}", diagnostic.message), labels)
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
fn invalid_statements_are_reported() {
    for (body, expected) in [
        // A missing semicolon is reported after the previous token.
        ("print(1)", &["E0103 2:9"][..]),
        ("var a = 1\nprint(a);", &["E0103 2:10"]),
        ("print(1)\nprint(2)\nprint(3);", &["E0103 2:9", "E0103 3:9"]),
        ("var a = 1 var b = 2; print(a + b);", &["E0103 2:10"]),
        ("return", &["E0103 2:7"]),
        ("return\nvar a = 1;", &["E0103 2:7"]),
        ("return );", &["E0103 2:8"]),
        // An unexpected token.
        ("vra a = 1; print(a);", &["E0213 2:1"]),
        ("let a<2> = [1, 2]; print(a); print(b);", &["E0103 2:6", "E0201 2:36"]),
        ("a = 3; print(a);", &["E0103 2:3"]),
        ("var a = 1; a = 2; print(a);", &["E0103 2:14"]),
        ("print(1) 2;", &["E0103 2:9"]),
        ("print(1));", &["E0103 2:9"]),
        (") print(1);", &["E0103 2:1"]),
        ("if x { print(1); y; } print(2);", &["E0103 2:1"]),
        ("if x { print(1); }\nprint(z);", &["E0103 2:1"]),
        ("= 3;\nprint(z);", &["E0103 2:1"]),
        // Variables.
        ("var = 1;", &["E0103 2:5"]),
        ("var a; print(a);", &["E0103 2:6"]),
        ("var a 1; print(a);", &["E0103 2:7"]),
        ("var a [1]; print(a);", &["E0103 2:7"]),
        ("var a\nprint(a);", &["E0103 3:1"]),
        ("var a = ; print(a);", &["E0103 2:9"]),
        ("var def = 1; print(2);", &["E0103 2:5"]),
        ("var 5 = 1; print(2);", &["E0103 2:5"]),
        ("var return<1> = [1];", &["E0103 2:5"]),
        ("var 1a = 2; print(z);", &["E0102 2:5"]),
        ("var \u{e9} = 2; print(\u{e9});", &["E0101 2:5", "E0101 2:19"]),
        ("var var a = 1; print(a);", &["E0103 2:5"]),
        // Structs.
        ("while (x) { var y = 1; }\nprint(y); print(1 2);", &["E0103 2:1", "E0103 3:19"]),
        ("if (x) { y; } else if z { y; } else { y; } print(1 2);", &["E0103 2:1", "E0103 2:52"]),
        ("for (a; b; c) { if d { } }", &["E0103 2:1"]),
        ("if (x) print(1);", &["E0103 2:7"]),
        ("var if = 1; if; print(if);", &[]),
        ("struct s = 1;", &["E0103 2:1", "E0103 2:10"]),
        (" struct s = 1; print(1);", &["E0103 2:2"]),
        (" struct S { var a; } S s = {1}; print(s.a);", &["E0103 2:9"]),
    ] {
        expect(&in_main(body), expected);
    }
}

#[test]
fn invalid_shapes_are_reported() {
    for (shape, expected) in [
        ("<2.7>", &["E0106 2:7"][..]),
        ("<2.>", &["E0106 2:7"]),
        ("<0>", &["E0106 2:7"]),
        ("<2, 00>", &["E0106 2:10"]),
        ("<99999999999999999999>", &["E0106 2:7"]),
        ("<0, 1.5, 3>", &["E0106 2:7", "E0106 2:10"]),
        ("<2 3>", &["E0103 2:9"]),
        ("<2,3,>", &["E0103 2:11"]),
        ("<2,,3>", &["E0103 2:9"]),
        ("<n>", &["E0103 2:7"]),
        ("<-1>", &["E0103 2:7"]),
        ("<2, 3", &["E0103 2:12"]),
        ("<2, (3)>", &["E0103 2:10"]),
        ("<1e3>", &["E0106 2:7"]),
        ("<2><3>", &["E0103 2:9"]),
        ("<99999999999,99999999999>", &["E0303 2:6"]),
        ("<137438953472>", &[]),
        ("<137438953473>", &["E0303 2:6"]),
    ] {
        expect(&in_main(&format!("var a{shape} = 1; print(a);")), expected);
    }
}

#[test]
fn invalid_expressions_are_reported() {
    for (body, expected) in [
        ("print(1 + );", &["E0103 2:11"][..]),
        ("print(1 + * 2);", &["E0103 2:11"]),
        ("print(+ 1);", &["E0103 2:7"]),
        ("print(1 2);", &["E0103 2:9"]),
        ("print(1 2, x);", &["E0103 2:9"]),
        ("print(1, );", &["E0103 2:10"]),
        ("print(, 1);", &["E0103 2:7"]),
        ("print(());", &["E0103 2:8"]),
        ("print((1 2) + x);", &["E0103 2:10", "E0201 2:15"]),
        ("print((1;\nprint(x);", &["E0103 2:9", "E0201 3:7"]),
        ("print((1 2];\nprint(x);", &["E0103 2:10", "E0201 3:7"]),
        ("print((1];", &["E0103 2:9"]),
        ("print([1, ]);", &["E0103 2:11"]),
        ("print([1 2, 3]);", &["E0103 2:10"]),
        ("print([1, 2);", &["E0103 2:12"]),
        ("print([]);", &["E0103 2:7"]),
        ("print([[], [1]]);", &["E0103 2:8"]),
        ("print([1, [], x, 2 + 3, f(1), (1)]);", &["E0103 2:11", "E0201 2:15", "E0202 2:25"]),
        ("print([a, 2]);", &["E0201 2:8"]),
        ("var a = [1, 2;\nvar b = [3;\nprint(a + b);", &["E0103 2:14", "E0103 3:11"]),
        ("print(transpose(1 2, transpose(3 4);", &["E0103 2:19"]),
        // Errors of the lexer are not repeated, and hide no others.
        ("print(1 - 2);", &[]),
        ("print(-1 + x);", &["E0201 2:12"]),
        ("print([1, -2, 3, 4 5]);", &["E0103 2:20"]),
        ("var a = 1.2.3; print(a + y);", &["E0102 2:9", "E0201 2:26"]),
        ("print(\"hello world\");", &["E0101 2:7"]),
        ("print(1 / 2 / 3 % 4);", &["E0101 2:17"]),
        ("$ print(1); print(x);", &["E0101 2:1", "E0201 2:19"]),
        ("$\nvar b = 2; print(b); print(x);", &["E0101 2:1", "E0201 3:28"]),
        ("print(1); // a comment; print(x\nprint(y);", &["E0101 2:11", "E0201 3:7"]),
        ("var a = 1 $ 2 3; print(x);", &["E0101 2:11", "E0103 2:14", "E0201 2:24"]),
        ("print(a.b);", &["E0201 2:7"]),
        ("print([1].b);", &["E0212 2:7"]),
        ("print(-); print(2 * -);", &["E0103 2:8", "E0103 2:22"]),
        ("retrun 1;", &["E0103 2:1", "E0209 2:1"]),
        ("print((1)));", &["E0103 2:11"]),
        ("var x = 1; print(x(2));", &["E0202 2:18"]),
        ("print([1][0]);", &["E0103 2:10"]),
        ("print([1]. + 2);", &["E0103 2:12"]),
        ("print(- );", &["E0103 2:9"]),
        ("print({});", &["E0103 2:7"]),
        ("print({1});", &["E0212 2:7"]),
        ("print(1)$;", &["E0101 2:9"]),
        ("print([1 $ 2, 3 ? x + 1]);", &["E0101 2:10", "E0101 2:17"]),
        ("print(x + 1 $ y + z);", &["E0201 2:7", "E0101 2:13", "E0201 2:19"]),
        ("var s = {1, 2}; print(s);", &["E0219 2:9"]),
    ] {
        expect(&in_main(body), expected);
    }
}

#[test]
fn invalid_definitions_are_reported() {
    for (text, expected) in [
        ("", &["E0208 1:1"][..]),
        ("# nothing\n", &["E0208 1:1"]),
        ("def f() {}", &["E0208 1:11"]),
        ("def main() {", &["E0103 1:13"]),
        ("def main() {\n  print(1);\n", &["E0103 2:12"]),
        ("def main() {\n  print(1\n", &["E0103 2:10"]),
        ("def main() { print((((1", &["E0103 1:24"]),
        ("def main() { var a = [1,", &["E0103 1:25"]),
        ("def main() { var", &["E0103 1:17"]),
        ("def", &["E0103 1:4"]),
        ("def main", &["E0103 1:9"]),
        ("def main(", &["E0103 1:10"]),
        ("def main()", &["E0103 1:11"]),
        ("def main() {} }", &["E0103 1:15"]),
        ("def main() {} } def f() { x; }", &["E0103 1:15", "E0201 1:27"]),
        ("def f() { print(1);\ndef main() { f(); x; }", &["E0103 2:1", "E0201 2:19"]),
        ("fn main() { x; }", &["E0103 1:1", "E0201 1:13"]),
        ("print(1);", &["E0103 1:1"]),
        ("var a = 1;\ndef main() { g(); x; }", &["E0103 1:1", "E0201 2:19"]),
        ("struct S { var a; }\ndef main() { x; }", &["E0201 2:14"]),
        ("def (a) { x; } def main() { g(); }", &["E0103 1:5", "E0201 1:11"]),
        ("def f a { return a; } def main() { f(1); }", &["E0103 1:7"]),
        ("def f(a b) { return a + b; } def main() { print(f(1, 2)); }", &["E0213 1:7"]),
        ("def f(a, ) { return a; } def main() { print(f(1)); }", &["E0103 1:10"]),
        ("def f(a { return a; } def main() { print(f(1)); }", &["E0103 1:9"]),
        ("def f(1, a) { return a; } def main() { print(f(1, 2)); }", &["E0103 1:7"]),
        ("def f(var) { return 1; } def main() { print(f(1)); }", &["E0103 1:7"]),
        ("def return() { x; } def main() {}", &["E0103 1:5", "E0201 1:16"]),
        ("def f(); def main() { print(f()); }", &["E0103 1:8"]),
        ("def f() return 1; } def main() { print(f()); x; }", &["E0103 1:9", "E0201 1:46"]),
        ("def f() print(1); } def main() { print(f()); x; }", &["E0103 1:9", "E0201 1:46"]),
        ("def f() -> x { return 1; } def main() { print(f()); }", &["E0103 1:9"]),
        ("def main() { x; } trailing", &["E0201 1:14", "E0103 1:19"]),
        ("def main() { def f() { } }", &["E0103 1:14", "E0103 1:26"]),
    ] {
        expect(text, expected);
    }
}

#[test]
fn invalid_structs_are_reported() {
    const P: &str = "struct P { var a; var b; }\n";
    let with_p = |body: &str| format!("{P}def main() {{ {body} }}\ndef f(P p) {{ return p; }}");
    for (text, expected) in [
        ("struct", &["E0103 1:7"][..]),
        ("struct S", &["E0103 1:9"]),
        ("struct S { } def main() { }", &["E0103 1:1"]),
        ("struct S { var a } def main() { }", &["E0103 1:17"]),
        ("struct S { var a; def main() { }", &["E0103 1:19"]),
        ("struct S { var a<2>; var b = 1; } def main() { }", &["E0103 1:17", "E0103 1:28"]),
        ("struct S { 1; var b; } def main() { S s = {1}; }", &["E0103 1:12"]),
        ("struct S { var a; }; def main() { }", &["E0103 1:20"]),
        ("struct { var a; } def main() { T t = {1}; }", &["E0103 1:8"]),
        ("struct S { var a; var a; } def main() { }", &["E0215 1:23"]),
        ("struct S { var a; } struct S { var b; } def main() { }", &["E0214 1:28"]),
        ("struct S { T a; } def main() { S s = {1}; }", &["E0213 1:12"]),
        ("struct S { S a; } def main() { }", &["E0218 1:12"]),
        ("struct S { T t; } struct T { U u; } struct U { S s; } def main() { }", &["E0218 1:48"]),
    ] {
        let text =
            if text.contains("main") { text.to_owned() } else { format!("def main() {{}} {text}") };
        let shift = text.find("struct").map_or(0, |at| at);
        let expected: Vec<String> = expected
            .iter()
            .map(|place| match place.split_once(" 1:") {
                Some((code, column)) => {
                    format!("{code} 1:{}", column.parse::<usize>().unwrap() + shift)
                }
                None => (*place).to_owned(),
            })
            .collect();
        expect(&text, &expected.iter().map(String::as_str).collect::<Vec<_>>());
    }
    for (body, expected) in [
        ("P p;", &["E0103 2:17"][..]),
        ("P p = {1};", &["E0217 2:20"]),
        ("P p = {1, 2, 3, x};", &["E0217 2:20", "E0201 2:30"]),
        ("P p = {1, {2}};", &["E0212 2:24"]),
        ("P p = {1, 2;", &["E0103 2:25"]),
        ("P p = 1;", &["E0212 2:20"]),
        ("P p = f(1);", &["E0212 2:22"]),
        ("P p<2> = {1, 2}; print(p.a);", &["E0103 2:17"]),
        ("Q p = {1, 2}; print(p.a);", &["E0213 2:14"]),
        ("P p = {1, 2}; print(p);", &["E0212 2:34"]),
        ("P p = {1, 2}; print(p + p * 2);", &["E0212 2:34", "E0212 2:38"]),
        ("P p = {1, 2}; print(-p);", &["E0212 2:35"]),
        ("P p = {1, 2}; print([p]);", &["E0212 2:35"]),
        ("P p = {1, 2}; var a<2> = p;", &["E0212 2:39"]),
        ("P p = {1, 2}; transpose(p);", &["E0212 2:38"]),
        ("P p = {1, 2}; print(p.c);", &["E0216 2:36"]),
        ("P p = {1, 2}; print(p.a.b);", &["E0212 2:34"]),
        ("print(f({1, 2}).c);", &["E0216 2:30"]),
        ("return {1, 2};", &["E0209 2:14", "E0219 2:21"]),
        ("{1, 2};", &["E0103 2:14"]),
        ("print({1, 2}.a);", &["E0219 2:20"]),
    ] {
        expect(&with_p(body), expected);
    }
}

#[test]
fn recursion_is_found_whether_called_or_not() {
    for (text, expected) in [
        ("def main() { main(); }", &["E0304 1:14"][..]),
        ("def f(x) { return f(x); } def main() { }", &["E0304 1:19"]),
        ("def f() { g(); } def g() { h(); } def h() { f(); } def main() { }", &["E0304 1:45"]),
        ("def f() { f(); f(); } def main() { f(); }", &["E0304 1:11"]),
        ("def f() { return; f(); } def main() { f(); }", &[]),
        ("def f() { g(); h(); } def g() { h(); } def h() { } def main() { f(); f(); }", &[]),
    ] {
        expect(text, expected);
    }
}

#[test]
fn unknown_and_duplicate_names_are_reported() {
    for (text, expected) in [
        ("def main() { print(a); }", &["E0201 1:20"][..]),
        ("def main() { print(a + a); a; }", &["E0201 1:20"]),
        ("def main() { print(a); } def f() { print(a); }", &["E0201 1:20", "E0201 1:42"]),
        ("def main() { var a = a; print(a); }", &["E0201 1:22"]),
        ("def main() { print(b); var b = 1; }", &["E0201 1:20"]),
        ("def f(a) { return a; } def main() { print(a); }", &["E0201 1:43"]),
        ("def main() { return; x; }", &["E0201 1:22"]),
        ("def main() { x; y(z); }", &["E0201 1:14", "E0202 1:17", "E0201 1:19"]),
        ("def main() { print(foo(1)); }", &["E0202 1:20"]),
        (
            "def f(a) { return a; } def main() { print(f()); print(f(1, 2)); }",
            &["E0203 1:43", "E0203 1:55"],
        ),
        (
            "def main() { print(); print(1, 2); var a = transpose(); transpose(1, 2); }",
            &["E0203 1:14", "E0203 1:23", "E0203 1:44", "E0203 1:57"],
        ),
        ("def f() {} def f() {} def main() { f(1); }", &["E0204 1:16"]),
        ("def main() {} def main() {}", &["E0204 1:19"]),
        ("def f(a, a) {} def main() {}", &["E0205 1:10"]),
        ("def f(a) { var a = 1; } def main() {}", &["E0206 1:16"]),
        ("def main() { var a = 1; var a = a; }", &["E0206 1:29"]),
        (
            "def print(a) {} def transpose(a) { return a; } def main() { print(1); }",
            &["E0207 1:5", "E0207 1:21"],
        ),
        ("def main(a) { print(a); }", &["E0209 1:10"]),
        ("def main() { return 1; }", &["E0209 1:14"]),
        ("def main() { return; return 1; }", &[]),
        ("def main() { var a = print(1); print(a); }", &["E0210 1:22"]),
        ("def f() {} def main() { print(f()); }", &["E0210 1:31"]),
        (
            "def f() { return; } def g(a) { return a; } def main() { print(g(f()) + f()); }",
            &["E0210 1:65", "E0210 1:72"],
        ),
        ("def f() { return g(); } def g() {} def main() {}", &["E0210 1:18"]),
        ("def f() { return; return 1; } def main() { print(f()); }", &["E0210 1:50"]),
        ("def main() { print([[1, 2], [3]]); }", &["E0211 1:29"]),
        ("def main() { print([[1, 2], 3]); }", &["E0211 1:29"]),
        ("def main() { print([1, [2, 3]]); }", &["E0211 1:24"]),
        ("def main() { print([[1, 2], [3], [4]]); }", &["E0211 1:29"]),
        ("def main() { print([[[1], [2, 3]], [4], [[5], 6]]); }", &["E0211 1:27", "E0211 1:47"]),
    ] {
        expect(text, expected);
    }
}

#[test]
fn independent_errors_are_all_reported() {
    let text = "def f(a, a) {
  var x = 1 +;
  return x
}
def g( {
  print(1.2.3);
}
def main() {
  var a<0> = [1, 2;
  var b = f(1);
  prnt(b - 1);
  print([[1], [2, 3]]);
}
";
    expect(
        text,
        &[
            "E0205 1:10",
            "E0103 2:14",
            "E0103 3:11",
            "E0103 5:8",
            "E0102 6:9",
            "E0106 9:9",
            "E0103 9:19",
            "E0203 10:11",
            "E0202 11:3",
            "E0211 12:15",
        ],
    );
}

#[test]
fn messages_say_what_was_expected_and_found() {
    let table: &[(&str, &str, &[&str])] = &[
        ("print(1) }", "expected `;`, found `}` | expected `;` | add `;` here", &[""]),
        ("return", "expected `;`, found `}` | expected `;` | add `;` here", &[""]),
        ("print((1;", "expected `)`, found `;` | expected `)` | ", &[";", "("]),
        ("print(1 2);", "expected `,` or `)`, found `2` | expected `,` or `)` | ", &["2"]),
        (
            "vra a = 1;",
            "there is no struct `vra` | not defined anywhere in the program | \
             to define a tensor, write `var a`",
            &["vra"],
        ),
        (
            "a = 1;",
            "expected `;`, found `=` | Toy has no assignment | \
             `var name = value` defines a variable; its value never changes",
            &["="],
        ),
        (
            "var x [1];",
            "expected `=`, found `[` | expected `=` | \
             a variable must be initialized: `var name = value`",
            &["["],
        ),
        (
            "var var = 1;",
            "expected the name of the variable, found `var` | expected the name of the variable | \
             `var` is a keyword and cannot be a name",
            &["var"],
        ),
        (
            "print([1, 2 b]);",
            "expected `,` or `]`, found `b` | expected `,` or `]` | \
             write `*` to multiply, `,` to separate values",
            &["b"],
        ),
        (
            "var height = 1; print(hieght);",
            "there is no variable `hieght` here | not defined before this point | \
             did you mean `height`?",
            &["hieght"],
        ),
        (
            "print(b); var b = 1;",
            "there is no variable `b` here | not defined before this point | ",
            &["b", "b"],
        ),
        (
            "tranpose(1);",
            "there is no function `tranpose` | not defined anywhere in the program | \
             did you mean `transpose`?",
            &["tranpose"],
        ),
        ("print();", "`print` takes 1 argument, not 0 | called with no arguments | ", &["print()"]),
        (
            "print([[1, 2], [[3]]]);",
            "the elements of a literal differ in shape | this is a list of shape <1, 1> | ",
            &["[[3]]", "[1, 2]"],
        ),
    ];
    for (body, expected, labels) in table {
        let (message, places) = words(&in_main(body));
        assert_eq!(message, *expected, "{body}");
        assert_eq!(places, *labels, "{body}");
    }
    let end = words("def main() { print(1);");
    assert_eq!(end.0, "expected `}`, found the end of the file | expected `}` | ");
    assert_eq!(end.1, ["", "{"]);
    let end = words("def main() { print((1;");
    assert_eq!(end.1, [";", "("]);
    let open = words("def main( { print(1); }");
    assert_eq!(open.0, "expected `)`, found `{` | expected `)` | ");
    assert_eq!(open.1, ["{", "("]);
    let outside = words("x = 1;");
    assert_eq!(
        outside.0,
        "expected `def` or `struct`, found `x` | expected `def` or `struct` | \
         a program consists of structs and of functions, `def name() { ... }`, one of which is `main`"
    );
    assert_eq!(words("def main {}").0, "expected `(`, found `{` | expected `(` | ");
    assert_eq!(words("def main()").0, "expected `{`, found the end of the file | expected `{` | ");
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
    assert_eq!((shape.dims.clone(), text(shape.span)), (vec![2], "<2>"));
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

/// Less than the eight megabytes of a main thread, more than the two of a test.
fn with_stack(test: fn()) {
    let thread = std::thread::Builder::new().stack_size(5 << 20).spawn(test);
    thread.expect("a thread").join().expect("the test passes");
}

#[test]
fn limits_leave_one_diagnostic_and_no_tree() {
    with_stack(limits);
}

fn limits() {
    let deep = |open: &str, n: usize| in_main(&format!("print({});", open.repeat(n)));
    expect(&deep("(", 1_000_000), &["E0104 2:261"]);
    expect(&deep("[", 100_000), &["E0104 2:261"]);
    expect(&deep("transpose(", 100_000), &["E0104 2:2556"]);
    expect(&format!("def main() {{ print({}1{}); }}", "(".repeat(254), ")".repeat(254)), &[]);
    let list = format!("{}1{}", "[".repeat(254), "]".repeat(254));
    expect(&format!("def main() {{ print({list}); }}"), &[]);
    let chain = |n: usize| {
        let links: String = "+-*/".chars().cycle().take(n).flat_map(|link| [link, '1']).collect();
        format!("def main() {{ print(1{links}); }}")
    };
    expect(&chain(65_536), &[]);
    expect(&chain(65_537), &["E0105 1:131093"]);
    assert!(parse(&Source::new("t", chain(65_537))).0.functions.is_empty());
}

#[test]
fn large_programs_are_parsed_in_linear_time() {
    with_stack(large_programs);
}

fn large_programs() {
    expect(&format!("{}def main() {{}}", "# comment\n".repeat(1_000_000)), &[]);
    expect(&in_main(&format!("# {}\nprint(1);", "é".repeat(100_000))), &[]);
    expect(&in_main(&format!("print({});", "1".repeat(10_000_000))), &["E0102 2:7"]);
    expect(&in_main(&format!("print(0.{});", "1".repeat(10_000_000))), &[]);
    expect(&in_main(&"print(1);\n".repeat(20_000)), &[]);
    assert_eq!(places(&in_main(&"print(1 2);\n".repeat(20_000))).len(), 20_000);
    assert_eq!(places(&in_main(&"print(1)\n".repeat(20_000))).len(), 20_000);
    // Unclosed brackets at all depths: skipping must not go over the same tokens again and again.
    let unclosed = format!("print({}1{}", "(f(".repeat(120), ", 1 1".repeat(20_000));
    expect(&in_main(&unclosed), &["E0103 2:372"]);
    // Closing brackets that were never opened must not confuse the limit on depth.
    let crossed = in_main(&format!("print({});", "[ (1 2 ]) + ".repeat(20_000)));
    assert!(!places(&crossed).is_empty());
    let crossed = in_main(&format!("print({});", "(1 [2 ) ".repeat(20_000)));
    assert!(!places(&crossed).is_empty());
}

/// A small deterministic generator (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

fn check_without_panic(text: &str) {
    let source = Source::new("t", text);
    let (module, diagnostics) = analyze(&source);
    let _ = dump::dump(&module, &source);
    let _ = lexer::dump_tokens(&source);
    for label in diagnostics.iter().flat_map(|diagnostic| &diagnostic.labels) {
        assert!(label.span.start <= label.span.end, "{text:?}");
        assert!(source.text.get(label.span.start as usize..label.span.end as usize).is_some());
    }
    let rendered = toy_diagnostics::render::render(&diagnostics, Some(&source), false);
    assert_eq!(rendered.is_empty(), diagnostics.is_empty());
}

#[test]
fn no_text_makes_the_front_end_panic() {
    let mut random = Random(0x9e3779b97f4a7c15);
    const TOKENS: [&str; 43] = [
        "def",
        "var",
        "return",
        "struct",
        "main",
        "f",
        "a",
        "print",
        "transpose",
        "1",
        "2.5",
        "0",
        "1.2.3",
        "1e5",
        ".5",
        "2e-3",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "<",
        ">",
        ",",
        ";",
        "=",
        "+",
        "*",
        "-",
        "/",
        ".",
        "--",
        "é",
        "\n",
        "# c\n",
        "\"s\"",
        "def main() {",
        "print(",
        "struct S {",
        "S",
        "S s = {",
        "s.a",
    ];
    for _ in 0..6_000 {
        let length = random.below(40);
        let soup: Vec<&str> = (0..length).map(|_| random.pick(&TOKENS)).collect();
        check_without_panic(&soup.join(random.pick(&[" ", "", "\n"])));
    }
    for _ in 0..4_000 {
        let bytes: Vec<u8> = (0..random.below(60)).map(|_| random.below(256) as u8).collect();
        check_without_panic(&String::from_utf8_lossy(&bytes));
    }
    // Typical errors: a valid program with a missing or an extra token.
    let good = "struct S {\n  var a;\n}\nstruct T {\n  S s;\n  var b;\n}\n\
                def f(T t, b) {\n  return t.s.a * (b - -1.5e1) / 2;\n}\ndef main() {\n  \
                var x<2, 2> = [[1, 2], [3, .4]];\n  T t = {{x}, -x};\n  \
                print(f(t, transpose(t.b)));\n}\n";
    for _ in 0..4_000 {
        let mut text = good.to_owned();
        for _ in 0..=random.below(3) {
            let at = random.below(text.len() + 1);
            if random.below(2) == 0 && at < text.len() {
                text.remove(at);
            } else {
                text.insert_str(at, random.pick(&TOKENS[..32]));
            }
        }
        check_without_panic(&text);
    }
}
