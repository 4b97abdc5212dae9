//! Help for common syntax errors.
//!
//! Input: an unexpected token. Output: help, if possible with the edit that fixes the text.
//! Invariant: no help is better than wrong help, so each looks at the neighboring tokens.

use super::{Expected, Mismatch};
use crate::builtins::is_builtin;
use crate::foreign::{self, Context};
use crate::token::Token;
use toy_diagnostics::Edit;
use toy_diagnostics::source::Span;
use toy_diagnostics::suggest::is_misspelled;
use toy_diagnostics::text::clipped;

/// The label and help for a missing `;` that is not the actual error.
pub struct Advice {
    pub label: &'static str,
    pub help: String,
    pub edit: Option<Edit>,
}

/// The label where the arguments of a call are missing.
pub const CALL: &str = "expected `(`";

const NAMES: Expected = Expected::FUNCTION_NAME
    .and(Expected::PARAMETER_NAME)
    .and(Expected::VARIABLE_NAME)
    .and(Expected::STRUCT_NAME)
    .and(Expected::FIELD_NAME);

const NO_VALUE: &str = "a branch is not a value, but `where(c, a, b)` is";

const RESULTS: &str = "a function does not declare the type of its result";

/// Help for a token before which a statement could have ended.
pub fn instead_of_semicolon(mismatch: &Mismatch) -> Option<Advice> {
    let (before, found) = (mismatch.before(1), mismatch.token(mismatch.index)?);
    let advice = |label, help: &str| Some(Advice { label, help: help.to_owned(), edit: None });
    match (before, found) {
        (_, Token::Equals) => advice(
            "expected `;`",
            "an assignment is a statement of its own; to compare, write `==`",
        ),
        (Some(Token::Identifier(name)), Token::Colon) => {
            let name = clipped(name);
            Some(Advice {
                label: "expected `;`",
                help: format!("to define a variable, write `var {name} = ...;`"),
                edit: None,
            })
        }
        (_, Token::DotDot) => advice("expected `;`", foreign::RANGES),
        (_, Token::If) if mismatch.is_branch_as_value() => advice("expected `;`", NO_VALUE),
        (Some(Token::Identifier(_)), Token::Comma) if mismatch.before(2) == Some(Token::Var) => {
            advice("expected `;`", "a `var` defines one variable: write another `var` for the next")
        }
        (Some(Token::Identifier(word)), _)
            if let Some((help, _)) = foreign::advice(Context::Import, word) =>
        {
            advice("expected `;`", help)
        }
        (_, found @ (Token::CloseParen | Token::CloseBracket)) => Some(Advice {
            label: "no matching opening bracket",
            help: format!("no bracket is open here: remove this {found}"),
            edit: Some(Edit { span: mismatch.found, replacement: String::new() }),
        }),
        (Some(Token::Identifier(word)), Token::OpenBrace)
            if is_misspelled(word, "else") && mismatch.before(2) == Some(Token::CloseBrace) =>
        {
            let edit = Edit { span: mismatch.span_before()?, replacement: "else".to_owned() };
            Some(Advice {
                label: "expected `;`",
                help: "did you mean `else`?".to_owned(),
                edit: Some(edit),
            })
        }
        (Some(Token::Identifier(name)), Token::OpenBrace) => {
            let name = clipped(name);
            let help = format!(
                "a struct literal is written without the name of the struct: `{name} variable = {{...}};`"
            );
            Some(Advice { label: "expected `;`", help, edit: None })
        }
        (Some(Token::Identifier(_)), Token::Not) => {
            advice("expected `;`", "Toy has no macros: functions are called by their names alone")
        }
        (Some(Token::Identifier(name)), _) if is_builtin(name) => Some(Advice {
            label: CALL,
            help: format!("to call it, write `{name}(...)`"),
            edit: None,
        }),
        _ => None,
    }
}

