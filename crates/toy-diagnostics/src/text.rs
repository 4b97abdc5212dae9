//! Helpers for text in messages: clipping, plurals, lists, lines, system errors, and characters that are safe for a
//! terminal.
//!
//! Input: arbitrary text of a program. Output: text of bounded length and printable characters.

use std::borrow::Cow;
use std::fmt::Display;

/// The most characters of a name that a message quotes.
const QUOTED_CHARACTERS: usize = 32;

/// The text, cut after 32 characters: a name of ten million letters must not fill the screen.
pub fn clipped(text: &str) -> Cow<'_, str> {
    clipped_to(text, QUOTED_CHARACTERS)
}

/// As [`clipped`], with another limit, in characters.
pub fn clipped_to(text: &str, limit: usize) -> Cow<'_, str> {
    match text.char_indices().nth(limit) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
    }
}

/// `1 element`, `2 elements`: a number and a noun with a regular plural.
pub fn counted(number: impl Display + PartialEq + From<u8>, noun: &str) -> String {
    let ending = if number == 1.into() { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// A number as a programmer would write it: with an exponent if it has many digits otherwise.
pub fn number(number: f64) -> String {
    let size = number.abs();
    if number.is_finite() && number != 0.0 && !(1e-7..1e21).contains(&size) {
        format!("{number:e}")
    } else {
        number.to_string()
    }
}

/// `a`, `a or b`, `a, b or c`: the words with a conjunction before the last one.
pub fn joined(words: &[impl AsRef<str>], conjunction: &str) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.split_last() {
        Some((last, others)) if !others.is_empty() => {
            format!("{} {conjunction} {last}", others.join(", "))
        }
        _ => words.concat(),
    }
}

/// Adds a line to the text, in several lines if it is wider than the width; all but the first one are indented.
pub fn fold(line: &str, width: usize, indentation: &str, text: &mut String) {
    let mut column = 0;
    for word in line.split(' ') {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            text.push('\n');
            *text += indentation;
            column = indentation.len();
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        *text += word;
        column += length;
    }
}

/// The system's message without Rust's ` (os error 28)`.
pub fn reason(error: &impl Display) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

/// The text with printable characters only: for terminals, where others are commands.
pub fn printed(text: &str) -> String {
    text.chars().map(printable).collect()
}

/// The character, or a visible replacement for one that would control the terminal or be invisible.
pub fn printable(character: char) -> char {
    match character {
        '\t' => '\t',
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(character)).unwrap_or('\u{fffd}'),
        '\x7f' => '\u{2421}',
        // Control characters, Unicode line ends, invisible characters and bidirectional overrides.
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => '\u{fffd}',
        // The renderer uses these as placeholders.
        '\u{e000}'..='\u{f8ff}' => '\u{fffd}',
        _ => character,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_clipped_between_characters() {
        let long = "é".repeat(100);
        assert_eq!(clipped(&long).chars().count(), QUOTED_CHARACTERS + 1);
        assert_eq!(clipped(&long[..64]), &long[..64], "exactly the limit is not cut");
    }

    #[test]
    fn lists_have_a_conjunction_before_the_last_word() {
        assert_eq!(joined(&[""; 0], "or"), "");
        assert_eq!(joined(&["a"], "or"), "a");
        assert_eq!(joined(&["a", "b"], "or"), "a or b");
        assert_eq!(joined(&["a", "b", "c"], "and"), "a, b and c");
    }

    #[test]
    fn only_one_is_singular() {
        assert_eq!(counted(1u64, "byte"), "1 byte");
        assert_eq!([0u64, 2].map(|n| counted(n, "byte")), ["0 bytes", "2 bytes"]);
    }
}
