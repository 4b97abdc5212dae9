//! Branches and loops that need more than one token to be recognized, and those that Toy does not have.
//!
//! Input: the position after `if`, `while` or `for`, or one at which a statement may start. Output: whether
//! parentheses are around all of a condition; the header of a loop as C has it; the word of another language's
//! statement, all of which is skipped. Invariant: looking ahead ends where the next statement starts, so all of it
//! together is linear.

use super::OpenBrackets;
use crate::ast::{BinaryOperator, Name};
use crate::foreign::{Context, advice, advised};
use crate::rule::*;

/// Succeeds, without consuming anything, where a condition in parentheses starts, and not just an operand in
/// parentheses as in `if (a) && (b) {`.
pub fn condition_in_parentheses<'t>(program: Program<'t>) -> Rule<'t, ()> {
    rule(program, move |reader| {
        // A closing parenthesis may be missing.
        let end = program.closing_parenthesis(reader.start, 0);
        let goes_on = end.and_then(|end| program.token(end + 1)).is_some_and(|next| {
            let word = matches!(next, Token::Identifier("and" | "or"));
            word || BinaryOperator::of_token(next).is_some()
                || matches!(next, Token::Dot | Token::OpenBracket)
        });
        (reader.token(0) == Some(Token::OpenParen) && !goes_on).then_some(())
    })
}

/// The parentheses of `for (i = 0; i < n; i++)`, with the variable, if one can be found.
pub fn c_header<'t>(program: Program<'t>) -> Rule<'t, (Option<Name>, Span)> {
    rule(program, move |reader| {
        let start = reader.start;
        let has_in = (1..4).any(|count| reader.token(count) == Some(Token::In));
        reader.token(0).filter(|token| *token == Token::OpenParen && !has_in)?;
        // Without the closing parenthesis, the header is the rest of the line.
        let goes_on = |index: &usize| {
            let is_brace =
                matches!(program.token(*index), Some(Token::OpenBrace | Token::CloseBrace));
            !is_brace && !program.is_on_new_line(*index)
        };
        let line_end = || (start..program.tokens.len()).take_while(goes_on).last();
        let end = program.closing_parenthesis(start, 2).or_else(line_end).unwrap_or(start);
        let inner = program.tokens.get(start + 1..end).unwrap_or_default();
        let span = reader.span().to(program.tokens[end].1);
        let name = inner.windows(2).find_map(|pair| match pair {
            [(Token::Identifier(name), span), (Token::Equals | Token::Colon, _)] => {
                Some(Name { text: (*name).to_owned(), span: *span })
            }
            _ => None,
        });
        let diagnostic =
            syntax_error("a loop runs over a range", span, "expected a variable and a range");
        reader.emit(match program.range_of_c(inner) {
            Some(range) => diagnostic.fix(format!("write `for {range}`"), span, range),
            None => advised(diagnostic, Context::Statement, "for (", span),
        });
        reader.skip(end + 1 - start);
        Some((name, span))
    })
}

/// A loop or a branch as other languages write them: a word and, before the statement ends, a block.
/// It is skipped as a whole; the result is the word with its place. (Such words are names in Toy, but for `else`.)
pub fn foreign_statement<'t>(program: Program<'t>) -> Rule<'t, (&'t str, Span)> {
    rule(program, move |reader| {
        let mut end = program.end_of_foreign_statement(reader.start)?;
        // A chain of branches is one statement.
        while matches!(program.token(end), Some(Token::Else | Token::Identifier("elif")))
            && let Some(next) = program.end_of_foreign_statement(end)
        {
            end = next;
        }
        // The condition of `do { ... } while (c);`.
        if reader.token(0) == Some(Token::Identifier("do"))
            && matches!(program.token(end), Some(Token::While | Token::Identifier("until")))
        {
            let is_end = |index: &usize| {
                let token = program.token(*index);
                matches!(token, None | Some(Token::Semicolon | Token::CloseBrace | Token::Def))
            };
            end = (end..).find(is_end).unwrap_or(end);
            end += usize::from(program.token(end) == Some(Token::Semicolon));
        }
        reader.skip(end - reader.start);
        Some((reader.token(0)?.spelling(), reader.span()))
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

    /// The brace of the block of another language's loop or branch that starts at the token, if any.
    pub fn foreign_block(&self, start: usize) -> Option<usize> {
        self.token(start).filter(is_foreign_word)?;
        let mut open = OpenBrackets::default();
        let mut index = start + 1;
        loop {
            let token = self.token(index)?;
            let outside = open.closing.is_empty();
            match token {
                Token::Equals if index == start + 1 => return None,
                Token::Semicolon | Token::CloseBrace if outside => return None,
                Token::OpenBrace if outside && !self.is_in_expression(index) => return Some(index),
                // The next statement, so that looking ahead is linear.
                token if self.is_on_new_line(index) && is_foreign_word(&token) => return None,
                Token::If | Token::In | Token::Var => {}
                token if token.is_keyword() => return None,
                _ => open.pass(token),
            }
            index += 1;
        }
    }

    /// The index of the token after the block.
    fn end_of_foreign_statement(&self, start: usize) -> Option<usize> {
        let mut open = OpenBrackets::default();
        let mut index = self.foreign_block(start)?;
        loop {
            match self.token(index) {
                None | Some(Token::Def) => return Some(index),
                Some(token) => open.pass(token),
            }
            index += 1;
            if open.closing.is_empty() {
                return Some(index);
            }
        }
    }
}

/// True for words that start a loop or a branch in another language, or that follow an `if`.
fn is_foreign_word(token: &Token<'_>) -> bool {
    let has_row = |context| advice(context, token.spelling()).is_some();
    *token == Token::Else || has_row(Context::Else) || has_row(Context::Statement)
}
