//! Text to tokens: names, numbers and symbols of one character.

/// How deeply brackets may be nested: each level takes some of the parser's stack.
const MAX_DEPTH: i32 = 100;

/// The tokens of a program, each with the number of its line. The last one is empty.
pub fn lex(source: &str) -> Result<Vec<(&str, usize)>, String> {
    let mut tokens = Vec::new();
    let mut depth = 0;
    for (line, text) in (1..).zip(source.lines()) {
        let mut rest = text.split('#').next().unwrap_or("").trim_start();
        while let Some(first) = rest.chars().next() {
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
            let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let (token, after) = rest.split_at(word.max(first.len_utf8()));
            tokens.push((token, line));
            rest = after.trim_start();
            match first {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                _ => {}
            }
            if depth > MAX_DEPTH {
                return Err(format!("line {line}: the brackets are nested too deeply"));
            }
        }
    }
    tokens.push(("", source.lines().count()));
    Ok(tokens)
}