/// Help for any other unexpected token, with an edit if there is one.
pub fn advice(mismatch: &Mismatch) -> Option<(String, Option<Edit>)> {
    let (before, found) = (mismatch.before(1), mismatch.token(mismatch.index));
    let expected = mismatch.expected;
    let remove = |span: Span| Some(Edit { span, replacement: String::new() });
    let closes = found.is_some_and(|token| token.is_closing() || token == Token::Greater);
    if before == Some(Token::Comma) && closes {
        return Some(("remove the trailing comma".into(), remove(mismatch.span_before()?)));
    }
    if expected.has(Expected::EXPRESSION.and(Expected::COMMA)) && mismatch.is_branch_as_value() {
        return Some((NO_VALUE.to_owned(), None));
    }
    if let Some((keyword, place)) = mismatch.keyword_as_name() {
        let word = keyword.spelling();
        let help = format!("`{word}` is a keyword and cannot be a name: call it `{word}_`");
        return Some((help, Some(Edit { span: place, replacement: format!("{word}_") })));
    }
    if let Some(advice) = mismatch.foreign() {
        return Some(advice);
    }
    let words = match (found, before) {
        (Some(Token::Minus), _) if mismatch.is_arrow() && expected.has(Expected::OPEN_BRACE) => {
            return Some((RESULTS.into(), mismatch.up_to_brace()));
        }
        (Some(Token::OpenBracket), Some(Token::Identifier(name)))
            if expected == Expected::EQUALS && mismatch.before(2) == Some(Token::Var) =>
        {
            let (sizes, edits) = mismatch.sizes_in_brackets()?;
            let help = format!("a shape is written `var {}<{sizes}> = ...;`", clipped(name));
            return Some((help, edits));
        }
        _ if expected == Expected::EQUALS
            && let Some(Token::Identifier(word)) = mismatch.before(2)
            && let Some((help, _)) = foreign::advice(Context::Import, word) =>
        {
            help
        }
        (Some(Token::Colon), _) if expected.has(Expected::COMMA) && mismatch.is_in_parameters() => {
            let help =
                "a parameter is declared without a type, or with the name of a struct before it";
            return Some((help.into(), mismatch.type_of_parameter()));
        }
        (Some(Token::Colon), Some(Token::Identifier(_))) if mismatch.is_in_braces() => {
            "values are given in the order of the fields, without names: `{1, 2}`"
        }
        (Some(Token::Colon), _) if expected.has(Expected::COMMA) => {
            "`a:b` is a range only in subscripts: `x[a:b]`"
        }
        (Some(Token::Equals), Some(Token::Identifier(_))) if mismatch.is_in_braces() => {
            "values are given in the order of the fields, without names: `{1, 2}`"
        }
        (Some(Token::Number(_)), Some(Token::Identifier(_)))
            if mismatch.text_found().starts_with('.') =>
        {
            "a field is accessed by its name: `value.name`"
        }
        (Some(Token::Identifier(name)), _) if expected.has(Expected::FIELD) => {
            let at = Span { end: mismatch.found.start, ..mismatch.found };
            let help = format!("a tensor field is written `var {};`", clipped(name));
            return Some((help, Some(Edit { span: at, replacement: "var ".to_owned() })));
        }
        (Some(Token::Identifier(_) | Token::OpenParen), Some(Token::Number(_)))
            if expected.has(Expected::COMMA) =>
        {
            "write `*` to multiply, `,` to separate values"
        }
        (Some(Token::Identifier(_)), _)
            if expected.has(Expected::DEFINITION) && mismatch.is_statement() =>
        {
            "statements are written in a function: `def main() { ... }`"
        }
        _ => match expected {
            expected if expected.has(Expected::DEFINITION) => {
                "a program consists of structs and of functions, `def name() { ... }`, one of which is `main`"
            }
            Expected::EQUALS => match (mismatch.before(2), before) {
                (Some(Token::Identifier(ty)), Some(Token::Identifier(name))) => {
                    let (ty, name) = (clipped(ty), clipped(name));
                    let help = format!("a variable must be initialized: `{ty} {name} = {{...}}`");
                    return Some((help, None));
                }
                _ => "a variable must be initialized: `var name = value`",
            },
            expected if expected.has(Expected::DIMENSION) => {
                "a shape is a list of whole numbers: `<2, 3>`"
            }
            _ => return None,
        },
    };
    Some((words.to_owned(), None))
}

/// The context of advice about a token that is found where something is expected.
const CONTEXTS: [(Expected, Context); 6] = [
    (Expected::EXPRESSION, Context::Operand),
    (Expected::EQUALS, Context::Equals),
    (Expected::COMMA, Context::Comma),
    (Expected::OPEN_BRACE, Context::OpenBrace),
    (Expected::CLOSE_BRACE, Context::CloseBrace),
    (Expected::DEFINITION, Context::Definition),
];

impl<'t> Mismatch<'t> {
    /// Help for another language's text here: the token, or it and the one before it.
    fn foreign(&self) -> Option<(String, Option<Edit>)> {
        let found = self.token(self.index)?.spelling();
        let both = self.before(1).map(|before| format!("{} {found}", before.spelling()));
        let both_span = self.span_before().map_or(self.found, |before| before.to(self.found));
        let texts = [(both.as_deref().unwrap_or_default(), both_span), (found, self.found)];
        let mut contexts = CONTEXTS.iter().filter(|(expected, _)| self.expected.has(*expected));
        contexts.find_map(|(_, context)| {
            texts.iter().find_map(|(text, span)| {
                let (help, instead) = foreign::advice(*context, text)?;
                let edit = |text: &str| Edit { span: *span, replacement: text.to_owned() };
                Some((help.to_owned(), instead.map(edit)))
            })
        })
    }

