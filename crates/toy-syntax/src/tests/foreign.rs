//! Statements and operators as other languages write them, and damaged ones: one mistake is one error, and it
//! says how Toy writes it.

use super::in_main;
use crate::{Source, parse};

/// `line:column message` of each syntax error, and the text with all fixes applied.
fn errors(body: &str) -> (Vec<String>, String) {
    let source = Source::new("t", in_main(body));
    let (_, diagnostics) = parse(&source);
    let shown = diagnostics.iter().map(|diagnostic| {
        let at = source.line_column(diagnostic.labels[0].span.start);
        format!("{}:{} {}", at.line - 1, at.column, diagnostic.message)
    });
    let shown = shown.collect();
    let helps = diagnostics.iter().filter_map(|diagnostic| diagnostic.help.as_ref());
    let mut edits: Vec<_> = helps.flat_map(|help| &help.edits).collect();
    edits.sort_by_key(|edit| edit.span.start);
    let mut text = source.text.to_string();
    for edit in edits.iter().rev() {
        let range = edit.span.start as usize..edit.span.end as usize;
        text.replace_range(range, &edit.replacement);
    }
    let lines = text.lines().count();
    (shown, text.lines().skip(1).take(lines - 2).collect::<Vec<_>>().join("\n"))
}

#[track_caller]
fn expect(body: &str, expected: &[&str], fixed: Option<&str>) {
    let (found, text) = errors(body);
    assert_eq!(found, expected, "{body}");
    if let Some(fixed) = fixed {
        assert_eq!(text, fixed, "{body}");
        assert_eq!(errors(fixed).0, [""; 0], "{fixed}");
    }
}

