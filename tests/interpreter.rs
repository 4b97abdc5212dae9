//! A Toy interpreter that walks the syntax tree: the oracle for compiled programs.
//!
//! Input: the source of a program. Output: the bytes it prints, or why it prints nothing. It shares
//! the front end with the compiler and nothing else. Invariant: it does what the language says in
//! the most obvious way, in the order of the text; nothing here is optimized.

mod tensor;
mod trials;

use std::collections::HashMap;
use tensor::Tensor;
use toyc::diagnostic::Severity;
use toyc::interface::Argument;
use toyc::source::Source;
use toyc::syntax;
use toyc::syntax::ast::{
    Call, DeclaredType, Expr, ExprKind, Function, Module, Name, StatementKind, Struct,
};
pub use trials::trials;

/// Interpretation is native recursion over brackets and calls.
const STACK_BYTES: usize = 1 << 28;

/// The elements of all values together, beyond which a program is no test.
const MAX_ELEMENTS: usize = 1 << 20;

/// Why there is no output.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// What the front end says: the code of its first diagnostic, and the message.
    Wrong(&'static str, String),
    /// Shapes that do not fit.
    Shapes(String),
    /// More than [`MAX_ELEMENTS`].
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

/// What a call of a function did.
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
    let mut interpreter = Interpreter::new(&module);
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
        Value::Struct(fields) => fields.iter().for_each(|(_, field)| elements(field, tensors)),
    }
}

fn interpret(text: &str) -> Result<String, Stop> {
    let source = Source::new("program", text);
    let (module, diagnostics) = syntax::analyze(&source);
    let error = diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
    if let Some(error) = error {
        return Err(Stop::Wrong(error.code.id, error.message.clone()));
    }
    Interpreter::new(&module).main()
}

#[derive(Clone)]
enum Value<'m> {
    Tensor(Tensor),
    /// The fields by their names.
    Struct(Vec<(&'m str, Value<'m>)>),
}

struct Interpreter<'m> {
    structs: HashMap<&'m str, &'m Struct>,
    functions: HashMap<&'m str, &'m Function>,
    output: String,
    /// The elements of all tensors so far.
    elements: usize,
}

type Variables<'m> = HashMap<&'m str, Value<'m>>;

/// What should not be: the front end has checked it.
fn unchecked<T>(what: &str) -> Result<T, Stop> {
    Err(Stop::Wrong("unchecked", what.to_owned()))
}

impl<'m> Interpreter<'m> {
    fn new(module: &'m Module) -> Self {
        let structs = module.structs.iter().map(|item| (item.name.text.as_str(), item)).collect();
        let functions = module.functions.iter().map(|f| (f.name.text.as_str(), f)).collect();
        Self { structs, functions, output: String::new(), elements: 0 }
    }

