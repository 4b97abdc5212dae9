//! A limit on the nesting of MLIR text: MLIR's parser, verifier and printer recurse over brackets, and a stack overflow
//! cannot be reported. An alias (`!pair = tuple<!a, !a>`) counts as its definition, and is limited in length, too: a
//! chain of thirty aliases, each a pair of the previous one, is a type whose text does not fit into memory.

use std::collections::HashMap;
use toy_diagnostics::source::{Source, Span};
use toy_diagnostics::{Diagnostic, codes};

/// More than in any program, including generated ones, and well within the compiler's stack.
const MAX_DEPTH: usize = 1000;

/// Characters that other aliases may add to an alias.
const MAX_EXPANSION: usize = 1 << 24;

/// The error for a text whose brackets nest too deeply. Strings and comments do not count; a `>` that closes nothing
/// (of `->` and `>=`) is ignored.
pub fn check(source: &Source) -> Option<Diagnostic> {
    // To MLIR's lexer, such a byte is the end of the text.
    if let Some(at) = source.text.find('\0') {
        let diagnostic = Diagnostic::error(codes::UNKNOWN_CHARACTER, "a NUL character in the text")
            .label(Span::new(at, at + 1), "MLIR's text has none");
        return Some(diagnostic.help("remove it: the file may be damaged"));
    }
    Check { text: source.text.as_bytes(), open: vec![], aliases: HashMap::new(), current: None }
        .run()
        .err()
}

struct Check<'s> {
    text: &'s [u8],
    open: Vec<u8>,
    aliases: HashMap<&'s [u8], Alias<'s>>,
    /// The alias whose definition is being read.
    current: Option<Alias<'s>>,
}

/// The definition of an alias.
#[derive(Clone, Copy)]
struct Alias<'s> {
    name: &'s [u8],
    depth: usize,
    length: usize,
    /// Where its definition begins.
    start: usize,
    /// True if there is text after the `=`; before that, a line break does not end the definition.
    has_begun: bool,
}

impl Check<'_> {
    fn run(mut self) -> Result<(), Diagnostic> {
        let mut index = 0;
        while index < self.text.len() {
            match self.text[index] {
                b'"' => index += string_length(&self.text[index..]) - 1,
                b'/' if self.text.get(index + 1) == Some(&b'/') => {
                    // The end of the line still counts.
                    let rest = &self.text[index..];
                    index += rest.iter().take_while(|byte| **byte != b'\n').count() - 1;
                }
                b'\n' if self.open.is_empty() => self.end_definition(index),
                b'!' | b'#' => index += self.name(index)?,
                b'(' | b'[' | b'{' | b'<' => {
                    self.open.push(self.text[index]);
                    self.check_depth(index, 0)?;
                }
                closing @ (b')' | b']' | b'}' | b'>') => self.close(index, closing),
                byte if byte.is_ascii_whitespace() => {}
                _ => self.begin(),
            }
            index += 1;
        }
        Ok(())
    }

    fn close(&mut self, index: usize, closing: u8) {
        let is_arrow = closing == b'>' && index > 0 && self.text[index - 1] == b'-';
        let matches = |open: &u8| {
            matches!((open, closing), (b'<', b'>') | (b'(', b')'))
                || matches!((open, closing), (b'[', b']') | (b'{', b'}'))
        };
        if !is_arrow && self.open.last().is_some_and(matches) {
            self.open.pop();
        } else if closing != b'>' {
            // A `<` that is a comparison closes with the bracket around it.
            while let Some(bracket) = self.open.pop() {
                if matches(&bracket) {
                    break;
                }
            }
        }
    }

    /// A name that begins with `!` or `#`: the definition of an alias, or the use of one. The result is
    /// its length but one.
    fn name(&mut self, start: usize) -> Result<usize, Diagnostic> {
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_$.-".contains(*byte);
        let length = 1 + self.text[start + 1..].iter().take_while(is_part).count();
        let name = &self.text[start..start + length];
        let mut rest =
            self.text[start + length..].iter().filter(|byte| !byte.is_ascii_whitespace());
        if self.open.is_empty() && rest.next() == Some(&b'=') && rest.next() != Some(&b'=') {
            self.end_definition(start);
            self.current = Some(Alias { name, depth: 0, length: 0, start, has_begun: false });
            let equals = self.text[start + length..].iter().position(|byte| *byte == b'=');
            return Ok(length + equals.unwrap_or(0));
        }
        self.begin();
        if let Some(alias) = self.aliases.get(name).copied() {
            self.check_depth(start, alias.depth)?;
            if let Some(current) = &mut self.current {
                current.length = current.length.saturating_add(alias.length);
                if current.length > MAX_EXPANSION {
                    let message =
                        format!("an alias stands for more than {MAX_EXPANSION} characters");
                    let span = Span::new(start, start + length);
                    return Err(Diagnostic::error(codes::MLIR_SYNTAX, message)
                        .label(span, "this is too much in its definition"));
                }
            }
        }
        Ok(length - 1)
    }

    fn begin(&mut self) {
        if let Some(current) = &mut self.current {
            current.has_begun = true;
        }
    }

    fn end_definition(&mut self, end: usize) {
        if let Some(mut alias) = self.current.take_if(|alias| alias.has_begun) {
            alias.length = alias.length.saturating_add(end - alias.start);
            self.aliases.insert(alias.name, alias);
        }
    }

    /// Returns an error if the open brackets, and the nesting inside them, are too deep.
    fn check_depth(&mut self, index: usize, inside: usize) -> Result<(), Diagnostic> {
        let depth = self.open.len() + inside;
        self.begin();
        if let Some(current) = &mut self.current {
            current.depth = current.depth.max(depth);
        }
        if depth <= MAX_DEPTH {
            return Ok(());
        }
        let message = format!("brackets are nested more than {MAX_DEPTH} deep");
        let span = Span::new(index, index + 1);
        Err(Diagnostic::error(codes::TOO_DEEP, message).label(span, "this one is too deep"))
    }
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

    /// `count` aliases, each defined by the one before.
    fn aliases(count: usize, definition: impl Fn(String) -> String) -> String {
        let alias = |index| format!("!t{index} = {}\n", definition(format!("!t{}", index - 1)));
        "!t0 = i32\n".to_owned() + &(1..=count).map(alias).collect::<String>()
    }

    #[test]
    fn aliases_count_as_what_they_stand_for() {
        assert!(is_too_deep(aliases(1001, |t| format!("tuple<{t}>"))));
        assert!(!is_too_deep(aliases(1000, |t| format!("tuple<{t}>"))));
        assert!(is_too_deep(aliases(1000, |t| format!("tuple<{t}>")) + "f(!t1000)"));
        assert!(is_too_deep(aliases(30, |t| format!("tuple<{t}, {t}>"))));
        assert!(is_too_deep(aliases(30, |t| format!(" // no end\n tuple<\n{t},\n{t}> // end"))));
        assert!(!is_too_deep(aliases(15, |t| format!("tuple<{t}, {t}>"))));
        // Uses after the last definition do not belong to one.
        let large = format!("#m = dense<\"{}\">\n", "0".repeat(1 << 20));
        assert!(!is_too_deep(large + &"f() {map = #m}\n".repeat(1000)));
        assert!(!is_too_deep("\"x\"() {a = #b == 1}\n".repeat(1000)));
    }
}
