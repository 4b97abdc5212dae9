//! Tests of the interpreter itself: results computed by hand, and upstream's documented output.

use super::{Stop, run};
use crate::tools::{Outcome, fail, trial};
use libtest_mimic::Trial;

pub fn trials() -> Vec<Trial> {
    vec![
        trial("interpreter/numbers_are_printed_as_by_printf", numbers_are_printed_as_by_printf),
        trial("interpreter/transpose_reverses_all_dimensions", transpose_reverses_all_dimensions),
        trial(
            "interpreter/operators_bind_and_group_as_documented",
            operators_bind_and_group_as_documented,
        ),
        trial("interpreter/the_result_of_main_is_printed", the_result_of_main_is_printed),
        trial("interpreter/scalars_broadcast", scalars_broadcast),
        trial("interpreter/shapes_are_stretched", shapes_are_stretched),
        trial("interpreter/arithmetic_is_that_of_ieee_754", arithmetic_is_that_of_ieee_754),
        trial("interpreter/literals_may_be_computed", literals_may_be_computed),
        trial("interpreter/structs_are_values", structs_are_values),
        trial(
            "interpreter/everything_is_evaluated_from_left_to_right",
            everything_is_evaluated_from_left_to_right,
        ),
        trial("interpreter/invalid_programs_have_no_value", invalid_programs_have_no_value),
        trial("interpreter/branches_and_loops", branches_and_loops),
        trial("interpreter/assignments_change_one_variable", assignments_change_one_variable),
        trial("interpreter/subscripts_mean_parts", subscripts_mean_parts),
        trial("interpreter/comparisons_and_logic", comparisons_and_logic),
        trial("interpreter/products_and_reductions", products_and_reductions),
        trial("interpreter/additions_have_an_order", additions_have_an_order),
        trial("interpreter/builtins_compute", builtins_compute),
        trial("interpreter/functions_may_call_themselves", functions_may_call_themselves),
        trial(
            "interpreter/several_values_are_printed_in_lines",
            several_values_are_printed_in_lines,
        ),
        trial(
            "interpreter/reductions_have_values_of_their_own",
            reductions_have_values_of_their_own,
        ),
        trial("interpreter/errors_at_run_time_keep_the_output", errors_at_run_time_keep_the_output),
        trial("interpreter/what_does_not_end_is_stopped", what_does_not_end_is_stopped),
    ]
}

fn check(program: &str, expected: &str) -> Outcome {
    match run(program) {
        Ok(actual) if actual == expected => Ok(()),
        other => fail(format!("{program}\nexpected {expected:?}\nactual {other:?}")),
    }
}

/// Prints each of the expressions and compares with the numbers, six digits after the point.
fn prints(table: &[(&str, &str)]) -> Outcome {
    table.iter().try_for_each(|(expression, expected)| {
        check(&format!("def main() {{ print({expression}); }}"), expected)
    })
}

fn numbers_are_printed_as_by_printf() -> Outcome {
    check(
        "def main() { print(1.5); print(2); print([1,2]); }",
        "1.500000 2.000000 1.000000 2.000000 ",
    )?;
    check("def main() { print([[1,2],[3,4]]); }", "1.000000 2.000000 \n3.000000 4.000000 \n")?;
    // A plane of a rank-3 tensor ends with the newline of its last row and one of its own.
    check(
        "def main() { print([[[1],[2]],[[3],[4]]]); }",
        "1.000000 \n2.000000 \n\n3.000000 \n4.000000 \n\n",
    )
}

fn the_result_of_main_is_printed() -> Outcome {
    check("def main() { print(1); return 2; }", "1.000000 2.000000 \n")?;
    check("def main() { return [[1, 2]]; }", "1.000000 2.000000 \n")?;
    check(
        "struct P { var x; var y; } struct S { P at; var v; }
         def main() { P at = {1, 2}; S s = {at, [3, 4]}; return s; }",
        "at.x =\n1.000000 \nat.y =\n2.000000 \nv =\n3.000000 4.000000 \n",
    )
}

