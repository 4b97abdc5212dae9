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

/// Help, and the edit that follows it, if there is one.
type Help = (String, Option<Edit>);

/// The label where the arguments of a call are missing.
pub const CALL: &str = "expected `(`";

const NAMES: Expected = Expected::FUNCTION_NAME
    .and(Expected::PARAMETER_NAME)
    .and(Expected::VARIABLE_NAME)
    .and(Expected::STRUCT_NAME)
    .and(Expected::FIELD_NAME);

const ASSIGNMENT: &str = "an assignment is a statement of its own; to compare, write `==`";

const NO_VALUE: &str = "a branch is not a value, but `where(c, a, b)` is";

const RESULTS: &str = "a function does not declare the type of its result";

/// The label and help for a missing `;` that is not the actual error, at a token before which a statement could have
/// ended.
pub fn instead_of_semicolon(mismatch: &Mismatch) -> Option<(&'static str, String, Option<Edit>)> {
    let (before, found) = (mismatch.before(1), mismatch.after(0)?);
    let mut label = "expected `;`";
    let mut edit = None;
    let help = match (before, found) {
        (_, Token::Equals) => ASSIGNMENT.to_owned(),
        (Some(Token::Identifier(name)), Token::Colon) => {
            format!("to define a variable, write `var {} = ...;`", clipped(name))
        }
        (_, Token::DotDot) => foreign::RANGES.to_owned(),
        (_, Token::If) if mismatch.is_branch_as_value() => NO_VALUE.to_owned(),
        (_, Token::Comma) if mismatch.statement_begins_with(Token::Var) => {
            "a `var` defines one variable: write another `var` for the next".to_owned()
        }
        (_, Token::Comma) if mismatch.statement_begins_with(Token::Return) => {
            "a function has one result: a list `[a, b]` of tensors of one shape, or a struct"
                .to_owned()
        }
        _ if let Some(help) = mismatch.method() => help,
        (Some(Token::Identifier(word)), _)
            if let Some((help, _)) = foreign::advice(Context::Import, word) =>
        {
            help.to_owned()
        }
        (_, found @ (Token::CloseParen | Token::CloseBracket)) => {
            label = "no matching opening bracket";
            edit = Some(Edit::new(mismatch.found, ""));
            format!("no bracket is open here: remove this {found}")
        }
        (Some(Token::Identifier(word)), Token::OpenBrace)
            if is_misspelled(word, "else") && mismatch.before(2) == Some(Token::CloseBrace) =>
        {
            edit = Some(Edit::new(mismatch.span_before()?, "else"));
            "did you mean `else`?".to_owned()
        }
        (Some(Token::Identifier(name)), Token::OpenBrace) => format!(
            "a struct literal is written without the name of the struct: `{} variable = {{...}};`",
            clipped(name)
        ),
        (Some(Token::Identifier(_)), Token::Not) => {
            "Toy has no macros: functions are called by their names alone".to_owned()
        }
        (Some(Token::Identifier(name)), _) if is_builtin(name) => {
            label = CALL;
            format!("to call it, write `{name}(...)`")
        }
        _ => return None,
    };
    Some((label, help, edit))
}

