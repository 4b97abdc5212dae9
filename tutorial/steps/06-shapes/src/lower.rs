//! The Toy dialect to MLIR's linalg dialect, written as text.

use crate::dialect::{callee, name, operations, shape_of, symbol};
use melior::Context;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, Module, RegionLike, Value as MlirValue, ValueLike};
use std::collections::HashMap;

/// A tensor: the name of its SSA value, `%7` for instance, and its shape.
#[derive(Clone)]
struct Value {
    name: String,
    shape: Vec<u64>,
}

/// What fits into a program: MLIR takes minutes for much more.
const MAX_VALUES: usize = 5000;

/// The functions, as they grow.
#[derive(Default)]
struct Code {
    text: String,
    values: usize,
}

/// The program in MLIR's linalg dialect.
pub fn lower<'c>(context: &'c Context, module: &Module) -> Result<Module<'c>, String> {
    let mut code = Code::default();
    for function in operations(module.body()) {
        code.function(function);
    }
    if code.values > MAX_VALUES {
        return Err("the program is too long".to_string());
    }
    Module::parse(context, &code.module()).ok_or("MLIR cannot read this".to_string())
}

impl Code {
    fn function(&mut self, function: OperationRef) {
        let body = function.region(0).ok().and_then(|region| region.first_block());
        let body = body.expect("a function has a body");
        // What the values of the Toy function have become.
        let mut values = HashMap::new();
        let mut parameters = Vec::new();
        for index in 0..body.argument_count() {
            let argument = body.argument(index).expect("it is one of them");
            let shape = shape_of(argument.r#type()).unwrap_or_default();
            let name = format!("%{}", self.values);
            self.values += 1;
            parameters.push(format!("{name}: {}", tensor(&shape)));
            values.insert(argument.to_raw().ptr, Value { name, shape });
        }
        let operations = operations(body);
        let results = operations.last().map_or(vec![], |end| types(end.operands()));
        let (name, parameters, results) =
            (symbol(function), parameters.join(", "), results.join(", "));
        self.text += &match name.as_str() {
            "main" => {
                "func.func @main() attributes {llvm.emit_c_interface} {\n".to_string()
            }
            _ => format!("func.func private @{name}({parameters}) -> ({results}) {{\n"),
        };
        for operation in operations {
            let operands =
                operation.operands().map(|operand| &values[&operand.to_raw().ptr]);
            let operands: Vec<&Value> = operands.collect();
            if let Some(value) = self.operation(operation, &operands) {
                let result = operation.result(0).expect("it has a value");
                values.insert(result.to_raw().ptr, value);
            }
        }
        self.text += "}\n";
    }

    /// The value of the operation, if it has one.
    fn operation(
        &mut self,
        operation: OperationRef,
        operands: &[&Value],
    ) -> Option<Value> {
        let result = operation.results().next();
        let shape =
            result.and_then(|result| shape_of(result.r#type())).unwrap_or_default();
        match (name(operation).as_str(), operands) {
            ("toy.constant", []) => {
                let value =
                    operation.attribute("value").expect("verified: it has a value");
                Some(self.value(&shape, &format!("arith.constant {value}")))
            }
            ("toy.transpose", [operand]) => Some(self.transpose(operand)),
            ("toy.reshape", [operand]) => Some(self.reshape(operand, &shape)),
            ("toy.print", [operand]) => {
                self.print(operand);
                None
            }
            ("func.call", _) => self.call(operation, operands),
            ("func.return", []) => {
                self.text += "  return\n";
                None
            }
            ("func.return", [value]) => {
                let Value { name, shape } = value;
                self.text += &format!("  return {name} : {}\n", tensor(shape));
                None
            }
            (name, [lhs, rhs]) => {
                Some(self.element_wise(name.strip_prefix("toy.")?, lhs, rhs, &shape))
            }
            (name, _) => {
                unreachable!("`{name}` is no operation of a specialized program")
            }
        }
    }

    /// `add`, `sub`, `mul` or `div`, for each pair of elements.
    fn element_wise(
        &mut self,
        name: &str,
        lhs: &Value,
        rhs: &Value,
        shape: &[u64],
    ) -> Value {
        let (lhs, rhs) = (self.fill(lhs, shape), self.fill(rhs, shape));
        let (ty, out) = (tensor(shape), self.empty(shape));
        let operands = format!("{}, {} : {ty}, {ty}", lhs.name, rhs.name);
        let code = format!("linalg.{name} ins({operands}) outs({out} : {ty}) -> {ty}");
        self.value(shape, &code)
    }

    /// The dimensions in reverse order.
    fn transpose(&mut self, operand: &Value) -> Value {
        if operand.shape.len() < 2 {
            return operand.clone();
        }
        let shape: Vec<u64> = operand.shape.iter().rev().copied().collect();
        let order: Vec<usize> = (0..shape.len()).rev().collect();
        let (from, to) = (tensor(&operand.shape), tensor(&shape));
        let (name, out) = (&operand.name, self.empty(&shape));
        let operands = format!("ins({name} : {from}) outs({out} : {to})");
        let code = format!("linalg.transpose {operands} permutation = {order:?}");
        self.value(&shape, &code)
    }

    /// The same elements in another shape; a number fills it.
    fn reshape(&mut self, operand: &Value, shape: &[u64]) -> Value {
        if operand.shape.is_empty() {
            return self.fill(operand, shape);
        }
        let (from, to, rank) = (tensor(&operand.shape), tensor(shape), shape.len());
        let sizes = format!("arith.constant dense<{shape:?}> : tensor<{rank}xindex>");
        let (name, sizes) = (&operand.name, self.value(&[], &sizes).name);
        let types = format!("({from}, tensor<{rank}xindex>) -> {to}");
        self.value(shape, &format!("tensor.reshape {name}({sizes}) : {types}"))
    }

    /// A number becomes a tensor; a tensor remains what it is.
    fn fill(&mut self, operand: &Value, shape: &[u64]) -> Value {
        if !operand.shape.is_empty() || shape.is_empty() {
            return operand.clone();
        }
        let axes: Vec<usize> = (0..shape.len()).collect();
        let (name, out, to) = (&operand.name, self.empty(shape), tensor(shape));
        let operands = format!("ins({name} : tensor<f64>) outs({out} : {to})");
        self.value(shape, &format!("linalg.broadcast {operands} dimensions = {axes:?}"))
    }

    fn print(&mut self, operand: &Value) {
        let (name, ty) = (&operand.name, tensor(&operand.shape));
        // One function prints tensors of all shapes: `*` is any shape.
        let code = format!("tensor.cast {name} : {ty} to tensor<*xf64>");
        let cast = self.value(&[], &code).name;
        self.text += &format!("  call @toy_print({cast}) : (tensor<*xf64>) -> ()\n");
    }

    fn call(&mut self, call: OperationRef, arguments: &[&Value]) -> Option<Value> {
        let names: Vec<&str> =
            arguments.iter().map(|value| value.name.as_str()).collect();
        let (callee, names) = (callee(call), names.join(", "));
        let arguments = types(call.operands()).join(", ");
        match call.result(0) {
            Ok(result) => {
                let shape = shape_of(result.r#type()).unwrap_or_default();
                let ty = tensor(&shape);
                let code = format!("call @{callee}({names}) : ({arguments}) -> {ty}");
                Some(self.value(&shape, &code))
            }
            Err(_) => {
                self.text +=
                    &format!("  call @{callee}({names}) : ({arguments}) -> ()\n");
                None
            }
        }
    }

    /// The whole program.
    fn module(self) -> String {
        let functions = self.text;
        format!(
            "func.func private @toy_print(
  tensor<*xf64> {{bufferization.access = \"read\"}}
) attributes {{llvm.emit_c_interface}}
{functions}"
        )
    }

    /// The name of a new tensor for an operation to write to.
    fn empty(&mut self, shape: &[u64]) -> String {
        self.value(shape, &format!("tensor.empty() : {}", tensor(shape))).name
    }

    fn value(&mut self, shape: &[u64], code: &str) -> Value {
        let name = format!("%{}", self.values);
        self.values += 1;
        self.text += &format!("  {name} = {code}\n");
        Value { name, shape: shape.to_vec() }
    }
}

/// `tensor<2x3xf64>`
fn tensor(shape: &[u64]) -> String {
    let sizes: String = shape.iter().map(|size| format!("{size}x")).collect();
    format!("tensor<{sizes}f64>")
}

fn types<'c: 'a, 'a>(values: impl Iterator<Item = MlirValue<'c, 'a>>) -> Vec<String> {
    values.map(|value| value.r#type().to_string()).collect()
}