fn transpose_reverses_all_dimensions() -> Outcome {
    check(
        "def main() { print(transpose([[1,2,3],[4,5,6]])); }",
        "1.000000 4.000000 \n2.000000 5.000000 \n3.000000 6.000000 \n",
    )?;
    check(
        "def main() { var a<2,1,3> = [0,1,2,3,4,5]; var b<6> = transpose(a); print(b); }",
        "0.000000 3.000000 1.000000 4.000000 2.000000 5.000000 ",
    )
}

fn operators_bind_and_group_as_documented() -> Outcome {
    prints(&[
        ("7 - 2 - 1", "4.000000 "),
        ("7 - (2 - 1)", "6.000000 "),
        ("12 / 2 / 3", "2.000000 "),
        ("12 / (2 / 4)", "24.000000 "),
        ("12 / 2 * 3", "18.000000 "),
        ("1 + 6 / 4 - 2 * 3", "-3.500000 "),
        ("-2 * -3", "6.000000 "),
        ("-(2 + 3) * 2", "-10.000000 "),
        ("1 - -1", "2.000000 "),
        ("- - 5 - --2", "3.000000 "),
        ("-[1, -2]", "-1.000000 2.000000 "),
        ("[1, 2] / [4, -8]", "0.250000 -0.250000 "),
        ("1.5e2 + 25E-2 + .5 + 1e+1", "160.750000 "),
    ])
}

fn shapes_are_stretched() -> Outcome {
    prints(&[
        ("[1] + [1, 2]", "2.000000 3.000000 "),
        ("[1, 2] - [[1, 2]]", "0.000000 0.000000 \n"),
        ("[[1, 2], [3, 4]] - [1, 2]", "0.000000 0.000000 \n2.000000 2.000000 \n"),
        ("[[1], [2]] * [3, 4]", "3.000000 4.000000 \n6.000000 8.000000 \n"),
        ("max([[1], [3]], [2, 4])", "2.000000 4.000000 \n3.000000 4.000000 \n"),
        ("where([[1], [0]], [1, 2], 3)", "1.000000 2.000000 \n3.000000 3.000000 \n"),
        ("sum([[1, 2], [3, 4]], axis = 1, keep = 1)", "3.000000 \n7.000000 \n"),
        ("sum([[1, 2], [3, 4]], 0, keep = 1)", "4.000000 6.000000 \n"),
        ("max([[1, 2], [3, 4]], keep = 1)", "4.000000 \n"),
        ("sum([[1, 2], [3, 4]], axis = -1, keep = 0)", "3.000000 7.000000 "),
        ("[[[1, 2]], [[3, 4]]] @ [[1], [1]]", "3.000000 \n\n7.000000 \n\n"),
        ("[[1, 2]] @ [[[1], [1]], [[2], [2]]]", "3.000000 \n\n6.000000 \n\n"),
        ("transpose([[1, 2]], 0, 1)", "1.000000 2.000000 \n"),
        ("transpose([[[1, 2], [3, 4]]], 0, 2, -2)", "1.000000 3.000000 \n2.000000 4.000000 \n\n"),
    ])
}

fn scalars_broadcast() -> Outcome {
    prints(&[
        ("2 * [1, 2]", "2.000000 4.000000 "),
        ("[1, 2] - 1", "0.000000 1.000000 "),
        ("1 - [[1, 2]]", "0.000000 -1.000000 \n"),
        ("1 / [[2], [4]]", "0.500000 \n0.250000 \n"),
        ("1 + 2 * [1, 2] / 2", "2.000000 3.000000 "),
    ])?;
    check("def main() { var a<2, 2> = 3 - 1; print(a / 4); }", &"0.500000 0.500000 \n".repeat(2))
}

