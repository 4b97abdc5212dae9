// A gradient by one parameter twice.
func.func private @f(%x: tensor<*xf64>) -> tensor<*xf64> {
  return %x : tensor<*xf64>
}
func.func @main() {
  %0 = "toy.constant"() {value = dense<2.0> : tensor<f64>} : () -> tensor<f64>
  %1 = "toy.generic_call"(%0) {callee = @f, gradient = array<i64: 0, 0>} : (tensor<f64>) -> tensor<*xf64>
  return
}
