//! Challenge: structs.
//!
//! Copy this file to `tests/structs.rs` of your crate, and say `cargo test --test structs`.
//! The tests come in the order in which you can make them pass.

use std::process::{Command, Output};

/// The compiler's answer to a program.
fn compiled(name: &str, program: &str, stage: &str) -> Output {
    let toy = std::env::var_os("CARGO_BIN_EXE_toy").expect("cargo test sets it");
    let file = std::env::temp_dir().join(format!("{name}-{}.toy", std::process::id()));
    std::fs::write(&file, program).unwrap();
    let output = Command::new(toy).arg(&file).arg(format!("-emit={stage}")).output();
    std::fs::remove_file(&file).unwrap();
    output.unwrap()
}

/// Compiles and runs a program, and compares the numbers that it prints.
fn prints(name: &str, program: &str, expected: &[f64]) {
    let output = compiled(name, program, "jit");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}\n{errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    let numbers: Vec<f64> = text.split_whitespace().map(|n| n.parse().unwrap()).collect();
    assert_eq!(numbers, expected, "{program}");
}

/// Compiles a program that has one mistake: the message points at its line, and has a word.
fn is_rejected(name: &str, program: &str, line: usize, word: &str) {
    let output = compiled(name, program, "jit");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "this compiles:\n{program}");
    assert_eq!(output.status.code(), Some(1), "the compiler has crashed:\n{program}");
    let is_there = errors.contains(&format!(":{line}:")) && errors.contains(word);
    assert!(is_there, "line {line} and `{word}` are not in\n{errors}");
}

const LINE: &str = "struct Line { var slope; var offset; }\n";

#[test]
fn s1_a_literal_and_its_fields() {
    let main = "def main() {
        Line line = {2, [1, 2, 3]};
        print(line.offset);
        print(line.slope);
    }";
    prints("literal", &format!("{LINE}{main}"), &[1., 2., 3., 2.]);
    // Fields are computed, and not only constants.
    let main = "def main() { var a = [1, 2]; Line line = {a + a, a * 3};
        print(line.slope * line.offset - a); }";
    prints("computed", &format!("{LINE}{main}"), &[5., 22.]);
    // The struct may come after its use.
    let main = "def main() { Line line = {1, 2}; print(line.slope + line.offset); }\n";
    prints("after", &format!("{main}{LINE}"), &[3.]);
}

#[test]
fn s2_a_parameter() {
    let program = format!(
        "{LINE}def at(Line line, x) {{ return line.slope * x + line.offset; }}
        def main() {{
            Line line = {{2, [1, 2, 3]}};
            print(at(line, [10, 20, 30]));
            print(at(line, 1));
        }}"
    );
    prints("parameter", &program, &[21., 42., 63., 3., 4., 5.]);
}

#[test]
fn s3_other_shapes() {
    let program = format!(
        "{LINE}def turned(Line line) {{ return transpose(line.slope) + line.offset; }}
        def main() {{
            Line wide = {{[[1, 2, 3], [4, 5, 6]], [[1, 1], [1, 1], [1, 1]]}};
            Line high = {{[[1], [2]], [[10, 20]]}};
            print(turned(wide));
            print(turned(high));
            print(turned(wide));
        }}"
    );
    let wide = [2., 5., 3., 6., 4., 7.];
    prints("shapes", &program, &[&wide[..], &[11., 22.], &wide].concat());
}

#[test]
fn s4_a_struct_in_a_struct() {
    let program = format!(
        "{LINE}struct Pair {{ Line first; Line second; }}
        def difference(Pair pair) {{ return at(pair.first) - at(pair.second); }}
        def at(Line line) {{ return line.slope * 10 + line.offset; }}
        def main() {{
            Line flat = {{0, 7}};
            Pair pair = {{{{2, [1, 2]}}, flat}};
            print(difference(pair));
            Line first = pair.first;
            print(first.offset);
            print(pair.second.offset);
        }}"
    );
    prints("nested", &program, &[14., 15., 1., 2., 7.]);
}

#[test]
fn s5_a_result() {
    let program = format!(
        "{LINE}def plus(Line a, Line b) {{
            Line both = {{a.slope + b.slope, a.offset + b.offset}};
            return both;
        }}
        def swapped(Line a) {{ Line b = {{a.offset, a.slope}}; return b; }}
        def main() {{
            Line a = {{1, [10, 20]}};
            Line b = plus(a, plus(a, a));
            Line c = swapped(swapped(b));
            Line d = swapped(c);
            print(c.slope); print(c.offset); print(d.slope);
        }}"
    );
    prints("result", &program, &[3., 30., 60., 30., 60.]);
}

#[test]
fn s6_around_a_loop() {
    let program = format!(
        "{LINE}def main() {{
            Line line = {{1, [1, 2]}};
            Line old = line;
            var n = 0;
            while (n < 5) {{
                Line next = {{line.slope * 2, line.offset + line.slope}};
                if (n == 3) {{ next = old; }}
                line = next;
                n = n + 1;
            }}
            print(line.slope); print(line.offset); print(old.offset);
        }}"
    );
    prints("loop", &program, &[2., 2., 3., 1., 2.]);
}

#[test]
fn s7_nothing_is_left() {
    let program = format!(
        "{LINE}def at(Line line, x) {{ return line.slope * x + line.offset; }}
        def main() {{ Line line = {{2, [1, 2, 3]}}; print(at(line, 4)); }}"
    );
    let output = compiled("left", &program, "linalg");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.contains("linalg."), "{text}");
    assert!(!text.contains("struct"), "a struct has come as far as linalg:\n{text}");
}

#[test]
fn s8_mistakes() {
    let main = |statement: &str| {
        let main =
            "def main() {\n  Line line = {1, 2};\n  STATEMENT\n  print(line.slope);\n}\n";
        LINE.to_owned() + &main.replace("STATEMENT", statement)
    };
    prints("none", &main(""), &[1.]);
    is_rejected("field", &main("print(line.slop);"), 4, "slop");
    is_rejected("count", &main("Line other = {1, 2, 3};"), 4, "Line");
    is_rejected("name", &main("Lime other = {1, 2};"), 4, "Lime");
    is_rejected("tensor", &main("var x = 1; print(x.slope);"), 4, "x");
    is_rejected("operand", &main("print(line + 1);"), 4, "line");
    let twice =
        format!("{LINE}struct Line {{ var other; }}\ndef main() {{ print(1); }}\n");
    is_rejected("twice", &twice, 2, "Line");
    let endless = "struct List { var head; List tail; }\ndef main() { print(1); }\n";
    is_rejected("endless", endless, 1, "List");
}