fn arithmetic_is_that_of_ieee_754() -> Outcome {
    prints(&[
        ("1 / 0", "inf "),
        ("-1 / 0", "-inf "),
        ("1 / -0", "-inf "),
        ("0 * -1", "-0.000000 "),
        ("-0", "-0.000000 "),
        ("-(0)", "-0.000000 "),
        ("0 - 0", "0.000000 "),
        ("0 / 0", "nan "),
        ("1e308 * 10 - 1e308", "inf "),
        // The product is rounded before the sum, and the sums from the left to the right.
        ("(0.1 * 10 - 1) * 1e20", "0.000000 "),
        ("(0.1 + 0.2 - 0.3) * 1e17", "5.551115 "),
        ("1e16 + 1 - 1e16", "0.000000 "),
        ("3 * (1 / 3) - 1", "0.000000 "),
    ])
}

fn literals_may_be_computed() -> Outcome {
    check(
        "def f(x) { return x + 1; }
         def main() { var a = 2; print([[a, f(a)], [a * a, -a]]); print([a]); }",
        "2.000000 3.000000 \n4.000000 -2.000000 \n2.000000 ",
    )
}

fn structs_are_values() -> Outcome {
    check(
        "struct P { var a; Q q; } struct Q { var b; var c; }
         def swap(Q q) { Q r = {q.c, q.b}; return r; }
         def id(P p) { return p; }
         def sum(P p, x) { return p.a + p.q.b * x - p.q.c; }
         def main() {
           var m = [1, 2];
           P p = {m, {m * 2, 3}};
           var s = swap(p.q);
           print(s.b); print(s.c);
           print(sum(p, 10));
           print(sum({1, {2, 3}}, [1, 2]));
           P r = {[7], s};
           print(id(r).q.c); print((r.q).b); print(id(id(r)).a);
         }",
        "3.000000 2.000000 4.000000 18.000000 39.000000 0.000000 2.000000 \
         2.000000 4.000000 3.000000 7.000000 ",
    )
}

/// Operands, arguments, elements and fields are evaluated from the left to the right.
fn everything_is_evaluated_from_left_to_right() -> Outcome {
    check(
        "struct P { var a; var b; }
         def f(x) { print(x); return x; }
         def g(x, y) { return y - x; }
         def main() {
           f(1) + f(2) * f(3); g(f(4), f(5)); [f(6), f(7)];
           P p = {f(8), -f(9)};
         }",
        &(1..10).map(|n| format!("{n}.000000 ")).collect::<String>(),
    )
}

fn invalid_programs_have_no_value() -> Outcome {
    for body in [
        "print([1,2] + [1,2,3]);",
        "print([1,2,3] * [[1,2]]);",
        "print([[1,2],[3,4]] / [1,2,3]);",
        "print(transpose([[1,2]], 0));",
        "print(transpose([[1,2]], 0, 0));",
        "var a<2> = [1,2,3];",
        "var a = [1]; print([1, 1 + a]);",
        "S s = {[1, 2], [1, 2, 3]}; print(s.a + s.b);",
        "f({[1, 2], [1, 2, 3]});",
    ] {
        let program = format!(
            "struct S {{ var a; var b; }} def f(S s) {{ s.a * s.b; }} def main() {{ {body} }}"
        );
        match run(&program) {
            Err(Stop::Shapes(_)) => {}
            other => return fail(format!("{program}: {other:?}")),
        }
    }
    for (program, code) in [
        ("def f(x) { return f(x); } def main() { f(1); }", "E0304"),
        ("struct S { var a; } def main() { S s = 1; }", "E0212"),
        ("struct S { var a; } def main() { print({1}); }", "E0212"),
        ("def main() { print([[1], 2]); }", "E0211"),
    ] {
        match run(program) {
            Err(Stop::Wrong(actual, _)) if actual == code => {}
            other => return fail(format!("{program}: {other:?}")),
        }
    }
    match run("def main() { var a<100000, 100000> = 1; }") {
        Err(Stop::TooMuch) => Ok(()),
        other => fail(format!("{other:?}")),
    }
}

