//! A limit on the nesting of MLIR text: MLIR's parser, verifier and printer recurse over brackets, and
//! a stack overflow cannot be reported.

use crate::diagnostic::{Diagnostic, codes};
use crate::source::{Source, Span};

/// Deeper than any program, generated ones included, and well within the compiler's stack.
const MAX_DEPTH: usize = 1000;

/// The complaint about a text whose brackets nest too deeply. Strings and comments do not count;
/// a `>` that closes nothing (of `->` and `>=`) is ignored.
pub fn check(source: &Source) -> Option<Diagnostic> {
    let bytes = source.text.as_bytes();
    let mut open: Vec<u8> = Vec::new();
    let mut index = 0;
    while index < bytes.len() {
        match bytes[index] {
            b'"' => index += string_length(&bytes[index..]) - 1,
            b'/' if bytes.get(index + 1) == Some(&b'/') => {
                index += bytes[index..].iter().take_while(|byte| **byte != b'\n').count();
            }
            bracket @ (b'(' | b'[' | b'{' | b'<') => {
                open.push(bracket);
                if open.len() > MAX_DEPTH {
                    let message = format!("brackets are nested more than {MAX_DEPTH} deep");
                    let span = Span::new(index, index + 1);
                    return Some(
                        Diagnostic::error(codes::TOO_DEEP, message)
                            .label(span, "this one is too deep"),
                    );
                }
            }
            closing @ (b')' | b']' | b'}' | b'>') => {
                let is_arrow = closing == b'>' && index > 0 && bytes[index - 1] == b'-';
                let matches = |open: &u8| {
                    matches!((open, closing), (b'<', b'>') | (b'(', b')'))
                        || matches!((open, closing), (b'[', b']') | (b'{', b'}'))
                };
                if !is_arrow && open.last().is_some_and(matches) {
                    open.pop();
                } else if closing != b'>' {
                    // A `<` that is a comparison closes with the bracket around it.
                    while let Some(bracket) = open.pop() {
                        if matches(&bracket) {
                            break;
                        }
                    }
                }
            }
            _ => {}
        }
        index += 1;
    }
    None
}

/// Bytes from the opening quote to the closing one, or to the end of the line or the text.
fn string_length(text: &[u8]) -> usize {
    let mut index = 1;
    while index < text.len() {
        match text[index] {
            b'\\' => index += 1,
            b'"' | b'\n' => return index + 1,
            _ => {}
        }
        index += 1;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_too_deep(text: String) -> bool {
        check(&Source::new("t", text)).is_some()
    }

    #[test]
    fn only_open_brackets_count() {
        assert!(is_too_deep("(".repeat(1001)));
        assert!(is_too_deep("tuple<".repeat(1001)));
        assert!(!is_too_deep("(".repeat(1000)));
        assert!(!is_too_deep("f() -> (i32) { } <[]>".repeat(5000)));
        assert!(!is_too_deep("(a < b)".repeat(5000)));
        assert!(!is_too_deep(format!("\"{}\"", "(".repeat(5000))));
        assert!(!is_too_deep(format!("// {}\n", "(".repeat(5000))));
        assert!(!is_too_deep("\"a\\\"((".repeat(2000)));
    }
}
