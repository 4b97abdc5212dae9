//! Limits, and the time that large programs take.

use super::{expect, in_main, places};
use crate::{Source, parse};

/// Less than the eight megabytes of a main thread, more than the two of a test.
fn with_stack(test: fn()) {
    let thread = std::thread::Builder::new().stack_size(7 << 20).spawn(test);
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

#[test]
fn nested_blocks_and_long_bodies_are_diagnosed_or_fine() {
    with_stack(blocks);
}

fn blocks() {
    let nested = |open: &str, n: usize| in_main(&format!("{}{}", open.repeat(n), "}".repeat(n)));
    for open in ["if (1) {", "while (1) {", "for i in 0..4 {", "if (1) { } else {"] {
        assert_eq!(codes(&nested(open, 100)), [""; 0], "{open}");
        for n in [300, 10_000, 100_000] {
            assert_eq!(codes(&nested(open, n)), ["E0104"], "{open} {n}");
            assert_eq!(codes(&in_main(&open.repeat(n))), ["E0104"], "{open} {n}");
        }
    }
    // As deep as is allowed, with an expression that is as deep as is left.
    let deep = format!(
        "{}print({}1{});{}",
        "if (1) {".repeat(100),
        "(".repeat(154),
        ")".repeat(154),
        "}".repeat(100)
    );
    assert_eq!(codes(&in_main(&deep)), [""; 0]);
    assert_eq!(codes(&nested("for i in 0..4 {", 254)), [""; 0]);
    let row = |n: usize| in_main(&format!("var x = 1; print(x{});", "[0]".repeat(n)));
    assert_eq!(codes(&row(250)), [""; 0]);
    assert_eq!(codes(&row(100_000)), ["E0104"]);
    assert_eq!(codes(&in_main(&"print(1);\n".repeat(100_000))), [""; 0]);
    let looped = |body: &str| in_main(&format!("while (1) {{ {} }}", body.repeat(10_000)));
    assert_eq!(codes(&looped("print(1);\n")), [""; 0]);
    assert_eq!(codes(&looped("if (1) { print(1); }\n")), [""; 0]);
    assert_eq!(codes(&looped("for i in 0..4 { print(i); }")), [""; 0]);
    let many = codes(&looped("if 1 { print(1) }\n"));
    assert_eq!(many.len(), 20_000);
    // Words that could start something, and never do.
    for word in [
        "if (",
        "if -",
        "while (x",
        "for (",
        "for (in",
        "if (x) {} elif (",
        "if x\n",
        "for x",
        "if (x) y",
        "else",
        "if x = {",
        "for (;",
    ] {
        let _ = codes(&in_main(&format!("{word}\n").repeat(3_000)));
        let _ = codes(&in_main(&format!("{word} ").repeat(3_000)));
    }
}

fn codes(text: &str) -> Vec<&'static str> {
    let (module, diagnostics) = parse(&Source::new("t", text));
    drop(module.clone());
    diagnostics.iter().map(|diagnostic| diagnostic.code.id).collect()
}
