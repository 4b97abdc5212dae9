//! Dumps the syntax tree, byte for byte as upstream's `-emit=ast`.
//!
//! Input: a tree without errors and its source. Output: upstream's dump, extended in its style by
//! what upstream does not have: `UnOp: -`, and computed elements of a literal, each on a separate
//! line. Invariants: recursion goes over brackets only, never over the operators of a chain; the
//! size of the dump is linear in the program. Upstream indents each operator of a chain by one more
//! level, so the dump of a chain of n operators would have size n * n: 14 GB for 60,000 operators.
//! So a line deeper than [`MAX_INDENT`] levels starts with the number of its level instead.

use super::ast::{
    Access, Binding, Call, Chain, DeclaredType, Definition, Expr, ExprKind, Function, Module, Name,
    Statement, StatementKind, Struct, Unary,
};
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
        let parameters = function.parameters.iter();
        let names: Vec<&str> = parameters.map(|parameter| parameter.name.text.as_str()).collect();
        self.line(3, format_args!("Params: [{}]", names.join(", ")))?;
        self.line(3, format_args!("Block {{"))?;
        function.body.iter().try_for_each(|statement| self.statement(statement))?;
        self.line(3, format_args!("}} // Block"))
    }

    fn statement(&mut self, statement: &Statement) -> Result {
        match &statement.kind {
            StatementKind::VarDecl { ty, name, value } => {
                let dims = match ty {
                    DeclaredType::Inferred => dims(&[]),
                    DeclaredType::Tensor(shape) => dims(&shape.dims),
                    DeclaredType::Struct(name) => format!("<{}>", name.text),
                };
                let at = self.location(statement.span.start);
                self.line(4, format_args!("VarDecl {}{dims} {at}", name.text))?;
                self.expr(5, value)
            }
            StatementKind::Return(value) => {
                self.line(4, format_args!("Return"))?;
                match value {
                    Some(value) => self.expr(5, value),
                    None => self.line(5, format_args!("(void)")),
                }
            }
            StatementKind::Expr(value) => self.expr(4, value),
            StatementKind::Assign(_)
            | StatementKind::If(_)
            | StatementKind::While(_)
            | StatementKind::For(_) => Ok(()),
        }
    }

    fn expr(&mut self, level: usize, expr: &Expr) -> Result {
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
            ExprKind::Index(_) | ExprKind::String(_) | ExprKind::Error => {
                self.line(level, format_args!("Error {at}"))
            }
        }
    }

    fn call(&mut self, level: usize, call: &Call) -> Result {
        let at = self.location(call.callee.span.start);
        match (call.callee.text.as_str(), call.arguments.len()) {
            ("print", 1) => self.line(level, format_args!("Print [ {at}"))?,
            (callee, _) => self.line(level, format_args!("Call '{callee}' [ {at}"))?,
        }
        call.arguments.iter().try_for_each(|argument| self.expr(level + 1, argument))?;
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

/// Whether all elements are numbers, or lists of numbers.
fn is_constant(elements: &[Expr]) -> bool {
    elements.iter().all(|element| match &element.kind {
        ExprKind::Literal(elements) => is_constant(elements),
        kind => matches!(kind, ExprKind::Number(_)),
    })
}

/// The dimensions of a rectangular literal: its length, then those of its first element.
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
struct Scientific(f64);

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn dumped(name: &str, text: &str) -> String {
        let source = Source::new(name, text);
        let (module, diagnostics) = parse(&source);
        assert_eq!(diagnostics, [], "{text}");
        dump(&module, &source)
    }

    /// The program of upstream's Ch2 test, and the dump that upstream's test expects of it.
    #[test]
    fn the_dump_equals_upstreams() {
        let program = "
# User defined generic function that operates on unknown shaped arguments.

def multiply_transpose(a, b) {
  return transpose(a) * transpose(b);
}

def main() {
  # Define a variable `a` with shape <2, 3>, initialized with the literal value.
  var a = [[1, 2, 3], [4, 5, 6]];
  var b<2, 3> = [1, 2, 3, 4, 5, 6];
  var c = multiply_transpose(a, b);
  print(c);
}
";
        let expected = "  Module:
    Function 
      Proto 'multiply_transpose' @ast.toy:4:1
      Params: [a, b]
      Block {
        Return
          BinOp: * @ast.toy:5:25
            Call 'transpose' [ @ast.toy:5:10
              var: a @ast.toy:5:20
            ]
            Call 'transpose' [ @ast.toy:5:25
              var: b @ast.toy:5:35
            ]
      } // Block
    Function 
      Proto 'main' @ast.toy:8:1
      Params: []
      Block {
        VarDecl a<> @ast.toy:10:3
          Literal: <2, 3>[ <3>[ 1.000000e+00, 2.000000e+00, 3.000000e+00], \
<3>[ 4.000000e+00, 5.000000e+00, 6.000000e+00]] @ast.toy:10:11
        VarDecl b<2, 3> @ast.toy:11:3
          Literal: <6>[ 1.000000e+00, 2.000000e+00, 3.000000e+00, \
4.000000e+00, 5.000000e+00, 6.000000e+00] @ast.toy:11:17
        VarDecl c<> @ast.toy:12:3
          Call 'multiply_transpose' [ @ast.toy:12:11
            var: a @ast.toy:12:30
            var: b @ast.toy:12:33
          ]
        Print [ @ast.toy:13:3
          var: c @ast.toy:13:9
        ]
      } // Block
";
        assert_eq!(dumped("ast.toy", program), expected);
    }

    #[test]
    fn operators_nest_and_parentheses_vanish() {
        let text = "def f(a) {\n return;\n a + (2 * ( # (\n a)) + 5.5 * (a + a);\n (print(a));\n}";
        let expected = "        Return
          (void)
        BinOp: + @t:4:8
          BinOp: + @t:3:6
            var: a @t:3:2
            BinOp: * @t:3:11
              2.000000e+00 @t:3:7
              var: a @t:4:2
          BinOp: * @t:4:14
            5.500000e+00 @t:4:8
            BinOp: + @t:4:19
              var: a @t:4:15
              var: a @t:4:19
        Print [ @t:5:3
          var: a @t:5:9
        ]
";
        let dump = dumped("t", text);
        let block = dump.split("Block {\n").nth(1).and_then(|rest| rest.split("      }").next());
        assert_eq!(block, Some(expected));
    }

    #[test]
    fn numbers_are_printed_as_by_c() {
        let table = [
            (0.0, "0.000000e+00"),
            (5.5, "5.500000e+00"),
            (1234567.0, "1.234567e+06"),
            (0.000123, "1.230000e-04"),
            (9.9999999, "1.000000e+01"),
            (1e100, "1.000000e+100"),
            (-1.5, "-1.500000e+00"),
            (-f64::MAX, "-1.797693e+308"),
            (f64::from_bits(1), "4.940656e-324"),
        ];
        for (value, expected) in table {
            assert_eq!(Scientific(value).to_string(), expected);
        }
    }

    #[test]
    fn deep_levels_are_numbers() {
        let source = Source::new("t", "");
        for (level, expected) in [(0, ""), (2, "    "), (1_001, "[1001] "), (70_000, "[70000] ")] {
            let mut out = String::new();
            Dumper { source: &source, out: &mut out }.indent(level).unwrap();
            assert_eq!(out, expected);
        }
        let mut out = String::new();
        Dumper { source: &source, out: &mut out }.indent(MAX_INDENT).unwrap();
        assert_eq!(out, "  ".repeat(MAX_INDENT));
    }

    #[test]
    fn the_dump_of_a_long_chain_is_bounded() {
        let text = format!("def main() {{ print(1{}); }}", " + 1".repeat(60_000));
        let dump = dumped("t", &text);
        assert_eq!(dump.matches("BinOp").count(), 60_000);
        assert!(dump.contains("\n[60005] 1.000000e+00 @t:1:20\n"), "the innermost operand");
        assert!(dump.len() < 10_000_000, "{} bytes", dump.len());
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let text = format!("def main() {{ print(1{}); }}", " + 1".repeat(3_000));
        assert_eq!(dumped("t", &text).matches("BinOp").count(), 3_000);
    }
}
