//! Prints the syntax tree as a Toy program.
//!
//! Input: a tree without errors. Output: its program in one canonical form: a statement to a line,
//! two spaces of indentation, no redundant parentheses, shortest decimal numbers. Comments, and
//! empty lines within a function, are not part of the tree and are lost. Invariants: the text parses
//! to the same tree (except for the spans), hence unparsing it again gives the same text;
//! recursion goes over brackets only.

use super::ast::{
    Access, Binding, Chain, DeclaredType, Definition, Expr, ExprKind, Function, Module, Precedence,
    Statement, StatementKind, Struct,
};
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
    function.body.iter().try_for_each(|item| statement(item, out))?;
    out.write_str("}\n")
}

fn statement(statement: &Statement, out: &mut String) -> Result {
    out.write_str("  ")?;
    match &statement.kind {
        StatementKind::VarDecl { ty, name, value } => {
            match ty {
                DeclaredType::Inferred => write!(out, "var {}", name.text)?,
                DeclaredType::Tensor(shape) => {
                    let dims: Vec<String> = shape.dims.iter().map(i64::to_string).collect();
                    write!(out, "var {}<{}>", name.text, dims.join(", "))?;
                }
                DeclaredType::Struct(ty) => write!(out, "{} {}", ty.text, name.text)?,
            }
            out.write_str(" = ")?;
            expr(value, out)?;
        }
        StatementKind::Return(None) => out.write_str("return")?,
        StatementKind::Return(Some(value)) => {
            out.write_str("return ")?;
            expr(value, out)?;
        }
        StatementKind::Expr(value) if starts_with_brace(value) => parenthesized(value, out)?,
        StatementKind::Expr(value) => expr(value, out)?,
        StatementKind::Assign(_)
        | StatementKind::If(_)
        | StatementKind::While(_)
        | StatementKind::For(_) => {}
    }
    out.write_str(";\n")
}

/// Whether the text of an expression starts with a brace, as no statement may.
fn starts_with_brace(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::StructLiteral(_) => true,
        ExprKind::Chain(chain) => starts_with_brace(&chain.first),
        ExprKind::Access(access) => starts_with_brace(&access.base),
        _ => false,
    }
}

fn expr(expr: &Expr, out: &mut String) -> Result {
    match &expr.kind {
        ExprKind::Number(value) => out.write_str(&number(*value)),
        ExprKind::Variable(name) => out.write_str(name),
        ExprKind::Literal(elements) => list("[", elements, "]", out),
        ExprKind::StructLiteral(values) => list("{", values, "}", out),
        ExprKind::Call(call) => {
            out.write_str(&call.callee.text)?;
            list("(", &call.arguments, ")", out)
        }
        ExprKind::Chain(chain) => self::chain(chain, out),
        ExprKind::Unary(unary) => {
            unary.operators.iter().for_each(|(operator, _)| out.push_str(operator.symbol()));
            // The last minus of a number is part of it, and several are one expression.
            let operand = &unary.operand;
            let needs_parentheses = match operand.kind {
                ExprKind::Chain(_) | ExprKind::Unary(_) => true,
                ExprKind::Number(value) => value.is_sign_positive(),
                _ => false,
            };
            if needs_parentheses { parenthesized(operand, out) } else { self::expr(operand, out) }
        }
        ExprKind::Access(access) => self::access(access, out),
        ExprKind::Index(_) | ExprKind::String(_) | ExprKind::Error => Ok(()),
    }
}

fn chain(chain: &Chain, out: &mut String) -> Result {
    let is_product = is_product_chain(chain);
    let operand = |operand: &Expr, out: &mut String| match &operand.kind {
        ExprKind::Chain(inner) if is_product || !is_product_chain(inner) => {
            parenthesized(operand, out)
        }
        _ => expr(operand, out),
    };
    operand(&chain.first, out)?;
    for link in &chain.rest {
        write!(out, " {} ", link.operator.symbol())?;
        operand(&link.operand, out)?;
    }
    Ok(())
}

