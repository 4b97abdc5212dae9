//! Tokens of texts, and errors in them.

use super::*;

fn kinds(text: &str) -> Vec<String> {
    lex(&Source::new("t", text)).0.iter().map(|(token, _)| token.kind()).collect()
}

/// `id@start-end message` of every diagnostic.
fn errors(text: &str) -> Vec<String> {
    let (_, diagnostics) = lex(&Source::new("t", text));
    let show = |d: &Diagnostic| {
        let span = d.labels[0].span;
        format!("{}@{}-{} {}", d.code.id, span.start, span.end, d.message)
    };
    diagnostics.iter().map(show).collect()
}

#[test]
fn every_token_is_recognized() {
    assert_eq!(
        kinds(
            "def var return struct if else while for in break continue define _x 1 2.5 3. .5 1e5 2.E-3 (){}[]<>,;=+-*/ . .. : <= >= == != && || ! @ \"a\\\"b\""
        ),
        [
            "Def",
            "Var",
            "Return",
            "Struct",
            "If",
            "Else",
            "While",
            "For",
            "In",
            "Break",
            "Continue",
            "Identifier",
            "Identifier",
            "Number",
            "Number",
            "Number",
            "Number",
            "Number",
            "Number",
            "OpenParen",
            "CloseParen",
            "OpenBrace",
            "CloseBrace",
            "OpenBracket",
            "CloseBracket",
            "Less",
            "Greater",
            "Comma",
            "Semicolon",
            "Equals",
            "Plus",
            "Minus",
            "Star",
            "Slash",
            "Dot",
            "DotDot",
            "Colon",
            "LessEqual",
            "GreaterEqual",
            "EqualEqual",
            "NotEqual",
            "AndAnd",
            "OrOr",
            "Not",
            "At",
            "String",
        ]
    );
    assert_eq!(kinds("a # b ; \n c # d \r e # f"), ["Identifier"; 3]);
    assert_eq!(kinds("\u{feff}def\r\n\tvar"), ["Def", "Var"]);
    assert!(errors("\u{feff}def").is_empty());
    assert!(kinds("").is_empty() && kinds("# only\n\n").is_empty());
}

#[test]
fn each_invalid_token_is_one_error() {
    let table: &[(&str, &[&str])] = &[
        ("1.2.3.4", &["E0102@0-7 `1.2.3.4` is not a number"]),
        ("1..2 ..5 a..b 1.5...5 0..-1", &["E0101@17-20 unknown token `...`"]),
        ("1.2.3..4", &["E0102@0-5 `1.2.3` is not a number"]),
        ("1e5.0", &["E0102@0-5 `1e5.0` is not a number"]),
        ("1e 1e+", &["E0102@0-2 `1e` is not a number", "E0102@3-5 `1e` is not a number"]),
        ("0x1F", &["E0102@0-4 `0x1F` is not a number"]),
        ("12_", &["E0102@0-3 `12_` is not a number"]),
        ("1+5 -1 1-1 a-b 1e-3-1 .5e-3 a.b a/b 7/2", &[]),
        ("\"hello (1);\nb", &["E0107@0-9 a string that does not end"]),
        ("\"a\\\"\nb", &["E0107@0-4 a string that does not end"]),
        ("\"a\\qb\" \"c\"", &["E0107@2-4 unknown escape `\\q` in a string"]),
        (
            "'a' 'b",
            &[
                "E0101@0-3 a string is written in double quotes",
                "E0101@4-6 unknown characters `'b`",
            ],
        ),
        ("a => b =< c", &["E0101@2-4 unknown operator `=>`", "E0101@7-9 unknown operator `=<`"]),
        ("a // b c\nd", &["E0101@2-8 this is not how Toy writes comments"]),
        ("$$ \\", &["E0101@0-2 unknown characters `$$`", "E0101@3-4 unknown character `\\`"]),
        ("café1", &["E0101@3-5 unknown character `é`"]),
        ("a\0\u{1b}[m", &["E0101@1-3 unknown characters `\\0\\u{1b}`"]),
        ("a \u{feff}", &["E0101@2-5 unknown character `\\u{feff}`"]),
    ];
    for (text, expected) in table {
        assert_eq!(errors(text), *expected, "{text:?}");
    }
}

