//! Finds the block that most likely lacks its `}`: the indentation closes it and the text does not.
//!
//! Input: the tokens from the outermost open brace on, as far as the parser got. Output: the brace of that block, and
//! where the indentation says that it ends; None if the lines are not indented.

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

/// The characters before the first one of the line that is not white space.
fn indentation(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    before.len() - before.rfind(['\n', '\r']).map_or(0, |end| end + 1)
}
