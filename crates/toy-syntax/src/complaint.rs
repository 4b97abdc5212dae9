//! What the grammar's parsers complain about, and how that becomes a diagnostic in human words.
//!
//! Input: the complaints of one parse: at which token what would have been possible. Output:
//! diagnostics, at most one for one mistake. Invariants: of several complaints about one token the
//! first counts; nothing is said about text the lexer or an earlier complaint has dealt with.

mod advice;

use super::token::Token;
use advice::Advice;
use chumsky::DefaultExpected;
use chumsky::error::{Error, LabelError};
use chumsky::input::Input;
use chumsky::util::MaybeRef;
use toy_diagnostics::source::Span;
use toy_diagnostics::{Diagnostic, codes};

#[derive(Clone, Debug)]
pub enum Complaint {
    /// The token at `found` (empty at the end of the file) is none of those wanted.
    Unexpected { found: Span, wanted: Wanted },
    /// Recovery skipped the tokens from `start` to before `end` without finding what it looked
    /// for; no message, but a reason not to complain about the token at `end` as well.
    Skipped { start: u32, end: u32 },
    /// The words are made already.
    Made(Box<Diagnostic>),
}

/// A set of things the grammar could go on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted(u32);

impl Wanted {
    /// Possible but not worth mentioning: the operators that could follow every expression.
    pub const NOTHING: Wanted = Wanted(0);
    pub const DEFINITION: Wanted = Wanted(1);
    pub const FUNCTION_NAME: Wanted = Wanted(1 << 1);
    pub const PARAMETER_NAME: Wanted = Wanted(1 << 2);
    pub const VARIABLE_NAME: Wanted = Wanted(1 << 3);
    pub const STATEMENT: Wanted = Wanted(1 << 4);
    pub const EXPRESSION: Wanted = Wanted(1 << 5);
    pub const ELEMENT: Wanted = Wanted(1 << 6);
    pub const DIMENSION: Wanted = Wanted(1 << 7);
    pub const OPEN_PAREN: Wanted = Wanted(1 << 8);
    pub const OPEN_BRACE: Wanted = Wanted(1 << 9);
    pub const EQUALS: Wanted = Wanted(1 << 10);
    pub const COMMA: Wanted = Wanted(1 << 11);
    pub const CLOSE_PAREN: Wanted = Wanted(1 << 12);
    pub const CLOSE_BRACKET: Wanted = Wanted(1 << 13);
    pub const CLOSE_BRACE: Wanted = Wanted(1 << 14);
    pub const GREATER: Wanted = Wanted(1 << 15);
    pub const SEMICOLON: Wanted = Wanted(1 << 16);

    pub const STRUCT_NAME: Wanted = Wanted(1 << 17);
    pub const FIELD_NAME: Wanted = Wanted(1 << 18);
    pub const FIELD: Wanted = Wanted(1 << 19);
    pub const STRUCT: Wanted = Wanted(1 << 20);

    const WORDS: [(Wanted, &str); 21] = [
        (Wanted::DEFINITION, "`def`"),
        (Wanted::STRUCT, "`struct`"),
        (Wanted::STRUCT_NAME, "the name of the struct"),
        (Wanted::FIELD_NAME, "the name of a field"),
        (Wanted::FIELD, "a field like `var a;`"),
        (Wanted::FUNCTION_NAME, "the name of the function"),
        (Wanted::PARAMETER_NAME, "the name of a parameter"),
        (Wanted::VARIABLE_NAME, "the name of the variable"),
        (Wanted::STATEMENT, "a statement"),
        (Wanted::EXPRESSION, "an expression"),
        (Wanted::ELEMENT, "an element of the list"),
        (Wanted::DIMENSION, "a dimension"),
        (Wanted::OPEN_PAREN, "`(`"),
        (Wanted::OPEN_BRACE, "`{`"),
        (Wanted::EQUALS, "`=`"),
        (Wanted::COMMA, "`,`"),
        (Wanted::CLOSE_PAREN, "`)`"),
        (Wanted::CLOSE_BRACKET, "`]`"),
        (Wanted::CLOSE_BRACE, "`}`"),
        (Wanted::GREATER, "`>`"),
        (Wanted::SEMICOLON, "`;`"),
    ];

    fn of(token: &Token<'_>) -> Wanted {
        match token {
            Token::Def => Wanted::DEFINITION,
            Token::Struct => Wanted::STRUCT,
            Token::OpenParen => Wanted::OPEN_PAREN,
            Token::OpenBrace => Wanted::OPEN_BRACE,
            Token::Equals => Wanted::EQUALS,
            Token::Comma => Wanted::COMMA,
            Token::CloseParen => Wanted::CLOSE_PAREN,
            Token::CloseBracket => Wanted::CLOSE_BRACKET,
            Token::CloseBrace => Wanted::CLOSE_BRACE,
            Token::Greater => Wanted::GREATER,
            Token::Semicolon => Wanted::SEMICOLON,
            _ => Wanted::NOTHING,
        }
    }

