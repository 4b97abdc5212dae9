//! Strings that are meant as formats: `print("x = {}", x)`.
//!
//! Input: a statement. Output: a warning if it prints a string with a placeholder of another language before a value.
//! Invariant: a string with no value after it, such as `print("{}")`, is plain text.

use crate::ast::{Expr, ExprKind, Statement, StatementKind};
use toy_diagnostics::{Diagnostic, codes};

pub fn check(statement: &Statement) -> Option<Diagnostic> {
    let StatementKind::Expr(Expr { kind: ExprKind::Call(call), .. }) = &statement.kind else {
        return None;
    };
    let [before @ .., _] = call.arguments.as_slice() else { return None };
    let (format, placeholder) = before.iter().find_map(|argument| match &argument.kind {
        ExprKind::String(text) => Some((argument.span, placeholder(text)?)),
        _ => None,
    })?;
    let message = "`print` has no format strings";
    let diagnostic = Diagnostic::warning(codes::FORMAT_STRING, message)
        .label(format, format!("`{placeholder}` is written as it is"));
    (call.callee.text == "print")
        .then(|| diagnostic.help("write strings and values in their order: `print(\"x =\", x)`"))
}

/// The first `{}`, `{:.2f}`, `%d` or `%.3f` of a text.
fn placeholder(text: &str) -> Option<&str> {
    let is_detail = |c: char| c.is_ascii_digit() || matches!(c, ':' | '.' | '-' | '+' | '<' | '>');
    text.char_indices().find_map(|(start, opening)| {
        let rest = text.get(start + 1..)?;
        let end = rest.find(|c| !is_detail(c))?;
        let (last, ends) = match opening {
            '{' => (rest[end..].trim_start_matches(['f', 'e', 'g', 'd']), '}'..='}'),
            '%' => (&rest[end..], 'd'..='g'),
            _ => return None,
        };
        let closing = last
            .chars()
            .next()
            .filter(|c| ends.contains(c) || opening == '%' && matches!(c, 's' | 'i'))?;
        let length = text.len() - start - last.len() + closing.len_utf8();
        text.get(start..start + length)
    })
}
