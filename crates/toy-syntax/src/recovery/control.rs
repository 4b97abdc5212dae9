//! Rules that look ahead in the header of a branch or a loop.
//!
//! Input: the position after `if`, `while` or `for`. Output: whether parentheses are around all of a condition, and
//! the header of a loop as C has it. Invariant: looking ahead ends where the next statement starts, so all of it
//! together is linear.

use super::{Extra, OpenBrackets, Program, Tokens, position};
use crate::ast::{BinaryOperator, Name};
use crate::foreign::{Context, advised};
use crate::parse_error::ParseError;
use crate::token::Token;
use chumsky::prelude::*;
use toy_diagnostics::source::Span;
use toy_diagnostics::{Diagnostic, codes};

/// Succeeds, without consuming anything, where a condition in parentheses starts, and not just an operand in
/// parentheses as in `if (a) && (b) {`.
pub fn condition_in_parentheses<'t>(
    program: Program<'t>,
) -> impl Parser<'t, Tokens<'t>, (), Extra> + Clone {
    custom(move |input| {
        let index = position(input);
        // A closing parenthesis may be missing.
        let next = program.closing_parenthesis(index, 0).and_then(|end| program.token(end + 1));
        let goes_on = next.is_some_and(|next| {
            let word = matches!(next, Token::Identifier("and" | "or"));
            word || BinaryOperator::of_token(next).is_some()
                || matches!(next, Token::Dot | Token::OpenBracket)
        });
        match program.token(index) {
            Some(Token::OpenParen) if !goes_on => Ok(()),
            _ => Err(program.silent_error(index)),
        }
    })
}

/// The parentheses of `for (i = 0; i < n; i++)`, with the variable, if one can be found.
pub fn c_header<'t>(
    program: Program<'t>,
) -> impl Parser<'t, Tokens<'t>, (Option<Name>, Span), Extra> + Clone {
    custom(move |input| {
        let start = position(input);
        let has_in = (start + 1..start + 4).any(|at| program.token(at) == Some(Token::In));
        if program.token(start) != Some(Token::OpenParen) || has_in {
            return Err(program.silent_error(start));
        }
        // Without the closing parenthesis, the header is the rest of the line.
        let goes_on = |index: &usize| {
            let is_brace =
                matches!(program.token(*index), Some(Token::OpenBrace | Token::CloseBrace));
            !is_brace && !program.is_on_new_line(*index)
        };
        let line_end = || (start..program.tokens.len()).take_while(goes_on).last();
        let end = program.closing_parenthesis(start, 2).or_else(line_end).unwrap_or(start);
        let inner = program.tokens.get(start + 1..end).unwrap_or_default();
        let span = program.tokens[start].1.to(program.tokens[end].1);
        let name = inner.windows(2).find_map(|pair| match pair {
            [(Token::Identifier(name), span), (Token::Equals | Token::Colon, _)] => {
                Some(Name { text: (*name).to_owned(), span: *span })
            }
            _ => None,
        });
        let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, "a loop runs over a range")
            .label(span, "expected a variable and a range");
        let diagnostic = match program.range_of_c(inner) {
            Some(range) => diagnostic.fix(format!("write `for {range}`"), span, range),
            None => advised(diagnostic, Context::Statement, "for (", span),
        };
        input.emit(ParseError::Reported(Box::new(diagnostic)));
        (start..=end).for_each(|_| input.skip());
        Ok((name, span))
    })
}

impl Program<'_> {
    /// The parenthesis that closes the one at the token, if there is one, unless a block or a definition starts before
    /// it, or more statements than this end.
    fn closing_parenthesis(&self, open: usize, mut semicolons: usize) -> Option<usize> {
        let mut brackets = OpenBrackets::default();
        let mut index = open;
        self.token(open).filter(|token| *token == Token::OpenParen)?;
        loop {
            let token = self.token(index)?;
            match token {
                Token::Semicolon => semicolons = semicolons.checked_sub(1)?,
                Token::In | Token::Var => {}
                Token::OpenBrace if !self.is_in_expression(index) => return None,
                Token::CloseBrace if !brackets.closed_by(token) => return None,
                token if token.is_keyword() => return None,
                _ => {}
            }
            brackets.pass(token);
            if brackets.closing.is_empty() {
                return Some(index);
            }
            index += 1;
        }
    }

    /// `i in a..b` for the tokens of `i = a; i < b; i++`.
    fn range_of_c(&self, header: &[(Token<'_>, Span)]) -> Option<String> {
        let mut parts = header.split(|(token, _)| *token == Token::Semicolon);
        let (start, end, step) = (parts.next()?, parts.next()?, parts.next()?);
        let text = |tokens: &[(Token<'_>, Span)]| {
            let (first, last) = (tokens.first()?, tokens.last()?);
            Some(self.snippet(first.1.to(last.1)).to_owned())
        };
        let assignment = start.iter().position(|(token, _)| *token == Token::Equals)?;
        let (name, _) = start.get(assignment.checked_sub(1)?)?;
        let [(compared, _), (Token::Less, _), bound @ ..] = end else { return None };
        let [(stepped, _), (Token::Plus, _), (Token::Plus, _)] = step else { return None };
        if name != compared || name != stepped {
            return None;
        }
        let first = text(start.get(assignment + 1..)?)?;
        Some(format!("{} in {first}..{}", name.spelling(), text(bound)?))
    }
}
