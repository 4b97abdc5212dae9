//! Operations on tensors, written as MLIR text in the linalg dialect.

/// A tensor: the name of its SSA value, `%7` for instance, and its shape.
#[derive(Clone)]
pub struct Value {
    name: String,
    shape: Vec<usize>,
}

/// What fits into one function: MLIR takes minutes for much more.
const MAX_VALUES: usize = 5000;

/// A tensor may have 128 MB.
const MAX_ELEMENTS: usize = 1 << 24;

/// The body of `main`, as it grows.
#[derive(Default)]
pub struct Code {
    text: String,
    values: usize,
}

impl Code {
    /// The elements are those of the rows, one after the other.
    pub fn constant(&mut self, shape: &[usize], elements: &[f64]) -> Value {
        let (dense, ty) = (nested(shape, elements), tensor(shape));
        self.value(shape, &format!("arith.constant dense<{dense}> : {ty}"))
    }

    /// `add`, `sub`, `mul` or `div`, for each pair of elements.
    pub fn element_wise(
        &mut self,
        name: &str,
        lhs: &Value,
        rhs: &Value,
    ) -> Result<Value, String> {
        // A number goes with tensors of any shape.
        let shape = if lhs.shape.is_empty() { &rhs.shape } else { &lhs.shape };
        let (lhs, rhs) = (self.fill(lhs, shape), self.fill(rhs, shape));
        let ty = tensor(shape);
        if lhs.shape != rhs.shape {
            return Err(format!("the shapes differ: {ty} and {}", tensor(&rhs.shape)));
        }
        let out = self.empty(shape);
        let operands = format!("{}, {} : {ty}, {ty}", lhs.name, rhs.name);
        let code = format!("linalg.{name} ins({operands}) outs({out} : {ty}) -> {ty}");
        Ok(self.value(shape, &code))
    }

    /// The dimensions in reverse order.
    pub fn transpose(&mut self, operand: &Value) -> Value {
        if operand.shape.len() < 2 {
            return operand.clone();
        }
        let shape: Vec<usize> = operand.shape.iter().rev().copied().collect();
        let order: Vec<usize> = (0..shape.len()).rev().collect();
        let (from, to) = (tensor(&operand.shape), tensor(&shape));
        let (name, out) = (&operand.name, self.empty(&shape));
        let operands = format!("ins({name} : {from}) outs({out} : {to})");
        let code = format!("linalg.transpose {operands} permutation = {order:?}");
        self.value(&shape, &code)
    }

    /// The same elements in another shape; a number fills it.
    pub fn reshape(&mut self, operand: &Value, shape: &[usize]) -> Result<Value, String> {
        let (from, to) = (tensor(&operand.shape), tensor(shape));
        let count =
            shape.iter().try_fold(1, |count: usize, size| count.checked_mul(*size));
        let Some(count) = count.filter(|count| *count <= MAX_ELEMENTS) else {
            return Err(format!("{to} has too many elements"));
        };
        if operand.shape.is_empty() {
            return Ok(self.fill(operand, shape));
        }
        if operand.shape.iter().product::<usize>() != count {
            return Err(format!("{from} cannot become {to}"));
        }
        let rank = shape.len();
        let sizes = format!("arith.constant dense<{shape:?}> : tensor<{rank}xindex>");
        let (name, sizes) = (&operand.name, self.value(&[rank], &sizes).name);
        let types = format!("({from}, tensor<{rank}xindex>) -> {to}");
        Ok(self.value(shape, &format!("tensor.reshape {name}({sizes}) : {types}")))
    }

    /// A number becomes a tensor; a tensor remains what it is.
    fn fill(&mut self, operand: &Value, shape: &[usize]) -> Value {
        if !operand.shape.is_empty() || shape.is_empty() {
            return operand.clone();
        }
        let axes: Vec<usize> = (0..shape.len()).collect();
        let (name, out, to) = (&operand.name, self.empty(shape), tensor(shape));
        let operands = format!("ins({name} : tensor<f64>) outs({out} : {to})");
        self.value(shape, &format!("linalg.broadcast {operands} dimensions = {axes:?}"))
    }

    pub fn print(&mut self, operand: &Value) {
        let (name, ty) = (&operand.name, tensor(&operand.shape));
        // One function prints tensors of all shapes: `*` is any shape.
        let code = format!("tensor.cast {name} : {ty} to tensor<*xf64>");
        let cast = self.value(&[], &code).name;
        self.text += &format!("  call @toy_print({cast}) : (tensor<*xf64>) -> ()\n");
    }

    /// The whole program.
    pub fn module(self) -> String {
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

    pub fn is_too_long(&self) -> bool {
        self.values > MAX_VALUES
    }

    /// The name of a new tensor for an operation to write to.
    fn empty(&mut self, shape: &[usize]) -> String {
        self.value(shape, &format!("tensor.empty() : {}", tensor(shape))).name
    }

    fn value(&mut self, shape: &[usize], code: &str) -> Value {
        let name = format!("%{}", self.values);
        self.values += 1;
        self.text += &format!("  {name} = {code}\n");
        Value { name, shape: shape.to_vec() }
    }
}

/// `tensor<2x3xf64>`
fn tensor(shape: &[usize]) -> String {
    let sizes: String = shape.iter().map(|size| format!("{size}x")).collect();
    format!("tensor<{sizes}f64>")
}

/// `[[1.0, 2.0], [3.0, 4.0]]`
fn nested(shape: &[usize], elements: &[f64]) -> String {
    let Some((count, inner)) = shape.split_first() else {
        // With a point: `1` is an integer to MLIR.
        let number = elements[0].to_string();
        return if number.contains('.') { number } else { number + ".0" };
    };
    let parts = elements.chunks(elements.len() / count).map(|part| nested(inner, part));
    format!("[{}]", parts.collect::<Vec<_>>().join(", "))
}