/// Help for any other unexpected token, with an edit if there is one.
pub fn advice(mismatch: &Mismatch) -> Option<Help> {
    let (before, found) = (mismatch.before(1), mismatch.after(0));
    let expected = mismatch.expected;
    let closes = found.is_some_and(|token| token.is_closing() || token == Token::Greater);
    if before == Some(Token::Comma) && closes {
        let edit = Edit::new(mismatch.span_before()?, "");
        return Some(("remove the trailing comma".to_owned(), Some(edit)));
    }
    if before == Some(Token::Comma) && found == Some(Token::Comma) {
        return Some(("remove this comma".to_owned(), Some(Edit::new(mismatch.found, ""))));
    }
    if expected.has(Expected::EXPRESSION.and(Expected::COMMA)) && mismatch.is_branch_as_value() {
        return Some((NO_VALUE.to_owned(), None));
    }
    if let Some((keyword, place)) = mismatch.keyword_as_name() {
        let word = keyword.spelling();
        let help = format!("`{word}` is a keyword and cannot be a name: call it `{word}_`");
        return Some((help, Some(Edit::new(place, format!("{word}_")))));
    }
    if let Some(advice) = mismatch.foreign().or_else(|| Some((mismatch.method()?, None))) {
        return Some(advice);
    }
    let words = match (found, before) {
        (Some(Token::Comma), _) if mismatch.expected == Expected::CLOSE_PAREN => {
            "without these parentheses, they are several arguments: `zeros(2, 3)`; a list is written `[2, 3]`"
        }
        (Some(Token::Equals), _) if mismatch.is_in_parameters() => {
            "a parameter has no default: each call gives all arguments"
        }
        (Some(Token::Equals), _) if expected.has(Expected::CLOSE_PAREN) => ASSIGNMENT,
        (Some(Token::String(_)), Some(Token::Identifier(_)))
            if mismatch.span_before()?.end == mismatch.found.start =>
        {
            "texts and values are written side by side: `print(\"x is\", x)`"
        }
        // A function of this name has advice.
        (Some(Token::Var), _) if mismatch.after(1) == Some(Token::OpenParen) => {
            foreign::advice(Context::Function, "var")?.0
        }
        // `->`
        (Some(Token::Minus), _)
            if mismatch.after(1) == Some(Token::Greater) && expected.has(Expected::OPEN_BRACE) =>
        {
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
        (Some(Token::Colon | Token::Equals), Some(Token::Identifier(_)))
            if mismatch.is_in_braces() =>
        {
            "values are given in the order of the fields, without names: `{1, 2}`"
        }
        (Some(Token::Colon), _) if expected.has(Expected::COMMA) => {
            "`a:b` is a range only in subscripts: `x[a:b]`"
        }
        (Some(Token::Number(_)), Some(Token::Identifier(_)))
            if mismatch.program.snippet(mismatch.found).starts_with('.') =>
        {
            "a field is accessed by its name: `value.name`"
        }
        (Some(Token::Identifier(name)), _) if expected.has(Expected::FIELD) => {
            let help = format!("a tensor field is written `var {};`", clipped(name));
            return Some((help, Some(Edit::new(Span::at(mismatch.found.start), "var "))));
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
    fn foreign(&self) -> Option<Help> {
        let found = self.after(0)?.spelling();
        let both = self.before(1).map(|before| format!("{} {found}", before.spelling()));
        let both_span = self.span_before().map_or(self.found, |before| before.to(self.found));
        let texts = [(both.as_deref().unwrap_or_default(), both_span), (found, self.found)];
        let mut contexts = CONTEXTS.iter().filter(|(expected, _)| self.expected.has(*expected));
        contexts.find_map(|(_, context)| {
            texts.iter().find_map(|(text, span)| {
                let (help, instead) = foreign::advice(*context, text)?;
                Some((help.to_owned(), instead.map(|instead| Edit::new(*span, instead))))
            })
        })
    }

    /// Help for `x.sum()` and `np.sum(x)`, at the parenthesis.
    fn method(&self) -> Option<String> {
        let (Token::OpenParen, Token::Identifier(name)) = (self.after(0)?, self.before(1)?) else {
            return None;
        };
        let help = || format!("Toy has neither methods nor modules: write `{}(x)`", clipped(name));
        let advice = foreign::advice(Context::Function, name).map(|(help, _)| help.to_owned());
        (self.before(2)? == Token::Dot).then(|| advice.unwrap_or_else(help))
    }

    /// True if the statement begins with a token, `var` or `return`.
    fn statement_begins_with(&self, first: Token) -> bool {
        let separates =
            |token| matches!(token, Token::Semicolon | Token::OpenBrace | Token::CloseBrace);
        let before = self.program.tokens[..self.index].iter().map(|(token, _)| *token).rev();
        before.take_while(|token| !separates(*token)).last() == Some(first)
    }

    /// True at an `if` within a line, where a value should end or start.
    fn is_branch_as_value(&self) -> bool {
        let has_condition = matches!(self.after(1), Some(Token::OpenParen | Token::Identifier(_)));
        self.after(0) == Some(Token::If) && has_condition && !self.statement_ends()
    }

    /// A keyword in place of a name: of a definition, of a variable in a line, or of the target of an assignment.
    fn keyword_as_name(&self) -> Option<(Token<'t>, Span)> {
        let is_value = self.expected.has(Expected::EXPRESSION) && !self.statement_ends();
        let (index, is_name) = match (self.after(0)?, self.after(1)) {
            (Token::Equals, _) => (self.index.checked_sub(1)?, is_value),
            (_, Some(Token::Equals)) => (self.index, true),
            _ => (self.index, is_value || self.expected.has(NAMES)),
        };
        let (token, span) = *self.program.tokens.get(index).filter(|_| is_name)?;
        token.is_keyword().then_some((token, span))
    }

    /// True if the token and those after it can only be another statement: `x = ...`, `print(`.
    pub fn starts_statement(&self) -> bool {
        match (self.after(0), self.after(1)) {
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
        matches!(self.after(1), Some(Token::OpenParen | Token::Equals | Token::OpenBracket))
    }

    /// The edit that removes the text from the token to the next brace.
    fn up_to_brace(&self) -> Option<Edit> {
        const FAR: usize = 8;
        let mut rest = self.program.tokens.get(self.index..)?.iter().take(FAR);
        let (_, brace) = rest.find(|(token, _)| *token == Token::OpenBrace)?;
        Some(Edit::new(Span { start: self.found.start, end: brace.start }, ""))
    }

    /// The edit that removes `: type` after a parameter.
    fn type_of_parameter(&self) -> Option<Edit> {
        match (self.after(1)?, self.after(2)?) {
            (Token::Identifier(_), Token::Comma | Token::CloseParen) => {
                Some(Edit::new(self.found.to(self.program.tokens[self.index + 1].1), ""))
            }
            _ => None,
        }
    }

    /// The sizes in `[2, 3]`, and the edit that writes them as a shape.
    fn sizes_in_brackets(&self) -> Option<Help> {
        let rest = self.program.tokens.get(self.index + 1..)?;
        let is_size = |token: &Token<'_>| matches!(token, Token::Number(_) | Token::Comma);
        let count = rest.iter().take_while(|(token, _)| is_size(token)).count();
        let (Token::CloseBracket, close) = rest.get(count)? else {
            return Some(("2, 3".to_owned(), None));
        };
        let inside = Span { start: self.found.end, end: close.start };
        let sizes = clipped(self.program.snippet(inside).trim());
        let is_shape = count > 0 && matches!(rest.get(count + 1), Some((Token::Equals, _)));
        let edit = is_shape.then(|| Edit::new(self.found.to(*close), format!("<{sizes}>")));
        Some((if count > 0 { sizes.into() } else { "2, 3".to_owned() }, edit))
    }

    /// The token that is `count` before the one found.
    fn before(&self, count: usize) -> Option<Token<'t>> {
        self.program.token(self.index.checked_sub(count)?)
    }

    pub fn span_before(&self) -> Option<Span> {
        self.program.tokens.get(self.index.checked_sub(1)?).map(|(_, span)| *span)
    }

    /// True if the token is among the parameters of a definition.
    fn is_in_parameters(&self) -> bool {
        let open = (0..self.index).rev().find(|index| {
            !matches!(
                self.program.token(*index),
                Some(Token::Identifier(_) | Token::Comma | Token::Colon)
            )
        });
        let before =
            |count: usize| open.and_then(|open| self.program.token(open.checked_sub(count)?));
        before(0) == Some(Token::OpenParen) && before(2) == Some(Token::Def)
    }

    /// True if the innermost bracket that is open is a brace, and a value could stand in it.
    fn is_in_braces(&self) -> bool {
        self.expected.has(Expected::CLOSE_BRACE) && self.expected.has(Expected::COMMA)
    }
}
