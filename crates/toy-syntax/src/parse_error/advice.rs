//! Help for common syntax errors.
//!
//! Input: an unexpected token. Output: help, if possible with the edit that fixes the text.
//! Invariant: no help is better than wrong help, so each looks at the neighboring tokens.

use super::{Expected, Mismatch};
use crate::builtins::{IMPORT_WORDS, is_builtin};
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

/// The keywords of function definitions in other languages.
const FUNCTION_WORDS: [&str; 7] = ["fn", "func", "function", "fun", "define", "defun", "sub"];

pub const IMPORTS: &str =
    "Toy has no imports: a program is one file, and its builtin functions need none";

const RESULTS: &str = "a function does not declare the type of its result";

const RANGES: &str = "`a..b` is only for loops: `for i in a..b { ... }`; `range(n)` is a value";

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
        (_, Token::DotDot) => advice("expected `;`", RANGES),
        (Some(Token::CloseParen), Token::OpenBrace) if mismatch.is_call_of("if") => {
            advice("expected `;`", "a branch is not a value, but `where(c, a, b)` is")
        }
        (Some(Token::Identifier(_)), Token::Comma) if mismatch.before(2) == Some(Token::Var) => {
            advice("expected `;`", "a `var` defines one variable: write another `var` for the next")
        }
        (Some(Token::Identifier(word)), _) if IMPORT_WORDS.contains(&word) => {
            advice("expected `;`", IMPORTS)
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
    if expected.has(NAMES) && found.is_some_and(|token| token.is_keyword()) {
        let keyword = found.map(|token| token.to_string()).unwrap_or_default();
        return Some((format!("{keyword} is a keyword and cannot be a name"), None));
    }
    let words = match (found, before) {
        (Some(Token::Equals), Some(Token::Equals)) if expected.has(Expected::EXPRESSION) => {
            return Some(("write a single `=`".into(), remove(mismatch.found)));
        }
        (Some(Token::Plus), _) if expected.has(Expected::EXPRESSION) => {
            return Some(("Toy has no unary `+`: remove it".into(), remove(mismatch.found)));
        }
        (Some(Token::EqualEqual), _) if expected == Expected::EQUALS => {
            let edit = Edit { span: mismatch.found, replacement: "=".to_owned() };
            return Some(("write a single `=`".into(), Some(edit)));
        }
        (Some(Token::Equals), Some(Token::EqualEqual | Token::NotEqual))
            if expected.has(Expected::EXPRESSION) =>
        {
            return Some(("remove this `=`".into(), remove(mismatch.found)));
        }
        (Some(Token::Greater), Some(Token::Less)) if expected.has(Expected::EXPRESSION) => {
            let span = mismatch.span_before()?.to(mismatch.found);
            let edit = Edit { span, replacement: "!=".to_owned() };
            return Some(("write `!=`".into(), Some(edit)));
        }
        (Some(Token::Star), Some(Token::Star)) => "`pow(a, b)` raises `a` to the power of `b`",
        (Some(Token::DotDot), _) if expected.has(Expected::COMMA) => RANGES,
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
        (Some(Token::Identifier(word)), _)
            if expected.has(Expected::DEFINITION) && IMPORT_WORDS.contains(&word) =>
        {
            IMPORTS
        }
        _ if expected == Expected::EQUALS && mismatch.follows_import() => IMPORTS,
        (Some(Token::Colon), _) if expected.has(Expected::EQUALS) => {
            "a variable is declared without a type, or with a shape: `var x<2, 3> = ...;`"
        }
        (Some(Token::Colon), _) if expected.has(Expected::COMMA) && mismatch.is_in_parameters() => {
            let help =
                "a parameter is declared without a type, or with the name of a struct before it";
            return Some((help.into(), mismatch.type_of_parameter()));
        }
        (Some(Token::Colon), Some(Token::Identifier(_))) if mismatch.is_in_braces() => {
            "values are given in the order of the fields, without names: `{1, 2}`"
        }
        (Some(Token::Colon), _) if expected.has(Expected::OPEN_BRACE) => {
            "the statements of a function are written in braces: `def name() { ... }`"
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
        (Some(Token::Less), Some(Token::Greater)) => "only one shape can be given",
        (Some(Token::Semicolon), _) if expected.has(Expected::DEFINITION) => {
            return Some((
                "a definition does not end with `;`: remove it".into(),
                remove(mismatch.found),
            ));
        }
        (Some(Token::Identifier(word)), _)
            if expected.has(Expected::DEFINITION) && FUNCTION_WORDS.contains(&word) =>
        {
            let edit = Edit { span: mismatch.found, replacement: "def".to_owned() };
            return Some(("a function definition starts with `def`".into(), Some(edit)));
        }
        (Some(Token::Identifier("class" | "type" | "typedef" | "record" | "data")), _)
            if expected.has(Expected::DEFINITION) =>
        {
            "a struct is written `struct Name { var field; }`"
        }
        (Some(Token::Def), _) if expected.has(Expected::CLOSE_BRACE) => {
            "functions cannot be nested: close the enclosing function first"
        }
        (Some(Token::Identifier(_) | Token::OpenParen), Some(Token::Number(_)))
            if expected.has(Expected::COMMA) =>
        {
            "write `*` to multiply, `,` to separate values"
        }
        (Some(Token::Identifier(word)), _)
            if expected.has(Expected::DEFINITION) && ["module", "builtin"].contains(&word) =>
        {
            "if this is MLIR, say so with `-x mlir`"
        }
        (Some(Token::Var), _) if expected.has(Expected::DEFINITION) => {
            "Toy has no global variables: define it in a function, and pass it to others as an argument"
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

impl<'t> Mismatch<'t> {
    /// Whether the token and those after it can only be another statement: `x = ...`, `print(`.
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

    /// Whether a call or an assignment starts with the token.
    fn is_statement(&self) -> bool {
        let next = self.token(self.index + 1);
        matches!(next, Some(Token::OpenParen | Token::Equals | Token::OpenBracket))
    }

    /// Whether the token is the first one of `->`.
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

    /// Whether the names before the token are those of an import: `import a`.
    fn follows_import(&self) -> bool {
        matches!(self.before(2), Some(Token::Identifier(word)) if IMPORT_WORDS.contains(&word))
    }

    /// The token that is `count` before the one found.
    fn before(&self, count: usize) -> Option<Token<'t>> {
        self.token(self.index.checked_sub(count)?)
    }

    fn span_before(&self) -> Option<Span> {
        self.tokens.get(self.index.checked_sub(1)?).map(|(_, span)| *span)
    }

    /// Whether the parenthesis before the token closes a call of this name.
    fn is_call_of(&self, name: &str) -> bool {
        let mut closed = 0usize;
        for index in (0..self.index).rev() {
            match self.token(index) {
                Some(Token::CloseParen) => closed += 1,
                Some(Token::OpenParen) => closed -= 1,
                Some(Token::Semicolon) | None => return false,
                _ => {}
            }
            if closed == 0 {
                let callee = index.checked_sub(1).and_then(|callee| self.token(callee));
                return callee == Some(Token::Identifier(name));
            }
        }
        false
    }

    /// Whether the token is among the parameters of a definition.
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

    /// Whether the innermost bracket that is open is a brace, and a value could stand in it.
    fn is_in_braces(&self) -> bool {
        self.expected.has(Expected::CLOSE_BRACE) && self.expected.has(Expected::COMMA)
    }
}
