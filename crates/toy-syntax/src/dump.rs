//! Dumps the syntax tree, byte for byte as upstream's `-emit=ast`.
//!
//! Input: a tree without errors and its source. Output: upstream's dump, extended in its style for
//! constructs that upstream lacks: `UnOp: -`, computed elements of a literal, each on a separate line,
//! branches, loops, assignments, subscripts and strings. Invariants: recursion goes over brackets only, never over the operators of a chain; the
//! size of the dump is linear in the program. Upstream indents each operator of a chain by one more
//! level, so the dump of a chain of n operators would have size n * n: 14 GB for 60,000 operators.
//! So a line deeper than [`MAX_INDENT`] levels starts with the number of its level instead.

mod expressions;

use super::ast::{
    Binding, Body, DeclaredType, Definition, Function, Module, Statement, StatementKind, Struct,
};
use crate::unparse::sizes;
use std::fmt::{Result, Write};
use toy_diagnostics::source::{Source, Span};

/// The most levels that are shown by indentation. No program written by hand is as deep.
const MAX_INDENT: usize = 1_000;

/// The dump as a string.
pub fn dump(module: &Module, source: &Source) -> String {
    let mut text = String::new();
    // Writing into a string does not fail.
    let _ = dump_to(module, source, &mut text);
    text
}

/// Writes the dump to `out`. Fails only if `out` does.
pub fn dump_to(module: &Module, source: &Source, out: &mut dyn Write) -> Result {
    let mut dumper = Dumper { source, out };
    dumper.line(1, format_args!("Module:"))?;
    module.definitions().into_iter().try_for_each(|definition| match definition {
        Definition::Struct(definition) => dumper.structure(definition),
        Definition::Function(function) => dumper.function(function),
    })
}

struct Dumper<'a> {
    source: &'a Source,
    out: &'a mut dyn Write,
}

impl Dumper<'_> {
    fn structure(&mut self, definition: &Struct) -> Result {
        let at = self.location(definition.span.start);
        self.line(2, format_args!("Struct: {} {at}", definition.name.text))?;
        self.line(3, format_args!("Variables: ["))?;
        for Binding { ty, name, span } in &definition.fields {
            let ty = ty.as_ref().map_or("", |ty| &ty.text);
            let at = self.location(span.start);
            self.line(4, format_args!("VarDecl {}<{ty}> {at}", name.text))?;
        }
        self.line(3, format_args!("]"))
    }

    fn function(&mut self, function: &Function) -> Result {
        // The trailing space is part of upstream's format.
        self.line(2, format_args!("Function "))?;
        let at = self.location(function.prototype.start);
        self.line(3, format_args!("Proto '{}' {at}", function.name.text))?;
        let names: Vec<&str> = function.parameters.iter().map(|it| it.name.text.as_str()).collect();
        self.line(3, format_args!("Params: [{}]", names.join(", ")))?;
        self.line(3, format_args!("Block {{"))?;
        function.body.iter().try_for_each(|statement| self.statement(4, statement))?;
        self.line(3, format_args!("}} // Block"))
    }

    fn statement(&mut self, level: usize, statement: &Statement) -> Result {
        let at = self.location(statement.span.start);
        match &statement.kind {
            StatementKind::VarDecl { ty, name, value } => {
                let dims = match ty {
                    DeclaredType::Inferred => dims(&[]),
                    DeclaredType::Tensor(shape) => format!("<{}>", sizes(&shape.sizes)),
                    DeclaredType::Struct(name) => format!("<{}>", name.text),
                };
                self.line(level, format_args!("VarDecl {}{dims} {at}", name.text))?;
                self.expr(level + 1, value)
            }
            StatementKind::Return(value) => {
                self.line(level, format_args!("Return"))?;
                match value {
                    Some(value) => self.expr(level + 1, value),
                    None => self.line(level + 1, format_args!("(void)")),
                }
            }
            StatementKind::Break => self.line(level, format_args!("Break {at}")),
            StatementKind::Continue => self.line(level, format_args!("Continue {at}")),
            StatementKind::Expr(value) => self.expr(level, value),
            StatementKind::Assign(assignment) => {
                let names = [&assignment.name].into_iter().chain(&assignment.fields);
                let names: Vec<&str> = names.map(|name| name.text.as_str()).collect();
                self.line(level, format_args!("Assign {} {at}", names.join(".")))?;
                self.subscripts(level + 1, &assignment.subscripts)?;
                self.expr(level + 1, &assignment.value)
            }
            StatementKind::If(branches) => {
                self.line(level, format_args!("If {at}"))?;
                for arm in &branches.arms {
                    self.expr(level + 1, &arm.condition)?;
                    self.block(level + 1, "Block", &arm.body)?;
                }
                let mut otherwise = branches.otherwise.iter();
                otherwise.try_for_each(|body| self.block(level + 1, "Else Block", body))
            }
            StatementKind::While(repeated) => {
                self.line(level, format_args!("While {at}"))?;
                self.expr(level + 1, &repeated.condition)?;
                self.block(level + 1, "Block", &repeated.body)
            }
            StatementKind::For(repeated) => {
                self.line(level, format_args!("For {} {at}", repeated.variable.text))?;
                statement.exprs().into_iter().try_for_each(|bound| self.expr(level + 1, bound))?;
                self.block(level + 1, "Block", &repeated.body)
            }
        }
    }

    fn block(&mut self, level: usize, what: &str, body: &Body) -> Result {
        self.line(level, format_args!("{what} {{"))?;
        body.statements.iter().try_for_each(|statement| self.statement(level + 1, statement))?;
        self.line(level, format_args!("}} // {what}"))
    }

    fn line(&mut self, level: usize, line: std::fmt::Arguments<'_>) -> Result {
        self.indent(level)?;
        self.out.write_fmt(line)?;
        self.out.write_str("\n")
    }

    fn indent(&mut self, level: usize) -> Result {
        if level > MAX_INDENT {
            return write!(self.out, "[{level}] ");
        }
        write!(self.out, "{:width$}", "", width = 2 * level)
    }

    fn location(&self, offset: u32) -> String {
        let at = self.source.line_column(offset);
        format!("@{}:{}:{}", self.source.name, at.line, at.column)
    }

    /// The span of an operand begins with its parentheses; upstream, which has none in its tree,
    /// locates the operand itself. Between the two there are only parentheses and white space.
    fn without_parentheses(&self, span: Span) -> u32 {
        let mut in_comment = false;
        let operand = self.source.snippet(span).bytes().position(|byte| match byte {
            b'\n' | b'\r' => {
                in_comment = false;
                false
            }
            b'#' => {
                in_comment = true;
                false
            }
            b'(' | b' ' | b'\t' | b'\x0B' | b'\x0C' => false,
            _ => !in_comment,
        });
        span.start + operand.unwrap_or(0) as u32
    }
}

fn dims(dims: &[i64]) -> String {
    let dims: Vec<String> = dims.iter().map(i64::to_string).collect();
    format!("<{}>", dims.join(", "))
}

#[cfg(test)]
mod tests;
