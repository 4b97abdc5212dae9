//! The layout, by example; and properties of every program.

mod changes;
mod properties;

use crate::format;
use toy_diagnostics::render::render_short;
use toy_diagnostics::source::Source;

/// The program formatted; panics if formatting that again changes it.
fn formatted(text: &str) -> String {
    let of = |text: &str| {
        let source = Source::new("t", text);
        format(&source).unwrap_or_else(|errors| {
            panic!("{}{text}", render_short(&errors, Some(&source)));
        })
    };
    let once = of(text);
    let twice = of(&once);
    if let Some((left, right)) = once.lines().zip(twice.lines()).find(|(left, right)| left != right)
    {
        panic!("formatting again makes\n{right}\nof\n{left}\nin\n{once}\n----\n{text}");
    }
    assert_eq!(once, twice);
    once
}

/// The statements of `main`, formatted.
fn statements(text: &str) -> String {
    let program = formatted(&format!("def main() {{\n{text}\n}}"));
    let body = program.strip_prefix("def main() {\n").and_then(|text| text.strip_suffix("}\n"));
    body.unwrap().to_owned()
}

#[test]
fn operators_have_blanks_and_brackets_none() {
    let text = "print( ( a+b )*-c [ 1,0 : 2 ] , !d&&e , end=\"\" ) ;a [ i ]=f ( {1,{2}} ) . x;";
    let expected = "  print((a + b) * -c[1, 0:2], !d && e, end = \"\");\n  a[i] = f({1, {2}}).x;\n";
    assert_eq!(statements(text), expected);
    assert_eq!(
        statements("for i in 0 .. n-1 .. 2{}var x < 2,3 >=1;P p=q;"),
        "  for i in 0..n - 1..2 {}\n  var x<2, 3> = 1;\n  P p = q;\n"
    );
}

#[test]
fn tokens_that_would_merge_stay_apart() {
    assert_eq!(statements("for i in 0. .. .5 {}"), "  for i in 0. .. .5 {}\n");
    assert_eq!(statements("(1 .x) + 1. .y + (1).z;"), "  (1 .x) + 1. .y + (1).z;\n");
}

#[test]
fn a_block_written_in_one_line_stays_there_if_it_has_one_statement() {
    let short = "def f(x) { return x; }\ndef g() {}\ndef main() { print(1); }\n";
    assert_eq!(formatted(short), short);
    let long = "def main() {\n  print(1);\n}\n";
    assert_eq!(formatted(long), long);
    assert_eq!(
        formatted("def main() { print(1); print(2); }"),
        "def main() {\n  print(1);\n  print(2);\n}\n"
    );
    assert_eq!(
        formatted("def f(x) { if (x) { return 1; } }"),
        "def f(x) {\n  if (x) { return 1; }\n}\n"
    );
    let fields = "struct P { var x; Q y; }\n";
    assert_eq!(formatted(fields), fields);
}

#[test]
fn branches_in_one_line_each_stay_there() {
    let table = "  if (a) { print(1); }\n  else if (b) { print(2); }\n  else { print(3); }\n";
    assert_eq!(statements(table), table);
    let line = "  if (a) { print(1); } else { print(2); }\n";
    assert_eq!(statements(line), line);
    assert_eq!(
        statements("if (a) { print(1); }\nelse { print(2); print(3); }"),
        "  if (a) {\n    print(1);\n  } else {\n    print(2);\n    print(3);\n  }\n"
    );
    // One branch is too long for a line.
    let long = format!("if (a) {{ print(1); }}\nelse {{ print({}); }}", "x".repeat(90));
    let x = "x".repeat(90);
    assert_eq!(
        statements(&long),
        format!("  if (a) {{\n    print(1);\n  }} else {{\n    print({x});\n  }}\n")
            .replace(&format!("    print({x});"), &format!("    print(\n      {x}\n    );"))
    );
}

#[test]
fn definitions_of_several_lines_are_apart() {
    assert_eq!(
        formatted(
            "\n\ndef f() {}\ndef g() {\n}\ndef h() {\nf();}\n# i\ndef i() {}\n\n\ndef j() {}"
        ),
        "def f() {}\ndef g() {}\n\ndef h() {\n  f();\n}\n\n# i\ndef i() {}\n\ndef j() {}\n"
    );
}

