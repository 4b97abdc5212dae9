//! That no text makes the front end panic: random tokens, random bytes, and programs with typical errors.

use crate::token::Token;
use crate::{Source, analyze, dump, lexer};

/// A small deterministic generator (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// Tokens that have more than one spelling, and text between tokens.
const WORDS: [&str; 24] = [
    "main",
    "f",
    "a",
    "print",
    "transpose",
    "1",
    "2.5",
    "0",
    "1.2.3",
    "1e5",
    ".5",
    "2e-3",
    "\n",
    "if",
    "else",
    "while",
    "for",
    "in",
    "elif",
    "break",
    "and",
    "not",
    "\"s\"",
    "sum",
];

/// Starts of larger forms, and text that is not Toy.
const FRAGMENTS: [&str; 22] = [
    "--",
    "é",
    "# c\n",
    "\"s",
    "def main() {",
    "print(",
    "struct S {",
    "S",
    "S s = {",
    "s.a",
    "if (a) {",
    "} else {",
    "} else if (",
    "while (a) {",
    "for i in 0..4 {",
    "for (i = 0; i < 4; i++)",
    "a[0] =",
    "a +=",
    "a++;",
    "axis = 1",
    "[0:1]",
    "do {",
];

fn check_without_panic(text: &str) {
    let source = Source::new("t", text);
    let (module, diagnostics) = analyze(&source);
    let _ = dump::dump(&module, &source);
    let _ = lexer::dump_tokens(&source);
    for label in diagnostics.iter().flat_map(|diagnostic| &diagnostic.labels) {
        assert!(label.span.start <= label.span.end, "{text:?}");
        assert!(source.text.get(label.span.start as usize..label.span.end as usize).is_some());
    }
    let rendered = toy_diagnostics::render::render(&diagnostics, Some(&source), false);
    assert_eq!(rendered.is_empty(), diagnostics.is_empty());
}

#[test]
fn no_text_makes_the_front_end_panic() {
    let mut random = Random(0x9e3779b97f4a7c15);
    let single: Vec<&str> = Token::FIXED.iter().map(Token::spelling).chain(WORDS).collect();
    let tokens = [single.as_slice(), &FRAGMENTS].concat();
    for _ in 0..6_000 {
        let length = random.below(40);
        let soup: Vec<&str> = (0..length).map(|_| random.pick(&tokens)).collect();
        check_without_panic(&soup.join(random.pick(&[" ", "", "\n"])));
    }
    for _ in 0..4_000 {
        let bytes: Vec<u8> = (0..random.below(60)).map(|_| random.below(256) as u8).collect();
        check_without_panic(&String::from_utf8_lossy(&bytes));
    }
    // Typical errors: a valid program with a missing or an extra token.
    let good = "struct S {\n  var a;\n}\nstruct T {\n  S s;\n  var b;\n}\n\
                def f(T t, b) {\n  return t.s.a * (b - -1.5e1) / 2;\n}\ndef main() {\n  \
                var x<2, 2> = [[1, 2], [3, .4]];\n  T t = {{x}, -x};\n  \
                print(f(t, transpose(t.b)));\n  var i = 0;\n  \
                while (i < 4 && !(i == 9)) {\n    i = i + 1;\n    if (x[0, 1] >= i) { print(\"s\", i); }\n    \
                else if (i) { x[0:1] = i; } else { x[i][0]; }\n  }\n  \
                for j in i..0..-1 { print(sum(x @ x, axis = 0)); }\n}\n";
    for _ in 0..4_000 {
        let mut text = good.to_owned();
        for _ in 0..=random.below(3) {
            let at = random.below(text.len() + 1);
            if random.below(2) == 0 && at < text.len() {
                text.remove(at);
            } else {
                text.insert_str(at, random.pick(&single));
            }
        }
        check_without_panic(&text);
    }
}
