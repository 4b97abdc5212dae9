//! Properties of every program, tested on the programs of the repository and on random ones, with random
//! comments and line breaks between their tokens.

use super::formatted;
use std::path::{Path, PathBuf};
use toy_diagnostics::source::Source;
use toy_syntax::lexer::lex;
use toy_syntax::parse;

pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    pub fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

/// The tokens of a text.
pub fn tokens(text: &str) -> Vec<String> {
    let source = Source::new("t", text);
    lex(&source).0.iter().map(|(token, _)| token.spelling().to_owned()).collect()
}

/// The comments of a text without the white space at their ends.
pub fn comments(text: &str) -> Vec<&str> {
    let source = Source::new("t", text);
    let mut at = 0;
    let mut found = Vec::new();
    let spans =
        lex(&source).0.into_iter().map(|(_, span)| (span.start as usize, span.end as usize));
    for (start, end) in spans.chain([(text.len(), text.len())]) {
        let lines = text[at..start].split(['\n', '\r']);
        found.extend(
            lines.filter_map(|line| line.find('#').map(|comment| line[comment..].trim_end())),
        );
        at = end;
    }
    found
}

/// Checks that formatting keeps tokens and comments, and that formatting again changes nothing.
fn check(text: &str) -> String {
    let after = formatted(text);
    assert_eq!(tokens(text), tokens(&after), "{text}\n----\n{after}");
    assert_eq!(comments(text), comments(&after), "{text}\n----\n{after}");
    for line in after.lines() {
        assert_eq!(line, line.trim_end(), "white space at the end of a line of\n{after}");
    }
    assert!(!after.contains("\n\n\n"), "{after}");
    after
}

/// The tokens with random white space and comments between them.
pub fn disturbed(tokens: &[String], random: &mut Random, comments: usize) -> String {
    let mut text = String::new();
    for token in tokens {
        let separates =
            |part: &str| part.starts_with(['(', ')', '[', ']', '{', '}', ',', ';', '"']);
        let may_touch = separates(token) || text.is_empty() || text.ends_with([')', ';', ',', '(']);
        let gap = match random.below(comments) {
            0 => random.one(&[
                " # c\n",
                "\n# own\n",
                "#\n#d \n\n",
                "\n\n#{é]\n",
                " #1\n\n#2\n\n\n#3\r\n",
            ]),
            1 => random.one(&["\n", "\n\n", "\r\n", " \n \n\n"]),
            _ if may_touch => random.one(&["", "", " "]),
            _ => random.one(&[" ", "  ", "\t", " "]),
        };
        text += gap;
        text += token;
    }
    text + random.one(&["", "\n", "# end", "\n\n# end\n\n"])
}

/// The files below a folder with one of the extensions, in the order of their names.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_symlink() || name.starts_with('.') || name == "target" {
            continue;
        }
        if path.is_dir() {
            files(&path, found);
        } else if name.ends_with(".toy") || name.ends_with(".md") {
            found.push(path);
        }
    }
}

/// The programs in a Markdown page, as they are and as the body of `main`.
fn programs_of_page(page: &str) -> Vec<String> {
    let blocks = page.split("```").skip(1).step_by(2);
    let programs = blocks.filter_map(|block| block.strip_prefix("toy"));
    let bodies =
        programs.filter_map(|block| block.split_once('\n').map(|(_, body)| body.to_owned()));
    bodies.flat_map(|body| [format!("def main() {{\n{body}}}\n"), body]).collect()
}

/// Every program of the repository without syntax errors.
pub fn programs() -> Vec<String> {
    let mut paths = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), &mut paths);
    let mut programs = Vec::new();
    for path in paths {
        // Some tests are about files that are not text.
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        match path.extension().is_some_and(|extension| extension == "md") {
            true => programs.extend(programs_of_page(&text)),
            false => programs.push(text),
        }
    }
    programs.retain(|text| parse(&Source::new("t", text.as_str())).1.is_empty());
    programs
}

/// The parser needs more stack than a thread of a test has.
pub fn with_stack(test: fn()) {
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(test);
    thread.unwrap().join().unwrap();
}

#[test]
fn every_program_of_the_repository_keeps_its_tokens_and_comments() {
    with_stack(programs_of_the_repository);
}

fn programs_of_the_repository() {
    let programs = programs();
    assert!(programs.len() > 300, "{}", programs.len());
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for program in programs {
        check(&program);
        let tokens = tokens(&program);
        if tokens.len() > 2_000 {
            continue;
        }
        for comments in [3, 30] {
            let text = disturbed(&tokens, &mut random, comments);
            check(&text);
        }
    }
}

