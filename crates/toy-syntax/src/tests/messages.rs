//! The texts of diagnostics: message, label and help.

use super::in_main;
use crate::{Source, analyze};

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
            "var a = 1; a = a = 2;",
            "expected `;`, found `=` | expected `;` | \
             an assignment is a statement of its own; to compare, write `==`",
            &["="],
        ),
        (
            "print(1 = 2);",
            "expected `,` or `)`, found `=` | expected `,` or `)` | \
             an assignment is a statement of its own; to compare, write `==`",
            &["="],
        ),
        (
            "var a = 1, b = 2;",
            "expected `;`, found `,` | expected `;` | \
             a `var` defines one variable: write another `var` for the next",
            &[","],
        ),
        (
            "var x [1];",
            "expected `=`, found `[` | expected `=` | a shape is written `var x<1> = ...;`",
            &["["],
        ),
        (
            "var var = 1;",
            "expected the name of the variable, found `var` | expected the name of the variable | \
             `var` is a keyword and cannot be a name: call it `var_`",
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
        (
            "print();",
            "`print` takes at least 1 argument, not 0 | called with no arguments | ",
            &["print()"],
        ),
        (
            "print([[1, 2], [[3]]]);",
            "the elements of a literal differ in shape | this is a list of shape 1x1 | ",
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
         statements are written in a function: `def main() { ... }`"
    );
    assert_eq!(words("def main {}").0, "expected `(`, found `{` | expected `(` | ");
    assert_eq!(words("def main()").0, "expected `{`, found the end of the file | expected `{` | ");
}
