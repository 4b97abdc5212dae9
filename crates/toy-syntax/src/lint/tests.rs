use crate::analyze;
use toy_diagnostics::Diagnostic;
use toy_diagnostics::source::Source;

/// `CODE text of the first label | text of the second`, for each diagnostic.
fn warnings(text: &str) -> Vec<String> {
    let source = Source::new("t", text);
    let shown = |diagnostic: &Diagnostic| {
        let labels: Vec<_> =
            diagnostic.labels.iter().map(|label| source.snippet(label.span)).collect();
        format!("{} {}", diagnostic.code.id, labels.join(" | "))
    };
    analyze(&source).1.iter().map(shown).collect()
}

#[track_caller]
fn expect(text: &str, expected: &[&str]) {
    assert_eq!(warnings(text), expected, "{text}");
}

#[test]
fn good_programs_have_no_warnings() {
    for text in [
        "def main() { }",
        "def main() { print(1); return; }",
        "def main() { var _a = [1]; f(2); } def f(_x) { print(1); } def _g(a) { return a; }",
        "def f(a, b) { return transpose(a) * b; } def main() { var c<2, 1> = [1, 2]; print(f(c, c)); }",
        "def main() { var a = 1; var b = a; var c<1> = b; print(c); ; }",
        // A call that prints on the way, deep inside.
        "def p(x) { print(x); return x; } def q(x) { return p(x); } def main() { 1 + (2 * q(3)); }",
        "def f(x) { var y<2> = x; return y; } def main() { print(f([1, 2])); }",
        "def f(x) { return x; } def main() { var a<2> = f([1, 2]); print(a); }",
    ] {
        expect(text, &[]);
    }
}

#[test]
fn unused_variables_and_parameters_are_reported() {
    expect("def main() { var a = 1; var b = 2; print(b); }", &["W0101 a"]);
    expect("def f(a, b) { return b; } def main() { print(f(1, 2)); }", &["W0101 a"]);
    // Each function has names of its own; a use in an element or an argument is one.
    expect("def f(a) { print(1); } def main() { var a = 1; f(transpose(1 + a)); }", &["W0101 a"]);
    // A use in unreachable code counts as a use; a definition there is reported as unreachable only.
    expect(
        "def main() { var a = 1; return; print(a); var b = 2; }",
        &["W0105 print(a); var b = 2 | return"],
    );
}

#[test]
fn unreachable_functions_are_reported() {
    expect(
        "def f() { g(); } def g() { print(1); } def h() { f(); } def main() { g(); }",
        &["W0102 f", "W0102 h"],
    );
    // An unreachable call counts: it was intended.
    expect("def f() { print(1); } def main() { return; f(); }", &["W0105 f() | return"]);
}

#[test]
fn unused_results_are_reported() {
    expect(
        "def main() { [1, 2]; 1 + 2; (transpose(3)); }",
        &["W0103 [1, 2]", "W0103 1 + 2", "W0103 (transpose(3))"],
    );
    expect("def f(x) { return x; } def main() { f(1); }", &["W0103 f(1)"]);
    expect("def f() { } def main() { f(); }", &["W0103 f()"]);
    // The statements after a return print nothing.
    expect(
        "def f() { return; print(1); } def main() { f(); }",
        &["W0105 print(1) | return", "W0103 f()"],
    );
}

#[test]
fn variables_named_like_functions_are_reported() {
    expect(
        "def f(print) { return print; } def main() { var f = f(1); print(f); }",
        &["W0104 print", "W0104 f | f"],
    );
    expect("def main() { var main = 1; print(main); }", &["W0104 main | main"]);
}

#[test]
fn unreachable_code_is_reported() {
    for (body, expected) in [
        ("break; x = 2;", &["W0105 x = 2 | break"][..]),
        ("continue; print(2);", &["W0105 print(2) | continue"]),
        ("if (x) { break; } else { continue; } print(2);", &["W0105 print(2) | if (x) "]),
        ("if (x) { break; } print(2);", &[]),
    ] {
        let head = "def main() { var x = 1; while (x < 3) {";
        expect(&format!("{head} x = x + 1; {body} }} }}"), expected);
    }
    expect(
        "def f() { return 1; return 2; 3; } def main() { print(f()); return; return; }",
        &["W0105 return 2; 3 | return 1", "W0105 return | return"],
    );
}

