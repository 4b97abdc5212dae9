//! Finds the block that most likely lacks its `}`, because only the indentation closes it, and the `}` that most likely
//! is one too many, because the indentation does not.
//!
//! Input: the tokens from the outermost open brace on, or the end of a definition, as far as the parser got. Output: the
//! brace, and where the indentation says that the unclosed block ends; None if the indentation fits.

use crate::program::Program;
use crate::token::Token;
use toy_diagnostics::source::Span;

/// An open brace.
struct Open {
    span: Span,
    /// The indentation of its line.
    indentation: usize,
    /// True if a line in it has been found to be indented more.
    is_indented: bool,
}

/// The brace, and the index of the token that the missing one should precede.
pub fn most_likely_unclosed(
    program: Program<'_>,
    range: std::ops::Range<usize>,
) -> Option<(Span, usize)> {
    let mut open: Vec<Open> = Vec::new();
    let mut line = 0;
    let mut nested = 0usize;
    for index in range {
        let (token, span) = program.tokens.get(index)?;
        let starts_line = program.is_on_new_line(index);
        if starts_line {
            line = indentation(program.text, span.start as usize);
        }
        let closes = *token == Token::CloseBrace;
        // Not the lines of one expression.
        if starts_line
            && nested == 0
            && let Some(last) = open.last_mut()
        {
            if line > last.indentation {
                last.is_indented = true;
            } else if last.is_indented && (!closes || line < last.indentation) {
                return Some((last.span, index));
            }
        }
        match token {
            Token::OpenBrace => {
                open.push(Open { span: *span, indentation: line, is_indented: false });
            }
            Token::CloseBrace => {
                open.pop();
                nested = 0;
            }
            Token::OpenParen | Token::OpenBracket => nested += 1,
            Token::CloseParen | Token::CloseBracket => nested = nested.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// A `}` of the definition that ends before the token: it starts a line that is not indented like the line of its `{`,
/// or it follows other text in a line, and its `{` is in another line.
pub fn most_likely_surplus(program: Program<'_>, end: usize) -> Option<Span> {
    let start = (0..end).rfind(|index| program.is_definition(*index))?;
    let mut open: Vec<(usize, usize)> = Vec::new();
    let (mut line, mut number) = (0, 0usize);
    for index in start..end {
        let (token, span) = program.tokens.get(index)?;
        let starts_line = program.is_on_new_line(index);
        if starts_line {
            line = indentation(program.text, span.start as usize);
            number += 1;
        }
        match token {
            Token::OpenBrace => open.push((line, number)),
            Token::CloseBrace => {
                let (indentation, opened) = open.pop()?;
                if opened != number && (!starts_line || indentation != line) {
                    return Some(*span);
                }
            }
            _ => {}
        }
    }
    None
}

/// The characters before the first one of the line that is not white space.
pub fn indentation(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    before.len() - before.rfind(['\n', '\r']).map_or(0, |end| end + 1)
}
