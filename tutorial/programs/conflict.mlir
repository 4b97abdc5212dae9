// A tensor is written into, and read afterwards.
func.func @conflict(%a: f64, %b: f64, %c: f64, %i: index) -> (f64, tensor<2xf64>) {
  %t = tensor.from_elements %a, %b : tensor<2xf64>
  %u = tensor.insert %c into %t[%i] : tensor<2xf64>
  %r = tensor.extract %t[%i] : tensor<2xf64>
  return %r, %u : f64, tensor<2xf64>
}
