//! A Toy interpreter that walks the syntax tree: the oracle for compiled programs.
//!
//! Input: the source of a program. Output: the bytes it prints, or why it prints nothing. It shares the front end with
//! the compiler and nothing else. Invariant: it follows the language in the most obvious way, in the order of the text;
//! nothing here is optimized.

mod builtins;
mod expression;
mod gradients;
mod jet;
mod parts;
mod statements;
mod tensor;
mod trials;

use statements::Flow;
use std::collections::HashMap;
use std::fmt::Write;
use tensor::Tensor;
use toy_compiler::diagnostic::Severity;
use toy_compiler::interface::Argument;
use toy_compiler::source::{Source, Span};
use toy_compiler::syntax;
use toy_compiler::syntax::ast::{Expr, ExprKind, Function, Module, Name, Struct};
use toy_compiler::syntax::types::{Type, Types};
pub use trials::trials;

/// Interpretation is native recursion over brackets and calls.
const STACK_BYTES: usize = 1 << 28;

/// The most elements of all values together; a program with more is not a test.
const MAX_ELEMENTS: usize = 1 << 22;

/// The most statements and iterations that run; a program with more is not a test.
const MAX_STEPS: usize = 1 << 20;

/// The most calls open at a time; a program with more is not a test: the possible depth of recursion depends on the
/// stack, which is not the language's business.
const MAX_CALLS: usize = 1 << 11;

/// The reason for a missing output.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// An error of the front end: the code of its first diagnostic, and the message.
    Wrong(&'static str, String),
    /// Shapes that do not fit, constants that do not fit the shapes included: errors of the compiler.
    Shapes(String),
    /// An error at run time: its line, its message, and the output before it.
    Failed { line: u32, message: String, output: String },
    /// The program exceeds [`MAX_ELEMENTS`], [`MAX_STEPS`] or [`MAX_CALLS`].
    TooMuch,
}

/// Runs a program; Err is the first error.
pub fn run(text: &str) -> Result<String, Stop> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        let thread = thread.spawn_scoped(scope, || interpret(text)).expect("a thread");
        // A code that the compiler never shows, so that the test fails with the program.
        thread.join().unwrap_or_else(|_| Err(Stop::Wrong("panic", "in the interpreter".to_owned())))
    })
}

/// The result of a call of a function.
#[derive(Debug, PartialEq)]
pub struct Called {
    pub output: String,
    /// The elements of each tensor of the result, in order.
    pub results: Vec<Vec<f64>>,
}

/// Calls a function of a program for arguments of these shapes; `element` is the element with an index of
/// the tensor with a number.
pub fn call(
    text: &str,
    function: &str,
    arguments: &[Argument],
    element: fn(usize, usize) -> f64,
) -> Result<Called, Stop> {
    let source = Source::new("program", text);
    let (module, _) = syntax::analyze_library(&source);
    let mut interpreter = Interpreter::new(&module, &source);
    let function = interpreter.functions[function];
    let (mut variables, mut tensors) = (Variables::new(), 0);
    for (parameter, argument) in function.parameters.iter().zip(arguments) {
        let ty = parameter.ty.as_ref();
        let value = interpreter.argument(argument, ty, &mut tensors, element)?;
        variables.insert(&parameter.name.text, value);
    }
    let result = interpreter.run(function, variables)?;
    let mut results = Vec::new();
    result.iter().for_each(|value| elements(value, &mut results));
    Ok(Called { output: interpreter.output, results })
}

fn elements(value: &Value, tensors: &mut Vec<Vec<f64>>) {
    match value {
        Value::Tensor(tensor) => tensors.push(tensor.elements.clone()),
        Value::Struct(_, fields) => fields.iter().for_each(|(_, field)| elements(field, tensors)),
    }
}

fn interpret(text: &str) -> Result<String, Stop> {
    let source = Source::new("program", text);
    let (module, diagnostics) = syntax::analyze(&source);
    let error = diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
    if let Some(error) = error {
        return Err(Stop::Wrong(error.code.id, error.message.clone()));
    }
    Interpreter::new(&module, &source).main()
}

#[derive(Clone)]
enum Value<'m> {
    Tensor(Tensor),
    /// The fields by their names.
    Struct(&'m Struct, Vec<(&'m str, Value<'m>)>),
}

impl Value<'_> {
    /// Prints the result of `main`, or the part of it that has this name: a line after numbers and vectors, too.
    fn print_result(&self, name: &str, output: &mut String) {
        match self {
            Value::Tensor(tensor) => {
                if !name.is_empty() {
                    let _ = writeln!(output, "{name} =");
                }
                tensor.print(None, output);
                if tensor.dims.len() < 2 {
                    output.push('\n');
                }
            }
            Value::Struct(_, fields) => {
                for (field, value) in fields {
                    let dot = if name.is_empty() { "" } else { "." };
                    value.print_result(&format!("{name}{dot}{field}"), output);
                }
            }
        }
    }
}

struct Interpreter<'m> {
    source: &'m Source,
    types: Types<'m>,
    structs: HashMap<&'m str, &'m Struct>,
    functions: HashMap<&'m str, &'m Function>,
    output: String,
    /// The elements of all tensors so far.
    elements: usize,
    /// The statements and iterations so far.
    steps: usize,
    /// The open calls.
    depth: usize,
    /// The struct that the function returns.
    result: Option<&'m Name>,
}

type Variables<'m> = HashMap<&'m str, Value<'m>>;

