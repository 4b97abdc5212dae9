//! Rows of numbers, most of a program with large literals, in one step.
//!
//! Input: a `[`. Output: the literal, if nothing but numbers, with at most one sign each, and
//! commas follow up to the `]`. Otherwise the rule fails without consuming anything, and the grammar of
//! expressions takes over: it knows operators, calls and recovery, and needs five times as many
//! instructions for a number. Invariants: a row has the same tree either way; at most one row looks at a
//! token, so parsing is still linear.

use super::ast::{Expr, ExprKind};
use super::rule::{Program, Rule, Span, Token, rule};

/// `"[" ["-"] number { "," ["-"] number } "]"`
pub fn row<'t>(program: Program<'t>) -> Rule<'t, Expr> {
    rule(program, move |reader| {
        let (literal, len) = numbers(&program.tokens[reader.start..])?;
        reader.skip(len);
        Some(literal)
    })
}

/// The row that the tokens start with, and the number of its tokens.
fn numbers(tokens: &[(Token<'_>, Span)]) -> Option<(Expr, usize)> {
    let Some((Token::OpenBracket, open)) = tokens.first() else { return None };
    let mut elements = Vec::new();
    let mut index = 1;
    loop {
        let (token, first) = tokens.get(index)?;
        let sign = *token == Token::Minus;
        index += usize::from(sign);
        let (Token::Number(text), last) = tokens.get(index)? else { return None };
        let value: f64 = text.parse().ok()?;
        let value = if sign { -value } else { value };
        elements.push(Expr { kind: ExprKind::Number(value), span: first.to(*last) });
        let (separator, close) = tokens.get(index + 1)?;
        index += 2;
        match separator {
            Token::Comma => {}
            Token::CloseBracket => {
                elements.shrink_to_fit();
                let kind = ExprKind::Literal(elements);
                return Some((Expr { kind, span: open.to(*close) }, index));
            }
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ast::{Expr, ExprKind, StatementKind};
    use toy_diagnostics::source::Source;

    /// The elements of the literal that is printed.
    fn elements(literal: &str) -> Vec<Expr> {
        let source = Source::new("t", format!("def main() {{ print({literal}); }}"));
        let (module, diagnostics) = crate::parse(&source);
        assert!(diagnostics.is_empty(), "{literal}: {diagnostics:?}");
        match &module.functions[0].body[0].kind {
            StatementKind::Expr(Expr { kind: ExprKind::Call(print), .. }) => {
                match &print.arguments[0].kind {
                    ExprKind::Literal(elements) => elements.clone(),
                    other => panic!("{literal}: {other:?}"),
                }
            }
            other => panic!("{literal}: {other:?}"),
        }
    }

    #[test]
    fn a_row_of_numbers_has_the_tree_that_the_grammar_of_expressions_gives_it() {
        for row in ["1", "-2.5", "1, -2, 3e5", "- 1 ,2", "1,\n -0.0"] {
            let rows = elements(&format!("[{row}, 7]"));
            // The parentheses need the grammar of expressions; the elements before them are the same.
            let mut general = elements(&format!("[{row}, (7)]"));
            general.pop();
            assert_eq!(rows[..rows.len() - 1], general[..], "{row}");
        }
    }
}