    fn has(self, other: Wanted) -> bool {
        self.0 & other.0 != 0
    }

    const fn and(self, other: Wanted) -> Wanted {
        Wanted(self.0 | other.0)
    }

    /// `a`, `a or b`, `a, b or c`.
    fn words(self) -> String {
        let wanted: Vec<&str> =
            Self::WORDS.iter().filter(|(one, _)| self.has(*one)).map(|(_, words)| *words).collect();
        match wanted.split_last() {
            None => "something else".to_owned(),
            Some((last, [])) => (*last).to_owned(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
        }
    }
}

impl<'t, I: Input<'t, Token = Token<'t>, Span = Span>> Error<'t, I> for Complaint {
    fn merge(self, other: Self) -> Self {
        match (self, other) {
            (
                Complaint::Unexpected { found, wanted },
                Complaint::Unexpected { wanted: others, .. },
            ) => Complaint::Unexpected { found, wanted: wanted.and(others) },
            (first, _) => first,
        }
    }
}

impl<'t, I> LabelError<'t, I, DefaultExpected<'t, Token<'t>>> for Complaint
where
    I: Input<'t, Token = Token<'t>, Span = Span>,
{
    fn expected_found<E: IntoIterator<Item = DefaultExpected<'t, Token<'t>>>>(
        expected: E,
        _: Option<MaybeRef<'t, Token<'t>>>,
        found: Span,
    ) -> Self {
        let wanted = expected.into_iter().fold(Wanted::NOTHING, |wanted, one| match one {
            DefaultExpected::Token(token) => wanted.and(Wanted::of(&token)),
            _ => wanted,
        });
        Complaint::Unexpected { found, wanted }
    }
}

impl<'t, I> LabelError<'t, I, Wanted> for Complaint
where
    I: Input<'t, Token = Token<'t>, Span = Span>,
{
    fn expected_found<E: IntoIterator<Item = Wanted>>(
        expected: E,
        _: Option<MaybeRef<'t, Token<'t>>>,
        found: Span,
    ) -> Self {
        let wanted = expected.into_iter().fold(Wanted::NOTHING, Wanted::and);
        Complaint::Unexpected { found, wanted }
    }

    fn label_with(&mut self, label: Wanted) {
        if let Complaint::Unexpected { wanted, .. } = self {
            *wanted = label;
        }
    }
}

/// The diagnostics of one parse, in the order of the text.
pub fn into_diagnostics(
    complaints: Vec<Complaint>,
    tokens: &[(Token<'_>, Span)],
    text: &str,
) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut skips = Vec::new();
    let mut unexpected = Vec::new();
    for complaint in complaints {
        match complaint {
            Complaint::Made(diagnostic) => diagnostics.push(*diagnostic),
            Complaint::Skipped { start, end } => skips.push((end, start)),
            Complaint::Unexpected { found, wanted } => unexpected.push((found, wanted)),
        }
    }
    skips.sort_unstable();
    // A stable sort: of several complaints about a token, the innermost rule's came first.
    unexpected.sort_by_key(|(found, _)| found.start);
    let mut last: Option<u32> = None;
    for (found, wanted) in unexpected {
        let at = found.start;
        let skip = skips.partition_point(|(end, _)| *end < at);
        let reached_by_skipping = skips[skip..]
            .iter()
            .take_while(|(end, _)| *end == at)
            .any(|(_, start)| last.is_some_and(|last| last >= *start && last < at));
        let index = tokens.partition_point(|(_, span)| span.start < at);
        let is_silent = |index: usize| matches!(tokens.get(index), Some((Token::Invalid, _)));
        let known = last == Some(at)
            || reached_by_skipping
            || is_silent(index)
            || index.checked_sub(1).is_some_and(is_silent);
        last = Some(at);
        if !known {
            diagnostics.push(Mismatch { tokens, text, index, found, wanted }.describe());
        }
    }
    diagnostics
}

/// Whether a line ends between a token and the one before it.
pub fn is_on_new_line(tokens: &[(Token<'_>, Span)], text: &str, index: usize) -> bool {
    let Some(before) = index.checked_sub(1).and_then(|before| tokens.get(before)) else {
        return true;
    };
    let start = tokens.get(index).map_or(text.len(), |(_, span)| span.start as usize);
    text.get(before.1.end as usize..start).is_none_or(|between| between.contains(['\n', '\r']))
}

/// A token that is none of those wanted, with all one needs to speak about it.
struct Mismatch<'t> {
    tokens: &'t [(Token<'t>, Span)],
    text: &'t str,
    index: usize,
    found: Span,
    wanted: Wanted,
}

impl<'t> Mismatch<'t> {
    fn describe(&self) -> Diagnostic {
        if self.lacks_semicolon() {
            return self.missing_semicolon();
        }
        if let Some(open) = self.unclosed_bracket() {
            return self.unclosed(open);
        }
        let diagnostic = self
            .error(self.wanted)
            .label(self.found_or_end(), format!("expected {}", self.wanted.words()));
        match advice::advice(self) {
            Some((help, edit)) => diagnostic.fixes(help, edit.into_iter().collect()),
            None => diagnostic,
        }
    }