    /// True at an `if` within a line, where a value should end or start.
    fn is_branch_as_value(&self) -> bool {
        let next = self.token(self.index + 1);
        let has_condition = matches!(next, Some(Token::OpenParen | Token::Identifier(_)));
        self.token(self.index) == Some(Token::If) && has_condition && !self.statement_ends()
    }

    /// A keyword in place of a name: of a definition, of a variable in a line, or of the target of an assignment.
    fn keyword_as_name(&self) -> Option<(Token<'t>, Span)> {
        let is_value = self.expected.has(Expected::EXPRESSION) && !self.statement_ends();
        let (index, is_name) = match (self.token(self.index)?, self.token(self.index + 1)) {
            (Token::Equals, _) => (self.index.checked_sub(1)?, is_value),
            (_, Some(Token::Equals)) => (self.index, true),
            _ => (self.index, is_value || self.expected.has(NAMES)),
        };
        let (token, span) = *self.tokens.get(index).filter(|_| is_name)?;
        token.is_keyword().then_some((token, span))
    }

    /// True if the token and those after it can only be another statement: `x = ...`, `print(`.
    pub fn starts_statement(&self) -> bool {
        let next = |count: usize| self.token(self.index + count);
        match (self.token(self.index), next(1)) {
            (Some(Token::Identifier("print")), Some(Token::OpenParen)) => true,
            (Some(Token::Identifier(_)), Some(Token::Equals)) => {
                // `f(a, axis = 1)`, and a struct before the name that is found.
                !matches!(self.before(1), Some(Token::Identifier(_) | Token::Comma))
            }
            _ => false,
        }
    }

    /// True if a call or an assignment starts with the token.
    fn is_statement(&self) -> bool {
        let next = self.token(self.index + 1);
        matches!(next, Some(Token::OpenParen | Token::Equals | Token::OpenBracket))
    }

    /// True if the token is the first one of `->`.
    fn is_arrow(&self) -> bool {
        self.token(self.index + 1) == Some(Token::Greater)
    }

    /// The edit that removes the text from the token to the next brace.
    fn up_to_brace(&self) -> Option<Edit> {
        const FAR: usize = 8;
        let rest = self.tokens.get(self.index..)?.iter().take(FAR);
        let (_, brace) = rest.into_iter().find(|(token, _)| *token == Token::OpenBrace)?;
        let span = Span { start: self.found.start, end: brace.start };
        Some(Edit { span, replacement: String::new() })
    }

    /// The edit that removes `: type` after a parameter.
    fn type_of_parameter(&self) -> Option<Edit> {
        let (Some(Token::Identifier(_)), Some(Token::Comma | Token::CloseParen)) =
            (self.token(self.index + 1), self.token(self.index + 2))
        else {
            return None;
        };
        let span = self.found.to(self.tokens.get(self.index + 1)?.1);
        Some(Edit { span, replacement: String::new() })
    }

    /// The sizes in `[2, 3]`, and the edit that writes them as a shape.
    fn sizes_in_brackets(&self) -> Option<(String, Option<Edit>)> {
        let rest = self.tokens.get(self.index + 1..)?;
        let is_size = |token: &Token<'_>| matches!(token, Token::Number(_) | Token::Comma);
        let count = rest.iter().take_while(|(token, _)| is_size(token)).count();
        let (Token::CloseBracket, close) = rest.get(count)? else {
            return Some(("2, 3".to_owned(), None));
        };
        let inside = Span { start: self.found.end, end: close.start };
        let sizes = clipped(self.text.get(inside.start as usize..inside.end as usize)?.trim());
        let is_shape = count > 0 && matches!(rest.get(count + 1), Some((Token::Equals, _)));
        let edit = is_shape
            .then(|| Edit { span: self.found.to(*close), replacement: format!("<{sizes}>") });
        Some((if count > 0 { sizes.into() } else { "2, 3".to_owned() }, edit))
    }

    /// The token that is `count` before the one found.
    fn before(&self, count: usize) -> Option<Token<'t>> {
        self.token(self.index.checked_sub(count)?)
    }

    fn span_before(&self) -> Option<Span> {
        self.tokens.get(self.index.checked_sub(1)?).map(|(_, span)| *span)
    }

    /// True if the token is among the parameters of a definition.
    fn is_in_parameters(&self) -> bool {
        let open = (0..self.index).rev().find(|index| {
            !matches!(self.token(*index), Some(Token::Identifier(_) | Token::Comma | Token::Colon))
        });
        let before = |count: usize| open.and_then(|open| self.token(open.checked_sub(count)?));
        before(0) == Some(Token::OpenParen) && before(2) == Some(Token::Def)
    }

    fn text_found(&self) -> &'t str {
        self.text.get(self.found.start as usize..self.found.end as usize).unwrap_or_default()
    }

    /// True if the innermost bracket that is open is a brace, and a value could stand in it.
    fn is_in_braces(&self) -> bool {
        self.expected.has(Expected::CLOSE_BRACE) && self.expected.has(Expected::COMMA)
    }
}