/// Checks a body of `main`.
fn body(text: &str, expected: &str) -> Outcome {
    check(&format!("def main() {{\n{text}\n}}"), expected)
}

fn branches_and_loops() -> Outcome {
    for (x, expected) in [("5", "1"), ("0", "2"), ("-3", "3"), ("0 / 0", "3")] {
        let text = format!(
            "var x = {x}; if (x > 0) {{ print(1); }} else if (x == 0) {{ print(2); }} else {{ print(3); }}"
        );
        body(&text, &format!("{expected}.000000 "))?;
    }
    // NaN is not 0.
    body("if (0 / 0) { print(1); }", "1.000000 ")?;
    for (range, expected) in [
        ("0..3", "0 1 2"),
        ("3..0", ""),
        ("2..2", ""),
        ("0..7..3", "0 3 6"),
        ("0..6..3", "0 3"),
        ("5..0..-2", "5 3 1"),
        ("-2..1", "-2 -1 0"),
        ("0..3..-1", ""),
    ] {
        let numbers = expected.split_whitespace().map(|number| format!("{number}.000000 "));
        body(&format!("for i in {range} {{ print(i); }}"), &numbers.collect::<String>())?;
    }
    // The bounds are computed once.
    body("var n = 2; for i in 0..n { n = n + 1; } print(n);", "4.000000 ")?;
    body(
        "var n = 1; var k = 0; while (n < 100) { n = 2 * n; k = k + 1; } print(k); print(n);",
        "7.000000 128.000000 ",
    )?;
    body(
        "while (0) { print(1); } for i in 0..2 { var t = i; if (t) { var u = t; print(u); } }",
        "1.000000 ",
    )
}

fn assignments_change_one_variable() -> Outcome {
    body(
        "var a = [1, 2]; var b = a; a[0] = 9; print(a); print(b);",
        "9.000000 2.000000 1.000000 2.000000 ",
    )?;
    check(
        "struct P { var a; var b; }
         def f(x, P p) { x[0] = 7; p = {p.b, p.a}; return x + p.a; }
         def main() {
           var x = [1, 2]; P p = {1, 2}; P q = p;
           print(f(x, p)); print(x); print(p.a);
           for i in 0..3 { q = {q.a + 1, q.b * 2}; }
           print(q.a); print(q.b); p = q; q = {0, 0}; print(p.b);
         }",
        "9.000000 4.000000 1.000000 2.000000 1.000000 4.000000 16.000000 16.000000 ",
    )
}

fn subscripts_mean_parts() -> Outcome {
    for (part, expected) in [
        ("m[1, 2]", "6 "),
        ("m[1]", "4 5 6 "),
        ("m[0:2, 1]", "2 5 "),
        ("m[1, 0:2]", "4 5 "),
        ("m[0:1]", "1 2 3 \n"),
        ("m[1][2]", "6 "),
        ("(m + m)[0, shape(m, 1) - 1]", "6 "),
        ("transpose(m)[2]", "3 6 "),
    ] {
        let expected = expected.replace(' ', ".000000 ");
        body(&format!("var m = [[1, 2, 3], [4, 5, 6]]; print({part});"), &expected)?;
    }
    for (update, expected) in [
        ("m[0, 1] = 9", "1 9 3 \n4 5 6 \n"),
        ("m[1] = 0", "1 2 3 \n0 0 0 \n"),
        ("m[1] = m[0]", "1 2 3 \n1 2 3 \n"),
        ("m[0:2, 0] = [7, 8]", "7 2 3 \n8 5 6 \n"),
        ("m[0, 0:2] = m[1, 1:3]", "5 6 3 \n4 5 6 \n"),
        ("m[0:2] = m[1]", "4 5 6 \n4 5 6 \n"),
        ("m[0:2] = [[8], [9]]", "8 8 8 \n9 9 9 \n"),
        ("m[0, 0] = [[7]]", "7 2 3 \n4 5 6 \n"),
    ] {
        let expected = expected.replace(' ', ".000000 ");
        body(&format!("var m = [[1, 2, 3], [4, 5, 6]]; {update}; print(m);"), &expected)?;
    }
    for wrong in ["m[0, 0] = [1, 2]", "m[0] = [1, 2]", "m[0, 0, 0] = 1", "m[0:3] = 1", "m = 1"] {
        match run(&format!("def main() {{ var m = [[1, 2, 3], [4, 5, 6]]; {wrong}; print(m); }}")) {
            Err(Stop::Shapes(_)) => {}
            other => return fail(format!("{wrong}: {other:?}")),
        }
    }
    Ok(())
}

