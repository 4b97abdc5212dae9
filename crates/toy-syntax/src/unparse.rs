//! Prints the syntax tree as a Toy program.
//!
//! Input: a tree without errors. Output: its program in one canonical form: a statement to a line,
//! two spaces of indentation, no redundant parentheses, shortest decimal numbers. Comments, and
//! empty lines within a function, are not part of the tree and are lost. Invariants: the text parses
//! to the same tree (except for the spans), hence unparsing it again gives the same text;
//! recursion goes over brackets only.

mod expressions;

pub(crate) use expressions::sizes;

use super::ast::{
    Binding, Body, DeclaredType, Definition, Function, Module, Statement, StatementKind, Struct,
};
use expressions::{expr, subscripts, without_brace};
use std::fmt::{Result, Write};

/// The program in canonical form.
pub fn unparse(module: &Module) -> String {
    let mut text = String::new();
    // Writing into a string does not fail.
    let _ = unparse_to(module, &mut text);
    text
}

fn unparse_to(module: &Module, out: &mut String) -> Result {
    for (index, definition) in module.definitions().into_iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        match definition {
            Definition::Struct(definition) => structure(definition, out)?,
            Definition::Function(definition) => function(definition, out)?,
        }
    }
    Ok(())
}

fn structure(definition: &Struct, out: &mut String) -> Result {
    writeln!(out, "struct {} {{", definition.name.text)?;
    for Binding { ty, name, .. } in &definition.fields {
        let ty = ty.as_ref().map_or("var", |ty| &ty.text);
        writeln!(out, "  {ty} {};", name.text)?;
    }
    out.write_str("}\n")
}

fn function(function: &Function, out: &mut String) -> Result {
    write!(out, "def {}(", function.name.text)?;
    for (index, Binding { ty, name, .. }) in function.parameters.iter().enumerate() {
        out.write_str(if index == 0 { "" } else { ", " })?;
        if let Some(ty) = ty {
            write!(out, "{} ", ty.text)?;
        }
        out.write_str(&name.text)?;
    }
    out.write_str(") {\n")?;
    statements(&function.body, 1, out)?;
    out.write_str("}\n")
}

fn statements(statements: &[Statement], level: usize, out: &mut String) -> Result {
    for item in statements {
        write!(out, "{:width$}", "", width = 2 * level)?;
        statement(item, level, out)?;
    }
    Ok(())
}

fn statement(statement: &Statement, level: usize, out: &mut String) -> Result {
    match &statement.kind {
        StatementKind::VarDecl { ty, name, value } => {
            match ty {
                DeclaredType::Inferred => write!(out, "var {}", name.text)?,
                DeclaredType::Tensor(shape) => {
                    write!(out, "var {}<{}>", name.text, sizes(&shape.sizes))?;
                }
                DeclaredType::Struct(ty) => write!(out, "{} {}", ty.text, name.text)?,
            }
            out.write_str(" = ")?;
            expr(value, out)?;
        }
        StatementKind::Return(value) => {
            out.write_str(if value.is_some() { "return " } else { "return" })?;
            value.iter().try_for_each(|value| expr(value, out))?;
        }
        StatementKind::Break => out.write_str("break")?,
        StatementKind::Continue => out.write_str("continue")?,
        StatementKind::Expr(value) => without_brace(value, out)?,
        StatementKind::Assign(assignment) => {
            out.write_str(&assignment.name.text)?;
            assignment.fields.iter().try_for_each(|field| write!(out, ".{}", field.text))?;
            subscripts(&assignment.subscripts, out)?;
            out.write_str(" = ")?;
            expr(&assignment.value, out)?;
        }
        StatementKind::If(branches) => {
            for (index, arm) in branches.arms.iter().enumerate() {
                out.write_str(if index == 0 { "if (" } else { " else if (" })?;
                expr(&arm.condition, out)?;
                out.write_str(") ")?;
                block(&arm.body, level, out)?;
            }
            if let Some(body) = &branches.otherwise {
                out.write_str(" else ")?;
                block(body, level, out)?;
            }
            return out.write_str("\n");
        }
        StatementKind::While(repeated) => {
            out.write_str("while (")?;
            expr(&repeated.condition, out)?;
            out.write_str(") ")?;
            block(&repeated.body, level, out)?;
            return out.write_str("\n");
        }
        StatementKind::For(repeated) => {
            write!(out, "for {} in ", repeated.variable.text)?;
            without_brace(&repeated.first, out)?;
            for bound in [&repeated.end].into_iter().chain(&repeated.step) {
                out.write_str("..")?;
                without_brace(bound, out)?;
            }
            out.write_str(" ")?;
            block(&repeated.body, level, out)?;
            return out.write_str("\n");
        }
    }
    out.write_str(";\n")
}

fn block(body: &Body, level: usize, out: &mut String) -> Result {
    out.write_str("{\n")?;
    statements(&body.statements, level + 1, out)?;
    write!(out, "{:width$}}}", "", width = 2 * level)
}

#[cfg(test)]
mod random;
#[cfg(test)]
mod tests;