#[test]
fn redundant_shapes_are_reported() {
    for value in [
        "[[1, 2, 3], [4, 5, 6]]",
        "transpose([[1, 2], [3, 4], [5, 6]])",
        "k",
        "k + k * k + transpose(transpose(k))",
    ] {
        let text = format!(
            "def main() {{ var k = [[1, 2, 3], [4, 5, 6]]; var v<2, 3> = {value}; print(v + k); }}"
        );
        expect(&text, &["W0106 <2, 3>"]);
    }
    expect("def main() { var x<> = 1; print(x); }", &["W0106 <>"]);
    // After a declaration, the shape is the declared one.
    expect(
        "def main() { var a<2, 1> = [1, 2]; var b<2, 1> = a; var c<1, 2> = b; print(c); }",
        &["W0106 <2, 1>"],
    );
}

#[test]
fn lints_look_into_blocks() {
    expect("def main() { if (f(1)) { 1 + 2; } } def f(x) { return x; }", &["W0103 1 + 2"]);
    expect("def main() { for i in 0..2 { } for _j in 0..2 { } }", &["W0101 i"]);
    expect("def main() { for i in 0..2 { var a<2> = [i, i]; print(a); } }", &["W0106 <2>"]);
    // A variable of the same name in another block may have another shape.
    expect(
        "def f(x) { if (x[0]) { var a = [1]; print(a); } else { var a = x; var b<1> = a; print(b); } }
         def main() { f([1]); }",
        &[],
    );
    expect(
        "def f(x) { if (x) { return 1; } else { return 2; } print(x); } def main() { print(f(1)); }",
        &["W0105 print(x) | if (x) "],
    );
    expect(
        "def f(x) { if (x) { return 1; print(2); } return 2; } def main() { print(f(1)); }",
        &["W0105 print(2) | return 1"],
    );
}

#[test]
fn unread_assignments_are_reported() {
    for (body, expected) in [
        ("if (i) { x = 2; break; } x = 3; print(x);", &[][..]),
        ("if (i) { y = 2; break; } y = 3; print(y);", &["W0107 y"]),
        ("if (i) { y = 2; continue; } print(y); y = 3;", &[]),
        ("if (i) { x = 2; return; } x = 3;", &["W0107 x"]),
        ("for j in 0..i { if (j) { x = j; break; } x = 5; } print(x); x = 1;", &[]),
    ] {
        let head = "def main() { var x = 1; var y = 1; print(y); for i in 0..3 {";
        expect(&format!("{head} {body} }} print(x); }}"), expected);
    }
    for (body, expected) in [
        ("var a = 1; a = 2; print(a);", &[][..]),
        ("var a = 1; print(a); a = 2;", &["W0107 a"]),
        ("var a = 1; a = 2; a = 3; print(a);", &["W0107 a"]),
        ("var a = 1; a = a + 1; print(a);", &[]),
        ("var a = [1]; a[0] = 2; print(a); a[0] = 3;", &["W0107 a[0]"]),
        ("var a = [1]; a[0] = 2; a = [3]; print(a);", &["W0107 a[0]"]),
        ("var a = 1; if (a) { a = 2; } print(a);", &[]),
        ("var a = 1; if (a) { a = 2; } a = 3; print(a);", &["W0107 a"]),
        ("var a = 1; a = 2; if (a) { a = 3; } else { a = 4; } print(a);", &[]),
        ("var a = 1; var c = 1; a = 2; if (c) { a = 3; } else { a = 4; } print(a);", &["W0107 a"]),
        ("var a = 1; var c = 1; a = 2; if (c) { a = 3; } else { } print(a);", &[]),
        ("var a = 1; var c = 1; a = 2; if (c) { a = 3; print(a); return; } print(a);", &[]),
        (
            "var a = 1; var c = 1; a = 2; if (c) { print(c); return; } a = 3; print(a);",
            &["W0107 a"],
        ),
        ("var a = 1; var c = 1; a = 2; if (c) { print(a); return; } a = 3; print(a);", &[]),
        ("var a = 1; for i in 0..3 { print(a); a = i; }", &[]),
        ("var a = 1; for i in 0..3 { a = i; } print(a);", &[]),
        ("var a = 1; while (a < 3) { a = a + 1; }", &[]),
        ("var a = 1; a = 2; while (a) { a = 0; }", &[]),
        // Never read at all: one warning about the variable.
        ("var a = 1; a = 2;", &["W0101 a"]),
        ("var _a = 1; _a = 2;", &[]),
    ] {
        expect(&format!("def main() {{ {body} }}"), expected);
    }
}

