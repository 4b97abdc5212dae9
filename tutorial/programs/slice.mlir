// A part of a tensor is read after the tensor was written into.
func.func @slice(%a: f64, %b: f64, %c: f64, %i: index) -> (f64, tensor<2xf64>) {
  %t = tensor.from_elements %a, %b : tensor<2xf64>
  %tail = tensor.extract_slice %t[1] [1] [1] : tensor<2xf64> to tensor<1xf64>
  %u = tensor.insert %c into %t[%i] : tensor<2xf64>
  %r = tensor.extract %tail[%i] : tensor<1xf64>
  return %r, %u : f64, tensor<2xf64>
}
