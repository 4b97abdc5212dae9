//! The grammar against the compiler's own parser: both read the same programs.
//!
//! Input: every program in the repository and its pages, and copies of them with one token removed, repeated,
//! moved or replaced. Output: an error for a program that only one of the two can read. Errors outside the grammar
//! do not count: numbers that are too large, limits, strings for other functions than
//! `print`.

mod common;

use common::{files, parser, root};
use toy_diagnostics::codes;
use toy_diagnostics::source::{Source, Span};
use toy_syntax::lexer::lex;
use toy_syntax::token::Token;
use tree_sitter::Parser;

/// More of them with the environment variable TOYC_RANDOM_COUNT.
const MUTANTS: usize = 3000;
/// Longer programs are not changed: each change costs two passes over the program.
const LONGEST: usize = 2000;

/// True if the compiler can read a program; None if the grammar does not say.
fn is_right(text: &str) -> Option<bool> {
    let (_, diagnostics) = toy_syntax::parse(&Source::new("program.toy", text));
    let mut errors = diagnostics.iter();
    if diagnostics.is_empty() {
        return Some(true);
    }
    let is_open = |error: &toy_diagnostics::Diagnostic| match error.code {
        codes::TOO_DEEP | codes::CHAIN_TOO_LONG => true,
        // In `print` or in another function: the grammar does not say, either.
        codes::MISPLACED_STRING => true,
        codes::BAD_NUMBER => error.message.contains("too large"),
        // The number is not a size.
        codes::BAD_SHAPE => true,
        _ => false,
    };
    if errors.all(is_open) { None } else { Some(false) }
}

/// The difference between the two, in words.
fn difference(parser: &mut Parser, text: &str) -> Option<String> {
    let tree = parser.parse(text, None).expect("a tree");
    let is_read = !tree.root_node().has_error();
    match is_right(text) {
        Some(true) if !is_read => Some(format!("has an error:\n{}", tree.root_node().to_sexp())),
        Some(false) if is_read => {
            Some(format!("has an error that is not seen:\n{}", tree.root_node().to_sexp()))
        }
        _ => None,
    }
}

/// Programs with their places.
fn programs() -> Vec<(String, String)> {
    let mut programs = Vec::new();
    for path in files(&root(), "toy") {
        // A file that is not text is not a program in either.
        if let Ok(text) = std::fs::read_to_string(&path) {
            programs.push((path.display().to_string(), text));
        }
    }
    for path in files(&root(), "md") {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let mut lines = text.lines().enumerate();
        while let Some((number, line)) = lines.next() {
            let Some(info) = line.strip_prefix("```toy") else { continue };
            if !(info.is_empty() || info.starts_with(',')) {
                continue;
            }
            let body = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```");
            let body = body.collect::<Vec<_>>().join("\n");
            let is_body = info.contains(",main");
            let text = if is_body { format!("def main() {{\n{body}\n}}\n") } else { body };
            programs.push((format!("{}:{}", path.display(), number + 1), text));
        }
    }
    programs
}

/// The compiler's parser recurses over brackets; toyc gives it a large stack.
fn with_large_stack(test: fn()) {
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(test).expect("a thread");
    if let Err(problem) = thread.join() {
        std::panic::resume_unwind(problem);
    }
}

#[test]
fn the_compilers_parser_agrees() {
    with_large_stack(programs_agree);
}

#[test]
fn the_compilers_parser_agrees_about_changed_programs() {
    with_large_stack(changed_programs_agree);
}

fn programs_agree() {
    let programs = programs();
    let mut parser = parser();
    let found: Vec<String> = programs
        .iter()
        .filter_map(|(place, text)| Some(format!("{place} {}", difference(&mut parser, text)?)))
        .collect();
    let right = programs.iter().filter(|(_, text)| is_right(text) == Some(true)).count();
    let wrong = programs.iter().filter(|(_, text)| is_right(text) == Some(false)).count();
    println!("{right} programs without syntax errors, {wrong} with");
    assert!(right > 300 && wrong > 50, "{right} programs are right, {wrong} wrong");
    assert!(found.is_empty(), "{} differences\n{}", found.len(), found.join("\n"));
}

/// Numbers that look random and are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

const WORDS: [&str; 15] = [
    "x", "f(x)", "x[0]", "0", "1", ".5", "2.", "1e5", "0..3", "\"s\"", "\"\\n\"", "{1, 2}", "...",
    "a = 1", "x[0:2]",
];

/// The program with one token changed.
fn mutant(random: &mut Random, text: &str, tokens: &[(Token<'_>, Span)]) -> String {
    let at = random.below(tokens.len());
    let (start, end) = (tokens[at].1.start as usize, tokens[at].1.end as usize);
    let (before, token, after) = (&text[..start], &text[start..end], &text[end..]);
    let fixed = Token::FIXED[random.below(Token::FIXED.len())].spelling();
    let word = if random.below(2) == 0 { fixed } else { WORDS[random.below(WORDS.len())] };
    match random.below(5) {
        0 => format!("{before}{after}"),
        1 => format!("{before}{token} {token}{after}"),
        2 => format!("{before}{word}{after}"),
        3 => format!("{before}{word} {token}{after}"),
        _ => match tokens.get(at + 1) {
            Some((next, span)) if !next.spelling().is_empty() => {
                let rest = &text[span.end as usize..];
                format!("{before}{} {token}{rest}", next.spelling())
            }
            _ => format!("{before}{token}{word}{after}"),
        },
    }
}

fn changed_programs_agree() {
    let programs = programs();
    let short = |text: &str| text.len() <= LONGEST && is_right(text) == Some(true);
    let programs: Vec<_> = programs.iter().filter(|(_, text)| short(text)).collect();
    let count = std::env::var("TOYC_RANDOM_COUNT").ok().and_then(|it| it.parse().ok());
    let seed = std::env::var("TOYC_RANDOM_SEED").ok().and_then(|it| it.parse().ok());
    let mut random = Random(seed.unwrap_or(0x70ce));
    let mut parser = parser();
    let (mut right, mut found) = (0, Vec::new());
    let count = count.unwrap_or(MUTANTS);
    for _ in 0..count {
        let (place, text) = programs[random.below(programs.len())];
        let source = Source::new("program.toy", text);
        let (tokens, _) = lex(&source);
        if tokens.is_empty() {
            continue;
        }
        let changed = mutant(&mut random, text, &tokens);
        right += usize::from(is_right(&changed) == Some(true));
        if let Some(difference) = difference(&mut parser, &changed) {
            found.push(format!("{place}, changed, {difference}\n{changed}"));
        }
    }
    println!("{count} changed programs, {right} of them without syntax errors");
    assert!(right > count / 50, "only {right} of {count} programs are right");
    let shown = &found[..found.len().min(5)];
    assert!(found.is_empty(), "{} differences\n{}", found.len(), shown.join("\n\n"));
}
