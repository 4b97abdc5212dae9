//! Texts that are lists, whose parts may have brackets and quotes.

use melior::ir::Attribute;

/// The parts between spaces outside of brackets and quotes.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    split(text, char::is_whitespace).into_iter().filter(|word| !word.is_empty())
}

/// `print,log`, with or without braces around it.
pub fn names(text: &str) -> Result<Vec<String>, String> {
    let names = enclosed(text).unwrap_or(text).split(',').map(|name| name.trim().to_owned());
    let names: Vec<_> = names.collect();
    match names.iter().any(String::is_empty) {
        true => Err("an entry of `leaf-functions` is empty".to_owned()),
        false => Ok(names),
    }
}

/// `1,#gpu.address_space<workgroup>`, with or without braces around it.
pub fn spaces(text: &str) -> Result<Vec<String>, String> {
    let session = mlir_support::Session::new();
    session.allow_unregistered_dialects();
    // MLIR reads brackets in brackets by recursion.
    let is_deep = |text: &str| text.matches(['<', '{', '[', '(']).count() > DEEPEST;
    let printed = |text: &str| {
        let attribute = (!is_deep(text)).then(|| Attribute::parse(session.context(), text));
        attribute.flatten().map(|attribute| attribute.to_string())
    };
    // Braces belong to the list, unless they are the braces of a dictionary.
    let is_dictionary = text.contains('=') && printed(text).is_some();
    let inner = enclosed(text).filter(|_| !is_dictionary).unwrap_or(text);
    let entries = split(inner, |character| character == ',').into_iter().map(str::trim);
    let space = |entry: &str| match entry {
        "" => Err("an entry of `memory-spaces` is empty".to_owned()),
        _ => printed(entry).ok_or_else(|| format!("`{entry}` is not an attribute")),
    };
    entries.map(space).collect()
}

/// More brackets than a memory space has.
const DEEPEST: usize = 100;

/// The text in the braces, if one pair is around all of it.
pub fn enclosed(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('{')?.strip_suffix('}')?;
    let mut nesting = Nesting::default();
    inner.chars().all(|character| nesting.advance(character) >= 0).then_some(inner)
}

/// The nesting of brackets and quotes at a position of a text.
#[derive(Default)]
struct Nesting {
    depth: i32,
    is_quoted: bool,
}

impl Nesting {
    /// The number of open brackets after a character.
    fn advance(&mut self, character: char) -> i32 {
        match character {
            '"' => self.is_quoted = !self.is_quoted,
            _ if self.is_quoted => {}
            '<' | '{' | '[' | '(' => self.depth += 1,
            '>' | '}' | ']' | ')' => self.depth -= 1,
            _ => {}
        }
        self.depth
    }
}

fn split(text: &str, is_separator: impl Fn(char) -> bool) -> Vec<&str> {
    let mut nesting = Nesting::default();
    text.split(|character: char| {
        nesting.advance(character) == 0 && !nesting.is_quoted && is_separator(character)
    })
    .collect()
}
