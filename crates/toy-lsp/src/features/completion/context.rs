//! The context of a place: found from the tokens before it, because a text that is being edited is seldom a program.
//!
//! Input: the tokens before the word that is being typed. Output: a [`Context`]. Invariant: where only a new name, a
//! number or an operator can follow, nothing is offered.

use toy_diagnostics::source::Span;
use toy_syntax::token::Token;

/// The kinds of text that may follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// A new name, an operator, a number, text.
    Nothing,
    /// After a point.
    Field,
    /// One word.
    Word(&'static str),
    /// A field of a struct that is being defined.
    FieldDefinition,
    /// A parameter of a function that is being defined.
    Parameter,
    /// A statement or a definition; after the branch of an `if`, also `else`.
    Statement {
        may_be_else: bool,
    },
    Expression,
}

type Tokens<'t, 's> = &'t [(Token<'s>, Span)];

/// The context after tokens; a new line may start after the last one.
pub fn after(before: Tokens, is_new_line: bool) -> Context {
    let Some((last, rest)) = before.split_last() else {
        return Context::Statement { may_be_else: false };
    };
    let open = innermost(before);
    match open.map(|open| (before[open].0, kind_of(before, open))) {
        Some((Token::OpenParen, Bracket::Parameters)) => {
            let starts = matches!(last.0, Token::OpenParen | Token::Comma);
            return if starts { Context::Parameter } else { Context::Nothing };
        }
        Some((_, Bracket::Fields)) => {
            let starts = matches!(last.0, Token::OpenBrace | Token::Semicolon);
            return if starts { Context::FieldDefinition } else { Context::Nothing };
        }
        _ => {}
    }
    if is_in_shape(before) {
        return Context::Nothing;
    }
    let is_block = open.is_none_or(|open| matches!(kind_of(before, open), Bracket::Block));
    match last.0 {
        Token::Dot => Context::Field,
        Token::Def | Token::Var | Token::Struct => Context::Nothing,
        Token::If | Token::While | Token::For => Context::Nothing,
        Token::Semicolon => Context::Statement { may_be_else: false },
        Token::OpenBrace if is_block => Context::Statement { may_be_else: false },
        Token::CloseBrace => match opening(before) {
            Some(open) if matches!(kind_of(before, open), Bracket::Literal) => Context::Nothing,
            Some(open) => Context::Statement { may_be_else: is_branch(&before[..open]) },
            None => Context::Statement { may_be_else: false },
        },
        Token::Else => Context::Word("if"),
        Token::Identifier(_) if matches!(rest, [.., (Token::For, _)]) => Context::Word("in"),
        Token::Identifier(_)
        | Token::Number(_)
        | Token::String(_)
        | Token::CloseParen
        | Token::CloseBracket => match is_new_line && is_block {
            // The `;` of the line before may come later.
            true => Context::Statement { may_be_else: false },
            false => Context::Nothing,
        },
        _ => Context::Expression,
    }
}

/// The construct that a bracket belongs to.
enum Bracket {
    Parameters,
    Fields,
    Block,
    /// A struct literal.
    Literal,
    Other,
}

fn kind_of(before: Tokens, open: usize) -> Bracket {
    let back = |count: usize| Some(before.get(open.checked_sub(count)?)?.0);
    match before[open].0 {
        Token::OpenParen => match (back(2), back(1)) {
            (Some(Token::Def), Some(Token::Identifier(_))) => Bracket::Parameters,
            _ => Bracket::Other,
        },
        Token::OpenBrace => match (back(2), back(1)) {
            (Some(Token::Struct), Some(Token::Identifier(_))) => Bracket::Fields,
            (_, Some(Token::Equals | Token::OpenParen | Token::Comma | Token::OpenBracket)) => {
                Bracket::Literal
            }
            // One in another, or the first statement of a block, which cannot start with a brace.
            (_, Some(Token::OpenBrace)) => Bracket::Literal,
            _ => Bracket::Block,
        },
        _ => Bracket::Other,
    }
}

/// The innermost bracket that is still open.
fn innermost(before: Tokens) -> Option<usize> {
    let mut depth = 0usize;
    for (index, (token, _)) in before.iter().enumerate().rev() {
        if token.is_closing() {
            depth += 1;
        } else if token.closing().is_some() {
            match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return Some(index),
            }
        }
    }
    None
}

/// The bracket that the last token closes.
pub fn opening(before: Tokens) -> Option<usize> {
    innermost(before.split_last()?.1)
}

/// True if a block after these tokens is a branch that an `else` may follow.
fn is_branch(before: Tokens) -> bool {
    let Some((Token::CloseParen, _)) = before.last() else { return false };
    let condition = opening(before).and_then(|open| open.checked_sub(1));
    condition.is_some_and(|at| before[at].0 == Token::If)
}

/// True if the tokens end in the shape of a variable, `var x<2, `.
fn is_in_shape(before: Tokens) -> bool {
    let sizes = before.iter().rev();
    let sizes = sizes.take_while(|(token, _)| matches!(token, Token::Number(_) | Token::Comma));
    let open = before.len() - sizes.count();
    matches!(before[..open], [.., (Token::Var, _), (Token::Identifier(_), _), (Token::Less, _)])
}

/// True if all brackets that these tokens open are closed.
pub fn is_balanced(tokens: Tokens) -> bool {
    innermost(tokens).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use toy_diagnostics::source::Source;

    fn of(text: &str) -> Context {
        let source = Source::new("t", text);
        after(&toy_syntax::lexer::lex(&source).0, text.ends_with('\n'))
    }

    #[test]
    fn only_what_may_follow_is_offered() {
        let statement = Context::Statement { may_be_else: false };
        for (text, wanted) in [
            ("", statement),
            ("def main() {", statement),
            ("def main() { print(1);", statement),
            ("def main() { print(1)\n", statement),
            ("def main() { print(1)", Context::Nothing),
            ("def main() { if (x) { f(); }", Context::Statement { may_be_else: true }),
            ("def main() { if (x) { f(); } else", Context::Word("if")),
            ("def main() { while (x) { f(); }", statement),
            ("def main() { for", Context::Nothing),
            ("def main() { for k", Context::Word("in")),
            ("def main() { for k in", Context::Expression),
            ("def main() { for k in 0..", Context::Expression),
            ("def main() { for k in 0..3 {", statement),
            ("def main() { if", Context::Nothing),
            ("def main() { if (", Context::Expression),
            ("def main() { P", Context::Nothing),
            ("def main() { P p =", Context::Expression),
            ("def main() { P p = {", Context::Expression),
            ("def main() { P p = {{", Context::Expression),
            ("def main() { P p = {1,", Context::Expression),
            ("def main() { P p = {1}", Context::Nothing),
            ("def main() { var", Context::Nothing),
            ("def main() { var x<", Context::Nothing),
            ("def main() { var x<2,", Context::Nothing),
            ("def main() { print(x <", Context::Expression),
            ("def main() { print(x.", Context::Field),
            ("def main() { x[", Context::Expression),
            ("def main() { f(a\n", Context::Nothing),
            ("def f(", Context::Parameter),
            ("def f(a,", Context::Parameter),
            ("def f(P", Context::Nothing),
            ("def f(P p)", Context::Nothing),
            ("struct P {", Context::FieldDefinition),
            ("struct P { var x;", Context::FieldDefinition),
            ("struct P { var", Context::Nothing),
            ("struct P { var x; }", statement),
        ] {
            assert_eq!(of(text), wanted, "{text}");
        }
    }
}
