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
        trial("interpreter/scalars_broadcast", scalars_broadcast),
        trial("interpreter/arithmetic_is_that_of_ieee_754", arithmetic_is_that_of_ieee_754),
        trial("interpreter/literals_may_be_computed", literals_may_be_computed),
        trial("interpreter/structs_are_values", structs_are_values),
        trial(
            "interpreter/everything_is_evaluated_from_left_to_right",
            everything_is_evaluated_from_left_to_right,
        ),
        trial("interpreter/invalid_programs_have_no_value", invalid_programs_have_no_value),
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
        "print([1] * [1,2]);",
        "print([1,2] - [[1,2]]);",
        "print([[1,2],[3,4]] / [1,2]);",
        "var a<2> = [1,2,3];",
        "var a = [1]; print([a]);",
        "var a = [1]; print([1, 1 + a]);",
        "S s = {[1, 2], [1]}; print(s.a + s.b);",
        "f({[1, 2], [1]});",
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