#[test]
fn forms_of_other_languages_are_one_error_and_fixed() {
    for (body, message, fixed) in [
        ("if x { y; }", "1:4 the condition of `if` is written in parentheses", "if (x) { y; }"),
        (
            "while x < f(2) {\n}",
            "1:7 the condition of `while` is written in parentheses",
            "while (x < f(2)) {\n}",
        ),
        (
            "if (a) && (b) { }",
            "1:4 the condition of `if` is written in parentheses",
            "if ((a) && (b)) { }",
        ),
        (
            "if (a) { } else if !b { }",
            "1:20 the condition of `if` is written in parentheses",
            "if (a) { } else if (!b) { }",
        ),
        (
            "if (x) y = 1;",
            "1:8 the statements of a branch or a loop are written in braces",
            "if (x) { y = 1; }",
        ),
        (
            "while (x)\n  return 1;",
            "2:3 the statements of a branch or a loop are written in braces",
            "while (x)\n  { return 1; }",
        ),
        (
            "for i in 0..4 print(i);",
            "1:15 the statements of a branch or a loop are written in braces",
            "for i in 0..4 { print(i); }",
        ),
        (
            "if (x) { } else y;",
            "1:17 the statements of a branch or a loop are written in braces",
            "if (x) { } else { y; }",
        ),
        (
            "if (x) { } elif (y) { } else { }",
            "1:12 Toy has no `elif`",
            "if (x) { } else if (y) { } else { }",
        ),
        ("if (x = 1) { }", "1:7 an assignment is not a condition", "if (x == 1) { }"),
        (
            "while (a < 1 && b = 2) { }",
            "1:19 an assignment is not a condition",
            "while (a < 1 && b == 2) { }",
        ),
        ("for (i = 0; i < n; i++) { i; }", "1:5 a loop runs over a range", "for i in 0..n { i; }"),
        ("for (var i = a + 1; i < 2 * n; i++) { }", "1:5 a loop runs over a range", ""),
        (
            "for (i in 0..4) { }",
            "1:5 the range of a loop is written without parentheses",
            "for i in 0..4 { }",
        ),
        (
            "for var i in 0..4 { }",
            "1:5 a loop variable is declared without `var`",
            "for  i in 0..4 { }",
        ),
        ("for i in range(n) { }", "1:10 a loop runs over a range", "for i in 0..n { }"),
        ("for i in range(1, n) { }", "1:10 a loop runs over a range", "for i in 1..n { }"),
        ("for i in range(9, 0, -2) { }", "1:10 a loop runs over a range", "for i in 9..0..-2 { }"),
        ("for i in 4 { }", "1:10 a loop runs over a range", "for i in 0..4 { }"),
        ("for i in x { }", "1:10 a loop runs over a range", ""),
        ("for i in 0:4 { }", "1:11 the range of a loop is written with `..`", "for i in 0..4 { }"),
        ("for i in 0..=4 { }", "1:13 a range does not include its end", "for i in 0..4 { }"),
        ("for i = 0..4 { }", "1:7 expected `in`, found `=`", "for i in 0..4 { }"),
        ("for i of 0..4 { }", "1:7 expected `in`, found `of`", "for i in 0..4 { }"),
        ("for i in 0...4 { }", "1:11 unknown token `...`", "for i in 0..4 { }"),
        ("x += 1;", "1:3 Toy has no operator `+=`", "x = x + 1;"),
        ("x[i] *= a + b;", "1:6 Toy has no operator `*=`", "x[i] = x[i] * (a + b);"),
        ("x++;", "1:2 Toy has no operator `++`", "x = x + 1;"),
        ("while (1) { x--; }", "1:14 Toy has no operator `--`", "while (1) { x = x - 1; }"),
        ("print(a < b < c);", "1:13 comparisons cannot be chained", "print(a < b && b < c);"),
        ("print(0 <= f(x) == 1 != 2);", "1:17 comparisons cannot be chained", ""),
        ("if (a and b) { }", "1:7 Toy has no operator `and`", "if (a && b) { }"),
        ("print(a or (b));", "1:9 Toy has no operator `or`", "print(a || (b));"),
        ("print(not a);", "1:7 Toy has no operator `not`", "print(! a);"),
        ("print(a & b);", "1:9 unknown character `&`", "print(a && b);"),
        ("print(a => b);", "1:9 unknown operator `=>`", "print(a >= b);"),
        ("print(a <> b);", "1:10 expected an expression, found `>`", "print(a != b);"),
        ("print(a === b);", "1:9 Toy has no operator `===`", "print(a == b);"),
        ("var x == 1;", "1:7 expected `=`, found `==`", "var x = 1;"),
        ("x &&= y;", "1:3 Toy has no operator `&&=`", "x = x && y;"),
        ("f(s).x = 1;", "1:1 only a field of a variable can be assigned", ""),
        ("(s).x = 1;", "1:1 only a field of a variable can be assigned", ""),
        ("s[0].x = 1;", "1:1 only a field of a variable can be assigned", ""),
        ("s.x += 1;", "1:5 Toy has no operator `+=`", "s.x = s.x + 1;"),
        ("s.x[0][1] = 1;", "1:1 a part of a part cannot be assigned", "s.x[0, 1] = 1;"),
        ("f(x) = 1;", "1:1 the result of a call cannot be assigned", ""),
        ("[a, b] = x;", "1:1 a literal cannot be assigned", ""),
        ("[a, b][0] = x;", "1:1 only a part of a variable can be assigned", ""),
        ("f(x)[0] = 1;", "1:1 only a part of a variable can be assigned", ""),
        ("a + b = c;", "1:1 `a + b` cannot be assigned", ""),
        ("(x) = 1;", "1:1 expected a variable before `=`", "x = 1;"),
        ("x[0][i + 1] = 1;", "1:1 a part of a part cannot be assigned", "x[0, i + 1] = 1;"),
        ("x[0:2][1] = 1;", "1:1 a part of a part cannot be assigned", ""),
        ("x = y = 1;", "1:7 expected `;`, found `=`", ""),
        ("x := 1;", "1:3 expected `;`, found `:`", ""),
        ("var x: f64 = 1;", "1:6 expected `=`, found `:`", ""),
        ("print(x[1:2:]);", "1:12 a range of a subscript ends with `:`", ""),
        ("print(x[]);", "1:8 a subscript needs at least one index", ""),
        ("print(x[0..2]);", "1:10 the range of a subscript is written with `:`", "print(x[0:2]);"),
        ("print(0..4);", "1:8 expected `,` or `)`, found `..`", ""),
        ("print(\"abc);", "1:7 a string that does not end", ""),
        ("print(\"a\\d\");", "1:9 unknown escape `\\d` in a string", ""),
        ("print('a');", "1:7 a string is written in double quotes", "print(\"a\");"),
        ("var x = \"a\";", "1:9 a string is not a value", ""),
        ("f(\"a\", x);", "1:3 a string is not a value", ""),
        ("print(\"a\" + x);", "1:7 a string is not a value", ""),
        ("f([\"a\"], title = \"b\");", "1:4 a string is not a value", ""),
        ("print(sum(axis = 1, x));", "1:21 an argument without a name after one with a name", ""),
        ("else { x; } print(y);", "1:1 an `else` without an `if`", ""),
        ("do { x; } while (y);", "1:1 Toy has no `do`", ""),
        ("loop { x; }", "1:1 Toy has no `loop`", ""),
        ("switch (x) { y; }", "1:1 Toy has no `switch`", ""),
        ("var y = if (c) { 1 } else { 2 };", "1:9 expected an expression, found `if`", ""),
        ("var y = 1 if c else 2;", "1:11 expected `;`, found `if`", ""),
    ] {
        let messages = if body.contains("[\"a\"]") {
            vec![message, "1:18 a string is not a value"]
        } else {
            vec![message]
        };
        expect(body, &messages, (!fixed.is_empty()).then_some(fixed));
    }
}