#[test]
fn constant_conditions_and_empty_loops_are_reported() {
    expect(
        "def main() { var x = 1; while (1) { x = 2 * x; if (x > 9) { break; } } print(x); }",
        &[],
    );
    expect("def main() { while (1) { return; } }", &[]);
    for (body, expected) in [
        ("if (2 > 1) { print(1); }", &["W0108 2 > 1"][..]),
        ("if (!1 || 0 / 0 == 0) { print(1); }", &["W0108 !1 || 0 / 0 == 0"]),
        ("var debug = 0; if (debug) { print(1); }", &[]),
        ("while (1) { print(1); }", &["W0108 1"]),
        ("while (0) { print(1); }", &["W0109 0"]),
        ("for _i in 5..5 { print(1); }", &["W0109 5..5"]),
        ("for _i in 5..0..-2 { print(1); }", &[]),
        ("for _i in 0..5..-1 { print(1); }", &["W0109 0..5"]),
        ("var n = 0; for _i in 0..n { print(1); }", &[]),
    ] {
        expect(&format!("def main() {{ {body} }}"), expected);
    }
}

/// The text after the edits of the first diagnostic's help.
fn fixed(text: &str) -> String {
    let source = Source::new("t", text);
    let mut diagnostics = analyze(&source).1;
    let mut edits = diagnostics.remove(0).help.unwrap().edits;
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.span));
    let mut text = text.to_owned();
    for edit in edits {
        text.replace_range(edit.span.start as usize..edit.span.end as usize, &edit.replacement);
    }
    text
}

#[test]
fn edits_do_what_the_help_says() {
    for (before, after) in [
        ("def main() { var a = 1; }", "def main() { var _a = 1; }"),
        ("def main() { var a = 1; a = 2; }", "def main() { var _a = 1; _a = 2; }"),
        (
            "def main() { for i in 0..2 { print(1); } }",
            "def main() { for _i in 0..2 { print(1); } }",
        ),
        ("def main() { x = 1; print(x); }", "def main() { var x = 1; print(x); }"),
        ("def main() { (1) + 2; }", "def main() { print((1) + 2); }"),
        ("def main() { var a<1> = [2]; print(a); }", "def main() { var a = [2]; print(a); }"),
        ("def main() { print(1) }", "def main() { print(1); }"),
        ("def main() { let a = 1; print(a); }", "def main() { var a = 1; print(a); }"),
        ("def main() { var abc = 1; print(abd); }", "def main() { var abc = 1; print(abc); }"),
        ("def main() { prnit(1); }", "def main() { print(1); }"),
        ("def main() { print(0x1f); }", "def main() { print(31); }"),
        (
            "def f(int a) { print(a); } def main() { f(1); }",
            "def f(a) { print(a); } def main() { f(1); }",
        ),
        ("def main() { print(1); } // c", "def main() { print(1); } # c"),
    ] {
        assert_eq!(fixed(before), after);
        assert_eq!(warnings(after), [""; 0], "{after}");
    }
}

#[test]
fn lints_are_linear_in_the_program() {
    let chain = "1 + ".repeat(15_000) + "1";
    let calls: String =
        (0..20_000).map(|i| format!("def f{i}(a) {{ f{}(a); }}\n", i + 1)).collect();
    let variables: String = (0..20_000).map(|i| format!("var v{} = v{i};", i + 1)).collect();
    let start = std::time::Instant::now();
    let text = format!(
        "{calls}def f20000(a) {{ {chain}; var v0<9> = a; {variables} }} def main() {{ f0(1); }}"
    );
    assert_eq!(warnings(&text).len(), 20_000 + 3);
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

#[test]
fn strings_that_are_meant_as_formats_are_reported() {
    expect(r#"def main() { print("a {} b", 1); }"#, &[r#"W0111 "a {} b""#]);
    expect(r#"def main() { print("{:>8.3f}", 1); }"#, &[r#"W0111 "{:>8.3f}""#]);
    expect(r#"def main() { print(1, "%-5.2f%", 1); }"#, &[r#"W0111 "%-5.2f%""#]);
    for text in [r#"print("{}");"#, r#"print("100 %", 1);"#, r#"print("{x} {", 1, "}");"#] {
        expect(&format!("def main() {{ {text} }}"), &[]);
    }
}
