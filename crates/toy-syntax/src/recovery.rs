//! Error recovery of the parser: rules that skip tokens to where parsing can resume.
//!
//! Input: the token at which a rule failed. Output: the position at which parsing resumes.
//! Invariants: skipping treats balanced brackets as a unit; it never skips a closing bracket that an
//! enclosing rule expects, nor (outside of braces) `;`, `var`, `return` or the line of a branch or a
//! loop, nor ever `def`, or a `struct` that starts a line. Hence the parser never nests deeper than the
//! brackets of the text.

mod control;
mod lookahead;

pub use control::*;
pub use lookahead::*;

use super::ast::{BinaryOperator, Name};
use super::rule::*;

/// The token at which skipping ends.
#[derive(Clone, Copy, PartialEq)]
pub enum Goal {
    /// The closing bracket (or the `>`), which is skipped as well.
    Closing(Token<'static>),
    /// The `;` of a statement or a statement on a new line; not skipped.
    EndOfStatement,
    /// A `{` or the first statement of a body; not skipped.
    Block,
    /// A `def`, or a `struct` that starts a line; not skipped.
    Definition,
}

/// The result of skipping.
#[derive(Default)]
pub struct Skipped {
    /// A variable that the skipped tokens seem to define.
    pub defined: Option<Name>,
    /// True if there were names or assignments, so that a definition may be lost.
    pub names: bool,
    /// The number of skipped tokens.
    pub count: usize,
}

/// Skips to the goal, or to a token that must not be skipped; may skip nothing.
pub fn skip_to<'t>(program: Program<'t>, goal: Goal) -> Rule<'t, Skipped> {
    rule(program, move |reader| Some(skip(program, goal, reader)))
}

/// As [`skip_to`], but fails if there is nothing to skip, for repeated rules.
pub fn skip_some<'t>(program: Program<'t>, goal: Goal) -> Rule<'t, Skipped> {
    rule(program, move |reader| Some(skip(program, goal, reader)).filter(|it| it.count > 0))
}

/// The end of a statement whose `;` is missing: succeeds, without skipping, if the next token can only
/// start a new statement or end the block.
pub fn statement_ends_here<'t>(program: Program<'t>) -> Rule<'t, ()> {
    rule(program, move |reader| {
        let ends = match reader.token(0) {
            None | Some(Token::CloseBrace | Token::Var | Token::Return) => true,
            Some(token) => {
                program.is_definition(reader.start)
                    || !token.is_closing() && program.is_on_new_line(reader.start)
            }
        };
        ends.then_some(())
    })
}

/// The empty span before the next token.
pub fn here<'t>(program: Program<'t>) -> Rule<'t, Span> {
    rule(program, |reader| Some(Span::at(reader.span().start)))
}

impl Program<'_> {
    /// True if a definition starts here: at `def` and a name, or at a `def` or `struct` that starts a
    /// line.
    pub(super) fn is_definition(&self, index: usize) -> bool {
        match self.tokens.get(index) {
            // Otherwise it is a keyword in the position of a name.
            Some((Token::Def, _))
                if matches!(self.token(index + 1), Some(Token::Identifier(_))) =>
            {
                true
            }
            Some((Token::Def | Token::Struct, span)) => {
                let before = self.text.get(..span.start as usize).unwrap_or("");
                before.is_empty() || before.ends_with(['\n', '\r'])
            }
            _ => false,
        }
    }

    /// True if a brace can only start a struct literal, judging by the token before it.
    fn is_in_expression(&self, index: usize) -> bool {
        let before = index.checked_sub(1).and_then(|before| self.token(before));
        before.is_some_and(|before| {
            matches!(
                before,
                Token::Equals | Token::Comma | Token::Return | Token::Not | Token::Colon
            ) || before.closing().is_some()
                || BinaryOperator::of_token(before).is_some()
        })
    }
}