#[test]
fn at_most_one_blank_line_stays() {
    assert_eq!(
        statements("\n\na;\n\n\nb;\n# c\n\n\n# d\n\ne;\n\n"),
        "  a;\n\n  b;\n  # c\n\n  # d\n\n  e;\n"
    );
}

#[test]
fn literals_keep_their_line_breaks() {
    for text in [
        "  var a = [[1, 2],\n           [3, 4]];\n",
        "  var a = [\n    [1, 2],\n    [3, 4]\n  ];\n",
        "  print([[1, 2], [3, 4],\n         [5, 6], [7, 8]]);\n",
        "  P p = {\n    a + 1,\n    b  # the second one\n  };\n",
        "  f({1,\n     2});\n",
    ] {
        assert_eq!(statements(text), text);
    }
}

#[test]
fn long_lines_are_broken() {
    let name = |length| "x".repeat(length);
    // Exactly 100 characters, and one more.
    let fits = format!("  y = {} + {};\n", name(44), name(46));
    assert_eq!((statements(&fits).as_str(), fits.len()), (fits.as_str(), 101));
    let (a, b) = (name(44), name(47));
    assert_eq!(statements(&format!("y = {a} + {b};")), format!("  y = {a}\n    + {b};\n"));
    assert_eq!(statements(&format!("f({a}, {b} );")), format!("  f({a}, {b});\n"));
    assert_eq!(
        statements(&format!("fff({a}, {b}, 1);")),
        format!("  fff(\n    {a},\n    {b},\n    1\n  );\n")
    );
    // As many numbers as fit; rows in lines of their own.
    let numbers = vec!["12345"; 43].join(", ");
    assert_eq!(
        statements(&format!("f([{numbers}]);")).lines().map(str::len).collect::<Vec<_>>(),
        [5, 94, 94, 94, 30, 5]
    );
    let row = format!("[{}]", vec!["1"; 16].join(", "));
    assert_eq!(
        statements(&format!("x = [{row}, {row}, {row}];")),
        format!("  x = [\n    {row},\n    {row},\n    {row}\n  ];\n")
    );
}

#[test]
fn comments_stay_with_their_tokens() {
    assert_eq!(
        statements("var # why\nx # name\n= 1 # one\n+ 2\n# before\n* 3 ; # end\n  # own\n"),
        "  var  # why\n    x    # name\n    = 1  # one\n    + 2\n      # before\n      * 3;  # end\n  # own\n"
    );
    assert_eq!(
        formatted("#a  \n\n\n#b\ndef main ( # c\n) { # d\n} # e\n# f\n\n\n"),
        "#a\n\n#b\ndef main(  # c\n) {        # d\n}          # e\n# f\n"
    );
}

#[test]
fn comments_of_consecutive_lines_are_aligned() {
    let text = "  a;       # one\n  bb = 2;  # two\n  c;       # three\n\n  dddd;  # four\n";
    assert_eq!(statements(text), text);
    let far = format!("  a;  # one\n  {};  # two\n", "b".repeat(50));
    assert_eq!(statements(&far), far);
}

#[test]
fn semicolons_alone_stay() {
    assert_eq!(statements(";a;;\n;if(b){};c;"), "  ;\n  a;;\n  ;\n  if (b) {};\n  c;\n");
}

#[test]
fn line_ends_and_byte_order_marks_stay() {
    assert_eq!(formatted("def f() {\r\nx;\ny;}"), "def f() {\r\n  x;\r\n  y;\r\n}\r\n");
    assert_eq!(formatted("\u{feff}def f() {}"), "\u{feff}def f() {}\n");
    assert_eq!(formatted("# a\rdef f() {}\r"), "# a\ndef f() {}\n");
    assert_eq!(formatted(""), "");
    assert_eq!(formatted(" \n\t\n"), "");
    assert_eq!(formatted("  # only this"), "# only this\n");
}

#[test]
fn a_program_with_syntax_errors_is_not_formatted() {
    let errors = format(&Source::new("t", "def main() { print(1) }")).unwrap_err();
    assert_eq!(errors.len(), 1);
    assert!(format(&Source::new("t", "def main() { print(undefined); }")).is_ok());
}

#[test]
fn a_very_long_name_does_not_make_all_lines_long() {
    let name = "x".repeat(10_000);
    let rows = vec!["1"; 1_000].join(",\n");
    let text = statements(&format!("{name}([{rows}]);"));
    assert!(text.len() < 30_000, "{}", text.len());
}
