//! Limits on nesting and on the length of expressions, checked before parsing.
//!
//! Input: the tokens. Output: a diagnostic if brackets are nested too deeply or if an expression
//! has too many operators. Invariant: where this finds nothing, the parser and every later pass
//! may recurse over brackets (and only over brackets).

use super::token::Token;
use toy_diagnostics::source::Span;
use toy_diagnostics::{Diagnostic, codes};

/// The most brackets that may be open at once.
pub const MAX_DEPTH: usize = 256;
/// The most levels of nested structs.
pub const MAX_STRUCT_DEPTH: usize = 64;
/// The most operators of an expression, not counting those inside brackets.
pub const MAX_OPERATORS: usize = 65_536;

/// The diagnostic for the first limit that the program exceeds, if any.
pub fn check_limits(tokens: &[(Token<'_>, Span)]) -> Option<Diagnostic> {
    // For each open bracket, the number of operators seen so far in the current expression.
    let mut operators: Vec<usize> = vec![0];
    for (token, span) in tokens {
        match token {
            token if token.closing().is_some() => {
                if operators.len() > MAX_DEPTH {
                    return Some(too_deep(*span));
                }
                operators.push(0);
            }
            // The parser skips a closing bracket without an opening one, so it does not count here.
            token if token.is_closing() && operators.len() > 1 => {
                operators.pop();
            }
            Token::Plus | Token::Minus | Token::Star | Token::Slash | Token::Dot => {
                let count = operators.last_mut()?;
                *count += 1;
                if *count > MAX_OPERATORS {
                    return Some(chain_too_long(*span));
                }
            }
            Token::Comma | Token::Semicolon | Token::Def | Token::Var | Token::Return => {
                *operators.last_mut()? = 0;
            }
            _ => {}
        }
    }
    None
}

fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error(codes::TOO_DEEP, "brackets are nested too deeply")
        .label(span, format!("more than {MAX_DEPTH} brackets are open here"))
        .help("use `var` to name parts of the expression")
}

fn chain_too_long(span: Span) -> Diagnostic {
    Diagnostic::error(codes::CHAIN_TOO_LONG, "an expression has too many operators")
        .label(span, format!("more than {MAX_OPERATORS} operators in this expression"))
        .help("use `var` to name parts of the expression")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexer::lex;
    use toy_diagnostics::source::Source;

    fn verdict(text: &str) -> Option<(&'static str, u32)> {
        let source = Source::new("t", text);
        check_limits(&lex(&source).0).map(|d| (d.code.id, d.labels[0].span.start))
    }

    #[test]
    fn nesting_is_limited_exactly() {
        let nested = |n: usize| format!("{}1{}", "([".repeat(n / 2), "])".repeat(n / 2));
        assert_eq!(verdict(&nested(MAX_DEPTH)), None);
        assert_eq!(verdict(&nested(MAX_DEPTH + 2)), Some(("E0104", MAX_DEPTH as u32)));
        assert_eq!(verdict(&"()".repeat(MAX_DEPTH * 2)), None);
        assert_eq!(verdict(&")".repeat(MAX_DEPTH * 2)), None);
        assert_eq!(verdict(&"(".repeat(1_000_000)), Some(("E0104", MAX_DEPTH as u32)));
    }

    #[test]
    fn chains_are_limited_exactly_and_per_expression() {
        let chain = |n: usize| format!("1{}", "+1".repeat(n));
        assert_eq!(verdict(&chain(MAX_OPERATORS)), None);
        let position = 1 + 2 * MAX_OPERATORS as u32;
        assert_eq!(verdict(&chain(MAX_OPERATORS + 1)), Some(("E0105", position)));
        assert_eq!(verdict(&format!("{};{}", chain(40_000), chain(40_000))), None);
        assert_eq!(verdict(&format!("{}+({})", chain(40_000), chain(40_000))), None);
        assert_eq!(
            verdict(&format!("{}+(1)+{}", chain(40_000), chain(40_000))).unwrap().0,
            "E0105"
        );
    }
}