    fn token(&self, index: usize) -> Option<Token<'t>> {
        self.tokens.get(index).map(|(token, _)| *token)
    }

    fn error(&self, wanted: Wanted) -> Diagnostic {
        let found = match self.token(self.index) {
            Some(token) => token.to_string(),
            None => "the end of the file".to_owned(),
        };
        let message = format!("expected {}, found {found}", wanted.words());
        Diagnostic::error(codes::UNEXPECTED_TOKEN, message)
    }

    /// The end of the file is best shown right after the last token, not after the last newline.
    fn found_or_end(&self) -> Span {
        match self.tokens.get(self.index) {
            Some(_) => self.found,
            None => self.after_previous(),
        }
    }

    fn after_previous(&self) -> Span {
        let previous = self.index.checked_sub(1).and_then(|before| self.tokens.get(before));
        let end = previous.map_or(self.found.start, |(_, span)| span.end) as usize;
        Span::new(end, end)
    }

    fn lacks_semicolon(&self) -> bool {
        let ends_here = self.statement_ends();
        self.wanted.has(Wanted::SEMICOLON) && (ends_here || !self.wanted.has(Wanted::EXPRESSION))
    }

    /// Whether only another statement or the end of the block can begin here.
    fn statement_ends(&self) -> bool {
        match self.token(self.index) {
            None | Some(Token::CloseBrace | Token::Def | Token::Struct) => true,
            Some(Token::Var | Token::Return) => true,
            Some(_) => is_on_new_line(self.tokens, self.text, self.index),
        }
    }

    fn missing_semicolon(&self) -> Diagnostic {
        let diagnostic = self.error(Wanted::SEMICOLON);
        match advice::instead_of_semicolon(self) {
            Some(Advice { label, help, edit }) => {
                let diagnostic = diagnostic.label(self.found_or_end(), label);
                diagnostic.fixes(help, edit.into_iter().collect())
            }
            None => {
                let end = self.after_previous();
                let diagnostic = diagnostic.label(end, "expected `;`");
                // In the middle of a line, something else may be wrong.
                if !self.statement_ends() {
                    return diagnostic;
                }
                diagnostic.fix("add `;` here", end, ";")
            }
        }
    }

    /// The bracket that is open here, if what was found cannot stand within it.
    fn unclosed_bracket(&self) -> Option<(Wanted, Token<'_>, Span)> {
        let closing = [
            (Wanted::CLOSE_PAREN, Token::CloseParen),
            (Wanted::CLOSE_BRACKET, Token::CloseBracket),
            (Wanted::CLOSE_BRACE, Token::CloseBrace),
        ];
        let (wanted, closing) = closing.into_iter().find(|(wanted, _)| self.wanted.has(*wanted))?;
        // A struct literal could go on with a comma.
        let in_block = closing == Token::CloseBrace && !self.wanted.has(Wanted::COMMA);
        let found_ends_it = match self.token(self.index) {
            None | Some(Token::Def | Token::Struct) => true,
            Some(Token::Semicolon | Token::Var | Token::Return | Token::OpenBrace) => !in_block,
            Some(token) => token.is_closing() && !in_block,
        };
        // Only brackets of this kind count: others may be unbalanced by earlier mistakes.
        let mut closed = 0usize;
        for (token, span) in self.tokens.get(..self.index).filter(|_| found_ends_it)?.iter().rev() {
            if *token == closing {
                closed += 1;
            } else if token.closing() == Some(closing) {
                match closed.checked_sub(1) {
                    None => return Some((wanted, *token, *span)),
                    Some(rest) => closed = rest,
                }
            }
        }
        None
    }

    fn unclosed(&self, (wanted, token, span): (Wanted, Token<'_>, Span)) -> Diagnostic {
        // Other things would be possible as well, but nobody forgets just these.
        self.error(wanted)
            .label(self.found_or_end(), format!("expected {}", wanted.words()))
            .label(span, format!("this {token} is not closed"))
    }
}
