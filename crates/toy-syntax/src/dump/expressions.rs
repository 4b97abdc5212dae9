//! The dump of expressions.

use super::{Dumper, dims};
use crate::ast::{Access, Call, Chain, Expr, ExprKind, Name, Subscript, Unary};
use crate::strings;
use std::fmt::{Result, Write};

impl Dumper<'_> {
    pub fn expr(&mut self, level: usize, expr: &Expr) -> Result {
        let at = self.location(self.without_parentheses(expr.span));
        match &expr.kind {
            ExprKind::Number(value) => {
                self.line(level, format_args!("{} {at}", Scientific(*value)))
            }
            ExprKind::Variable(name) => self.line(level, format_args!("var: {name} {at}")),
            ExprKind::Literal(elements) if !is_constant(elements) => {
                self.line(level, format_args!("Literal: {}[", dims(&literal_dims(expr))))?;
                elements.iter().try_for_each(|element| self.expr(level + 1, element))?;
                self.line(level, format_args!("] {at}"))
            }
            ExprKind::Literal(_) => {
                self.indent(level)?;
                self.out.write_str("Literal: ")?;
                self.elements(expr)?;
                writeln!(self.out, " {at}")
            }
            ExprKind::Call(call) => self.call(level, call),
            ExprKind::StructLiteral(values) => {
                self.indent(level)?;
                // Without a line end, as upstream.
                self.out.write_str("Struct Literal: ")?;
                values.iter().try_for_each(|value| self.expr(level + 1, value))?;
                self.line(level, format_args!(" {at}"))
            }
            ExprKind::Chain(chain) => self.chain(level, chain),
            ExprKind::Unary(unary) => self.unary(level, unary),
            ExprKind::Access(access) => self.access(level, access),
            ExprKind::Index(index) => {
                self.line(level, format_args!("Index {at}"))?;
                self.expr(level + 1, &index.base)?;
                self.subscripts(level + 1, &index.subscripts)
            }
            ExprKind::String(value) => {
                self.line(level, format_args!("String: {} {at}", strings::literal(value)))
            }
            ExprKind::Error => self.line(level, format_args!("Error {at}")),
        }
    }

    fn call(&mut self, level: usize, call: &Call) -> Result {
        let at = self.location(call.callee.span.start);
        if let Some(derivative) = &call.derivative {
            let at = self.location(derivative.name.span.start);
            let by: Vec<_> = derivative.parameters().iter().map(usize::to_string).collect();
            let (name, by) = (&derivative.name.text, by.join(", "));
            self.line(level, format_args!("Derivative '{name}' by {by} {at}"))?;
        }
        match call.callee.text.as_str() {
            "print" => self.line(level, format_args!("Print [ {at}"))?,
            callee => self.line(level, format_args!("Call '{callee}' [ {at}"))?,
        }
        call.arguments.iter().try_for_each(|argument| self.expr(level + 1, argument))?;
        for (name, value) in &call.named {
            let at = self.location(name.span.start);
            self.line(level + 1, format_args!("Named '{}' {at}", name.text))?;
            self.expr(level + 2, value)?;
        }
        self.line(level, format_args!("]"))
    }

    /// The subscripts of a part; a part without subscripts has no line.
    pub fn subscripts(&mut self, level: usize, subscripts: &[Subscript]) -> Result {
        if subscripts.is_empty() {
            return Ok(());
        }
        self.line(level, format_args!("Subscripts ["))?;
        for subscript in subscripts {
            match subscript {
                Subscript::At(index) => self.expr(level + 1, index)?,
                Subscript::Range(slice) => {
                    let given = [&slice.from, &slice.to, &slice.step].map(Option::is_some);
                    let form = match given {
                        [true, true, false] => "",
                        [true, true, true] => " a:b:s",
                        [true, false, true] => " a::s",
                        [false, true, true] => " :b:s",
                        [false, false, true] => " ::s",
                        [true, false, false] => " a:",
                        [false, true, false] => " :b",
                        [false, false, false] => " :",
                    };
                    self.line(level + 1, format_args!("Range{form}"))?;
                    subscript.exprs().try_for_each(|part| self.expr(level + 2, part))?;
                }
            }
        }
        self.line(level, format_args!("]"))
    }

    /// The outermost operator of a chain is its last one: first all operators from the outside
    /// in, then the innermost left operand, then the right operands from the inside out.
    fn chain(&mut self, level: usize, chain: &Chain) -> Result {
        for (depth, link) in chain.rest.iter().rev().enumerate() {
            // As upstream: the location not of the operator but of the token after it.
            let at = self.location(link.operand.span.start);
            self.line(level + depth, format_args!("BinOp: {} {at}", link.operator.symbol()))?;
        }
        let innermost = level + chain.rest.len();
        self.expr(innermost, &chain.first)?;
        let mut operands = chain.rest.iter().enumerate();
        operands.try_for_each(|(depth, link)| self.expr(innermost - depth, &link.operand))
    }

    fn unary(&mut self, level: usize, unary: &Unary) -> Result {
        for (depth, (operator, span)) in unary.operators.iter().enumerate() {
            let at = self.location(span.start);
            self.line(level + depth, format_args!("UnOp: {} {at}", operator.symbol()))?;
        }
        self.expr(level + unary.operators.len(), &unary.operand)
    }

    /// In upstream's tree, `.` is a binary operator, and a field a variable.
    fn access(&mut self, level: usize, access: &Access) -> Result {
        for (depth, field) in access.fields.iter().rev().enumerate() {
            let at = self.location(field.span.start);
            self.line(level + depth, format_args!("BinOp: . {at}"))?;
        }
        let innermost = level + access.fields.len();
        self.expr(innermost, &access.base)?;
        access.fields.iter().enumerate().try_for_each(|(depth, Name { text, span })| {
            let at = self.location(span.start);
            self.line(innermost - depth, format_args!("var: {text} {at}"))
        })
    }

    /// A list as `<dims>[ a, b]`, a number as in [`Scientific`].
    fn elements(&mut self, expr: &Expr) -> Result {
        match &expr.kind {
            ExprKind::Number(value) => write!(self.out, "{}", Scientific(*value)),
            ExprKind::Literal(elements) => {
                write!(self.out, "{}[ ", dims(&literal_dims(expr)))?;
                for (index, element) in elements.iter().enumerate() {
                    self.out.write_str(if index == 0 { "" } else { ", " })?;
                    self.elements(element)?;
                }
                self.out.write_str("]")
            }
            _ => self.out.write_str("Error"),
        }
    }
}

