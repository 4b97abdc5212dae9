//! The text of expressions.
//!
//! Output: the text with the fewest parentheses that parses to the same tree.

use crate::ast::{Access, Chain, Expr, ExprKind, Precedence, Subscript, Unary, UnaryOperator};
use crate::strings;
use std::fmt::{Result, Write};

pub fn expr(expr: &Expr, out: &mut String) -> Result {
    match &expr.kind {
        ExprKind::Number(value) => out.write_str(&number(*value)),
        ExprKind::Variable(name) => out.write_str(name),
        ExprKind::String(value) => out.write_str(&strings::literal(value)),
        ExprKind::Literal(elements) => list("[", elements, "]", out),
        ExprKind::StructLiteral(values) => list("{", values, "}", out),
        ExprKind::Call(call) => {
            match &call.derivative {
                Some(derivative) => {
                    write!(out, "{}({}", derivative.name.text, call.callee.text)?;
                    let mut written = derivative.written.iter();
                    written.try_for_each(|(it, _)| write!(out, ", {}", number(*it)))?;
                    out.write_str(")(")?;
                }
                None => write!(out, "{}(", call.callee.text)?,
            }
            separated(&call.arguments, out)?;
            for (index, (name, value)) in call.named.iter().enumerate() {
                let is_first = index == 0 && call.arguments.is_empty();
                write!(out, "{}{} = ", if is_first { "" } else { ", " }, name.text)?;
                self::expr(value, out)?;
            }
            out.write_str(")")
        }
        ExprKind::Chain(chain) => self::chain(chain, out),
        ExprKind::Unary(unary) => self::unary(unary, out),
        ExprKind::Access(access) => self::access(access, out),
        ExprKind::Index(index) => {
            operand(&index.base, is_compound(&index.base), out)?;
            subscripts(&index.subscripts, out)
        }
        ExprKind::Error => Ok(()),
    }
}

/// An expression where none starts with a brace: in parentheses, if it would.
pub fn without_brace(value: &Expr, out: &mut String) -> Result {
    operand(value, starts_with_brace(value), out)
}

fn starts_with_brace(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::StructLiteral(_) => true,
        ExprKind::Chain(chain) => {
            starts_with_brace(&chain.first) && !needs_parentheses(chain, &chain.first)
        }
        ExprKind::Access(access) => starts_with_brace(&access.base) && !is_compound(&access.base),
        ExprKind::Index(index) => starts_with_brace(&index.base) && !is_compound(&index.base),
        _ => false,
    }
}

fn unary(unary: &Unary, out: &mut String) -> Result {
    unary.operators.iter().for_each(|(operator, _)| out.push_str(operator.symbol()));
    // The last minus of a number is part of it, and several signs are one expression.
    let is_negated = matches!(unary.operators.last(), Some((UnaryOperator::Negate, _)));
    let operand = &unary.operand;
    let needs_parentheses = match operand.kind {
        ExprKind::Chain(_) | ExprKind::Unary(_) => true,
        ExprKind::Number(value) => is_negated && value.is_sign_positive(),
        _ => false,
    };
    self::operand(operand, needs_parentheses, out)
}

fn chain(chain: &Chain, out: &mut String) -> Result {
    operand(&chain.first, needs_parentheses(chain, &chain.first), out)?;
    chain.rest.iter().try_for_each(|link| {
        write!(out, " {} ", link.operator.symbol())?;
        operand(&link.operand, needs_parentheses(chain, &link.operand), out)
    })
}

/// True if an operand of the chain is a chain that binds no tighter.
fn needs_parentheses(chain: &Chain, operand: &Expr) -> bool {
    matches!(&operand.kind, ExprKind::Chain(inner) if precedence(inner) <= precedence(chain))
}

fn precedence(chain: &Chain) -> Option<Precedence> {
    chain.rest.first().map(|link| link.operator.precedence())
}

/// True if `.` and `[` would bind only to the last part of the expression; `1.a` would be a bad number.
fn is_compound(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Number(_) | ExprKind::Chain(_) | ExprKind::Unary(_))
}

fn access(access: &Access, out: &mut String) -> Result {
    // Without parentheses, `a.b.c` is one access.
    let is_access = matches!(access.base.kind, ExprKind::Access(_));
    operand(&access.base, is_access || is_compound(&access.base), out)?;
    access.fields.iter().try_for_each(|field| write!(out, ".{}", field.text))
}

/// The sizes of a declared shape: sums, which a `>` ends.
pub fn sizes(sizes: &[Expr]) -> String {
    let mut text = String::new();
    for (index, size) in sizes.iter().enumerate() {
        text.push_str(if index == 0 { "" } else { ", " });
        let is_loose = matches!(&size.kind, ExprKind::Chain(chain)
            if precedence(chain) < Some(Precedence::Additive));
        // Writing into a string does not fail.
        let _ = operand(size, is_loose, &mut text);
    }
    text
}

/// Writes nothing for an empty list.
pub fn subscripts(subscripts: &[Subscript], out: &mut String) -> Result {
    for (index, subscript) in subscripts.iter().enumerate() {
        out.write_str(if index == 0 { "[" } else { ", " })?;
        match subscript {
            Subscript::At(index) => expr(index, out)?,
            Subscript::Range(slice) => {
                slice.from.iter().try_for_each(|from| expr(from, out))?;
                out.write_str(":")?;
                slice.to.iter().try_for_each(|to| expr(to, out))?;
                slice.step.iter().try_for_each(|step| {
                    out.write_str(":")?;
                    expr(step, out)
                })?;
            }
        }
    }
    out.write_str(if subscripts.is_empty() { "" } else { "]" })
}

/// An expression, in parentheses if it needs them.
fn operand(inner: &Expr, needs_parentheses: bool, out: &mut String) -> Result {
    out.write_str(if needs_parentheses { "(" } else { "" })?;
    expr(inner, out)?;
    out.write_str(if needs_parentheses { ")" } else { "" })
}

fn list(open: &str, elements: &[Expr], close: &str, out: &mut String) -> Result {
    out.write_str(open)?;
    separated(elements, out)?;
    out.write_str(close)
}

fn separated(elements: &[Expr], out: &mut String) -> Result {
    elements.iter().enumerate().try_for_each(|(index, element)| {
        out.write_str(if index == 0 { "" } else { ", " })?;
        expr(element, out)
    })
}

/// The shortest decimal number that parses to the same value.
fn number(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-5..1e17).contains(&magnitude) {
        format!("{value:e}")
    } else {
        format!("{value}")
    }
}