#[test]
fn a_keyword_as_a_name_is_one_error_that_says_so() {
    for (body, messages, fixed) in [
        ("var if = 1;", &["1:5 expected the name of the variable, found `if`"][..], "var if_ = 1;"),
        (
            "var in<2> = [1, 2];",
            &["1:5 expected the name of the variable, found `in`"],
            "var in_<2> = [1, 2];",
        ),
        (
            "S while = {1};",
            &["1:3 expected the name of the variable, found `while`"],
            "S while_ = {1};",
        ),
        (
            "for for in 0..4 { }",
            &["1:5 expected the name of the variable, found `for`"],
            "for for_ in 0..4 { }",
        ),
        ("if = 1;", &["1:4 expected an expression, found `=`"], "if_ = 1;"),
        ("x = in;", &["1:5 expected an expression, found `in`"], "x = in_;"),
        ("print(1 + else, x);", &["1:11 expected an expression, found `else`"], ""),
        ("print(while(3), x);", &["1:7 expected an expression or `)`, found `while`"], ""),
        (
            "print(x.for); y;",
            &["1:9 expected the name of a field, found `for`"],
            "print(x.for_); y;",
        ),
        ("in = 4; y;", &["1:1 expected a statement, found `in`"], "in_ = 4; y;"),
        ("break = 4;", &["1:1 expected a statement, found `break`"], "break_ = 4;"),
        ("x = 1 +\nif (y) { }", &["2:1 expected an expression, found `if`"], ""),
        ("print(1\nif (y) { }", &["2:1 expected `)`, found `if`"], ""),
    ] {
        expect(body, messages, (!fixed.is_empty()).then_some(fixed));
    }
}

#[test]
fn damaged_blocks_leave_one_error() {
    for (body, expected) in [
        ("if (x { y; }", &["1:7 expected `)`, found `{`"][..]),
        ("if () { y; }", &["1:5 expected an expression, found `)`"]),
        ("if (x) {\n y;\n", &["4:2 expected `}`, found the end of the file"]),
        ("while (x 1) { y; }", &["1:10 expected `)`, found `1`"]),
        ("while (x) { y }", &["1:14 expected `;`, found `}`"]),
        ("while (x) { y 1; z; } w;", &["1:14 expected `;`, found `1`"]),
        ("for i in 0.. { y; }", &["1:14 expected an expression, found `{`"]),
        ("for i in ..4 { y; }", &["1:10 expected an expression, found `..`"]),
        ("for 5 in 0..4 { y; }", &["1:5 expected the name of the variable, found `5`"]),
        ("for i in 0..4..1..2 { y; }", &["1:17 expected `{`, found `..`"]),
        ("for (i = 0;\n", &["1:5 a loop runs over a range", "3:1 expected `{`, found `}`"]),
        ("for (i = 0; i < n { y; }", &["1:5 a loop runs over a range"]),
        ("for i 0..4 { y; }", &["1:7 expected `in`, found `0`"]),
        ("for i in 0..4 { y[0; }", &["1:20 expected `]`, found `;`"]),
        ("x[1 2] = 3;", &["1:5 expected `,` or `]`, found `2`"]),
        ("x = ;", &["1:5 expected an expression, found `;`"]),
        ("x[0] = ;", &["1:8 expected an expression, found `;`"]),
        ("x = 1\ny = 2;", &["1:6 expected `;`, found `y`"]),
        (
            "if (x) { var a 1; if (y) { print(1 2); } }",
            &["1:16 expected `=`, found `1`", "1:36 expected `,` or `)`, found `2`"],
        ),
        ("print(1 < );", &["1:11 expected an expression, found `)`"]),
        ("print(!);", &["1:8 expected an expression, found `)`"]),
        ("print(\"a\" \"b\");", &["1:11 expected `,` or `)`, found `\"b\"`"]),
        ("print(\"a\", );", &["1:12 expected an expression, found `)`"]),
        (
            "if (x) { struct S { var a; } S s = {1}; }",
            &["1:17 a struct cannot be defined inside a function"],
        ),
        ("if (x) { }\ndef g() { }\ndef h() {", &["2:1 expected `}`, found `def`"]),
    ] {
        expect(body, expected, None);
    }
}

#[test]
fn no_advice_is_about_a_character_of_the_language() {
    use crate::foreign::{Context, advice};
    for token in crate::token::Token::FIXED {
        let spelling = token.spelling();
        assert!(advice(Context::Character, spelling).is_none(), "`{spelling}` is a token");
    }
}
