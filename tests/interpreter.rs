//! A Toy interpreter, straight from the syntax tree: what compiled programs have to agree with.
//!
//! Input: the source of a program. Output: the bytes it prints, or what is wrong with it. It shares
//! the parser with the compiler and nothing else. Invariant: it does what the language says in
//! the most obvious way; nothing here is optimized.

use crate::tools::{Outcome, fail, trial};
use libtest_mimic::Trial;
use std::collections::HashMap;
use std::fmt::Write;
use toyc::source::Source;
use toyc::syntax;
use toyc::syntax::ast::{BinaryOperator, Call, Expr, ExprKind, Function, Module, StatementKind};

/// Deeper than any test; a recursive program gets here.
const MAX_CALL_DEPTH: usize = 20_000;

/// Interpretation is native recursion: this much is enough for [`MAX_CALL_DEPTH`].
const STACK_BYTES: usize = 1 << 30;

#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    pub dims: Vec<usize>,
    /// In row-major order.
    pub elements: Vec<f64>,
}

/// Runs a program; Err is the first mistake that is met.
pub fn run(text: &str) -> Result<String, String> {
    let source = Source::new("program", text);
    let (module, diagnostics) = syntax::analyze(&source);
    if let Some(diagnostic) = diagnostics.first() {
        return Err(diagnostic.message.clone());
    }
    std::thread::scope(|scope| {
        let work = || Interpreter::new(&module).main();
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        let result = thread.map(|thread| thread.join());
        result.expect("a thread").unwrap_or_else(|_| Err("the interpreter panicked".to_owned()))
    })
}

struct Interpreter<'m> {
    functions: HashMap<&'m str, &'m Function>,
    output: String,
    depth: usize,
}

type Variables<'m> = HashMap<&'m str, Tensor>;

impl<'m> Interpreter<'m> {
    fn new(module: &'m Module) -> Self {
        let functions = module.functions.iter().map(|f| (f.name.text.as_str(), f)).collect();
        Self { functions, output: String::new(), depth: 0 }
    }

    fn main(mut self) -> Result<String, String> {
        self.call("main", vec![])?;
        Ok(self.output)
    }

    fn call(&mut self, name: &str, arguments: Vec<Tensor>) -> Result<Option<Tensor>, String> {
        let function = *self.functions.get(name).ok_or(format!("no function {name}"))?;
        if self.depth == MAX_CALL_DEPTH {
            return Err("recursion without end".to_owned());
        }
        self.depth += 1;
        let names = function.parameters.iter().map(|parameter| parameter.text.as_str());
        let mut variables: Variables = names.zip(arguments).collect();
        for statement in &function.body {
            match &statement.kind {
                StatementKind::VarDecl { name, shape, value } => {
                    let mut value = self.value(&variables, value)?;
                    if let Some(shape) = shape {
                        let dims = shape.dims.iter().map(|dim| *dim as usize).collect();
                        value = reshape(value, dims)?;
                    }
                    variables.insert(&name.text, value);
                }
                StatementKind::Expr(expr) => {
                    self.expr(&variables, expr)?;
                }
                StatementKind::Return(value) => {
                    let value = value.as_ref().map(|value| self.value(&variables, value));
                    self.depth -= 1;
                    return value.transpose();
                }
            }
        }
        self.depth -= 1;
        Ok(None)
    }

    fn value(&mut self, variables: &Variables, expr: &'m Expr) -> Result<Tensor, String> {
        self.expr(variables, expr)?.ok_or("a value is needed".to_owned())
    }

    fn expr(&mut self, variables: &Variables, expr: &'m Expr) -> Result<Option<Tensor>, String> {
        Ok(Some(match &expr.kind {
            ExprKind::Number(number) => Tensor { dims: vec![], elements: vec![*number] },
            ExprKind::Literal(items) => self.literal(variables, items)?,
            ExprKind::Variable(name) => variables[name.as_str()].clone(),
            ExprKind::Call(call) => return self.call_expr(variables, call),
            ExprKind::Chain(chain) => {
                let mut result = self.value(variables, &chain.first)?;
                for link in &chain.rest {
                    let operand = self.value(variables, &link.operand)?;
                    result = element_wise(link.operator, result, &operand)?;
                }
                result
            }
            ExprKind::Error => return Err("a program with errors".to_owned()),
        }))
    }

    fn literal(&mut self, variables: &Variables, items: &'m [Expr]) -> Result<Tensor, String> {
        let mut dims = vec![items.len()];
        let mut elements = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let item = self.value(variables, item)?;
            if index == 0 {
                dims.extend(&item.dims);
            } else if dims[1..] != item.dims {
                return Err("a ragged literal".to_owned());
            }
            elements.extend(item.elements);
        }
        Ok(Tensor { dims, elements })
    }

    fn call_expr(
        &mut self,
        variables: &Variables,
        call: &'m Call,
    ) -> Result<Option<Tensor>, String> {
        let arguments: Result<Vec<_>, _> =
            call.arguments.iter().map(|argument| self.value(variables, argument)).collect();
        let arguments = arguments?;
        match call.callee.text.as_str() {
            "print" => {
                print(&arguments[0], &mut self.output);
                Ok(None)
            }
            "transpose" => Ok(Some(transpose(&arguments[0]))),
            callee => self.call(callee, arguments),
        }
    }
}

