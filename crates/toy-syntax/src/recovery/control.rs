//! Whether a branch or a loop starts here. The words of both are names elsewhere.
//!
//! Input: a position at which a statement may start. Output: whether one of Toy's branches or loops starts
//! there, also a damaged one. Invariants: no statement that is valid without branches and loops is one
//! (`if (x);` is a call, `for i = {1};` a definition); looking ahead ends where the next statement starts,
//! so all of it together is linear.

use super::{Extra, OpenBrackets, Program, Tokens, binary, position};
use crate::ast::Name;
use crate::parse_error::ParseError;
use crate::token::Token;
use chumsky::prelude::*;
use toy_diagnostics::source::Span;
use toy_diagnostics::{Diagnostic, codes};

/// The `if` or `while` of a statement.
pub fn conditional_word<'t>(
    program: Program<'t>,
    word: &'static str,
) -> impl Parser<'t, Tokens<'t>, Span, Extra> + Clone {
    starting_word(program, move |index| program.is_conditional(index, word))
}

/// The `for` of a statement.
pub fn for_word<'t>(program: Program<'t>) -> impl Parser<'t, Tokens<'t>, Span, Extra> + Clone {
    starting_word(program, move |index| program.is_for(index))
}

/// The word, wherever it is.
pub fn word<'t>(
    program: Program<'t>,
    word: &'static str,
) -> impl Parser<'t, Tokens<'t>, Span, Extra> + Clone {
    starting_word(program, move |index| program.token(index) == Some(Token::Identifier(word)))
}

fn starting_word<'t>(
    program: Program<'t>,
    starts: impl Fn(usize) -> bool + Clone,
) -> impl Parser<'t, Tokens<'t>, Span, Extra> + Clone {
    custom(move |input| {
        let index = position(input);
        if !starts(index) {
            return Err(program.silent_error(index));
        }
        input.skip();
        Ok(program.tokens[index].1)
    })
}

/// Succeeds, without consuming anything, where a condition in parentheses starts, and not just an operand in
/// parentheses as in `if (a) && (b) {`.
pub fn condition_in_parentheses<'t>(
    program: Program<'t>,
) -> impl Parser<'t, Tokens<'t>, (), Extra> + Clone {
    custom(move |input| {
        let index = position(input);
        let is_condition = program.token(index) == Some(Token::OpenParen)
            && match program.closing_parenthesis(index, 0) {
                // The closing parenthesis is missing.
                None => true,
                Some(close) => !program.continues_expression(close + 1),
            };
        if is_condition { Ok(()) } else { Err(program.silent_error(index)) }
    })
}

/// Succeeds, without consuming anything, where a branch or a loop starts.
pub fn control_without_braces<'t>(
    program: Program<'t>,
) -> impl Parser<'t, Tokens<'t>, (), Extra> + Clone {
    custom(move |input| {
        let index = position(input);
        let is_control = program.is_conditional(index, "if")
            || program.is_conditional(index, "while")
            || program.is_for(index);
        if is_control { Ok(()) } else { Err(program.silent_error(index)) }
    })
}

/// Succeeds, without consuming anything, where a statement starts, and not a block.
pub fn statement_without_braces<'t>(
    program: Program<'t>,
) -> impl Parser<'t, Tokens<'t>, (), Extra> + Clone {
    custom(move |input| {
        let index = position(input);
        if program.is_statement_without_braces(index) {
            Ok(())
        } else {
            Err(program.silent_error(index))
        }
    })
}