/// An error that the front end should have found.
fn unchecked<T>(what: &str) -> Result<T, Stop> {
    Err(Stop::Wrong("unchecked", what.to_owned()))
}

impl<'m> Interpreter<'m> {
    fn new(module: &'m Module, source: &'m Source) -> Self {
        let structs = module.structs.iter().map(|item| (item.name.text.as_str(), item)).collect();
        let functions = module.functions.iter().map(|f| (f.name.text.as_str(), f)).collect();
        let types = Types::of_module(module);
        let output = String::new();
        let (elements, steps, depth, result) = (0, 0, 0, None);
        Self { source, types, structs, functions, output, elements, steps, depth, result }
    }

    fn main(mut self) -> Result<String, Stop> {
        match self.run(self.functions["main"], Variables::new()) {
            Ok(result) => {
                if let Some(result) = result {
                    result.print_result("", &mut self.output);
                }
                Ok(self.output)
            }
            Err(Stop::Failed { line, message, .. }) => {
                Err(Stop::Failed { line, message, output: self.output })
            }
            Err(stop) => Err(stop),
        }
    }

    /// An error at run time, about the text that starts here.
    fn failed<T>(&self, at: Span, message: String) -> Result<T, Stop> {
        let line = self.source.line_column(at.start).line;
        Err(Stop::Failed { line, message, output: String::new() })
    }

    /// Counts a statement or an iteration.
    fn step(&mut self) -> Result<(), Stop> {
        self.steps += 1;
        if self.steps > MAX_STEPS { Err(Stop::TooMuch) } else { Ok(()) }
    }

    /// An argument of a type, made of new tensors.
    fn argument(
        &mut self,
        argument: &Argument,
        ty: Option<&'m Name>,
        tensors: &mut usize,
        element: fn(usize, usize) -> f64,
    ) -> Result<Value<'m>, Stop> {
        match (argument, ty.map(|name| self.structs[name.text.as_str()])) {
            (Argument::Tensor(tensor), None) => {
                let dims: Vec<_> = tensor.shape.0.iter().map(|dim| *dim as usize).collect();
                let count = dims.iter().product::<usize>();
                if count > MAX_ELEMENTS {
                    return Err(Stop::TooMuch);
                }
                let number = *tensors;
                *tensors += 1;
                let elements = (0..count).map(|index| element(number, index)).collect();
                self.counted(Tensor::new(dims, elements).converted(tensor.element.name() == "f32"))
            }
            (Argument::Struct(arguments), Some(definition)) => {
                let pairs = definition.fields.iter().zip(arguments);
                let fields: Result<_, Stop> = pairs
                    .map(|(field, argument)| {
                        let value = self.argument(argument, field.ty.as_ref(), tensors, element)?;
                        Ok((field.name.text.as_str(), value))
                    })
                    .collect();
                fields.map(|fields| Value::Struct(definition, fields))
            }
            _ => unchecked("another kind of argument"),
        }
    }

    fn run(
        &mut self,
        function: &'m Function,
        mut variables: Variables<'m>,
    ) -> Result<Option<Value<'m>>, Stop> {
        if self.depth == MAX_CALLS {
            return Err(Stop::TooMuch);
        }
        self.depth += 1;
        let result = match self.types.result_of(&function.name.text) {
            Type::Struct(definition) => Some(&definition.name),
            Type::Tensor | Type::Unknown => None,
        };
        let caller = std::mem::replace(&mut self.result, result);
        let flow = self.statements(&function.body, &mut variables)?;
        self.result = caller;
        self.depth -= 1;
        match flow {
            Flow::Next => Ok(None),
            Flow::Return(value) => Ok(value),
            Flow::Break | Flow::Continue => unchecked("a jump outside of a loop"),
        }
    }

    /// A new tensor.
    fn counted(&mut self, tensor: Tensor) -> Result<Value<'m>, Stop> {
        self.elements += tensor.elements.len();
        if self.elements > MAX_ELEMENTS {
            return Err(Stop::TooMuch);
        }
        Ok(Value::Tensor(tensor))
    }

    fn tensor(&mut self, variables: &Variables<'m>, expr: &'m Expr) -> Result<Tensor, Stop> {
        match self.value(variables, expr)? {
            Value::Tensor(tensor) => Ok(tensor),
            Value::Struct(..) => unchecked("a struct instead of a tensor"),
        }
    }

    fn value(&mut self, variables: &Variables<'m>, expr: &'m Expr) -> Result<Value<'m>, Stop> {
        match self.expr(variables, expr)? {
            Some(value) => Ok(value),
            None => unchecked("no value"),
        }
    }

    /// The value; `ty` names the struct of a literal.
    fn value_of(
        &mut self,
        variables: &Variables<'m>,
        expr: &'m Expr,
        ty: Option<&'m Name>,
    ) -> Result<Value<'m>, Stop> {
        if let (ExprKind::Call(call), Some(name)) = (&expr.kind, ty)
            && expr.is_structure()
        {
            return self.structure_of_derivative(variables, call, name);
        }
        let (ExprKind::StructLiteral(values), Some(name)) = (&expr.kind, ty) else {
            return self.value(variables, expr);
        };
        let definition = self.structs[name.text.as_str()];
        let mut fields = Vec::new();
        for (field, value) in definition.fields.iter().zip(values) {
            let value = self.value_of(variables, value, field.ty.as_ref())?;
            fields.push((field.name.text.as_str(), value));
        }
        Ok(Value::Struct(definition, fields))
    }
}