fn comparisons_and_logic() -> Outcome {
    prints(&[
        ("[1, 2, 3] < 2", "1.000000 0.000000 0.000000 "),
        ("2 >= [1, 2, 3]", "1.000000 1.000000 0.000000 "),
        ("[1, 2] == [1, 3]", "1.000000 0.000000 "),
        ("0 / 0 != 0 / 0", "1.000000 "),
        ("0 / 0 == 0 / 0", "0.000000 "),
        ("0 / 0 <= 1", "0.000000 "),
        ("0 == -0", "1.000000 "),
        ("1 && 2", "1.000000 "),
        ("0 || 3 && 0", "0.000000 "),
        ("!0 + !5", "1.000000 "),
        ("!(0 / 0)", "0.000000 "),
        ("-!0", "-1.000000 "),
        ("1 + 1 < 2 * 2 && 3 > 2", "1.000000 "),
    ])?;
    check(
        "def t(x) { print(x); return x; }
         def main() { if (t(0) && t(1) || t(2)) { } if (t(3) || t(4)) { } if (t(5) && t(6) && t(0)) { } }",
        "0.000000 2.000000 3.000000 5.000000 6.000000 0.000000 ",
    )
}

fn products_and_reductions() -> Outcome {
    let m = "[[1, 2, 3], [4, 5, 6]]";
    for (expression, expected) in [
        ("M @ transpose(M)", "14 32 \n32 77 \n"),
        ("M @ [1, 0, 2]", "7 16 "),
        ("[1, 2] @ M", "9 12 15 "),
        ("[1, 2, 3] @ [4, 5, 6]", "32 "),
        ("[[[1, 2]], [[3, 4]]] @ [[[1], [2]], [[3], [4]]]", "5 \n\n25 \n\n"),
        ("sum(M)", "21 "),
        ("sum(M, 0)", "5 7 9 "),
        ("sum(M, axis = 1)", "6 15 "),
        ("sum(M, -2)", "5 7 9 "),
        ("max(M, axis = 0)", "4 5 6 "),
        ("min(M)", "1 "),
        ("max(M)", "6 "),
        ("min(M, axis = -1)", "1 4 "),
        ("sum(5)", "5 "),
    ] {
        let expected = expected.replace(' ', ".000000 ");
        prints(&[(&expression.replace('M', m), &expected)])?;
    }
    for wrong in [
        "[1, 2] @ [1, 2, 3]",
        "[[1, 2]] @ [[1, 2]]",
        "1 @ [1]",
        "[[[1]], [[2]]] @ [[[1]], [[1]], [[1]]]",
        "[[[1]]] @ [1]",
        "sum([1], 1)",
        "sum(1, 0)",
    ] {
        match run(&format!("def main() {{ print({wrong}); }}")) {
            Err(Stop::Shapes(_)) => {}
            other => return fail(format!("{wrong}: {other:?}")),
        }
    }
    Ok(())
}

