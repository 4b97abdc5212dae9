//! Errors in names and calls, and that one error hides no other.

use super::expect;

#[test]
fn recursion_is_found_whether_called_or_not() {
    for (text, expected) in [
        ("def main() { main(); }", &["E0304 1:14"][..]),
        ("def f(x) { return f(x); } def main() { }", &["E0304 1:19"]),
        ("def f() { g(); } def g() { h(); } def h() { f(); } def main() { }", &["E0304 1:45"]),
        ("def f() { f(); f(); } def main() { f(); }", &["E0304 1:11"]),
        ("def f() { return; f(); } def main() { f(); }", &[]),
        ("def f() { g(); h(); } def g() { h(); } def h() { } def main() { f(); f(); }", &[]),
    ] {
        expect(text, expected);
    }
}

#[test]
fn unknown_and_duplicate_names_are_reported() {
    for (text, expected) in [
        ("def main() { print(a); }", &["E0201 1:20"][..]),
        ("def main() { print(a + a); a; }", &["E0201 1:20"]),
        ("def main() { print(a); } def f() { print(a); }", &["E0201 1:20", "E0201 1:42"]),
        ("def main() { var a = a; print(a); }", &["E0201 1:22"]),
        ("def main() { print(b); var b = 1; }", &["E0201 1:20"]),
        ("def f(a) { return a; } def main() { print(a); }", &["E0201 1:43"]),
        ("def main() { return; x; }", &["E0201 1:22"]),
        ("def main() { x; y(z); }", &["E0201 1:14", "E0202 1:17", "E0201 1:19"]),
        ("def main() { print(foo(1)); }", &["E0202 1:20"]),
        (
            "def f(a) { return a; } def main() { print(f()); print(f(1, 2)); }",
            &["E0203 1:43", "E0203 1:55"],
        ),
        (
            "def main() { print(); print(1, 2); var a = transpose(); transpose(1, 2); }",
            &["E0203 1:14", "E0203 1:44"],
        ),
        ("def f() {} def f() {} def main() { f(1); }", &["E0204 1:16"]),
        ("def main() {} def main() {}", &["E0204 1:19"]),
        ("def f(a, a) {} def main() {}", &["E0205 1:10"]),
        ("def f(a) { var a = 1; } def main() {}", &["E0206 1:16"]),
        ("def main() { var a = 1; var a = a; }", &["E0206 1:29"]),
        (
            "def print(a) {} def transpose(a) { return a; } def main() { print(1); }",
            &["E0207 1:5", "E0207 1:21"],
        ),
        ("def main(a) { print(a); }", &[]),
        ("def main() { return 1; }", &[]),
        ("def main(a) { if (a) { return 1; } }", &["E0226 1:36"]),
        ("def main() { return; return 1; }", &[]),
        ("def main() { var a = print(1); print(a); }", &["E0210 1:22"]),
        ("def f() {} def main() { print(f()); }", &["E0210 1:31"]),
        (
            "def f() { return; } def g(a) { return a; } def main() { print(g(f()) + f()); }",
            &["E0210 1:65", "E0210 1:72"],
        ),
        ("def f() { return g(); } def g() {} def main() {}", &["E0210 1:18"]),
        ("def f() { return; return 1; } def main() { print(f()); }", &["E0210 1:50"]),
        ("def main() { print([[1, 2], [3]]); }", &["E0211 1:29"]),
        ("def main() { print([[1, 2], 3]); }", &["E0211 1:29"]),
        ("def main() { print([1, [2, 3]]); }", &["E0211 1:24"]),
        ("def main() { print([[1, 2], [3], [4]]); }", &["E0211 1:29"]),
        ("def main() { print([[[1], [2, 3]], [4], [[5], 6]]); }", &["E0211 1:27", "E0211 1:47"]),
    ] {
        expect(text, expected);
    }
}

#[test]
fn independent_errors_are_all_reported() {
    let text = "def f(a, a) {
  var x = 1 +;
  return x
}
def g( {
  print(1.2.3);
}
def main() {
  var a<0> = [1, 2;
  var b = f(1);
  prnt(b - 1);
  print([[1], [2, 3]]);
}
";
    expect(
        text,
        &[
            "E0205 1:10",
            "E0103 2:14",
            "E0103 3:11",
            "E0103 5:8",
            "E0102 6:9",
            "E0106 9:9",
            "E0103 9:19",
            "E0203 10:11",
            "E0202 11:3",
            "E0211 12:15",
        ],
    );
}