    fn main(mut self) -> Result<String, Stop> {
        self.run(self.functions["main"], Variables::new())?;
        Ok(self.output)
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
            (Argument::Tensor(shape), None) => {
                let dims: Vec<_> = shape.0.iter().map(|dim| *dim as usize).collect();
                let count = dims.iter().product::<usize>();
                if count > MAX_ELEMENTS {
                    return Err(Stop::TooMuch);
                }
                let number = *tensors;
                *tensors += 1;
                let elements = (0..count).map(|index| element(number, index)).collect();
                self.counted(Tensor { dims, elements })
            }
            (Argument::Struct(arguments), Some(definition)) => {
                let pairs = definition.fields.iter().zip(arguments);
                let fields: Result<_, Stop> = pairs
                    .map(|(field, argument)| {
                        let value = self.argument(argument, field.ty.as_ref(), tensors, element)?;
                        Ok((field.name.text.as_str(), value))
                    })
                    .collect();
                fields.map(Value::Struct)
            }
            _ => unchecked("another kind of argument"),
        }
    }

    fn run(
        &mut self,
        function: &'m Function,
        mut variables: Variables<'m>,
    ) -> Result<Option<Value<'m>>, Stop> {
        for statement in &function.body {
            match &statement.kind {
                StatementKind::VarDecl { ty, name, value } => {
                    let value = match ty {
                        DeclaredType::Inferred => self.value(&variables, value)?,
                        DeclaredType::Tensor(shape) => {
                            let dims = shape.dims.iter().map(|dim| *dim as usize).collect();
                            let value = self.tensor(&variables, value)?;
                            self.counted(value.reshaped(dims, MAX_ELEMENTS)?)?
                        }
                        DeclaredType::Struct(name) => {
                            self.value_of(&variables, value, Some(name))?
                        }
                    };
                    variables.insert(&name.text, value);
                }
                StatementKind::Expr(expr) => {
                    self.expr(&variables, expr)?;
                }
                StatementKind::Assign(_)
                | StatementKind::If(_)
                | StatementKind::While(_)
                | StatementKind::For(_) => return unchecked("control flow"),
                StatementKind::Return(value) => {
                    return value.as_ref().map(|value| self.value(&variables, value)).transpose();
                }
            }
        }
        Ok(None)
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
            Value::Struct(_) => unchecked("a struct instead of a tensor"),
        }
    }

    fn value(&mut self, variables: &Variables<'m>, expr: &'m Expr) -> Result<Value<'m>, Stop> {
        match self.expr(variables, expr)? {
            Some(value) => Ok(value),
            None => unchecked("no value"),
        }
    }

    /// The value where something says of which struct it is, should it be a literal of one.
    fn value_of(
        &mut self,
        variables: &Variables<'m>,
        expr: &'m Expr,
        r#type: Option<&'m Name>,
    ) -> Result<Value<'m>, Stop> {
        let (ExprKind::StructLiteral(values), Some(name)) = (&expr.kind, r#type) else {
            return self.value(variables, expr);
        };
        let mut fields = Vec::new();
        for (field, value) in self.structs[name.text.as_str()].fields.iter().zip(values) {
            let value = self.value_of(variables, value, field.ty.as_ref())?;
            fields.push((field.name.text.as_str(), value));
        }
        Ok(Value::Struct(fields))
    }

    fn expr(
        &mut self,
        variables: &Variables<'m>,
        expr: &'m Expr,
    ) -> Result<Option<Value<'m>>, Stop> {
        let tensor = match &expr.kind {
            ExprKind::Number(number) => Tensor::scalar(*number),
            ExprKind::Literal(items) => self.literal(variables, items)?,
            ExprKind::Variable(name) => return Ok(Some(variables[name.as_str()].clone())),
            ExprKind::Call(call) => return self.call(variables, call),
            ExprKind::Chain(chain) => {
                let mut result = self.tensor(variables, &chain.first)?;
                for link in &chain.rest {
                    let operand = self.tensor(variables, &link.operand)?;
                    result = result.combined(link.operator, &operand)?;
                }
                result
            }
            ExprKind::Unary(unary) => {
                let operand = self.tensor(variables, &unary.operand)?;
                unary.operators.iter().fold(operand, |operand, _| operand.negated())
            }
            ExprKind::Access(access) => {
                let mut value = self.value(variables, &access.base)?;
                for name in &access.fields {
                    let Value::Struct(fields) = value else { return unchecked("no struct") };
                    let field = fields.into_iter().find(|(field, _)| *field == name.text);
                    let Some((_, field)) = field else { return unchecked("no such field") };
                    value = field;
                }
                return Ok(Some(value));
            }
            ExprKind::StructLiteral(_) => return unchecked("a literal of an unknown struct"),
            ExprKind::Index(_) | ExprKind::String(_) | ExprKind::Error => {
                return unchecked("a program with errors");
            }
        };
        self.counted(tensor).map(Some)
    }

    /// The elements of the innermost lists are scalars.
    fn literal(&mut self, variables: &Variables<'m>, items: &'m [Expr]) -> Result<Tensor, Stop> {
        let mut dims = vec![items.len()];
        let mut elements = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let is_list = matches!(item.kind, ExprKind::Literal(_));
            let item = self.tensor(variables, item)?;
            if !is_list && !item.dims.is_empty() {
                return Err(Stop::Shapes(format!("an element of shape {:?}", item.dims)));
            }
            if index == 0 {
                dims.extend(&item.dims);
            } else if dims[1..] != item.dims {
                return unchecked("a ragged literal");
            }
            elements.extend(item.elements);
        }
        Ok(Tensor { dims, elements })
    }

    fn call(
        &mut self,
        variables: &Variables<'m>,
        call: &'m Call,
    ) -> Result<Option<Value<'m>>, Stop> {
        match (call.callee.text.as_str(), call.arguments.as_slice()) {
            ("print", [argument]) => {
                self.tensor(variables, argument)?.print(&mut self.output);
                Ok(None)
            }
            ("transpose", [argument]) => {
                let result = self.tensor(variables, argument)?.transposed();
                self.counted(result).map(Some)
            }
            (callee, arguments) => {
                let callee = self.functions[callee];
                let mut values = Variables::new();
                for (parameter, argument) in callee.parameters.iter().zip(arguments) {
                    let value = self.value_of(variables, argument, parameter.ty.as_ref())?;
                    values.insert(&parameter.name.text, value);
                }
                self.run(callee, values)
            }
        }
    }
}