impl Program<'_> {
    pub fn is_conditional(&self, index: usize, word: &str) -> bool {
        if self.token(index) != Some(Token::Identifier(word)) {
            return false;
        }
        match (self.token(index + 1), self.token(index + 2)) {
            // An assignment, or the definition of a struct.
            (Some(Token::Equals), _) | (Some(Token::Identifier(_)), Some(Token::Equals)) => false,
            (Some(Token::OpenParen), _) => match self.closing_parenthesis(index + 1, 0) {
                None => self.block_before_end(index + 1),
                Some(close) => {
                    self.token(close + 1) == Some(Token::OpenBrace)
                        || self.is_statement_without_braces(close + 1)
                        || self.continues_expression(close + 1) && self.block_before_end(close + 1)
                }
            },
            _ => self.block_before_end(index + 1),
        }
    }

    fn is_for(&self, index: usize) -> bool {
        if self.token(index) != Some(Token::Identifier("for")) {
            return false;
        }
        match (self.token(index + 1), self.token(index + 2)) {
            (Some(Token::Identifier(_)), Some(Token::Identifier("in"))) => true,
            (Some(Token::Equals), _) => false,
            (Some(Token::Identifier(_)), Some(Token::Equals))
                if self.token(index + 3) == Some(Token::OpenBrace) =>
            {
                false
            }
            (Some(Token::OpenParen), _) => match self.closing_parenthesis(index + 1, 2) {
                None => false,
                Some(close) => {
                    self.token(close + 1) == Some(Token::OpenBrace)
                        || self.is_statement_without_braces(close + 1)
                }
            },
            _ => self.block_before_end(index + 1),
        }
    }

    /// The parenthesis that closes this one, unless a block or a definition starts before it, or more
    /// statements than this end.
    fn closing_parenthesis(&self, open: usize, mut semicolons: usize) -> Option<usize> {
        let mut brackets = OpenBrackets::default();
        let mut index = open;
        loop {
            let token = self.token(index)?;
            match token {
                Token::Semicolon => semicolons = semicolons.checked_sub(1)?,
                Token::Def | Token::Struct | Token::Return => return None,
                Token::OpenBrace if !self.is_in_expression(index) => return None,
                Token::CloseBrace if !brackets.closed_by(token) => return None,
                _ if index > open && self.is_next_statement(index) => return None,
                _ => {}
            }
            brackets.pass(token);
            if brackets.closing.is_empty() {
                return Some(index);
            }
            index += 1;
        }
    }

    /// Whether a block starts before the statement ends.
    fn block_before_end(&self, start: usize) -> bool {
        let mut brackets = OpenBrackets::default();
        let mut index = start;
        loop {
            let outside = brackets.closing.is_empty();
            match self.token(index) {
                None | Some(Token::Semicolon | Token::Def | Token::Struct | Token::Return) => {
                    return false;
                }
                Some(Token::CloseBrace) if outside => return false,
                Some(Token::OpenBrace) if !self.is_in_expression(index) => {
                    return index > start || self.is_on_line_of_previous(index);
                }
                Some(_) if index > start && self.is_next_statement(index) => return false,
                Some(token) => brackets.pass(token),
            }
            index += 1;
        }
    }

    fn is_on_line_of_previous(&self, index: usize) -> bool {
        !self.is_on_new_line(index)
    }

    /// Whether a statement seems to start at this line, inside brackets that are not closed. Where an operand is
    /// missing, the word is a name.
    fn is_next_statement(&self, index: usize) -> bool {
        let before = index.checked_sub(1).and_then(|before| self.token(before));
        let needs_operand = before.is_some_and(|token| {
            let opens = matches!(token, Token::OpenParen | Token::OpenBracket | Token::OpenBrace);
            let separates = matches!(token, Token::Comma | Token::Colon | Token::Not);
            opens || separates || binary(token).is_some()
        });
        matches!(self.token(index), Some(Token::Identifier("if" | "while" | "for")))
            && self.is_on_new_line(index)
            && !needs_operand
    }

    /// Whether the token continues an expression that could end before it.
    fn continues_expression(&self, index: usize) -> bool {
        let binary = self.token(index).and_then(binary);
        binary.is_some()
            || matches!(
                self.token(index),
                Some(
                    Token::Dot
                        | Token::OpenBracket
                        | Token::Equals
                        | Token::Identifier("and" | "or")
                )
            )
    }

    fn is_statement_without_braces(&self, index: usize) -> bool {
        matches!(self.token(index), Some(Token::Identifier(_) | Token::Var | Token::Return))
            && !self.continues_expression(index)
    }
}

/// The parentheses of `for (i = 0; i < n; i++)`, with the variable, if one can be found.
pub fn c_header<'t>(
    program: Program<'t>,
) -> impl Parser<'t, Tokens<'t>, (Option<Name>, Span), Extra> + Clone {
    custom(move |input| {
        let start = position(input);
        let is_open = program.token(start) == Some(Token::OpenParen);
        let has_name_in = (1..3).any(|at| {
            program.token(start + at) == Some(Token::Identifier("in"))
                || program.token(start + 1 + at) == Some(Token::Identifier("in"))
        });
        let close = program.closing_parenthesis(start, 2).filter(|_| is_open && !has_name_in);
        let Some(close) = close else { return Err(program.silent_error(start)) };
        let span = program.tokens[start].1.to(program.tokens[close].1);
        let inner = &program.tokens[start + 1..close];
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
            None => diagnostic.help("write `for i in 0..n { ... }`, or a `while` loop"),
        };
        input.emit(ParseError::Reported(Box::new(diagnostic)));
        (start..=close).for_each(|_| input.skip());
        Ok((name, span))
    })
}

impl Program<'_> {
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
