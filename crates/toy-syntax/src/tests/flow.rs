//! Errors in programs with branches, loops, assignments, returns and recursion.

use super::{expect, in_main};

#[test]
fn variables_end_with_their_blocks() {
    for (body, expected) in [
        ("if (1) { var a = 1; } print(a);", &["E0221 2:29"][..]),
        ("if (1) { var a = 1; } else { print(a); }", &["E0221 2:36"]),
        ("if (1) { var a = 1; print(a); } else { var a = 2; print(a); } var a = 3; print(a);", &[]),
        ("var a = 1; if (a) { var a = 2; }", &["E0206 2:25"]),
        ("for i in 0..3 { var i = 2; }", &["E0206 2:21"]),
        ("for i in 0..3 { } for i in 0..i { }", &["E0221 2:31"]),
        ("while (a) { var a = 1; }", &["E0201 2:8"]),
        ("while (1) { var a = 1; print(a); } a = 2; a = 3;", &["E0221 2:36"]),
        ("if (1) { if (1) { var a = 1; } print(a); } print(a);", &["E0221 2:38"]),
        ("print(a); if (1) { var a = 1; }", &["E0201 2:7"]),
    ] {
        expect(&in_main(body), expected);
    }
}

#[test]
fn assignments_need_a_variable_of_the_type() {
    const P: &str = "struct P { var a; } struct Q { var a; } def f(x, P p) { ";
    for (body, expected) in [
        ("x = 1; x[0] = 2; p = {x}; P q = p; p = q; }", &[][..]),
        ("y = 1; }", &["E0201 1:57"]),
        ("x = y; }", &["E0201 1:61"]),
        ("x = p; }", &["E0212 1:61"]),
        ("p = x; }", &["E0212 1:61"]),
        ("p[0] = x; }", &["E0212 1:57"]),
        ("x[p] = 1; }", &["E0212 1:59"]),
        ("Q q = {x}; p = q; }", &["E0212 1:72"]),
        ("p = {x, x}; }", &["E0217 1:61"]),
        ("x = {x}; }", &["E0212 1:61"]),
        ("x = g(); }", &["E0210 1:61"]),
        ("p.y = 1; }", &["E0216 1:59"]),
        ("x.a = 1; }", &["E0212 1:57"]),
        ("p.a.a = 1; }", &["E0212 1:57"]),
        ("p.a = p; }", &["E0212 1:63"]),
        ("p.a = 1; p.a[0] = 2; }", &[]),
        ("for i in 0..2 { i = 1; } }", &["E0222 1:73"]),
    ] {
        expect(&format!("{P}{body} def g() {{ }} def main() {{ f([1], {{2}}); }}"), expected);
    }
}

#[test]
fn returns_agree() {
    for (body, expected) in [
        ("if (x) { return 1; } return 2;", &[][..]),
        ("if (x) { return 1; } else { return 2; } var y = 1;", &[]),
        ("if (x) { return; } print(x);", &["E0210 1:78"]),
        ("if (x) { return 1; }", &["E0226 1:32"]),
        ("if (x) { return 1; } else if (x) { return 2; }", &["E0226 1:58"]),
        ("if (x) { return 1; } return;", &["E0225 1:32"]),
        ("if (x) { return; } return 1;", &["E0225 1:20"]),
        ("return 1; return;", &[]),
        ("while (x) { return 1; } return 1;", &[]),
        ("for i in 0..3 { if (i) { return i; } } return 1;", &[]),
        ("while (1) { return 1; }", &["E0226 1:32"]),
        ("for i in 0..3 { if (i) { return i; } else { break; } }", &["E0226 1:32"]),
        ("for i in 0..3 { if (i) { return; } } return 1;", &["E0225 1:32"]),
        ("while (x) { break; return; } return 1;", &[]),
        ("if (x) { break; } return 1;", &["E0111 1:32"]),
        ("while (x) { x = 0; } continue; return 1;", &["E0111 1:32"]),
        // The skipped text may have been a `return`.
        ("if (x) { return 1; } return +;", &["E0103 1:33"]),
    ] {
        let text = format!("def f(x) {{ {body} }} def main() {{ print(f(1)); }}");
        let expected: Vec<String> = expected.iter().map(|place| (*place).to_owned()).collect();
        let mut actual = super::places(&text);
        let mut expected: Vec<_> = expected;
        // Only the codes and the number of errors, where the column depends on the length of the body.
        for list in [&mut actual, &mut expected] {
            list.iter_mut().for_each(|place| place.truncate(5));
            list.sort();
        }
        assert_eq!(actual, expected, "{text}");
    }
}

