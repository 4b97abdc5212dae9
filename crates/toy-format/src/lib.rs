//! The formatter: a program in the layout of the style guide (LANGUAGE.md, "Layout").
//!
//! Input: a [`Source`]. Output: its text with other white space, or its syntax errors. Invariants: the tokens
//! and the comments are the same, in the same order; formatting the result again changes nothing; the time
//! is linear in the size of the text.
//!
//! | module | contents |
//! |---|---|
//! | [`trivia`] | the text between two tokens: comments, line breaks, blank lines |
//! | [`layout`] | a program as a list of texts and gaps, and the choice of the gaps that become line breaks |
//! | [`build`] | that list for definitions and statements; `build::expressions` for expressions |
//! | [`lines`] | lines of text and the comments at their ends |
//! | [`changes`](mod@changes) | the changes that formatting makes, in parts that can be applied independently |
//!
//! ```
//! use toy_diagnostics::source::Source;
//!
//! let source = Source::new("f.toy", "def main(){print( [1,2]);}   # go");
//! assert_eq!(toy_format::format(&source).unwrap(), "def main() { print([1, 2]); }  # go\n");
//! ```

#![deny(missing_docs)]

mod build;
mod changes;
mod layout;
mod lines;
mod trivia;

#[cfg(test)]
mod tests;

pub use changes::Change;

use toy_diagnostics::source::Source;
use toy_diagnostics::{Diagnosed, Diagnostic, codes};
use toy_syntax::ast::Module;
use toy_syntax::{lexer, parse};

/// The longest line that the formatter makes if it can.
pub const WIDTH: usize = 100;

/// The program in the layout of the style guide; a program with syntax errors is not formatted.
pub fn format(source: &Source) -> Diagnosed<String> {
    Ok(formatted(source)?.1)
}

/// The changes that formatting makes, in source order; each can be applied without the others. A program with syntax
/// errors is not formatted.
pub fn changes(source: &Source) -> Diagnosed<Vec<Change>> {
    let (module, formatted) = formatted(source)?;
    changes::between(&source.text, &module, &formatted).ok_or_else(|| would_change(source))
}

/// The tree of a program, and its text in the layout.
fn formatted(source: &Source) -> Diagnosed<(Module, String)> {
    let (module, errors) = parse(source);
    if !errors.is_empty() {
        return Err(errors);
    }
    let (tokens, _) = lexer::lex(source);
    let layout = build::build(&module, &tokens, &source.text);
    let formatted = layout.print(trivia::line_ending(&source.text));
    let formatted = match source.text.starts_with(trivia::BYTE_ORDER_MARK) {
        true => format!("{}{formatted}", trivia::BYTE_ORDER_MARK),
        false => formatted,
    };
    let after = Source::new(source.name.as_str(), formatted);
    if !same_tokens(source, &after) {
        // A user's file is about to be replaced, and the check is cheap.
        return Err(would_change(source));
    }
    Ok((module, after.text.clone()))
}

fn would_change(source: &Source) -> Vec<Diagnostic> {
    let message = format!("internal error: formatting `{}` would change its tokens", source.name);
    let help = "please report it with the program; the file is left alone";
    vec![Diagnostic::error(codes::INTERNAL, message).help(help)]
}

/// True if the two texts have the same tokens.
fn same_tokens(left: &Source, right: &Source) -> bool {
    let (left, right) = (lexer::lex(left).0, lexer::lex(right).0);
    left.iter().map(|(token, _)| token).eq(right.iter().map(|(token, _)| token))
}
