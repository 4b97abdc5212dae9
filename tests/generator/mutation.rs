//! Invalid programs: well-typed ones with one to three random changes; some are still well-typed.
//!
//! Input: a seed. Output: the bytes of a program, sometimes not UTF-8. Invariant: the same seed
//! gives the same bytes. Changes are of tokens, as people make them, and of characters, as editors
//! and disks make them.

use super::{Random, SHORT, SHORT_CONTROL_FLOW, Style, program};
use std::ops::Range;
use toy_compiler::source::Source;
use toy_compiler::syntax::lexer::lex;
use toy_compiler::syntax::token::Token;

const PUNCTUATION: [&str; 41] = [
    "(", ")", "{", "}", "[", "]", "<", ">", ",", ";", "=", "+", "-", "*", "/", "%", ".", "--",
    "()", "{}", "[]", ";;", "<>", "..", ":", "!", "&&", "||", "==", "<=", "@", "[0]", "\"\"", "+=",
    "++", "===", "=>", "...", ">=", "[0:1]", "} else {",
];
const OPERATORS: [&str; 11] = ["+", "-", "*", "/", "%", "@", "<", ">=", "==", "&&", "||"];
/// The first ones are dimensions, too.
const NUMBERS: [&str; 16] = [
    "0",
    "1",
    "2",
    "3",
    "4",
    "6",
    "-1",
    "1.5",
    ".5",
    "1e2",
    "1e999",
    "007",
    "1.2.3",
    "0x1F",
    "1e",
    "9223372036854775808",
];
const SMALL_NUMBERS: usize = 6;
const WORDS: [&str; 21] = [
    "def",
    "var",
    "return",
    "struct",
    "main",
    "print",
    "transpose",
    "a",
    "P",
    "unknown",
    "if",
    "else",
    "while",
    "for",
    "in",
    "sum",
    "max",
    "axis",
    "elif",
    "and",
    "break",
];
const ODD: [&str; 18] = [
    "é",
    "\"\\q\"",
    "'a'",
    "\0",
    "\u{202e}",
    "😀",
    "\u{feff}",
    "\"",
    "'",
    "#",
    "//",
    "/*",
    "\r",
    "\t",
    "\u{a0}",
    "@",
    "\u{1b}[31m",
    "−",
];

/// A program of straight lines.
pub fn broken(seed: u64) -> Vec<u8> {
    broken_of(seed, SHORT)
}

/// A program with branches and loops.
pub fn broken_control_flow(seed: u64) -> Vec<u8> {
    broken_of(seed, SHORT_CONTROL_FLOW)
}

fn broken_of(seed: u64, style: Style) -> Vec<u8> {
    let mut random = Random::new(!seed);
    let mut text = program(seed, style);
    // Text that reads well is wrong in more interesting ways, or not at all.
    let reads_well = random.chance(50);
    for _ in 0..1 + random.below(3) {
        text = changed(&mut random, &text, reads_well);
    }
    let mut bytes = text.into_bytes();
    if !reads_well && random.chance(3) {
        bytes.insert(random.below(bytes.len() + 1), 128 + random.below(128) as u8);
    }
    bytes
}

fn changed(random: &mut Random, text: &str, reads_well: bool) -> String {
    let source = Source::new("program", text);
    let tokens = lex(&source).0;
    let mut all = Tokens::default();
    for (token, span) in tokens {
        let place = span.start as usize..span.end as usize;
        all.all.push(place.clone());
        match token {
            Token::Identifier(_) => all.words.push(place),
            Token::Number(_) => all.numbers.push(place),
            Token::Plus | Token::Minus | Token::Star | Token::Slash | Token::Percent => {
                all.operators.push(place)
            }
            _ => {}
        }
    }
    let changed = if reads_well {
        all.meaning_changed(random, text)
    } else if random.chance(85) {
        all.form_changed(random, text)
    } else {
        Some(characters_changed(random, text))
    };
    changed.unwrap_or_else(|| text.to_owned())
}

/// The places of the tokens.
#[derive(Default)]
struct Tokens {
    all: Vec<Range<usize>>,
    words: Vec<Range<usize>>,
    numbers: Vec<Range<usize>>,
    operators: Vec<Range<usize>>,
}

