//! Text to tokens.

use crate::errors::{Diagnostic, Span};
use logos::Logos;
use std::fmt;

#[derive(Logos, Clone, Copy, Debug, PartialEq)]
#[logos(skip r"[ \t\r\n]+")]
#[logos(skip(r"#[^\n]*", allow_greedy = true))]
pub enum Token<'s> {
    #[regex("def|var|return|if|else|while", |lexer| lexer.slice())]
    Keyword(&'s str),
    #[regex("[a-zA-Z_][a-zA-Z0-9_]*", |lexer| lexer.slice())]
    Name(&'s str),
    #[regex(r"[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?", |lexer| finite(lexer.slice()))]
    Number(f64),
    #[regex(r"[<>=!]=|[-+*/=<>(){}\[\],;]", |lexer| lexer.slice())]
    Symbol(&'s str),
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Token::Keyword(text) | Token::Name(text) | Token::Symbol(text) => {
                write!(formatter, "{text}")
            }
            Token::Number(number) => write!(formatter, "{number}"),
        }
    }
}

/// The tokens and where each is in the text.
pub fn lex(source: &str) -> Result<Vec<(Token<'_>, Span)>, Vec<Diagnostic>> {
    let (mut tokens, mut errors) = (Vec::new(), Vec::new());
    for (token, range) in Token::lexer(source).spanned() {
        let span = Span::from(range);
        let Ok(token) = token else {
            let text = &source[span.into_range()];
            errors.push(Diagnostic::new(span, format!("`{text}` is not part of Toy")));
            continue;
        };
        tokens.push((token, span));
    }
    errors.extend(check_nesting(&tokens).err());
    if errors.is_empty() { Ok(tokens) } else { Err(errors) }
}

/// `1e999` is not a number that we can compute with.
fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// How deeply brackets may be nested, and how many operators a statement may have: each
/// is a level of the tree, and takes some of the stack of those who walk over it.
const MAX_BRACKETS: i32 = 100;
const MAX_OPERATORS: i32 = 1000;
/// And blocks: MLIR needs twice the time for each further loop around a loop.
const MAX_BLOCKS: i32 = 10;

fn check_nesting(tokens: &[(Token, Span)]) -> Result<(), Diagnostic> {
    let (mut brackets, mut operators, mut blocks) = (0, 0, 0);
    for (token, span) in tokens {
        match token {
            Token::Symbol("(" | "[") => brackets += 1,
            Token::Symbol(")" | "]") => brackets -= 1,
            Token::Symbol("{") => blocks += 1,
            Token::Symbol("}") => blocks -= 1,
            Token::Symbol("+" | "-" | "*" | "/") => operators += 1,
            Token::Symbol(";") => operators = 0,
            _ => {}
        }
        if brackets > MAX_BRACKETS || operators > MAX_OPERATORS || blocks > MAX_BLOCKS {
            return Err(Diagnostic::new(*span, "this is nested too deeply"));
        }
    }
    Ok(())
}
