//! The Toy dialect to MLIR's linalg dialect, written as text.

use crate::dialect::{all_operations, name, shape_of};
use melior::Context;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Module, ValueLike};
use std::collections::HashMap;

/// A tensor: the name of its SSA value, `%7` for instance, and its shape.
#[derive(Clone)]
struct Value {
    name: String,
    shape: Vec<u64>,
}

/// What fits into one function: MLIR takes minutes for much more.
const MAX_VALUES: usize = 5000;

/// The body of `main`, as it grows.
#[derive(Default)]
struct Code {
    text: String,
    values: usize,
}

/// The program in MLIR's linalg dialect.
pub fn lower<'c>(context: &'c Context, module: &Module) -> Result<Module<'c>, String> {
    let mut code = Code::default();
    // What the results of operations have become.
    let mut values = HashMap::new();
    for operation in all_operations(module) {
        let operands = operation.operands().map(|operand| &values[&operand.to_raw().ptr]);
        let operands: Vec<&Value> = operands.collect();
        if let Some(value) = code.operation(operation, &operands) {
            let result = operation.result(0).expect("it has a value");
            values.insert(result.to_raw().ptr, value);
        }
    }
    if code.values > MAX_VALUES {
        return Err("the program is too long".to_string());
    }
    Module::parse(context, &code.module()).ok_or("MLIR cannot read this".to_string())
}

impl Code {
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
            (name, [lhs, rhs]) => {
                Some(self.element_wise(name.strip_prefix("toy.")?, lhs, rhs, &shape))
            }
            // `func.return`
            _ => None,
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

    /// The whole program.
    fn module(self) -> String {
        let body = self.text;
        format!(
            "func.func private @toy_print(
  tensor<*xf64> {{bufferization.access = \"read\"}}
) attributes {{llvm.emit_c_interface}}
func.func @main() attributes {{llvm.emit_c_interface}} {{
{body}  return
}}
"
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