#[test]
fn recursion_may_end_in_a_branch() {
    for (functions, is_endless) in [
        ("def f(n) { if (n) { return f(n - 1); } return 0; }", false),
        ("def f(n) { if (n) { return f(n - 1); } else { return f(n); } }", true),
        ("def f(n) { while (n) { n = f(n); } return 0; }", false),
        ("def f(n) { while (f(n)) { } return 0; }", true),
        ("def f(n) { for i in 0..f(n) { } return 0; }", true),
        ("def f(n) { return n && f(n - 1); }", false),
        ("def f(n) { return f(n) && n; }", true),
        ("def f(n) { if (n) { return 1; } else if (f(n)) { return 2; } return 3; }", false),
        ("def f(n) { if (n) { n = 1; } return g(n); } def g(n) { return f(n); }", true),
        ("def f(n) { if (n) { return 1; } return g(n); } def g(n) { return f(n); }", false),
        ("def f(n) { return g(n); } def g(n) { if (n) { return 1; } return f(n); }", false),
        ("def f(n) { if (n) { f(n); } g(n); return 1; } def g(n) { g(n); }", true),
    ] {
        let text = format!("{functions} def main() {{ print(f(1)); }}");
        let places = super::places(&text);
        assert_eq!(places.iter().any(|place| place.starts_with("E0304")), is_endless, "{text}");
        assert!(places.len() <= 1, "{text}: {places:?}");
    }
}

#[test]
fn the_call_that_never_returns_is_the_one_that_is_always_made() {
    for (function, column) in [
        ("def f(n) { return f(n - 1); }", 19),
        // The first call is in a loop that may not run at all.
        ("def f(n) { while (n) { n = f(0); } return f(n); }", 43),
        ("def f(n) { if (n) { n = n + 1; } else { n = 2; } for i in 0..n { f(i); } f(n); }", 74),
        ("def f(n) { var a = n && f(0); return a + f(n); }", 42),
        // An argument is evaluated before the call.
        ("def f(n) { return f(f(n)); }", 21),
        ("def f(n) { return n + f(1) + f(2); }", 23),
    ] {
        let text = format!("{function} def main() {{ }}");
        let places = super::places(&text);
        assert!(places.contains(&format!("E0304 1:{column}")), "{text}: {places:?}");
    }
}

#[test]
fn results_of_recursive_functions_have_types() {
    const P: &str = "struct P { var a; var b; } ";
    for (functions, expected) in [
        // The path without the call determines the type, wherever it is.
        ("def f(n, P p) { if (n) { return f(n - 1, p); } return p; }", &[][..]),
        (
            "def f(n, P p) { if (n) { return g(n - 1, p); } return p; } def g(n, P p) { return f(n, p); }",
            &[],
        ),
        (
            "def g(n, P p) { return f(n, p); } def f(n, P p) { if (n) { return g(n - 1, p); } return p; }",
            &[],
        ),
    ] {
        expect(&format!("{P}{functions} def main() {{ print(f(1, {{1, 2}}).a); }}"), expected);
        let text = format!("{P}{functions} def main() {{ print(sum(f(1, {{1, 2}}))); }}");
        assert_eq!(super::places(&text).len(), 1, "{text}");
    }
}

#[test]
fn a_constant_is_a_variable_and_not_a_name() {
    let assigned = "if (x[0]) { var s = 0; s = s + 1; print(s); }";
    for body in [
        format!("{assigned} var s = 1; print(x[0:s]);"),
        format!("for i in 0..2 {{ var s = 2; print(x[i], x[0:s]); }} {assigned}"),
        format!("var t = 1; if (x[1]) {{ var s = t; print(x[0:s]); }} {assigned}"),
        format!("if (x[0]) {{ var s = 1; print(range(s)); }} else {{ {assigned} }}"),
    ] {
        expect(&format!("def f(x) {{ {body} }} def main() {{ f([1, 2]); }}"), &[]);
    }
    let itself = "def main() { var s = 1; if (s) { s = 2; } print([1, 2][0:s]); }";
    expect(itself, &["E0229 1:58"]);
}