/// Numbers for which each order of the additions has another result.
fn additions_have_an_order() -> Outcome {
    // The partial sums are 1e16 + 1, which is 1e16, and 1, 1, 1, ...
    let numbers = "[1e16, 1, 1, 1, 1, 1, 1, 1, 1]";
    let ones = "[1, 1, 1, 1, 1, 1, 1, 1, 1]";
    prints(&[
        // ((1e16 + 1) + 1) ...: each 1 is lost.
        (&format!("sum({numbers}) - 1e16"), "0.000000 "),
        (&format!("sum([{numbers}]) - 1e16"), "0.000000 "),
        (&format!("{numbers} @ {ones} - 1e16"), "0.000000 "),
        // Element 8 is added to the partial sum of element 0.
        ("sum([1e16, 0, 0, 0, 0, 0, 0, 0, -1e16, 1])", "1.000000 "),
        ("sum([1e16, 0, 0, 0, 0, 0, 0, -1e16, 1])", "0.000000 "),
        (
            "[[1e16, 0, 0, 0, 0, 0, 0, -1e16, 1]] @ [[1], [1], [1], [1], [1], [1], [1], [1], [1]]",
            "1.000000 \n",
        ),
        ("[[1e16, 0, 0, 0, 0, 0, 0, -1e16, 1]] @ [1, 1, 1, 1, 1, 1, 1, 1, 1]", "0.000000 "),
        (
            "[1, 1, 1, 1, 1, 1, 1, 1, 1] @ [[1e16], [0], [0], [0], [0], [0], [0], [-1e16], [1]]",
            "0.000000 ",
        ),
        ("sum([[1e16], [0], [0], [0], [0], [0], [0], [-1e16], [1]], axis = 0)", "1.000000 "),
        ("sum([[1e16], [0], [0], [0], [0], [0], [0], [-1e16], [1]])", "0.000000 "),
        ("sum([-0, -0])", "0.000000 "),
    ])
}

fn builtins_compute() -> Outcome {
    prints(&[
        ("exp(1)", "2.718282 "),
        ("log([1, 0, -1])", "0.000000 -inf nan "),
        ("sqrt(2)", "1.414214 "),
        ("sin(1) * sin(1) + cos(1) * cos(1)", "1.000000 "),
        ("tanh(100)", "1.000000 "),
        ("abs([-1.5, -0])", "1.500000 0.000000 "),
        ("floor([1.5, -1.5, -0.5])", "1.000000 -2.000000 -1.000000 "),
        ("pow([2, 3], 2)", "4.000000 9.000000 "),
        ("pow(2, [1, 2])", "2.000000 4.000000 "),
        ("max([1, 5], 3)", "3.000000 5.000000 "),
        ("min([1, 5], [0, 7])", "0.000000 5.000000 "),
        ("max(1, 0 / 0)", "nan "),
        ("min([0 / 0, 1])", "nan "),
        ("1 / max(-0, 0)", "inf "),
        ("1 / min(0, -0)", "-inf "),
        ("where([1, 0, 0 / 0], [10, 20, 30], -1)", "10.000000 -1.000000 30.000000 "),
        ("where(1, [1, 2], 5)", "1.000000 2.000000 "),
        ("range(3)", "0.000000 1.000000 2.000000 "),
        ("shape([[1, 2, 3]], 1)", "3.000000 "),
        ("shape([[1, 2, 3]], -2)", "1.000000 "),
        ("range(floor(shape([1, 2, 3], 0) / 2) + 1)", "0.000000 1.000000 "),
    ])?;
    check("def max(x) { return x + 1; } def main() { print(max(1)); }", "2.000000 ")
}

fn functions_may_call_themselves() -> Outcome {
    check(
        "def fib(n) { if (n < 2) { return n; } return fib(n - 1) + fib(n - 2); }
         def even(n) { if (n == 0) { return 1; } else { return odd(n - 1); } }
         def odd(n) { if (n == 0) { return 0; } return even(n - 1); }
         def show(n) { if (n == 0) { return; } print(n); show(n - 1); }
         def main() { print(fib(10)); print(even(7)); show(3); }",
        "55.000000 0.000000 3.000000 2.000000 1.000000 ",
    )
}