/// True if all elements are numbers, or lists of numbers.
fn is_constant(elements: &[Expr]) -> bool {
    elements.iter().all(|element| match &element.kind {
        ExprKind::Literal(elements) => is_constant(elements),
        kind => matches!(kind, ExprKind::Number(_)),
    })
}

/// The dimensions of a rectangular literal: its length, then its first element's dimensions.
fn literal_dims(literal: &Expr) -> Vec<i64> {
    let mut dims = Vec::new();
    let mut next = Some(literal);
    while let Some(Expr { kind: ExprKind::Literal(elements), .. }) = next {
        dims.push(elements.len() as i64);
        next = elements.first();
    }
    dims
}

/// A number in the format of C's `%e`: six decimals, and an exponent with a sign and at least two digits.
pub struct Scientific(pub f64);

impl std::fmt::Display for Scientific {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> Result {
        let mut text = StackBuffer { bytes: [0; 32], length: 0 };
        write!(text, "{:.6e}", self.0)?;
        let rust = std::str::from_utf8(&text.bytes[..text.length]).unwrap_or_default();
        let (mantissa, exponent) = rust.rsplit_once('e').unwrap_or((rust, "0"));
        out.write_str(mantissa)?;
        let (sign, digits) = match exponent.strip_prefix('-') {
            Some(digits) => ("e-", digits),
            None => ("e+", exponent),
        };
        out.write_str(sign)?;
        out.write_str(if digits.len() < 2 { "0" } else { "" })?;
        out.write_str(digits)
    }
}

/// A buffer on the stack: a literal may have a million numbers, too many for an allocation each.
struct StackBuffer {
    bytes: [u8; 32],
    length: usize,
}

impl Write for StackBuffer {
    fn write_str(&mut self, text: &str) -> Result {
        let end = self.length + text.len();
        let place = self.bytes.get_mut(self.length..end).ok_or(std::fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}