fn skip<'t>(program: Program<'t>, goal: Goal, reader: &mut Reader<'_, 't, '_>) -> Skipped {
    let start = reader.start;
    let mut skipped = Skipped::default();
    let mut closed = false;
    let mut open = OpenBrackets::default();
    let mut end = start;
    while let Some(token) = program.token(end) {
        let outside = open.closing.is_empty();
        if outside && matches!(goal, Goal::Closing(closing) if closing == token) {
            closed = true;
            end += 1;
            break;
        }
        if outside && is_goal(program, goal, start, end, token) {
            break;
        }
        let in_braces = open.closed_by(Token::CloseBrace);
        let stops = match token {
            Token::Def | Token::Struct => program.is_definition(end),
            Token::Semicolon | Token::Var | Token::Return => {
                !in_braces && goal != Goal::Definition && goal != Goal::Block
            }
            token if token.starts_control() => {
                !in_braces && matches!(goal, Goal::Closing(_)) && program.is_on_new_line(end)
            }
            Token::OpenBrace => matches!(goal, Goal::Closing(_)) && !program.is_in_expression(end),
            // In braces it follows a field name that should not be there.
            Token::Equals => {
                matches!(goal, Goal::Closing(closing) if closing != Token::CloseBrace)
            }
            Token::CloseBrace => !in_braces && goal != Goal::Definition,
            token if token.is_closing() && !open.closed_by(token) => {
                // Inside a bracket it may be the one that an enclosing rule expects.
                matches!(goal, Goal::Closing(_))
            }
            _ => false,
        };
        if stops {
            break;
        }
        open.pass(token);
        note_names(program, end, outside, &mut skipped);
        end += 1;
        // A group in braces ends a statement, as in languages with loops and conditions.
        if token == Token::CloseBrace
            && open.closing.is_empty()
            && goal == Goal::EndOfStatement
            && program.token(end) != Some(Token::Else)
        {
            break;
        }
    }
    skipped.count = end - start;
    reader.skip(skipped.count);
    if skipped.count > 0 && !closed {
        let (start, end) = (program.start_of(start), program.start_of(end));
        reader.emit(ParseError::Skipped { start, end });
    }
    skipped
}

/// The brackets opened and not closed since skipping began, with counts, because they may be many
/// and are queried at every token.
#[derive(Default)]
struct OpenBrackets<'t> {
    /// The brackets that close them.
    closing: Vec<Token<'t>>,
    braces: usize,
    brackets: usize,
    parentheses: usize,
}

impl<'t> OpenBrackets<'t> {
    fn count(&mut self, closing: Token<'t>) -> &mut usize {
        match closing {
            Token::CloseBrace => &mut self.braces,
            Token::CloseBracket => &mut self.brackets,
            _ => &mut self.parentheses,
        }
    }

    fn closed_by(&mut self, closing: Token<'t>) -> bool {
        *self.count(closing) > 0
    }

    /// A closing bracket also closes the unclosed brackets inside its own pair.
    fn pass(&mut self, token: Token<'t>) {
        if let Some(closing) = token.closing() {
            self.closing.push(closing);
            *self.count(closing) += 1;
        } else if token.is_closing() && self.closed_by(token) {
            while let Some(closed) = self.closing.pop() {
                *self.count(closed) -= 1;
                if closed == token {
                    break;
                }
            }
        }
    }
}

fn is_goal(program: Program<'_>, goal: Goal, start: usize, at: usize, token: Token<'_>) -> bool {
    match goal {
        Goal::Closing(_) => false,
        Goal::EndOfStatement => {
            token == Token::Semicolon || at > start && program.is_on_new_line(at)
        }
        Goal::Block => {
            matches!(token, Token::OpenBrace | Token::Var | Token::Return) || token.starts_control()
        }
        Goal::Definition => {
            let body = program.token(at + 2) == Some(Token::OpenBrace);
            program.is_definition(at) || token == Token::Struct && body
        }
    }
}

fn note_names(program: Program<'_>, index: usize, outside: bool, skipped: &mut Skipped) {
    let Some((token, span)) = program.tokens.get(index) else { return };
    skipped.names |= matches!(token, Token::Identifier(_) | Token::Equals);
    let Token::Identifier(name) = token else { return };
    let is_defined = matches!(program.token(index + 1), Some(Token::Equals | Token::Less));
    if outside && is_defined && skipped.defined.is_none() {
        skipped.defined = Some(Name { text: (*name).to_owned(), span: *span });
    }
}