fn some(random: &mut Random, places: &[Range<usize>]) -> Option<Range<usize>> {
    places.get(random.below(places.len())).cloned()
}

/// Two places not far from each other.
fn neighbors(random: &mut Random, places: &[Range<usize>]) -> Option<[Range<usize>; 2]> {
    let one = random.below(places.len());
    let other = (one + 1 + random.below(6)) % places.len().max(1);
    Some([places.get(one)?.clone(), places.get(other)?.clone()])
}

impl Tokens {
    /// Tokens for others of their kind: the program still parses, mostly.
    fn meaning_changed(&self, random: &mut Random, text: &str) -> Option<String> {
        Some(match random.below(12) {
            0..=2 => {
                let [old, new] = neighbors(random, &self.words)?;
                replaced(text, old, &text[new])
            }
            3 => {
                let [one, other] = neighbors(random, &self.words)?;
                swapped(text, one, other)
            }
            4 => {
                let [one, other] = neighbors(random, &self.numbers)?;
                swapped(text, one, other)
            }
            5 | 6 => {
                let number = some(random, &self.numbers)?;
                replaced(text, number, random.pick(&NUMBERS[..SMALL_NUMBERS]))
            }
            7 => {
                let operator = some(random, &self.operators)?;
                replaced(text, operator, random.pick(&OPERATORS))
            }
            // Parentheses without the name are not a call.
            8 => {
                let calls = self.words.iter().filter(|word| &text[(*word).clone()] == "transpose");
                let calls: Vec<_> = calls.cloned().collect();
                replaced(text, some(random, &calls)?, "")
            }
            9 => {
                let word = some(random, &self.words)?;
                replaced(text, word.clone(), &format!("transpose({})", &text[word]))
            }
            // An element, an argument or a dimension.
            10 => {
                let number = some(random, &self.numbers)?;
                let is_first = text[number.end..].starts_with(", ");
                replaced(text, number.start..number.end + if is_first { 2 } else { 0 }, "")
            }
            _ => lines_changed(random, text),
        })
    }

    /// Any tokens.
    fn form_changed(&self, random: &mut Random, text: &str) -> Option<String> {
        let token = some(random, &self.all)?;
        Some(match random.below(11) {
            0 | 1 => replaced(text, token, ""),
            2 => replaced(text, token.end..token.end, &format!(" {}", &text[token.clone()])),
            3 => swapped(text, token, some(random, &self.all)?),
            4 => {
                let [one, other] = neighbors(random, &self.all)?;
                swapped(text, one, other)
            }
            5 => replaced(text, token, &text[some(random, &self.all)?]),
            6 | 7 => replaced(text, token.start..token.start, random.pick(&PUNCTUATION)),
            8 => replaced(text, some(random, &self.words)?, random.pick(&WORDS)),
            9 => replaced(text, some(random, &self.numbers)?, random.pick(&NUMBERS)),
            _ => replaced(text, token.end..token.end, random.pick(&["x", "_", "1"])),
        })
    }
}

/// Swaps two lines or removes one.
fn lines_changed(random: &mut Random, text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let (one, other) = (random.below(lines.len()), random.below(lines.len()));
    if random.chance(50) {
        lines.swap(one, other);
    } else {
        lines.remove(one);
    }
    lines.join("\n")
}

fn characters_changed(random: &mut Random, text: &str) -> String {
    let at = boundary(text, random.below(text.len() + 1));
    match random.below(5) {
        0 | 1 => replaced(text, at..at, random.pick(&ODD)),
        2 => text[..at].to_owned(),
        _ => {
            let length = text[at..].chars().next().map_or(0, char::len_utf8);
            replaced(text, at..at + length, "")
        }
    }
}

fn replaced(text: &str, place: Range<usize>, new: &str) -> String {
    format!("{}{new}{}", &text[..place.start], &text[place.end..])
}

fn swapped(text: &str, a: Range<usize>, b: Range<usize>) -> String {
    let (first, second) = if a.start <= b.start { (a, b) } else { (b, a) };
    if first == second {
        return text.to_owned();
    }
    let after = replaced(text, second.clone(), &text[first.clone()]);
    replaced(&after, first, &text[second])
}

/// The start of the character that is here.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