fn is_product_chain(chain: &Chain) -> bool {
    chain.rest.first().is_some_and(|link| link.operator.precedence() == Precedence::Multiplicative)
}

fn access(access: &Access, out: &mut String) -> Result {
    match &access.base.kind {
        // Without parentheses: `1.a` would be a bad number, `a.b.c` one access.
        ExprKind::Number(_) | ExprKind::Chain(_) | ExprKind::Unary(_) | ExprKind::Access(_) => {
            parenthesized(&access.base, out)?
        }
        _ => expr(&access.base, out)?,
    }
    access.fields.iter().try_for_each(|field| write!(out, ".{}", field.text))
}

fn parenthesized(inner: &Expr, out: &mut String) -> Result {
    out.write_str("(")?;
    expr(inner, out)?;
    out.write_str(")")
}

fn list(open: &str, elements: &[Expr], close: &str, out: &mut String) -> Result {
    out.write_str(open)?;
    for (index, element) in elements.iter().enumerate() {
        out.write_str(if index == 0 { "" } else { ", " })?;
        expr(element, out)?;
    }
    out.write_str(close)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{dump, parse};
    use toy_diagnostics::source::Source;

    fn without_places(dump: &str) -> String {
        let lines = dump.lines().map(|line| line.split(" @").next().unwrap_or_default());
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The program in canonical form; panics if that is a different program.
    fn unparsed(text: &str) -> String {
        let source = Source::new("t", text);
        let (module, diagnostics) = parse(&source);
        assert_eq!(diagnostics, [], "{text}");
        let canonical = Source::new("t", unparse(&module));
        let (again, diagnostics) = parse(&canonical);
        assert_eq!(diagnostics, [], "{}", canonical.text);
        assert_eq!(
            without_places(&dump::dump(&module, &source)),
            without_places(&dump::dump(&again, &canonical)),
            "{text}"
        );
        assert_eq!(unparse(&again), canonical.text);
        canonical.text
    }

    #[test]
    fn a_program_is_printed_in_canonical_form() {
        let text = "struct P{var a;Q q;}struct Q{var b;}
            def f(P p,x){return p.a*(x);} # gone
            def main(){var a<2,3>=1;P p={[1,-2,.5e-7],{3}};print(f(p,a)) ;; return;}";
        let expected = "struct P {\n  var a;\n  Q q;\n}\n\nstruct Q {\n  var b;\n}\n\n\
            def f(P p, x) {\n  return p.a * x;\n}\n\n\
            def main() {\n  var a<2, 3> = 1;\n  P p = {[1, -2, 5e-8], {3}};\n  \
            print(f(p, a));\n  return;\n}\n";
        assert_eq!(unparsed(text), expected);
    }

    #[test]
    fn expressions_keep_their_structure() {
        for (written, canonical) in [
            ("(a + b) - (c - d)", "(a + b) - (c - d)"),
            ("((a * b)) + (c / d)", "a * b + c / d"),
            ("(a * b) * c / (d * e)", "(a * b) * c / (d * e)"),
            ("(a + b) * -c", "(a + b) * -c"),
            ("-(-a) - --a", "-(-a) - --a"),
            ("-1 - -(1) - - -1 + (-1)", "-1 - -(1) - --1 + -1"),
            ("-(a + b) + -(a.b)", "-(a + b) + -a.b"),
            ("(1).x + (a.b).c.d + (-a).b", "(1).x + (a.b).c.d + (-a).b"),
            ("f(a).b + [1].c", "f(a).b + [1].c"),
            ("({1, 2}).a + 1", "({1, 2}.a + 1)"),
            ("1e4", "10000"),
            (
                "1e300 + 1e-300 + 0.00001 + 123456789012345678",
                "1e300 + 1e-300 + 0.00001 + 1.2345678901234568e17",
            ),
            ("-0", "-0"),
        ] {
            let text = unparsed(&format!("def main() {{ {written}; }}"));
            assert_eq!(text, format!("def main() {{\n  {canonical};\n}}\n"));
        }
    }
}
