//! Limits on nesting and on the length of expressions.
//!
//! Input: the tokens, before parsing; then the tree. Output: a diagnostic if brackets, rows of subscripts or
//! blocks are nested too deeply, or if an expression has too many operators. Invariant: where this finds
//! nothing, the parser and every later pass may recurse over brackets, subscripts and branches (and only over
//! these).

use super::ast::{BinaryOperator, Jumps, Module, Statement, StatementKind};
use super::token::Token;
use toy_diagnostics::source::Span;
use toy_diagnostics::{Diagnostic, codes};

/// The most brackets that may be open at once; each subscript in a row counts as enclosing the previous
/// ones, as it does in the tree.
pub const MAX_DEPTH: usize = 256;
/// The most levels of nested structs.
pub const MAX_STRUCT_DEPTH: usize = 64;
/// The most operators of an expression, not counting operators inside brackets.
pub const MAX_OPERATORS: usize = 65_536;
/// The most levels of blocks; an `else` is one level deeper than the `if` before it, and so is the code after
/// an `if` that may return.
pub const MAX_BLOCKS: usize = 256;

/// Counts for the inside of an open bracket.
#[derive(Default)]
struct Frame {
    /// The operators seen so far in the current expression.
    operators: usize,
    /// The levels of brackets and subscripts in the operand that ends here.
    current: usize,
    /// The most levels of an operand before it.
    deepest: usize,
    /// True if the bracket is the brace of a block.
    is_block: bool,
}