#[test]
fn invalid_numbers_have_help_and_a_limit() {
    let help = |text: &str| {
        lex(&Source::new("t", text)).1[0].help.clone().map_or(String::new(), |help| help.message)
    };
    assert_eq!(help("0x10"), "write `16`");
    assert_eq!(help("12ab"), "a name starts with a letter; a number ends before `ab`");
    assert_eq!(errors("1e308 1e-400"), [""; 0]);
    assert_eq!(errors("1e309"), ["E0102@0-5 this number is too large"]);
    assert_eq!(errors(&"9".repeat(308)), [""; 0]);
    assert_eq!(errors(&"9".repeat(400)), ["E0102@0-400 this number is too large"]);
    assert_eq!(errors(&format!("0.{}", "9".repeat(400))), [""; 0]);
}

#[test]
fn an_invalid_token_remains_one_token() {
    assert_eq!(kinds("1 $$ 2"), ["Number", "Invalid", "Number"]);
    assert_eq!(kinds("1.2.3 \"x"), ["Invalid", "Invalid"]);
    assert_eq!(kinds("1 // 2\n3"), ["Number", "Number"], "a comment is not a token");
}

#[test]
fn points_are_told_apart() {
    assert_eq!(kinds("0..4"), ["Number", "DotDot", "Number"]);
    assert_eq!(kinds("0...4"), ["Number", "Invalid", "Number"]);
    assert_eq!(kinds("0. ..4."), ["Number", "DotDot", "Number"]);
    assert_eq!(kinds(".5.. .5"), ["Number", "DotDot", "Number"]);
    assert_eq!(
        kinds("n..m a.b"),
        ["Identifier", "DotDot", "Identifier", "Identifier", "Dot", "Identifier"]
    );
    assert_eq!(kinds("1e5..2e-3..x"), ["Number", "DotDot", "Number", "DotDot", "Identifier"]);
}

#[test]
fn the_end_of_a_shape_is_no_comparison() {
    for text in ["var a<2,3>=1", "var a<>=1", "P a<2>=1", "var a<b>=1", "var a<f(b, c[0])>=1"] {
        let found = kinds(text);
        assert_eq!(found[found.len() - 3..], ["Greater", "Equals", "Number"], "{text}");
    }
    for text in ["var a<f(b>=1", "a<2>=1", "print(a<2>=1", "a>=1", "return a<2>=1"] {
        assert!(kinds(text).iter().any(|kind| kind == "GreaterEqual"), "{text}");
    }
}

#[test]
fn large_and_unusual_texts_are_lexed() {
    assert_eq!(kinds(&format!("#{}", "é".repeat(100_000))), [""; 0]);
    assert_eq!(kinds(&"# comment\n".repeat(1_000_000)), [""; 0]);
    assert_eq!(kinds(&"1".repeat(10_000_000)), ["Invalid"], "infinite");
    assert_eq!(kinds(&"a".repeat(10_000_000)), ["Identifier"]);
    assert_eq!(kinds(&"€".repeat(100_000)), ["Invalid"]);
    assert_eq!(kinds(&format!("\"{}", "é".repeat(100_000))), ["Invalid"]);
}

#[test]
fn the_token_dump_is_aligned() {
    let (text, diagnostics) = dump_tokens(&Source::new("t", "def f\n  \u{1b};\n"));
    assert_eq!(
        text,
        "1:1  Def         def\n\
         1:5  Identifier  f\n\
         2:3  Invalid     \\u{1b}\n\
         2:4  Semicolon   ;\n"
    );
    assert_eq!(diagnostics.len(), 1);
}
