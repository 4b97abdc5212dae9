//! The colors of code: the class of each token of a line.
//!
//! Input: one line of any stage. Output: its tokens in order; concatenated, they are the line. Invariant:
//! no text is lost, even if it is classified wrongly.

use toy_syntax::builtins::is_builtin;

/// The language of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Toy,
    Tokens,
    Tree,
    Mlir,
    Llvm,
    Assembly,
}

/// The kinds of tokens with a color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Plain,
    Comment,
    Text,
    Value,
    Symbol,
    Number,
    Word,
    Type,
}

impl Class {
    /// The class in the page's style.
    pub fn letter(self) -> Option<char> {
        Some(match self {
            Class::Plain => return None,
            Class::Comment => 'c',
            Class::Text => 's',
            Class::Value => 'v',
            Class::Symbol => 'y',
            Class::Number => 'm',
            Class::Word => 'w',
            Class::Type => 't',
        })
    }
}

pub fn tokens(line: &str, language: Language) -> Vec<(Class, &str)> {
    let mut tokens: Vec<(Class, &str)> = Vec::new();
    let mut rest = line;
    let mut is_first = true;
    while let Some(first) = rest.chars().next() {
        let (class, length) = next(rest, first, language, is_first);
        let (token, after) = rest.split_at(length.clamp(first.len_utf8(), rest.len()));
        is_first &= token.trim().is_empty();
        rest = after;
        tokens.push((class, token));
    }
    tokens
}

/// The token at the start of a text: its class and its length in bytes.
fn next(rest: &str, first: char, language: Language, is_first: bool) -> (Class, usize) {
    if starts_comment(rest, language) {
        return (Class::Comment, rest.len());
    }
    let named =
        |class| (class, 1 + run(&rest[1..], |c| c.is_ascii_alphanumeric() || "_.$-".contains(c)));
    match (first, language) {
        (' ' | '\t', _) => (Class::Plain, run(rest, |c| c == ' ' || c == '\t')),
        ('"', _) => {
            let length = quoted(rest);
            let is_operation = language == Language::Mlir && rest[length..].starts_with('(');
            (if is_operation { Class::Word } else { Class::Text }, length)
        }
        ('\'', Language::Tree) => (Class::Symbol, quoted(rest)),
        ('%', Language::Mlir | Language::Llvm | Language::Assembly) => named(Class::Value),
        ('@', Language::Tree) => (Class::Comment, rest.len()),
        ('@', _) if rest[1..].starts_with('"') => (Class::Symbol, 1 + quoted(&rest[1..])),
        ('@', Language::Mlir | Language::Llvm) => named(Class::Symbol),
        ('^' | '#', Language::Mlir) => named(Class::Symbol),
        ('!', Language::Mlir) => named(Class::Type),
        ('!' | '#', Language::Llvm) => named(Class::Comment),
        ('$', Language::Assembly) => named(Class::Number),
        ('.', Language::Assembly) if is_first => named(Class::Comment),
        ('0'..='9', _) => {
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '.';
            let mut length = run(rest, is_part);
            // An exponent's sign.
            if rest[..length].ends_with(['e', 'E']) && rest[length..].starts_with(['+', '-']) {
                length += 1 + run(&rest[length + 1..], |c| c.is_ascii_digit());
            }
            let is_shape = rest[..length].contains('x') && !rest.starts_with("0x");
            (if is_shape { Class::Type } else { Class::Number }, length)
        }
        (c, _) if c.is_ascii_alphabetic() || c == '_' => {
            let length = run(rest, |c| c.is_ascii_alphanumeric() || "_.$".contains(c));
            (word(&rest[..length], &rest[length..], language, is_first), length)
        }
        _ => (Class::Plain, first.len_utf8()),
    }
}

fn starts_comment(rest: &str, language: Language) -> bool {
    match language {
        Language::Toy => rest.starts_with('#'),
        Language::Mlir => rest.starts_with("//"),
        Language::Llvm => rest.starts_with(';'),
        // A `#` before a digit is a number on AArch64.
        Language::Assembly => rest.starts_with("# ") || rest.starts_with("//"),
        Language::Tokens | Language::Tree => false,
    }
}

fn word(word: &str, after: &str, language: Language, is_first: bool) -> Class {
    let is_integer = word
        .strip_prefix('i')
        .is_some_and(|width| !width.is_empty() && width.bytes().all(|byte| byte.is_ascii_digit()));
    match language {
        Language::Toy => match word {
            "def" | "var" | "return" | "struct" => Class::Word,
            "if" | "else" | "while" | "for" | "in" => Class::Word,
            _ if is_builtin(word) && after.trim_start().starts_with('(') => Class::Symbol,
            _ => Class::Plain,
        },
        Language::Mlir => match word {
            "tensor" | "memref" | "vector" | "f64" | "f32" | "index" | "none" => Class::Type,
            "module" | "call" | "return" => Class::Word,
            _ if is_integer => Class::Type,
            _ if word.contains('.') && !after.starts_with(" =") => Class::Word,
            _ => Class::Plain,
        },
        Language::Llvm => match word {
            "double" | "float" | "ptr" | "void" | "label" | "metadata" => Class::Type,
            "define" | "declare" | "load" | "store" | "call" | "ret" | "br" | "alloca" | "fadd"
            | "fsub" | "fmul" | "fdiv" | "fneg" | "add" | "sub" | "mul" | "and" | "or" | "icmp"
            | "phi" | "getelementptr" | "insertvalue" | "extractvalue" | "extractelement"
            | "insertelement" | "shufflevector" | "tail" | "ptrtoint" | "inttoptr" => Class::Word,
            _ if is_integer => Class::Type,
            _ => Class::Plain,
        },
        Language::Assembly if is_first && after.starts_with(':') => Class::Symbol,
        Language::Assembly if is_first => Class::Word,
        Language::Tree if is_first => Class::Word,
        Language::Tokens if word == "Number" => Class::Number,
        Language::Tokens if ["Def", "Var", "Return", "Struct"].contains(&word) => Class::Word,
        _ => Class::Plain,
    }
}

/// The length of a quoted text, including its quotes.
fn quoted(rest: &str) -> usize {
    let quote = rest.as_bytes()[0];
    let mut is_escaped = false;
    for (index, byte) in rest.bytes().enumerate().skip(1) {
        match byte {
            b'\\' if !is_escaped => is_escaped = true,
            _ if byte == quote && !is_escaped => return index + 1,
            _ => is_escaped = false,
        }
    }
    rest.len()
}

fn run(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_part(c)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_the_whole_line() {
        let lines = [
            "  %0 = \"toy.add\"(%a) {v = \"x\\\"\"} : tensor<2x3xf64> // c",
            "é\u{1f600} @\"a b\" !dbg 1.5e-3 #map ^bb0 \"unclosed",
            "\tmovq\t$8, %rax # x",
            "'",
            "",
        ];
        for line in lines {
            for language in [
                Language::Toy,
                Language::Tokens,
                Language::Tree,
                Language::Mlir,
                Language::Llvm,
                Language::Assembly,
            ] {
                let whole: String = tokens(line, language).iter().map(|(_, text)| *text).collect();
                assert_eq!(whole, line, "{language:?}");
            }
        }
        let mlir = tokens(lines[0], Language::Mlir);
        assert!(mlir.contains(&(Class::Word, "\"toy.add\"")));
        assert!(mlir.contains(&(Class::Text, "\"x\\\"\"")));
        assert!(mlir.contains(&(Class::Type, "2x3xf64")));
        assert!(mlir.contains(&(Class::Comment, "// c")));
    }
}
