// An element of a tensor is replaced; the tensor is a parameter.
func.func @replace(%t: tensor<4xf64>, %i: index) -> tensor<4xf64> {
  %five = arith.constant 5.0 : f64
  %u = tensor.insert %five into %t[%i] : tensor<4xf64>
  return %u : tensor<4xf64>
}