#[test]
fn constants_are_checked_where_shapes_do_not_matter() {
    for (body, code) in [
        ("print(x[0:2, 1], x[n - 1]);", None),
        ("print(x[k:2]);", Some("E0229")),
        ("print(x[0:k]);", Some("E0229")),
        ("k = n; print(range(k));", Some("E0229")),
        ("print(range(n + shape(x, 0) * 2), range(floor(n / 2)));", None),
        ("print(sum(x, k));", Some("E0229")),
        ("print(max(x, k), max(x, axis = -1));", None),
        ("print(x[1:1]);", Some("E0228")),
        ("print(x[0:n - 5]);", None),
        ("print(x[n:n - 1]);", Some("E0228")),
        ("print(x[k:k + n], x[k - 1:1 + k]);", None),
        ("print(x[k:k + k]);", Some("E0229")),
        ("print(x[::n - 3]);", Some("E0228")),
        ("var y<n, shape(x, 0) - 1> = 0; print(y);", None),
        ("var y<k> = 0; print(y);", Some("E0229")),
        ("print(zeros(n, n / 2));", Some("E0228")),
        ("print(reshape(x, -1), reshape(x, -1, n - 4));", Some("E0302")),
        ("print(range(n, 0), range(n, 0, -1));", Some("E0228")),
        ("print(x[n / 4]);", Some("E0228")),
        ("print(x[0 / 0]);", Some("E0228")),
        ("for i in 0..n..n - n { print(i); }", Some("E0228")),
        ("for i in 0..n / 2 { print(i); }", Some("E0228")),
        ("for i in k..2 * k { print(i); }", None),
    ] {
        let body =
            format!("var x = [[1, 2], [3, 4]]; var n = 3; var k = x[0, 0]; {body} print(k, n);");
        let places = super::places(&in_main(&body));
        let codes: Vec<&str> = places.iter().map(|place| &place[..5]).collect();
        assert_eq!(codes, Vec::from_iter(code), "{body}");
    }
}

#[test]
fn names_of_builtins_belong_to_the_program_first() {
    for (text, expected) in [
        ("def max(a) { return a; } def main() { print(max(1)); }", &[][..]),
        ("def sum() { } def main() { sum(); print(sum()); }", &["E0210 1:41"]),
        ("def exp(a, b) { return a + b; } def main() { print(exp(1)); }", &["E0203 1:52"]),
        ("def main() { var max = 1; print(max(max, 2)); }", &[]),
        ("def transpose(a) { return a; } def main() { print(1); }", &["E0207 1:5"]),
        ("def main() { print(exp); }", &["E0201 1:20"]),
        ("def main() { var exp = 1; exp[0] = 2; print(sqrt[1]); }", &["E0201 1:45"]),
    ] {
        expect(text, expected);
    }
}

#[test]
fn deep_and_long_programs_are_checked_in_time() {
    let start = std::time::Instant::now();
    let loops: String =
        (0..10_000).map(|i| format!("for i{i} in 0..2 {{ x = x + i{i}; }}\n")).collect();
    let ifs: String = (0..10_000)
        .map(|i| format!("if (x > {i}) {{ var y = {i}; x = x + y; }} else {{ x = {i}; }}\n"))
        .collect();
    expect(&in_main(&format!("var x = 1; {loops}{ifs} print(x);")), &[]);
    let arms: String =
        (0..200).map(|i| format!("else if (x == {i}) {{ return x + {i}; }} ")).collect();
    expect(
        &format!(
            "def f(x) {{ if (x) {{ return 1; }} {arms} else {{ return 2; }} }} def main() {{ print(f(1)); }}"
        ),
        &[],
    );
    let cycle: String = (0..5_000)
        .map(|i| {
            format!("def f{i}(x) {{ if (x) {{ return f{}(x); }} return x; }}\n", (i + 1) % 5_000)
        })
        .collect();
    expect(&format!("{cycle} def main() {{ print(f0(1)); }}"), &[]);
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}