/// Programs as random lists of tokens that follow the grammar.
struct Programs {
    random: Random,
    tokens: Vec<String>,
}

impl Programs {
    fn put(&mut self, text: &str) {
        self.tokens.extend(text.split(' ').map(str::to_owned));
    }

    fn name(&mut self) {
        let name = self.random.one(&[
            "a",
            "do",
            "x1",
            "a_long_name_of_something",
            "elif",
            "the_largest_eigenvalue_of_the_matrix_of_the_second_kind",
        ]);
        self.put(name);
    }

    fn list(&mut self, least: usize, item: impl Fn(&mut Self)) {
        for index in 0..least + self.random.below(4) {
            if index > 0 {
                self.put(",");
            }
            item(self);
        }
    }

    fn expr(&mut self, depth: usize) {
        if depth == 0 {
            match self.random.below(3) {
                0 => self.name(),
                _ => {
                    let number = self.random.one(&["1", "2.", ".5", "1e-7", "123456789", "0"]);
                    self.put(number);
                }
            }
            return;
        }
        let depth = depth - 1;
        match self.random.below(11) {
            0 | 1 => {
                self.put("[");
                self.list(1, |programs| programs.expr(depth));
                self.put("]");
            }
            2 => {
                self.put("(");
                self.expr(depth);
                self.put(")");
            }
            3 | 4 => {
                self.name();
                self.put("(");
                self.list(0, |programs| programs.expr(depth));
                self.put(")");
            }
            5 => {
                self.put("(");
                self.expr(depth);
                self.put(") . f . g [");
                self.list(1, |programs| programs.expr(depth));
                self.put(":");
                self.expr(depth);
                self.put("]");
            }
            6 => {
                self.put("( {");
                self.list(1, |programs| programs.expr(depth));
                self.put("} )");
            }
            7 => {
                let sign = self.random.one(&["-", "!", "- -", "- !"]);
                self.put(sign);
                self.expr(0);
            }
            8 => {
                self.put("sum (");
                self.expr(depth);
                self.put(", axis =");
                self.expr(depth);
                self.put(")");
            }
            _ => {
                self.put("(");
                self.expr(depth);
                for _ in 0..1 + self.random.below(3) {
                    let operator = self.random.one(&["+", "-", "*", "@", "/", "&&", "||"]);
                    self.put(operator);
                    self.expr(depth);
                }
                self.put(")");
            }
        }
    }

    fn block(&mut self, depth: usize) {
        self.put("{");
        for _ in 0..self.random.below(4) {
            self.statement(depth);
        }
        self.put("}");
    }

    fn statement(&mut self, depth: usize) {
        match self.random.below(if depth == 0 { 5 } else { 8 }) {
            0 => self.put("var x < 2 , 3 > ="),
            1 => self.put("return"),
            2 => self.put("x [ 1 , i ] ="),
            3 => self.put("P p ="),
            4 => return self.put(";"),
            5 => {
                self.put("if (");
                self.expr(1);
                self.put(")");
                self.block(depth - 1);
                for _ in 0..self.random.below(3) {
                    self.put("else if (");
                    self.expr(1);
                    self.put(")");
                    self.block(depth - 1);
                }
                if self.random.below(2) == 0 {
                    self.put("else");
                    self.block(depth - 1);
                }
                return;
            }
            6 => {
                self.put("while (");
                self.expr(2);
                self.put(")");
                return self.block(depth - 1);
            }
            _ => {
                self.put("for i in");
                self.expr(1);
                self.put("..");
                self.expr(1);
                return self.block(depth - 1);
            }
        }
        let depth = self.random.below(5);
        self.expr(depth);
        self.put(";");
    }
}

#[test]
fn random_programs_keep_their_tokens_and_comments() {
    let mut programs = Programs { random: Random(0x9e37_79b9_7f4a_7c15), tokens: Vec::new() };
    let mut formatted = 0;
    for _ in 0..300 {
        programs.tokens.clear();
        programs.put("struct P { var a ; Q b ; } def f (");
        programs.list(0, |programs| programs.put("P p"));
        programs.put(")");
        programs.block(2);
        programs.put("def main ( )");
        programs.block(3);
        let comments = [2, 6, 30, 1_000][programs.random.below(4)];
        let text = disturbed(&programs.tokens, &mut programs.random, comments);
        // `a < b < c`, and an `else` after a block: not each list of tokens is a program.
        if parse(&Source::new("t", text.as_str())).1.is_empty() {
            check(&text);
            formatted += 1;
        }
    }
    assert!(formatted > 200, "{formatted}");
}