fn reductions_have_values_of_their_own() -> Outcome {
    let x = "[[3, -1, 4], [1, -5, 9]]";
    for (call, expected) in [
        ("mean(x)", "1.833333 "),
        ("prod(x, axis = 0)", "3.000000 5.000000 36.000000 "),
        ("any(x > 8, axis = 1)", "0.000000 1.000000 "),
        ("all(x > -5)", "0.000000 "),
        ("argmax(x)", "5.000000 "),
        ("argmin(x, 1)", "1.000000 1.000000 "),
        ("argmax([1, 0 / 0, 2, 0 / 0])", "1.000000 "),
        ("cumsum(x)", "3.000000 2.000000 6.000000 7.000000 2.000000 11.000000 "),
        ("cumsum(x, 0)[1]", "4.000000 -6.000000 13.000000 "),
        ("sort([2, 0 / 0, 0, -0, 1])", "0.000000 -0.000000 1.000000 2.000000 nan "),
        ("sort(x, axis = 0)[0]", "1.000000 -5.000000 4.000000 "),
        ("[7, -7, 7, 6] % [3, 3, -3, -3]", "1.000000 2.000000 -2.000000 -0.000000 "),
        (
            "[round(2.5), trunc(-2.5), sign(-2.5), sign(-0)]",
            "2.000000 -2.000000 -1.000000 0.000000 ",
        ),
    ] {
        body(&format!("var x = {x}; print({call});"), expected)?;
    }
    Ok(())
}

fn several_values_are_printed_in_lines() -> Outcome {
    body(r#"print("a", 1, "b");"#, "a 1.000000 b\n")?;
    body(r#"print(1, 2); print(3);"#, "1.000000 2.000000\n3.000000 ")?;
    body(r#"print("v", [1, 2]); print("");"#, "v 1.000000 2.000000 \n\n")?;
    body(r#"print([1, 2], "w"); print([[1]], 2);"#, "1.000000 2.000000 w\n1.000000 \n2.000000\n")?;
    body("print([[1, 22], [3, 4]], 0.5, digits = 0);", " 1 22 \n 3  4 \n0\n")?;
    body("print(1.25, [2, 3], width = 5, digits = 1);", "  1.2   2.0   3.0 \n")?;
    body(r#"print("tab\t\"q\" \\");"#, "tab\t\"q\" \\\n")?;
    check(
        "def f(x) { print(x); return x; } def main() { print(\"a\", f(1), f(2)); }",
        "1.000000 2.000000 a 1.000000 2.000000\n",
    )
}

fn errors_at_run_time_keep_the_output() -> Outcome {
    for (text, line, message) in [
        (
            "var i = 4; var x = [1, 2, 3, 4];\nprint(x[i]);",
            3,
            "index 4 is out of range: the dimension has 4 elements",
        ),
        (
            "var i = 0; var x = [1];\ni = i - 1;\nx[i] = 2; print(x);",
            4,
            "index -1 is out of range: the dimension has 1 element; a computed index does not count from the end",
        ),
        ("var i = 0; var x = [1, 2];\ni = 1.5; print(x[i]);", 3, "index 1.5 is not a whole number"),
        ("var n = 0; n = n / n; for i in 0..n { print(i); }", 2, "bound nan is not a whole number"),
        ("var s = 1; s = s - 1; for i in 0..3..s { print(i); }", 2, "the step of the range is 0"),
    ] {
        let message = message.to_owned();
        let stop = Stop::Failed { line, message, output: "7.000000 ".to_owned() };
        match run(&format!("def main() {{ print(7);\n{text} }}")) {
            Err(actual) if actual == stop => {}
            other => return fail(format!("{text}: {other:?}")),
        }
    }
    Ok(())
}

fn what_does_not_end_is_stopped() -> Outcome {
    for program in [
        "def main() { var x = 1; while (x) { x = x + 1; } }",
        "def f(n) { if (n < 0) { return 0; } return f(n + 1); } def main() { print(f(1)); }",
    ] {
        match run(program) {
            Err(Stop::TooMuch) => {}
            other => return fail(format!("{program}: {other:?}")),
        }
    }
    Ok(())
}
