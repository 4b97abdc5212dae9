//! The diagnostics of invalid statements, shapes, expressions, definitions and structs, with their places.

use super::{expect, in_main};

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
        ("print(1) 2;", &["E0103 2:9"]),
        ("print(1));", &["E0103 2:9"]),
        (") print(1);", &["E0103 2:1"]),
        ("if 1 { print(1); } print(2);", &["E0103 2:4"]),
        ("if 1 { print(1); }\nprint(z);", &["E0103 2:4", "E0201 3:7"]),
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
        ("var \u{e9} = 2; print(\u{e9});", &["E0101 2:5"]),
        ("var var a = 1; print(a);", &["E0103 2:5"]),
        // Structs.
        ("do { var y = 1; } while (y);\nprint(1 2);", &["E0103 2:1", "E0103 3:9"]),
        ("if (1) { 2; } else if 3 { 4; } else { 5; } print(1 2);", &["E0103 2:23", "E0103 2:52"]),
        ("for (a; b; c) { if 1 { } }", &["E0103 2:5", "E0103 2:20"]),
        ("if (1) print(1);", &["E0103 2:8"]),
        ("var if = 1; if; print(if);", &["E0103 2:5", "E0103 2:15", "E0103 2:23"]),
        ("struct s = 1;", &["E0103 2:1"]),
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
        ("<n>", &["E0201 2:7"]),
        ("<n < 2>", &["E0103 2:9"]),
        ("<-1>", &["E0228 2:7"]),
        ("<2, 3", &["E0103 2:12"]),
        ("<2, (3)>", &[]),
        ("<1e3>", &["E0106 2:7"]),
        ("<2><3>", &["E0103 2:9"]),
        ("<99999999999,99999999999>", &["E0303 2:7"]),
        ("<137438953472>", &[]),
        ("<137438953473>", &["E0303 2:7"]),
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
        ("print((1 2) + x);", &["E0103 2:10"]),
        ("print((1;\nprint(x);", &["E0103 2:9", "E0201 3:7"]),
        ("print((1 2];\nprint(x);", &["E0103 2:10", "E0201 3:7"]),
        ("print((1];", &["E0103 2:9"]),
        ("print([1, ]);", &["E0103 2:11"]),
        ("print([1 2, 3]);", &["E0103 2:10"]),
        ("print([1, 2);", &["E0103 2:12"]),
        ("print([]);", &["E0103 2:7"]),
        ("print([[], [1]]);", &["E0103 2:8"]),
        ("print([1, [], x, 2 + 3, f(1), (1)]);", &["E0103 2:11"]),
        ("print([a, 2]);", &["E0201 2:8"]),
        ("var a = [1, 2;\nvar b = [3;\nprint(a + b);", &["E0103 2:14", "E0103 3:11"]),
        ("print(transpose(1 2, transpose(3 4);", &["E0103 2:19"]),
        // Errors of the lexer are not repeated, and hide no others.
        ("print(1 - 2);", &[]),
        ("print(-1 + x);", &["E0201 2:12"]),
        ("print([1, -2, 3, 4 5]);", &["E0103 2:20"]),
        ("var a = 1.2.3; print(a + y);", &["E0102 2:9", "E0201 2:26"]),
        ("print(\"hello world\"); print(\"a);\nprint(1 2);", &["E0107 2:29", "E0103 3:9"]),
        ("print(1 / 2 / 3 $ 4);", &["E0101 2:17"]),
        ("$ print(1); print(x);", &["E0101 2:1", "E0201 2:19"]),
        ("$\nvar b = 2; print(b); print(x);", &["E0101 2:1", "E0201 3:28"]),
        ("print(1); // a comment; print(x\nprint(y);", &["E0101 2:11", "E0201 3:7"]),
        ("var a = 1 $ 2 3; print(x);", &["E0101 2:11", "E0201 2:24"]),
        ("print(a.b);", &["E0201 2:7"]),
        ("print([1].b);", &["E0212 2:7"]),
        ("print(-); print(2 * -);", &["E0103 2:8", "E0103 2:22"]),
        ("retrun 1;", &["E0103 2:1"]),
        ("print((1)));", &["E0103 2:11"]),
        ("var x = 1; print(x(2));", &["E0202 2:18"]),
        ("print([1]. + 2);", &["E0103 2:12"]),
        ("print(- );", &["E0103 2:9"]),
        ("print({});", &["E0103 2:7"]),
        ("print({1});", &["E0212 2:7"]),
        ("print(1)$;", &["E0101 2:9"]),
        ("print([1 $ 2, 3 ? x + 1]);", &["E0101 2:10"]),
        ("print(x + 1 $ y + z);", &["E0101 2:13"]),
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
        ("def main() { def f() { } }", &["E0103 1:14"]),
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
        ("P p = {1, 2}; print(sum(p));", &["E0212 2:38"]),
        ("P p = {1, 2}; print(p + p * 2);", &["E0212 2:34", "E0212 2:38"]),
        ("P p = {1, 2}; print(-p);", &["E0212 2:35"]),
        ("P p = {1, 2}; print([p]);", &["E0212 2:35"]),
        ("P p = {1, 2}; var a<2> = p;", &["E0212 2:39"]),
        ("P p = {1, 2}; transpose(p);", &["E0212 2:38"]),
        ("P p = {1, 2}; print(p.c);", &["E0216 2:36"]),
        ("P p = {1, 2}; print(p.a.b);", &["E0212 2:34"]),
        ("print(f({1, 2}).c);", &["E0216 2:30"]),
        ("return {1, 2};", &[]),
        ("{1, 2};", &["E0103 2:14"]),
        ("print({1, 2}.a);", &["E0219 2:20"]),
    ] {
        expect(&with_p(body), expected);
    }
}