fn element_wise(operator: BinaryOperator, lhs: Tensor, rhs: &Tensor) -> Result<Tensor, String> {
    // A scalar goes with every element of the other operand.
    let (count, dims) = match (lhs.dims.is_empty(), rhs.dims.is_empty()) {
        (true, _) => (rhs.elements.len(), rhs.dims.clone()),
        (_, true) => (lhs.elements.len(), lhs.dims.clone()),
        _ if lhs.dims == rhs.dims => (lhs.elements.len(), lhs.dims.clone()),
        _ => return Err(format!("shapes {:?} and {:?}", lhs.dims, rhs.dims)),
    };
    let apply = |(a, b): (&f64, &f64)| match operator {
        BinaryOperator::Add => a + b,
        BinaryOperator::Mul => a * b,
    };
    let pairs = lhs.elements.iter().cycle().zip(rhs.elements.iter().cycle());
    Ok(Tensor { dims, elements: pairs.take(count).map(apply).collect() })
}

/// The same elements under another shape; a scalar fills it.
fn reshape(value: Tensor, dims: Vec<usize>) -> Result<Tensor, String> {
    let count: usize = dims.iter().product();
    if value.dims.is_empty() {
        return Ok(Tensor { dims, elements: vec![value.elements[0]; count] });
    }
    if value.elements.len() != count {
        return Err(format!("{:?} reshaped to {dims:?}", value.dims));
    }
    Ok(Tensor { dims, elements: value.elements })
}

/// Reverses the dimensions: element (i, j, ..., k) moves to (k, ..., j, i).
fn transpose(value: &Tensor) -> Tensor {
    let dims: Vec<usize> = value.dims.iter().rev().copied().collect();
    let mut elements = Vec::with_capacity(value.elements.len());
    for position in 0..value.elements.len() {
        // The index in the result, last dimension first, is the index in the operand, first
        // dimension first.
        let (mut rest, mut offset) = (position, 0);
        let mut index = Vec::new();
        for dim in dims.iter().rev() {
            index.push(rest % dim);
            rest /= dim;
        }
        for (dim, index) in value.dims.iter().zip(&index) {
            offset = offset * dim + index;
        }
        elements.push(value.elements[offset]);
    }
    Tensor { dims, elements }
}

/// `%f ` for each element, a newline after each index of every dimension but the last.
fn print(value: &Tensor, output: &mut String) {
    for (position, element) in value.elements.iter().enumerate() {
        let number = if element.is_nan() { "nan".to_owned() } else { format!("{element:.6}") };
        let _ = write!(output, "{number} ");
        let mut block = 1;
        for dim in value.dims.iter().skip(1).rev() {
            block *= dim;
            if (position + 1) % block == 0 {
                output.push('\n');
            }
        }
    }
}

/// What the interpreter itself is checked against: by hand, and upstream's documented output.
pub fn trials() -> Vec<Trial> {
    let check = |program: &str, expected: &str| -> Outcome {
        match run(program) {
            Ok(actual) if actual == expected => Ok(()),
            other => fail(format!("{program}\nexpected {expected:?}\nactual {other:?}")),
        }
    };
    vec![
        trial("interpreter/print_format", move || {
            check(
                "def main() { print(1.5); print(2); print([1,2]); }",
                "1.500000 2.000000 1.000000 2.000000 ",
            )?;
            check(
                "def main() { print([[1,2],[3,4]]); }",
                "1.000000 2.000000 \n3.000000 4.000000 \n",
            )?;
            // A plane of a rank-3 tensor ends with the newline of its last row and one of its own.
            check(
                "def main() { print([[[1],[2]],[[3],[4]]]); }",
                "1.000000 \n2.000000 \n\n3.000000 \n4.000000 \n\n",
            )
        }),
        trial("interpreter/transpose", move || {
            check(
                "def main() { print(transpose([[1,2,3],[4,5,6]])); }",
                "1.000000 4.000000 \n2.000000 5.000000 \n3.000000 6.000000 \n",
            )?;
            check(
                "def main() { var a<2,1,3> = [0,1,2,3,4,5]; var b<6> = transpose(a); print(b); }",
                "0.000000 3.000000 1.000000 4.000000 2.000000 5.000000 ",
            )
        }),
        trial("interpreter/mistakes", || {
            for program in [
                "def main() { print([1,2] + [1,2,3]); }",
                "def main() { var a<2> = [1,2,3]; }",
                "def f(x) { return f(x); } def main() { f(1); }",
            ] {
                if let Ok(output) = run(program) {
                    return fail(format!("{program} printed {output:?}"));
                }
            }
            Ok(())
        }),
    ]
}
