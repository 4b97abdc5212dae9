//! Colors for code, as HTML.
//!
//! Input: a text and the name of its language. Output: the same text escaped, with words, numbers, strings and comments
//! in `<span class="hljs-…">`, as mdBook's themes color them. Invariants: without the tags the text is unchanged; no
//! span crosses the end of a line, so that lines can be wrapped. This colors code, it does not parse it: whatever is
//! unknown stays plain.

/// The words and signs of a language.
struct Language {
    line_comments: &'static [&'static str],
    block_comment: Option<(&'static str, &'static str)>,
    quotes: &'static [char],
    keywords: &'static [&'static str],
    types: &'static [&'static str],
    /// True for `%value`, `@symbol`, `^block`, `#attribute`, `!type`, and dots in words.
    is_ir: bool,
    is_rust: bool,
}

const PLAIN: Language = Language {
    line_comments: &[],
    block_comment: None,
    quotes: &[],
    keywords: &[],
    types: &[],
    is_ir: false,
    is_rust: false,
};

const RUST: Language = Language {
    line_comments: &["//"],
    block_comment: Some(("/*", "*/")),
    quotes: &['"'],
    keywords: &[
        "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum",
        "extern", "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut",
        "pub", "ref", "return", "self", "Self", "static", "struct", "super", "trait", "type",
        "unsafe", "use", "where", "while",
    ],
    types: &[
        "bool", "char", "f32", "f64", "i32", "i64", "isize", "str", "u8", "u32", "u64", "usize",
    ],
    is_rust: true,
    ..PLAIN
};

const TOY: Language = Language {
    line_comments: &["#"],
    keywords: &["def", "else", "for", "if", "in", "return", "struct", "var", "while"],
    types: &["export"],
    ..PLAIN
};

const MLIR: Language = Language {
    line_comments: &["//"],
    quotes: &['"'],
    keywords: &[
        "module",
        "attributes",
        "ins",
        "outs",
        "iter_args",
        "step",
        "to",
        "else",
        "do",
        "loc",
    ],
    types: &[
        "bf16",
        "f32",
        "f64",
        "i1",
        "i8",
        "i32",
        "i64",
        "index",
        "tensor",
        "memref",
        "vector",
        "affine_map",
        "dense",
    ],
    is_ir: true,
    ..PLAIN
};

const LLVM: Language = Language {
    line_comments: &[";"],
    keywords: &[
        "define",
        "declare",
        "ret",
        "br",
        "call",
        "load",
        "store",
        "getelementptr",
        "target",
        "tail",
        "private",
        "internal",
    ],
    types: &["double", "float", "i1", "i8", "i32", "i64", "ptr", "void"],
    ..MLIR
};

const C: Language = Language {
    quotes: &['"', '\''],
    keywords: &[
        "break", "case", "const", "do", "else", "enum", "extern", "for", "if", "include", "return",
        "sizeof", "static", "struct", "switch", "typedef", "while",
    ],
    types: &["char", "double", "float", "int", "int64_t", "long", "size_t", "uint64_t", "void"],
    is_rust: false,
    ..RUST
};

const PYTHON: Language = Language {
    line_comments: &["#"],
    quotes: &['"', '\''],
    keywords: &[
        "as", "class", "def", "elif", "else", "except", "for", "from", "if", "import", "in", "not",
        "return", "try", "while", "with",
    ],
    ..PLAIN
};

const TOML: Language = Language { line_comments: &["#"], quotes: &['"', '\''], ..PLAIN };

fn language(name: &str) -> &'static Language {
    match name {
        "rust" | "rs" => &RUST,
        "toy" => &TOY,
        "mlir" | "tablegen" | "td" => &MLIR,
        "llvm" | "ll" => &LLVM,
        "c" | "h" => &C,
        "python" | "py" => &PYTHON,
        "toml" | "sh" | "yaml" | "yml" => &TOML,
        _ => &PLAIN,
    }
}

/// The text as HTML.
pub fn html(text: &str, name: &str) -> String {
    let language = language(name);
    let mut result = String::new();
    let mut rest = text;
    let mut before = '\n';
    while !rest.is_empty() {
        let (class, length) = token(rest, before, language);
        let (token, after) = rest.split_at(length);
        push(&mut result, token, class);
        before = token.chars().next_back().unwrap_or(before);
        rest = after;
    }
    result
}

/// Appends a token, line by line.
fn push(result: &mut String, token: &str, class: &str) {
    for line in token.split_inclusive('\n') {
        let (line, end) = match line.strip_suffix('\n') {
            Some(line) => (line, "\n"),
            None => (line, ""),
        };
        if class.is_empty() || line.is_empty() {
            result.push_str(&escaped(line));
        } else {
            result.push_str(&format!("<span class=\"hljs-{class}\">{}</span>", escaped(line)));
        }
        result.push_str(end);
    }
}

pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The class of the first token, which may be empty, and its length.
fn token(text: &str, before: char, language: &Language) -> (&'static str, usize) {
    let first = text.chars().next().unwrap_or('\n');
    if let Some((open, close)) = language.block_comment.filter(|(open, _)| text.starts_with(open)) {
        let end = text[open.len()..].find(close).map(|at| open.len() + at + close.len());
        return ("comment", end.unwrap_or(text.len()));
    }
    if language.line_comments.iter().any(|start| text.starts_with(start)) {
        return ("comment", text.find('\n').unwrap_or(text.len()));
    }
    if language.is_rust && !is_word(before) {
        if let Some(length) = raw_string(text) {
            return ("string", length);
        }
        if first == '\'' {
            return character_or_lifetime(text);
        }
    }
    if language.quotes.contains(&first) {
        return ("string", quoted(text, first));
    }
    if first.is_ascii_digit() && !is_word(before) {
        return ("number", number(text));
    }
    if language.is_ir && "%@^#!".contains(first) {
        let length = 1 + text[1..]
            .find(|c: char| !is_word(c) && !"$.-:".contains(c))
            .unwrap_or(text.len() - 1);
        let class = match first {
            '%' => "variable",
            '@' => "title",
            '^' => "symbol",
            _ => "meta",
        };
        return if length > 1 { (class, length) } else { ("", 1) };
    }
    if is_word(first) {
        return word(text, language);
    }
    ("", first.len_utf8())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn word(text: &str, language: &Language) -> (&'static str, usize) {
    let is_part = |c: char| is_word(c) || language.is_ir && c == '.';
    let length = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let (word, rest) = text.split_at(length);
    let class = match word {
        _ if std::ptr::eq(language, &PLAIN) => "",
        _ if language.keywords.contains(&word) => "keyword",
        _ if language.types.contains(&word) => "type",
        "true" | "false" | "None" | "True" | "False" => "literal",
        _ if language.is_ir && word.contains('.') => "keyword",
        _ if language.is_rust && rest.starts_with('!') && !rest.starts_with("!=") => "built_in",
        _ if language.is_rust && word.starts_with(|c: char| c.is_ascii_uppercase()) => "type",
        _ if !language.is_ir && rest.starts_with('(') => "title",
        _ => "",
    };
    (class, length)
}

/// From a quote to the next one that no backslash precedes, at most to the end of an unclosed line.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.find('\n').unwrap_or(text.len())
}

/// `r"…"`, `r#"…"#` and the like.
fn raw_string(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('r')?;
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    let body = rest[hashes..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let start = text.len() - body.len();
    Some(body.find(&close).map_or(text.len(), |at| start + at + close.len()))
}

fn character_or_lifetime(text: &str) -> (&'static str, usize) {
    let rest = &text[1..];
    let mut chars = rest.chars();
    match (chars.next(), chars.next()) {
        (Some('\\'), _) => ("string", quoted(text, '\'')),
        (Some(c), Some('\'')) => ("string", 2 + c.len_utf8()),
        _ => ("symbol", 1 + rest.find(|c| !is_word(c)).unwrap_or(rest.len())),
    }
}

/// Digits, with letters and a dot that digits follow; a range `0..9` is two numbers.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut length = 0;
    while let Some(byte) = bytes.get(length) {
        let is_dot = *byte == b'.' && bytes.get(length + 1).is_some_and(u8::is_ascii_digit);
        let is_sign = b"+-".contains(byte) && matches!(bytes[length - 1], b'e' | b'E');
        if !(byte.is_ascii_alphanumeric() || *byte == b'_' || is_dot || is_sign) {
            break;
        }
        length += 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The HTML without its tags.
    fn text(html: &str) -> String {
        let mut result = String::new();
        for part in html.split('<') {
            result.push_str(part.split_once('>').map_or(part, |(_, text)| text));
        }
        result
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&quot;", "\"")
            .replace("&amp;", "&")
    }

    #[test]
    fn the_text_is_unchanged_and_no_span_crosses_a_line() {
        let sources = [
            (
                "rust",
                "fn f<'a>(x: &'a str) -> char { /* a\nb */ 'x' } // 0..9 \"é\"\nlet s = r#\"a\n\"b\"#; '\\n'",
            ),
            ("toy", "def main() { # a comment\n  var a<2, 3> = [1.5e-3, 2];\n}"),
            ("mlir", "%0 = \"toy.mul\"(%a, %b) : tensor<2x3xf64> loc(#loc1) // x\n^bb0: % @"),
            ("c", "\"open\nint x = 'c';"),
            ("nothing", "<a> & \"b\""),
            ("rust", "'"),
        ];
        for (language, source) in sources {
            let html = html(source, language);
            assert_eq!(text(&html), source);
            for line in html.lines() {
                assert_eq!(
                    line.matches("<span").count(),
                    line.matches("</span>").count(),
                    "{line}"
                );
            }
        }
    }

    #[test]
    fn tokens_have_their_classes() {
        for (language, source, expected) in [
            ("rust", "let", "<span class=\"hljs-keyword\">let</span>"),
            ("rust", "'a'", "<span class=\"hljs-string\">&#x27;a&#x27;</span>"),
            ("rust", "'a ", "<span class=\"hljs-symbol\">'a</span> "),
            (
                "rust",
                "0..9",
                "<span class=\"hljs-number\">0</span>..<span class=\"hljs-number\">9</span>",
            ),
            ("toy", "# x", "<span class=\"hljs-comment\"># x</span>"),
            ("mlir", "%0", "<span class=\"hljs-variable\">%0</span>"),
            ("mlir", "linalg.generic", "<span class=\"hljs-keyword\">linalg.generic</span>"),
        ] {
            assert_eq!(html(source, language), expected.replace("&#x27;", "'"));
        }
    }
}