/// The diagnostic for the first limit that the tokens exceed, if any.
pub fn check_limits(tokens: &[(Token<'_>, Span)]) -> Option<Diagnostic> {
    let mut open = vec![Frame::default()];
    let mut before: Option<Token<'_>> = None;
    for (token, span) in tokens {
        let depth = open.len();
        let frame = open.last_mut()?;
        match token {
            token if token.closing().is_some() => {
                let is_block = *token == Token::OpenBrace && starts_block(before);
                if depth > MAX_DEPTH {
                    return Some(too_deep(*span, is_block || frame.is_block));
                }
                let is_subscript = *token == Token::OpenBracket && ends_operand(before);
                if !is_subscript {
                    frame.end_operand();
                }
                open.push(Frame { is_block, ..Frame::default() });
            }
            // The parser skips a closing bracket without an opening one, so it does not count here.
            token if token.is_closing() && depth > 1 => {
                let inner = open.pop()?;
                let outer = open.last_mut()?;
                outer.current = outer.current.max(inner.current).max(inner.deepest) + 1;
                if inner.is_block {
                    outer.operators = 0;
                    outer.end_operand();
                }
                if depth - 1 + outer.current > MAX_DEPTH + 1 {
                    return Some(too_deep(*span, false));
                }
            }
            token if is_operator(*token) => {
                if *token != Token::Dot {
                    frame.end_operand();
                }
                frame.operators += 1;
                if frame.operators > MAX_OPERATORS {
                    return Some(chain_too_long(*span));
                }
            }
            Token::Comma | Token::Semicolon | Token::Def | Token::Var | Token::Return => {
                frame.end_operand();
                frame.operators = 0;
            }
            Token::Identifier(_) if before == Some(Token::Dot) => {}
            _ => frame.end_operand(),
        }
        before = Some(*token);
    }
    None
}

impl Frame {
    fn end_operand(&mut self) {
        self.deepest = self.deepest.max(self.current);
        self.current = 0;
    }
}

fn is_operator(token: Token<'_>) -> bool {
    BinaryOperator::of_token(token).is_some() || matches!(token, Token::Dot | Token::Not)
}

fn ends_operand(token: Option<Token<'_>>) -> bool {
    token.is_some_and(|token| {
        token.is_closing()
            || matches!(token, Token::Identifier(_) | Token::Number(_) | Token::String(_))
    })
}

/// True if a brace after the token opens a block rather than a struct literal.
fn starts_block(before: Option<Token<'_>>) -> bool {
    matches!(before, Some(Token::OpenBrace | Token::Else)) || ends_operand(before)
}

/// The diagnostic for the first function whose blocks are nested too deeply, if any.
pub fn check_blocks(module: &Module) -> Option<Diagnostic> {
    module.functions.iter().find_map(|function| levels(&function.body).err()).map(|span| {
        Diagnostic::error(codes::TOO_DEEP, "branches are nested too deeply")
            .label(span, format!("more than {MAX_BLOCKS} levels of branches and loops start here"))
            .help(
                "each `else` is a level, and so is what follows a block with a `return`, `break` or \
                 `continue`: move a part to another function",
            )
    })
}

/// The levels of blocks in statements, and the jumps that may lead out of these. Recursion is as deep as braces are.
/// The error is the place of a statement that has too many levels.
fn levels(statements: &[Statement]) -> Result<(usize, Jumps), Span> {
    let (mut count, mut jumps) = (0, Jumps::default());
    for statement in statements.iter().rev() {
        let is_branch = matches!(statement.kind, StatementKind::If(_));
        let mut own = 0;
        let mut own_jumps = statement.jump().map_or(Jumps::default(), Jumps::only);
        let conditions = statement.exprs();
        for (index, body) in statement.bodies().into_iter().enumerate() {
            let (inner, inner_jumps) = levels(&body.statements)?;
            own = own.max(inner + 1 + if is_branch { index } else { 0 });
            // The body of a loop that can be left is a branch in the loop.
            own += usize::from(!is_branch && inner_jumps.leave_loop());
            own_jumps =
                own_jumps.or(if is_branch { inner_jumps } else { inner_jumps.beyond_loop() });
            if is_branch && own > MAX_BLOCKS {
                return Err(conditions.get(index).map_or(body.span, |condition| condition.span));
            }
        }
        let is_block = statement.jump().is_none();
        count = own.max(count + usize::from(is_block && own_jumps.any()));
        jumps = jumps.or(own_jumps);
        if count > MAX_BLOCKS {
            return Err(statement.span);
        }
    }
    Ok((count, jumps))
}

fn too_deep(span: Span, is_block: bool) -> Diagnostic {
    let (message, help) = if is_block {
        ("blocks are nested too deeply", "move the inner blocks to another function")
    } else {
        ("brackets are nested too deeply", "use `var` to name parts of the expression")
    };
    Diagnostic::error(codes::TOO_DEEP, message)
        .label(span, format!("more than {MAX_DEPTH} brackets are open here"))
        .help(help)
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

    #[test]
    fn rows_of_subscripts_are_as_deep_as_they_are_long() {
        let row = |n: usize| format!("x{}", "[0]".repeat(n));
        assert_eq!(verdict(&row(MAX_DEPTH)), None);
        assert_eq!(verdict(&row(MAX_DEPTH + 1)).unwrap().0, "E0104");
        let fields = |n: usize| format!("x{}", ".a[0]".repeat(n));
        assert_eq!(verdict(&fields(MAX_DEPTH)), None);
        assert_eq!(verdict(&fields(MAX_DEPTH + 1)).unwrap().0, "E0104");
        let nested = |n: usize| format!("{}x{}", "(".repeat(n), ")[0][0]".repeat(n));
        assert_eq!(verdict(&nested(MAX_DEPTH / 3)), None);
        assert_eq!(verdict(&nested(MAX_DEPTH / 3 + 1)).unwrap().0, "E0104");
        let inside = |n: usize| format!("{}0{}", "x[0][".repeat(n), "]".repeat(n));
        assert_eq!(verdict(&inside(MAX_DEPTH - 1)), None);
        // Rows side by side are not deeper.
        assert_eq!(verdict(&format!("{} + {}, {}", row(200), row(200), row(200))), None);
        assert_eq!(verdict(&"x[0] = y[0][1];".repeat(1_000)), None);
        assert_eq!(verdict(&"{x[0] = y; [1]}".repeat(1_000)), None);
    }

    #[test]
    fn operators_of_loops_in_a_row_do_not_add_up() {
        let loops = |n: usize| "for i in 0..n - 1 { }".repeat(n);
        assert_eq!(verdict(&format!("{{ {} }}", loops(MAX_OPERATORS + 1))), None);
    }

    #[test]
    fn branches_are_limited_where_they_nest() {
        let places = |body: &str| {
            let source = Source::new("t", format!("def main() {{ {body} }}"));
            let (module, diagnostics) = crate::parse(&source);
            assert_eq!(module.functions.is_empty(), !diagnostics.is_empty());
            diagnostics.iter().map(|d| d.code.id).collect::<Vec<_>>()
        };
        let chain = |n: usize| format!("if (x) {{}}{}", " else if (x) {}".repeat(n - 1));
        assert_eq!(places(&chain(MAX_BLOCKS)), [""; 0]);
        assert_eq!(places(&chain(MAX_BLOCKS + 1)), ["E0104"]);
        assert_eq!(places(&chain(10_000)), ["E0104"]);
        let returns = |n: usize| "if (x) { return; }".repeat(n);
        assert_eq!(places(&returns(MAX_BLOCKS)), [""; 0]);
        assert_eq!(places(&returns(MAX_BLOCKS + 1)), ["E0104"]);
        assert_eq!(places(&"if (x) { y; } else { z; }".repeat(10_000)), [""; 0]);
        let nested = format!("if (x) {{}} else {{ {} }}", chain(MAX_BLOCKS - 1));
        assert_eq!(places(&nested), ["E0104"]);
    }
}
